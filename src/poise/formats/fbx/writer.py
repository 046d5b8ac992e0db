"""Writing: a character, its skin and one motion as a binary FBX 7.4 file.

    y is up, z ahead, a unit is a centimetre, angles are Euler angles in the order x, y, z [deg]

which is what Maya, Unreal, Unity and Blender take without turning or scaling anything. Every frame is a key,
joined by lines. Characters without a skin get one made of their solids.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character, Skin
from poise.errors import InputError
from poise.files import write_bytes
from poise.formats.cycle import with_closing_frame
from poise.formats.fbx.objects import TICKS
from poise.formats.fbx.records import WRITTEN, Record, Wide, file_bytes
from poise.formats.fbx.skin_records import SkinRecords
from poise.formats.gltf.axes import turn_to_gltf, vector_to_gltf
from poise.formats.gltf.figure import figure_skin
from poise.formats.gltf.local_motion import TRANSLATES, local_motion
from poise.manifold import so3
from poise.manifold.euler import continuous_euler
from poise.motion import Clip
from poise.version import __version__

CENTIMETRES = 100.0
LINE = np.array([4], dtype=np.int32)
"""How keys go on to the next: joined by lines."""
STACK, LAYER, FIRST = 500, 501, 1000
"""Identities: of the take, of its layer, and of the first object."""


def losses(clip: Clip) -> tuple[str, ...]:
    """What a clip has that its FBX file will not."""
    skin = clip.character.skin
    lost = ["textures and shaders of the skin (colours stay)"] if skin is not None and skin.extras else []
    if clip.loop:
        lost.append("that the motion loops (the closing frame is written)")
    return tuple(lost)


def save(clip: Clip, path: str | Path, *, mesh: bool = True) -> None:
    """Write a clip; ``mesh=False``: skeleton and motion alone."""
    q = with_closing_frame(clip)
    if not np.isfinite(q).all():
        raise InputError(f"{clip.name or 'the clip'} holds values that are not finite")
    write_bytes(path, file_bytes(_Writer(clip, q).records(mesh=mesh)))


def property_record(name: str, kind: str, label: str, flags: str, *values: Any) -> Record:
    """A row of properties."""
    return Record("P", (name, kind, label, flags, *values))


class _Writer:
    def __init__(self, clip: Clip, q: Array) -> None:
        self.clip, self.q = clip, q
        self.objects: list[Record] = []
        self.links: list[Record] = []
        self._next = FIRST
        seconds = np.array([float(k / clip.rate) for k in range(len(q))])
        self.times = np.round(seconds * TICKS).astype(np.int64)

    def new(self) -> Wide:
        self._next += 1
        return Wide(self._next)

    def link(self, child: int, parent: int, what: str = "") -> None:
        kind = ("OP", Wide(child), Wide(parent), what) if what else ("OO", Wide(child), Wide(parent))
        self.links.append(Record("C", kind))

    def records(self, *, mesh: bool) -> list[Record]:
        """The outermost records."""
        character = self.clip.character
        bones = self._skeleton(character)
        self._take()
        self._motion(character, bones)
        if mesh:
            skin: Skin = character.skin or figure_skin(character, self.clip.q)
            made = SkinRecords(self, character, skin, bones)
            made.write()
            if self.clip.morphs is not None:
                for channel, weights in zip(made.channels, self.clip.morphs.T, strict=False):
                    closed = weights if len(weights) == len(self.q) else np.append(weights, weights[:1])
                    self._channel(channel, "DeformPercent", ["DeformPercent"], 100.0 * closed[:, None])
        return [
            *self._head(),
            Record("Objects", (), tuple(self.objects)),
            Record("Connections", (), tuple(self.links)),
            self._takes(),
        ]

    def _skeleton(self, character: Character) -> list[Wide]:
        places, turns = local_motion(character, character.rest_pose()[None])
        angles = _angles(turns[:, 0])
        bones: list[Wide] = []
        for i, body in enumerate(character.bodies):
            bone, looks = self.new(), self.new()
            place = CENTIMETRES * vector_to_gltf(places[i, 0])
            rows = (
                property_record("RotationActive", "bool", "", "", 1),
                property_record("InheritType", "enum", "", "", 1),
                property_record("Lcl Translation", "Lcl Translation", "", "A", *map(float, place)),
                property_record("Lcl Rotation", "Lcl Rotation", "", "A", *map(float, angles[i])),
            )
            self.objects += [
                Record(
                    "NodeAttribute",
                    (looks, f"{body.name}\0\1NodeAttribute", "LimbNode"),
                    (Record("TypeFlags", ("Skeleton",)),),
                ),
                Record(
                    "Model",
                    (bone, f"{body.name}\0\1Model", "LimbNode"),
                    (
                        Record("Version", (232,)),
                        Record("Properties70", (), rows),
                        Record("Shading", (True,)),
                        Record("Culling", ("CullingOff",)),
                    ),
                ),
            ]
            self.link(looks, bone)
            parent = character.parents[i]
            self.link(bone, bones[parent] if parent >= 0 else 0)
            bones.append(bone)
        return bones

    def _take(self) -> None:
        span = [
            property_record(f"{name}{end}", "KTime", "Time", "", Wide(int(at)))
            for name in ("Local", "Reference")
            for end, at in (("Start", 0), ("Stop", self.times[-1]))
        ]
        name = self.clip.name or "motion"
        self.objects.append(
            Record(
                "AnimationStack",
                (Wide(STACK), f"{name}\0\1AnimStack", ""),
                (Record("Properties70", (), tuple(span)),),
            )
        )
        self.objects.append(Record("AnimationLayer", (Wide(LAYER), "BaseLayer\0\1AnimLayer", "")))
        self.link(LAYER, STACK)

    def _motion(self, character: Character, bones: list[Wide]) -> None:
        places, turns = local_motion(character, self.q)
        for i, bone in enumerate(bones):
            if character.bodies[i].joint.kind in TRANSLATES:
                self._channel(
                    bone, "Lcl Translation", ["d|X", "d|Y", "d|Z"], CENTIMETRES * vector_to_gltf(places[i])
                )
            if character.bodies[i].joint.nv:
                self._channel(bone, "Lcl Rotation", ["d|X", "d|Y", "d|Z"], _angles(turns[i]))

    def _channel(self, owner: int, what: str, parts: list[str], values: Array) -> None:
        """Curves (F, k) that drive a property."""
        node = self.new()
        name = {"Lcl Translation": "T", "Lcl Rotation": "R"}.get(what, what)
        rest = tuple(
            property_record(part, "Number", "", "A", float(v))
            for part, v in zip(parts, values[0], strict=True)
        )
        self.objects.append(
            Record(
                "AnimationCurveNode",
                (node, f"{name}\0\1AnimCurveNode", ""),
                (Record("Properties70", (), rest),),
            )
        )
        self.link(node, LAYER)
        self.link(node, owner, what)
        count = np.array([len(self.times)], dtype=np.int32)
        for part, column in zip(parts, values.T, strict=True):
            curve = self.new()
            keys = (
                Record("Default", (float(column[0]),)),
                Record("KeyVer", (4008,)),
                Record("KeyTime", (self.times,)),
                Record("KeyValueFloat", (column.astype(np.float32),)),
                Record("KeyAttrFlags", (LINE,)),
                Record("KeyAttrDataFloat", (np.zeros(4, dtype=np.float32),)),
                Record("KeyAttrRefCount", (count,)),
            )
            self.objects.append(Record("AnimationCurve", (curve, "\0\1AnimCurve", ""), keys))
            self.link(curve, node, part)

    def _head(self) -> Iterator[Record]:
        whole = {
            "UpAxis": 1,
            "UpAxisSign": 1,
            "FrontAxis": 2,
            "FrontAxisSign": 1,
            "CoordAxis": 0,
            "CoordAxisSign": 1,
        }
        rows = [property_record(name, "int", "Integer", "", value) for name, value in whole.items()]
        rows += [
            property_record("UnitScaleFactor", "double", "Number", "", 1.0),
            property_record("TimeMode", "enum", "", "", 14),
            property_record("CustomFrameRate", "double", "Number", "", float(self.clip.rate)),
            property_record("TimeSpanStart", "KTime", "Time", "", Wide(0)),
            property_record("TimeSpanStop", "KTime", "Time", "", Wide(int(self.times[-1]))),
        ]
        yield Record(
            "FBXHeaderExtension",
            (),
            (
                Record("FBXHeaderVersion", (1003,)),
                Record("FBXVersion", (WRITTEN,)),
                Record("Creator", (f"Poise {__version__}",)),
            ),
        )
        yield Record(
            "GlobalSettings", (), (Record("Version", (1000,)), Record("Properties70", (), tuple(rows)))
        )
        yield Record(
            "Documents",
            (),
            (
                Record("Count", (1,)),
                Record("Document", (Wide(1), "", "Scene"), (Record("RootNode", (Wide(0),)),)),
            ),
        )
        yield Record("References")
        kinds = [record.name for record in self.objects]
        types = [
            Record("ObjectType", (kind,), (Record("Count", (kinds.count(kind),)),))
            for kind in dict.fromkeys(kinds)
        ]
        settings = Record("ObjectType", ("GlobalSettings",), (Record("Count", (1,)),))
        yield Record(
            "Definitions",
            (),
            (Record("Version", (100,)), Record("Count", (len(kinds) + 1,)), settings, *types),
        )

    def _takes(self) -> Record:
        return Record("Takes", (), (Record("Current", (self.clip.name or "motion",)),))


def _angles(turns: Array) -> Array:
    """Angles about x, y, z (F, 3) [deg] of our quaternions (F, 4), continuous in time."""
    there = np.roll(turn_to_gltf(so3.normalise(turns)), 1, axis=-1)
    return np.degrees(continuous_euler(there, "zyx"))[..., ::-1]
