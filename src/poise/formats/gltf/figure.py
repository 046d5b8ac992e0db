"""A skin for characters that have none: their solids, or the mannequin that pictures show."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array
from poise.character import Character, Shape, ShapeKind, Skin
from poise.character.stance import stance
from poise.formats.gltf.materials import COLOURS, KEY, Looks, Piece, face_colours
from poise.manifold import so3
from poise.pictures.mannequin import Guess, guessed_parts
from poise.pictures.material import PALETTE, linear_from_srgb
from poise.pictures.mesh import Mesh, box, capsule, cylinder, ellipsoid, join, sphere

DETAIL = 16
"""Segments around a circle."""
THINNEST = 1e-4
"""Flat solids are drawn this thick [m]."""


def figure_skin(character: Character, q: Array | None = None) -> Skin:
    """Every solid rigidly on its body; a mannequin for a character without solids.

    ``q`` (F, nq) are poses by which a bare skeleton can be read where its rest pose does not stand.
    """
    solids = [(i, s.material, _solid(s)) for i, b in enumerate(character.bodies) for s in b.shapes]
    parts = solids or [(i, look, mesh) for i, mesh, look in _mannequin(character, q)]
    positions, turns = character.rest_placement()
    materials = list(dict.fromkeys(material for _, material, _ in parts))
    vertices, normals, faces, bodies, pieces = [], [], [], [], []
    count = triangles = 0
    for k, material in enumerate(materials):
        placed = [(i, mesh.placed(positions[i], turns[i])) for i, m, mesh in parts if m == material]
        whole = join([mesh for _, mesh in placed])
        vertices.append(whole.vertices)
        normals.append(whole.normals)
        faces.append(whole.faces + count)
        bodies.append(np.repeat([i for i, _ in placed], [len(mesh.vertices) for _, mesh in placed]))
        end = count + len(whole.vertices)
        pieces.append(Piece(0, (count, end), (triangles, triangles + len(whole.faces)), k))
        count, triangles = end, triangles + len(whole.faces)
    inverse = np.tile(np.eye(4), (len(character.bodies), 1, 1))
    inverse[:, :3, :3] = np.swapaxes(turns, 1, 2)
    inverse[:, :3, 3] = -np.einsum("nji,nj->ni", turns, positions)
    looks = Looks((character.name or "figure",), tuple(pieces), tuple(_material(m) for m in materials))
    bound = np.concatenate(bodies)[:, None]
    return Skin(
        np.concatenate(vertices),
        np.concatenate(faces),
        bound,
        np.ones(bound.shape),
        inverse,
        normals=np.concatenate(normals),
        extras={KEY: looks, COLOURS: face_colours(looks.pieces, looks.materials, triangles)},
    )


def _material(name: str) -> dict[str, object]:
    surface = PALETTE.get(name, PALETTE["default"])
    colour = linear_from_srgb(surface.colour)
    return {
        "name": name,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*(round(float(c), 6) for c in colour), 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": surface.roughness,
        },
    }


def _solid(shape: Shape) -> Mesh:
    a, b, c = (max(float(x), THINNEST) for x in np.asarray(shape.size))
    up = np.array([0.0, 0.0, 1.0])
    match shape.kind:
        case ShapeKind.SPHERE:
            mesh = sphere(a, detail=DETAIL)
        case ShapeKind.CAPSULE:
            mesh = capsule(-b * up, b * up, a, detail=DETAIL)
        case ShapeKind.CYLINDER:
            mesh = cylinder(a, b, detail=DETAIL)
        case ShapeKind.ELLIPSOID:
            mesh = ellipsoid((a, b, c), detail=DETAIL)
        case ShapeKind.BOX:
            mesh = box((a, b, c))
    return mesh.placed(np.asarray(shape.position), so3.to_matrix(shape.rotation))


def _mannequin(character: Character, q: Array | None) -> Iterator[Guess]:
    pose = stance(character)
    if q is not None and len(q) and np.isfinite(some := q[:: max(1, len(q) // 60)]).all():
        pose = stance(character, *character.placement(some))
    return guessed_parts(character, detail=DETAIL, pose=pose)
