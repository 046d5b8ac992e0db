"""The objects of an FBX file: what they are called, their properties, and how they are connected.

Properties that an object does not state are those of the template of its kind. A connection leads from an
object to what it belongs to ("OO"), or to a property of that ("OP").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.formats.fbx.records import Record, RecordFile

TICKS = 46_186_158_000
"""Ticks of FBX's clock in a second."""
COARSE_TICKS = 141_120_000
"""The same of the clock that files from 7.7 on may choose."""
CLOCK_SAID, OLD_CLOCK = 1004, 127
"""Headers from this version on may say a clock, and the number of the older one."""


@dataclass(frozen=True, eq=False)
class FbxObject:
    """A model, a geometry, a curve … with its properties."""

    identity: int
    kind: str
    """"Model", "Geometry", "Deformer" …"""
    subkind: str
    """"LimbNode", "Mesh", "Cluster" …"""
    name: str
    record: Record
    properties: dict[str, tuple[Any, ...]] = field(repr=False)

    def vector(self, name: str, default: float = 0.0) -> Array:
        """Three numbers."""
        values = self.properties.get(name, ())
        good = len(values) >= 3 and all(isinstance(v, (int, float)) for v in values[:3])
        return np.array(values[:3] if good else [default] * 3, dtype=np.float64)

    def number(self, name: str, default: float = 0.0) -> float:
        """One number."""
        values = self.properties.get(name, ())
        return float(values[0]) if values and isinstance(values[0], (int, float)) else default


class FbxObjects:
    """All objects by identity, and their connections."""

    def __init__(self, file: RecordFile) -> None:
        self.file = file
        self.ticks = _ticks(file.top)
        """Of the file's clock in a second."""
        templates = _templates(file.top)
        settings = file.top.get("GlobalSettings")
        self.settings = _properties(settings) if settings is not None else {}
        self.every: dict[int, FbxObject] = {}
        for record in (file.top.get("Objects") or Record("")).inside:
            made = _object(record, templates)
            if made is not None:
                self.every[made.identity] = made
        self._below: dict[int, list[tuple[int, str]]] = defaultdict(list)
        self._above: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for record in (file.top.get("Connections") or Record("")).all("C"):
            values = record.values
            if len(values) < 3 or not all(isinstance(v, int) for v in values[1:3]):
                continue
            child, parent = int(values[1]), int(values[2])
            what = str(values[3]) if values[0] == "OP" and len(values) > 3 else ""
            self._below[parent].append((child, what))
            self._above[child].append((parent, what))

    def of(self, kind: str, subkind: str = "") -> Iterator[FbxObject]:
        """All objects of a kind, in the file's order."""
        return (o for o in self.every.values() if o.kind == kind and (not subkind or o.subkind == subkind))

    def below(self, owner: int, kind: str, subkind: str = "") -> list[FbxObject]:
        """What belongs to an object."""
        found = (self.every.get(child) for child, what in self._below[owner] if not what)
        return [
            o for o in found if o is not None and o.kind == kind and (not subkind or o.subkind == subkind)
        ]

    def of_property(self, owner: int, kind: str) -> list[tuple[FbxObject, str]]:
        """What drives properties of an object, and which."""
        found = ((self.every.get(child), what) for child, what in self._below[owner] if what)
        return [(o, what) for o, what in found if o is not None and o.kind == kind]

    def above(self, member: int, kind: str) -> list[tuple[FbxObject, str]]:
        """What an object belongs to, and as which property of it."""
        found = ((self.every.get(parent), what) for parent, what in self._above[member])
        return [(o, what) for o, what in found if o is not None and o.kind == kind]

    def setting(self, name: str, default: float) -> float:
        """A number of the file's global settings."""
        values = self.settings.get(name, ())
        return float(values[0]) if values and isinstance(values[0], (int, float)) else default


def _object(record: Record, templates: dict[str, dict[str, tuple[Any, ...]]]) -> FbxObject | None:
    values = record.values
    if len(values) < 3 or not isinstance(values[0], int) or isinstance(values[0], bool):
        return None
    name = _readable(str(values[1]).split("\x00")[0])
    properties = {**templates.get(record.name, {}), **_properties(record)}
    return FbxObject(int(values[0]), record.name, str(values[2]), name, record, properties)


def _readable(text: str) -> str:
    """Text without what is no letter: files of old programs hold names in other encodings."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _ticks(top: Record) -> int:
    header = top.get("FBXHeaderExtension") or Record("")
    version, clock = (
        header.value("FBXHeaderVersion"),
        (header.get("OtherFlags") or Record("")).value("TCDefinition"),
    )
    said = isinstance(version, int) and version >= CLOCK_SAID and clock is not None
    return COARSE_TICKS if said and clock != OLD_CLOCK else TICKS


def _templates(top: Record) -> dict[str, dict[str, tuple[Any, ...]]]:
    found: dict[str, dict[str, tuple[Any, ...]]] = {}
    for kind in (top.get("Definitions") or Record("")).all("ObjectType"):
        template = kind.get("PropertyTemplate")
        if template is not None and kind.values:
            found[str(kind.values[0])] = _properties(template)
    return found


def _properties(record: Record) -> dict[str, tuple[Any, ...]]:
    """Name → values of ``P: name, type, label, flags, values …``."""
    listed = record.get("Properties70")
    rows = listed.all("P") if listed is not None else ()
    return {str(row.values[0]): row.values[4:] for row in rows if len(row.values) >= 4}
