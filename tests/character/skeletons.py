"""Skeletons for tests: built by hand, or read from files by a few lines independent of Poise's readers."""

from __future__ import annotations

import json
import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

from poise.character import Body, Character, Joint


def skeleton(rows: list[tuple], name: str = "test") -> Character:
    """Rows of (name, parent, offset[, end point]); the first is the root."""
    bodies = []
    for row in rows:
        joint = Joint.free() if row[1] is None else Joint.ball()
        points = {f"{row[0]} end": row[3]} if len(row) > 3 else {}
        bodies.append(Body(row[0], row[1], joint, row[2], points=points))
    return Character(name, bodies, mass_source="none")


def human(names: dict[str, str] | None = None, scale: float = 1.0, *, hands: bool = True) -> Character:
    """A plain human figure of 1.75 m; ``names`` exchanges the names of its bodies."""
    rows = [
        ("Hips", None, (0, 0, 0.95)),
        ("Spine", "Hips", (0, 0, 0.1)),
        ("Spine1", "Spine", (0, 0, 0.13)),
        ("Chest", "Spine1", (0, 0, 0.13)),
        ("Neck", "Chest", (0, 0, 0.2)),
        ("Head", "Neck", (0, 0, 0.1), (0, 0, 0.2)),
    ]
    for side, s in (("Left", 1), ("Right", -1)):
        rows += [
            (f"{side}Shoulder", "Chest", (0, 0.03 * s, 0.12)),
            (f"{side}Arm", f"{side}Shoulder", (0, 0.155 * s, 0)),
            (f"{side}ForeArm", f"{side}Arm", (0, 0.29 * s, 0)),
            (f"{side}UpLeg", "Hips", (0, 0.09 * s, -0.03)),
            (f"{side}Leg", f"{side}UpLeg", (0, 0, -0.43)),
            (f"{side}Foot", f"{side}Leg", (0, 0, -0.42)),
            (f"{side}Toe", f"{side}Foot", (0.13, 0, -0.05), (0.07, 0, 0)),
        ]
        if hands:
            rows.append((f"{side}Hand", f"{side}ForeArm", (0, 0.26 * s, 0), (0, 0.18 * s, 0)))
    call = names or {}
    return skeleton(
        [
            (call.get(r[0], r[0]), call.get(r[1], r[1]), *(tuple(scale * np.array(v)) for v in r[2:]))
            for r in rows
        ]
    )


def from_bvh(path: Path, scale: float, *, z_up: bool = False) -> Character:
    """Names, parents, offsets and end sites of a BVH file, in metres, z up, facing x."""
    words = re.sub(r"([{}])", r" \1 ", path.read_text(errors="replace").split("MOTION")[0]).split()
    rows: list[list] = []
    stack: list[int] = []
    pending, i = -1, 0
    while i < len(words):
        if words[i] in ("ROOT", "JOINT"):
            rows.append([words[i + 1], rows[stack[-1]][0] if stack else None])
            pending, i = len(rows) - 1, i + 2
        elif words[i] == "End":
            pending, i = -1, i + 2
        elif words[i] == "{":
            stack.append(pending)
            i += 1
        elif words[i] == "}":
            stack.pop()
            i += 1
        elif words[i] == "OFFSET":
            x, y, z = (scale * float(w) for w in words[i + 1 : i + 4])
            offset = (-y, x, z) if z_up else (z, x, y)
            (rows[stack[-1]] if stack[-1] >= 0 else rows[stack[-2]]).append(offset)
            i += 4
        else:
            i += 1
    return skeleton([tuple(r[:4]) for r in rows], path.stem)


def from_glb(path: Path) -> Character:
    """Names and parents of the joints of the first skin; offsets are not to be trusted."""
    data = path.read_bytes()
    (size,) = struct.unpack("<I", data[12:16])
    tree = json.loads(data[20 : 20 + size])
    nodes, joints = tree["nodes"], tree["skins"][0]["joints"]
    up = {child: i for i, node in enumerate(nodes) for child in node.get("children", [])}
    rows = []
    for i in joints:
        parent = up.get(i)
        while parent is not None and parent not in joints:
            parent = up.get(parent)
        rows.append(
            (
                nodes[i]["name"],
                None if parent is None else nodes[parent]["name"],
                nodes[i].get("translation", (0, 0, 0)),
            )
        )
    return skeleton(rows, path.stem)


def from_mjcf(path: Path) -> Character:
    """Names, parents and positions of bodies."""
    rows = []

    def visit(element: ET.Element, parent: str | None) -> None:
        for body in element.findall("body"):
            offset = tuple(float(w) for w in body.get("pos", "0 0 0").split())
            rows.append((body.get("name"), parent, offset))
            visit(body, body.get("name"))

    visit(ET.parse(path).getroot().find("worldbody"), None)  # type: ignore[arg-type]
    return skeleton(rows, path.stem)
