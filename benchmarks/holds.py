"""Places held over intervals: how many random ones are met, what the misses say, and what they cost.

    python benchmarks/holds.py [--seconds 0.2] [--count 20] [--every 1] [CLIP …]

Each takes a hand or a foot, an interval, and a place where the point would be in a random pose near the
animated one at its middle. Judged on the clip that is handed out, by plain kinematics (``placement``).
A miss counts as rightly told where the limb, straight, is as much too short in that clip as the report says.
"""

from __future__ import annotations

import argparse
import re
import time

import numpy as np

import poise
from benchmarks.planted import BUNDLED, CAPTURED, DATA, clip_named
from poise.character.masses import with_guessed_masses
from poise.constraints import pin
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hold import chain_length, top_of
from poise.motion import Clip

POINTS = ("RightHand", "LeftHand", "RightFoot", "LeftFoot")
TURN = 0.25
"""Standard deviation of the random turns [rad]."""
MET = 1e-4
"""[m]"""


def place(clip: Clip, name: str, time_: float, rng: np.random.Generator) -> np.ndarray:
    character = clip.character
    v = rng.normal(scale=TURN, size=character.nv)
    v[character.dofs(0)] = 0.0
    return Kinematics(character, character.manifold.plus(clip.at(time_), v)).point(name)[0]


def wild(name: str) -> Clip | None:
    path = DATA.parent / "cmu_wild" / f"{name}.bvh"
    if not path.exists():
        return clip_named(name)
    clip = poise.load(path, drop_tpose=True)
    return Clip(with_guessed_masses(clip.character), clip.q, clip.rate, name=name)


def off(clip: Clip, point: str, goal: np.ndarray, frames: np.ndarray) -> np.ndarray:
    where = clip.character.point(point)
    at, turns = clip.character.placement(clip.q[frames])
    return np.linalg.norm(at[:, where.body] + turns[:, where.body] @ where.position - goal, axis=1)


def truly_short(clip: Clip, point: str, goal: np.ndarray, frame: int, said: str) -> bool:
    """Whether a limb is too short by what a report says."""
    where = clip.character.point(point)
    top = top_of(clip.character, where.body)
    at, _ = clip.character.placement(clip.q[[frame]])
    by = float(np.linalg.norm(goal - at[0, top])) - chain_length(clip.character, where, top)
    found = re.search(r"by ([\d.]+) mm", said)
    return abs(by - 1e-3 * float(found[1])) < 1e-3 if found else "very end" in said and abs(by) < 2e-3


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("clips", nargs="*", default=[*BUNDLED, *CAPTURED])
    reader.add_argument("--seconds", type=float, default=0.2)
    reader.add_argument("--count", type=int, default=20)
    reader.add_argument("--seed", type=int, default=0)
    reader.add_argument("--tension", default="relaxed")
    asked = reader.parse_args()
    met, told, took, count = 0, 0, [], 0
    for name in asked.clips:
        clip = wild(name)
        if clip is None:
            print(f"{name:8} not here: skipped")
            continue
        rng, frames = np.random.default_rng(asked.seed), round(asked.seconds * clip.fps)
        if clip.frames < frames + 4:
            print(f"{name:8} too short: skipped")
            continue
        own = [0, 0]
        poise.loosen(clip, asked.tension)  # contacts are found once
        for _ in range(asked.count):
            first = int(rng.integers(1, clip.frames - frames - 1))
            point = str(rng.choice([p for p in POINTS if p in clip.character.points]))
            goal = place(clip, point, (first + frames // 2) * clip.dt, rng)
            wish = pin(point, goal, (first * clip.dt, (first + frames) * clip.dt))
            began = time.process_time()
            result = poise.hit(clip, wish, asked.tension)
            took.append(time.process_time() - began)
            span = np.arange(first, first + frames + 1)
            far, fate = off(result.clip, point, goal, span), result.report.outcomes[0]
            assert abs(far.max() - fate.error) < 1e-9, (far.max(), fate.error)
            fine = bool(far.max() <= MET)
            right = fine or truly_short(result.clip, point, goal, int(span[far.argmax()]), fate.reason)
            own[0] += fine
            own[1] += right and not fine
            if not right:
                print(f"  {point} {wish.when}: {1e3 * far.max():.2f} mm, {fate.reason}")
        met, told, count = met + own[0], told + own[1], count + asked.count
        print(
            f"{name:8} {own[0]:3d} met, {own[1]:3d} truly out of reach of {asked.count}; median so far "
            f"{1e3 * np.median(took):.0f} ms, longest {1e3 * max(took):.0f} ms",
            flush=True,
        )
    print(
        f"{asked.seconds} s: {met} of {count} met, {told} out of reach and told so to the millimetre, "
        f"{count - met - told} else: {100 * met / max(1, count - told):.1f} % of those within reach; "
        f"median {1e3 * np.median(took):.0f} ms of processor time"
    )


if __name__ == "__main__":
    main()
