"""What the channels of a BVH file mean: joint kinds, position channels, artificial first frames.

Position channels mean one of two things, the same throughout a file: the place of the joint in its
parent's frame, in lieu of OFFSET (*absolute*, the custom), or a displacement added to OFFSET
(*offset*). The file tells: absolute values lie near OFFSET, displacements near zero.

    t_i = base_i + p_i,    base = 0 (absolute) or OFFSET (offset)

A joint whose position channels do not move is no free joint: the constant is folded into its offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character.joint import JointKind
from poise.errors import UnknownNameError
from poise.formats.bvh.hierarchy import FileJoint
from poise.manifold import so3

MEANINGS = ("auto", "absolute", "offset")
_STILL = 1e-5  # positions that vary by less than this part of the skeleton's size do not vary
_TURNS = {0: JointKind.FIXED, 1: JointKind.HINGE, 2: JointKind.BALL, 3: JointKind.BALL}


@dataclass(frozen=True, eq=False)
class Binding:
    """How one joint of the file becomes a body: file axes, file units."""

    kind: JointKind
    offset: Array
    """Its place at rest, constants of position channels folded in, (3,)."""
    base: Array
    """What is added to the position channels, (3,)."""
    positions: tuple[int, int, int]
    """Columns of Xposition, Yposition, Zposition; −1 where there is none."""
    turns: tuple[int, ...]
    """Columns of the rotation channels, in order."""
    axes: str
    """Axes of the rotation channels, in order."""

    def translation(self, values: Array) -> Array:
        """Place in the parent's frame, frame by frame, (F, 3)."""
        out = np.array(np.broadcast_to(self.base, (len(values), 3)))
        for axis, column in enumerate(self.positions):
            if column >= 0:
                out[:, axis] += values[:, column]
        return out


def skeleton_size(joints: Sequence[FileJoint]) -> float:
    """Sum of all bone lengths of the file, a scale for tolerances."""
    bones = [j.offset for j in joints if j.parent >= 0] + [e for j in joints for e in j.ends]
    return float(sum(np.linalg.norm(b) for b in bones)) or 1.0


def position_columns(joint: FileJoint) -> tuple[int, int, int]:
    """Columns of a joint's position channels by axis, −1 where there is none."""
    return joint.column("Xposition"), joint.column("Yposition"), joint.column("Zposition")


def positions_are_absolute(
    joints: Sequence[FileJoint], values: Array, choice: str = "auto"
) -> tuple[bool, str]:
    """Whether position channels replace OFFSET, and a note where that had to be guessed."""
    if choice not in MEANINGS:
        raise UnknownNameError("meaning of position channels", choice, MEANINGS)
    if choice != "auto":
        return choice == "absolute", ""
    size = skeleton_size(joints)
    near_offset = near_zero = 0.0
    judged = 0
    for joint in joints:
        if joint.parent < 0 or not joint.has_position:
            continue
        columns = [(a, c) for a, c in enumerate(position_columns(joint)) if c >= 0]
        offset = np.array([joint.offset[a] for a, _ in columns])
        p = values[:, [c for _, c in columns]]
        if np.abs(offset).max() > 1e-9 * size:
            near_offset += float(np.median(np.linalg.norm(p - offset, axis=1)))
            near_zero += float(np.median(np.linalg.norm(p, axis=1)))
            judged += 1
    if judged:
        absolute = near_offset <= near_zero
        what = "replace OFFSET" if absolute else "are added to OFFSET"
        return (
            absolute,
            f"position channels of {judged} joints below the root {what} (judged by their values)",
        )
    root = joints[0]
    place = values[:, [c for c in position_columns(root) if c >= 0]]
    if place.size and np.abs(root.offset).max() > 1e-3 * size and np.abs(place).max() < 1e-4 * size:
        return False, "the root's position channels stay at zero: they are added to its OFFSET"
    return True, ""


def bind(joints: Sequence[FileJoint], values: Array, *, absolute: bool) -> list[Binding]:
    """Kind, offset and columns of every joint."""
    size = skeleton_size(joints)
    bound = []
    for joint in joints:
        columns = position_columns(joint)
        offset = np.array(joint.offset)
        given = np.array([c >= 0 for c in columns])
        base = np.where(given & absolute, 0.0, offset)
        turns = tuple(joint.column(f"{a.upper()}rotation") for a in joint.rotation_axes)
        kind = _TURNS[len(turns)]
        if given.any():
            p = values[:, [c for c in columns if c >= 0]]
            if joint.parent < 0 or np.ptp(p, axis=0).max() > _STILL * size:
                kind = JointKind.FREE
            else:
                offset = base.copy()
                offset[given] += 0.5 * (p.min(axis=0) + p.max(axis=0))
        bound.append(Binding(kind, offset, base, columns, turns, joint.rotation_axes))
    return bound


def artificial_start(rotations: Array) -> str:
    """A note if the first frame (of rotations (F, n, 4)) is a rest pose put before the motion, else "".

    Such a frame has most joints unturned, and the step to the next frame is unlike any later one.
    """
    look = rotations[:12]
    if len(look) < 4 or not look.shape[1]:
        return ""
    unturned = np.abs(look[:, :, 0]) > np.cos(0.5 * np.radians(1.0))  # (F, n)
    moving = ~unturned.all(axis=0)
    if moving.sum() < 3 or unturned[0, moving].mean() < 0.5 or unturned[1, moving].mean() > 0.5:
        return ""
    steps = np.linalg.norm(so3.difference(look[1:, moving], look[:-1, moving]), axis=-1).sum(axis=-1)
    usual = float(steps[1:].max())
    if steps[0] < 5.0 * usual:
        return ""
    return (
        f"frame 0 is a rest pose put before the motion (the step to frame 1 turns the joints by "
        f"{np.degrees(steps[0]):.0f}° in all, the next ones by {np.degrees(usual):.0f}° at most); "
        "drop_tpose=True leaves it out"
    )
