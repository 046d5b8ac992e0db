"""Meshes packed by an extension that Poise does not unpack: left alone, and kept as they are in the file."""

from __future__ import annotations

from typing import Any

from poise.formats.gltf.container import Document, Json

DRACO = "KHR_draco_mesh_compression"
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
NAMES = {DRACO: "Draco", **dict.fromkeys(MESHOPT, "meshopt")}


def packing_of_mesh(document: Document, mesh: Any, user: str) -> str | None:
    """What a mesh is packed with, if that keeps it from being read."""
    primitives = document.item("meshes", mesh, user).get("primitives", [])
    for primitive in primitives if isinstance(primitives, list) else ():
        attributes = primitive.get("attributes") if isinstance(primitive, dict) else None
        used = list(attributes.values()) if isinstance(attributes, dict) else []
        used += [primitive["indices"]] if isinstance(primitive, dict) and "indices" in primitive else []
        for accessor in used:
            described = document.item("accessors", accessor, user)
            if DRACO in _extensions(primitive) and not {"bufferView", "sparse"} & described.keys():
                return NAMES[DRACO]
            if (packing := packing_of(document, accessor, user)) is not None:
                return packing
    return None


def packing_of(document: Document, accessor: Any, user: str) -> str | None:
    """What the numbers of an accessor are packed with, if there is no plain copy of them."""
    described = document.item("accessors", accessor, user)
    if "bufferView" not in described:
        return None
    view = document.item("bufferViews", described["bufferView"], user)
    for name in MESHOPT:
        if name in _extensions(view):
            buffer = document.item("buffers", view.get("buffer"), user)
            if "uri" not in buffer and (view.get("buffer") != 0 or _is_stand_in(buffer)):
                return NAMES[name]
    return None


def _is_stand_in(buffer: Json) -> bool:
    """Whether a buffer only has a length: the place that unpacked numbers would take."""
    return any(name in _extensions(buffer) for name in MESHOPT)


def _extensions(item: Any) -> Json:
    found = item.get("extensions") if isinstance(item, dict) else None
    return found if isinstance(found, dict) else {}
