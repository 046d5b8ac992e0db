"""What a window leaves out, measured.

Started in the kinematic state at s, a simulation passes through the kinodynamic states of *all* windows that
start there: x_KD(t; δ = t − s). And full dynamics at t is what simulations tend to that started long before.
Two simulations in the same world forget how they began, so

    x_KD(t; δ) − x_full(t) ≈ Ψ(t, s) (x_K(s) − x_full(s)),    ‖Ψ‖ ~ e^{−σδ},

and running a few starts side by side, each compared at every frame with the oldest, gives the error of every
window from these starts exactly, at the price of a single pass. Nothing older than a horizon is ever used:
a measured error, like a kinodynamic state, depends on the clip in the neighbourhood of its time alone.

Errors are the root mean square over the character's *nodes* (its named points, joints included, and its
bodies' centres of mass, those the animation moves directly apart) of the distance between them [m].
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.dynamics.modal import damped_spectrum
from poise.errors import InputError
from poise.kinematics import Kinematics, forward
from poise.methods.kinodynamics.simulator import Simulator

FORGOTTEN = 7.0
"""Horizon in slowest decay times: e⁻⁷ = 0.001 of how a simulation began is left."""
HORIZON = 10.0
"""Longest horizon [s]: full dynamics of what hardly decays is compared with simulations of this age."""
SHARE = 0.001
"""Tolerance as a share of the character's diameter."""


class Nodes:
    """The points of a character that errors are measured on."""

    def __init__(self, simulator: Simulator) -> None:
        self.character = character = simulator.clip.character
        skip_root = simulator.options.root == "prescribed" and character.bodies[0].joint.nv > 0
        pairs = [(p.body, np.asarray(p.position)) for p in character.points.values()]
        pairs += [(i, np.asarray(b.mass.centre)) for i, b in enumerate(character.bodies) if b.mass.mass > 0]
        self.everywhere = pairs
        moved = [p for p in pairs if not (skip_root and p[0] == 0)] or pairs
        self.bodies = np.array([p[0] for p in moved])
        self.places = np.array([p[1] for p in moved])  # (N, 3)

    def __len__(self) -> int:
        return len(self.bodies)

    def positions(self, q: Array) -> Array:
        """World positions of the nodes [m], (F, N, 3)."""
        at = forward(self.character, q)
        turned = np.matmul(at.rotations[:, self.bodies], self.places[..., None])[..., 0]
        return np.asarray(at.positions[:, self.bodies] + turned)

    @cached_property
    def diameter(self) -> float:
        """Largest distance between two nodes in the rest pose [m]."""
        here = Kinematics(self.character, self.character.rest_pose())
        x = np.array([here.positions[0, b] + here.rotations[0, b] @ p for b, p in self.everywhere])
        return float(np.linalg.norm(x[:, None] - x[None], axis=-1).max())

    def tolerance(self, asked: float | None) -> float:
        """The tolerance asked for [m], or 0.1 % of the diameter d.

        The same as ‖u‖ ≤ ε = 0.001 d √N for the stacked displacements u of the N nodes.
        """
        if asked is None:
            if not self.diameter > 0:
                raise InputError(f"{self.character.name!r} is a single point: give the tolerance in metres")
            return SHARE * self.diameter
        if not (np.isfinite(asked) and asked > 0):
            raise InputError(f"a tolerance must be positive [m], not {asked}")
        return float(asked)


def rms(a: Array, b: Array) -> Array:
    """Root mean square distance of nodes (…, N, 3), (…)."""
    return np.asarray(np.sqrt(np.square(a - b).sum(axis=-1).mean(axis=-1)))


class Truncation:
    """Runs of a simulator from many starts side by side, and full dynamics to compare them with."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator, self.nodes = simulator, Nodes(simulator)

    @cached_property
    def roots(self) -> Array:
        """Roots λ of the character's small motions in the rest pose at its loosest, [1/s] (2, 2n): Re, Im."""
        simulator = self.simulator
        character, gains = simulator.clip.character, simulator.gains
        loosest = int(np.argmin(np.log(np.maximum(gains.stiffness, 1e-12)).sum(axis=1)))
        kp, kd = (g[min(loosest, len(g) - 1)] for g in (gains.stiffness, gains.damping))
        held = list(range(character.bodies[0].joint.nv)) if simulator.options.root == "prescribed" else []
        if len(held) == character.nv:
            return np.array([[-np.inf], [0.0]])
        roots = damped_spectrum(character, character.rest_pose(), kp, kd, fixed=held)
        return np.array([roots.real, roots.imag])

    @property
    def decay(self) -> float:
        """Slowest rate at which small motions in the rest pose die out [1/s]."""
        return float(max(-self.roots[0].max(), 1e-9))

    @cached_property
    def horizon(self) -> int:
        """Frames after which a simulation counts as full dynamics."""
        seconds = min(FORGOTTEN / self.decay, HORIZON)
        return max(1, math.ceil(seconds / self.simulator.clip.dt - 1e-9))

    @cached_property
    def full(self) -> Array:
        """Full dynamics at the clip's frames, (F, N, 3): runs at least a horizon old, a block of frames each.

        Unlike one long run from the first frame it has no start-up: before its first frame a clip holds its
        pose, and a loop has been going on for ever.
        """
        frames, age = self.simulator.clip.frames, self.horizon
        # Short blocks: many runs side by side cost less than few long ones. Their length follows from the
        # horizon, not from the clip's, so that far frames do not matter.
        block = -(-age // 4)
        starts = np.arange(0, frames, block) - age
        out = np.empty((frames, len(self.nodes), 3))
        at, advances = starts.copy(), [age, *[1] * (block - 1)]
        for ahead, (_, q) in zip(advances, self.march(starts, advances)):
            at += ahead
            inside = at < frames
            out[at[inside]] = self.nodes.positions(q[inside])
        return out

    def march(
        self, starts: IntArray, advances: Sequence[int]
    ) -> Generator[tuple[IntArray, Array], Any, None]:
        """States of runs from the kinematic states at frames ``starts``, so many frames further each time.

        Yields (which runs, q (n, nq)); ``send`` a mask to go on with some of them only. Runs end with the
        clip: one that has come to the last frame stands still there.
        """
        simulator = self.simulator
        n, last = simulator.per_frame, simulator.clip.frames - 1
        base = int(starts.min())
        times = np.arange(base * n, max(last, int(starts.max())) * n + 1) * simulator.h
        table_q, table_v = simulator.reference.table(times)
        which, row = np.arange(len(starts)), (starts - base) * n
        q, v = table_q[row], table_v[row]
        for ahead in advances:
            steps = np.clip((last - base) * n - row, 0, ahead * n)
            going = np.flatnonzero(steps)
            if len(going):
                # The rows each run needs, one run after another.
                begin = np.concatenate([[0], np.cumsum(steps[going] + 1)])
                rows = np.repeat(row[going] - begin[:-1], steps[going] + 1) + np.arange(begin[-1])
                q[going], v[going] = simulator.tabled(
                    table_q[rows], table_v[rows], times[rows], begin[:-1], steps[going], (q[going], v[going])
                )
            row = row + steps
            keep = yield which, q
            if keep is not None:
                which, row, q, v = which[keep], row[keep], q[keep], v[keep]
                if not len(which):
                    return
