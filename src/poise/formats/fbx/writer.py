"""Writing: a character, its skin and one motion as a binary FBX 7.4 file.

    y is up, z ahead, a unit is a centimetre, angles are Euler angles in the order x, y, z [deg]

which is what Maya, Unreal, Unity and Blender take without turning or scaling anything. Every frame is a key,
joined by lines. Characters without a skin get one made of their solids.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.character import Character, Skin
from poise.errors import InputError
from poise.files import write_bytes
from poise.formats.cycle import with_closing_frame
from poise.formats.fbx.editing import edited, own_file, revision
from poise.formats.fbx.objects import TICKS
from poise.formats.fbx.records import MADE, WRITTEN, Record, Wide, file_bytes
from poise.formats.fbx.skin_records import SkinRecords
from poise.formats.fbx.take_records import channel_records, link_record, property_record
from poise.formats.gltf.axes import turn_to_gltf, vector_to_gltf
from poise.formats.gltf.figure import figure_skin
from poise.formats.gltf.local_motion import TRANSLATES, local_motion
from poise.formats.gltf.losses import left_behind as belongings
from poise.manifold import so3
from poise.manifold.euler import continuous_euler
from poise.motion import Clip
from poise.version import __version__

CENTIMETRES = 100.0
"""In a metre: the unit of files."""
STACK, LAYER, FIRST = 500, 501, 1000
"""Identities: of the take, of its layer, and of the first object."""


def losses(clip: Clip, *, fresh: bool = False) -> tuple[str, ...]:
    """What a clip, or the file it came from, has that its new FBX file will not."""
    made = "" if fresh else revision(clip)
    if not isinstance(made, str):
        return made[1].notes
    skin = clip.character.skin
    shaded = skin is not None and skin.extras
    lost = ["shaders of the skin (colours and their pictures stay)"] if shaded else []
    if clip.loop:
        lost.append("that the motion loops (the closing frame is written)")
    if clip.source is not None and own_file(clip) is not None:
        rest = left_behind(clip, skin=True) or "nothing but how it was put together"
        why = f"{made}, so a" if made else "a"
        lost.append(f"{why} new file is written; of {Path(clip.source.path).name} are left out: {rest}")
    return tuple(lost)


def left_behind(clip: Clip, *, skin: bool) -> str:
    """What the clip's own FBX file holds beside it, counted and named; ``skin``: but for what it wears."""
    found = own_file(clip)
    if found is None or clip.source is None:
        return ""
    return belongings(found[1], clip.source.animation, skin=skin)


def save(clip: Clip, path: str | Path, *, mesh: bool = True, fresh: bool = False) -> None:
    """Write a clip; ``mesh=False``: skeleton and motion alone.

    A clip that came from an FBX file changes its take there and nothing else; ``fresh`` writes a new file all
    the same.
    """
    if mesh and not fresh and not isinstance(made := revision(clip), str):
        write_bytes(path, edited(*made))
        return
    q = with_closing_frame(clip)
    if not np.isfinite(q).all():
        raise InputError(f"{clip.name or 'the clip'} holds values that are not finite")
    write_bytes(path, file_bytes(_Writer(clip, q).records(mesh=mesh)))


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
        self.links.append(link_record(child, parent, what))

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
                    self._channel(channel, "DeformPercent", 100.0 * closed[:, None])
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
                self._channel(bone, "Lcl Translation", CENTIMETRES * vector_to_gltf(places[i]))
            if character.bodies[i].joint.nv:
                self._channel(bone, "Lcl Rotation", _angles(turns[i]))

    def _channel(self, owner: int, what: str, values: Array) -> None:
        """Curves (F, k) that drive a property."""
        node, objects, links = channel_records(self.new(), what, values, self.times)
        self._next += len(links)
        self.objects += objects
        self.links += links
        self.link(node, LAYER)
        self.link(node, owner, what)

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
        yield from MADE
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
