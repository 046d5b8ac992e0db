"""A target swept along a line, the poses that follow it, and whether any of them jumps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.handles import PointPosition
from poise.kinematics import Kinematics
from poise.methods.key.frames.evaluate import FIRM
from poise.methods.key.pose.posture import Supple, limber, posture
from poise.methods.key.pose.solver import PoseSolver
from poise.methods.key.pose.task import Task

Follow = Callable[[Array, Array, float], Array]
"""From a start (nq,), shares of the line (F,) and a gain to poses (F, nq)."""


class Sweep:
    """The tip of a limb is led along a line, some points are pinned where the key pose has them; all softly.

    The line goes from the limb's root in a direction: a share of it is one of the limb's reach.
    """

    def __init__(self, figure: Character, tip: str, root: str, way: Array, pins: tuple[str, ...]) -> None:
        axes = "xz" if figure.bodies[0].joint.kind is JointKind.PLANAR else "xyz"
        self.keep = ["xyz".index(a) for a in axes]
        key = limber(figure, figure.rest_pose())
        rest, self.key = Kinematics(figure, figure.rest_pose()), Kinematics(figure, key)
        handles = [PointPosition(p, axes) for p in (*pins, tip)]
        supple = Supple(figure, handles)
        self.figure, self.pose, self.tip, self.root = supple.character, supple.softened(key), tip, root
        self.reach = float(np.linalg.norm(rest.point(tip)[0] - rest.point(root)[0]))
        self.way = np.asarray(way, dtype=float) / np.linalg.norm(way)
        self.first = self.base = self.key.point(root)[0][self.keep]
        self.along = self.reach * self.way[self.keep]
        self.held = [self.key.point(p)[0][self.keep] for p in pins]
        tasks = [Task(h, most=FIRM) for h in handles]
        self.solver = PoseSolver(self.figure, tasks, pose_weight=posture(self.figure))

    def targets(self, shares: Array) -> Array:
        """Of the tip, (F, axes)."""
        return self.first + np.asarray(shares)[:, None] * self.along

    def cold(self, start: Array, shares: Array, gain: float) -> Array:
        """Every pose by itself, (F, nq); where another one starts has no say."""
        begin = np.tile(self.pose, (len(shares), 1))
        goals = [*self.held, self.targets(shares)]
        solved = self.solver.solve(begin, begin, goals, [gain] * len(goals))
        assert solved.settled.all()
        return solved.q

    def warm(self, start: Array, shares: Array, gain: float) -> Array:
        """Each pose from the one before, (F, nq)."""
        q, found = start, []
        for target in self.targets(shares):
            goals = [*self.held, target]
            solved = self.solver.solve(q, self.pose, goals, [gain] * len(goals), warm=True)
            assert solved.settled.all()
            q = solved.q[0]
            found.append(q)
        return np.array(found)

    def change(self, q: Array) -> Array:
        """The largest of a joint from each pose to the next [rad, m], (F − 1,)."""
        return np.abs(self.figure.manifold.minus(q[1:], q[:-1])).max(axis=1)

    def assert_no_jump(
        self,
        follow: Follow,
        shares: Array,
        q: Array,
        gain: float,
        *,
        among: Array | None = None,
        most: int = 3,
    ) -> None:
        """Cut into 512, the ``most`` steps with the largest changes have changes that vanish; a jump stays.

        (A knee that comes straight goes as a root: its change falls 22-fold.) ``among`` (F − 1,) says which
        steps to look at.
        """
        change = self.change(q)
        if among is not None:
            change = np.where(among, change, 0.0)
        for k in np.argsort(-change)[:most]:
            first, last, start = shares[k], shares[k + 1], q[k]
            for _ in range(3):
                fine = np.linspace(first, last, 9)
                between = np.concatenate([start[None], follow(start, fine[1:], gain)])
                step = self.change(between)
                i = int(step.argmax())
                first, last, start = fine[i], fine[i + 1], between[i]
            at = f"{change[k]:.3g} at {shares[k]:.3f} of the line along {self.way} with gain {gain}"
            assert step[i] < max(0.1 * change[k], 2e-3), f"{self.tip}: {at}: {step[i]:.3g} stays"


class KeySweep(Sweep):
    """The line goes from the tip's place in the key pose to 1.4 of the reach."""

    def __init__(self, figure: Character, tip: str, root: str, way: Array, pins: tuple[str, ...]) -> None:
        super().__init__(figure, tip, root, way, pins)
        self.first = self.key.point(tip)[0][self.keep]
        self.along = self.base + 1.4 * self.along - self.first

    def shares(self) -> Array:
        """A hundredth of the reach apart beyond 0.9 of it, three hundredths within."""
        fine = np.linspace(0.0, 1.0, int(np.linalg.norm(self.along) / (0.01 * self.reach)) + 2)
        chosen = self.distance(fine) > 0.9
        chosen[::3] = chosen[-1] = True
        return fine[chosen]

    def distance(self, shares: Array) -> Array:
        """Of targets from the limb's root in the key pose, by its reach, (F,)."""
        return np.linalg.norm(self.targets(shares) - self.base, axis=1) / self.reach

    def served(self, shares: Array) -> Array:
        """Whether the limb alone, the trunk at rest, comes within 2 % of its reach of targets, (F,).

        Targets beyond 0.95 of the reach are drawn in to there: what counts is that it can point at them.
        """
        free, i = np.zeros(self.figure.nv, dtype=bool), self.figure.index(self.tip)
        while i != self.figure.index(self.root):
            i = int(self.figure.parents[i])
            free[self.figure.dofs(i)] = True
        handle = self.solver.tasks[-1].handle
        alone = PoseSolver(self.figure, [Task(handle)], free=free, pose_weight=1e-4)
        nearer = np.minimum(1.0, 0.95 / self.distance(shares))[:, None]
        goals = self.base + nearer * (self.targets(shares) - self.base)
        misses = []
        for bend in (0.3, 1.0):
            start = np.tile(limber(self.figure, self.pose, free, bend=bend), (len(shares), 1))
            misses.append(np.linalg.norm(alone.solve(start, start, [goals]).errors[0], axis=1))
        return np.min(misses, axis=0) < 0.02 * self.reach
