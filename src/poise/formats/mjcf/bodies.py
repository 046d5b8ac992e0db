"""Bodies of a compiled MuJoCo model as ours.

MuJoCo turns a body about an anchor a inside it; ours turn about their origin. So our body frame is the
*joint* frame: MuJoCo's body frame moved by its (last) anchor, axes kept, and everything on the body is
seen from there. A body with joints 1 … k becomes k bodies: massless helpers named after their joints for
all but the last joint, then the body itself,

    offset₁ = pos + R a₁ − a_parent,  rest₁ = quat;     offset_i = a_i − a_{i−1},  rest_i = 1

Coordinates count from the model's reference: ours = qpos − ref for hinges and slides. Two sets of
joints through the origin of a body that is not turned become one joint: slides along x and z and a
hinge about y (planar, for a root), and three slides and a ball (free).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Body, Joint, JointKind, Mass, Shape, ShapeKind
from poise.manifold import so3

FREE, BALL, SLIDE, HINGE = range(4)
_SOLIDS = {
    2: ShapeKind.SPHERE,
    3: ShapeKind.CAPSULE,
    4: ShapeKind.ELLIPSOID,
    5: ShapeKind.CYLINDER,
    6: ShapeKind.BOX,
}
_PLANE, _HEIGHT_FIELD, _MESH = 0, 1, 7
"""Kinds of geoms (mjtGeom)."""
_BODY, _JOINT, _SITE = 1, 3, 6  # mjtObj
_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True)
class Reading:
    """Our bodies and how their coordinates follow from MuJoCo's qpos."""

    bodies: tuple[Body, ...]
    columns: Array
    """Column of qpos for every coordinate, (nq,)."""
    shift: Array
    """Added to those columns, (nq,)."""
    origins: dict[str, Array]
    """MuJoCo's body origin in our frame of each (non-helper) body."""
    notes: tuple[str, ...]

    def configurations(self, qpos: Array) -> Array:
        """Our q (F, nq) of MuJoCo's qpos (F, model.nq)."""
        return np.asarray(qpos[:, self.columns.astype(np.int64)] + self.shift)


def read_bodies(
    model: Any,
    name_of: Callable[[int, int], str | None],
    root: int,
    speeds: Mapping[str, float] = MappingProxyType({}),
) -> Reading:
    """The bodies below and including the model's body ``root``; ``speeds``: limits by joint's name."""
    members = [b for b in range(root, model.nbody) if b == root or model.body_rootid[b] == root]
    names = {b: name_of(_BODY, b) or f"body {b}" for b in members}
    taken = set(names.values())
    anchors: dict[int, Array] = {}
    bodies: list[Body] = []
    columns: list[int] = []
    shift: list[float] = []
    notes: list[str] = []
    for b in members:
        up = int(model.body_parentid[b])
        parent = names.get(up)
        joints = [int(model.body_jntadr[b]) + k for k in range(int(model.body_jntnum[b]))]
        at = np.array(model.body_pos[b]) - anchors.get(up, np.zeros(3))
        turn = np.array(model.body_quat[b])
        anchor = np.zeros(3)
        whole = _composite(model, joints, turn, is_root=b == root)
        if whole is not None:
            place = at[[0, 2]] if whole is JointKind.PLANAR else at
            start = np.zeros(whole.nv)
            start[: len(place)] = place
            joint = Joint(whole, **_per_dof(model, joints, start, notes, names[b]))
            columns += range(int(model.jnt_qposadr[joints[0]]), int(model.jnt_qposadr[joints[0]]) + whole.nq)
            reference = [float(model.qpos0[model.jnt_qposadr[j]]) for j in joints[: len(place)]]
            shift += [*(place - reference), *[0.0] * (whole.nq - len(place))]
            if whole is JointKind.PLANAR:
                shift[-1] = -float(model.qpos0[model.jnt_qposadr[joints[2]]])
        elif not joints:
            joint = Joint.fixed()
        else:
            joint = Joint.fixed()
            for k, j in enumerate(joints):
                called = name_of(_JOINT, j) or names[b]
                joint = _joint(model, j, notes, called)
                if called in speeds and joint.nv == 1:
                    joint = replace(joint, speed=speeds[called])
                if joint.kind is not JointKind.FREE:
                    there = np.array(model.jnt_pos[j])
                    at = at + so3.rotate(turn, there) if k == 0 else there - anchor
                    anchor = there
                first, count = int(model.jnt_qposadr[j]), joint.nq
                columns += range(first, first + count)
                turns = joint.kind in (JointKind.FREE, JointKind.BALL)
                shift += [0.0] * count if turns else [-float(model.qpos0[first])]
                if k < len(joints) - 1:
                    helper = _fresh(name_of(_JOINT, j) or f"{names[b]}:{k + 1}", taken)
                    joint = _called(joint, name_of(_JOINT, j), helper)
                    bodies.append(Body(helper, parent, joint, at, turn))
                    parent, turn = helper, so3.IDENTITY
                else:
                    joint = _called(joint, name_of(_JOINT, j), names[b])
        anchors[b] = anchor
        bodies.append(
            Body(
                names[b],
                parent,
                joint,
                at,
                turn,
                mass=_mass(model, b, anchor),
                shapes=_shapes(model, b, anchor, notes, names[b]),
                points=_points(model, b, anchor, name_of, taken),
            )
        )
    return Reading(
        tuple(bodies),
        np.array(columns),
        np.array(shift),
        {names[b]: -anchors[b] for b in members},
        tuple(dict.fromkeys(notes)),
    )


def _composite(model: Any, joints: list[int], turn: Array, *, is_root: bool) -> JointKind | None:
    """The one joint that several make up, if they do."""
    kinds = [int(model.jnt_type[j]) for j in joints]
    if len(joints) < 3 or not np.allclose(turn, so3.IDENTITY, atol=1e-12):
        return None
    if np.any(model.jnt_pos[joints[-1]]):
        return None

    def along(*axes: Array) -> bool:
        return all(np.allclose(model.jnt_axis[j], a, atol=1e-12) for j, a in zip(joints, axes))

    if kinds == [SLIDE, SLIDE, HINGE] and is_root and along(_X, _Z, _Y):
        return JointKind.PLANAR
    if kinds == [SLIDE, SLIDE, SLIDE, BALL] and along(_X, _Y, _Z):
        return JointKind.FREE
    return None


def _joint(model: Any, j: int, notes: list[str], name: str) -> Joint:
    match int(model.jnt_type[j]):
        case 0:
            return Joint(JointKind.FREE, **_per_dof(model, [j], None, notes, name))
        case 1:
            return Joint(JointKind.BALL, **_per_dof(model, [j], None, notes, name))
        case kind:
            ours = JointKind.SLIDE if kind == SLIDE else JointKind.HINGE
            return Joint(ours, np.array(model.jnt_axis[j]), **_per_dof(model, [j], np.zeros(1), notes, name))


def _called(joint: Joint, name: str | None, body: str) -> Joint:
    """A joint of one number with its own name, where that is not its body's."""
    return replace(joint, name=name) if name and name != body and joint.nv == 1 else joint


def _per_dof(
    model: Any, joints: list[int], start: Array | None, notes: list[str], name: str
) -> dict[str, Any]:
    """Limits, stiffness, damping and armature; limits of single coordinates begin at ``start``."""
    sizes = {FREE: 6, BALL: 3, SLIDE: 1, HINGE: 1}
    kinds = [int(model.jnt_type[j]) for j in joints]
    dofs = np.concatenate([model.jnt_dofadr[j] + np.arange(sizes[k]) for j, k in zip(joints, kinds)])
    lower, upper = np.full(len(dofs), -np.inf), np.full(len(dofs), np.inf)
    stiffness = np.concatenate([np.full(sizes[k], model.jnt_stiffness[j]) for j, k in zip(joints, kinds)])
    for i, (j, kind) in enumerate(zip(joints, kinds)):
        spring = int(model.jnt_qposadr[j])
        if kind in (SLIDE, HINGE) and start is not None:
            if model.jnt_limited[j]:
                ref = start[i] - float(model.qpos0[spring])
                lower[i], upper[i] = model.jnt_range[j] + ref
            if model.jnt_stiffness[j] and model.qpos_spring[spring] != model.qpos0[spring]:
                notes.append(f"the spring of {name} rests away from its reference; here it rests there")
        elif kind == BALL and model.jnt_limited[j]:
            lower[-3:], upper[-3:] = -model.jnt_range[j, 1], model.jnt_range[j, 1]
            notes.append(f"the limit on the angle of ball {name} became one on each component")
    return {
        "lower": lower,
        "upper": upper,
        "stiffness": stiffness,
        "damping": np.array(model.dof_damping[dofs]),
        "armature": np.array(model.dof_armature[dofs]),
        "effort": np.concatenate([np.full(sizes[k], _effort(model, j)) for j, k in zip(joints, kinds)]),
    }


def _effort(model: Any, joint: int) -> float:
    """The most that drives a hinge or slide: of the joint itself, else of the actuators on it; else ∞."""
    if int(model.jnt_type[joint]) not in (SLIDE, HINGE):
        return np.inf
    if model.jnt_actfrclimited[joint]:
        most = float(np.abs(model.jnt_actfrcrange[joint]).max())
        return most if most > 0 else np.inf
    on = [
        a for a in range(model.nu) if model.actuator_trntype[a] == 0 and model.actuator_trnid[a, 0] == joint
    ]
    most = 0.0
    for a in on:
        gear = abs(float(model.actuator_gear[a, 0]))
        if model.actuator_forcelimited[a]:
            most += gear * float(np.abs(model.actuator_forcerange[a]).max())
        elif model.actuator_ctrllimited[a] and not np.any(model.actuator_biasprm[a]):  # a motor
            gain = abs(float(model.actuator_gainprm[a, 0]))
            most += gear * gain * float(np.abs(model.actuator_ctrlrange[a]).max())
        else:
            return np.inf
    return most if most > 0 else np.inf


def _mass(model: Any, b: int, anchor: Array) -> Mass:
    turn = so3.to_matrix(so3.normalise(model.body_iquat[b]))
    inertia = turn @ np.diag(model.body_inertia[b]) @ turn.T
    return Mass(float(model.body_mass[b]), np.array(model.body_ipos[b]) - anchor, 0.5 * (inertia + inertia.T))


def _shapes(model: Any, b: int, anchor: Array, notes: list[str], name: str) -> tuple[Shape, ...]:
    out = []
    for g in range(int(model.body_geomadr[b]), int(model.body_geomadr[b]) + int(model.body_geomnum[b])):
        kind = int(model.geom_type[g])
        if kind in _SOLIDS:
            size = np.array(model.geom_size[g])
            place = np.array(model.geom_pos[g]) - anchor
            out.append(Shape(_SOLIDS[kind], size, place, so3.normalise(model.geom_quat[g])))
        elif kind not in (_PLANE, _HEIGHT_FIELD):
            notes.append(f"meshes on {name} are not drawn (their mass is kept)")
    return tuple(out)


def _points(
    model: Any, b: int, anchor: Array, name_of: Callable[[int, int], str | None], taken: set[str]
) -> dict[str, Array]:
    out: dict[str, Array] = {}
    for s in np.flatnonzero(np.asarray(model.site_bodyid) == b):
        name = name_of(_SITE, int(s)) or f"site {s}"
        out[_fresh(f"{name} site" if name in taken else name, taken)] = np.array(model.site_pos[s]) - anchor
    return out


def _fresh(name: str, taken: set[str]) -> str:
    """The name, numbered if it is taken; taken from now on."""
    candidate, k = name, 2
    while candidate in taken:
        candidate, k = f"{name}_{k}", k + 1
    taken.add(candidate)
    return candidate
