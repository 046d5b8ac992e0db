"""A foot standing still: points of one rigid foot held on the ground, each over its own interval.

The points of a foot are not free of each other: independent targets for heel and ball would
contradict the foot's length. A plant therefore has one *footprint*: the points laid flat as the
rigid foot has them, put on the ground by a place (x, y, yaw),

    target_k = (x, y, height) + R_z(yaw) (a_k, b_k, c_k),      c_k = 0 for points of the sole.

Heel and ball have their own intervals, so the foot may roll: heel first down, ball last up. A plant
without a place leaves it to the solver, which starts from ``estimate``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints.constraint import Constraint, Measures
from poise.constraints.pin import pin
from poise.constraints.when import When, as_when
from poise.errors import InputError
from poise.motion import Clip


class FootPlace(NamedTuple):
    """Where a footprint lies on the ground.

    Examples:
        >>> place = poise.constraints.FootPlace(0.3, 0.1, 0.0)
    """

    x: float
    """[m]"""
    y: float
    """[m]"""
    yaw: float
    """Turn of the line from the first to the last point about the vertical [rad]."""


@dataclass(frozen=True, eq=False)
class FootPlant:
    """Points of one foot with the intervals during which each stands still.

    Raises:
        InputError: There are no points, or not one mark for each.

    Examples:
        >>> plant = poise.constraints.FootPlant({"LeftHeel": (0.2, 0.5), "LeftBall": (0.3, 0.6)})
        >>> place = plant.estimate(poise.clips.get("walk"))
        >>> pins = plant.pins(poise.characters.humanoid(), place)
    """

    intervals: Mapping[str, When]
    """Point name → when it is down, heel first."""
    place: FootPlace | None = None
    """Where; None lets the solver choose."""
    height: float = 0.0
    """Of the ground [m]."""
    name: str = ""
    """Shown in reports. Default: its points."""
    marks: tuple[tuple[float, float, float], ...] | None = None
    """The points of the standing foot (a, b, c) [m], for points that are not on the sole (an ankle);
    None: laid flat from the rest pose."""

    def __post_init__(self) -> None:
        if self.marks is not None and len(self.marks) != len(self.intervals):
            raise InputError(f"{len(self.marks)} marks for {len(self.intervals)} points of a foot plant")
        if not self.intervals:
            raise InputError("a foot plant needs at least one point")
        intervals = {point: as_when(when) for point, when in self.intervals.items()}
        object.__setattr__(self, "intervals", intervals)
        if not self.name:
            object.__setattr__(self, "name", f"plant of {', '.join(self.intervals)}")

    def footprint(self, character: Character) -> Array:
        """The points laid flat as the foot has them at rest, first at the origin, last on x [m], (k, 2)."""
        if self.marks is not None:
            return np.array(self.marks)[:, :2]
        positions, turns = character.rest_placement()
        places = [character.point(n) for n in self.intervals]
        at = np.array([positions[p.body] + turns[p.body] @ p.position for p in places])
        flat = at - at[0]
        length = float(np.linalg.norm(flat[-1]))
        if length < 1e-9:
            return np.zeros((len(places), 2))
        x = flat[-1] / length
        # The sole is the plane that the points span; two points need none.
        rest = flat - np.outer(flat @ x, x)
        widest = rest[np.argmax(np.linalg.norm(rest, axis=1))]
        side = float(np.linalg.norm(widest))
        y = widest / side if side > 1e-9 else np.zeros(3)
        if np.cross(x, y)[2] < 0:
            y = -y  # seen from above, left stays left
        return np.stack([flat @ x, flat @ y], axis=-1)

    def estimate(self, clip: Clip) -> FootPlace:
        """The place that fits the clip best: mean position and heading of the points while down."""
        from poise.kinematics import Kinematics

        print_ = self.footprint(clip.character)
        means, marks = [], []
        for (point, interval), mark in zip(self.intervals.items(), print_):
            kin = Kinematics(clip.character, clip.at(interval.times(clip)))
            means.append(kin.point(point)[:, :2].mean(axis=0))
            marks.append(mark)
        seen, drawn = np.array(means), np.array(marks)
        a, b = seen - seen.mean(axis=0), drawn - drawn.mean(axis=0)
        # Planar Procrustes: the turn that best takes the print to what is seen.
        yaw = float(np.arctan2(np.sum(b[:, 0] * a[:, 1] - b[:, 1] * a[:, 0]), np.sum(a * b)))
        x, y = seen.mean(axis=0) - _turned(drawn.mean(axis=0), yaw)
        return FootPlace(float(x), float(y), yaw)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "intervals": {point: when.to_dict() for point, when in self.intervals.items()},
            "place": _plain_place(self.place),
            "height": self.height,
            "name": self.name,
            "marks": None if self.marks is None else [list(mark) for mark in self.marks],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FootPlant:
        """The inverse of ``to_dict``."""
        try:
            intervals = {point: When.from_dict(when) for point, when in data["intervals"].items()}
            place = data.get("place")
            where = None if place is None else FootPlace(*(float(x) for x in place))
            marks = data.get("marks")
            drawn = None if marks is None else tuple((float(a), float(b), float(c)) for a, b, c in marks)
            height, name = float(data.get("height", 0.0)), str(data.get("name", ""))
            return cls(intervals, where, height, name, drawn)
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise InputError(f"not a foot plant: {problem}") from None

    def pins(
        self, character: Character, place: FootPlace | None = None, **options: Unpack[Measures]
    ) -> list[Constraint]:
        """One pin per point at the given place (or the plant's own)."""
        where = place or self.place
        if where is None:
            raise InputError(f"{self.name}: has no place yet; estimate one from a clip first")
        found = []
        heights = [0.0] * len(self.intervals) if self.marks is None else [mark[2] for mark in self.marks]
        for (point, interval), mark, up in zip(self.intervals.items(), self.footprint(character), heights):
            x, y = np.array([where.x, where.y]) + _turned(mark, where.yaw)
            named: Measures = {"name": f"{self.name}: {point}", **options}
            found.append(pin(point, (x, y, self.height + up), interval, **named))
        return found


def _plain_place(place: FootPlace | None) -> list[float] | None:
    return None if place is None else [float(x) for x in place]


def _turned(v: Array, yaw: float) -> Array:
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])
