"""Foot plants on surfaces that were moved since the take: they go along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.constraints import FootPlace, FootPlant
from poise.contacts.given import ClipContacts
from poise.contacts.moved import carried_along, elsewhere
from poise.contacts.patches import patch_at, patches
from poise.motion import Clip
from poise.world import World


def along(
    plants: Sequence[FootPlant], clip: Clip, given: ClipContacts | None, world: World | None
) -> list[FootPlant]:
    """The plants, those on surfaces that the world has elsewhere moved with them."""
    changed = {} if given is None or world is None else elsewhere(given, world)
    if not changed or given is None:
        return list(plants)
    found = []
    for plant in plants:
        surface = _stood_on(plant, clip, given)
        moves = surface in changed and plant.place is not None and plant.marks is not None
        found.append(_moved(plant, carried_along(*changed[surface], _points(plant))) if moves else plant)
    return found


def _stood_on(plant: FootPlant, clip: Clip, given: ClipContacts) -> str:
    """The surface of the contact that a plant shares most of its time with."""
    parts = {patches(clip.character).part[patch_at(clip.character, p)] for p in plant.intervals}
    times = np.concatenate([np.asarray(when.times(clip)) for when in plant.intervals.values()])
    first, last = float(times.min()) * clip.fps, float(times.max()) * clip.fps
    own = [c for c in given.contacts if c.part in parts]
    best = max(own, key=lambda c: min(c.end, last) - max(c.start, first), default=None)
    shares = best is not None and min(best.end, last) >= max(best.start, first) - 0.5
    return best.surface if best is not None and shares else ""


def _points(plant: FootPlant) -> Array:
    """Where its points are held [m] (k, 3)."""
    assert plant.place is not None
    x, y, yaw = plant.place
    c, s, h = np.cos(yaw), np.sin(yaw), plant.height
    return np.array([[x + c * a - s * b, y + s * a + c * b, h + up] for a, b, up in plant.marks or ()])


def _moved(plant: FootPlant, points: Array) -> FootPlant:
    """The plant with its points at places, as far apart from the first as the rigid foot has them."""
    lengths = np.linalg.norm(np.array(plant.marks), axis=1)
    ways = points - points[0]
    ways *= (lengths / np.maximum(np.linalg.norm(ways, axis=1), 1e-9))[:, None]
    yaw = float(np.arctan2(ways[-1, 1], ways[-1, 0])) if len(ways) > 1 else (plant.place or (0, 0, 0.0))[2]
    c, s = np.cos(yaw), np.sin(yaw)
    marks = tuple((float(c * x + s * y), float(-s * x + c * y), float(z)) for x, y, z in ways)
    x, y, z = (float(v) for v in points[0])
    return replace(plant, place=FootPlace(x, y, yaw), height=z, marks=marks)
