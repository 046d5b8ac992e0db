"""A leap by key-frames, off both feet and onto them.

Poses say how the body is held, a path where its centre of mass is, pins where the feet are. In the air only
gravity acts: the centre of mass is on a parabola whose apex is asked for, and the body turns as its angular
momentum wants it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.clips.author.side_view import SideView
from poise.kinematics import Kinematics
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.path import Path
from poise.methods.key.path.templates import Hermite, ProjectileIII, Template
from poise.methods.key.sheet.keyframes import Keyframes

Plane = tuple[float, float]
"""Forward and up."""
Push = tuple[float, Plane, Plane]
"""Time [s], place [m] and velocity [m/s] of the centre of mass. With fitting velocities the force on the
ground is linear from key to key, without jumps."""
STANCE = {"Left": (0.006, 0.105, 9.0), "Right": (-0.006, -0.105, -11.0)}
"""Ankles over the ground [m], and toes out [°]."""
BALANCE = 0.05
"""The centre of mass is this far before the ankles, standing [m]."""
LATE = 0.07
"""The arms are not twins: the right one is this share of the way behind."""
ARM = ("arm", "abduct", "turn", "elbow", "palm")
COLUMNS = ("lean", "flex", "look", "arm", "abduct", "turn", "elbow", "palm", "hip", "knee", "sole", "toes")
"""Of a sheet of poses: angles of a ``SideView``."""


@dataclass(frozen=True)
class Leap:
    """What an animator keys; places are meant from the centre of mass as it stands."""

    poses: Mapping[float, SideView]
    leave: float
    """Take-off [s]."""
    land: float
    """About when it should land [s]; the landing is moved to when the arc ends."""
    apex: float
    """Of the centre of mass [m]."""
    push: Sequence[Push]
    take_off: Plane
    touch_down: Plane
    cushion: Sequence[Push]
    """Times since touch-down."""
    hold: Mapping[str, tuple[float, float]]
    """Until when each part of the foot is held, and in what time it is let go [s]."""
    down: Mapping[str, tuple[float, float]]
    """How long after touch-down each is held, and in what time it is drawn there [s]."""
    hop: float
    """How far the feet travel [m]."""
    until: float
    """When it ends [s]."""
    stance: Mapping[str, tuple[float, float, float]] = field(default_factory=lambda: STANCE)

    def tracks(self, character: Character) -> Keyframes:
        """The document, well timed."""
        return settled(self.written(character).fixed())

    def written(self, character: Character) -> Keyframes:
        """All keys as they are given."""
        poses = self._poses(character)
        first = Kinematics(character, poses[min(poses)])
        standing = (BALANCE, float(first.com[0, 2] - first.point("LeftHeel")[0, 2]))

        def key(time: float, place: Plane, velocity: Plane | None, law: Template | None = None) -> PathKey:
            at = (standing[0] + place[0], 0.0, standing[1] + place[1])
            return PathKey(time, at, velocity and (velocity[0], 0.0, velocity[1]), law or Hermite())

        keys = [key(*push) for push in self.push]
        keys.append(key(self.leave, self.take_off, None, ProjectileIII(standing[1] + self.apex)))
        keys.append(key(self.land, self.touch_down, None))
        keys += [key(self.land + after, place, velocity) for after, place, velocity in self.cushion]
        made = Keyframes(character, poses, path=Path(tuple(keys))).with_spin(self.leave, self.land)
        for (side, part), place in self._soles(character).items():
            end, fade = self.hold[part]
            made = made.pin(side + part, at=(0.0, end), to=place, fade=fade)
            (after, fade), there = self.down[part], place + [self.hop, 0.0, 0.0]
            made = made.pin(side + part, at=(self.land + after, self.until), to=there, fade=fade)
        return made

    def _poses(self, character: Character) -> dict[float, Array]:
        found, before = {}, self.poses[min(self.poses)]
        for time, view in self.poses.items():
            lag = {a: (1 - LATE) * getattr(view, a) + LATE * getattr(before, a) for a in ARM}
            found[time] = view.of(character, right=view.replaced(**lag))
            before = view
        return found

    def _soles(self, character: Character) -> dict[tuple[str, str], Array]:
        """Where heels, balls and toes are on the ground before the leap [m]."""
        kin = Kinematics(character, character.rest_pose())
        found = {}
        for side, (x, y, out) in self.stance.items():
            ankle, turn = kin.point(f"{side}Foot")[0], np.radians(out)
            if character.bodies[0].joint.kind is JointKind.PLANAR:
                x, y, turn = 0.0, ankle[1], 0.0
            for part in self.hold:
                reach = (kin.point(side + part)[0] - ankle)[0]
                found[side, part] = np.array([x + reach * np.cos(turn), y + reach * np.sin(turn), 0.0])
        return found


def settled(tracks: Keyframes) -> Keyframes:
    """With poses keyed again as feet and centre of mass have the body on the ground.

    So pins have little to do, and at take-off and touch-down, where they end and begin, nothing.
    """
    times = [key.time for key in tracks.pose_track.keys]
    return tracks.replaced(poses=dict(zip(times, tracks.replaced(spins=()).at(times).q)))


def sheet(rows: Sequence[Sequence[float]]) -> dict[float, SideView]:
    """Poses from rows of a time [s] and angles [°]."""
    return {row[0]: SideView(**dict(zip(COLUMNS, row[1:], strict=True))) for row in rows}
