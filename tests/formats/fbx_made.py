"""FBX files with the conventions of other programs, made record by record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poise.formats.fbx.objects import TICKS
from poise.formats.fbx.records import Record, Wide, file_bytes

_WHOLE = ("enum", "")
_KINDS = {
    "RotationActive": ("bool", ""), "RotationOrder": _WHOLE, "InheritType": _WHOLE, "TimeMode": _WHOLE,
    "BlendMode": _WHOLE, "RotationAccumulationMode": _WHOLE, "ScaleAccumulationMode": _WHOLE,
    "DeformPercent": ("Number", ""), "Weight": ("Number", ""), "Mute": ("bool", ""), "Solo": ("bool", ""),
    "DiffuseColor": ("Color", ""),
}  # fmt: skip
"""What properties are said to be, where their values do not tell."""


def p(name: str, *values: Any) -> Record:
    told = ("double", "Number") if isinstance(values[0], float) else ("int", "Integer")
    told = ("Vector3D", "Vector") if len(values) == 3 else ("KTime", "Time") if "Local" in name else told
    flags = "A" if name.startswith(("Lcl", "Deform", "Weight", "Diffuse")) else ""
    return Record("P", (name, *_KINDS.get(name, told), flags, *values))


class MadeFbx:
    """A file that grows: models, takes with keys, meshes."""

    def __init__(self, *, ticks: int = TICKS, **settings: Any) -> None:
        self.ticks = ticks
        self.settings = {"UnitScaleFactor": 1.0, "TimeMode": 6, **settings}
        self.objects: list[Record] = []
        self.links: list[Record] = []
        self.count = 100
        self.stack = Wide(0)

    def new(self) -> Wide:
        self.count += 1
        return Wide(self.count)

    def link(self, child: int, parent: int, what: str = "") -> None:
        tail = (what,) if what else ()
        self.links.append(Record("C", ("OP" if what else "OO", Wide(child), Wide(parent), *tail)))

    def thing(self, kind: str, name: str, subkind: str, *inside: Record, **properties: Any) -> Wide:
        identity = self.new()
        rows = [p(n.replace("_", " "), *(v if isinstance(v, tuple) else (v,))) for n, v in properties.items()]
        listed = (Record("Properties70", (), tuple(rows)),) if rows else ()
        named = kind.replace("Animation", "Anim") if kind.startswith("Animation") else kind
        named = "SubDeformer" if subkind in ("Cluster", "BlendShapeChannel") else named
        self.objects.append(Record(kind, (identity, f"{name}\0\1{named}", subkind), (*listed, *inside)))
        return identity

    def model(self, name: str, parent: int = 0, subkind: str = "LimbNode", **properties: Any) -> Wide:
        made = self.thing("Model", name, subkind, **properties)
        self.link(made, parent)
        return made

    def take(self, name: str, seconds: float, start: float = 0.0) -> Wide:
        stop = Wide(round(seconds * self.ticks))
        stack = self.thing(
            "AnimationStack", name, "", LocalStart=Wide(round(start * self.ticks)), LocalStop=stop
        )
        self.stack = stack
        return self.layer("Base")

    def layer(self, name: str, **properties: Any) -> Wide:
        """One more layer of the last take."""
        layer = self.thing("AnimationLayer", name, "", **properties)
        self.link(layer, self.stack)
        return layer

    def keys(
        self, layer: int, owner: int, what: str, part: str, times: Any, values: Any, **more: Any
    ) -> None:
        """A curve; ``flags`` (attributes,), ``data`` (attributes, 4), ``shares`` (attributes,), and how it
        goes on before its keys and after, ``beyond``: a letter, and how often."""
        self._curve(self.curve_node(layer, owner, what), part, times, values, more)

    def keys3(self, layer: int, owner: int, what: str, times: Any, values: Any) -> None:
        """Curves of three numbers (K, 3), joined by lines."""
        node = self.curve_node(layer, owner, what)
        for part, column in zip(("d|X", "d|Y", "d|Z"), np.asarray(values).T, strict=True):
            self._curve(node, part, times, column, {})

    def curve_node(self, layer: int, owner: int, what: str) -> Wide:
        """What holds the curves of a property; ``layer`` 0: a property of a layer itself."""
        node = self.thing("AnimationCurveNode", "N", "")
        if layer:
            self.link(node, layer)
        self.link(node, owner, what)
        return node

    def _curve(self, node: int, part: str, times: Any, values: Any, more: dict[str, Any]) -> None:
        flags = np.asarray(more.get("flags", [4]), dtype=np.int32)
        data = np.asarray(more.get("data", np.zeros((len(flags), 4))), dtype=np.float32)
        shares = np.asarray(more.get("shares", [len(times)]), dtype=np.int32)
        ticks = np.round(np.asarray(times) * self.ticks).astype(np.int64)
        goes_on = [
            Record(name, (), (Record("Type", (ord(way),), kinds="C"), Record("Repetition", (often,))))
            for name, (way, often) in zip(("Pre-Extrapolation", "Post-Extrapolation"), more.get("beyond", ()))
        ]
        curve = self.thing(
            "AnimationCurve", "", "", *goes_on,
            Record("KeyTime", (ticks,)),
            Record("KeyValueFloat", (np.asarray(values, dtype=np.float32),)),
            Record("KeyAttrFlags", (flags,)),
            Record("KeyAttrDataFloat", (data.ravel(),)),
            Record("KeyAttrRefCount", (shares,)),
        )  # fmt: skip
        self.link(curve, node, part)

    def write(self, path: Path, version: int = 7400) -> Path:
        rows = tuple(p(name, value) for name, value in self.settings.items())
        clock = Record("OtherFlags", (), (Record("TCDefinition", (0 if self.ticks != TICKS else 127,)),))
        header = (Record("FBXHeaderVersion", (1004 if version >= 7700 else 1003,)),)
        header += (clock,) if version >= 7700 else ()
        records = [
            Record("FBXHeaderExtension", (), header),
            Record("GlobalSettings", (), (Record("Properties70", (), rows),)),
            Record("Objects", (), tuple(self.objects)),
            Record("Connections", (), tuple(self.links)),
        ]
        path.write_bytes(file_bytes(records, version))
        return path


SQUARE = np.array([[0, 0, 0], [10, 0, 0], [10, 10, 0], [0, 10, 0], [20, 0, 0], [20, 10, 0]], dtype=np.float64)
CORNERS = np.array([0, 1, 2, -4, 1, 4, 5, -3], dtype=np.int32)
"""Two squares side by side."""
LEFT, RIGHT = [[0, 0.5], [0.4, 0.5], [0.4, 1], [0, 1]], [[0.6, 0], [1, 0], [1, 0.4], [0.6, 0.4]]
"""Places on the picture: the upper left quarter, and the lower right."""
TIMES = np.arange(13) / 24
REST = np.array([10.0, 20.0, 30.0])


def painted(path, *, content=b"", name="C:\\art\\skin.png", by="ByPolygonVertex", layered=False):
    made = MadeFbx(TimeMode=11)
    root = made.model("Hips", Lcl_Translation=(0.0, 90.0, 0.0))
    head = made.model("Head", root, Lcl_Translation=(0.0, 50.0, 0.0))
    uv = np.array([*LEFT, *RIGHT], dtype=np.float64)
    order = np.arange(8, dtype=np.int32)
    if by == "ByVertice":
        uv, order = uv[:6], np.arange(6, dtype=np.int32)
    mesh = made.thing(
        "Geometry", "Card", "Mesh",
        Record("Vertices", (SQUARE.ravel(),)), Record("PolygonVertexIndex", (CORNERS,)),
        Record("LayerElementUV", (0,), (
            Record("MappingInformationType", (by,)), Record("ReferenceInformationType", ("IndexToDirect",)),
            Record("UV", (uv.ravel(),)), Record("UVIndex", (order,)),
        )),
    )  # fmt: skip
    shape = made.thing(
        "Geometry", "wide", "Shape", Record("Indexes", (np.array([1, 2], dtype=np.int32),)),
        Record("Vertices", (np.array([[1.0, 0, 0], [0, 2.0, 0]]).ravel(),)),
    )  # fmt: skip
    blend = made.thing("Deformer", "", "BlendShape")
    channel = made.thing("Deformer", "wide", "BlendShapeChannel", DeformPercent=0.0)
    card = made.model("Card", head, "Mesh")
    for child, parent in ((mesh, card), (blend, mesh), (channel, blend), (shape, channel)):
        made.link(child, parent)
    skin = made.thing("Material", "skin", "", DiffuseColor=(0.2, 0.3, 0.4))
    plain = made.thing("Texture", "bumps", "", Record("FileName", ("C:\\art\\bumps.png",)))
    texture = made.thing("Texture", "colour", "", Record("RelativeFilename", (name,)))
    inside = [Record("RelativeFilename", (name,))] + ([Record("Content", (content,))] if content else [])
    video = made.thing("Video", "colour", "Clip", *inside)
    made.link(skin, card)
    made.link(plain, skin, "NormalMap")
    made.link(video, texture)
    if layered:
        several = made.thing("LayeredTexture", "l", "")
        made.link(texture, several)
        texture = several
    made.link(texture, skin, "DiffuseColor")
    made.keys(made.take("nod", 0.5), head, "Lcl Rotation", "d|X", np.arange(13) / 24, np.linspace(0, 30, 13))
    return made.write(path)


def layered(path, *, base=True, weight=None, **properties):
    """A knee that turns in two layers, hips that move in both; returns keys (K, 3) of lower and upper."""
    rng = np.random.default_rng(4)
    made = MadeFbx(TimeMode=11)
    hips = made.model("Hips", Lcl_Translation=(0.0, 90.0, 0.0))
    own = {"RotationActive": 1, "RotationOrder": 2}
    knee = made.model("Knee", hips, Lcl_Translation=(0.0, -40.0, 0.0), Lcl_Rotation=tuple(REST), **own)
    made.model("Foot", knee, Lcl_Translation=(0.0, -40.0, 5.0))
    low = made.take("kick", 0.5)
    up = made.layer("Up", **properties)
    turns, moves = rng.normal(0, 25, (2, 13, 3)), rng.normal(0, 5, (2, 13, 3))
    made.keys3(low, hips, "Lcl Translation", TIMES, moves[0])
    if base:
        made.keys3(low, knee, "Lcl Rotation", TIMES, turns[0])
    made.keys3(up, knee, "Lcl Rotation", TIMES, turns[1])
    made.keys3(up, hips, "Lcl Translation", TIMES, moves[1])
    if weight is not None:
        made.keys(up, up, "Weight", "d|Weight", TIMES, weight)
    made.write(path)
    return turns if base else [np.tile(REST, (13, 1)), turns[1]], moves


def swinging(path: Path) -> Path:
    """A knee whose sparse keys leave slopes to readers: automatic with a bias, clamped, by tension."""
    made = MadeFbx(TimeMode=11)
    hips = made.model("Hips", Lcl_Translation=(0.0, 90.0, 0.0))
    knee = made.model("Knee", hips, Lcl_Translation=(0.0, -40.0, 0.0))
    made.model("Foot", knee, Lcl_Translation=(0.0, -40.0, 5.0))
    made.keys(
        made.take("swing", 2.0), knee, "Lcl Rotation", "d|X", [0.0, 0.4, 0.9, 1.2, 2.0],
        [0.0, 40.0, 70.0, 70.0, -20.0], flags=[0x108, 0x108, 0x6108, 0x1108, 0x208],
        data=[[60, -30, 0, 0], [30, 600, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0.2, -0.4, 0.3, 0]],
        shares=[1] * 5,
    )  # fmt: skip
    return made.write(path)


def cycling(path: Path) -> Path:
    """Curves that go on beyond their keys: repeated, further each time, there and back, straight on."""
    made = MadeFbx(TimeMode=11)
    hips = made.model("Hips", Lcl_Translation=(0.0, 90.0, 0.0))
    knee = made.model("Knee", hips, Lcl_Translation=(0.0, -40.0, 0.0))
    take = made.take("cycle", 1.5, start=-0.5)
    times, values = [0.1, 0.3, 0.4], [0.0, 30.0, 10.0]
    made.keys(take, knee, "Lcl Rotation", "d|X", times, values, beyond=[("M", 2), ("R", -1)])
    made.keys(take, hips, "Lcl Translation", "d|Z", times, values, beyond=[("K", -1), ("A", 3)])
    return made.write(path)
