"""Targets of a figure whose bones stretch a little: met by the bones that the host shows.

Poise moves rigid bones of constant length; what a control rig stretches rides along (``figure``). So a hand
that meets its target in Poise is off by what rides in the host: targets are shifted by that, and asked for
again until the host's own bone is there. The turn of what rides changes little from one pass to the next:
two or three passes do.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np

from poise.arrays import Array
from poise.constraints.constraint import TOLERANCES
from poise.manifold import so3
from poise.motion import Clip
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
Shifts = dict[tuple[str, float], Array]
"""By how much targets are shifted [m], by point and time [s]: constraints before them may come and go."""


class Target(NamedTuple):
    """Where a point shall be at a frame."""

    frame: int
    place: Array
    """[m]"""
    tolerance: float
    """[m]"""


def aimed(
    operation: Operation, situation: Situation, who: Performance, shifts: Shifts
) -> tuple[Result, tuple[str, ...]]:
    """What an operation gives, its targets met by the host's bones, and which of those are off, in words.

    ``shifts`` are gone on from, and kept.
    """
    result = run(shifted(operation, shifts), situation)
    wanted = _targets(operation, who)
    if not wanted:
        return result, ()
    off = _misses(result.clip, who, wanted)
    for _ in range(PASSES):
        if not result.met or _near(off):
            break
        for key, miss in off.items():
            shifts[key] = shifts.get(key, np.zeros(3)) - miss
        result = run(shifted(operation, shifts), situation)
        off = _misses(result.clip, who, wanted)
    return result, _words(off, wanted)


def _near(off: Shifts) -> bool:
    return max(float(np.abs(miss).max()) for miss in off.values()) < NEAR


def _words(off: Shifts, wanted: dict[tuple[str, float], Target]) -> tuple[str, ...]:
    found = []
    for key, miss in off.items():
        target, far = wanted[key], float(np.linalg.norm(miss))
        if far > target.tolerance:
            found.append(
                f"{key[0]} at frame {target.frame}: the bone that is shown is off by {far:.3g} m "
                f"(tolerance {target.tolerance:.3g}), as it stretches"
            )
    return tuple(found)


def shifted(operation: Asked, shifts: Shifts) -> Asked:
    """The operation with its targets moved."""
    if not shifts:
        return operation
    entries = thaw(getattr(operation, "constraints", ()))
    for number, entry in enumerate(entries):
        by = shifts.get(_key(entry)) if _is_place(entry) else None
        if by is not None:
            value = np.asarray(entry["target"]["value"]) + by
            entries[number] = entry | {"target": {"value": value.tolist()}}
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


def _key(entry: Any) -> tuple[str, float]:
    return str(entry["handle"].get("point")), float(entry["when"]["at"])


def _targets(operation: Operation, who: Performance) -> dict[tuple[str, float], Target]:
    """Targets at frames, by point and time; none of a figure whose bones are where Poise has them."""
    found: dict[tuple[str, float], Target] = {}
    if not who.figure.rigid or operation.MAKES != "motion":
        return found
    for entry in thaw(getattr(operation, "constraints", ())):
        if not _is_place(entry):
            continue
        frame = float(entry["when"]["at"]) * who.clip.fps
        if abs(frame - round(frame)) < 1e-6 and 0 <= round(frame) < who.clip.frames:
            place = np.asarray(entry["target"]["value"], dtype=np.float64)
            found[_key(entry)] = Target(round(frame), place, _tolerance(entry))
    return found


def _tolerance(entry: Any) -> float:
    """How far off is still there [m]: also what the constraint leaves free."""
    free = np.abs([*entry.get("lower", ()), *entry.get("upper", ())]).max(initial=0.0)
    return float(free) + float(entry.get("tolerance") or TOLERANCES["m"])


def _misses(clip: Clip, who: Performance, wanted: dict[tuple[str, float], Target]) -> Shifts:
    """How far the host's bones are from their targets [m]."""
    frames = sorted({target.frame for target in wanted.values()})
    told = who.bones(clip, frames, np.asarray(clip.q[frames]))
    found = {}
    for key, target in wanted.items():
        k, spot = frames.index(target.frame), clip.character.point(key[0])
        bone = who.figure.bones.index(clip.character.names[spot.body])
        level = so3.multiply(told["rotations"][k, bone], who.figure.rotations[bone] * [1.0, -1.0, -1.0, -1.0])
        found[key] = told["positions"][k, bone] + so3.rotate(level, spot.position) - target.place
    return found
