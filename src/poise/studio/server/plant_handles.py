"""Foot plants of an adaptation as handles: those of its list, and those found in the motion it is given."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from poise.constraints import FootPlant
from poise.constraints.entries import acts, items
from poise.methods.adapt.operations import feet_asked, world_now
from poise.motion import Clip
from poise.operations.adapt import Adapt
from poise.operations.frozen_data import thaw
from poise.operations.situation import Situation
from poise.studio.server.answers import Plant, Plants
from poise.studio.server.drag_step import standing_feet


def plant_handles(name: str, layer: Adapt, at: Situation) -> Plants:
    """All of them, with what makes those that were found part of the list; on what was moved, where that is
    now."""
    clip = at.motion
    listed = thaw(layer.constraints)
    numbers = [number for number, entry in enumerate(listed) if acts(entry)]
    own = [
        _plant(item, number, clip)
        for number, item in zip(numbers, items(listed, clip, "constraints"))
        if isinstance(item, FootPlant)
    ]
    unmoved = msgspec.structs.replace(layer, move=())
    found = tuple(feet_asked(unmoved, at.footing, at.contacts, world_now(at), standing_feet))
    shown = [*own, *(_plant(plant, -1, clip) for plant in found)]
    return Plants(layer=name, plants=shown, command=_listing(name, layer, listed, found) if found else None)


def _listing(name: str, layer: Adapt, listed: list[Any], found: tuple[FootPlant, ...]) -> dict[str, Any]:
    """The edit after which plants are told instead of found; the motion stays as it is."""
    told = [*listed, *(plant.to_dict() for plant in found)]
    edits = [
        {"do": "set", "layer": name, "path": "constraints", "value": told},
        {"do": "set", "layer": name, "path": "plants", "value": False},
    ]
    if layer.floor is None:  # where feet are found they stay above the floor: so they shall when told
        edits.append({"do": "set", "layer": name, "path": "floor", "value": True})
    return {"do": "group", "label": "foot plants", "commands": edits}


def _plant(plant: FootPlant, number: int, clip: Clip) -> Plant:
    place = plant.place or plant.estimate(clip)
    held = {
        point: np.asarray(pin.target.at(pin.when.times(clip)[:1]))[0]
        for point, pin in zip(plant.intervals, plant.pins(clip.character, place))
    }
    times = {point: when.times(clip) for point, when in plant.intervals.items()}
    spans = {point: (float(t.min()), float(t.max())) for point, t in times.items()}
    start = min(span[0] for span in spans.values())
    return Plant(
        id=f"{plant.name} {start:.3f}" if number < 0 else f"constraints/{number}",
        name=plant.name,
        number=number,
        start=start,
        end=max(span[1] for span in spans.values()),
        place=(float(place.x), float(place.y), float(place.yaw)),
        height=plant.height,
        points={point: (float(p[0]), float(p[1]), float(p[2])) for point, p in held.items()},
        intervals=spans,
        entry=plant.to_dict(),
    )
