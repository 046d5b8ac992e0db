"""Soft things on bones: attach them, let them sway, and hit marks with them."""
