"""From what a user asks (constraints, foot plants, a floor, limits) to blocks of rows.

Rows are made once per constraint and kept: of a list in which one constraint was replaced, only that one is
looked at again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.labels import roles
from poise.constraints import Constraint, FootPlace, FootPlant, above
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.adapt.plants.free_places import FreePlaces, FreeRows
from poise.methods.adapt.problem.limits import limit_block, stretch_blocks
from poise.methods.adapt.rows.rows import LIMITS, STRENGTH, Block, block_of
from poise.motion import Clip

Item = Constraint | FootPlant
Floor = float | bool | Mapping[str, float] | None

FIRM = 10.0
"""Feet on the ground hold so much firmer than what hands are asked to do."""


@dataclass(frozen=True, eq=False)
class Asked:
    """One item and its rows."""

    item: Item
    blocks: tuple[Block, ...]
    place: FootPlace | None = None
    """Where a free plant is in the clip; None: it is not free."""


@dataclass(frozen=True, eq=False)
class Requirements:
    """All that is asked of a clip."""

    clip: Clip
    asked: tuple[Asked, ...]
    floor: tuple[Block, ...] = ()
    limits: tuple[Block, ...] = ()
    tolerance: float = 2e-3
    """What counts as standing still [m]."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All rows, those of the items first."""
        return (*(b for a in self.asked for b in a.blocks), *self.floor, *self.limits)

    @property
    def bounds(self) -> Block | None:
        """The rows of joint limits."""
        return next((b for b in self.limits if b.name == LIMITS), None)

    def with_items(self, items: Sequence[Item]) -> Requirements:
        """Another list; items that are still there keep their rows."""
        known = {id(a.item): a for a in self.asked}
        return replace(self, asked=tuple(known.get(id(i)) or _asked(i, self.clip) for i in _checked(items)))

    def free_places(self) -> FreePlaces:
        """The plants that the solver may place."""
        rows: list[FreeRows] = []
        estimates: list[tuple[float, ...]] = []
        block = 0
        for asked in self.asked:
            if asked.place is not None and isinstance(asked.item, FootPlant):
                marks = asked.item.footprint(self.clip.character)
                for k, mark in enumerate(marks):
                    rows.append(FreeRows(block + k, len(estimates), mark))
                estimates.append(tuple(asked.place))
            block += len(asked.blocks)
        return FreePlaces(rows, np.array(estimates).reshape(-1, 3))

    def constraints(self, places: Array) -> list[Constraint]:
        """All items as constraints, free plants where they were put."""
        found: list[Constraint] = []
        free = 0
        for asked in self.asked:
            if isinstance(asked.item, Constraint):
                found.append(asked.item)
                continue
            place = asked.item.place
            if asked.place is not None:
                place = FootPlace(*(float(x) for x in places[free]))
                free += 1
            found += asked.item.pins(self.clip.character, place, tolerance=self.tolerance)
        return found


def requirements(
    clip: Clip, items: Sequence[Item], *, floor: Floor, limits: bool, free: list[int], tolerance: float
) -> Requirements:
    """Rows of a list of constraints and foot plants, a floor and limits; ``tolerance`` of plants [m]."""
    asked = tuple(_asked(item, clip) for item in _checked(items))
    bounds = [b for b in [limit_block(clip, free), *stretch_blocks(clip)] if b is not None] if limits else []
    return Requirements(clip, asked, tuple(_floor(clip, floor, items)), tuple(bounds), tolerance)


def _checked(items: Sequence[Item]) -> Sequence[Item]:
    for item in items:
        if not isinstance(item, Constraint | FootPlant):
            raise InputError(f"expected a constraint or a foot plant, not {item!r}")
    return items


def _asked(item: Item, clip: Clip) -> Asked:
    if isinstance(item, Constraint):
        return Asked(item, (block_of(item, clip),))
    place = item.place or item.estimate(clip)
    pins = item.pins(clip.character, place)
    blocks = tuple(block_of(pin, clip, strength=FIRM * STRENGTH) for pin in pins)
    if item.place is None:  # its targets move: they must not be shared
        blocks = tuple(replace(b, target=np.array(b.target)) for b in blocks)
    return Asked(item, blocks, place if item.place is None else None)


def _floor(clip: Clip, floor: Floor, items: Sequence[Item]) -> list[Block]:
    """Points of the feet above the floor: of a height, or (True) as deep as clip and plants stand."""
    if floor is None or floor is False:
        return []
    if isinstance(floor, Mapping):
        heights = {str(point): float(height) for point, height in floor.items()}
    elif floor is True:
        kin = Kinematics(clip.character, clip.q)
        heights = {p: float(np.percentile(kin.point(p)[:, 2], 1)) for p in floor_points(clip.character)}
        for plant in (i for i in items if isinstance(i, FootPlant)):
            ups = [0.0] * len(plant.intervals) if plant.marks is None else [m[2] for m in plant.marks]
            for point, up in zip(plant.intervals, ups):
                heights[point] = min(heights.get(point, np.inf), plant.height + up)
    else:
        heights = dict.fromkeys(floor_points(clip.character), float(floor))
    when = (0.0, float(clip.times[-1]))
    made = [above(p, when, height=h, name=f"floor under {p}") for p, h in heights.items()]
    return [block_of(c, clip, strength=FIRM * STRENGTH) for c in made]


def floor_points(character: Character) -> list[str]:
    """Points of the feet, by name."""
    known = roles(character)
    bodies = [known[r] for r in known if r.endswith((" foot", " toes"))]
    if not bodies:
        raise InputError(f"{character.name!r} has no feet that are known by name: floor={{point: height}}")
    own = [name for name, p in character.points.items() if p.body in bodies and name not in character.names]
    return own or [character.names[i] for i in bodies]


def free_joints(clip: Clip) -> list[int]:
    """Bodies whose joints the performance uses: those that move, or that have limits of their own.

    Captured skeletons hold helpers that never move (hip joints, finger bases); freeing them would let a
    hip come out of its socket. A clip in which nothing moves frees all.
    """
    character = clip.character
    found = []
    for i, body in enumerate(character.bodies):
        q = clip.q[:, character.coordinates(i)]
        if body.joint.nv and (body.joint.limited or np.ptp(q, axis=0).max(initial=0.0) > 1e-9):
            found.append(i)
    return found or [i for i, body in enumerate(character.bodies) if body.joint.nv]


def held_joints(requirements: Requirements, free: Sequence[int]) -> list[int]:
    """Bodies, without the root, on the way to points that are held over an interval (first priority)."""
    character = requirements.clip.character
    found: set[int] = set()
    for asked in requirements.asked:
        for block in asked.blocks:
            if not block.held:
                continue
            for a, b in block.ends:
                for body in (a, b):
                    while body >= 0:
                        found.add(body)
                        body = int(character.parents[body])
    return [i for i in free if i in found and character.parents[i] >= 0]
