"""A mesh clip as glTF has it: a still mesh, morph targets and an animation of their weights.

Few principal shapes stand for all frames; the normals that go with them are the least-squares mixture of the
frames' own normals by the same weights.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.formats.gltf.looks import KEY
from poise.formats.gltf.mesh_writer import looks_of
from poise.motion import Clip, MeshClip
from poise.pictures.mesh import seams, vertex_normals


def morphing(mesh: MeshClip, tolerance: float | None = None) -> tuple[Clip, float]:
    """The mesh clip as a clip moved by morph weights, with normals and looks, and its largest error [m]."""
    shapes = mesh.shapes(tolerance)
    clip = mesh.mixed(shapes)
    skin = clip.character.skin
    assert skin is not None  # as_clip made it
    looks = looks_of(skin)
    group, corner = seams(mesh.vertices[0])
    welded = group[mesh.faces]
    normals = np.stack([vertex_normals(frame[corner], welded)[group] for frame in mesh.vertices])  # (F, N, 3)
    changes: dict[int, Array] = {}
    if skin.morphs and clip.morphs is not None:
        turned = (normals - normals[0]).reshape(mesh.frames, -1)
        mixed = np.linalg.lstsq(clip.morphs, turned, rcond=None)[0].reshape(len(skin.morphs), -1, 3)
        changes = {k: mixed[k][target.indices] for k, target in enumerate(skin.morphs)}
    extras = {**skin.extras, KEY: replace(looks, morph_normals=changes)}
    dressed = replace(skin, normals=normals[0], extras=extras)
    character = clip.character.with_bodies(clip.character.bodies, skin=dressed)
    return clip.replaced(character=character), shapes.error
