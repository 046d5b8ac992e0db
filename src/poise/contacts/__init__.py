"""Contacts: which part of a body touches what, from when to when and how; found by what must be carried."""
