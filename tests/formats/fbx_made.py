"""FBX files with the conventions of other programs, made record by record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poise.formats.fbx.objects import TICKS
from poise.formats.fbx.records import Record, Wide, file_bytes


def p(name: str, *values: Any) -> Record:
    return Record("P", (name, "", "", "A", *values))


class MadeFbx:
    """A file that grows: models, takes with keys, meshes."""

    def __init__(self, **settings: Any) -> None:
        self.settings = {"UnitScaleFactor": 1.0, "TimeMode": 6, **settings}
        self.objects: list[Record] = []
        self.links: list[Record] = []
        self.count = 100

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
        self.objects.append(Record(kind, (identity, f"{name}\0\1{kind}", subkind), (*listed, *inside)))
        return identity

    def model(self, name: str, parent: int = 0, subkind: str = "LimbNode", **properties: Any) -> Wide:
        made = self.thing("Model", name, subkind, **properties)
        self.link(made, parent)
        return made

    def take(self, name: str, seconds: float) -> Wide:
        stop = Wide(round(seconds * TICKS))
        stack = self.thing("AnimationStack", name, "", LocalStart=Wide(0), LocalStop=stop)
        layer = self.thing("AnimationLayer", "Base", "")
        self.link(layer, stack)
        return layer

    def keys(
        self, layer: int, owner: int, what: str, part: str, times: Any, values: Any, **more: Any
    ) -> None:
        """A curve; ``flags`` (attributes,), ``data`` (attributes, 4), ``shares`` (attributes,)."""
        node = self.thing("AnimationCurveNode", "N", "")
        self.link(node, layer)
        self.link(node, owner, what)
        flags = np.asarray(more.get("flags", [4]), dtype=np.int32)
        data = np.asarray(more.get("data", np.zeros((len(flags), 4))), dtype=np.float32)
        shares = np.asarray(more.get("shares", [len(times)]), dtype=np.int32)
        ticks = np.round(np.asarray(times) * TICKS).astype(np.int64)
        curve = self.thing(
            "AnimationCurve", "", "",
            Record("KeyTime", (ticks,)),
            Record("KeyValueFloat", (np.asarray(values, dtype=np.float32),)),
            Record("KeyAttrFlags", (flags,)),
            Record("KeyAttrDataFloat", (data.ravel(),)),
            Record("KeyAttrRefCount", (shares,)),
        )  # fmt: skip
        self.link(curve, node, part)

    def write(self, path: Path, version: int = 7400) -> Path:
        rows = tuple(p(name, value) for name, value in self.settings.items())
        records = [
            Record("GlobalSettings", (), (Record("Properties70", (), rows),)),
            Record("Objects", (), tuple(self.objects)),
            Record("Connections", (), tuple(self.links)),
        ]
        path.write_bytes(file_bytes(records, version))
        return path
