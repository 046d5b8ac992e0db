"""A character's looks for the browser: one mesh, every vertex bound to up to four bodies.

Solids of a mannequin are bound to one body each, with vertices in that body's frame, so mannequins, shapes
and skins are one thing:  x = Σ_j w_j (body_j · bind_j · rest).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.pictures.figures import Figure
from poise.pictures.material import PALETTE, Material
from poise.pictures.mesh import vertex_normals
from poise.pictures.paint import coats
from poise.studio.textures import Textures, textures_of

DETAIL = 15
"""Segments around a limb: round on a screen; with 18, a software renderer takes a quarter longer."""
INFLUENCES = 4
"""Bones that a vertex follows at the most: as many as one vector of a shader holds."""
LEAST_TURN = 1e-3
"""Normals that a morph target changes less stay."""


@dataclass(frozen=True, eq=False)
class Looks:
    """A drawable mesh and the bodies it hangs on, as a header and arrays of a packet."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def looks(figure: Figure, *, textures: bool = False) -> Looks:
    """What a browser needs to draw a figure in any pose; with its ``textures``, where it has any."""
    character = figure.character
    images = textures_of(character.skin) if textures and figure.skinned and character.skin else None
    arrays = _skinned(character, images) if figure.skinned else _solid(figure)
    for k, image in enumerate(images.pictures if images is not None else ()):
        arrays[f"image{k}"] = np.frombuffer(image, dtype=np.uint8)
    header = {
        "name": character.name,
        "bodies": [
            {"name": body.name, "parent": int(parent)}
            for body, parent in zip(character.bodies, character.parents)
        ],
        "groups": images.groups if images is not None else [],
        "morphs": [m.name for m in character.skin.morphs] if figure.skinned and character.skin else [],
    }
    return Looks(header, arrays)


def _solid(figure: Figure) -> dict[str, NDArray[Any]]:
    """All parts as one mesh; each vertex moves with its part's body alone."""
    positions, normals, faces, bodies, colours = [], [], [], [], []
    start = 0
    for part in figure.parts:
        count = len(part.mesh.vertices)
        positions.append(part.mesh.vertices)
        normals.append(part.mesh.normals)
        faces.append(part.mesh.faces + start)
        bodies.append(np.full(count, part.body))
        colours.append(np.tile(_colour(PALETTE.get(part.material, PALETTE["default"])), (count, 1)))
        start += count
    joints = np.zeros((start, INFLUENCES), dtype=np.uint16)
    joints[:, 0] = np.concatenate(bodies)
    weights = np.zeros((start, INFLUENCES))
    weights[:, 0] = 1.0
    return {
        "position": np.concatenate(positions),
        "normal": np.concatenate(normals),
        "index": np.concatenate(faces).ravel(),
        "colour": np.concatenate(colours),
        "joints": joints,
        "weights": weights,
        "bind": np.tile(np.eye(4), (len(figure.character.bodies), 1, 1)),
    }


def _skinned(character: Character, images: Textures | None = None) -> dict[str, NDArray[Any]]:
    """The skin, its vertices doubled where colours meet; its morph targets as sparse displacements."""
    skin = character.skin
    assert skin is not None  # the figure says so
    painted = coats(skin) if images is None else ()
    if images is not None:
        own, index, colour = np.arange(len(skin.vertices)), images.faces, images.colours
    elif painted:
        own = np.concatenate([coat.vertices for coat in painted])
        starts = np.cumsum([0, *(len(coat.vertices) for coat in painted)])
        index = np.concatenate([coat.faces + start for coat, start in zip(painted, starts)])
        colour = np.concatenate([np.tile(_colour(c.material), (len(c.vertices), 1)) for c in painted])
    else:
        own, index = np.arange(len(skin.vertices)), np.asarray(skin.faces)
        colour = np.tile(_colour(PALETTE["skin"]), (len(own), 1))
    normals = skin.normals if skin.normals is not None else vertex_normals(skin.vertices, skin.faces)
    joints, weights = _strongest(np.asarray(skin.bodies), np.asarray(skin.weights))
    arrays = {
        "position": skin.vertices[own],
        "normal": normals[own],
        "index": index.ravel(),
        "colour": colour,
        "joints": joints[own].astype(np.uint16),
        "weights": weights[own],
        "bind": skin.inverse_bind,
    }
    if images is not None:
        arrays["uv"] = images.places
    rest = vertex_normals(skin.vertices, skin.faces) if skin.morphs else normals
    for k, morph in enumerate(skin.morphs):
        dense = np.zeros_like(skin.vertices)
        np.add.at(dense, morph.indices, morph.deltas)
        moved = dense[own]
        touched = np.flatnonzero(np.any(moved != 0.0, axis=1))
        arrays[f"morph{k}.at"], arrays[f"morph{k}.by"] = touched, moved[touched]
        # How light falls on a face is most of its expression.
        turned = (vertex_normals(skin.vertices + dense, skin.faces) - rest)[own]
        lit = np.flatnonzero(np.abs(turned).max(axis=1) > LEAST_TURN)
        arrays[f"morph{k}.lit"], arrays[f"morph{k}.turn"] = lit, turned[lit]
    return arrays


def _strongest(bodies: IntArray, weights: Array) -> tuple[IntArray, Array]:
    """The four strongest influences of every vertex, weights summing to 1."""
    order = np.argsort(-weights, axis=1, kind="stable")[:, :INFLUENCES]
    joints = np.zeros((len(bodies), INFLUENCES), dtype=np.int64)
    shares = np.zeros((len(bodies), INFLUENCES))
    joints[:, : order.shape[1]] = np.take_along_axis(bodies, order, axis=1)
    shares[:, : order.shape[1]] = np.take_along_axis(weights, order, axis=1)
    return joints, shares / shares.sum(axis=1, keepdims=True)


def _colour(material: Material) -> Array:
    return np.round(255 * np.asarray(material.colour, dtype=np.float64)).astype(np.uint8)
