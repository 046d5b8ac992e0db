"""A BVH file from scratch, for any character.

| joint                 | channels                                                     |
|-----------------------|--------------------------------------------------------------|
| the root, whatever it is; free and planar joints | three positions and three rotations |
| ball, hinge           | three rotations                                              |
| slide                 | three positions (and rotations, if its rest pose is turned)  |
| fixed                 | none (three rotations, if its rest pose is turned)           |

Joints with positions get OFFSET 0, so that programs which add the positions to it and programs
which put them in its place agree. Unless said otherwise the file is y up, in centimetres or, where a
reader would guess another unit, in the next one that it guesses right. Where it would guess another up
axis (a snake), the order of the root's position channels states it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Body, Character, JointKind
from poise.formats.bvh.hierarchy import FileJoint
from poise.formats.bvh.meaning import bind
from poise.formats.bvh.placement import sample
from poise.formats.bvh.pose import local_pose
from poise.formats.bvh.reader import figure, local_rotations, unique_names
from poise.formats.bvh.text import hierarchy_text, motion_header, numbers
from poise.formats.units import UNITS, Axes, guess_unit, guess_up, standing_height
from poise.manifold.euler import continuous_euler
from poise.motion.clip import Clip

ORDER = "zxy"
"""Rotation order of new files, the commonest."""


def composed(
    clip: Clip,
    *,
    up: str | None,
    scale: float | None,
    orders: Mapping[str, str],
    digits: int | None,
) -> bytes:
    """The whole file; ``orders`` gives rotation orders by joint name where not the usual one."""
    up = up or "y"
    guessed_up, guessed_unit = _as_guessed(clip, orders, up)
    sheet = _Sheet.of(
        clip.character, clip.q, Axes(up), scale or guessed_unit, orders, state_up=guessed_up != up
    )
    lines = [numbers(row, digits) for row in sheet.values.tolist()]
    text = hierarchy_text(sheet.joints, digits) + motion_header(clip.frames, clip.rate)
    return (text + "\n".join(lines) + "\n").encode("utf-8")


@dataclass(frozen=True, eq=False)
class _Sheet:
    """Joints and channel values (F, C) of a file."""

    joints: list[FileJoint]
    values: Array

    @classmethod
    def of(
        cls,
        character: Character,
        q: Array,
        axes: Axes,
        unit: float,
        orders: Mapping[str, str],
        *,
        state_up: bool = False,
    ) -> _Sheet:
        bodies = character.bodies
        translations, turns = local_pose(character, q, axes, unit)
        order = [orders.get(b.name, ORDER) for b in bodies]
        angles = np.empty((*turns.shape[:2], 3))
        for each in set(order):
            members = [i for i, o in enumerate(order) if o == each]
            angles[:, members] = np.degrees(continuous_euler(turns[:, members], each))
        names, _ = unique_names([re.sub(r"[\s{}]+", "_", b.name) for b in bodies])
        leaves = set(range(len(bodies))) - set(character.parents.tolist())
        joints: list[FileJoint] = []
        columns: list[Array] = []
        for i, body in enumerate(bodies):
            moves, turned = _channels(body, root=i == 0)
            first = "xyz".index(axes.up) if state_up and i == 0 else 0
            places = [(first + n) % 3 for n in range(3)] if moves else []
            channels = (
                *(f"{'XYZ'[n]}position" for n in places),
                *(f"{a.upper()}rotation" for a in order[i] if turned),
            )
            x, y, z = (0.0, 0.0, 0.0) if moves else translations[0, i].tolist()
            ends = (_end(body, axes, unit),) if i in leaves else ()
            at = sum(c.shape[1] for c in columns)
            parent = int(character.parents[i])
            joints.append(FileJoint(names[i], parent, 0, (x, y, z), channels, ends, first=at))
            columns += [translations[:, i, places]] if moves else []
            columns += [angles[:, i]] if turned else []
        return cls(joints, np.concatenate(columns, axis=1))


def _channels(body: Body, *, root: bool) -> tuple[bool, bool]:
    """Whether a joint needs positions and whether it needs rotations."""
    kind = body.joint.kind
    turned_at_rest = bool(np.abs(np.asarray(body.rest)[1:]).max() > 0)
    moves = root or kind in (JointKind.FREE, JointKind.PLANAR, JointKind.SLIDE)
    turns = root or turned_at_rest or kind not in (JointKind.FIXED, JointKind.SLIDE)
    return moves, turns


def _end(body: Body, axes: Axes, unit: float) -> tuple[float, float, float]:
    """The end site of a leaf: its point ``…_end``, else its first point, else its origin."""
    found = body.points.get(f"{body.name}_end", next(iter(body.points.values()), np.zeros(3)))
    x, y, z = (axes.vector_to_file(found) / unit).tolist()
    return x, y, z


def _as_guessed(clip: Clip, orders: Mapping[str, str], up: str) -> tuple[str, float]:
    """The up axis that a reader would guess, and a unit that it guesses right."""
    few = clip.q[sample(clip.frames)]
    sheet = _Sheet.of(clip.character, few, Axes(up), 1.0, orders)
    bindings = bind(sheet.joints, sheet.values, absolute=True)
    turns = local_rotations(bindings, sheet.values)
    rest, posed, names = figure(sheet.joints, bindings, sheet.values, turns)
    return guess_up(rest, posed, names), _recognised_unit(standing_height(rest, posed, up), names)


def _recognised_unit(height: float, names: Sequence[str]) -> float:
    """The first unit in which a figure of this height [m] is taken for what it is."""
    fits = [u for u in UNITS.values() if guess_unit(height / u, names)[1] == u]
    return fits[0] if fits else UNITS["centimetre"]
