"""Reading: nodes, skin and one animation of a glTF or GLB file as a clip."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Body, Character, Joint, Skin
from poise.errors import InputError
from poise.formats.cycle import looped
from poise.formats.gltf.body_mass import with_remembered_masses
from poise.formats.gltf.container import Document, read_document
from poise.formats.gltf.joints import (
    choose_joints,
    free_coordinates,
    joint_coordinates,
    rest_translations,
    sampled,
)
from poise.formats.gltf.local_motion import TRANSLATES
from poise.formats.gltf.mixture import MorphChannel
from poise.formats.gltf.nodes import NodeTree, read_nodes
from poise.formats.gltf.other_animations import carried
from poise.formats.gltf.payload import GltfPayload
from poise.formats.gltf.rig import MADE_UP, Rig, build_rig, placement, points_on
from poise.formats.gltf.skinning import build_skin
from poise.formats.gltf.tracks import (
    Animation,
    animation_labels,
    choose_animation,
    read_animations,
)
from poise.formats.key_times import FrameGrid, frame_grid
from poise.formats.weighing import MassOption, Weighing, size_notes
from poise.manifold import so3
from poise.motion import Clip, Source
from poise.reading import Budget, blaming

COMPRESSED = {
    "KHR_draco_mesh_compression": "Draco",
    "EXT_meshopt_compression": "meshopt",
    "KHR_meshopt_compression": "meshopt",
}
LONG, PER_BYTE = 1 << 24, 32
"""Numbers of a motion that is sampled: few keys may stand for minutes (6 of 100 joints, for nothing)."""
SCALES = 1e-4
"""A scale that leaves its rest by less than this part is not animated."""


def load(
    path: str | Path,
    *,
    animation: str | int | None = None,
    skin: str | int | None = None,
    fps: Fraction | float | str | None = None,
    scale: float = 1.0,
    mass: MassOption = True,
) -> Clip:
    """Read one animation (by name or number; the first) of the character in a file.

    Frames are the file's own keys where those lie on an exact rate, else samples at 60 frames per
    second or at ``fps``. ``scale`` is the length of the file's unit [m] (glTF's own is the metre).
    ``mass``: True (those Poise wrote into the file, else guessed), False (none), the total [kg], or a method
    ("table", "skin", "capsules"). A file without animation gives one frame, the rest pose.
    """
    path = Path(path)
    weighed = Weighing.of(mass)
    if not np.isfinite(scale) or scale <= 0:
        raise InputError(f"scale must be a positive length in metres, not {scale!r}")
    with blaming(path, "glTF"):
        document = read_document(path)
        notes = _extension_notes(document)
        tree = read_nodes(document)
        animations = read_animations(document)
    chosen = choose_animation(animations, animation, str(path))
    with blaming(path, "glTF"):
        if len(animations) > 1 and chosen is not None:
            notes.append(f"animations: {', '.join(a.name for a in animations)}; read: {chosen.name}")
        rig = build_rig(document, tree, animations, skin=skin, unit=scale)
        notes += [*tree.notes, *rig.notes]
        own = {*rig.nodes, *(n for n, item in enumerate(document.items("nodes")) if "mesh" in item)}
        said = _said(chosen)
        extras = document.content["asset"].get("extras")
        extras = extras if isinstance(extras, dict) else {}
        wanted = fps if fps is not None else said.get("rate", extras.get("rate") if chosen is None else None)
        motion = Budget(path, document.budget.size, free=LONG, per_byte=PER_BYTE)
        most = motion.left // (7 * len(rig.nodes))
        grid = frame_grid(chosen.key_times(own) if chosen is not None else [], rate=wanted, most=most)
        if chosen is not None and fps is None and not grid.native:
            notes.append(f"keys at uneven times were sampled at {float(grid.rate):g} frames per second")
        mesh, channels = build_skin(document, tree, rig, notes)
        name = str(extras.get("poise") or "")
        bodies, q = _motion(document, tree, rig, animations, chosen, grid, notes)
        character = Character(name or path.stem, bodies, skin=mesh, mass_source="none")
        if weighed.wanted:
            character = with_remembered_masses(character, document, rig)
        notes += size_notes(character, scale)
        weights = _weights(chosen, channels, mesh, grid)
        payload = GltfPayload(
            float(grid.times[0]),
            _scales(tree, rig, chosen, grid, notes),
            {k: v for k, v in document.content["asset"].items() if k in ("copyright",)},
            carried(tree, rig, animations, chosen, channels, character),
        )
    try:
        character = weighed(character)
    except InputError as problem:
        if weighed != Weighing():
            raise  # what was asked for cannot be done
        notes.append(f"no masses were guessed: {problem}")
    source = Source(str(path), "gltf", scale, "y", tuple(dict.fromkeys(notes)), payload)
    title = path.stem if chosen is None or not chosen.named else chosen.name
    clip = Clip(character, q, grid.rate, name=title, source=source, morphs=weights)
    return looped(clip, said)


def animation_names(path: str | Path) -> tuple[str, ...]:
    """Names of the animations in a file."""
    with blaming(path, "glTF"):
        return animation_labels(read_document(Path(path)))


def _motion(
    document: Document,
    tree: NodeTree,
    rig: Rig,
    animations: Sequence[Animation],
    chosen: Animation | None,
    grid: FrameGrid,
    notes: list[str],
) -> tuple[list[Body], Array]:
    """Bodies with their joints, and configurations (F, nq)."""
    translations, varies = rest_translations(tree, rig, animations)
    joints = choose_joints(document, rig, varies)
    for i, (joint, node) in enumerate(zip(joints, rig.nodes)):
        if joint.kind in TRANSLATES and node != MADE_UP:
            translations[i] = tree.locals[node].position  # these count from the node's own place
    points = points_on(document, tree, rig)
    size = float(np.ptp([f.position for f in rig.rest], axis=0).max()) or 1.0
    bodies: list[Body] = []
    blocks: list[Array] = []
    for i, node in enumerate(rig.nodes):
        turn = so3.IDENTITY if node == MADE_UP else tree.locals[node].turn
        offset, rest = placement(rig.bases[i], translations[i], turn)
        where, turns = sampled(tree, rig, chosen, translations, grid.times, i)
        joint, block = _fitting(joints[i], varies[i], offset, rest, where, turns, size)
        if joint.kind is not joints[i].kind:
            notes.append(f"{rig.names[i]} no longer moves like a {joints[i].kind.name.lower()} joint")
        parent = rig.names[rig.parents[i]] if rig.parents[i] >= 0 else None
        bodies.append(Body(rig.names[i], parent, joint, offset, rest, points=points.get(i, {})))
        blocks.append(block)
    return bodies, np.concatenate(blocks, axis=1)


def _fitting(
    wanted: Joint, varies: bool, offset: Array, rest: Array, where: Array, turns: Array, size: float
) -> tuple[Joint, Array]:
    """The wanted joint if the motion obeys it, else a ball, else a free one; and its coordinates (F, nq)."""
    for joint in (wanted, *([] if varies else [Joint.ball()])):
        block = joint_coordinates(joint, offset, rest, where, turns, size)
        if block is not None:
            return joint, block
    return Joint.free(), free_coordinates(where, turns)


def _weights(
    chosen: Animation | None, channels: Sequence[MorphChannel], skin: Skin | None, grid: FrameGrid
) -> Array | None:
    """Morph weights (F, m): the animation's, else those at rest."""
    if skin is None or not skin.morphs:
        return None
    out = np.zeros((len(grid.times), len(skin.morphs)))
    for channel in channels:
        span = slice(channel.first, channel.first + len(channel.rest))
        out[:, span] = channel.rest
        track = chosen.tracks.get((channel.node, "weights")) if chosen is not None else None
        if track is not None and track.values.shape[1] != len(channel.rest):
            raise InputError(
                f"the weights of node {channel.node} have {track.values.shape[1]} values per key, "
                f"its mesh has {len(channel.rest)} morph targets"
            )
        if track is not None:
            out[:, span] = track.at(grid.times)
    return out


def _scales(
    tree: NodeTree, rig: Rig, chosen: Animation | None, grid: FrameGrid, notes: list[str]
) -> dict[str, Array]:
    """Animated scales relative to rest, kept for writing back; configurations know no scale."""
    out: dict[str, Array] = {}
    for name, node in zip(rig.names, rig.nodes):
        track = chosen.tracks.get((node, "scale")) if chosen is not None and node != MADE_UP else None
        if track is None:
            continue
        rest = tree.scales[node]
        ratio = track.at(grid.times) / np.where(rest == 0, 1.0, rest)
        if np.abs(ratio - 1).max() > SCALES:
            out[name] = ratio
    if out:
        notes.append(
            f"animated scale of {', '.join(list(out)[:6])} does not move the clip; it is written back "
            "with the file's own frames"
        )
    return out


def _extension_notes(document: Document) -> list[str]:
    required = document.content.get("extensionsRequired", [])
    used = document.content.get("extensionsUsed", [])
    names = (
        [str(n) for n in [*required, *used]] if isinstance(required, list) and isinstance(used, list) else []
    )
    for name in names:
        if name in COMPRESSED and name in required:
            raise document.error(
                f"its meshes are packed with {COMPRESSED[name]}; export it again without compression"
            )
    return [f"extension {n} is not read" for n in dict.fromkeys(names) if n == "EXT_mesh_gpu_instancing"]


def _said(animation: Animation | None) -> dict[str, Any]:
    """What Poise itself wrote beside an animation: exact rate, loop, travel."""
    extras = animation.extras if animation is not None else None
    said = extras.get("poise") if isinstance(extras, dict) else None
    return said if isinstance(said, dict) else {}
