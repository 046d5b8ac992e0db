"""Inverse kinodynamics on random tasks: how many are solved, what the misses say.

Each case takes a bundled clip, a tension, an effector, a time and a width at random. The target is where the
effector would be in a pose near the animated one: random turns of every joint, the root left alone, so that
a pose that reaches it exists. Velocities ask for a random part of the animated one and something more.
Unreachable targets lie further away than the effector's chain is long. Where the real clips are at hand,
their effectors get random reachable targets too.

    python -m benchmarks --only hit_suites
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import poise
from poise import clips
from poise.arrays import Array
from poise.constraints import Constraint, moving, pin
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hit import HitResult
from poise.methods.loosen.hit.problem import Problem
from poise.methods.loosen.hit.solve import FARTHEST
from poise.motion import Clip
from poise.solvers import settle

CLIPS = ("punch", "reach", "wave", "jump", "walk", "run", "drum")
EFFECTORS = ("RightHandCentre", "LeftHandCentre", "RightFingertips", "HeadTop", "LeftToe", "RightHeel")
TENSIONS = ("firm", "relaxed", "loose")
WIDTHS = (0.4, 1.2)
"""Between these [s]."""
TURN = 0.25
"""Standard deviation of the random turns that make a reachable target [rad]."""
WINDOW = 0.4
CAPTURES = {"punch": "143_23", "kick": "143_24", "run": "143_01", "pick-up": "80_08"}
SHARED = Path(os.environ.get("DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
BARS = {"positions": 99.0, "positions and velocities": 97.0, "capture": 100.0, "unreachable": 1.01}
"""What must be reached: percent solved; for unreachable targets the error over the best of many starts."""


@dataclass(frozen=True, eq=False)
class Case:
    """One task."""

    clip: Clip
    tension: str
    width: float
    constraints: tuple[Constraint, ...]

    def solve(self, **options: Any) -> HitResult:
        """With ``hit``."""
        return poise.hit(self.clip, self.constraints, self.tension, WINDOW, width=self.width, **options)

    def problem(self) -> Problem:
        """The task before anything is solved."""
        return self.solve(iterations=0, method="paper").problem

    def __str__(self) -> str:
        first = self.constraints[0]
        return f"{self.clip.name}, {self.tension}, width {self.width:.2f} s, {first.name} {first.when}"


def reachable(clip: Clip, effector: str, at: float, rng: np.random.Generator, turn: float = TURN) -> Array:
    """Where an effector is in a random pose near the animated one, the root as animated [m], (3,)."""
    character = clip.character
    v = rng.normal(scale=turn, size=character.nv)
    v[character.dofs(0)] = 0.0
    pose = character.manifold.plus(clip.at(at), v)
    return np.asarray(Kinematics(character, pose).point(effector)[0])


def cases(count: int, *, velocity: bool, seed: int) -> Iterator[Case]:
    """Random tasks on bundled clips."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        clip = clips.get(CLIPS[k % len(CLIPS)])
        effector = str(rng.choice(EFFECTORS))
        frame = int(rng.integers(0 if clip.loop else 6, clip.frames - (0 if clip.loop else 6)))
        at = frame * clip.dt
        constraints = [pin(effector, reachable(clip, effector, at, rng), at)]
        if velocity:
            animated = Kinematics(clip.character, clip.q[frame], clip.velocity[frame])
            speed = animated.point_jacobian(clip.character.point(effector))[0] @ clip.velocity[frame]
            constraints.append(moving(effector, rng.uniform() * speed + rng.normal(scale=0.3, size=3), at))
        yield Case(clip, str(rng.choice(TENSIONS)), float(rng.uniform(*WIDTHS)), tuple(constraints))


def unreachable(count: int, *, seed: int) -> Iterator[Case]:
    """Targets in a random direction, 1.6 to 2.2 m from the shoulder or hip that the limb hangs on."""
    rng = np.random.default_rng(seed)
    sockets = {"RightHandCentre": "RightArm", "LeftHandCentre": "LeftArm", "LeftToe": "LeftUpLeg"}
    for k in range(count):
        clip = clips.get(CLIPS[k % len(CLIPS)])
        effector = str(rng.choice(list(sockets)))
        at = int(rng.integers(10, clip.frames - 10)) * clip.dt
        kin = Kinematics(clip.character, clip.at(at))
        way = rng.normal(size=3)
        far = 1.6 + 0.6 * rng.uniform()
        target = kin.point(sockets[effector])[0] + far * way / np.linalg.norm(way)
        yield Case(clip, str(rng.choice(TENSIONS)), 1.0, (pin(effector, target, at),))


def captured(folder: Path, name: str, count: int, *, seed: int, seconds: float | None = None) -> list[Case]:
    """Random reachable effector targets on a real clip, relaxed."""
    from poise.character.masses import with_guessed_masses
    from poise.motion.operators import trim

    clip = poise.load(folder / "cmu_cgspeed_bvh" / f"{CAPTURES[name]}.bvh", drop_tpose=True)
    if seconds is not None and clip.duration > seconds:
        clip = trim(clip, 0.5 * (clip.duration - seconds), 0.5 * (clip.duration + seconds))
    clip = Clip(with_guessed_masses(clip.character), clip.q, clip.rate, name=name)
    rng = np.random.default_rng(seed)
    effectors = ("RightHand", "LeftHand", "Head", "RightFoot", "LeftFoot")
    found = []
    for _ in range(count):
        at = float(rng.uniform(0.2, clip.duration - 0.2))
        effector = str(rng.choice(effectors))
        found.append(Case(clip, "relaxed", 1.0, (pin(effector, reachable(clip, effector, at, rng), at),)))
    return found


def honest(result: HitResult) -> bool:
    """Nothing is NaN, and a miss has a reason."""
    try:
        finite = np.isfinite(result.clip.q).all() and np.isfinite(result.correction.coefficients).all()
    except InputError:  # a clip refuses what is not a number
        return False
    return bool(finite and all(o.met or (o.reason and np.isfinite(o.error)) for o in result.report.outcomes))


def over_best(case: Case, *, starts: int = 8, seed: int = 7) -> float:
    """The error of ``hit`` over the best of further solves from random corrections."""
    result = case.solve()
    problem, rng = result.problem, np.random.default_rng(seed)
    sizes = [float(np.linalg.norm(result.solution.residual))]

    bound = 0.999 * FARTHEST / problem.layout.scale[problem.layout.unknowns[1]]  # what hit itself allows
    for _ in range(starts):
        start = replace(result.solution, x=rng.normal(scale=0.3, size=problem.unknowns))
        again = settle(problem.linearised, start, bound=bound)
        sizes.append(float(np.linalg.norm(again.residual)))
    return sizes[0] / max(min(sizes), 1e-12)


def solved(tasks: Iterable[Case], **options: Any) -> tuple[float, float, float, list[str]]:
    """Percent met, median iterations, median milliseconds, and the misses in words."""
    met, steps, took, misses = [], [], [], []
    for case in tasks:
        began = time.perf_counter()
        result = case.solve(**options)
        took.append(time.perf_counter() - began)
        fine = honest(result)
        if not fine:
            misses.append(f"{case}: not a number, or a miss without a reason")
        met.append(fine and result.report.met)
        steps.append(result.report.iterations)
        misses += [f"{case}: {o}" for o in result.report.missed]
    return 100 * float(np.mean(met)), float(np.median(steps)), 1e3 * float(np.median(took)), misses


def run(count: int = 200, folder: Path = SHARED) -> list[dict[str, Any]]:
    """Rows for the table: percent solved, beside the published iteration's."""
    rows: list[dict[str, Any]] = []

    def add(key: str, value: float, unit: str, peer: str = "", ratio: float | None = None) -> None:
        direction = "higher" if unit == "%" else "lower"
        row = {"key": f"ikd/{key}", "value": value, "unit": unit, "direction": direction}
        rows.append({**row, "peer": peer, "ratio": ratio})
        print(f"  {key}: {value:.4g} {unit} ({peer})", file=sys.stderr, flush=True)

    for name, velocity, seed in (("positions", False, 1), ("positions and velocities", True, 2)):
        percent, steps, took, misses = solved(cases(count, velocity=velocity, seed=seed))
        other = solved(cases(count, velocity=velocity, seed=seed), method="paper")[0]
        add(
            f"{count} random {name}, solved",
            percent,
            "%",
            f"the paper's {other:.1f} %",
            percent / max(other, 1),
        )
        add(f"{count} random {name}, iterations", steps, "", "median")
        add(f"{count} random {name}, time", took, "ms", "median, preparation included")
        for miss in misses:
            print(f"  missed: {miss}", file=sys.stderr, flush=True)
    few = max(4, count // 10)
    worst = max(over_best(case) for case in unreachable(few, seed=3))
    add(f"{few} unreachable, worst error over the best of 9 starts", worst, "×", "bar 1.01")
    if folder.is_dir():
        for name in CAPTURES:
            percent, steps, _, misses = solved(captured(folder, name, max(2, count // 10), seed=5))
            add(f"real {name}, random targets solved", percent, "%", f"{steps:g} iterations")
            for miss in misses:
                print(f"  missed: {miss}", file=sys.stderr, flush=True)
    return rows


if __name__ == "__main__":
    for row in run():
        print(f"{row['key']:60s} {row['value']:8.4g} {row['unit']:3s} {row['peer']}")
