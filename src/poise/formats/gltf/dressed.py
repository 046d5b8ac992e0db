"""A clip that wears its attachments: their meshes are part of its skin, their modes morph targets.

A soft body moves with its bone and, in the bone's frame, by a mixture of few shapes: modes and directions of
their derivatives. A skin bound to the bone with these shapes as morph targets says the same, exactly, in a
file of any player's format. Cloth has no modes: its shapes are the principal ones of what it did, as many as
it takes for no vertex to be off by more than 2 · 10⁻³ of its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character import MorphTarget, Skin
from poise.errors import InputError
from poise.formats.gltf.figure import figure_skin
from poise.formats.gltf.materials import COLOURS, KEY, Piece
from poise.formats.gltf.mesh_writer import looks_of
from poise.kinematics import Kinematics
from poise.methods.loosen.wear.attachment import Attachment
from poise.methods.loosen.wear.draped import Draped
from poise.methods.loosen.wear.sway import Sway, Window, sway_of, windows_of
from poise.methods.loosen.wear.worn import Worn
from poise.motion import Clip
from poise.motion.principal_shapes import principal_shapes
from poise.pictures.mesh import vertex_normals

CLOTH = 2e-3
"""What files may lose of cloth, as a part of its size."""


class Swaying(NamedTuple):
    """A mesh that moves with a bone by a mixture of shapes, in the bone's frame."""

    name: str
    body: int
    colour: tuple[float, float, float]
    rest: Array
    """(N, 3)"""
    fields: Array
    """Shapes at full weight (r, N, 3)."""
    faces: IntArray
    diameter: float


def wearing(clip: Clip, worn: Worn | Draped) -> Clip:
    """The clip with something on it that was worn on such a motion."""
    if isinstance(worn, Draped):
        return _draped(clip, worn)
    return dressed(clip, [worn.attachment], worn.window, large=worn.thoroughly)


def _draped(clip: Clip, worn: Draped) -> Clip:
    """Cloth as skin and morph weights: for another motion than its own it is simulated there."""
    on = worn if worn.clip is clip else replace(worn, clip=clip)
    made, body = on.attachment, clip.character.index(on.attachment.bone)
    places = Kinematics(clip.character, clip.q)
    away = np.asarray(on.mesh.vertices) - places.positions[:, body, None]
    shapes = principal_shapes(away @ places.rotations[:, body], CLOTH * made.diameter)
    skin = clip.character.skin or figure_skin(clip.character, clip.q)
    morphs = clip.morphs if clip.morphs is not None else np.zeros((clip.frames, 0))
    mesh = Swaying(made.name, body, made.colour, shapes.rest, shapes.deltas, made.faces, made.diameter)
    character = clip.character.with_bodies(clip.character.bodies, skin=_with(skin, mesh))
    return clip.replaced(character=character, morphs=np.concatenate([morphs, shapes.weights], axis=1))


def dressed(
    clip: Clip, attachments: Sequence[Attachment], window: Window = "auto", *, large: bool = False
) -> Clip:
    """The clip with attachments swaying on it, as skin and morph weights: for files and pictures."""
    if not attachments:
        raise InputError("nothing is attached: give at least one attachment (see attach)")
    skin = clip.character.skin or figure_skin(clip.character, clip.q)
    morphs = clip.morphs if clip.morphs is not None else np.zeros((clip.frames, 0))
    for worn in attachments:
        motion = sway_of(clip, worn, large=large)
        weights = mixture(motion, motion.states(clip.times, windows_of(motion, window)))
        largest = np.maximum(
            np.abs(weights).max(axis=0), 1e-12
        )  # so that weights reach 1: files keep few digits
        skin = _with(skin, _swaying(motion, largest))
        morphs = np.concatenate([morphs, weights / largest], axis=1)
    character = clip.character.with_bodies(clip.character.bodies, skin=skin)
    return clip.replaced(character=character, morphs=morphs)


def mixture(motion: Sway, states: Array) -> Array:
    """Shares of all shapes of an attachment, modes and then directions of derivatives, (F, m + r)."""
    q = states[:, : states.shape[1] // 2]
    b = motion.bending.shape[1]
    second = 0.5 * np.einsum("rij,fi,fj->fr", motion.bending, q[:, :b], q[:, :b])
    return np.concatenate([q, second], axis=1)


def _swaying(motion: Sway, sizes: Array) -> Swaying:
    """A soft body with its shapes at these sizes."""
    worn, points = motion.attachment, motion.vertices
    fields = np.swapaxes(np.concatenate([points.modes, points.bends]), 1, 2) * sizes[:, None, None]
    return Swaying(
        worn.name, motion.body, worn.colour, points.rest.T, fields, worn.surface.faces, worn.diameter
    )


def _with(skin: Skin, worn: Swaying) -> Skin:
    """A skin with one more mesh on it."""
    looks, faces = looks_of(skin), worn.faces
    first, count, triangles = len(skin.vertices), len(worn.rest), len(skin.faces)
    rest_from_body = np.linalg.inv(skin.inverse_bind[worn.body])
    turn, shift = rest_from_body[:3, :3], rest_from_body[:3, 3]
    rest = worn.rest @ turn.T + shift
    normals = vertex_normals(rest, faces)
    own = np.arange(first, first + count)
    targets, changes, start = [], dict(looks.morph_normals), len(skin.morphs)
    for k, field in enumerate(worn.fields @ turn.T):
        targets.append(MorphTarget(f"{worn.name} {k}", own, field))
        # How normals turn, to first order: with a change small enough for that.
        small = 0.02 * worn.diameter / max(float(np.abs(field).max()), 1e-9)
        changes[start + k] = (vertex_normals(rest + small * field, faces) - normals) / small
    material = {
        "name": worn.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*worn.colour, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8,
        },
        "doubleSided": True,
    }  # fmt: skip
    piece = Piece(
        len(looks.meshes), (first, first + count), (triangles, triangles + len(faces)), len(looks.materials)
    )
    looks = replace(
        looks,
        meshes=(*looks.meshes, worn.name),
        pieces=(*looks.pieces, piece),
        materials=(*looks.materials, material),
        morph_mesh=(*looks.morph_mesh, *[piece.mesh] * len(targets)),
        morph_normals=changes,
    )
    colours = skin.extras.get(COLOURS)
    old = np.ones((triangles, 4)) if colours is None else np.asarray(colours)
    painted = np.concatenate([old, np.tile([*worn.colour, 1.0], (len(faces), 1))])
    influences = skin.bodies.shape[1]
    bodies, weights = np.zeros((count, influences), dtype=np.int64), np.zeros((count, influences))
    bodies[:, 0], weights[:, 0] = worn.body, 1.0
    return Skin(
        np.concatenate([skin.vertices, rest]),
        np.concatenate([skin.faces, faces + first]),
        np.concatenate([skin.bodies, bodies]),
        np.concatenate([skin.weights, weights]),
        skin.inverse_bind,
        morphs=(*skin.morphs, *targets),
        normals=np.concatenate([_normals(skin), normals]),
        extras={**skin.extras, KEY: looks, COLOURS: painted},
    )


def _normals(skin: Skin) -> NDArray[np.float64]:
    return vertex_normals(skin.vertices, skin.faces) if skin.normals is None else skin.normals
