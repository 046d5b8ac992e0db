"""What a loosened character may run into: surfaces of the world, and how they feel to the touch.

A surface stands still or follows its track; either way it yields to nothing. How it feels is given by
``friction`` (Coulomb's μ) and ``bounce`` (e, the speed that comes back over the speed that came in). A
contact is a spring and a damper that push but never pull. With natural frequency ω and damping ratio ζ they
let go when the push, not the dent, is over, which gives (Schwager and Pöschel 2007)

    e = exp(−2 ζ acos ζ / √(1 − ζ²)),    at ζ = 1: exp(−2),    above: acosh and √(ζ² − 1),

and a dent of u √e / ω where the speed was u.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from poise.operations.loosen import Loosen
from poise.operations.values.world import NOTHING, is_alone, world_around
from poise.world import Ground, Surface

if TYPE_CHECKING:
    from poise.motion import Clip
    from poise.operations.hang import Hang
    from poise.operations.situation import Situation
    from poise.operations.wear import Wear


class Around(NamedTuple):
    """What is in the way of a motion, and what of its world cannot be."""

    surfaces: tuple[Surface, ...]
    notes: tuple[str, ...]


def surroundings(asked: Loosen | Wear | Hang, clip: Clip, at: Situation | None = None) -> Around:
    """Surfaces of an operation's world and, beside them, of the project's: those of one name are the
    operation's."""
    worlds: list[Any] = [asked.world]
    if at is not None and not is_alone(asked.world):
        worlds.insert(0, at.world)
    folder = at.folder if at is not None else Path()
    named = at.clip if at is not None else None
    around: dict[str, Surface] = {}
    for world in worlds:
        if world is not None and world != NOTHING:
            found = world_around(world, folder, clip, named, own=False)
            around |= {surface.name: surface for surface in found.surfaces}
    notes: list[str] = []
    usable = []
    for surface in around.values():
        if surface.muted:
            continue
        why = _unusable(surface)
        if why:
            notes.append(f"{surface.name!r} {why}: limbs go through it")
            continue
        usable.append(surface)
        if any(surface.velocity):
            notes.append(f"{surface.name!r} runs on, but limbs that touch it are not carried along")
    return Around(tuple(usable), tuple(notes))


def _unusable(surface: Surface) -> str:
    """Why a surface cannot be run into; empty: it can."""
    if surface.carried:
        return f"is carried by {surface.carried}"
    if isinstance(surface.shape, Ground) and surface.moves:
        return "is ground that moves"
    if surface.shape.solids() is None:
        kind = surface.shape.kind
        return "is a mesh with hollows" if kind == "mesh" else f"is a {kind}"
    return ""


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
