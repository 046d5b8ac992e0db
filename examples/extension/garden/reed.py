"""A preset character: a reed of two stems."""

from __future__ import annotations

from functools import lru_cache

from poise.character import Body, Character, Joint, Mass, Shape


@lru_cache
def reed() -> Character:
    """Two stems of 40 cm, one on the other."""
    stem = Shape.capsule((0, 0, 0), (0, 0, 0.4), 0.01)
    mass = Mass.of_shapes([stem], mass=0.05)
    lower = Body("Lower", None, Joint.ball(), (0, 0, 0), mass=mass, shapes=(stem,))
    upper = Body(
        "Upper", "Lower", Joint.ball(), (0, 0, 0.4), mass=mass, shapes=(stem,), points={"Tip": (0, 0, 0.4)}
    )
    return Character("reed", [lower, upper])
