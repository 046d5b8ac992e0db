"""Random directions, none chosen: limbs led from a key pose across their reach, to 1.4 of it, do not jump.

Directions that the limb cannot point at within its joint limits, the trunk at rest, are left out: there a
target leaves the range of a joint, not the reach of a limb, and two poses may serve it as well.
"""

from __future__ import annotations

import numpy as np
import pytest

from poise import characters, load
from poise.arrays import Array
from poise.character import Character, JointKind
from poise.handles import PointPosition
from poise.kinematics import Kinematics
from poise.methods.keyframing.evaluation import FIRM
from poise.methods.keyframing.pose_solver import PoseSolver
from poise.methods.keyframing.posture import Supple, limber, posture
from poise.methods.keyframing.task import Task

GAINS = (0.5, 0.75, 0.9, 0.99, 1.0)
POISE = {
    "tips": {"LeftHand": "LeftArm", "LeftFoot": "LeftUpLeg"},
    "trunk": ("Hips", "Chest"),
    "other": "RightHeel",
}
CMU = {"tips": {"lhand": "lhumerus", "lfoot": "lfemur"}, "trunk": ("root", "thorax"), "other": "rfoot"}
MANY = 3
"""Sweeps of each tip."""


class Sweep:
    """Some points are pinned, one is led along a line; all softly."""

    def __init__(self, figure: Character, pins: tuple[str, ...], tip: str, root: str, way: Array) -> None:
        axes = "xz" if figure.bodies[0].joint.kind is JointKind.PLANAR else "xyz"
        keep = ["xyz".index(a) for a in axes]
        key = limber(figure, figure.rest_pose())
        rest, kin = Kinematics(figure, figure.rest_pose()), Kinematics(figure, key)
        handles = [PointPosition(p, axes) for p in (*pins, tip)]
        supple = Supple(figure, handles)
        self.figure, self.pose, self.tip, self.root = supple.character, supple.softened(key), tip, root
        self.way = way / np.linalg.norm(way)
        self.reach = float(np.linalg.norm(rest.point(tip)[0] - rest.point(root)[0]))
        self.first = kin.point(tip)[0][keep]
        self.last = (kin.point(root)[0] + 1.4 * self.reach * self.way)[keep]
        self.base = kin.point(root)[0][keep]
        self.held = [kin.point(p)[0][keep] for p in pins]
        tasks = [Task(h, most=FIRM) for h in handles]
        self.solver = PoseSolver(self.figure, tasks, pose_weight=posture(self.figure))

    def points(self) -> bool:
        """Whether the limb alone comes within 2 % of a place at 0.95 of its reach in that direction."""
        free, i = np.zeros(self.figure.nv, dtype=bool), self.figure.index(self.tip)
        while i != self.figure.index(self.root):
            i = int(self.figure.parents[i])
            free[self.figure.dofs(i)] = True
        alone = PoseSolver(self.figure, [Task(PointPosition(self.tip))], free=free, pose_weight=1e-4)
        goal = Kinematics(self.figure, self.pose).point(self.root)[0] + 0.95 * self.reach * self.way
        starts = [limber(self.figure, self.pose, free, bend=b) for b in (0.3, 1.0)]
        misses = [np.linalg.norm(alone.solve(start, start, [goal]).errors[0]) for start in starts]
        return min(misses) < 0.02 * self.reach

    def shares(self) -> Array:
        """Of the way, a hundredth of the reach apart."""
        return np.linspace(0.0, 1.0, int(np.linalg.norm(self.last - self.first) / (0.01 * self.reach)) + 2)

    def cold(self, start: Array, shares: Array, gain: float) -> Array:
        """Every pose by itself, (F, nq)."""
        begin, path = (
            np.tile(self.pose, (len(shares), 1)),
            self.first + shares[:, None] * (self.last - self.first),
        )
        solved = self.solver.solve(begin, begin, [*self.held, path], [gain] * (len(self.held) + 1))
        assert solved.settled.all()
        return solved.q

    def warm(self, start: Array, shares: Array, gain: float) -> Array:
        """Each pose from the one before, (F, nq)."""
        q, found = start, []
        for share in shares:
            goals = [*self.held, self.first + share * (self.last - self.first)]
            solved = self.solver.solve(q, self.pose, goals, [gain] * len(goals), warm=True)
            assert solved.settled.all()
            q = solved.q[0]
            found.append(q)
        return np.array(found)

    def change(self, q: Array) -> Array:
        """The largest of a joint from each pose to the next [rad, m], (F − 1,)."""
        return np.abs(self.figure.manifold.minus(q[1:], q[:-1])).max(axis=1)

    def assert_no_jump(self, solve, shares: Array, q: Array, gain: float) -> None:
        """Beyond 0.9 of the reach the largest changes vanish when steps are cut into 512; a jump stays."""
        path = self.first + shares[1:, None] * (self.last - self.first)
        crossing = np.linalg.norm(path - self.base, axis=1) > 0.9 * self.reach
        change = np.where(crossing, self.change(q), 0.0)
        for k in np.argsort(-change)[:2]:
            first, last, start = shares[k], shares[k + 1], q[k]
            for _ in range(3):
                fine = np.linspace(first, last, 9)
                between = np.concatenate([start[None], solve(start, fine[1:], gain)])
                step = self.change(between)
                i = int(step.argmax())
                first, last, start = fine[i], fine[i + 1], between[i]
            at = f"{change[k]:.3g} at {shares[k]:.3f} of the way along {self.way} with gain {gain}"
            assert step[i] < max(0.1 * change[k], 2e-3), f"{self.tip}: {at}: {step[i]:.3g} stays"


def assert_sweeps(figure: Character, names: dict, seed: int) -> None:
    """Random directions, gains, and trunks pinned or not, cold and warm."""
    rng = np.random.default_rng(seed)
    flat = figure.bodies[0].joint.kind is JointKind.PLANAR
    for tip, root in names["tips"].items():
        done = 0
        while done < MANY:
            way, gain, pinned = rng.normal(size=3), float(rng.choice(GAINS)), rng.random() < 0.5
            if flat:
                way[1] = 0.0
            pins = names["trunk"] if pinned else names["trunk"][:1]
            sweep = Sweep(figure, (*pins, names["other"]), tip, root, way)
            if not sweep.points():
                continue
            done += 1
            shares = sweep.shares()
            alone = sweep.cold(sweep.pose, shares, gain)
            sweep.assert_no_jump(sweep.cold, shares, alone, gain)
            sweep.assert_no_jump(sweep.warm, shares, sweep.warm(alone[0], shares, gain), gain)


@pytest.mark.parametrize("seed", [11, 12])
def test_in_space(seed):
    assert_sweeps(characters.humanoid(), POISE, seed)


@pytest.mark.parametrize("seed", [11, 12])
def test_in_a_plane(seed):
    assert_sweeps(characters.planar_humanoid(), POISE, seed)


def test_of_a_captured_skeleton(shared_data):
    assert_sweeps(load(shared_data / "cmu_asfamc" / "02_01.amc").character, CMU, 13)
