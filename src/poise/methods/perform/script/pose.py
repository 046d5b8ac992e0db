"""Poses of a character or of part of it, and libraries of them by name, which can be files.

In a file a pose says each joint's rotation vector, or a hinge's angle, in degrees (slides in metres), from
the neutral pose:

    {"character": "humanoid", "poses": {"Y": {"LeftArm": [50, 0, -10], "LeftForeArm": 10}}}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked, frozen
from poise.character import Character, JointKind
from poise.errors import InputError, UnknownNameError
from poise.files import write_text
from poise.manifold import so3
from poise.reading import blaming

Angles = Mapping[str, ArrayLike]
_TURNING = (JointKind.BALL, JointKind.HINGE)


@dataclass(frozen=True, eq=False)
class JointPose:
    """Coordinates of some joints or all, by name."""

    joints: Mapping[str, Array]
    name: str = ""

    def __post_init__(self) -> None:
        given = {joint: frozen(values) for joint, values in self.joints.items()}
        object.__setattr__(self, "joints", MappingProxyType(given))

    @classmethod
    def of(
        cls, character: Character, q: ArrayLike, joints: Iterable[str] | None = None, *, name: str = ""
    ) -> JointPose:
        """A configuration as a pose: of all joints but the root, or of those that match patterns."""
        values = checked(q, f"pose {name!r}" if name else "a pose", (character.nq,))
        found = {character.names[i]: values[character.coordinates(i)] for i in selected(character, joints)}
        return cls(found, name)

    @classmethod
    def from_degrees(cls, character: Character, angles: Angles, *, name: str = "") -> JointPose:
        """From rotation vectors and angles in degrees (slides in metres)."""
        found = {}
        for joint, values in angles.items():
            body = character.bodies[character.index(joint)]
            if body.joint.kind not in (*_TURNING, JointKind.SLIDE):
                raise InputError(f"{joint!r} is a {body.joint.kind.name.lower()} joint: a pose cannot set it")
            what = f"{joint!r} of pose {name!r}"
            numbers = checked(np.atleast_1d(values), what, (body.joint.nv,))
            if body.joint.kind is JointKind.BALL:
                found[joint] = so3.exp(np.radians(numbers))
            else:
                found[joint] = np.radians(numbers) if body.joint.kind is JointKind.HINGE else numbers
        return cls(found, name)

    def to_degrees(self, character: Character) -> dict[str, float | list[float]]:
        """The reverse."""
        out: dict[str, float | list[float]] = {}
        for joint, values in self.joints.items():
            kind = character.bodies[character.index(joint)].joint.kind
            turn = so3.log(values) if kind is JointKind.BALL else values
            numbers = turn if kind is JointKind.SLIDE else np.degrees(turn)
            rounded = [round(float(x), 6) for x in numbers]
            out[joint] = rounded if len(rounded) > 1 else rounded[0]
        return out

    def on(self, character: Character, q: ArrayLike) -> Array:
        """The configuration ``q`` with this pose's joints put in, (nq,)."""
        out = np.array(q, dtype=np.float64)
        for joint, values in self.joints.items():
            span = character.coordinates(joint)
            out[span] = checked(values, f"{joint!r} of pose {self.name!r}", (span.stop - span.start,))
        return out

    def only(self, character: Character, joints: Iterable[str]) -> JointPose:
        """The part of it that matches patterns."""
        wanted = {character.names[i] for i in selected(character, joints)}
        return JointPose({j: v for j, v in self.joints.items() if j in wanted}, self.name)


class PoseLibrary(Mapping[str, JointPose]):
    """Poses by name."""

    def __init__(self, character: Character, poses: Iterable[JointPose] = ()) -> None:
        self.character = character
        self._poses: dict[str, JointPose] = {}
        for pose in poses:
            if not pose.name or pose.name in self._poses:
                raise InputError(f"poses of a library need names of their own, not {pose.name!r}")
            self._poses[pose.name] = pose

    def __getitem__(self, name: str) -> JointPose:
        try:
            return self._poses[name]
        except (KeyError, TypeError):
            raise UnknownNameError("pose", name, self._poses) from None

    def __contains__(self, name: object) -> bool:
        return name in self._poses

    def __iter__(self) -> Iterator[str]:
        return iter(self._poses)

    def __len__(self) -> int:
        return len(self._poses)

    @classmethod
    def from_data(cls, data: Any, character: Character | None = None) -> PoseLibrary:
        """From the contents of a file: ``{"character": …, "poses": {name: {joint: degrees}}}``."""
        poses = data.get("poses") if isinstance(data, Mapping) else None
        if not isinstance(poses, Mapping) or not all(isinstance(p, Mapping) for p in poses.values()):
            raise InputError('poses are written {"poses": {name: {joint: degrees}}}')
        figure = character or named_character(data.get("character", "humanoid"))
        given = [JointPose.from_degrees(figure, joints, name=name) for name, joints in poses.items()]
        return cls(figure, given)

    @classmethod
    def load(cls, path: str | Path, character: Character | None = None) -> PoseLibrary:
        """From a JSON or TOML file; of the character given, else of the preset that the file names."""
        from poise.methods.perform.script.file import read_data

        data = read_data(Path(path))
        with blaming(path, "a library of poses"):
            return cls.from_data(data, character)

    def save(self, path: str | Path) -> Path:
        """Write a JSON file."""
        poses = {name: pose.to_degrees(self.character) for name, pose in self._poses.items()}
        data = {"character": self.character.name, "poses": poses}
        return write_text(path, json.dumps(data, indent=1) + "\n")


def named_character(name: Any) -> Character:
    """A preset by name."""
    from poise.character import presets

    return presets.get(name)


def selected(character: Character, joints: Iterable[str] | None) -> Sequence[int]:
    """Bodies whose joints can be keyed and match any of the patterns; default all. The root never is."""
    movable = [i for i, b in enumerate(character.bodies) if i > 0 and b.joint.nv > 0]
    if joints is None:
        return movable
    if isinstance(joints, str):
        joints = [joints]
    found = {i for pattern in joints for i in character.select(pattern)}
    return [i for i in movable if i in found]
