"""Rotation in flight."""
