"""Targets swept across the reach limit and back: poses follow without a jump, however fine the steps."""

from __future__ import annotations

import numpy as np
import pytest
from sweeps import Sweep

import poise
from poise import characters
from poise.character import Character
from poise.kinematics import Kinematics
from poise.methods.key.pose.posture import limber, posture
from poise.methods.key.pose.solver import PoseSolver
from poise.methods.key.pose.task import Task
from poise.methods.key.sheet.keyframes import Keyframes

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


PINS = ("Hips", "Chest", "RightHeel", "LeftHeel")


def sweep_of(figure: Character, tip: str, way: tuple[float, float, float]) -> Sweep:
    """Trunk and heels pinned, but for that of a foot that is led."""
    pins = tuple(p for p in PINS if tip != "LeftFoot" or p != "LeftHeel")
    return Sweep(figure, tip, LIMBS[tip], np.array(way), pins)


@pytest.mark.parametrize("gain", [0.5, 0.9, 0.99, 1.0])
@pytest.mark.parametrize(("figure", "tip", "way"), CASES, ids=NAMES)
def test_a_limb_swept_out_of_reach_moves_no_joint_at_once(figure, tip, way, gain):
    """Every pose solved for itself."""
    sweep = sweep_of(figure, tip, way)
    sweep.assert_no_jump(sweep.cold, SHARES, sweep.cold(sweep.pose, SHARES, gain), gain)


@pytest.mark.parametrize("gain", [0.5, 0.9, 1.0])
@pytest.mark.parametrize(("figure", "tip", "way"), CASES, ids=NAMES)
def test_nor_does_one_followed_from_pose_to_pose(figure, tip, way, gain):
    """Out and back: both ways through the same poses, which are those that need no history."""
    sweep = sweep_of(figure, tip, way)
    alone = sweep.cold(sweep.pose, SHARES, gain)
    shares = np.concatenate([SHARES, SHARES[-2::-1]])
    q = np.concatenate([alone[:1], sweep.warm(alone[0], shares[1:], gain)])
    sweep.assert_no_jump(sweep.warm, shares, q, gain)
    for part in (q[: len(SHARES)], q[: len(SHARES) - 2 : -1]):
        assert np.abs(figure.manifold.minus(part, alone)).max() < 1e-6


@pytest.mark.parametrize("gain", [0.5, 0.9, 1.0])
@pytest.mark.parametrize("way", [(1, 0, 0), (1, 0, -1), (0, 0, -1), (-0.3, 0, -1)])
def test_a_camel_swept_by_a_foot_does_not_jump_either(way, gain):
    feet = ("Hips", "Spine5", "RightForePastern", "LeftHindPastern", "RightHindPastern")
    sweep = Sweep(CAMEL, "LeftForePastern", "LeftHumerus", np.array(way), feet)
    sweep.assert_no_jump(sweep.cold, SHARES, sweep.cold(sweep.pose, SHARES, gain), gain)


def test_in_reach_a_bound_on_the_pull_changes_nothing():
    sweep = sweep_of(SPACE, "LeftHand", (1, 0, 0))
    near = SHARES[SHARES < 0.98]
    tasks = [Task(t.handle) for t in sweep.solver.tasks]
    free = PoseSolver(sweep.solver.character, tasks, pose_weight=posture(sweep.solver.character))
    start, path = np.tile(sweep.pose, (len(near), 1)), sweep.targets(near)
    unbound = free.solve(start, start, [*sweep.held, path], [1.0] * 5)
    np.testing.assert_allclose(sweep.cold(sweep.pose, near, 1.0), unbound.q, atol=1e-12)
    assert np.abs(unbound.errors[-1]).max() < 1e-4


def test_beyond_reach_only_the_direction_counts():
    """An arm that cannot reach points; twice as far off the pose is all but the same."""
    sweep = sweep_of(SPACE, "LeftHand", (1, 0.5, 0))
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
    tracks = Keyframes(figure, rest).pin("LeftHand", to={0.0: near, 1.0: far, 2.0: near})
    for point in ("LeftHeel", "LeftToe", "RightHeel", "RightToe"):
        tracks = tracks.pin(point)
    coarse, fine = (
        poise.key(tracks, fps=30, start=0.0, end=2.0),
        poise.key(tracks, fps=480, start=0.0, end=2.0),
    )
    assert not [w for w in coarse.report.warnings if "jump" in w]
    changes = [np.abs(figure.manifold.minus(b.clip.q[1:], b.clip.q[:-1])).max() for b in (coarse, fine)]
    assert changes[0] < 0.35
    assert changes[1] < 0.3 * changes[0]


def test_a_warm_start_is_quick():
    sweep = sweep_of(SPACE, "LeftHand", (1, 0, 0))
    there = sweep.cold(sweep.pose, np.array([0.8]), 1.0)[0]
    goals = [*sweep.held, sweep.base + 0.803 * sweep.along]
    cold = sweep.solver.solve(sweep.pose, sweep.pose, goals)
    warm = sweep.solver.solve(there, sweep.pose, goals, warm=True)
    np.testing.assert_allclose(warm.q, cold.q, atol=1e-7)
    assert warm.iterations[0] <= 6 < cold.iterations[0]
