"""Simulation with contact: a performer, a floor and thrown bodies in MuJoCo, our controller in between.

    positions, contacts (MuJoCo) → aim, torques (compiled) → step (MuJoCo)

Torques are those of the compiled simulation: implicit in a velocity that foresees everything but new
contacts. Where nothing touches, the two agree to rounding. A character's own shapes never touch one another:
neighbouring limbs overlap by design. A root that moves as told has an added inertia of 1e10 and the force
that moves it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Character, ShapeKind
from poise.dynamics.mujoco_model import to_mjcf
from poise.dynamics.mujoco_warnings import heard_warnings
from poise.errors import InputError, MissingDependencyError
from poise.manifold import so3
from poise.methods.perform.control.schedule import Schedule
from poise.methods.perform.simulate.loads import solid
from poise.methods.perform.simulate.props import Flight
from poise.methods.perform.simulate.simulation import TOLD, Simulation
from poise.methods.perform.simulate.soles import why_not
from poise.methods.perform.simulate.steps import Trace, decide, look_back, shortened
from poise.operations.values.disturbance import Push, Throw
from poise.world import Surface, World

HEAVY = 1e10
"""Added to the inertia of a root that moves as told [kg, kg·m²]: nothing that touches it moves it."""
GIVE = 0.004
"""1/ω of a contact with a thrown body [s]."""
FAR = 1e4
"""Height at which bodies wait that are not yet thrown [m]."""
_PREFIX = "thrown/"


@dataclass(frozen=True, eq=False)
class PropTouch:
    """A thrown body met the performer."""

    time: float
    body: str
    thrown: str
    position: Array
    """[m], (3,)."""


class Scene:
    """A MuJoCo model of the performer and what is around it, and its state."""

    def __init__(self, simulation: Simulation, throws: Sequence[Throw], world: World) -> None:
        try:
            import mujoco
        except ImportError:
            raise MissingDependencyError(
                "mujoco", "simulation with contact", "pip install poise[contact]"
            ) from None
        self._mujoco: Any = mujoco
        self.simulation, self.throws, self.world = simulation, tuple(throws), world
        names = [t.name for t in throws]
        if len(set(names)) < len(names):
            raise InputError(f"thrown bodies need names of their own, not {', '.join(names)}")
        self.model: Any = None
        self.rebuild()

    def rebuild(self) -> None:
        """The model of the body as it is now (it may have been given a weight); the state goes on."""
        before = (
            None if self.model is None else (self.data.qpos.copy(), self.data.qvel.copy(), self.data.time)
        )
        self.model = self._compiled()
        self.data: Any = self._mujoco.MjData(self.model)
        if before is not None:
            self.data.qpos[:], self.data.qvel[:], self.data.time = before

    def run(
        self, schedule: Schedule, times: Array, pushes: Sequence[Push], *, settled: Mapping[str, float]
    ) -> tuple[Trace, list[Flight], PropTouch | None]:  # fmt: skip
        """From ``times[0]``, which is now, to the last, or to the first touch.

        Touches of a thrown body before it has ``settled`` [s] belong to the one before.
        """
        sim, data, model, mujoco = self.simulation, self.data, self.model, self._mujoco
        nq, nv = sim.body.nq, sim.body.nv
        trace = Trace.room(times, nq, nv)
        performer, rows = sim.performer(schedule, times, pushes)
        who = performer.who
        flights = self.room_for_flights(len(times))
        q, v, applied = data.qpos[:nq], data.qvel[:nv], data.qfrc_applied[:nv]  # MuJoCo's own memory
        q[:], v[:] = sim.q, sim.v
        trace.q[0], trace.v[0] = sim.q, sim.v
        root, touch, done = who.root, None, len(times) - 1
        with heard_warnings() as heard:
            for k in range(len(times) - 1):
                t = float(times[k])
                if k % TOLD == 0:
                    sim.told(t)
                h = float(times[k + 1]) - t
                model.opt.timestep = h
                self._hold_back(t, h)
                self._note_flights(flights, k)
                mujoco.mj_step1(model, data)
                decide(performer, k, int(rows[k]), q, v, t, h, trace)
                if pushes:
                    pushed = any(p.start <= t + 0.5 * h < p.end for p in pushes)
                    self._lean(sim.room.wrenches if pushed else None)
                applied[:] = sim.room.tau + sim.room.passive
                if who.told:
                    applied[:root] = HEAVY * (sim.room.told[:root] - v[:root]) / h
                mujoco.mj_step2(model, data)
                trace.q[k + 1], trace.v[k + 1] = q, v
                look_back(sim.room, trace.v[k], trace.v[k + 1], h)
                touch = self._touch(float(times[k + 1]), settled)
                if touch is not None:
                    done = k + 1
                    break
        if any("unstable" in warning for warning in heard):
            raise InputError(
                f"the simulation of {sim.body.name!r} with contact runs away: {heard[0]}; use a shorter step"
            )
        self._note_flights(flights, done)
        cut = shortened(trace, done)
        sim.take(cut)
        return cut, [f.until(done + 1) for f in flights], touch

    def room_for_flights(self, steps: int) -> list[Flight]:
        """Where thrown bodies will be."""
        return [Flight(t, np.zeros((steps, 3)), np.zeros((steps, 4))) for t in self.throws]

    # Inside ----------------------------------------------------------------------------------

    def _hold_back(self, t: float, h: float) -> None:
        """Bodies not yet thrown wait far up, where nothing is."""
        for k, throw in enumerate(self.throws):
            q, v = self._places[k]
            if t < throw.time - 0.5 * h:
                self.data.qpos[q : q + 7] = [0.0, 10.0 * k, FAR, 1.0, 0.0, 0.0, 0.0]
                self.data.qvel[v : v + 6] = 0.0
            elif self.data.qpos[q + 2] > 0.5 * FAR:
                self.data.qpos[q : q + 3], self.data.qvel[v : v + 3] = throw.position, throw.velocity

    def _note_flights(self, flights: Sequence[Flight], k: int) -> None:
        for flight, (q, _) in zip(flights, self._places):
            place = self.data.qpos[q : q + 3]
            flight.positions[k] = place if place[2] < 0.5 * FAR else np.nan
            flight.rotations[k] = self.data.qpos[q + 3 : q + 7]

    def _touch(self, time: float, settled: Mapping[str, float]) -> PropTouch | None:
        """The first push between a thrown body and the performer that is news."""
        if not (self.throws and self.data.ncon):
            return None
        for i in np.flatnonzero(self._is_thrown[self.data.contact.geom].any(axis=1)).tolist():
            contact = self.data.contact[i]
            one, other = (int(g) for g in contact.geom)
            for own, thrown in ((one, other), (other, one)):
                if self._body_of[own] < 0 or thrown not in self._solids:
                    continue
                ball = self.throws[self._solids.index(thrown)].name
                wrench = np.zeros(6)
                self._mujoco.mj_contactForce(self.model, self.data, i, wrench)
                if wrench[0] > 0 and time > settled.get(ball, -1.0):
                    name = self.simulation.body.names[self._body_of[own]]
                    return PropTouch(time, name, ball, np.array(contact.pos))
        return None

    def _lean(self, wrenches: Array | None) -> None:
        """Give MuJoCo what pushes on bodies: it counts forces at centres of mass."""
        self.data.xfrc_applied[:] = 0.0
        if wrenches is None:
            return
        for i, wrench in zip(self._bodies, wrenches.reshape(-1, 6)):
            if wrench.any():
                arm = self.data.xipos[i] - self.data.xpos[i]
                self.data.xfrc_applied[i, :3] += wrench[:3]
                self.data.xfrc_applied[i, 3:] += wrench[3:] - np.cross(arm, wrench[:3])

    def _compiled(self) -> Any:
        sim, mujoco = self.simulation, self._mujoco
        character: Character = sim.body
        text = to_mjcf(
            character,
            contacts=True,
            limits=False,
            passive=False,
            gravity=sim.gravity,
            timestep=sim.asked.step,
        )
        root = Xml.fromstring(text)
        option, world = root.find("option"), root.find("worldbody")
        assert option is not None  # written so by to_mjcf
        assert world is not None
        option.set("cone", "elliptic")
        # What is heavy counts in MuJoCo's measure of convergence, so that its usual 1e-8 stops at once.
        option.set("tolerance", "1e-20")
        for geom in world.iter("geom"):
            geom.set("contype", "1")
            geom.set("conaffinity", "0")
            geom.set("friction", "0.8 0 0")
        for surface in self.world.surfaces:
            if not why_not(surface):
                _write_surface(root, world, surface, "3" if sim.as_told else "2")
        for throw in self.throws:
            _write(world, throw)
        try:
            model = mujoco.MjModel.from_xml_string(Xml.tostring(root, encoding="unicode"))
        except ValueError as problem:
            raise InputError(f"MuJoCo cannot take {character.name!r} in this scene: {problem}") from None
        nv = character.nv
        model.dof_armature[:nv] = character.tree.armature
        model.dof_damping[:nv] = sim.damping
        mujoco.mj_setConst(model, mujoco.MjData(model))
        held = slice(0, character.bodies[0].joint.nv if sim.as_told else nv)
        if held.stop:
            model.dof_armature[held] += HEAVY  # one who stands moves by its own equations: see ``Flying``
            model.dof_M0[held] += HEAVY
        self._index(model)
        return model

    def _index(self, model: Any) -> None:
        """Which geom, body and coordinates belong to what."""
        mujoco, character = self._mujoco, self.simulation.body
        kinds = mujoco.mjtObj
        known = {("world_body" if n == "world" else n): i for i, n in enumerate(character.names)}
        owners = [mujoco.mj_id2name(model, kinds.mjOBJ_BODY, int(b)) for b in model.geom_bodyid]
        self._body_of = np.array([known.get(name, -1) for name in owners], dtype=np.int64)
        self._bodies = [max(0, mujoco.mj_name2id(model, kinds.mjOBJ_BODY, name)) for name in known]
        self._solids = [owners.index(_PREFIX + t.name) for t in self.throws]
        self._is_thrown = np.isin(np.arange(model.ngeom), self._solids)
        joints = [int(model.body_jntadr[model.geom_bodyid[g]]) for g in self._solids]
        self._places = [(int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])) for j in joints]


class Flying:
    """Thrown bodies about one who stands by its own equations: they meet it where it is, and it feels what
    they lose."""

    def __init__(self, scene: Scene, times: Array, settled: Mapping[str, float]) -> None:
        self.scene, self.settled = scene, settled
        self.flights = scene.room_for_flights(len(times))
        self.touch: PropTouch | None = None

    def before(self, k: int, time: float, h: float, q: Array, v: Array) -> Array | None:
        """Let them fly for a step; what they push the performer with, (nv,), if anything."""
        scene, nv = self.scene, len(v)
        model, data, mujoco = scene.model, scene.data, scene._mujoco
        model.opt.timestep = h
        data.qpos[: len(q)], data.qvel[:nv] = q, v
        scene._hold_back(time, h)
        scene._note_flights(self.flights, k)
        mujoco.mj_step1(model, data)
        data.qfrc_applied[:nv] = data.qfrc_bias[:nv]
        mujoco.mj_step2(model, data)
        self.touch = scene._touch(time + h, self.settled)
        push = np.array(data.qfrc_constraint[:nv])
        return push if push.any() else None

    def after(self, k: int, time: float) -> bool:
        """Whether one of them has touched."""
        self.scene._note_flights(self.flights, k + 1)
        return self.touch is not None


def _write(world: Xml.Element, throw: Throw) -> None:
    """A thrown body: free, with its mass."""

    ball = solid(throw)
    used = {ShapeKind.SPHERE: 1, ShapeKind.CAPSULE: 2, ShapeKind.CYLINDER: 2}.get(ball.kind, 3)
    body = Xml.SubElement(world, "body", name=_PREFIX + throw.name, pos=_text(throw.position))
    Xml.SubElement(body, "freejoint")
    full = throw.mass * ball.unit_inertia()
    moments = [full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]]
    Xml.SubElement(
        body, "inertial", pos=_text(ball.position), mass=repr(float(throw.mass)), fullinertia=_text(moments)
    )
    bounce = np.log(max(throw.bounce, 0.01))
    ratio = float(-bounce / np.sqrt(np.pi**2 + bounce**2))
    Xml.SubElement(
        body, "geom", type=ball.kind.value, size=_text(np.asarray(ball.size)[:used]),
        pos=_text(ball.position), quat=_text(ball.rotation), contype="2", conaffinity="3", condim="3",
        friction=f"{float(throw.friction)!r} 0 0", priority="2", solref=f"{GIVE / ratio!r} {ratio!r}",
        solimp="0.98 0.98 0.001 0.5 2",
    )  # fmt: skip


def _text(values: ArrayLike) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(np.asarray(values, dtype=np.float64)))


def _write_surface(root: Xml.Element, world: Xml.Element, surface: Surface, touched: str) -> None:
    """A surface that stands still, as the solids it is made of."""
    turn = so3.exp(np.array(surface.turn))
    for k, part in enumerate(surface.shape.solids() or ()):
        said = {"size": _text(part.size)} if part.size else {}
        if part.vertices is not None:
            asset = root.find("asset")
            asset = Xml.SubElement(root, "asset") if asset is None else asset
            said["mesh"] = f"surface/{surface.name}/{k}"
            Xml.SubElement(asset, "mesh", name=said["mesh"], vertex=_text(part.vertices))
        place = np.array(surface.place) + so3.rotate(turn, np.array(part.place))
        Xml.SubElement(
            world, "geom", said, type=part.kind, pos=_text(place),
            quat=_text(so3.multiply(turn, so3.exp(np.array(part.turn)))), contype="0", conaffinity=touched,
            condim="3", friction=f"{float(surface.friction)!r} 0 0", solref="0.01 1", priority="1",
        )  # fmt: skip
