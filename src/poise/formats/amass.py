"""AMASS: motions of SMPL's family as NumPy archives; SMPL (72 numbers a frame), SMPL-H (156), SMPL-X (165).

    poses               (F, 72 | 156 | 165) rotation vectors, joint by joint; or in parts: root_orient,
    pose_body,
                        pose_jaw, pose_eye, pose_hand
    trans               (F, 3) [m], z up
    betas               shape of the body
    mocap_framerate     or mocap_frame_rate [1/s]

At rest bodies stand in a T-pose in axes of their own, y up and facing z; the first rotation stands them up
in the world. The pelvis is at ``trans`` + J₀, J₀ its place in the body at rest. Lengths come from the
user's own body model file (``body=``: an ``.npz`` with ``v_template``, ``shapedirs``, ``J_regressor``);
without it from anthropometry. Nothing of the models is in Poise.
"""

from __future__ import annotations

from collections.abc import Set
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import FARTHEST, Array
from poise.character import Body, Character, Joint
from poise.errors import FileFormatError
from poise.formats.units import Axes
from poise.formats.weighing import MassOption, Weighing
from poise.manifold import so3
from poise.motion.clip import Clip
from poise.motion.frame_times import exact_rate
from poise.motion.source import Source
from poise.reading import Budget, blaming, read_arrays, read_bytes

RATES = ("mocap_framerate", "mocap_frame_rate", "fps")
PARTS = ("root_orient", "pose_body", "pose_jaw", "pose_eye", "pose_hand")
WANTED = frozenset({"poses", "trans", "betas", "gender", *RATES, *PARTS})
"""Arrays that are looked at."""
MODEL = frozenset({"v_template", "shapedirs", "J_regressor", "kintree_table"})
_FINGERS = tuple(
    f"{finger}{k}" for finger in ("index", "middle", "pinky", "ring", "thumb") for k in (1, 2, 3)
)
# Name, parent and offset (ahead, left, up) [m] of a person of 1.70 m in a T-pose, by anthropometry.
_BODY: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("pelvis", "", (0.0, 0.0, 0.0)),
    ("left_hip", "pelvis", (0.0, 0.085, -0.06)),
    ("right_hip", "pelvis", (0.0, -0.085, -0.06)),
    ("spine1", "pelvis", (-0.02, 0.0, 0.10)),
    ("left_knee", "left_hip", (0.0, 0.0, -0.415)),
    ("right_knee", "right_hip", (0.0, 0.0, -0.415)),
    ("spine2", "spine1", (0.0, 0.0, 0.13)),
    ("left_ankle", "left_knee", (-0.01, 0.0, -0.40)),
    ("right_ankle", "right_knee", (-0.01, 0.0, -0.40)),
    ("spine3", "spine2", (0.0, 0.0, 0.06)),
    ("left_foot", "left_ankle", (0.12, 0.02, -0.06)),
    ("right_foot", "right_ankle", (0.12, -0.02, -0.06)),
    ("neck", "spine3", (-0.01, 0.0, 0.21)),
    ("left_collar", "spine3", (-0.01, 0.08, 0.12)),
    ("right_collar", "spine3", (-0.01, -0.08, 0.12)),
    ("head", "neck", (0.03, 0.0, 0.09)),
    ("left_shoulder", "left_collar", (0.0, 0.10, 0.03)),
    ("right_shoulder", "right_collar", (0.0, -0.10, 0.03)),
    ("left_elbow", "left_shoulder", (0.0, 0.27, 0.0)),
    ("right_elbow", "right_shoulder", (0.0, -0.27, 0.0)),
    ("left_wrist", "left_elbow", (0.0, 0.25, 0.0)),
    ("right_wrist", "right_elbow", (0.0, -0.25, 0.0)),
)
_FACE = (
    ("jaw", "head", (0.01, 0.0, 0.0)),
    ("left_eye_smplhf", "head", (0.06, 0.03, 0.04)),
    ("right_eye_smplhf", "head", (0.06, -0.03, 0.04)),
)
_PALMS = (("left_hand", "left_wrist", (0.0, 0.08, 0.0)), ("right_hand", "right_wrist", (0.0, -0.08, 0.0)))
_KNUCKLES = {
    "index": (0.025, 0.09),
    "middle": (0.0, 0.095),
    "pinky": (-0.045, 0.08),
    "ring": (-0.022, 0.09),
    "thumb": (0.025, 0.03),
}
"""First joints of fingers: ahead and outward of the wrist [m]; the others follow each other by 3 cm."""


def is_amass(names: Set[str]) -> bool:
    """Whether an archive with arrays of these names is one."""
    return "trans" in names and ("poses" in names or {"root_orient", "pose_body"} <= names)


def _hand(side: str) -> tuple[tuple[str, str, tuple[float, float, float]], ...]:
    way = 1.0 if side == "left" else -1.0
    rows = []
    for name in _FINGERS:
        finger, number = name[:-1], int(name[-1])
        if number == 1:
            ahead, out = _KNUCKLES[finger]
            rows.append((f"{side}_{name}", f"{side}_wrist", (ahead, way * out, 0.0)))
        else:
            rows.append((f"{side}_{name}", f"{side}_{finger}{number - 1}", (0.0, way * 0.03, 0.0)))
    return tuple(rows)


_JOINTS = {
    66: _BODY,
    72: _BODY + _PALMS,
    156: _BODY + _hand("left") + _hand("right"),
    165: _BODY + _FACE + _hand("left") + _hand("right"),
}
"""By numbers in a frame."""
_MODELS = {24: ("SMPL", 72), 52: ("SMPL-H", 156), 55: ("SMPL-X", 165)}
"""Families of body models by their joints, and the numbers in a frame of theirs."""


def from_arrays(
    arrays: dict[str, NDArray[Any]],
    path: Path,
    *,
    body: str | None = None,
    fps: Fraction | float | str | None = None,
    mass: MassOption = True,
) -> Clip:
    """The clip of an archive."""
    weighed = Weighing.of(mass)
    poses, trans = _poses(arrays, path)
    rows = _JOINTS[poses.shape[1]]
    notes = [f"{'SMPL' if len(rows) < 25 else 'SMPL-H' if len(rows) == 52 else 'SMPL-X'}, {len(rows)} joints"]
    if body is None:
        offsets, pelvis = np.array([r[2] for r in rows]), np.zeros(3)
        notes.append("lengths of bones by anthropometry: read body=MODEL.npz takes those of your body model")
    else:
        offsets, pelvis = _lengths(Path(body), arrays.get("betas"), rows)
        notes.append(f"lengths of bones from {Path(body).name}")
    bodies = [
        Body(
            name,
            parent or None,
            Joint.ball() if parent else Joint.free(),
            offsets[k] if parent else np.zeros(3),
        )
        for k, (name, parent, _) in enumerate(rows)
    ]
    character = Character(path.stem, bodies, mass_source="none")
    rate = exact_rate(_rate(arrays, path) if fps is None else fps)
    q = _configurations(character, rows, poses, trans + pelvis)
    source = Source(str(path), "npz", 1.0, "z", tuple(notes))
    return Clip(weighed(character), q, rate, name=path.stem, source=source)


def _poses(arrays: dict[str, NDArray[Any]], path: Path) -> tuple[Array, Array]:
    """Rotation vectors (F, …) and translations (F, 3), checked."""
    with blaming(path, "an AMASS archive"):
        trans = np.asarray(arrays["trans"], dtype=np.float64)
        if "poses" in arrays:
            poses = np.asarray(arrays["poses"], dtype=np.float64)
        else:
            given = [np.asarray(arrays[k], dtype=np.float64) for k in PARTS if k in arrays]
            poses = np.concatenate(given, axis=1)
    if poses.ndim != 2 or trans.shape != (len(poses), 3) or not len(poses):
        raise FileFormatError(
            path, f"poses {poses.shape} and trans {trans.shape} are not (frames, …) and (frames, 3)"
        )
    Budget(path, poses.nbytes).spend(poses.size, "the poses")
    if poses.shape[1] not in _JOINTS:
        listed = ", ".join(map(str, _JOINTS))
        raise FileFormatError(path, f"poses have {poses.shape[1]} numbers per frame; Poise knows {listed}")
    if not (np.isfinite(poses).all() and np.isfinite(trans).all() and np.abs(trans).max() < FARTHEST):
        raise FileFormatError(path, "poses or trans hold numbers that are not finite or out of all bounds")
    if np.abs(poses).max() > FARTHEST:
        raise FileFormatError(path, "poses hold rotations out of all bounds")
    return poses, trans


def _rate(arrays: dict[str, NDArray[Any]], path: Path) -> str:
    found = next((arrays[k] for k in RATES if k in arrays), None)
    if found is None or not found.size:
        raise FileFormatError(path, f"the file has no frame rate ({', '.join(RATES[:2])}): give fps=")
    return str(found.ravel()[0])


def _configurations(character: Character, rows: Any, poses: Array, pelvis: Array) -> Array:
    body_axes, world_axes = Axes("y"), Axes("z")
    turns = poses.reshape(len(poses), -1, 3)
    q = np.tile(character.rest_pose(), (len(poses), 1))
    for k, (name, parent, _) in enumerate(rows):
        span = character.coordinates(name)
        if parent:
            q[:, span] = so3.exp(body_axes.vector(turns[:, k]))
    # The world's axes are z up, the body's y up: R = W R_file Bᵀ.
    world, own = world_axes.vector(np.eye(3)).T, body_axes.vector(np.eye(3)).T
    root = world @ so3.to_matrix(so3.exp(turns[:, 0])) @ own.T
    q[:, :3] = world_axes.vector(pelvis)
    q[:, 3:7] = so3.from_matrix(root)
    slots, _ = character.manifold.rotation_slots
    for one in slots:
        q[:, one] = so3.continuous(q[:, one])
    return q


def _lengths(path: Path, betas: NDArray[Any] | None, rows: Any) -> tuple[Array, Array]:
    """Offsets in our axes (J, 3) and the pelvis in the body's own (3,), from a body model."""
    model = read_arrays(read_bytes(path), path, only=MODEL)
    lacking = sorted(MODEL - {"kintree_table"} - set(model))
    if lacking:
        raise FileFormatError(path, f"no body model: {', '.join(lacking)} is not in it")
    with blaming(path, "a body model"):
        template = np.asarray(model["v_template"], dtype=np.float64)
        regressor = np.asarray(model["J_regressor"], dtype=np.float64)
        if betas is not None:
            shape = np.asarray(betas, dtype=np.float64).ravel()
            count = min(len(shape), model["shapedirs"].shape[2])
            template = (
                template + np.asarray(model["shapedirs"][:, :, :count], dtype=np.float64) @ shape[:count]
            )
        joints = regressor @ template  # (J, 3)
        if joints.ndim != 2 or joints.shape[1] != 3 or not np.isfinite(joints).all():
            raise FileFormatError(path, f"joints of shape {joints.shape}, or not finite, are not a body")
    joints = joints[_in_model(path, len(joints), rows)]
    index = {name: k for k, (name, _, _) in enumerate(rows)}
    up = np.array([index[parent] if parent else 0 for _, parent, _ in rows])
    return Axes("y").vector(joints - joints[up]), joints[0]


def _in_model(path: Path, count: int, rows: Any) -> list[int]:
    """Where each joint of the motion is in a model of so many joints: models order them differently."""
    family, numbers = _MODELS.get(count, ("", 0))
    if not numbers:
        known = ", ".join(f"{k} ({name})" for k, (name, _) in _MODELS.items())
        raise FileFormatError(path, f"a body model of {count} joints is not known; {known} are")
    at = {name: k for k, (name, _, _) in enumerate(_JOINTS[numbers])}
    lacking = [name for name, _, _ in rows if name not in at]
    if lacking:
        raise FileFormatError(
            path,
            f"an {family} body of {count} joints does not fit the motion of {len(rows)}: it has no "
            f"{lacking[0]}; say the body= of the family that the motion was made with",
        )
    return [at[name] for name, _, _ in rows]
