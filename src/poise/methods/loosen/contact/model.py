"""A character among obstacles as a MuJoCo model: who may touch whom, and how a touch feels.

Character shapes touch obstacles and nothing else: neighbouring limbs overlap by design. Bodies that move as
told (a prescribed or fixed root and what is welded to it) cannot yield, so they do not touch.

What moves as told, the root and obstacles on a path, has its own degrees of freedom with an added inertia
A = 1e10 and is pushed by A v̇_told. Its acceleration is then v̇_told up to reaction / A, while all that hangs
on it feels M v̇ exactly and an impact sees something that does not yield. (A mocap body would move without
accelerating as far as its children can tell, so a limb would not lag behind it.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array
from poise.character import Character
from poise.dynamics.mujoco_model import to_mjcf
from poise.errors import InputError, MissingDependencyError
from poise.manifold import so3
from poise.methods.loosen.contact.surfaces import damping_ratio
from poise.world import Surface

HEAVY = 1e10
"""Inertia of what moves as told [kg or kg·m²]."""
_PREFIX = "obstacle/"


def mujoco_library() -> ModuleType:
    """MuJoCo, or an error that says how to get it."""
    try:
        import mujoco
    except ImportError:
        raise MissingDependencyError(
            "mujoco", "simulation with contact", "pip install poise[contact]"
        ) from None
    return mujoco


@dataclass(frozen=True, eq=False)
class ContactModel:
    """The compiled model and what its numbers mean."""

    mujoco: Any
    model: Any
    geom_body: NDArray[np.int64]
    """Character body of each geom, −1 for obstacles, (geoms,)."""
    geom_obstacle: NDArray[np.int64]
    """Surface of each geom, −1 for the character's, (geoms,)."""
    yielding: NDArray[np.bool_]
    """Bodies that can be pushed, (n,)."""
    told_q: NDArray[np.int64]
    told_v: NDArray[np.int64]
    """Coordinates and degrees of freedom that move as told."""
    moving: tuple[int, ...]
    """Obstacles on a path, in the order of their coordinates, which follow the character's."""
    bare_inertia: Array
    """Inertia of each degree of freedom in the reference pose without armature, (nv,)."""

    def reset(self, data: Any, *, touching: bool) -> None:
        """Forget everything; let shapes touch or not."""
        disabled = 0 if touching else int(self.mujoco.mjtDisableBit.mjDSBL_CONTACT)
        self.model.opt.disableflags = disabled
        self.mujoco.mj_resetData(self.model, data)

    def put_armature(self, dofs: NDArray[np.int64], values: Array | float) -> None:
        """Armature of some degrees of freedom, also where MuJoCo keeps a constant sum with the inertia."""
        self.model.dof_armature[dofs] = values
        self.model.dof_M0[dofs] = self.bare_inertia[dofs] + values

    def let_touch(self, *, all_bodies: bool) -> None:
        """Whether bodies that cannot yield touch too (for finding overlaps)."""
        own = self.geom_body >= 0
        may = own & (all_bodies | self.yielding[self.geom_body])
        self.model.geom_contype[own] = np.where(may[own], self._touching[own], 0)

    def pair(self, contact: Any) -> tuple[int, int, float]:
        """Body, obstacle, and the sign that makes MuJoCo's contact force the one on the body."""
        a, b = (int(g) for g in contact.geom)
        if self.geom_body[a] < 0:
            return int(self.geom_body[b]), int(self.geom_obstacle[a]), 1.0
        return int(self.geom_body[a]), int(self.geom_obstacle[b]), -1.0

    @property
    def _touching(self) -> NDArray[np.int64]:
        return (self.model.geom_group == 1).astype(np.int64)


def contact_model(
    character: Character,
    obstacles: Sequence[Surface],
    *,
    bodies: str,
    prescribed: bool,
    gravity: ArrayLike,
    step: float,
    give: float,
    springs: Array,
) -> ContactModel:
    """Compile. ``springs`` is the inertia that stands for implicit springs, (nv,)."""
    mujoco = mujoco_library()
    root = Xml.fromstring(
        to_mjcf(character, contacts=True, limits=False, passive=False, gravity=gravity, timestep=step)
    )
    option, world = root.find("option"), root.find("worldbody")
    assert option is not None  # written so by to_mjcf
    assert world is not None
    option.set("cone", "elliptic")
    # The heavy root counts in MuJoCo's measure of convergence, so that its usual 1e-8 stops at once.
    option.set("tolerance", "1e-20")
    chosen = {character.names[i] for i in character.select(bodies)}
    for body in world.iter("body"):
        touches = "1" if _own_name(body.get("name", "")) in chosen else "0"
        for geom in body.findall("geom"):
            geom.set("contype", touches)
            geom.set("conaffinity", "0")
            geom.set("group", touches)
    for obstacle in obstacles:
        _write(root, world, obstacle, give)
    try:
        model = mujoco.MjModel.from_xml_string(Xml.tostring(root, encoding="unicode"))
    except ValueError as problem:
        raise InputError(f"MuJoCo cannot take {character.name!r} among these obstacles: {problem}") from None
    nv = character.nv
    model.dof_armature[:nv] = character.tree.armature + springs
    # Constants that scale contacts come from the natural root; only then is it made heavy.
    mujoco.mj_setConst(model, mujoco.MjData(model))
    root_q, root_v = character.coordinates(0), character.dofs(0)
    told_q = [*(range(root_q.start, root_q.stop) if prescribed else ()), *range(character.nq, model.nq)]
    told_v = [*(range(root_v.start, root_v.stop) if prescribed else ()), *range(nv, model.nv)]

    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, int(b)) for b in model.geom_bodyid]
    order = {o.name: k for k, o in enumerate(obstacles)}
    built = ContactModel(
        mujoco,
        model,
        np.array([-1 if n.startswith(_PREFIX) else character.index(_own_name(n)) for n in names]),
        np.array([order[n.removeprefix(_PREFIX)] if n.startswith(_PREFIX) else -1 for n in names]),
        _yielding(character, prescribed),
        np.array(told_q, dtype=np.int64),
        np.array(told_v, dtype=np.int64),
        tuple(k for k, o in enumerate(obstacles) if o.moves),
        np.array(model.dof_M0 - model.dof_armature),
    )
    built.put_armature(built.told_v, HEAVY)
    built.let_touch(all_bodies=False)
    if not model.geom_contype.any():
        raise InputError(
            f"nothing of {character.name!r} can touch an obstacle: no body of {bodies!r} that may yield "
            "has a shape"
        )
    return built


def _own_name(name: str) -> str:
    return "world" if name == "world_body" else name


def _yielding(character: Character, prescribed: bool) -> NDArray[np.bool_]:
    """Bodies with a free degree of freedom between them and the ground."""
    out = np.zeros(len(character.bodies), dtype=np.bool_)
    for i, (body, parent) in enumerate(zip(character.bodies, character.parents)):
        own = body.joint.nv > 0 and not (prescribed and parent < 0)
        out[i] = own or (parent >= 0 and out[parent])
    return out


def _write(root: Xml.Element, world: Xml.Element, obstacle: Surface, give: float) -> None:
    """A surface as a body of its own; one on a track slides along the world's axes, and turns."""

    def text(values: ArrayLike) -> str:
        return " ".join(repr(float(x)) for x in np.ravel(np.asarray(values, dtype=np.float64)))

    turn, moves = so3.exp(np.array(obstacle.turn)), obstacle.moves
    place, within = ((0.0, 0.0, 0.0), obstacle.place) if moves else (obstacle.place, (0.0, 0.0, 0.0))
    body = Xml.SubElement(world, "body", name=_PREFIX + obstacle.name, pos=text(place))
    if moves:
        for axis in ("1 0 0", "0 1 0", "0 0 1"):
            Xml.SubElement(body, "joint", type="slide", axis=axis)
        if turns(obstacle):
            Xml.SubElement(body, "joint", type="ball")
        Xml.SubElement(body, "inertial", mass="1", pos="0 0 0", diaginertia="1 1 1")
    ratio = damping_ratio(obstacle.bounce)
    for k, part in enumerate(obstacle.shape.solids() or ()):
        said = {"size": text(part.size)} if part.size else {}
        if part.vertices is not None:
            asset = root.find("asset")
            asset = Xml.SubElement(root, "asset") if asset is None else asset
            said["mesh"] = f"{_PREFIX}{obstacle.name}/{k}"
            Xml.SubElement(asset, "mesh", name=said["mesh"], vertex=text(part.vertices))
        Xml.SubElement(
            body,
            "geom",
            said,
            type=part.kind,
            pos=text(np.array(within) + so3.rotate(turn, np.array(part.place))),
            quat=text(so3.multiply(turn, so3.exp(np.array(part.turn)))),
            contype="0",
            conaffinity="1",
            group="0",
            priority="1",  # the surface's friction and bounce count, not a mean with the skin's
            condim="3",
            friction=f"{float(obstacle.friction)!r} 0 0",
            # MuJoCo's two numbers are 1/(ζω) and ζ; the impedance is nearly rigid, whatever the depth.
            solref=f"{give / ratio!r} {ratio!r}",
            solimp="0.99 0.99 0.001 0.5 2",
        )


def turns(surface: Surface) -> bool:
    """Whether its track turns it, so that it has a ball joint beside its slides."""
    return surface.track is not None and surface.track.turns is not None
