"""A motion carried over to another character."""
