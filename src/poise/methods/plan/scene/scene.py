"""A scene to plan motion for, and its file: who, from what pose, which segments, which options.

    {"character": "lamp", "lower": 0.0, "feet": ["Base"], "options": {"modes": 8},
     "surfaces": [{"name": "floor", "shape": {"kind": "ground"}}, …],
     "segments": [{"kind": "stance", "duration": 0.6, "holds": ["Base"], "keys": [{"of": "com", …}]},
                  {"kind": "flight", "lands": ["Base"]}, …]}

Fields are those of :class:`Stance`, :class:`Flight`, :class:`PartialKey`, :class:`Hold`; options are those of
``plan``; surfaces are those of ``poise.world``, left out: level ground. What is left out has its default.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from poise.arrays import Array
from poise.character import Character, presets
from poise.errors import InputError, UnknownNameError
from poise.files import write_text
from poise.methods.plan.scene.checks import number, several
from poise.methods.plan.scene.hold import Hold
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.reference_pose import ready_pose, turned_pose
from poise.methods.plan.scene.segment import Flight, Segment, Stance
from poise.operations.frozen_data import thaw
from poise.operations.plan import checked_options
from poise.reading import blaming, read_json
from poise.world import World

_KINDS: dict[str, type[Stance] | type[Flight]] = {"stance": Stance, "flight": Flight}


_OLDER = {
    "gamma": "key_weight", "damping": "rayleigh", "joints": "stiffer", "stiffness": "springs", "rate": "fps",
}  # fmt: skip
"""Names that options had in older files."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that a plan needs.

    Examples:
        >>> from poise.methods.plan.scene import bundled
        >>> scene = bundled.get("lamp jump")
        >>> jump = poise.plan(scene).clip
    """

    character: str
    """Name of a preset."""
    segments: Sequence[Segment]
    """Stances and flights, in order of time."""
    feet: Sequence[str] = ()
    """What it stands on in its reference pose; with ``lower``."""
    lower: float = 0.0
    """How far the reference pose is lowered from the rest pose, knees bent [m]."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of ``plan``, where nothing else is asked for."""
    name: str = ""
    """Of the motion."""
    turns: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Joints turned in the reference pose, by name or pattern: rotation vectors from rest [rad]."""
    apart: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Feet moved over the ground in the reference pose, by name (x, y) [m]."""
    world: World = field(default_factory=World.flat)
    """Surfaces: what flights come down on, and what soles stay out of. The reference pose stands on z = 0."""

    def __post_init__(self) -> None:
        number(self.lower, "lower [m]")
        several(self.feet, "feet")
        for name in ("options", "turns", "apart"):
            if not isinstance(getattr(self, name), Mapping):
                raise InputError(f"{name} of a scene must be an object, not {getattr(self, name)!r}")
        object.__setattr__(self, "options", checked_options(self.options, "options of a scene"))

    def figure(self) -> Character:
        """The character."""
        return presets.get(self.character)

    def reference(self, character: Character) -> Array:
        """The pose that it starts from and comes to rest in (nq,)."""
        pose = turned_pose(character, self.turns) if self.turns else character.rest_pose()
        if not (self.lower or self.apart):
            return pose
        return ready_pose(character, self.feet, lower=self.lower, apart=self.apart, pose=pose)

    def to_dict(self) -> dict[str, Any]:
        """Plain data (JSON)."""
        return {
            "name": self.name,
            "character": self.character,
            "feet": list(self.feet),
            "lower": self.lower,
            "turns": {name: list(turn) for name, turn in self.turns.items()},
            "apart": {name: list(move) for name, move in self.apart.items()},
            "options": thaw(self.options),
            "segments": [_segment_to_dict(s) for s in self.segments],
            **({} if self.world == World.flat() else self.world.to_dict()),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Scene:
        """The scene that :meth:`to_dict` described."""
        said = dict(data) if isinstance(data, Mapping) else data
        if isinstance(said, dict) and "surfaces" in said:  # as worlds are written everywhere
            said["world"] = World.from_dict({"surfaces": said.pop("surfaces")})
        given = _checked(said, cls, "a scene")
        if isinstance(given.get("options"), Mapping):
            given["options"] = {_OLDER.get(name, name): value for name, value in given["options"].items()}
        if not isinstance(given.get("segments"), list):
            raise InputError("a scene needs a list of segments")
        given["segments"] = [_segment(s, k) for k, s in enumerate(given["segments"], start=1)]
        return cls(**given)

    @classmethod
    def load(cls, path: str | Path) -> Scene:
        """Read a JSON file."""
        data = read_json(path)
        with blaming(path, "a scene"):
            return cls.from_dict(data)

    def save(self, path: str | Path) -> Path:
        """Write a JSON file."""
        return write_text(path, json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n")


def _segment_to_dict(segment: Segment) -> dict[str, Any]:
    kind = "stance" if isinstance(segment, Stance) else "flight"
    out: dict[str, Any] = {"kind": kind}
    for f in fields(segment):
        value = getattr(segment, f.name)
        if f.name == "keys":
            value = [k.to_dict() for k in value]
        elif f.name in ("holds", "lands"):
            value = [_plain_hold(h) for h in value]
        elif isinstance(value, (tuple, list)):
            value = list(value)
        if value not in (f.default, list(f.default) if isinstance(f.default, tuple) else f.default):
            out[f.name] = value
    return out


def _plain_hold(item: Hold | str) -> Any:
    if isinstance(item, str):
        return item
    return item.what if item.turn is None else {"what": item.what, "turn": item.turn}


def _segment(data: Any, number: int) -> Segment:
    if not isinstance(data, Mapping) or data.get("kind") not in _KINDS:
        kind = data.get("kind") if isinstance(data, Mapping) else data
        raise UnknownNameError("kind of segment", kind, _KINDS, where=f"segment {number}")
    cls = _KINDS[data["kind"]]
    where = f"segment {number} ({data.get('name') or data['kind']})"
    given = _checked({k: v for k, v in data.items() if k != "kind"}, cls, where)
    for name in ("keys", "holds", "lands"):
        several(given.get(name, ()), f"{name} of {where}")
    if "keys" in given:
        given["keys"] = [PartialKey(**_checked(k, PartialKey, f"a key of {where}")) for k in given["keys"]]
    for name in ("holds", "lands"):
        if name in given:
            given[name] = [
                h if isinstance(h, str) else Hold(**_checked(h, Hold, f"a hold of {where}"))
                for h in given[name]
            ]
    try:
        return cls(**given)
    except TypeError as problem:
        raise InputError(f"{where}: {problem}") from None


def _checked(data: Any, cls: Any, where: str) -> dict[str, Any]:
    if not isinstance(data, Mapping):
        raise InputError(f"{where} must be an object, not {data!r}")
    known = [f.name for f in fields(cls)]
    for name in data:
        if name not in known:
            raise UnknownNameError("field", name, known, where=where)
    for f in fields(cls):
        if f.name not in data and f.default is MISSING and f.default_factory is MISSING:
            raise InputError(f"{where} has no field {f.name!r}")
    return dict(data)
