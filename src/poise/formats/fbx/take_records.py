"""Curves of a take as records: a node for a property, a curve with a key per frame for each number of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.formats.fbx.records import Record, Wide

LINE = np.array([4], dtype=np.int32)
"""How keys go on to the next: joined by lines."""
_SHORT = {"Lcl Translation": "T", "Lcl Rotation": "R", "Lcl Scaling": "S"}


def property_record(name: str, kind: str, label: str, flags: str, *values: Any) -> Record:
    """A row of properties."""
    return Record("P", (name, kind, label, flags, *values))


def link_record(child: int, parent: int, what: str = "") -> Record:
    """A connection to an object, or to one of its properties."""
    tail = (what,) if what else ()
    return Record("C", ("OP" if what else "OO", Wide(child), Wide(parent), *tail))


def channel_records(
    first: Wide, what: str, values: Array, times: IntArray
) -> tuple[Wide, list[Record], list[Record]]:
    """Objects and inner connections that drive a property by values (F, k) at times (F,) [ticks].

    The node has the identity ``first``, its curves those that follow.
    """
    parts = ("d|X", "d|Y", "d|Z") if values.shape[1] == 3 else ("d|" + what,)
    rest = [property_record(p, "Number", "", "A", float(v)) for p, v in zip(parts, values[0], strict=True)]
    title = f"{_SHORT.get(what, what)}\0\1AnimCurveNode"
    inside = (Record("Properties70", (), tuple(rest)),)
    objects = [Record("AnimationCurveNode", (first, title, ""), inside)]
    links: list[Record] = []
    count = np.array([len(times)], dtype=np.int32)
    for k, (part, column) in enumerate(zip(parts, values.T, strict=True)):
        curve = Wide(first + 1 + k)
        keys = (
            Record("Default", (float(column[0]),)),
            Record("KeyVer", (4008,)),
            Record("KeyTime", (times,)),
            Record("KeyValueFloat", (column.astype(np.float32),)),
            Record("KeyAttrFlags", (LINE,)),
            Record("KeyAttrDataFloat", (np.zeros(4, dtype=np.float32),)),
            Record("KeyAttrRefCount", (count,)),
        )
        objects.append(Record("AnimationCurve", (curve, "\0\1AnimCurve", ""), keys))
        links.append(link_record(curve, first, part))
    return first, objects, links
