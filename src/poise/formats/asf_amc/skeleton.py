"""The ASF file: units, root, bones and who hangs from whom.

A bone has a direction and length in the world at rest, and an axis frame C (also in the world) about
whose axes its degrees of freedom turn. ``axis a b c XYZ`` means C = R_z(c) R_y(b) R_x(a).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.errors import FileFormatError
from poise.manifold import so3
from poise.manifold.euler import from_euler
from poise.reading import read_bytes

ROOT = "root"
_DOFS = ("rx", "ry", "rz", "tx", "ty", "tz", "l")
_SECTIONS = ("version", "name", "units", "documentation", "root", "bonedata", "hierarchy", "skin")


@dataclass
class Bone:
    """One bone as the file has it; angles in radians, lengths in file units."""

    name: str
    line: int
    direction: Array = field(default_factory=lambda: np.zeros(3))
    length: float = 0.0
    frame: Array = field(default_factory=lambda: np.array(so3.IDENTITY))
    """The axis frame C, quaternion (4,)."""
    dofs: tuple[str, ...] = ()
    """In the order of the file, lower case."""
    limits: list[tuple[float, float]] = field(default_factory=list)
    """Per degree of freedom [rad or file units]."""
    parent: str = ""

    @property
    def end(self) -> Array:
        """From its start to its end, in the world at rest, (3,)."""
        return self.direction * self.length


@dataclass
class AcclaimSkeleton:
    """All bones by name, the root first, parents before children."""

    path: Path
    bones: dict[str, Bone]
    position: Array
    """Of the root at rest, (3,)."""
    length_unit: float
    """What ``:units length`` says."""
    radians: bool
    """Whether angles are radians."""
    name: str = ""


def fixed_turns(angles: list[float], axes: str) -> Array:
    """Rotations about fixed axes in the order written: "xyz" is R_z R_y R_x, (4,)."""
    return from_euler(np.array(angles[::-1]), axes[::-1])


class _Lines:
    """Lines of a text with numbers, without comments and blanks, split into words."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = read_bytes(path).decode("utf-8-sig", "replace")
        if "\0" in text[:4096]:
            raise FileFormatError(path, "this is a binary file, not Acclaim text")
        self.all: list[tuple[int, list[str]]] = []
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.split("#", 1)[0].replace("(", " ").replace(")", " ").split()
            if words:
                self.all.append((number, words))

    def error(self, problem: str, line: int) -> FileFormatError:
        return FileFormatError(self.path, problem, line=line)

    def floats(self, words: list[str], count: int, what: str, line: int) -> list[float]:
        """Exactly so many finite numbers (infinite ones where ``what`` is a limit)."""
        try:
            values = [float(w) for w in words[:count]]
        except ValueError:
            values = []
        if len(values) < count or any(
            math.isnan(v) or (math.isinf(v) and "limit" not in what) for v in values
        ):
            raise self.error(f"{what} needs {count} numbers, found {' '.join(words)[:40]!r}", line)
        return values


def read_lines(path: Path) -> _Lines:
    """The words of an Acclaim text file, line by line."""
    lines = _Lines(path)
    if not lines.all:
        raise FileFormatError(path, "the file is empty")
    return lines


def read_skeleton(path: Path) -> AcclaimSkeleton:
    """Parse an ASF file."""
    lines = read_lines(path)
    skeleton = AcclaimSkeleton(path, {}, np.zeros(3), 1.0, radians=False)
    sections: dict[str, list[tuple[int, list[str]]]] = {}
    current = ""
    for number, words in lines.all:
        if words[0].startswith(":"):
            current = words[0][1:].lower()
            if current not in _SECTIONS:
                raise lines.error(f"unknown section {words[0]!r} (available: {', '.join(_SECTIONS)})", number)
            sections[current] = [(number, words[1:])] if words[1:] else []
        elif current:
            sections[current].append((number, words))
        else:
            raise lines.error(f"expected a section such as ':units', found {words[0][:40]!r}", number)
    last = lines.all[-1][0]
    for needed in ("root", "bonedata", "hierarchy"):
        if needed not in sections:
            raise lines.error(f"no :{needed} section", last)
    skeleton.name = " ".join(w for _, words in sections.get("name", []) for w in words)
    _units(lines, skeleton, sections.get("units", []))
    _root(lines, skeleton, sections["root"])
    for bone in _bones(lines, skeleton, sections["bonedata"]):
        if bone.name in skeleton.bones:
            raise lines.error(f"a second bone named {bone.name!r}", bone.line)
        skeleton.bones[bone.name] = bone
    _hierarchy(lines, skeleton, sections["hierarchy"])
    return skeleton


_Section = list[tuple[int, list[str]]]


def _units(lines: _Lines, skeleton: AcclaimSkeleton, section: _Section) -> None:
    for number, words in section:
        if words[0].lower() == "length":
            (skeleton.length_unit,) = lines.floats(words[1:], 1, "length", number)
            if skeleton.length_unit <= 0:
                raise lines.error(f"length must be positive, not {words[1]}", number)
        elif words[0].lower() == "angle":
            if len(words) < 2 or words[1].lower()[:3] not in ("deg", "rad"):
                raise lines.error("angle must be deg or rad", number)
            skeleton.radians = words[1].lower().startswith("rad")


def _angle(skeleton: AcclaimSkeleton, value: float) -> float:
    return value if skeleton.radians else math.radians(value)


def _axes(lines: _Lines, word: str, number: int) -> str:
    if sorted(word.lower()) != ["x", "y", "z"]:
        raise lines.error(f"an axis order is XYZ in some order, not {word[:40]!r}", number)
    return word.lower()


def _root(lines: _Lines, skeleton: AcclaimSkeleton, section: _Section) -> None:
    bone = Bone(ROOT, section[0][0] if section else 1)
    axes, turn = "xyz", [0.0, 0.0, 0.0]
    for number, words in section:
        key = words[0].lower()
        if key == "order":
            bone.dofs = tuple(w.lower() for w in words[1:])
            wrong = [w for w in bone.dofs if w not in _DOFS]
            if wrong:
                raise lines.error(
                    f"order of the root names {wrong[0]!r} (available: {', '.join(_DOFS)})", number
                )
        elif key == "axis":
            axes = _axes(lines, words[1] if words[1:] else "", number)
        elif key == "position":
            skeleton.position = np.array(lines.floats(words[1:], 3, "position of the root", number))
        elif key == "orientation":
            turn = [_angle(skeleton, a) for a in lines.floats(words[1:], 3, "orientation", number)]
    bone.frame = fixed_turns(turn, axes)
    skeleton.bones[ROOT] = bone


def _bones(lines: _Lines, skeleton: AcclaimSkeleton, section: _Section) -> Iterator[Bone]:
    bone: Bone | None = None
    in_limits = False
    for number, words in section:
        key, rest = words[0].lower(), words[1:]
        if key == "begin":
            if bone is not None:
                raise lines.error(f"'begin' inside the bone of line {bone.line}", number)
            bone, in_limits = Bone("", number), False
            continue
        if bone is None:
            raise lines.error(f"expected 'begin', found {words[0][:40]!r}", number)
        where = f" of bone {bone.name!r}"
        if key == "end":
            if not bone.name:
                raise lines.error("a bone without a name", bone.line)
            yield bone
            bone = None
        elif key == "name":
            bone.name = " ".join(rest)
        elif key == "direction":
            direction = np.array(lines.floats(rest, 3, "direction" + where, number))
            size = math.hypot(*direction)  # also of numbers whose squares are none
            bone.direction = direction / size if size > 0 else direction
        elif key == "length":
            (bone.length,) = lines.floats(rest, 1, "length" + where, number)
        elif key == "axis":
            angles = lines.floats(rest, 3, "axis" + where, number)
            axes = _axes(lines, rest[3] if rest[3:] else "xyz", number)
            bone.frame = fixed_turns([_angle(skeleton, a) for a in angles], axes)
        elif key == "dof":
            bone.dofs = tuple(w.lower() for w in rest)
            wrong = [w for w in bone.dofs if w not in _DOFS]
            if wrong or len(set(bone.dofs)) < len(bone.dofs):
                raise lines.error(f"dof{where} is {' '.join(rest)!r} (available: {', '.join(_DOFS)})", number)
        elif key == "limits" or in_limits:
            numbers = lines.floats(rest if key == "limits" else words, 2, "limits" + where, number)
            bone.limits.append((min(numbers), max(numbers)))
            in_limits = True
            continue
        in_limits = False
    if bone is not None:
        raise lines.error(f"the bone of line {bone.line} has no 'end'", lines.all[-1][0])


def _hierarchy(lines: _Lines, skeleton: AcclaimSkeleton, section: _Section) -> None:
    """Parents, and bones in an order in which each comes after its parent."""
    bones = skeleton.bones
    children: dict[str, list[str]] = {}
    for number, words in section:
        if words[0].lower() in ("begin", "end") and len(words) == 1:
            continue
        for name in words:
            if name not in bones:
                raise lines.error(f"no bone named {name!r} (available: {', '.join(bones)})", number)
        for name in words[1:]:
            if bones[name].parent or name == ROOT:
                raise lines.error(f"bone {name!r} hangs from two bones", number)
            bones[name].parent = words[0]
            children.setdefault(words[0], []).append(name)
    ordered: dict[str, Bone] = {}
    stack = [ROOT]
    while stack:
        name = stack.pop()
        ordered[name] = bones[name]
        stack += reversed(children.get(name, []))
    if len(ordered) < len(bones):
        lost = sorted(set(bones) - set(ordered))
        raise lines.error(f"not connected to the root: {', '.join(lost)}", section[-1][0] if section else 1)
    skeleton.bones = ordered
