"""A physical key-frame γ = (θ̂, ω̂, t̂): a pose or part of one, the velocity there, and when."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import Character
from poise.errors import InputError
from poise.methods.perform.script.pose import JointPose, selected
from poise.methods.perform.script.style import Style, approach


class Arrival(TypedDict, total=False):
    """What may be said of an arrival beside its pose and time; as the fields of ``TimedPose``."""

    velocity: ArrayLike | Mapping[str, ArrayLike] | None
    joints: Iterable[str] | None
    style: Style | None
    lead: float | None
    until: float | None
    name: str
    note: str


@dataclass(frozen=True, eq=False)
class TimedPose:
    """Be there then."""

    pose: JointPose | ArrayLike
    """A pose (perhaps partial), or a configuration (nq,)."""
    time: float
    """[s]"""
    velocity: ArrayLike | Mapping[str, ArrayLike] | None = None
    """On arrival [rad/s, m/s]: (nv,), or by joint; default at rest."""
    joints: Iterable[str] | None = None
    """Only joints or limbs that match these patterns; default all of the pose."""
    style: Style | None = None
    """Of this approach; default that of the performance."""
    lead: float | None = None
    """How long before its time the approach begins [s]; default right after the key before."""
    until: float | None = None
    """When it is given up, if ever [s]."""
    name: str = ""
    note: str = ""
    """What sounds on arrival ("G4"), for films."""

    def __post_init__(self) -> None:
        if not (
            isinstance(self.time, (int, float, np.number)) and math.isfinite(self.time) and self.time >= 0
        ):
            raise InputError(f"the time of key {self.label!r} must be at least 0 s, not {self.time!r}")
        lead = self.lead
        if lead is not None and not (isinstance(lead, (int, float, np.number)) and 0 < lead < math.inf):
            raise InputError(f"the lead of key {self.label!r} must be positive, not {lead!r}")
        if self.style is not None:
            try:
                approach(self.style)
            except InputError as problem:
                raise InputError(f"key {self.label!r}: {problem}") from None

    @property
    def label(self) -> str:
        """Its name, or the pose's."""
        return (
            self.name
            or (self.pose.name if isinstance(self.pose, JointPose) else "")
            or f"key at {self.time:g} s"
        )

    def at(self, time: float) -> TimedPose:
        """The same key at another time."""
        return replace(self, time=time)

    def targets(self, character: Character) -> dict[int, tuple[Array, Array]]:
        """Coordinates and velocity by body: what each joint of the key aims at."""
        pose = (
            self.pose
            if isinstance(self.pose, JointPose)
            else JointPose.of(character, self.pose, name=self.label)
        )
        if self.joints is not None:
            pose = pose.only(character, self.joints)
        movable = set(selected(character, None))
        out: dict[int, tuple[Array, Array]] = {}
        for joint, values in pose.joints.items():
            i = character.index(joint)
            if i not in movable:
                raise InputError(f"key {self.label!r} sets {joint!r}, which no muscle moves")
            span, nv = character.coordinates(i), character.bodies[i].joint.nv
            q = checked(values, f"{joint!r} of key {self.label!r}", (span.stop - span.start,))
            out[i] = np.array(q), np.zeros(nv)
        if not out:
            raise InputError(f"key {self.label!r} sets no joint")
        self._put_velocities(character, out)
        return out

    def _put_velocities(self, character: Character, out: dict[int, tuple[Array, Array]]) -> None:
        if self.velocity is None:
            return
        what = f"velocity of key {self.label!r}"
        if not isinstance(self.velocity, Mapping):
            v = checked(self.velocity, what, (character.nv,))
            for i, (_, rate) in out.items():
                rate[:] = v[character.dofs(i)]
            return
        for joint, values in self.velocity.items():
            i = character.index(joint)
            if i not in out:
                raise InputError(f"the {what} names {joint!r}, which the key does not set")
            out[i][1][:] = checked(np.atleast_1d(np.asarray(values)), what, (len(out[i][1]),))


TimedPoses = Sequence[TimedPose]
"""Keys that need no script."""
