"""Batched kinematics beside loops over frames in Pinocchio and MuJoCo.

The work: placements of all bodies, Jacobians of 4 points, centre of mass with its Jacobian, linear and
angular momentum, for many frames of a character of 25 bodies on ball joints (78 degrees of freedom). All
write to arrays allocated beforehand.
"""

from __future__ import annotations

import numpy as np

from poise.character import Body, Character, Joint, Mass, Point
from poise.dynamics.mujoco_model import model
from poise.kinematics import Bundle
from poise.speed.duel import Duel, apart
from poise.speed.pinocchio_twin import PinocchioTwin

LIMBS = {"arm": (0.0, 0.2, 0.0), "leg": (0.0, 0.1, -0.3)}
TIPS = ("left arm4", "right arm4", "left leg4", "right leg4")


def character_of_balls(
    called: str = "25 balls", *, spine: int = 4, arm: int = 5, legs: tuple[int, int] = (5, 5)
) -> Character:
    """A pelvis, so many bodies of spine and head, of each arm and of the legs; every joint a ball."""
    mass = Mass(2.0, (0.02, 0.0, 0.08), np.diag([0.02, 0.02, 0.005]))
    bodies = [Body("pelvis", None, Joint.free(), mass=mass)]

    def chain(host: str, name: str, count: int, step: tuple[float, float, float]) -> None:
        for k in range(count):
            parent = host if k == 0 else f"{name}{k - 1}"
            bodies.append(Body(f"{name}{k}", parent, Joint.ball(), offset=step, mass=mass))

    chain("pelvis", "spine", spine, (0.0, 0.0, 0.15))
    for side, sign, leg in (("left", 1.0, legs[0]), ("right", -1.0, legs[1])):
        for host, limb, count in (("spine2", "arm", arm), ("pelvis", "leg", leg)):
            x, y, z = LIMBS[limb]
            chain(host, f"{side} {limb}", count, (x, sign * y, z))
    return Character(called, bodies)


class KinematicsWork:
    """Random poses (frames, nq) and velocities (frames, nv), and who works on them."""

    def __init__(self, frames: int = 1000) -> None:
        rng = np.random.default_rng(1)
        self.frames, self.character = frames, character_of_balls()
        self.q = self.character.manifold.random(rng, frames, spread=0.5)
        self.v = rng.normal(size=(frames, self.character.nv))
        self.bodies = [self.character.index(name) for name in TIPS]
        self.tip = np.array([0.1, 0.0, -0.05])  # points off the bodies' origins, as fingertips are
        self.points = tuple(Point(i, self.tip) for i in self.bodies)
        self.bundle = Bundle(self.character, frames, self.points)

    def ours(self) -> None:
        """All frames at once."""
        self.bundle.update(self.q, self.v)

    def pinocchio(self) -> Duel:
        """Beside a loop in Pinocchio."""
        import pinocchio as pin

        frames, nv, v = self.frames, self.character.nv, self.v
        twin = PinocchioTwin(self.character)
        ids = [twin.add_point(i, self.tip, f"point {i}") for i in self.bodies]
        q, built, data = twin.q(self.q), twin.model, twin.data
        jacobians, centre = np.zeros((frames, 4, 6, nv)), np.zeros((frames, 3, nv))
        momentum = np.zeros((frames, 6))

        def loop() -> None:
            for f in range(frames):
                pin.computeJointJacobians(built, data, q[f])
                for k, frame in enumerate(ids):
                    jacobians[f, k] = pin.getFrameJacobian(built, data, frame, pin.LOCAL_WORLD_ALIGNED)
                centre[f] = pin.jacobianCenterOfMass(built, data, q[f])
                pin.ccrba(built, data, q[f], v[f])
                momentum[f] = data.hg.vector

        def difference() -> float:
            self.ours()
            loop()
            own = self.bundle
            return max(
                apart(own.point_jacobians, jacobians[:, :, :3]),
                apart(own.com_jacobian, centre),
                apart(own.momentum, momentum),
            )

        return Duel(self.ours, loop, difference, 1e-9, unit=f"{frames:,} frames")

    def mujoco(self) -> Duel:
        """Beside a loop in MuJoCo."""
        import mujoco

        frames, nv, q, v = self.frames, self.character.nv, self.q, self.v
        built = model(self.character, gravity=(0.0, 0.0, 0.0))
        state = mujoco.MjData(built)
        jacobians, centre = np.zeros((frames, 4, 3, nv)), np.zeros((frames, 3, nv))
        momentum = np.zeros((frames, 6))
        positions, rotations = np.zeros((frames, built.nbody - 1, 3)), np.zeros((frames, built.nbody - 1, 9))

        def loop() -> None:
            for f in range(frames):
                state.qpos[:], state.qvel[:] = q[f], v[f]
                mujoco.mj_kinematics(built, state)
                mujoco.mj_comPos(built, state)
                mujoco.mj_comVel(built, state)
                mujoco.mj_subtreeVel(built, state)
                positions[f], rotations[f] = state.xpos[1:], state.xmat[1:]
                for k, i in enumerate(self.bodies):
                    place = state.xpos[i + 1] + state.xmat[i + 1].reshape(3, 3) @ self.tip
                    mujoco.mj_jac(built, state, jacobians[f, k], None, place, i + 1)
                mujoco.mj_jacSubtreeCom(built, state, centre[f], 1)
                momentum[f, :3] = self.character.total_mass * state.subtree_linvel[1]
                momentum[f, 3:] = state.subtree_angmom[1]

        def difference() -> float:
            self.ours()
            loop()
            own = self.bundle
            return max(
                apart(own.point_jacobians, jacobians),
                apart(own.com_jacobian, centre),
                apart(own.momentum, momentum),
            )

        return Duel(self.ours, loop, difference, 1e-9, unit=f"{frames:,} frames")
