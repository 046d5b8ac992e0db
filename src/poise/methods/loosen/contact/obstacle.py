"""Obstacles: solids of the scene that a loosened character may hit, as data.

An obstacle stands still or follows a path; either way it yields to nothing. How it feels to the touch is
given by ``friction`` (Coulomb's μ) and ``bounce`` (e, the speed that comes back over the speed that came in).
A contact is a spring and a damper that push but never pull. With natural frequency ω and damping ratio ζ they
let go when the push, not the dent, is over, which gives (Schwager and Pöschel 2007)

    e = exp(−2 ζ acos ζ / √(1 − ζ²)),    at ζ = 1: exp(−2),    above: acosh and √(ζ² − 1),

and a dent of u √e / ω where the speed was u.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked, frozen
from poise.character import Shape, ShapeKind
from poise.errors import InputError
from poise.manifold import so3
from poise.operations.values.obstacle import Obstacle

LEAST_BOUNCE = 0.02
"""Below it a contact would have to be damped so hard that it creeps out of a dent."""


class Path(NamedTuple):
    """Where an obstacle is over time: linear between times, held before and after."""

    times: ArrayLike  # (K,) [s]
    positions: ArrayLike  # (K, 3) [m]


@dataclass(frozen=True, eq=False)
class Solid:
    """A solid in the world."""

    name: str
    shape: Shape
    position: ArrayLike = (0.0, 0.0, 0.0)
    """World place of the shape's frame [m], (3,); unused where there is a path."""
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    """World-from-shape-frame quaternion, (4,)."""
    path: Path | None = None
    friction: float = 0.8
    bounce: float = 0.1

    def __post_init__(self) -> None:
        put, what = object.__setattr__, f"obstacle {self.name!r}"
        if not self.name:
            raise InputError("an obstacle needs a name")
        put(self, "position", frozen(checked(self.position, f"position of {what}", (3,))))
        put(self, "rotation", frozen(so3.normalise(checked(self.rotation, f"rotation of {what}", (4,)))))
        if not (math.isfinite(self.friction) and self.friction >= 0):
            raise InputError(f"friction of {what} must be finite and not negative, not {self.friction}")
        if not LEAST_BOUNCE <= self.bounce < 1:
            raise InputError(f"bounce of {what} must be from {LEAST_BOUNCE} to below 1, not {self.bounce}")
        if self.path is not None:
            times = checked(self.path[0], f"path times of {what}", (None,))
            positions = checked(self.path[1], f"path of {what}", (len(times), 3))
            if len(times) == 0 or (np.diff(times) <= 0).any():
                raise InputError(f"path times of {what} must increase")
            put(self, "path", Path(frozen(times), frozen(positions)))

    @classmethod
    def of(cls, obstacle: Obstacle) -> Solid:
        """An obstacle as it was asked for, made ready."""
        obstacle.check()
        if obstacle.half is not None:
            shape = Shape.box((0.0, 0.0, 0.0), obstacle.half, "default")
        else:
            assert obstacle.radius is not None
            shape = Shape.sphere((0.0, 0.0, 0.0), obstacle.radius, "default")
        keys = sorted(obstacle.path, key=lambda key: key.time)
        return cls(
            obstacle.name,
            shape,
            obstacle.position,
            so3.exp(obstacle.turn),
            Path([k.time for k in keys], [k.position for k in keys]) if keys else None,
            obstacle.friction,
            obstacle.bounce,
        )

    def at(self, times: ArrayLike) -> Array:
        """World positions at times [s], (T, 3)."""
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        if self.path is None:
            return np.array(np.broadcast_to(self.position, (len(times), 3)))
        knots, places = np.asarray(self.path.times), np.asarray(self.path.positions)
        return np.stack([np.interp(times, knots, places[:, k]) for k in range(3)], axis=1)

    def placed_shape(self) -> tuple[ShapeKind, Array, Array, Array]:
        """Kind, size, and place and rotation relative to ``position``, all in world axes."""
        turn = np.asarray(self.rotation)
        offset = so3.to_matrix(turn) @ np.asarray(self.shape.position)
        return self.shape.kind, np.asarray(self.shape.size), offset, so3.multiply(turn, self.shape.rotation)


def distinct(obstacles: Sequence[Obstacle | Solid]) -> tuple[Solid, ...]:
    """The obstacles made ready, at least one and no two of one name."""
    found = tuple(each if isinstance(each, Solid) else Solid.of(each) for each in obstacles)
    if not found:
        raise InputError("there are no obstacles to collide with")
    names = [o.name for o in found]
    twice = [n for n in names if names.count(n) > 1]
    if twice:
        raise InputError(f"two obstacles are called {twice[0]!r}")
    return found


def bounce_of(ratio: float) -> float:
    """Coefficient of restitution e of a contact of damping ratio ζ."""
    if abs(ratio - 1) < 1e-7:
        return math.exp(-2.0)
    if ratio < 1:
        return math.exp(-2 * ratio * math.acos(ratio) / math.sqrt(1 - ratio * ratio))
    return math.exp(-2 * ratio * math.acosh(ratio) / math.sqrt(ratio * ratio - 1))


def damping_ratio(bounce: float) -> float:
    """The damping ratio ζ whose contact bounces by e: ``bounce_of`` inverted, by bisection (it falls)."""
    low, high = 0.0, 1.0
    for _ in range(64):
        if not bounce_of(high) > bounce:
            break
        high *= 2
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if bounce_of(middle) > bounce else (low, middle)
    return 0.5 * (low + high)
