"""Rows of requirements, compiled."""
