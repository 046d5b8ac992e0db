"""Targets swept across the reach limit and back: poses follow without a jump."""

from __future__ import annotations

import numpy as np
import pytest

from poise import characters
from poise.arrays import Array
from poise.character import Character, JointKind
from poise.handles import PointPosition
from poise.kinematics import Kinematics
from poise.methods.keyframing.evaluation import FIRM
from poise.methods.keyframing.pose_solver import PoseSolver
from poise.methods.keyframing.posture import Supple, limber, posture
from poise.methods.keyframing.task import Task

STEP = 0.002
"""[m]"""
WAYS = {"front": (1, 0, 0), "side": (0, 1, 0), "up": (0, 0, 1), "down": (0, 0, -1), "across": (0.3, -1, 0)}


class Sweep:
    """A point goes from half its reach to 1.5 of it; hips, chest and heels are pinned, all softly."""

    def __init__(self, figure: Character, tip: str, root: str, way: tuple[float, float, float]) -> None:
        axes = "xz" if figure.bodies[0].joint.kind is JointKind.PLANAR else "xyz"
        rest, q = Kinematics(figure, figure.rest_pose()), limber(figure, figure.rest_pose())
        kin = Kinematics(figure, q)
        reach = float(np.linalg.norm(rest.point(tip)[0] - rest.point(root)[0]))
        self.share = np.arange(0.5, 1.5, STEP / reach)
        path = kin.point(root)[0] + reach * self.share[:, None] * np.array(way) / np.linalg.norm(way)
        pins = ["Hips", "Chest", "RightHeel", *([] if tip == "LeftFoot" else ["LeftHeel"])]
        handles = [PointPosition(p, axes) for p in (*pins, tip)]
        keep = ["xyz".index(a) for a in axes]
        self.targets = [kin.point(p)[0][keep] for p in pins] + [path[:, keep]]
        supple = Supple(figure, handles)
        self.figure, self.pose = figure, supple.softened(q)
        self.solver = PoseSolver(
            supple.character, [Task(h, most=FIRM) for h in handles], pose_weight=posture(supple.character)
        )

    def cold(self, gain: float) -> Array:
        """Every pose by itself, (F, nq)."""
        start = np.tile(self.pose, (len(self.share), 1))
        solved = self.solver.solve(start, start, self.targets, [gain] * len(self.targets))
        assert solved.settled.all()
        return solved.q

    def warm(self, gain: float) -> Array:
        """Each pose from the one before, out and back, (2 F, nq)."""
        q, found = self.pose, []
        for n, k in enumerate([*range(len(self.share)), *reversed(range(len(self.share)))]):
            goals = [*self.targets[:-1], self.targets[-1][k]]
            solved = self.solver.solve(q, self.pose, goals, [gain] * len(goals), warm=n > 0)
            assert solved.settled.all()
            q = solved.q[0]
            found.append(q)
        return np.array(found)


def worst_jump(figure: Character, q: Array) -> tuple[float, float]:
    """The largest change of a joint over those of its neighbours, and that change [rad, m]."""
    change = np.abs(figure.manifold.minus(q[1:], q[:-1])).max(axis=1)
    padded = np.pad(change, 2, mode="reflect")
    around = np.max([padded[k : k + len(change)] for k in (0, 1, 3, 4)], axis=0)
    ratio = np.where(change > 0.03, change / np.maximum(around, 1e-3), 0.0)
    k = int(ratio.argmax())
    return float(ratio[k]), float(change[k])


FIGURES = {"space": characters.humanoid(), "plane": characters.planar_humanoid()}
CASES = [(f, w) for f in FIGURES for w in WAYS if f == "space" or WAYS[w][1] == 0]  # a plane has no sides


@pytest.mark.parametrize("gain", [0.5, 0.99])
@pytest.mark.parametrize(("figure", "way"), CASES)
def test_a_hand_swept_out_of_reach_moves_no_joint_at_once(figure, way, gain):
    """Every pose solved for itself."""
    sweep = Sweep(FIGURES[figure], "LeftHand", "LeftArm", WAYS[way])
    ratio, change = worst_jump(sweep.figure, sweep.cold(gain))
    assert ratio < 4.0, change


@pytest.mark.parametrize(("figure", "way"), CASES)
def test_followed_from_pose_to_pose_even_firm_pins_let_nothing_jump(figure, way):
    """Out and back, and the way back ends where it began."""
    sweep = Sweep(FIGURES[figure], "LeftHand", "LeftArm", WAYS[way])
    q = sweep.warm(1.0)
    ratio, change = worst_jump(sweep.figure, q)
    assert ratio < 4.0, change
    assert np.abs(sweep.figure.manifold.minus(q[-1], q[0])).max() < 1e-8


@pytest.mark.parametrize("way", ["side", "down", "back"])
def test_so_does_a_foot(way):
    sweep = Sweep(FIGURES["space"], "LeftFoot", "LeftUpLeg", {**WAYS, "back": (-1, 0.2, 0)}[way])
    q = sweep.warm(0.99)
    ratio, change = worst_jump(sweep.figure, q)
    assert ratio < 4.0, change
    assert np.abs(sweep.figure.manifold.minus(q[-1], q[0])).max() < 1e-8


def test_a_warm_start_is_quick():
    sweep = Sweep(FIGURES["space"], "LeftHand", "LeftArm", (1, 0, 0))
    goals = [*sweep.targets[:-1], sweep.targets[-1][100]]
    there = sweep.solver.solve(sweep.pose, sweep.pose, goals)
    goals[-1] = sweep.targets[-1][101]
    cold = sweep.solver.solve(sweep.pose, sweep.pose, goals)
    warm = sweep.solver.solve(there.q, sweep.pose, goals, warm=True)
    np.testing.assert_allclose(warm.q, cold.q, atol=1e-7)
    assert warm.iterations[0] < 0.6 * cold.iterations[0]
