"""The floor of a clip: given, or estimated from where its feet stand.

Captures float or sink by centimetres, and some are tilted by a degree or two. The estimate is the middle
height of the lowest point of each foot while it is slow, and, where the figure travels and that explains
most of the scatter, a slope along its way:

    z = height + slope · (x, y).

The points of a foot are not its skin: an ankle stands 8 cm high. The ``clearance`` of each is learned as
well: a low share of its heights while slow, not above what the rest pose allows. Feet with a sole of their
own have nothing to learn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.contacts.differentiated_clip import Take
from poise.plausibility.contact_points import Touching, has_sole

SLOW = 0.4
"""Speed below which a low point is taken for a standing one [m/s]."""
TRAVEL = 1.0
"""Extent of the way from which on a slope can be told [m]."""
STEEPEST = 0.07
"""Slopes beyond are stairs or hills, not a tilted capture."""
LIFTED = 0.07
"""A still foot higher than this above the lowest is held up, over stature."""
RESTS, ABOVE = 0.3, 0.2
"""Whoever hangs has its feet at rest for a smaller share of the time than this; and its hands this high above
its root, over stature."""
HIGHEST = 0.075
"""Most that a point of a foot may stand above the floor, over stature."""


@dataclass(frozen=True)
class Floor:
    """A plane z = height + slope · (x, y)."""

    height: float
    """At the world's origin [m]."""
    slope: tuple[float, float] = (0.0, 0.0)
    scatter: float = 0.0
    """Median distance from it of what stands on it [m]."""
    given: bool = False
    """By the caller, not estimated."""
    hanging: tuple[str, ...] = ()
    """Parts that hold the body up; the floor is then only said to be below everything."""

    def at(self, places: ArrayLike) -> Array:
        """Height of the floor below places (…, 3) [m]."""
        p = np.asarray(places, dtype=np.float64)
        return np.asarray(self.height + p[..., 0] * self.slope[0] + p[..., 1] * self.slope[1])

    @property
    def tilt(self) -> float:
        """[degrees]"""
        return float(np.degrees(np.arctan(np.hypot(*self.slope))))

    def __str__(self) -> str:
        if self.given:
            return f"at {100 * self.height:.1f} cm, as given"
        if self.hanging:
            return f"out of reach: hangs by the {' and '.join(self.hanging)} (if there is one, say --floor)"
        tilted = f", tilted by {self.tilt:.1f}°" if self.tilt >= 0.1 else ""
        return f"estimated at {round(100 * self.height, 1) + 0.0:.1f} ± {100 * self.scatter:.1f} cm{tilted}"


def estimated(take: Take, touch: Touching) -> Floor:
    """The floor that the clip's feet (or what is lowest, if it has none) stand on."""
    if held := _hanging(take, touch):
        return Floor(float(touch.places[take.own, :, 2].min()) - LIFTED * take.stature, hanging=held)
    stands = _slow(take, touch)
    # A foot held up in the air is still, too, but does not stand.
    low = stands[:, 2] < np.quantile(stands[:, 2], 0.1) + LIFTED * take.stature
    stands = stands[low]
    middle = float(np.median(stands[:, 2]))
    return _sloping(stands) or Floor(middle, scatter=float(np.median(np.abs(stands[:, 2] - middle))))


def _hanging(take: Take, touch: Touching) -> tuple[str, ...]:
    """Parts that hold the body up all the time: still, above its root, while no foot rests anywhere."""
    own = take.own
    speeds, heights = touch.speeds[own], touch.places[own][..., 2]
    root = take.raw.positions[own, 0, 2]
    held: list[str] = []
    for k, part in enumerate(touch.parts):
        points = touch.of_part(k)
        still = speeds[:, points].min(axis=1) < SLOW
        if touch.feet[k]:
            if still.mean() > RESTS:
                return ()
        elif still.all() and (heights[:, points].min(axis=1) > root + ABOVE * take.stature).all():
            held.append(part)
    return tuple(held) if any(touch.feet) else ()


def _slow(take: Take, touch: Touching) -> Array:
    """Where the lowest point of each foot is while it is slow, (k, 3)."""
    own = take.own
    if any(touch.feet):
        groups = [touch.of_part(k) for k in range(len(touch.parts)) if touch.feet[k]]
    else:
        groups = [np.arange(len(touch.names))]
    found, all_ = [], []
    for group in groups:
        places = touch.places[own][:, group] - [0.0, 0.0, 1.0] * touch.thickness[group][:, None]
        rows, lowest = np.arange(len(places)), np.argmin(places[..., 2], axis=1)
        at = places[rows, lowest]
        all_.append(at)
        found.append(at[touch.speeds[own][:, group][rows, lowest] < SLOW])
    slow, every = np.concatenate(found), np.concatenate(all_)
    if len(slow) < max(3, 0.05 * len(every)):
        # Nothing ever stands: the lowest tenth is the best guess there is.
        slow = every[every[:, 2] <= np.quantile(every[:, 2], 0.1)]
    return slow


def _sloping(stands: Array) -> Floor | None:
    """A plane that rises along the way, if that explains most of the scatter."""
    middle = stands[:, :2].mean(axis=0)
    _, _, axes = np.linalg.svd(stands[:, :2] - middle, full_matrices=False)
    way = (stands[:, :2] - middle) @ axes[0]
    if np.ptp(way) < TRAVEL:
        return None
    z = stands[:, 2]
    weight = np.ones(len(z))
    line = np.zeros(2)
    for _ in range(20):  # least absolute deviations: feet in the air do not count
        line = np.polyfit(way, z, 1, w=np.sqrt(weight))
        weight = 1.0 / np.maximum(np.abs(z - np.polyval(line, way)), 1e-3)
    flat = float(np.median(np.abs(z - np.median(z))))
    left = float(np.median(np.abs(z - np.polyval(line, way))))
    rise = abs(float(line[0])) * float(np.ptp(way))
    if abs(line[0]) > STEEPEST or rise < 0.02 or left > 0.5 * flat:
        return None
    slope = line[0] * axes[0]
    return Floor(float(line[1] - slope @ middle), (float(slope[0]), float(slope[1])), left)


def clearances(take: Take, touch: Touching, floor: Floor) -> Array:
    """How high each point is above the floor when its part stands on it [m] (P,)."""
    character = take.clip.character
    at, turns = character.rest_placement()
    rest = np.array([(at[p.body] + turns[p.body] @ p.position)[2] for p in map(character.point, touch.names)])
    found = np.array(touch.thickness)
    heights = touch.places[take.own][..., 2] - floor.at(touch.places[take.own])
    speeds = touch.speeds[take.own]
    for k in range(len(touch.parts)):
        if not touch.feet[k]:
            continue
        own = touch.of_part(k)
        sole = float(rest[own].min())
        slack = 0.0 if any(has_sole(character, int(i)) for i in touch.body[own]) else 0.02 * take.scale
        for p in own:
            most = min(rest[p] - sole + slack, HIGHEST * take.stature)
            slow = heights[speeds[:, p] < SLOW, p]
            level = float(np.quantile(slow, 0.25)) if len(slow) >= 3 else float(rest[p] - sole)
            found[p] = np.clip(level, 0.0, most)
    return found
