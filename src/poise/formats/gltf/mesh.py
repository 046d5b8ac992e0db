"""Mesh primitives: triangles and vertex attributes in our axes, as the file has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.formats.gltf.accessor import accessor_type, read_floats, read_integers
from poise.formats.gltf.axes import vector_from_gltf
from poise.formats.gltf.container import Document, Json

TRIANGLES, STRIP, FAN = 4, 5, 6
"""Modes of primitives, as the standard has them."""


@dataclass(frozen=True)
class Primitive:
    """One primitive of a mesh, in the mesh's own frame."""

    positions: Array  # (V, 3)
    faces: IntArray  # (T, 3)
    normals: Array | None  # (V, 3)
    joints: IntArray | None  # (V, k) indices into the skin's joints
    weights: Array | None  # (V, k)
    texcoords: tuple[Array, ...]  # each (V, 2)
    colours: Array | None  # (V, 4)
    targets: tuple[tuple[Array, Array | None], ...]
    """Morph targets: changes of positions (V, 3) and, where given, of normals (V, 3)."""
    material: int | None


@dataclass(frozen=True)
class MeshContent:
    """Name, primitives and morph targets of one mesh."""

    name: str
    primitives: tuple[Primitive, ...]
    target_names: tuple[str, ...]
    target_weights: Array
    """Weights at rest, (m,)."""


def read_mesh(document: Document, index: int, user: str, notes: list[str]) -> MeshContent:
    """One mesh; points and lines are left out with a note."""
    mesh = document.item("meshes", index, user)
    name = str(mesh.get("name") or f"mesh {index}")
    listed = mesh.get("primitives", [])
    if not isinstance(listed, list) or not all(isinstance(p, dict) for p in listed):
        raise document.error(f"mesh {name!r} has no list of primitives")
    primitives = []
    for k, content in enumerate(listed):
        if content.get("mode", TRIANGLES) in (TRIANGLES, STRIP, FAN):
            primitives.append(_primitive(document, content, f"primitive {k} of mesh {name!r}"))
        else:
            notes.append(f"points or lines in mesh {name!r} were left out")
    counts = {len(p.targets) for p in primitives}
    if len(counts) > 1:
        raise document.error(f"the primitives of mesh {name!r} differ in their number of morph targets")
    count = counts.pop() if counts else 0
    extras = mesh.get("extras")
    names = extras.get("targetNames") if isinstance(extras, dict) else None
    if not isinstance(names, list) or len(names) != count:
        names = [f"{name} {k}" for k in range(count)]
    return MeshContent(
        name, tuple(primitives), tuple(map(str, names)), rest_weights(document, mesh, count, f"mesh {name!r}")
    )


def rest_weights(document: Document, holder: Json, count: int, user: str) -> Array:
    """The ``weights`` of a mesh or node, zeros where it has none, (m,)."""
    listed = holder.get("weights")
    if listed is None:
        return np.zeros(count)
    try:
        values = np.array(listed, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros((0, 0))
    if values.shape != (count,) or not np.isfinite(values).all():
        raise document.error(f"{user} must have {count} finite morph weights")
    return values


def _primitive(document: Document, content: Json, user: str) -> Primitive:
    attributes = content.get("attributes")
    if not isinstance(attributes, dict) or "POSITION" not in attributes:
        raise document.error(f"{user} has no positions")
    positions = vector_from_gltf(
        read_floats(document, attributes["POSITION"], f"positions of {user}", "VEC3")
    )
    count = len(positions)

    def floats(name: str, kind: str) -> Array | None:
        if name not in attributes:
            return None
        values = read_floats(document, attributes[name], f"{name} of {user}", kind)
        if len(values) != count:
            raise document.error(f"{user} has {count} positions but {len(values)} values of {name}")
        return values

    joints: list[IntArray] = []
    weights: list[Array] = []
    while f"JOINTS_{len(joints)}" in attributes:
        at = len(joints)
        joint = read_integers(document, attributes[f"JOINTS_{at}"], f"JOINTS_{at} of {user}", "VEC4")
        weight = floats(f"WEIGHTS_{at}", "VEC4")
        if weight is None or len(joint) != count:
            raise document.error(f"{user} has joints without as many weights")
        joints.append(joint)
        weights.append(weight)
    texcoords: list[Array] = []
    while (uv := floats(f"TEXCOORD_{len(texcoords)}", "VEC2")) is not None:
        texcoords.append(uv)
    colours = None
    if "COLOR_0" in attributes:
        kind = accessor_type(document, attributes["COLOR_0"], f"COLOR_0 of {user}")
        colours = floats("COLOR_0", "VEC3" if kind == "VEC3" else "VEC4")
        if colours is not None and colours.shape[1] == 3:
            colours = np.concatenate([colours, np.ones((count, 1))], axis=1)
    normals = floats("NORMAL", "VEC3")
    material = content.get("material")
    if material is not None:
        document.item("materials", material, user)
    return Primitive(
        positions=positions,
        faces=_faces(document, content, count, user),
        normals=None if normals is None else vector_from_gltf(normals),
        joints=np.concatenate(joints, axis=1) if joints else None,
        weights=np.concatenate(weights, axis=1) if weights else None,
        texcoords=tuple(texcoords),
        colours=colours,
        targets=_targets(document, content, count, user),
        material=material,
    )


def _targets(
    document: Document, content: Json, count: int, user: str
) -> tuple[tuple[Array, Array | None], ...]:
    listed = content.get("targets", [])
    if not isinstance(listed, list) or not all(isinstance(t, dict) for t in listed):
        raise document.error(f"the morph targets of {user} must be a list of objects")
    out = []
    for k, target in enumerate(listed):
        parts: dict[str, Array] = {}
        for name in ("POSITION", "NORMAL"):
            if name in target:
                values = read_floats(document, target[name], f"{name} of morph target {k} of {user}", "VEC3")
                if len(values) != count:
                    raise document.error(
                        f"morph target {k} of {user} has {len(values)} vertices, not {count}"
                    )
                parts[name] = vector_from_gltf(values)
        if "POSITION" not in parts:
            document.budget.spend(3 * count, f"morph target {k} of {user}")
            parts["POSITION"] = np.zeros((count, 3))
        out.append((parts["POSITION"], parts.get("NORMAL")))
    return tuple(out)


def _faces(document: Document, content: Json, count: int, user: str) -> IntArray:
    if "indices" in content:
        run = read_integers(document, content["indices"], f"indices of {user}", "SCALAR")
        if run.min() < 0 or run.max() >= count:
            raise document.error(f"{user} names vertex {int(run.max())} of {count}")
    else:
        run = np.arange(count)
    mode = content.get("mode", TRIANGLES)
    if mode == TRIANGLES:
        if len(run) % 3:
            raise document.error(f"{user} has {len(run)} indices, which is not a whole number of triangles")
        return run.reshape(-1, 3)
    if len(run) < 3:
        return np.zeros((0, 3), dtype=np.int64)
    if mode == STRIP:
        faces = np.stack([run[:-2], run[1:-1], run[2:]], axis=1)
        faces[1::2] = faces[1::2][:, [1, 0, 2]]  # every second triangle of a strip is wound backwards
    else:
        faces = np.stack([run[1:-1], run[2:], np.broadcast_to(run[0], len(run) - 2)], axis=1)
    distinct = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])
    return faces[distinct]
