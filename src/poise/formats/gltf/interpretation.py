"""What a document says of its character: which nodes are bodies, what joins them, what one animation does."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Body, Joint
from poise.formats.gltf.animation_choice import animation_facts, choose_animation, skeleton_nodes
from poise.formats.gltf.container import Document
from poise.formats.gltf.joints import (
    NodeMotion,
    choose_joints,
    free_coordinates,
    joint_coordinates,
    node_motion,
    rest_translations,
)
from poise.formats.gltf.local_motion import TRANSLATES
from poise.formats.gltf.nodes import NodeTree, read_nodes
from poise.formats.gltf.rig import MADE_UP, Rig, build_rig, placement, points_on
from poise.formats.gltf.stretching import scaled_bodies, stretching_notes
from poise.formats.gltf.tracks import Animation, read_animations
from poise.formats.key_times import FrameGrid, frame_grid
from poise.manifold import so3
from poise.motion import AnimationFacts
from poise.reading import Budget

LONG, PER_BYTE = 1 << 24, 32
"""Numbers of a motion that is sampled: few keys may stand for minutes (6 of 100 joints, for nothing)."""


@dataclass(frozen=True, eq=False)
class Interpretation:
    """A document understood: skeleton, and the frames of one animation."""

    document: Document
    tree: NodeTree
    animations: tuple[Animation, ...]
    number: int | None
    """Of the animation that is read; None where there is none: one frame at rest."""
    rig: Rig
    grid: FrameGrid
    bodies: tuple[Body, ...]
    """In the rig's order."""
    q: Array
    """(F, nq)"""
    motion: NodeMotion
    """At the grid's times."""
    notes: tuple[str, ...]

    @property
    def chosen(self) -> Animation | None:
        """The animation that is read."""
        return None if self.number is None else self.animations[self.number]

    @property
    def said(self) -> dict[str, Any]:
        """What Poise itself wrote beside the animation: exact rate, loop, travel."""
        extras = self.chosen.extras if self.chosen is not None else None
        said = extras.get("poise") if isinstance(extras, dict) else None
        return said if isinstance(said, dict) else {}

    @property
    def asset_extras(self) -> dict[str, Any]:
        """What the document says of itself."""
        extras = self.document.content["asset"].get("extras")
        return extras if isinstance(extras, dict) else {}

    @property
    def title(self) -> str:
        """What its clip is called."""
        chosen = self.chosen
        return self.document.path.stem if chosen is None or not chosen.named else chosen.name

    def facts(self) -> tuple[AnimationFacts, ...]:
        """What each animation moves."""
        return animation_facts(self.tree, self.rig, self.animations)


def interpret(
    document: Document,
    *,
    animation: str | int | None = None,
    skin: str | int | None = None,
    fps: Fraction | float | str | None = None,
    scale: float = 1.0,
    up: str = "y",
) -> Interpretation:
    """Understand a document; the options are those of reading."""
    tree = read_nodes(document)
    animations = read_animations(document)
    rig = build_rig(document, tree, animations, skin=skin, unit=scale, up=up)
    skeleton = skeleton_nodes(document, tree, rig)
    number = choose_animation(animations, animation, skeleton, rig, str(document.path))
    chosen = None if number is None else animations[number]
    notes = [*tree.notes, *rig.notes]
    if len(animations) > 1 and chosen is not None:
        notes.insert(0, f"animations: {', '.join(a.name for a in animations)}; read: {chosen.name}")
    wanted = fps if fps is not None else _said_rate(document, chosen)
    motion = Budget(document.path, document.budget.size, free=LONG, per_byte=PER_BYTE)
    most = motion.left // (7 * len(rig.nodes))
    grid = frame_grid(chosen.key_times(set(rig.nodes)) if chosen is not None else [], rate=wanted, most=most)
    if chosen is not None and fps is None and not grid.native:
        notes.append(f"keys at uneven times were sampled at {float(grid.rate):g} frames per second")
    bodies, q, moves = _motion(document, tree, rig, animations, chosen, grid, notes)
    return Interpretation(
        document, tree, animations, number, rig, grid, tuple(bodies), q, moves, tuple(notes)
    )


def _said_rate(document: Document, chosen: Animation | None) -> Any:
    extras = document.content["asset"].get("extras") if chosen is None else chosen.extras
    if chosen is None:
        return extras.get("rate") if isinstance(extras, dict) else None
    said = extras.get("poise") if isinstance(extras, dict) else None
    return said.get("rate") if isinstance(said, dict) else None


def _motion(
    document: Document,
    tree: NodeTree,
    rig: Rig,
    animations: tuple[Animation, ...],
    chosen: Animation | None,
    grid: FrameGrid,
    notes: list[str],
) -> tuple[list[Body], Array, NodeMotion]:
    """Bodies with their joints, and configurations (F, nq)."""
    translations, varies = rest_translations(tree, rig, animations)
    joints = choose_joints(document, rig, varies)
    for i, (joint, node) in enumerate(zip(joints, rig.nodes)):
        if joint.kind in TRANSLATES and node != MADE_UP:
            translations[i] = tree.locals[node].position  # these count from the node's own place
    points = points_on(document, tree, rig)
    motion = node_motion(tree, rig, chosen, translations, grid.times)
    placed = [motion.placed(rig, i) for i in range(len(rig.nodes))]
    bodies: list[Body] = []
    blocks: list[Array] = []
    for i, node in enumerate(rig.nodes):
        turn = so3.IDENTITY if node == MADE_UP else tree.locals[node].turn
        offset, rest = placement(rig.bases[i], translations[i], turn)
        joint, block = _fitting(joints[i], varies[i], offset, rest, *placed[i], rig.size)
        if joint.kind is not joints[i].kind:
            notes.append(f"{rig.names[i]} no longer moves like a {joints[i].kind.name.lower()} joint")
        parent = rig.names[rig.parents[i]] if rig.parents[i] >= 0 else None
        bodies.append(Body(rig.names[i], parent, joint, offset, rest, points=points.get(i, {})))
        blocks.append(block)
    scaled = scaled_bodies(tree, rig, chosen)
    if scaled:
        where, how = (np.array(part) for part in zip(*placed))
        plain = np.array([motion.placed(rig, i, scaled=False)[0] for i in range(len(rig.nodes))])
        notes += stretching_notes(rig, scaled, (where, how), plain, motion.stretch, points)
    return bodies, np.concatenate(blocks, axis=1), motion


def _fitting(
    wanted: Joint, varies: bool, offset: Array, rest: Array, where: Array, turns: Array, size: float
) -> tuple[Joint, Array]:
    """The wanted joint if the motion obeys it, else a ball, else a free one; and its coordinates (F, nq)."""
    for joint in (wanted, *([] if varies else [Joint.ball()])):
        block = joint_coordinates(joint, offset, rest, where, turns, size)
        if block is not None:
            return joint, block
    return Joint.free(), free_coordinates(where, turns)
