"""Rigid-body dynamics of the 46-degree humanoid beside MuJoCo and Pinocchio."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise import dynamics
from poise.arrays import Array
from poise.dynamics.mujoco_model import model
from poise.speed.duel import Duel, apart
from poise.speed.humanoid46 import humanoid46
from poise.speed.pinocchio_twin import PinocchioTwin
from poise.workers import on_threads, thread_count

STEP = 0.002
"""Of simulations [s]."""


class DynamicsWork:
    """Random states (states, ·), joint torques, and who works on them."""

    def __init__(self, states: int = 256, steps: int = 30) -> None:
        rng = np.random.default_rng(0)
        self.states, self.steps = states, steps
        self.character = character = humanoid46()
        rest = np.tile(character.rest_pose(), (states, 1))
        self.q = character.manifold.plus(rest, 0.5 * rng.normal(size=(states, character.nv)))
        self.v, self.tau = rng.normal(size=(2, states, character.nv))

    def simulation(self, threads: int | None = None) -> Callable[[], Array]:
        """Velocities after all steps, ours."""
        count = threads or thread_count()

        def call() -> Array:
            with on_threads(count):
                return dynamics.simulate(
                    self.character, self.q, self.v, tau=self.tau, step=STEP, steps=self.steps
                )[1]

        return call

    def mujoco_loop(self, *, inside: bool) -> Callable[[], Array]:
        """The same by ``mj_step``; ``inside``: one call does all steps of a state."""
        import mujoco

        built = model(self.character, timestep=STEP)
        data = mujoco.MjData(built)

        def call() -> Array:
            out = np.empty_like(self.v)
            for f in range(self.states):
                data.qpos[:], data.qvel[:], data.qfrc_applied[:] = self.q[f], self.v[f], self.tau[f]
                if inside:
                    mujoco.mj_step(built, data, self.steps)
                else:
                    for _ in range(self.steps):
                        mujoco.mj_step(built, data)
                out[f] = data.qvel
            return out

        return call

    def forward(self) -> Array:
        """Accelerations of all states."""
        return dynamics.forward_dynamics(self.character, self.q, self.v, self.tau)

    def inverse(self) -> Array:
        """Torques of all states."""
        return dynamics.inverse_dynamics(self.character, self.q, self.v, self.tau)

    def pinocchio_loop(self, algorithm: str) -> Callable[[], Array]:
        """``aba``, ``rnea`` or ``crba``, state by state."""
        import pinocchio as pin

        twin = PinocchioTwin(self.character)
        twin.model.gravity.linear[:] = dynamics.GRAVITY
        built, data, q = twin.model, twin.data, twin.q(self.q)
        function = getattr(pin, algorithm)

        def call() -> Array:
            if algorithm == "crba":
                return np.array([function(built, data, x) for x in q])
            return np.array([function(built, data, x, y, z) for x, y, z in zip(q, self.v, self.tau)])

        return call

    def simulating(self) -> Duel:
        """Steps of simulation beside MuJoCo's, called as Python programs call it."""
        ours, theirs = self.simulation(), self.mujoco_loop(inside=False)
        items = (float(self.states * self.steps),) * 2
        return Duel(ours, theirs, lambda: apart(ours(), theirs()), 1e-7, items, "step")

    def accelerating(self) -> Duel:
        """Forward dynamics beside Pinocchio's articulated bodies."""
        theirs = self.pinocchio_loop("aba")
        items = (float(self.states),) * 2
        return Duel(self.forward, theirs, lambda: apart(self.forward(), theirs()), 1e-8, items, "frame")

    def pushing(self) -> Duel:
        """Inverse dynamics beside Pinocchio's recursive Newton–Euler."""
        theirs = self.pinocchio_loop("rnea")
        items = (float(self.states),) * 2
        return Duel(self.inverse, theirs, lambda: apart(self.inverse(), theirs()), 1e-8, items, "frame")
