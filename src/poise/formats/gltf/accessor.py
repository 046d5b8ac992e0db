"""Accessors: typed arrays in the buffers. All component types, strides, normalised integers, sparse.

A normalised integer c of b bits means c / (2ᵇ − 1), or max(c / (2ᵇ⁻¹ − 1), −1) if signed. A sparse
accessor replaces some elements of a base array (of zeros where it has none).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.formats.gltf.container import Document, Json, is_whole

COMPONENTS: dict[int, str] = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
SHAPES: dict[str, tuple[int, ...]] = {
    "SCALAR": (1,),
    "VEC2": (2,),
    "VEC3": (3,),
    "VEC4": (4,),
    "MAT2": (2, 2),
    "MAT3": (3, 3),
    "MAT4": (4, 4),
}


def read_floats(document: Document, index: Any, user: str, kind: str) -> Array:
    """Real numbers of an accessor of type ``kind``: (n,), (n, k) or matrices (n, k, k) acting on columns."""
    accessor = document.item("accessors", index, user)
    values = _elements(document, accessor, index, user, kind)
    whole = values.dtype.kind in "iu"
    out = values.astype(np.float64)
    if whole and accessor.get("normalized"):
        out = np.maximum(out / np.iinfo(values.dtype).max, -1.0)
    if not np.isfinite(out).all():
        first = int(np.argwhere(~np.isfinite(out))[0][0])
        raise document.error(f"accessor {index} ({user}) holds a value that is not finite at element {first}")
    if kind.startswith("MAT"):
        return np.swapaxes(out, 1, 2)  # glTF stores columns
    return out[:, 0] if kind == "SCALAR" else out


def read_integers(document: Document, index: Any, user: str, kind: str) -> IntArray:
    """Whole numbers of an accessor of type ``kind``: (n,) or (n, k)."""
    accessor = document.item("accessors", index, user)
    values = _elements(document, accessor, index, user, kind)
    if values.dtype.kind not in "iu":
        raise document.error(f"accessor {index} ({user}) must hold integers")
    out = values.astype(np.int64)
    return out[:, 0] if kind == "SCALAR" else out


def accessor_type(document: Document, index: Any, user: str) -> str:
    """SCALAR, VEC3 …"""
    return str(document.item("accessors", index, user).get("type"))


def _elements(document: Document, accessor: Json, index: Any, user: str, kind: str) -> NDArray[Any]:
    name = f"accessor {index} ({user})"
    if accessor.get("type") != kind:
        raise document.error(f"{name} must be of type {kind}, not {accessor.get('type')!r}")
    count = accessor.get("count")
    if not is_whole(count) or count < 1:
        raise document.error(f"{name} has the count {count!r}")
    component = accessor.get("componentType")
    if not is_whole(component) or component not in COMPONENTS:
        raise document.error(f"{name} has the unknown component type {component!r}")
    dtype = np.dtype(COMPONENTS[component])
    document.budget.spend(count * math.prod(SHAPES[kind]), name)
    if "bufferView" in accessor:
        start = accessor.get("byteOffset", 0)
        out = _window(document, accessor["bufferView"], start, count, dtype, SHAPES[kind], name)
    else:
        out = np.broadcast_to(np.zeros(1, dtype), (count, *SHAPES[kind]))
    if "sparse" in accessor:
        out = out.copy()
        indices, values = _sparse(document, accessor["sparse"], count, dtype, SHAPES[kind], name)
        out[indices] = values
    return out


def _sparse(
    document: Document, sparse: Any, total: int, dtype: np.dtype[Any], shape: tuple[int, ...], name: str
) -> tuple[IntArray, NDArray[Any]]:
    try:
        count, where, what = sparse["count"], sparse["indices"], sparse["values"]
        index_type = np.dtype(COMPONENTS[where["componentType"]])
        views = where["bufferView"], what["bufferView"]
        starts = where.get("byteOffset", 0), what.get("byteOffset", 0)
    except (KeyError, TypeError, AttributeError):
        raise document.error(f"{name} has a malformed sparse part") from None
    if not is_whole(count) or not 1 <= count <= total or index_type.kind != "u":
        raise document.error(f"{name} has a sparse part of {count!r} elements of {total}")
    indices = _window(document, views[0], starts[0], count, index_type, (1,), name)[:, 0].astype(np.int64)
    if indices.max() >= total:
        raise document.error(f"{name}: its sparse part names element {indices.max()} of {total}")
    return indices, _window(document, views[1], starts[1], count, dtype, shape, name)


def _window(
    document: Document,
    view: Any,
    offset: Any,
    count: int,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    name: str,
) -> NDArray[Any]:
    """``count`` elements of a buffer view as an array over the file's own bytes."""
    data, start, length, stride = document.view(view, name)
    if not is_whole(offset) or offset < 0:
        raise document.error(f"{name} begins at byte {offset!r}")
    steps: tuple[int, ...]
    if len(shape) == 2:
        # Columns of matrices of small integers begin on multiples of four bytes.
        column = -(-shape[1] * dtype.itemsize // 4) * 4
        size, steps = column * shape[0], (column, dtype.itemsize)
    else:
        size, steps = shape[0] * dtype.itemsize, (dtype.itemsize,)
    stride = stride or size
    end = offset + stride * (count - 1) + size
    if end > length or stride < size:
        raise document.error(f"{name} needs {end} bytes of bufferView {view}, which has {length}")
    return np.ndarray((count, *shape), dtype, data, start + offset, (stride, *steps))
