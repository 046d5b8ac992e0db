"""Targets swept across the reach limit and back: poses follow without a jump, however fine the steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from poise import characters
from poise.arrays import Array
from poise.character import Character, JointKind
from poise.handles import PointPosition
from poise.kinematics import Kinematics
from poise.methods.keyframing import Tracks
from poise.methods.keyframing.evaluation import FIRM
from poise.methods.keyframing.pose_solver import PoseSolver
from poise.methods.keyframing.posture import Supple, limber, posture
from poise.methods.keyframing.task import Task

SHARES = np.linspace(0.5, 1.5, 51)
"""Of the reach at which the target stands."""
HAND = {
    "front": (1, 0, 0), "side": (0, 1, 0), "up": (0, 0, 1), "down": (0, 0, -1), "across": (0.3, -1, 0),
    "forward, out and up": (1, 1, 1), "low": (1, 0.3, -1), "high": (1, 0, 1.5),
}  # fmt: skip
FOOT = {
    "front": (1, 0, 0), "side": (0, 1, 0), "down": (0, 0, -1), "back": (-1, 0.2, 0), "low": (1, 0.3, -1),
    "out": (0.5, 1, -1), "rear": (-0.5, 0.1, -1),
}  # fmt: skip
FLAT_HAND = {"front": (1, 0, 0), "up": (0, 0, 1), "down": (0, 0, -1), "high": (1, 0, 1), "low": (1, 0, -1)}
FLAT_FOOT = {
    "front": (1, 0, 0), "down": (0, 0, -1), "low": (1, 0, -1), "rear": (-0.5, 0, -1), "back": (-1, 0, 0)
}  # fmt: skip
SPACE, PLANE, CAMEL = characters.humanoid(), characters.planar_humanoid(), characters.camel()
LIMBS = {"LeftHand": "LeftArm", "LeftFoot": "LeftUpLeg"}
CASES = [
    (figure, tip, way)
    for figure, tip, ways in (
        (SPACE, "LeftHand", HAND),
        (SPACE, "LeftFoot", FOOT),
        (PLANE, "LeftHand", FLAT_HAND),
        (PLANE, "LeftFoot", FLAT_FOOT),
    )
    for way in ways.values()
]
NAMES = [f"{figure.name} {tip} {way}" for figure, tip, way in CASES]


class Sweep:
    """A point goes from half its reach to 1.5 of it; other points are pinned, all softly."""

    def __init__(
        self,
        figure: Character,
        tip: str,
        root: str,
        way: tuple[float, float, float],
        pins: tuple[str, ...] = ("Hips", "Chest", "RightHeel", "LeftHeel"),
    ) -> None:
        axes = "xz" if figure.bodies[0].joint.kind is JointKind.PLANAR else "xyz"
        rest, q = Kinematics(figure, figure.rest_pose()), limber(figure, figure.rest_pose())
        kin = Kinematics(figure, q)
        keep = ["xyz".index(a) for a in axes]
        pins = tuple(p for p in pins if tip != "LeftFoot" or p != "LeftHeel")
        handles = [PointPosition(p, axes) for p in (*pins, tip)]
        reach = float(np.linalg.norm(rest.point(tip)[0] - rest.point(root)[0]))
        self.base = kin.point(root)[0][keep]
        self.along = reach * np.array(way, dtype=float)[keep] / np.linalg.norm(way)
        self.held = [kin.point(p)[0][keep] for p in pins]
        supple = Supple(figure, handles)
        self.figure, self.pose = figure, supple.softened(q)
        self.solver = PoseSolver(
            supple.character, [Task(h, most=FIRM) for h in handles], pose_weight=posture(supple.character)
        )

    def cold(self, start: Array, shares: Array, gain: float) -> Array:
        """Every pose by itself, (F, nq); where another one starts has no say."""
        begin, path = np.tile(self.pose, (len(shares), 1)), self.base + shares[:, None] * self.along
        solved = self.solver.solve(begin, begin, [*self.held, path], [gain] * (len(self.held) + 1))
        assert solved.settled.all()
        return solved.q

    def warm(self, start: Array, shares: Array, gain: float) -> Array:
        """Each pose from the one before, (F, nq)."""
        q, found = start, []
        for share in shares:
            goals = [*self.held, self.base + share * self.along]
            solved = self.solver.solve(q, self.pose, goals, [gain] * len(goals), warm=True)
            assert solved.settled.all()
            q = solved.q[0]
            found.append(q)
        return np.array(found)

    def change(self, q: Array) -> Array:
        """The largest of a joint from each pose to the next [rad, m], (F − 1,)."""
        return np.abs(self.figure.manifold.minus(q[1:], q[:-1])).max(axis=1)


def assert_no_jump(
    sweep: Sweep, poses: Callable[[Array, Array, float], Array], shares: Array, q: Array, gain: float
) -> None:
    """Cut into 512, the steps with the largest changes have changes that vanish; a jump would stay.

    (A knee that comes straight goes as a root: its change would fall 22-fold.)
    """
    change = sweep.change(q)
    for k in np.argsort(-change)[:3]:
        first, last, start = shares[k], shares[k + 1], q[k]
        for _ in range(3):
            fine = np.linspace(first, last, 9)
            between = np.concatenate([start[None], poses(start, fine[1:], gain)])
            step = sweep.change(between)
            i = int(step.argmax())
            first, last, start = fine[i], fine[i + 1], between[i]
        assert step[i] < max(0.1 * change[k], 2e-3), f"{change[k]:.3g} at {shares[k]:.3f}: {step[i]:.3g}"


@pytest.mark.parametrize("gain", [0.5, 0.9, 0.99, 1.0])
@pytest.mark.parametrize(("figure", "tip", "way"), CASES, ids=NAMES)
def test_a_limb_swept_out_of_reach_moves_no_joint_at_once(figure, tip, way, gain):
    """Every pose solved for itself."""
    sweep = Sweep(figure, tip, LIMBS[tip], way)
    assert_no_jump(sweep, sweep.cold, SHARES, sweep.cold(sweep.pose, SHARES, gain), gain)


@pytest.mark.parametrize("gain", [0.5, 0.9, 1.0])
@pytest.mark.parametrize(("figure", "tip", "way"), CASES, ids=NAMES)
def test_nor_does_one_followed_from_pose_to_pose(figure, tip, way, gain):
    """Out and back: both ways through the same poses, which are those that need no history."""
    sweep = Sweep(figure, tip, LIMBS[tip], way)
    alone = sweep.cold(sweep.pose, SHARES, gain)
    shares = np.concatenate([SHARES, SHARES[-2::-1]])
    q = np.concatenate([alone[:1], sweep.warm(alone[0], shares[1:], gain)])
    assert_no_jump(sweep, sweep.warm, shares, q, gain)
    for part in (q[: len(SHARES)], q[: len(SHARES) - 2 : -1]):
        assert np.abs(figure.manifold.minus(part, alone)).max() < 1e-6


@pytest.mark.parametrize("gain", [0.5, 0.9, 1.0])
@pytest.mark.parametrize("way", [(1, 0, 0), (1, 0, -1), (0, 0, -1), (-0.3, 0, -1)])
def test_a_camel_swept_by_a_foot_does_not_jump_either(way, gain):
    feet = ("Hips", "Spine5", "RightForePastern", "LeftHindPastern", "RightHindPastern")
    sweep = Sweep(CAMEL, "LeftForePastern", "LeftHumerus", way, feet)
    assert_no_jump(sweep, sweep.cold, SHARES, sweep.cold(sweep.pose, SHARES, gain), gain)


def test_in_reach_a_bound_on_the_pull_changes_nothing():
    sweep = Sweep(SPACE, "LeftHand", "LeftArm", (1, 0, 0))
    near = SHARES[SHARES < 0.98]
    tasks = [Task(t.handle) for t in sweep.solver.tasks]
    free = PoseSolver(sweep.solver.character, tasks, pose_weight=posture(sweep.solver.character))
    start, path = np.tile(sweep.pose, (len(near), 1)), sweep.base + near[:, None] * sweep.along
    unbound = free.solve(start, start, [*sweep.held, path], [1.0] * 5)
    np.testing.assert_allclose(sweep.cold(sweep.pose, near, 1.0), unbound.q, atol=1e-12)
    assert np.abs(unbound.errors[-1]).max() < 1e-4


def test_beyond_reach_only_the_direction_counts():
    """An arm that cannot reach points; twice as far off the pose is all but the same."""
    sweep = Sweep(SPACE, "LeftHand", "LeftArm", (1, 0.5, 0))
    once, twice = sweep.cold(sweep.pose, np.array([3.0, 6.0]), 1.0)
    assert np.abs(SPACE.manifold.minus(once, twice)).max() < 0.1
    kin = Kinematics(SPACE, once)
    arm = kin.point("LeftHand")[0] - kin.point("LeftArm")[0]
    aim = sweep.base + 3.0 * sweep.along - kin.point("LeftArm")[0]
    assert arm @ aim > 0.99 * np.linalg.norm(arm) * np.linalg.norm(aim)


@pytest.mark.parametrize("figure", [SPACE, PLANE], ids=lambda c: c.name)
@pytest.mark.parametrize("way", [(1, 0, 0), (1, 0, 1), (0, 0, 1), (1, 0, -1)])
def test_a_hand_keyed_out_of_reach_and_back_bakes_without_a_pop(figure, way):
    """Sixteen times the frames: an elbow that comes straight, as a root, changes by a quarter in each."""
    rest = limber(figure, figure.rest_pose())
    kin = Kinematics(figure, rest)
    reach = float(np.linalg.norm(kin.point("LeftHand")[0] - kin.point("LeftArm")[0]))
    near, far = (
        kin.point("LeftArm")[0] + s * reach * np.array(way) / np.linalg.norm(way) for s in (0.6, 1.5)
    )
    tracks = Tracks(figure, rest).pin("LeftHand", to={0.0: near, 1.0: far, 2.0: near})
    for point in ("LeftHeel", "LeftToe", "RightHeel", "RightToe"):
        tracks = tracks.pin(point)
    coarse, fine = tracks.bake(30, start=0.0, end=2.0), tracks.bake(480, start=0.0, end=2.0)
    assert not [w for w in coarse.report.warnings if "jump" in w]
    changes = [np.abs(figure.manifold.minus(b.clip.q[1:], b.clip.q[:-1])).max() for b in (coarse, fine)]
    assert changes[0] < 0.35
    assert changes[1] < 0.3 * changes[0]


def test_a_warm_start_is_quick():
    sweep = Sweep(SPACE, "LeftHand", "LeftArm", (1, 0, 0))
    there = sweep.cold(sweep.pose, np.array([0.8]), 1.0)[0]
    goals = [*sweep.held, sweep.base + 0.803 * sweep.along]
    cold = sweep.solver.solve(sweep.pose, sweep.pose, goals)
    warm = sweep.solver.solve(there, sweep.pose, goals, warm=True)
    np.testing.assert_allclose(warm.q, cold.q, atol=1e-7)
    assert warm.iterations[0] <= 6 < cold.iterations[0]
