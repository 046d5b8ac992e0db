"""Limbs that run into obstacles."""
