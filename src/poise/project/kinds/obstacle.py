"""Obstacles of a loosened motion as a project holds them: boxes and balls that stand, or follow keys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from poise.constraints.report import Report
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.methods.loosen import ContactResult, Obstacle

Triple = tuple[float, float, float]


class PlaceKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where an obstacle is at a time."""

    time: float
    """[s]"""
    position: Triple
    """[m]"""


class ObstacleEntry(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A box by its half edges, or a ball by its radius; see ``poise.kinodynamics.Obstacle``."""

    name: str
    half: Triple | None = None
    """Half edges of a box [m]."""
    radius: float | None = None
    """Of a ball [m]."""
    position: Triple = (0.0, 0.0, 0.0)
    """Its centre [m], where no keys say more."""
    turn: Triple = (0.0, 0.0, 0.0)
    """How it is turned: a rotation vector [rad]; about z: (0, 0, angle)."""
    path: tuple[PlaceKey, ...] = ()
    """Its centre over time: straight between keys, held before and after."""
    friction: float = 0.8
    bounce: float = 0.1
    muted: bool = False

    def made(self) -> Obstacle:
        """As the method takes it."""
        from poise.manifold import so3
        from poise.methods.loosen import Obstacle
        from poise.methods.loosen.contact.obstacle import Path

        if (self.half is None) == (self.radius is None):
            raise InputError(f"obstacle {self.name!r} needs either half edges (a box) or a radius (a ball)")
        for size in self.half or (self.radius,):
            if size is None or not (math.isfinite(size) and size > 0):
                raise InputError(f"sizes of obstacle {self.name!r} must be positive and finite, not {size}")
        keys = sorted(self.path, key=lambda key: key.time)
        more: dict[str, Any] = {
            "rotation": so3.exp(self.turn),
            "path": Path([k.time for k in keys], [k.position for k in keys]) if keys else None,
            "friction": self.friction,
            "bounce": self.bounce,
        }
        if self.half is not None:
            return Obstacle.box(self.name, self.position, self.half, **more)
        assert self.radius is not None
        return Obstacle.ball(self.name, self.position, self.radius, **more)


def told(found: ContactResult) -> Report:
    """What touched what, in words and numbers."""
    events = [e for e in found.events if e.end >= 0]
    return Report(
        message="; ".join(str(e) for e in events) or "nothing is touched",
        warnings=found.notes,
        details={
            "contacts": [
                {"start": e.start, "end": e.end, "body": e.body, "obstacle": e.obstacle} for e in events
            ]
        },
    )
