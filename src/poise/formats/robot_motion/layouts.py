"""What is called what in which tool's arrays, and in which order quaternions and bodies are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.manifold import so3


@dataclass(frozen=True, eq=False)
class Motion:
    """A robot's motion as plain numbers; quaternions w x y z."""

    fps: float
    root_place: Array
    root_turn: Array
    joints: Array
    """[rad or m] (F, J)"""
    joint_speeds: Array
    joint_names: tuple[str, ...]
    body_names: tuple[str, ...]
    places: Array
    """Of bodies in the world [m] (F, n, 3)."""
    turns: Array
    """(F, n, 3, 3)"""
    speeds: tuple[Array, Array]
    """Linear and angular, in the world (F, n, 3)."""


def gmr(motion: Motion) -> dict[str, Any]:
    """GMR: what its pickles hold, quaternions x y z w, and the names that they lack."""
    return {
        "fps": motion.fps,
        "root_pos": motion.root_place,
        "root_rot": motion.root_turn[:, [1, 2, 3, 0]],
        "dof_pos": motion.joints,
        "dof_names": motion.joint_names,
        "quaternions": "xyzw",
    }


def beyondmimic(motion: Motion) -> dict[str, Any]:
    """BeyondMimic: joints and bodies with their speeds, quaternions w x y z."""
    return {
        "fps": np.array([motion.fps]),
        "joint_pos": motion.joints,
        "joint_vel": motion.joint_speeds,
        "body_pos_w": motion.places,
        "body_quat_w": so3.from_matrix(motion.turns),
        "body_lin_vel_w": motion.speeds[0],
        "body_ang_vel_w": motion.speeds[1],
        "joint_names": motion.joint_names,
        "body_names": motion.body_names,
        "quaternions": "wxyz",
    }


def protomotions(motion: Motion) -> dict[str, Any]:
    """ProtoMotions: global places, rotations (x y z w) and speeds, positions and speeds of joints."""
    return {
        "fps": motion.fps,
        "gts": motion.places,
        "grs": so3.from_matrix(motion.turns)[..., [1, 2, 3, 0]],
        "gvs": motion.speeds[0],
        "gavs": motion.speeds[1],
        "dps": motion.joints,
        "dvs": motion.joint_speeds,
        "joint_names": motion.joint_names,
        "body_names": motion.body_names,
        "quaternions": "xyzw",
    }


LAYOUTS: dict[str, Callable[[Motion], dict[str, Any]]] = {
    "gmr": gmr,
    "beyondmimic": beyondmimic,
    "protomotions": protomotions,
}
"""By what stands before ``.npz``."""
