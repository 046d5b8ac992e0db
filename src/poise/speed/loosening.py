"""Simulated windows, the heart of ``loosen``, beside the loop that one would write in MuJoCo, and on a card.

Every window begins on the animation 0.3 s before its frame and is pulled along it by springs; the scheme is
of first order, which is the peer's own, so that both give the same states.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.dynamics import mass_matrix
from poise.dynamics.mujoco_model import model
from poise.dynamics.window_arrays import Mechanism, Scheme, Springs, Windows
from poise.dynamics.window_batch import run_batch
from poise.gravity import GRAVITY
from poise.speed.duel import Duel, apart

WINDOW, STEP = 30, 0.01
"""Steps of a window, and one of them [s]."""
PULL = 30.0
"""How quickly springs pull [rad/s]; they are critically damped."""
FEW = 120
"""Windows that the slow loop simulates; times are of one window."""


def smooth_motion(character: Character, count: int, seed: int = 0) -> Array:
    """A smooth random motion, (count, nq)."""
    rng = np.random.default_rng(seed)
    t = np.arange(count) * STEP
    nv = character.nv
    f, p = rng.uniform(0.3, 1.5, (3, nv)), rng.uniform(0, 2 * np.pi, (3, nv))
    a = rng.normal(size=(3, nv)) / 6
    v = (a[:, None] * np.sin(2 * np.pi * f[:, None] * t[None, :, None] + p[:, None])).sum(0)
    v[:, :3] *= 0.4
    return character.manifold.plus(character.rest_pose(), v)


class WindowsWork:
    """A motion, springs along it, one window for each frame, and who simulates them."""

    def __init__(self, character: Character, frames: int = 1000) -> None:
        self.character, self.frames = character, frames
        nv = character.nv
        self.q = smooth_motion(character, frames + WINDOW + 1)
        self.v = character.manifold.velocity(self.q, STEP)
        inertia = np.diagonal(mass_matrix(character, character.rest_pose())).copy()
        for dofs in character.manifold.rotation_slots[1]:
            inertia[dofs] = inertia[dofs].mean()
        self.kp, self.kd = inertia * PULL**2, 2 * inertia * PULL
        still = np.zeros(len(character.tree.parent), dtype=bool)
        self.mechanism = Mechanism(character.tree, np.zeros(nv), np.array(GRAVITY), still)
        self.springs = Springs(self.q, self.v, self.kp[None].copy(), self.kd[None].copy(), np.zeros((1, nv)))

    def windows(self, count: int) -> Windows:
        """So many of them, frame after frame, again and again."""
        nothing = np.zeros((0, self.character.nq)), np.zeros((0, self.character.nv))
        return Windows(np.arange(count) % self.frames, np.full((count, 1), WINDOW), *nothing)

    def states(self, device: str = "cpu", count: int | None = None) -> Array:
        """The last pose of every window, (count, nq), ours."""
        found = run_batch(
            self.mechanism, self.springs, self.windows(count or self.frames), Scheme(STEP, 0.0, 1), device
        )
        return found.q[:, 0]

    def mujoco(self) -> Duel:
        """Beside the naive loop."""
        import mujoco

        built = model(self.character)
        built.opt.timestep, built.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        built.dof_damping[:] = self.kd + STEP * self.kp
        data, error = mujoco.MjData(built), np.zeros(self.character.nv)
        few = min(self.frames, FEW)

        def loop() -> Array:
            found = np.empty((few, self.character.nq))
            for f in range(few):
                data.qpos[:], data.qvel[:] = self.q[f], self.v[f]
                for k in range(WINDOW):
                    mujoco.mj_differentiatePos(built, error, 1.0, data.qpos, self.q[f + k + 1])
                    data.qfrc_applied[:] = self.kp * error
                    mujoco.mj_step(built, data)
                found[f] = data.qpos
            return found

        return Duel(
            self.states,
            loop,
            lambda: apart(self.states()[:few], loop()),
            1e-10,
            (float(self.frames), float(few)),
            "frame",
        )

    def card(self, count: int) -> Duel:
        """A graphics card beside the processor of the same machine; what is sent and fetched is counted."""
        return Duel(
            lambda: self.states("cuda", count),
            self.states,
            lambda: apart(self.states("cuda"), self.states()),
            1e-10,
            (float(count), float(self.frames)),
            "frame",
        )
