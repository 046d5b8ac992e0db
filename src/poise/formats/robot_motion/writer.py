"""Writing motions of robots: a free root, then hinges and slides, one number each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.errors import InputError
from poise.files import write_bytes, write_text
from poise.formats.robot_motion.layouts import LAYOUTS, Motion
from poise.motion import Clip

if TYPE_CHECKING:
    from poise.kinematics import Kinematics

ONE = (JointKind.HINGE, JointKind.SLIDE)
"""Joints of one number."""


def losses(clip: Clip) -> tuple[str, ...]:
    """What of a clip such a file cannot hold."""
    return ("the body itself: lengths, masses and limits stay with the robot's own model",)


def save(clip: Clip, path: str | Path) -> None:
    """Write a table whose layout follows from the end of its name."""
    path = Path(path)
    motion = measured(clip, path)
    if path.name.lower().endswith(".csv"):
        write_text(path, _table(motion))
        return
    name = path.name.lower().removesuffix(".npz").rpartition(".")[2]
    write_bytes(path, _archive(LAYOUTS[name](motion)))


def measured(clip: Clip, path: Path) -> Motion:
    """A clip as numbers of a robot; refused where a joint has more than one."""
    from poise.kinematics import Kinematics

    character = clip.character
    joints = _joints(character, path)
    v = clip.velocity
    kin = Kinematics(character, clip.q, v)
    columns = [character.coordinates(i).start for i in joints]
    dofs = [character.dofs(i).start for i in joints]
    return Motion(
        fps=float(clip.rate),
        root_place=np.asarray(clip.q[:, :3]),
        root_turn=np.asarray(clip.q[:, 3:7]),
        joints=np.asarray(clip.q[:, columns]),
        joint_speeds=np.asarray(v[:, dofs]),
        joint_names=tuple(character.bodies[i].joint.name or character.names[i] for i in joints),
        body_names=character.names,
        places=np.asarray(kin.positions),
        turns=np.asarray(kin.rotations),
        speeds=_speeds(kin),
    )


def _joints(character: Character, path: Path) -> list[int]:
    if character.bodies[0].joint.kind is not JointKind.FREE:
        raise InputError(f"cannot write {path}: the root of {character.name!r} is not free to move")
    found = []
    for i, body in enumerate(character.bodies[1:], 1):
        if body.joint.kind in ONE:
            found.append(i)
        elif body.joint.nv:
            raise InputError(
                f"cannot write {path}: {body.name!r} is a {body.joint.kind.name.lower()} joint, and robots "
                "have one number for each; first retarget the motion (poise retarget --onto robot.xml)"
            )
    return found


def _speeds(kin: Kinematics) -> tuple[Array, Array]:
    """Linear [m/s] and angular [rad/s] velocities of bodies' origins in the world (F, n, 3)."""
    from poise.kinematics.forward import body_velocities

    found = np.asarray(body_velocities(kin.character, kin.placement, kin.v))
    return found[..., :3], found[..., 3:]


def _table(motion: Motion) -> str:
    """x y z, qx qy qz qw, joints; the first line is a comment that names the columns."""
    names = ["x", "y", "z", "qx", "qy", "qz", "qw", *motion.joint_names]
    rows = np.hstack([motion.root_place, motion.root_turn[:, [1, 2, 3, 0]], motion.joints])
    lines = [",".join(repr(float(v)) for v in row) for row in rows]
    return "\n".join([f"# {motion.fps:g} fps: {','.join(names)}", *lines]) + "\n"


def _archive(arrays: dict[str, Any]) -> bytes:
    """An npz of plain arrays; texts as arrays of fixed length, never pickles."""
    import io

    stream = io.BytesIO()
    plain = {k: np.asarray(v) for k, v in arrays.items()}
    assert not any(a.dtype == object for a in plain.values()), json.dumps(list(plain))
    np.savez(stream, allow_pickle=False, **plain)
    return stream.getvalue()
