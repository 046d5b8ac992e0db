"""Packing arrays into one buffer: aligned views, accessors with their bounds, sparse where it pays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.formats.gltf.container import Json

VERTICES, INDICES = 34962, 34963
"""Targets of buffer views, as the standard has them."""
_COMPONENT = {"int8": 5120, "uint8": 5121, "int16": 5122, "uint16": 5123, "uint32": 5125, "float32": 5126}


class Packer:
    """Grows the ``bufferViews`` and ``accessors`` of a document and the bytes behind them.

    Of a document that has some already they are continued: from byte ``start`` of a buffer, each called
    ``name`` so that whoever edits the file again knows them.
    """

    def __init__(
        self,
        views: list[Json] | None = None,
        accessors: list[Json] | None = None,
        *,
        buffer: int = 0,
        start: int = 0,
        name: str = "",
    ) -> None:
        self.views: list[Json] = [] if views is None else views
        self.accessors: list[Json] = [] if accessors is None else accessors
        self._parts: list[bytes] = []
        self._buffer, self._length = buffer, start
        self._name: Json = {"name": name} if name else {}
        self.spare_views: list[int] = []
        self.spare_accessors: list[int] = []
        """Numbers that nothing refers to, and which are given first."""

    def view(self, data: bytes, *, target: int | None = None) -> int:
        """Bytes as a buffer view that begins on a multiple of four."""
        view: Json = {"byteLength": len(data), **self._name}
        if target is not None:
            view["target"] = target
        number = _put(self.views, self.spare_views, view)
        self.move(number, data)
        return number

    def move(self, view: int, data: bytes) -> None:
        """The bytes of a view that there is already, from here on."""
        self.views[view] |= {"buffer": self._buffer, "byteOffset": self._length}
        self._parts += [data, b"\0" * (-len(data) % 4)]
        self._length += len(data) + (-len(data) % 4)

    def binary(self) -> bytes:
        """All bytes packed so far, from ``start`` on."""
        return b"".join(self._parts)

    def add(self, values: NDArray[Any], kind: str, *, target: int | None = None, bounds: bool = False) -> int:
        """An accessor over a view of its own; ``values`` (n,) or (n, k), already of their final type."""
        view = self.view(np.ascontiguousarray(values).tobytes(), target=target)
        return self._accessor(values, kind, view, 0, bounds)

    def add_all(self, stacked: NDArray[Any], kind: str) -> list[int]:
        """One view with many accessors: ``stacked`` (m, n, k) gives m accessors of n elements."""
        stacked = np.ascontiguousarray(stacked)
        if not len(stacked):
            return []
        view = self.view(stacked.tobytes())
        return [self._accessor(v, kind, view, i * v.nbytes, False) for i, v in enumerate(stacked)]

    def add_sparse(self, count: int, indices: NDArray[Any], values: NDArray[Any]) -> int:
        """VEC3 floats that are zero but at increasing ``indices``: sparse if that is smaller."""
        values = np.ascontiguousarray(values, dtype=np.float32)
        dense = np.zeros((count, 3), dtype=np.float32)
        dense[indices] = values
        wide = np.uint16 if count <= 1 << 16 else np.uint32
        cost = len(indices) * (12 + np.dtype(wide).itemsize)
        if cost >= dense.nbytes:
            return self.add(dense, "VEC3", target=VERTICES, bounds=True)
        accessor: Json = {"componentType": 5126, "count": count, "type": "VEC3", **self._name}
        accessor |= _bounds(dense)
        if len(indices):
            accessor["sparse"] = {
                "count": len(indices),
                "indices": {
                    "bufferView": self.view(np.asarray(indices).astype(wide).tobytes()),
                    "componentType": _COMPONENT[np.dtype(wide).name],
                },
                "values": {"bufferView": self.view(values.tobytes())},
            }
        return _put(self.accessors, self.spare_accessors, accessor)

    def _accessor(self, values: NDArray[Any], kind: str, view: int, offset: int, bounds: bool) -> int:
        accessor: Json = {
            "bufferView": view,
            "byteOffset": offset,
            "componentType": _COMPONENT[values.dtype.name],
            "count": len(values),
            "type": kind,
            **self._name,
        }
        if bounds:
            accessor.update(_bounds(values))
        return _put(self.accessors, self.spare_accessors, accessor)


def _put(items: list[Json], spare: list[int], item: Json) -> int:
    """An item in a spare place, or at the end; its number."""
    if not spare:
        items.append(item)
        return len(items) - 1
    items[spare[0]] = item
    return spare.pop(0)


def _bounds(values: NDArray[Any]) -> Json:
    """Least and greatest of each component, exactly as the file holds them."""
    flat = values.reshape(len(values), -1)
    return {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
