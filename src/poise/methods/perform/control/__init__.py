"""Torques that arrive on time."""
