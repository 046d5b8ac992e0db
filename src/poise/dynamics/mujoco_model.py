"""A character as a MuJoCo model, for everything that collides, with q and v laid out as ours.

Kinds of joint: a free root is a free joint; a free joint elsewhere is three slides and a ball; a
planar joint is slides along x and z and a hinge about y, with ``ref`` at the rest place; the rest
map one to one. Inertias are written by principal axes to all digits.

MuJoCo refuses moving bodies without mass. A massless body on a hinge, slide or planar joint with one
child and neither shapes nor points of its own is merged with that child, as several joints on one
body: exact, only the massless body has no name of its own any more (its joint has). Where that cannot
be done (a massless ball, a massless leaf), the body gets the least mass MuJoCo takes, 1e-14 kg.

A MuJoCo joint has one number for the armature, damping and stiffness of its three axes. The text holds
their mean; ``model`` then sets armature and damping of every axis exactly. Stiffness of a ball stays
the mean. Limits are written for hinges and slides; rotation-vector limits of balls have no counterpart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import Body, Character, JointKind, Mass, Shape, ShapeKind
from poise.character.joint import as_array
from poise.errors import InputError, MissingDependencyError
from poise.gravity import GRAVITY
from poise.manifold import so3

if TYPE_CHECKING:
    import mujoco

LEAST = 1e-14
"""Mass [kg] and moment [kg·m²] given where MuJoCo insists on one (it refuses less than 1e-15)."""
_FAR = 1e9
"""Stands for an open end where a joint is limited on the other side only."""
_MERGEABLE = (JointKind.HINGE, JointKind.SLIDE, JointKind.PLANAR)


def model(
    character: Character,
    *,
    contacts: bool = False,
    limits: bool = True,
    passive: bool = True,
    gravity: ArrayLike = GRAVITY,
    timestep: float = 0.002,
) -> mujoco.MjModel:
    """The compiled MuJoCo model, options as in ``to_mjcf``."""
    try:
        import mujoco
    except ImportError:
        raise MissingDependencyError(
            "mujoco", "simulation with contact", "pip install poise[contact]"
        ) from None
    text = to_mjcf(
        character, contacts=contacts, limits=limits, passive=passive, gravity=gravity, timestep=timestep
    )
    try:
        built = mujoco.MjModel.from_xml_string(text)
    except ValueError as problem:
        raise InputError(f"MuJoCo cannot take {character.name!r}: {problem}") from None
    if (built.nq, built.nv) != (character.nq, character.nv):
        raise InputError(
            f"{character.name!r} has nq={character.nq}, nv={character.nv}; as a MuJoCo model "
            f"nq={built.nq}, nv={built.nv}"
        )
    built.dof_armature[:] = character.tree.armature
    if passive:
        built.dof_damping[:] = character.damping
    mujoco.mj_setConst(built, mujoco.MjData(built))
    return built


def to_mjcf(
    character: Character,
    *,
    contacts: bool = False,
    limits: bool = True,
    passive: bool = True,
    gravity: ArrayLike = GRAVITY,
    timestep: float = 0.002,
) -> str:
    """The character as MJCF text.

    ``contacts``: shapes collide (else they are only seen); ``limits``: joints stop at their limits;
    ``passive``: natural damping and stiffness act.
    """
    writer = _Writer(character, contacts, limits, passive)
    root = Xml.Element("mujoco", model=character.name)
    Xml.SubElement(
        root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false", balanceinertia="false"
    )
    down = checked(gravity, "gravity", (3,))
    option = Xml.SubElement(root, "option", timestep=repr(float(timestep)), gravity=_text(down))
    if not contacts:
        Xml.SubElement(option, "flag", contact="disable")
    writer.write_branch(Xml.SubElement(root, "worldbody"), 0)
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode")


def _text(values: ArrayLike) -> str:
    return " ".join(repr(float(x)) for x in np.atleast_1d(np.asarray(values, dtype=np.float64)))


@dataclass(frozen=True)
class _Axis:
    """One MuJoCo joint at the reference configuration, in the frame of the MuJoCo parent."""

    name: str
    kind: str
    anchor: Array
    axis: Array
    ref: float
    body: Body
    dofs: slice
    """Its place among the joint's own degrees of freedom."""


class _Writer:
    """Writes bodies into an element tree."""

    def __init__(self, character: Character, contacts: bool, limits: bool, passive: bool) -> None:
        self.character = character
        self.contacts, self.limits, self.passive = contacts, limits, passive
        self.children: list[list[int]] = [[] for _ in character.bodies]
        for i, parent in enumerate(character.parents):
            if parent >= 0:
                self.children[parent].append(i)

    def write_branch(self, above: Xml.Element, first: int) -> None:
        """A body (merged with massless ones before it) and all that hangs from it."""
        waiting = [(above, first)]
        while waiting:
            parent, start = waiting.pop()
            chain = self._merged_chain(start)
            element = self._write_body(parent, chain)
            # A stack: the last child put is written first, so reversed order keeps ours.
            waiting.extend((element, k) for k in reversed(self.children[chain[-1]]))

    def _merged_chain(self, start: int) -> list[int]:
        """Massless bodies from ``start`` on that become further joints of the one after them."""
        chain = [start]
        for _ in self.character.bodies:
            body, below = self.character.bodies[chain[-1]], self.children[chain[-1]]
            empty = not _has_mass(body.mass) and not body.shapes and not body.points
            if not (empty and body.joint.kind in _MERGEABLE and len(below) == 1):
                return chain
            if self.character.bodies[below[0]].joint.nv == 0:
                return chain  # a welded child lends its mass, or neither has any
            chain.append(below[0])
        return chain

    def _write_body(self, parent: Xml.Element, chain: list[int]) -> Xml.Element:
        bodies = [self.character.bodies[i] for i in chain]
        last = bodies[-1]
        position, turn, axes = np.zeros(3), np.eye(3), []
        for body in bodies:
            position, turn, own = _placed(body, position, turn)
            axes += own
        element = Xml.SubElement(
            parent, "body", name=_body_name(last), pos=_text(position), quat=_text(so3.from_matrix(turn))
        )
        for joint in axes:
            self._write_joint(element, joint, position, turn)
        moving = any(b.joint.nv for b in bodies)
        self._write_inertial(element, last.mass, needed=moving and not self._accepted(chain[-1]))
        for shape in last.shapes:
            self._write_geom(element, shape)
        for name, point in last.points.items():
            Xml.SubElement(element, "site", name=name, pos=_text(point))
        return element

    def _write_joint(self, element: Xml.Element, joint: _Axis, position: Array, turn: Array) -> None:
        said = {"name": joint.name, "type": joint.kind}
        if joint.kind in ("hinge", "slide"):
            said["pos"] = _text(turn.T @ (joint.anchor - position))
            said["axis"] = _text(turn.T @ joint.axis)
            if joint.ref:
                said["ref"] = repr(joint.ref)
            lower, upper = (
                float(as_array(x)[joint.dofs][0]) for x in (joint.body.joint.lower, joint.body.joint.upper)
            )
            if self.limits and (np.isfinite(lower) or np.isfinite(upper)):
                said["range"] = _text([max(lower, -_FAR), min(upper, _FAR)])
            effort = float(as_array(joint.body.joint.effort)[joint.dofs][0])
            if self.limits and np.isfinite(effort):
                said["actuatorfrcrange"] = _text([-effort, effort])
        said["armature"] = repr(float(as_array(joint.body.joint.armature)[joint.dofs].mean()))
        if self.passive:
            for name, values in (
                ("damping", joint.body.joint.damping),
                ("stiffness", joint.body.joint.stiffness),
            ):
                mean = float(as_array(values)[joint.dofs].mean())
                if mean and joint.kind != "free":
                    said[name] = repr(mean)
        Xml.SubElement(element, "joint", said)

    def _accepted(self, body: int) -> bool:
        """Whether MuJoCo lets the body move: its own mass, or that of a body welded to it."""
        if _has_full_mass(self.character.bodies[body].mass):
            return True
        welded = [k for k in self.children[body] if self.character.bodies[k].joint.nv == 0]
        return any(self._accepted(k) for k in welded)

    def _write_inertial(self, element: Xml.Element, mass: Mass, *, needed: bool) -> None:
        if not needed and not _has_mass(mass):
            return
        moments, axes = _principal(np.asarray(mass.inertia))
        kilograms = mass.mass
        if needed:
            kilograms, moments = max(kilograms, LEAST), np.maximum(moments, LEAST)
        # Rounding must not make a flat or thin body impossible: no moment above the sum of the others.
        spare = np.maximum(0.0, 2 * moments - moments.sum())
        moments = moments + spare.max() * (spare == 0)
        Xml.SubElement(
            element,
            "inertial",
            mass=repr(float(kilograms)),
            pos=_text(mass.centre),
            quat=_text(axes),
            diaginertia=_text(moments),
        )

    def _write_geom(self, element: Xml.Element, shape: Shape) -> None:
        size, kind = as_array(shape.size), shape.kind
        if kind is ShapeKind.CAPSULE and size[1] == 0:
            kind = ShapeKind.SPHERE
        used = {ShapeKind.SPHERE: 1, ShapeKind.CAPSULE: 2, ShapeKind.CYLINDER: 2}.get(kind, 3)
        collides = "1" if self.contacts else "0"
        Xml.SubElement(
            element,
            "geom",
            type=kind.value,
            size=_text(size[:used]),
            pos=_text(shape.position),
            quat=_text(shape.rotation),
            contype=collides,
            conaffinity=collides,
        )


def _body_name(body: Body) -> str:
    # MuJoCo keeps "world" for itself.
    return "world_body" if body.name == "world" else body.name


def _has_mass(mass: Mass) -> bool:
    return mass.mass > 0 or bool(np.any(np.asarray(mass.inertia)))


def _has_full_mass(mass: Mass) -> bool:
    return mass.mass >= LEAST and float(np.linalg.eigvalsh(np.asarray(mass.inertia))[0]) >= LEAST


def _principal(inertia: Array) -> tuple[Array, Array]:
    """Principal moments and the quaternion of their axes."""
    if not np.any(inertia - np.diag(np.diag(inertia))):
        return np.diag(inertia).copy(), np.array(so3.IDENTITY)
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1
    return np.maximum(moments, 0.0), so3.from_matrix(axes)


def _placed(body: Body, position: Array, turn: Array) -> tuple[Array, Array, list[_Axis]]:
    """The body's frame at the reference configuration and its joints, given the frame before it."""
    offset, rest, joint = np.asarray(body.offset), so3.to_matrix(body.rest), body.joint
    at = position + turn @ offset
    labels = [body.name + label for label in joint.kind.dof_labels]
    ex, ey, ez = turn.T

    def axis(k: int, kind: str, along: Array, ref: float = 0.0) -> _Axis:
        return _Axis(labels[k], kind, at, along, ref, body, slice(k, k + 1))

    match joint.kind:
        case JointKind.FREE if body.parent is None:
            whole = _Axis(body.name, "free", at, ez, 0.0, body, slice(0, 6))
            return at, turn @ rest, [whole]
        case JointKind.FREE:
            slides = [axis(k, "slide", along, float(offset[k])) for k, along in enumerate((ex, ey, ez))]
            return at, turn, [*slides, _Axis(body.name, "ball", at, ez, 0.0, body, slice(3, 6))]
        case JointKind.PLANAR:
            slides = [axis(0, "slide", ex, float(offset[0])), axis(1, "slide", ez, float(offset[2]))]
            return at, turn, [*slides, axis(2, "hinge", ey)]
        case JointKind.BALL:
            return at, turn @ rest, [_Axis(body.name, "ball", at, ez, 0.0, body, slice(0, 3))]
        case JointKind.FIXED:
            return at, turn @ rest, []
        case JointKind.HINGE | JointKind.SLIDE:
            along = turn @ rest @ as_array(joint.axis)
            return at, turn @ rest, [axis(0, joint.kind.name.lower(), along)]
