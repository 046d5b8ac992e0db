"""Questions: what was assumed so that a clip makes sense. Nothing of it is silently good: the verdict holds
*if* it is so.

Surfaces that were found, holds that nobody sees and paces that were tried are asked about, each with how sure
it is. What is
given or confirmed is no question any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from poise.plausibility.finding import Finding
from poise.plausibility.physics import Physics
from poise.plausibility.playback_speed import spoken
from poise.world import Box, Ground, Surface

BELT = 0.05
"""Ground slower than this does not move [m/s]."""
STEEP = 3.0
"""Ground that is tilted by more is asked about [degrees]; less is a capture's own."""


@dataclass(frozen=True)
class Question:
    """Something that was assumed."""

    name: str
    """By which it is confirmed."""
    kind: str
    """ "surface", "hold" or "rate"."""
    words: str
    """After "plausible if …"."""
    sure: float
    """How sure it is, 0 … 1."""
    start: int
    end: int
    """First and last frame in which it matters."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def questions(physics: Physics, findings: tuple[Finding, ...] | list[Finding]) -> Iterator[Question]:
    """All that was assumed about a clip."""
    last = physics.clip.frames - 1
    for surface in physics.world.surfaces:
        if surface.source == "found" and (said := _surface(physics, surface)):
            used = [c for c in physics.contacts if c.surface == surface.name]
            span = (min(c.start for c in used), max(c.end for c in used)) if used else (0, last)
            yield Question(surface.name, "surface", said, surface.sure, *span)
    held: dict[str, list[Any]] = {}
    for contact in physics.contacts:
        if not contact.surface:
            held.setdefault(contact.part, []).append(contact)
    for part, own in held.items():
        load = max(c.load for c in own)
        words = (
            f"something unseen is held by the {part}"
            if own[0].manner in ("grips", "hangs")
            else f"the {part} pushes something unseen"
        )
        yield Question(f"hold {part}", "hold", words, min(0.9, 0.4 + load), own[0].start, own[-1].end)
    for finding in findings:
        if finding.kind == "support" and not finding.serious and not physics.given:
            words = f"something unseen carries it at the {finding.where}"
            yield Question(f"hold {finding.where}", "hold", words, 0.4, finding.start, finding.end)
        if finding.kind == "rate" and not finding.serious:
            fps = physics.clip.fps / physics.support.pace
            words = f"it was recorded at {fps:g} frames per second ({spoken(physics.support.pace)})"
            yield Question("rate", "rate", words, 1 - finding.score, 0, last)


def _surface(physics: Physics, surface: Surface) -> str:
    """What is assumed about a surface, in words; "" if that goes without saying."""
    speed = float(np.linalg.norm(surface.velocity))
    if speed > BELT:
        return f"the {surface.name} moves on at {speed:.1f} m/s, as a treadmill does"
    if isinstance(surface.shape, Ground):
        tilt = float(np.degrees(np.arctan(np.hypot(*surface.shape.slope))))
        return f"the {surface.name} rises by {tilt:.0f}°" if tilt > STEEP else ""
    top = surface.place[2] + (surface.shape.half[2] if isinstance(surface.shape, Box) else 0.0)
    high = top - float(physics.footing.level(np.array(surface.place)))
    x, y, _ = surface.place
    kind = "a seat" if surface.name.startswith("seat") else "a step"
    return f"there is {kind} of {100 * high:.0f} cm at ({x:.1f}, {y:.1f})"
