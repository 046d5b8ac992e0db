"""Banded Gauss–Newton."""
