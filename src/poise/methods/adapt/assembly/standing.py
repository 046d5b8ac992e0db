"""Plants of a part: which stand at a time, and where their points are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.constraints import During, FootPlant
from poise.motion import Clip

SLACK = 1e-6
"""Times of the same frame may differ by rounding [s]."""


def span_of(plant: FootPlant) -> tuple[float, float]:
    """From when to when any of its points stands [s]."""
    whens = [w for w in plant.intervals.values() if isinstance(w, During)]
    return min(w.start for w in whens), max(w.end for w in whens)


def standing_at(plants: Sequence[FootPlant], time: float) -> list[FootPlant]:
    """Those that stand at a time [s]."""
    spans = ((plant, *span_of(plant)) for plant in plants)
    return [plant for plant, start, end in spans if start - SLACK <= time <= end + SLACK]


def place_of_point(plant: FootPlant, point: str) -> Array:
    """Where a point of a plant stands [m]."""
    assert plant.place is not None
    assert plant.marks is not None
    a, b, up = plant.marks[list(plant.intervals).index(point)]
    c, s = np.cos(plant.place.yaw), np.sin(plant.place.yaw)
    return np.array([plant.place.x + c * a - s * b, plant.place.y + s * a + c * b, plant.height + up])


STEADY = 0.02
"""An ankle that moves further while its sole is down rolls on purpose [m]."""


def upright(plant: FootPlant, clip: Clip) -> FootPlant:
    """The plant with its ankle held as well, while heel and ball are both down.

    Two points of a foot leave it free to tip over sideways; the third does not. Feet that are known by their
    joints alone stay as they are: their ankles are held already.
    """
    assert plant.place is not None
    assert plant.marks is not None
    who = clip.character
    whens = [w for w in plant.intervals.values() if isinstance(w, During)]
    bodies = {who.point(point).body for point in plant.intervals}
    ankle = min(bodies)
    name = who.names[ankle]
    start, end = max(w.start for w in whens), min(w.end for w in whens)
    first, last = int(np.ceil(start * clip.fps - SLACK)), int(np.floor(end * clip.fps + SLACK))
    if len(whens) < 2 or name in plant.intervals or last <= first or first < 0 or last >= clip.frames:
        return plant
    way = who.placement(clip.q[first : last + 1])[0][:, ankle]
    if float(np.linalg.norm(way - way.mean(axis=0), axis=1).max()) > STEADY:
        return plant
    x, y, z = way.mean(axis=0) - [plant.place.x, plant.place.y, plant.height]
    c, s = np.cos(plant.place.yaw), np.sin(plant.place.yaw)
    mark = (float(c * x + s * y), float(-s * x + c * y), float(z))
    return replace(plant, intervals={**plant.intervals, name: During(start, end)}, marks=(*plant.marks, mark))
