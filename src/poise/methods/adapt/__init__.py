"""Adaptation: the smallest change of a whole clip that meets constraints."""
