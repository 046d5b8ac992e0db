"""Targets of a figure whose bones stretch a little: met by the bones that the host shows.

Poise moves rigid bones of constant length; what a control rig stretches rides along (``figure``). So a hand
that meets its target in Poise is off by what rides in the host: targets are shifted by that, and asked for
again until the host's own bone is there. The turn of what rides changes little from one pass to the next:
two or three passes do.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
import numpy as np

from poise.arrays import Array
from poise.manifold import so3
from poise.operations.declare import Operation
from poise.operations.frozen_data import thaw
from poise.operations.result import Result
from poise.operations.running import run
from poise.operations.situation import Situation
from poise.serve.figure import Performance

PASSES = 4
"""Most times that a solve is done again."""
NEAR = 1e-6
"""A bone that is this near to its target is there [m]."""
Asked = TypeVar("Asked", bound=Operation)
Shifts = dict[int, Array]
"""By how much targets are shifted [m], by their place among the constraints."""


def aimed(operation: Operation, situation: Situation, who: Performance, shifts: Shifts) -> Result:
    """What an operation gives, its targets met by the host's bones; ``shifts`` are gone on from, and kept."""
    result = run(shifted(operation, shifts), situation)
    if not who.figure.rigid or operation.MAKES != "motion":
        return result
    wanted = _targets(operation, who)
    for _ in range(PASSES if wanted else 0):
        off = _misses(result, who, wanted)
        if not result.met or max(float(np.abs(miss).max()) for miss in off.values()) < NEAR:
            break
        for number, miss in off.items():
            shifts[number] = shifts.get(number, np.zeros(3)) - miss
        result = run(shifted(operation, shifts), situation)
    return result


def shifted(operation: Asked, shifts: Shifts) -> Asked:
    """The operation with its targets moved."""
    if not shifts:
        return operation
    entries = thaw(getattr(operation, "constraints", ()))
    for number, by in shifts.items():
        if number < len(entries) and _is_place(entries[number]):
            value = np.asarray(entries[number]["target"]["value"]) + by
            entries[number] = entries[number] | {"target": {"value": value.tolist()}}
    made: Asked = msgspec.structs.replace(operation, constraints=tuple(entries))
    return made


def _is_place(entry: Any) -> bool:
    """Whether it asks for a point to be at one place at one time."""
    if not isinstance(entry, dict) or entry.get("rate") or entry.get("muted"):
        return False
    match entry:
        case {
            "handle": {"kind": "point_position", **more},
            "target": {"value": [_, _, _]},
            "when": {"at": int() | float()},
        }:
            return bool(more.get("axes", "xyz") == "xyz")
    return False


def _targets(operation: Operation, who: Performance) -> dict[int, tuple[str, int, Array]]:
    """Point, frame and place of each target that is at a frame, by its place among the constraints."""
    found = {}
    for number, entry in enumerate(thaw(getattr(operation, "constraints", ()))):
        if not _is_place(entry):
            continue
        frame = float(entry["when"]["at"]) * who.clip.fps
        if abs(frame - round(frame)) < 1e-6 and 0 <= round(frame) < who.clip.frames:
            place = np.asarray(entry["target"]["value"], dtype=np.float64)
            found[number] = (str(entry["handle"].get("point")), round(frame), place)
    return found


def _misses(result: Result, who: Performance, wanted: dict[int, tuple[str, int, Array]]) -> Shifts:
    """How far the host's bones are from their targets [m]."""
    clip = result.clip
    frames = sorted({frame for _, frame, _ in wanted.values()})
    told = who.bones(clip, frames, np.asarray(clip.q[frames]))
    found = {}
    for number, (point, frame, place) in wanted.items():
        k, spot = frames.index(frame), clip.character.point(point)
        bone = who.figure.bones.index(clip.character.names[spot.body])
        level = so3.multiply(told["rotations"][k, bone], who.figure.rotations[bone] * [1.0, -1.0, -1.0, -1.0])
        found[number] = told["positions"][k, bone] + so3.rotate(level, spot.position) - place
    return found
