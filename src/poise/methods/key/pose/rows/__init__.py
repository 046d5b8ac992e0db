"""Rows of the pose solver's problem, compiled."""
