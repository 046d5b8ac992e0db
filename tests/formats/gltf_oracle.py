"""An independent reading of glTF, for tests: pygltflib opens the file, plain 4×4 matrices do the rest.

Written from the glTF 2.0 text, one node and one key at a time, in glTF's own axes; shares nothing with
the package. Also makes small files to order.
"""

from __future__ import annotations

import base64
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pygltflib

_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def ours(v: Any) -> np.ndarray:
    """glTF's (x, y, z) in Poise's axes: front is +z there and +x here, left +x and +y, up +y and +z."""
    v = np.asarray(v)
    return np.stack([v[..., 2], v[..., 0], v[..., 1]], axis=-1)


class Oracle:
    """One file."""

    def __init__(self, path: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of chunks that it does not know
            self.gltf = pygltflib.GLTF2().load(str(path))
        self.blobs = [
            self.gltf.binary_blob() if b.uri is None else self.gltf.get_data_from_buffer_uri(b.uri)
            for b in self.gltf.buffers
        ]
        self.parent = {c: i for i, n in enumerate(self.gltf.nodes) for c in n.children or []}

    def array(self, index: int) -> np.ndarray:
        accessor = self.gltf.accessors[index]
        width, kind = _WIDTH[accessor.type], np.dtype(_TYPES[accessor.componentType])
        out = np.zeros((accessor.count, width))
        if accessor.bufferView is not None:
            view = self.gltf.bufferViews[accessor.bufferView]
            start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
            stride = view.byteStride or width * kind.itemsize
            for k in range(accessor.count):
                out[k] = np.frombuffer(self.blobs[view.buffer], kind, width, start + k * stride)
        if accessor.sparse is not None:
            s = accessor.sparse
            view = self.gltf.bufferViews[s.indices.bufferView]
            at = view.byteOffset + (s.indices.byteOffset or 0)
            where = np.frombuffer(self.blobs[view.buffer], _TYPES[s.indices.componentType], s.count, at)
            view = self.gltf.bufferViews[s.values.bufferView]
            at = view.byteOffset + (s.values.byteOffset or 0)
            out[where] = np.frombuffer(self.blobs[view.buffer], kind, s.count * width, at).reshape(-1, width)
        if accessor.normalized:
            out = np.maximum(out / np.iinfo(kind).max, -1)
        return out

    def animation(self, name: str | None) -> Any:
        listed = self.gltf.animations
        return next((a for a in listed if a.name == name), listed[0] if listed else None)

    def locals(self, animation: Any, time: float) -> list[np.ndarray]:
        values: dict[tuple[int, str], np.ndarray] = {}
        for channel in animation.channels if animation else []:
            sampler = animation.samplers[channel.sampler]
            if channel.target.path != "weights":
                values[channel.target.node, channel.target.path] = self.value(
                    sampler, time, channel.target.path == "rotation"
                )
        out = []
        for i, node in enumerate(self.gltf.nodes):
            if node.matrix is not None:
                out.append(np.array(node.matrix, dtype=float).reshape(4, 4).T)
                continue
            t = values.get((i, "translation"), node.translation or [0, 0, 0])
            x, y, z, w = values.get((i, "rotation"), node.rotation or [0, 0, 0, 1])
            s = values.get((i, "scale"), node.scale or [1, 1, 1])
            n = np.sqrt(x * x + y * y + z * z + w * w)
            x, y, z, w = x / n, y / n, z / n, w / n
            m = np.eye(4)
            m[:3, :3] = [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
            m[:3, :3] *= np.asarray(s)[None, :]
            m[:3, 3] = t
            out.append(m)
        return out

    def value(self, sampler: Any, time: float, turn: bool) -> np.ndarray:
        times, values = self.array(sampler.input)[:, 0], self.array(sampler.output)
        k = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 1))
        if sampler.interpolation == "CUBICSPLINE":
            raise AssertionError("the oracle does not do splines")
        if k == len(times) - 1 or time <= times[0] or sampler.interpolation == "STEP":
            return values[k]
        s = (time - times[k]) / (times[k + 1] - times[k])
        a, b = values[k], values[k + 1]
        if not turn:
            return a + s * (b - a)
        dot = a @ b
        b, dot = (b, dot) if dot >= 0 else (-b, -dot)
        angle = np.arccos(min(dot, 1.0))
        if angle < 1e-6:
            return a + s * (b - a)
        return (np.sin((1 - s) * angle) * a + np.sin(s * angle) * b) / np.sin(angle)

    def world(self, animation: Any, time: float) -> list[np.ndarray]:
        local = self.locals(animation, time)

        def place(i: int) -> np.ndarray:
            return local[i] if i not in self.parent else place(self.parent[i]) @ local[i]

        return [place(i) for i in range(len(local))]

    def times(self, animation: Any) -> np.ndarray:
        return np.unique(np.concatenate([self.array(s.input)[:, 0] for s in animation.samplers]))

    def node(self, name: str) -> int:
        return next(i for i, n in enumerate(self.gltf.nodes) if n.name == name)

    def joints(self) -> dict[str, int]:
        """Names of the joints of all skins (the first of a name)."""
        listed = {j for s in self.gltf.skins for j in s.joints}
        out: dict[str, int] = {}
        for j in sorted(listed):
            out.setdefault(self.gltf.nodes[j].name, j)
        return out

    def vertices(self, animation: Any, time: float) -> np.ndarray:
        """All vertices of the scene, skinned meshes first, each group depth first, in our axes."""
        world = self.world(animation, time)
        order: list[int] = []
        stack = list(reversed(self.gltf.scenes[self.gltf.scene or 0].nodes))
        while stack:
            i = stack.pop()
            order.append(i)
            stack += reversed(self.gltf.nodes[i].children or [])
        skinned = [
            i for i in order if self.gltf.nodes[i].mesh is not None and self.gltf.nodes[i].skin is not None
        ]
        rigid = [i for i in order if self.gltf.nodes[i].mesh is not None and self.gltf.nodes[i].skin is None]
        out = []
        for i in skinned + rigid:
            node = self.gltf.nodes[i]
            for primitive in self.gltf.meshes[node.mesh].primitives:
                points = np.c_[
                    self.array(primitive.attributes.POSITION),
                    np.ones(self.gltf.accessors[primitive.attributes.POSITION].count),
                ]
                if node.skin is None:
                    out.append(points @ world[i].T)
                    continue
                skin = self.gltf.skins[node.skin]
                inverse = self.array(skin.inverseBindMatrices).reshape(-1, 4, 4).swapaxes(1, 2)
                moves = np.array([world[j] @ m for j, m in zip(skin.joints, inverse)])
                joints = self.array(primitive.attributes.JOINTS_0).astype(int)
                weights = self.array(primitive.attributes.WEIGHTS_0)
                weights = weights / weights.sum(axis=1, keepdims=True)
                out.append(np.einsum("vk,vkij,vj->vi", weights, moves[joints], points))
        return ours(np.concatenate(out)[:, :3])


class Maker:
    """Builds a small .gltf file piece by piece."""

    def __init__(self) -> None:
        self.content: dict[str, Any] = {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": []}
        self.blob = b""

    def view(self, data: bytes, **more: Any) -> int:
        self.blob += b"\0" * (-len(self.blob) % 4)
        self.content["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data), **more}
        )
        self.blob += data
        return len(self.content["bufferViews"]) - 1

    def accessor(self, values: Any, kind: str, component: int = 5126, **more: Any) -> int:
        data = np.asarray(values).astype(_TYPES[component])
        count = data.size // _WIDTH[kind]
        view = self.view(data.tobytes())
        self.content["accessors"].append(
            {"bufferView": view, "componentType": component, "count": count, "type": kind, **more}
        )
        return len(self.content["accessors"]) - 1

    def animate(self, name: str, *tracks: tuple[int, str, Any, Any, str]) -> None:
        """Tracks: node, path, times, values, interpolation."""
        animation: dict[str, Any] = {"name": name, "channels": [], "samplers": []}
        for node, path, times, values, method in tracks:
            kind = {"rotation": "VEC4", "weights": "SCALAR"}.get(path, "VEC3")
            sampler = {
                "input": self.accessor(times, "SCALAR"),
                "output": self.accessor(values, kind),
                "interpolation": method,
            }
            animation["channels"].append(
                {"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}}
            )
            animation["samplers"].append(sampler)
        self.content.setdefault("animations", []).append(animation)

    def json(self) -> dict[str, Any]:
        content = json.loads(json.dumps(self.content))
        if self.blob:
            uri = "data:application/octet-stream;base64," + base64.b64encode(self.blob).decode()
            content["buffers"] = [{"byteLength": len(self.blob), "uri": uri}]
        return content

    def write(self, path: Path) -> Path:
        path.write_text(json.dumps(self.json()))
        return path
