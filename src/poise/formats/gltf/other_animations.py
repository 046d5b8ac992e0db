"""The animations of a file that a clip is not: carried along, key by key, and written back with it.

A written node stands for a body, without the file's scales and with the nodes above the root folded in. Both
changes are affine in a key's translation and linear in its quaternion,

    t ↦ p + R K t,    r ↦ R r,    tangents likewise without p,

so keys keep their times, their interpolation and (to the precision of the file) their meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.formats.gltf.axes import turn_to_gltf, vector_to_gltf
from poise.formats.gltf.container import Json
from poise.formats.gltf.mesh_writer import WrittenSkin
from poise.formats.gltf.mixture import MorphChannel
from poise.formats.gltf.nodes import Frame, NodeTree
from poise.formats.gltf.packer import Packer
from poise.formats.gltf.rig import MADE_UP, Rig, placement
from poise.formats.gltf.tracks import Animation, Track
from poise.manifold import so3


@dataclass(frozen=True, eq=False)
class CarriedTrack:
    """Keys of one property as they are written: glTF's axes, on a body's own node."""

    target: int
    """Body, or for weights the first of the mesh's morph targets in the skin."""
    path: str
    times: Array
    """(K,) [s]"""
    values: Array
    """(K, d), or (K, 3, d) with tangents around each key."""
    interpolation: str


@dataclass(frozen=True, eq=False)
class CarriedAnimation:
    """One animation of the file."""

    name: str
    tracks: tuple[CarriedTrack, ...]
    extras: Any = None


@dataclass(frozen=True, eq=False)
class OtherAnimations:
    """All animations but the one that was read, for the skeleton they were made for."""

    animations: tuple[CarriedAnimation, ...] = ()
    names: tuple[str, ...] = ()
    rest: Array | None = None
    """Offset and rest rotation of each body, (n, 7)."""

    def __len__(self) -> int:
        return len(self.animations)

    def fit(self, character: Character) -> bool:
        """Whether the character still has the skeleton they were made for."""
        if self.rest is None or self.names != character.names:
            return False
        return np.array_equal(self.rest, _rest(character))

    def written(self, packer: Packer, first_mesh: int, skin: WrittenSkin | None) -> list[Json]:
        """As animations of a document whose node i is body i and whose meshes begin at ``first_mesh``."""
        clocks: dict[bytes, int] = {}
        meshes = {m[0]: i for i, m in enumerate(skin.morphs) if m} if skin is not None else {}
        out: list[Json] = []
        for animation in self.animations:
            channels: list[Json] = []
            samplers: list[Json] = []
            for track in animation.tracks:
                node = track.target
                if track.path == "weights":
                    if node not in meshes:
                        continue  # written without its mesh
                    node = first_mesh + meshes[node]
                times = track.times.astype(np.float32)
                key = times.tobytes()
                if key not in clocks:
                    clocks[key] = packer.add(times, "SCALAR", bounds=True)
                values = np.asarray(track.values, dtype=np.float32)
                kind = {"weights": "SCALAR", "rotation": "VEC4"}.get(track.path, "VEC3")
                flat = values.ravel() if kind == "SCALAR" else values.reshape(-1, values.shape[-1])
                channels.append({"sampler": len(samplers), "target": {"node": node, "path": track.path}})
                samplers.append(
                    {
                        "input": clocks[key],
                        "output": packer.add(flat, kind),
                        "interpolation": track.interpolation,
                    }
                )
            if channels:
                said: Json = {"channels": channels, "samplers": samplers}
                said |= {"name": animation.name} if animation.name else {}
                said |= {"extras": animation.extras} if animation.extras is not None else {}
                out.append(said)
        return out


def carried(
    tree: NodeTree,
    rig: Rig,
    animations: Sequence[Animation],
    chosen: Animation | None,
    channels: Sequence[MorphChannel],
    character: Character,
) -> OtherAnimations:
    """Every animation but the chosen one, on the rig's bodies and the skin's morph targets."""
    out = []
    for animation in animations:
        if animation is chosen:
            continue
        tracks: list[CarriedTrack] = []
        for name, node, base in zip(rig.names, rig.nodes, rig.bases):
            for path in ("translation", "rotation", "scale"):
                track = animation.tracks.get((node, path)) if node != MADE_UP else None
                if track is not None:
                    tracks.append(_on_body(track, character.index(name), base, tree.scales[node]))
        for channel in channels:
            track = animation.tracks.get((channel.node, "weights"))
            if track is not None and track.values.shape[1] == len(channel.rest):
                tracks.append(_carried(track, channel.first, track.values, track.tangents))
        out.append(
            CarriedAnimation(animation.name if animation.named else "", tuple(tracks), animation.extras)
        )
    return OtherAnimations(tuple(out), character.names, _rest(character)) if out else OtherAnimations()


def _on_body(track: Track, body: int, base: Frame, scale: Array) -> CarriedTrack:
    still = np.zeros(3)

    def place(values: Array) -> Array:
        return vector_to_gltf(placement(base, values, so3.IDENTITY)[0])

    def slope(values: Array) -> Array:
        return place(values) - place(still)

    def turn(values: Array) -> Array:
        return turn_to_gltf(so3.multiply(base.turn, values))

    def stretch(values: Array) -> Array:
        return vector_to_gltf(values / np.where(scale == 0, 1.0, scale))

    key, rate = {
        "translation": (place, slope),
        "rotation": (turn, turn),
        "scale": (stretch, stretch),
    }[track.path]
    tangents = track.tangents
    return _carried(
        track, body, key(track.values), None if tangents is None else (rate(tangents[0]), rate(tangents[1]))
    )


def _carried(track: Track, target: int, values: Array, tangents: tuple[Array, Array] | None) -> CarriedTrack:
    if tangents is not None:
        values = np.stack([tangents[0], values, tangents[1]], axis=1)
    return CarriedTrack(target, track.path, track.times, values, track.interpolation)


def _rest(character: Character) -> Array:
    return np.array([np.concatenate([b.offset, b.rest]) for b in character.bodies])
