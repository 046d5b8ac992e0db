"""Templates: motions that any body can do, and which options each of them takes."""

from __future__ import annotations

from collections.abc import Mapping

TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "stand": ("seconds",),
    "walk": ("over", "route", "footsteps", "steps", "speed", "side"),
    "run": ("over", "route", "steps", "speed", "side"),
    "trot": ("over", "route", "steps", "speed"),
    "turn": ("spin", "side"),
    "jump": ("over", "high", "spin"),
    "hop": ("over", "high", "steps"),
    "reach": ("to", "side", "seconds"),
    "crouch": ("high", "seconds"),
    "bow": ("seconds",),
    "sit down": ("high",),
    "step up": ("high", "side"),
}
"""By name; ``tempo`` and ``world`` go with all of them."""
OPTIONS = tuple(dict.fromkeys(name for takes in TEMPLATES.values() for name in takes))
"""All options that some template takes."""
EVERY = ("tempo", "world")
"""Options that every template takes."""
