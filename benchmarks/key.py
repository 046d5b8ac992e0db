"""The prioritised pose solver against mink and pink: one step of inverse kinematics, and whole poses.

What a step is, and how the peers' differ, is said in ``poise.speed.posing``. "One pose, cold" goes through
Python as theirs do, and its evaluations are about half as fast.

    python -m benchmarks --only key
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.presets.planar_humanoid import planar_humanoid
from poise.speed import posing
from poise.speed.humanoid46 import humanoid46
from poise.speed.interleaved import interleaved
from poise.speed.kinematics import character_of_balls
from poise.speed.posing import PoseWork
from poise.workers import on_threads

PINS = {
    "planar humanoid": ("LeftHand", "RightHand", "LeftFoot", "RightFoot", "LeftToeBase", "RightToeBase"),
    "humanoid46": posing.PINS,
    "60 dof": ("left arm3", "right arm3", "left leg3", "right leg2", "spine2", "left arm1"),
}


def sixty() -> Character:
    """A root and 18 balls: 60 degrees of freedom."""
    return character_of_balls("60 dof", spine=3, arm=4, legs=(4, 3))


def row(
    key: str, value: float, unit: str, peer: str | None = None, ratio: float | None = None
) -> dict[str, Any]:
    """One metric."""
    numbers = {"value": value, "unit": unit, "direction": "lower", "peer": peer, "ratio": ratio}
    return {"key": f"key/{key}", **numbers}


def steps(character: Character, rounds: int) -> list[dict[str, Any]]:
    """Microseconds a step, beside the peers."""
    case = PoseWork(character, PINS[character.name])
    solved = case.solve()
    assert np.abs(solved.errors[0]).max() < 1e-9
    count, label = int(solved.iterations.sum()), f"step, {character.nv} dof"
    jobs: dict[str, Callable[[], Any]] = {"ours": case.solve}
    if character.nv < 60:
        jobs |= {"mink": case.mink(), "pink": case.pink()}
    took = interleaved(jobs, rounds)
    ours = took["ours"] / count
    if "mink" not in took:
        return [row(label, 1e6 * ours, "µs")]
    return [row(f"{label}, against {p}", 1e6 * ours, "µs", p, took[p] / ours) for p in ("mink", "pink")]


def whole_poses() -> list[dict[str, Any]]:
    """Cold solves from the pose as given, one by one and as a batch."""
    rows = []
    for character in (planar_humanoid(), humanoid46()):
        case = PoseWork(character, PINS[character.name], 300)
        case.solve()
        times = []
        with on_threads(1):
            for f in range(100):
                pose, targets = case.q[f], [t[f] for t in case.targets]
                began = time.perf_counter()
                case.solver.solve(pose, pose, targets)
                times.append(time.perf_counter() - began)
        rows.append(row(f"one pose, cold, {character.nv} dof", 1e3 * float(np.median(times)), "ms"))
        began = time.perf_counter()
        case.solve()
        rows.append(row(f"300 poses, cold, {character.nv} dof", 1e3 * (time.perf_counter() - began), "ms"))
    return rows


def run(rounds: int = 15) -> list[dict[str, Any]]:
    """Metrics: key, value, unit, direction, peer, ratio (peer's time over ours)."""
    found = [r for character in (planar_humanoid(), humanoid46(), sixty()) for r in steps(character, rounds)]
    return [*found, *whole_poses()]


if __name__ == "__main__":
    for found in run():
        print(f"{found['key']:48s} {found['value']:9.3f} {found['unit']:3s} {found['ratio'] or 0:6.1f}")
