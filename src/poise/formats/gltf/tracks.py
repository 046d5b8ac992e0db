"""Animation tracks: keys of one property of one node, and their interpolation as glTF defines it.

STEP holds a key's value; LINEAR interpolates, rotations by slerp the shorter way; CUBICSPLINE is the
Hermite cubic with tangents per second, a rotation's four numbers each for itself and then normalised.
Before the first key and after the last the end value holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from poise.arrays import Array
from poise.formats.gltf.accessor import read_floats
from poise.formats.gltf.axes import turn_from_gltf, vector_from_gltf
from poise.formats.gltf.container import Document, is_whole
from poise.formats.gltf.packed import packing_of
from poise.manifold import so3

PATHS = ("translation", "rotation", "scale", "weights")
INTERPOLATIONS = ("STEP", "LINEAR", "CUBICSPLINE")
STILL = 1e-6
"""What a value may change by, beside its size, and still count as held."""


@dataclass(frozen=True)
class Track:
    """Keys of one property, in our axes."""

    path: str
    times: Array
    """(K,) [s], increasing."""
    values: Array
    """(K, d): 3 for translation and scale, 4 (wxyz) for rotation, m for weights."""
    interpolation: str
    tangents: tuple[Array, Array] | None = None
    """Arriving and leaving, each (K, d) [1/s], for CUBICSPLINE."""

    @property
    def varies(self) -> bool:
        """Whether its value changes in the course of time, beyond the precision of the file."""
        slack = STILL * (1.0 + np.abs(self.values).max())
        if self.tangents is not None and max(np.abs(t).max() for t in self.tangents) > slack:
            return True
        own = self.values
        if self.path == "rotation":
            own = own * np.where(own @ own[0] < 0, -1.0, 1.0)[:, None]  # q and −q are one rotation
        return bool(np.abs(own - own[0]).max() > slack)

    def at(self, times: Array) -> Array:
        """Values at times (T,), (T, d)."""
        last = len(self.times) - 1
        i = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, last)
        j = np.minimum(i + 1, last)
        step = np.where(i == j, 1.0, self.times[j] - self.times[i])
        s = np.clip((times - self.times[i]) / step, 0.0, 1.0)
        s = np.where(i == j, 0.0, s)
        a, b = self.values[i], self.values[j]
        if self.interpolation == "STEP":
            out = a
        elif self.tangents is not None:
            u, h = s[:, None], step[:, None]
            arrive, leave = self.tangents
            out = (
                (2 * u**3 - 3 * u**2 + 1) * a
                + (u**3 - 2 * u**2 + u) * h * leave[i]
                + (3 * u**2 - 2 * u**3) * b
                + (u**3 - u**2) * h * arrive[j]
            )
            out = np.where(u == 0, a, out)
            if self.path == "rotation":
                out = so3.normalise(out)
        elif self.path == "rotation":
            out = np.where(s[:, None] == 0, a, so3.normalise(so3.slerp(a, b, s)))
        else:
            out = np.where(s[:, None] == 0, a, a + s[:, None] * (b - a))
        return np.asarray(out)


@dataclass(frozen=True)
class Animation:
    """One named animation: tracks by node and property."""

    name: str
    tracks: Mapping[tuple[int, str], Track]
    named: bool = True
    """Whether the name is the file's own."""
    extras: object = None
    elsewhere: tuple[str, ...] = ()
    """What else it animates, by an extension's pointers."""

    def key_times(self, nodes: set[int] | None = None) -> Array:
        """Times of all keys of the given nodes (of all) and of morph weights, (K,)."""
        found = [
            t.times
            for (node, path), t in self.tracks.items()
            if nodes is None or node in nodes or path == "weights"
        ]
        return np.concatenate(found) if found else np.zeros(0)


def read_animations(document: Document) -> tuple[Animation, ...]:
    """All animations of the document."""
    labels = animation_labels(document)
    return tuple(_animation(document, i, label) for i, label in enumerate(labels))


def animation_labels(document: Document) -> tuple[str, ...]:
    """A distinct name for each animation; unnamed ones are called by their number."""
    labels: dict[str, None] = {}  # in order
    for i, animation in enumerate(document.items("animations")):
        label = str(animation.get("name") or f"animation {i}")
        while label in labels:
            label = f"{label} ({i})"
        labels[label] = None
    return tuple(labels)


def _animation(document: Document, index: int, name: str) -> Animation:
    content = document.items("animations")[index]
    channels, samplers = content.get("channels", []), content.get("samplers", [])
    if not isinstance(channels, list) or not isinstance(samplers, list):
        raise document.error(f"animation {name!r} has no lists of channels and samplers")
    tracks: dict[tuple[int, str], Track] = {}
    elsewhere: list[str] = []
    for k, channel in enumerate(channels):
        user = f"channel {k} of animation {name!r}"
        target = channel.get("target", {}) if isinstance(channel, dict) else {}
        path, node = target.get("path"), target.get("node")
        if node is None or path not in PATHS:
            elsewhere.append(_pointer(target))
            continue  # extensions animate other things
        document.item("nodes", node, user)
        sampler = channel.get("sampler")
        if not is_whole(sampler) or not 0 <= sampler < len(samplers):
            raise document.error(f"{user} refers to sampler {sampler!r}, but there are {len(samplers)}")
        if (node, path) in tracks:
            raise document.error(f"{user} animates the {path} of node {node} a second time")
        tracks[node, path] = _track(document, samplers[sampler], path, user)
    return Animation(
        name,
        MappingProxyType(tracks),
        bool(content.get("name")),
        content.get("extras"),
        tuple(dict.fromkeys(elsewhere)),
    )


def _pointer(target: object) -> str:
    """What a channel of an extension animates, as the extension puts it."""
    extensions = target.get("extensions") if isinstance(target, dict) else None
    pointing = extensions.get("KHR_animation_pointer") if isinstance(extensions, dict) else None
    pointer = pointing.get("pointer") if isinstance(pointing, dict) else None
    return pointer if isinstance(pointer, str) else "something of an extension"


def _track(document: Document, sampler: object, path: str, user: str) -> Track:
    if not isinstance(sampler, dict):
        raise document.error(f"the sampler of {user} is not an object")
    method = sampler.get("interpolation", "LINEAR")
    if method not in INTERPOLATIONS:
        raise document.error(f"{user} has the unknown interpolation {method!r}")
    for part in ("input", "output"):
        packing = packing_of(document, sampler.get(part), user)
        if packing is not None:
            raise document.error(
                f"{user} is packed with {packing}; export it again without compression of animations"
            )
    times = read_floats(document, sampler.get("input"), f"key times of {user}", "SCALAR")
    if (np.diff(times) <= 0).any():
        raise document.error(f"the key times of {user} do not increase")
    kind = {"weights": "SCALAR", "rotation": "VEC4"}.get(path, "VEC3")
    flat = read_floats(document, sampler.get("output"), f"values of {user}", kind)
    rows = len(times) * (3 if method == "CUBICSPLINE" else 1)
    if path == "weights":
        if len(flat) % rows:
            raise document.error(f"{user} has {len(times)} keys but {len(flat)} values")
        flat = flat.reshape(rows, -1)
    if len(flat) != rows:
        raise document.error(f"{user} has {len(times)} keys but {len(flat)} values")
    if path == "rotation":
        flat = turn_from_gltf(flat)
    elif path != "weights":
        flat = vector_from_gltf(flat)
    tangents = None
    if method == "CUBICSPLINE":
        parts = flat.reshape(len(times), 3, -1)
        tangents, flat = (parts[:, 0], parts[:, 2]), parts[:, 1]
    if path == "rotation":
        length = np.linalg.norm(flat, axis=1, keepdims=True)
        if (length < 1e-6).any():
            raise document.error(f"{user} holds a zero quaternion at key {int(np.argmin(length))}")
        if method != "CUBICSPLINE":  # there the four numbers are interpolated as they stand
            flat = flat / length
    return Track(path, times, np.ascontiguousarray(flat), method, tangents)
