"""Gravity, the same for everything that falls, stands, sways or is judged; z is up."""

from __future__ import annotations

EARTH = 9.81
"""How fast what falls gets faster [m/s²]."""
GRAVITY = (0.0, 0.0, -EARTH)
"""The same as a vector, world axes [m/s²]."""
