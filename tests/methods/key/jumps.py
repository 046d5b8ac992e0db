"""Documents for tests: a hop and a somersault, in the plane and in space."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.kinematics import Kinematics
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.templates import ProjectileI
from poise.methods.key.pose.values import pose
from poise.methods.key.sheet.keyframes import Keyframes

FEET = ("LeftToe", "RightToe", "LeftHeel", "RightHeel")
TAKE_OFF, LANDING = 0.6, 1.1


def standing(character: Character, *, flex: float = 0.0) -> Array:
    """Upright, arms down; hips, knees and ankles bent by ``flex`` [rad], the feet flat on the ground."""
    planar = character.bodies[0].joint.kind is JointKind.PLANAR

    def about_y(angle: float) -> Any:
        return angle if planar else (0.0, angle, 0.0)

    joints: dict[str, Any] = {} if planar else {"LeftArm": (-1.3, 0, 0), "RightArm": (1.3, 0, 0)}
    bend = flex + 0.05
    ankle = min(bend, 0.55)
    for side in ("Left", "Right"):
        joints |= {f"{side}UpLeg": about_y(-bend), f"{side}Leg": 2 * bend}
        joints |= {f"{side}Foot": -ankle} if planar else {f"{side}Ankle": ankle}
    q = pose(character, {**joints, "Spine": about_y(0.3 * flex)})
    toe = Kinematics(character, q).point("LeftToe")[0]
    q[0] -= toe[0] - 0.2
    q[1 if planar else 2] -= toe[2]
    return q


def hop(character: Character) -> Keyframes:
    """Crouch, leave the ground, fly a metre, land, stand; feet pinned on the ground before and after."""
    up, low, tucked = (standing(character, flex=flex) for flex in (0.0, 0.5, 0.9))
    kin = Kinematics(character, np.stack([up, low]))
    high, deep = kin.com  # over the same feet
    tracks = Keyframes(
        character, {0.0: up, 0.35: low, 0.58: up, 0.85: tucked, 1.08: up, 1.25: low, 1.8: up}, name="hop"
    )
    for point in FEET:
        there = kin.point(point)[0] + [1.0, 0.0, 0.0]
        tracks = tracks.pin(point, at=(0.0, 0.4 if "Heel" in point else 0.52), fade=0.08)
        tracks = tracks.pin(point, at=(LANDING + 0.1, 2.0), to=there, fade=0.08)
    ahead = np.array([1.0, 0.0, 0.0])
    keys = [
        PathKey(0.0, high),
        PathKey(0.35, deep, (0.0, 0.0, 0.0)),
        PathKey(TAKE_OFF, high + [0.08, 0.0, 0.06], None, ProjectileI()),
        PathKey(LANDING, high + ahead + [-0.1, 0.0, 0.06]),
        PathKey(1.27, deep + ahead, (0.0, 0.0, 0.0)),
        PathKey(1.8, high + ahead),
    ]
    return tracks.with_path(keys)


def somersault(character: Character, **spin: Any) -> Keyframes:
    """The hop with a spin in its flight."""
    return hop(character).with_spin(TAKE_OFF, LANDING, **(spin or {"turns": 1}))


def unpinned(tracks: Keyframes) -> Keyframes:
    """The same without pins."""
    return tracks.replaced(pins=())


def frames(tracks: Keyframes, fps: int = 30, end: float = 1.8) -> Array:
    """Times of a bake."""
    return np.arange(round(end * fps) + 1) / fps
