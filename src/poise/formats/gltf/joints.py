"""Joints of a glTF skeleton, and configurations from its tracks.

The root is free. Another joint is a ball unless its translation really varies in some animation of the
file (then it is free), so that all animations of one file share one character. A file written by
Poise says in a node's ``extras`` which joint it was; that joint comes back if the motion still obeys it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Joint, JointKind
from poise.character.joint import as_array
from poise.errors import PoiseError
from poise.formats.gltf.container import Document
from poise.formats.gltf.nodes import NodeTree
from poise.formats.gltf.rig import MADE_UP, Rig, placement
from poise.formats.gltf.stretching import scaled_bodies, scales_at, stretches
from poise.formats.gltf.tracks import Animation
from poise.manifold import so3

STILL = 5e-6
"""A translation that varies by less than this part of the skeleton's size does not vary."""
DUST = 1e-6
"""Below this part of the size a place is as its first key has it, above in the middle of where it goes."""
PASSIVE = ("stiffness", "damping", "armature")
OBEYS = 1e-3
"""How far [rad, or part of the size] a motion may leave a hinge or slide and still count as one."""


def rest_translations(tree: NodeTree, rig: Rig, animations: Sequence[Animation]) -> tuple[Array, list[bool]]:
    """Each body's own translation at rest (n, 3) and whether its place in its parent varies in any animation.

    Where all animations hold one value that is not the node's own, that value is the rest. A place also
    varies where the scale of a node above it does.
    """
    size = rig.size
    out, varies = np.zeros((len(rig.nodes), 3)), []
    for i, node in enumerate(rig.nodes):
        if node == MADE_UP:
            varies.append(False)
            continue
        own = tree.locals[node].position
        pool = []
        moving = False
        for animation in animations:
            track = animation.tracks.get((node, "translation"))
            pool.append(own[None] if track is None else track.values)
            if track is not None and track.tangents is not None:
                moving |= bool(max(np.abs(t).max() for t in track.tangents) > STILL * size)
        values = np.concatenate(pool) if pool else own[None]
        spread = np.abs((values - values[0]) @ rig.bases[i].stretch.T).max()
        varies.append(moving or bool(spread > STILL * size))
        held = values[0] if spread < DUST * size else 0.5 * (values.min(axis=0) + values.max(axis=0))
        out[i] = held if i > 0 and not varies[-1] else own
    for animation in animations:
        if not scaled_bodies(tree, rig, animation):
            continue
        motion = node_motion(tree, rig, animation, out, np.unique(animation.key_times(set(rig.nodes))))
        for i, stretch in motion.outer.items():
            shift = np.einsum("fij,fj->fi", stretch, motion.translations[i]) - rig.bases[i].stretch @ out[i]
            varies[i] |= bool(np.abs(shift).max() > STILL * size)
    return out, varies


@dataclass(frozen=True)
class NodeMotion:
    """What the nodes of bodies do at some times, as the file has it."""

    translations: Array  # (n, F, 3)
    turns: Array  # (n, F, 4)
    stretch: dict[int, Array]
    """Of bodies whose stretch is not that at rest, (F, 3, 3)."""
    outer: dict[int, Array]
    """The same of their parents, by body."""

    def placed(self, rig: Rig, body: int, *, scaled: bool = True) -> tuple[Array, Array]:
        """A body's position (F, 3) and quaternion (F, 4) in its parent's frame."""
        where, how = placement(rig.bases[body], self.translations[body], self.turns[body])
        if scaled and body in self.outer:
            where = np.einsum("fij,fj->fi", self.outer[body], self.translations[body])
        return where, how


def node_motion(
    tree: NodeTree, rig: Rig, animation: Animation | None, rest: Array, times: Array
) -> NodeMotion:
    """Bodies' nodes at the given times; ``rest`` (n, 3) are translations of those that are not animated."""
    tracks = animation.tracks if animation is not None else {}
    count, frames = len(rig.nodes), len(times)
    translations, turns = np.zeros((count, frames, 3)), np.tile(so3.IDENTITY, (count, frames, 1))
    for i, node in enumerate(rig.nodes):
        if node == MADE_UP:
            continue
        move, turn = tracks.get((node, "translation")), tracks.get((node, "rotation"))
        translations[i] = rest[i] if move is None else move.at(times)
        turns[i] = tree.locals[node].turn if turn is None else turn.at(times)
    stretch = stretches(tree, rig, turns, scales_at(tree, rig, animation, times))
    outer = {i: stretch[up] for i, up in enumerate(rig.parents) if up in stretch}
    return NodeMotion(translations, turns, stretch, outer)


def choose_joints(document: Document, rig: Rig, varies: Sequence[bool]) -> list[Joint]:
    """A joint for every body, before any motion is looked at."""
    joints = []
    for i, node in enumerate(rig.nodes):
        remembered = None if node == MADE_UP else _remembered(document.items("nodes")[node].get("extras"))
        if remembered is not None:
            joints.append(remembered)
        elif i == 0 or varies[i]:
            joints.append(Joint.free())
        else:
            joints.append(Joint.ball() if rig.posable[i] else Joint.fixed())
    return joints


def joint_extras(joint: Joint) -> dict[str, Any]:
    """What a written node says about its joint."""
    said: dict[str, Any] = {"joint": joint.kind.name.lower()}
    if joint.kind in (JointKind.HINGE, JointKind.SLIDE):
        said["axis"] = as_array(joint.axis).tolist()
    if joint.limited:
        # JSON has no infinity: an open side is null.
        for side in ("lower", "upper"):
            said[side] = [float(x) if np.isfinite(x) else None for x in as_array(getattr(joint, side))]
    if joint.name:
        said["joint_name"] = joint.name
    for field in PASSIVE:
        values = as_array(getattr(joint, field))
        if np.any(values):
            said[field] = [float(x) for x in values]
    return {"poise": said}


def _remembered(extras: Any) -> Joint | None:
    said = extras.get("poise") if isinstance(extras, dict) else None
    if not isinstance(said, dict) or "joint" not in said:
        return None
    try:
        kind = JointKind.named(str(said["joint"]))
        lower = [-np.inf if x is None else float(x) for x in said.get("lower", [None] * kind.nv)]
        upper = [np.inf if x is None else float(x) for x in said.get("upper", [None] * kind.nv)]
        passive = {field: said[field] for field in PASSIVE if field in said}
        name = str(said.get("joint_name", ""))
        return Joint(kind, said.get("axis", (0.0, 0.0, 1.0)), lower, upper, name=name, **passive)
    except (PoiseError, TypeError, ValueError):
        return None  # edited by other hands: as if nothing had been said


def joint_coordinates(
    joint: Joint, offset: Array, rest: Array, position: Array, turn: Array, size: float
) -> Array | None:
    """Coordinates (F, nq) of a body's motion in its parent's frame; None if the joint cannot do it.

    ``position`` (F, 3), ``turn`` (F, 4); a ball joint takes any: its translation was found not to vary.
    """
    if joint.kind is JointKind.FREE:
        return free_coordinates(position, turn)
    shift = position - offset
    relative = so3.continuous(so3.normalise(so3.multiply(so3.conjugate(rest), turn)))
    axis = as_array(joint.axis)
    moved = bool(np.abs(shift).max() > OBEYS * size)
    turned = bool(np.linalg.norm(so3.log(relative), axis=1).max() > OBEYS)
    match joint.kind:
        case JointKind.BALL:
            return None if moved else relative
        case JointKind.FIXED:
            return None if moved or turned else np.zeros((len(position), 0))
        case JointKind.HINGE:
            angle, left = _angle(relative, axis)
            return None if moved or left > OBEYS else angle[:, None]
        case JointKind.SLIDE:
            along = so3.rotate(rest, axis)
            distance = shift @ along
            stray = np.abs(shift - distance[:, None] * along).max()
            return None if turned or stray > OBEYS * size else distance[:, None]
        case JointKind.PLANAR:
            angle, left = _angle(so3.normalise(turn), np.array([0.0, 1.0, 0.0]))
            stray = np.abs(shift[:, 1]).max()
            if left > OBEYS or stray > OBEYS * size:
                return None
            return np.stack([position[:, 0], position[:, 2], angle], axis=1)


def free_coordinates(position: Array, turn: Array) -> Array:
    """Coordinates (F, 7) of a free joint, which can do any motion."""
    return np.concatenate([position, so3.continuous(so3.normalise(turn))], axis=1)


def _angle(turn: Array, axis: Array) -> tuple[Array, float]:
    """Continuous angles (F,) about an axis, and the largest rotation left over [rad]."""
    angle = np.unwrap(2 * np.arctan2(turn[:, 1:] @ axis, turn[:, 0]))
    angle -= 2 * np.pi * np.rint(angle[0] / (2 * np.pi))
    left = so3.multiply(so3.exp(-angle[:, None] * axis), turn)
    return angle, float(np.linalg.norm(so3.log(left), axis=1).max())
