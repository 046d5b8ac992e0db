"""Meshes that a clip wears beside those of its file (a soft hat on the head): added to its document."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.character import MorphTarget, Skin
from poise.formats.gltf.container import Json
from poise.formats.gltf.materials import KEY, Looks
from poise.formats.gltf.mesh_writer import looks_of, write_skin
from poise.formats.gltf.packer import Packer
from poise.formats.gltf.rig import Rig


@dataclass(frozen=True, eq=False)
class Worn:
    """What a skin has more than that of the file."""

    skin: Skin
    """By itself: its own vertices, faces and morph targets."""
    weights: Array
    """Of its morph targets, (F, m)."""


def added_part(ours: Skin, theirs: Skin) -> Skin | None:
    """What ``ours`` has after all of ``theirs``; None if it does not begin with that, or has no more."""
    v, t, m = len(theirs.vertices), len(theirs.faces), len(theirs.morphs)
    begins = (
        len(ours.vertices) > v
        and np.array_equal(ours.vertices[:v], theirs.vertices)
        and np.array_equal(ours.faces[:t], theirs.faces)
        and [x.name for x in ours.morphs[:m]] == [x.name for x in theirs.morphs]
        and all((x.indices >= v).all() for x in ours.morphs[m:])
        and (ours.faces[t:] >= v).all()
    )
    looks, known = looks_of(ours), looks_of(theirs)
    spans = [[p.vertices for p in each.pieces[: len(known.pieces)]] for each in (looks, known)]
    if not begins or spans[0] != spans[1] or len(looks.morph_mesh) != len(ours.morphs):
        return None
    return Skin(
        ours.vertices[v:],
        ours.faces[t:] - v,
        ours.bodies[v:],
        ours.weights[v:],
        ours.inverse_bind,
        morphs=tuple(MorphTarget(x.name, x.indices - v, x.deltas) for x in ours.morphs[m:]),
        normals=None if ours.normals is None else ours.normals[v:],
        extras={KEY: _own_looks(looks, known, v, t, m)},
    )


def _own_looks(looks: Looks, known: Looks, v: int, t: int, m: int) -> Looks:
    meshes, materials = len(known.meshes), len(known.materials)
    pieces = [
        replace(
            piece,
            mesh=piece.mesh - meshes,
            vertices=(piece.vertices[0] - v, piece.vertices[1] - v),
            faces=(piece.faces[0] - t, piece.faces[1] - t),
            material=None if piece.material is None else piece.material - materials,
        )
        for piece in looks.pieces[len(known.pieces) :]
    ]
    return Looks(
        looks.meshes[meshes:],
        tuple(pieces),
        looks.materials[materials:],
        morph_mesh=tuple(mesh - meshes for mesh in looks.morph_mesh[m:]),
        morph_normals={k - m: change for k, change in looks.morph_normals.items() if k >= m},
    )


def put_on(content: Json, worn: Worn, rig: Rig, names: tuple[str, ...], packer: Packer) -> dict[int, Array]:
    """Add the meshes to a document; their morph weights (F, m) by the nodes that carry them.

    ``names`` are the bodies in the order that the skin counts them. A joint's node holds a stretch K that its
    body does not have: it is taken out of the binding, K⁻¹ B.
    """
    order = [rig.names.index(name) for name in names]
    binding = np.array(worn.skin.inverse_bind)
    for k, body in enumerate(order):
        binding[k, :3] = np.linalg.solve(rig.rest[body].stretch, binding[k, :3])
    written = write_skin(packer, replace(worn.skin, inverse_bind=binding))
    materials = len(content.get("materials", []))
    for mesh in written.meshes:
        for primitive in mesh["primitives"]:
            if "material" in primitive:
                primitive["material"] += materials
    if "materials" in written.looks:
        content.setdefault("materials", []).extend(written.looks["materials"])
    skins, meshes = content.setdefault("skins", []), content.setdefault("meshes", [])
    skins.append({"joints": [rig.nodes[body] for body in order], "inverseBindMatrices": written.inverse_bind})
    roots = (
        content["scenes"][content.get("scene", 0)].setdefault("nodes", []) if content.get("scenes") else []
    )
    found: dict[int, Array] = {}
    for name, mesh, targets in zip(written.names, written.meshes, written.morphs):
        node = len(content["nodes"])
        content["nodes"].append({"name": name, "mesh": len(meshes), "skin": len(skins) - 1})
        meshes.append(mesh)
        roots.append(node)
        if targets:
            found[node] = worn.weights[:, targets]
    return found
