"""Inverse kinodynamics on random tasks: how many are solved, what the misses say.

Each case takes a bundled clip, a tension, an effector, a time and a width at random. The target is where the
effector would be in a pose near the animated one: random turns of every joint, the root left alone, so that
a pose that reaches it exists. Velocities ask for a random part of the animated one and something more.

    python -m benchmarks --only kinodynamics_suites
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise import clips
from poise.arrays import Array
from poise.constraints import Constraint, moving, pin
from poise.kinematics import Kinematics
from poise.methods.kinodynamics import Result, hit
from poise.motion import Clip

CLIPS = ("punch", "reach", "wave", "jump", "walk", "run", "drum")
EFFECTORS = ("RightHandCentre", "LeftHandCentre", "RightFingertips", "HeadTop", "LeftToe", "RightHeel")
TENSIONS = ("firm", "relaxed", "loose")
WIDTHS = (0.4, 1.2)
"""Between these [s]."""
TURN = 0.25
"""Standard deviation of the random turns that make a reachable target [rad]."""
WINDOW = 0.4
CAPTURES = {
    "punch": "143/143_23.bvh",
    "kick": "143/143_24.bvh",
    "run": "143/143_01.bvh",
    "pick-up": "80/80_08.bvh",
}


@dataclass(frozen=True, eq=False)
class Case:
    """One task."""

    clip: Clip
    tension: str
    width: float
    constraints: tuple[Constraint, ...]

    def solve(self, **options: Any) -> Result:
        """With ``hit``."""
        return hit(self.clip, self.constraints, self.tension, WINDOW, shape=self.width, **options)


def reachable(clip: Clip, effector: str, at: float, rng: np.random.Generator, turn: float = TURN) -> Array:
    """Where an effector is in a random pose near the animated one, the root as animated [m], (3,)."""
    character = clip.character
    v = rng.normal(scale=turn, size=character.nv)
    v[character.dofs(0)] = 0.0
    pose = character.manifold.plus(clip.at(at), v)
    return Kinematics(character, pose).point(effector)[0]


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
            wanted = rng.uniform() * _speed(animated, effector) + rng.normal(scale=0.3, size=3)
            constraints.append(moving(effector, wanted, at))
        yield Case(clip, str(rng.choice(TENSIONS)), float(rng.uniform(*WIDTHS)), tuple(constraints))


def captured(folder: Path, name: str, count: int, *, seed: int, seconds: float | None = None) -> list[Case]:
    """Random reachable effector targets on a real clip, relaxed."""
    import poise
    from poise.character.masses import with_guessed_masses
    from poise.motion.operators import trim

    clip = poise.load(folder / "cmu_cgspeed_bvh" / CAPTURES[name])
    if seconds is not None:
        clip = trim(clip, 0.0, seconds)
    clip = Clip(with_guessed_masses(clip.character), clip.q, clip.rate, name=name)
    rng = np.random.default_rng(seed)
    effectors = [p for p in ("RightHand", "LeftHand", "Head", "RightFoot", "LeftFoot") if p in clip.character.points]
    found = []
    for _ in range(count):
        at = float(rng.uniform(0.2, clip.duration - 0.2))
        effector = str(rng.choice(effectors))
        found.append(Case(clip, "relaxed", 1.0, (pin(effector, reachable(clip, effector, at, rng), at),)))
    return found


def _speed(kin: Kinematics, effector: str) -> Array:
    point = kin.character.point(effector)
    return np.asarray(kin.point_jacobian(point)[0] @ kin.v[0])  # type: ignore[index]


def honest(result: Result) -> bool:
    """Nothing is NaN, and a miss has a reason."""
    finite = np.isfinite(result.clip.q).all() and np.isfinite(result.correction.coefficients).all()
    return bool(finite and all(o.met or (o.reason and np.isfinite(o.error)) for o in result.report.outcomes))
