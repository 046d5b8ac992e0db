"""Motions that any body can do: templates, told by what a body has and not by its names."""
