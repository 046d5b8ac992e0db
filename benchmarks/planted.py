"""What planted feet cost and keep: loosened clips beside their sources and beside plain kinodynamics.

    python benchmarks/planted.py [--tension relaxed] [--root driven] [CLIP …]

Everything is judged by plain numpy kinematics (``Character.placement``), which the simulation does not use:

off      farthest that a patch is from its animated place while it stands [mm]
slide    of the stillest patch of each part that stands, rms [cm/s]; the source's, plain's, ours
sink     lowest point of a part that stands at times, below its source's lowest (a hand's: below the feet's)
         [cm]; plain's, ours
loose    rms deviation of spine, head and arms from the animation [°]; plain's, ours
jerk     99th percentile over all bodies [10³ m/s³]; the source's, plain's, ours
past     farthest past a joint limit (the character's, or a person's), beyond the source [°]
time     processor time over plain's, contacts found already
"""

from __future__ import annotations

import argparse
import os
import time
from functools import partial
from pathlib import Path

import numpy as np

import poise
from poise import clips
from poise.character.anatomy import felt_limits
from poise.contacts.find import find
from poise.contacts.patches import FOOT, patches
from poise.motion import Clip

BUNDLED = ("walk", "run", "jump", "punch")
CAPTURED = ("02_01", "16_01", "49_06", "143_01")
SHARED = Path(os.environ.get("DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
DATA = SHARED / "cmu_cgspeed_bvh"
WINDOW = 0.5
"""One for all [s], so that plain and planted do the same work."""
BEGIN = 30
"""Frames cut off captures: a rest pose and the way out of it."""
LOOSE = ("spine", "head", "arm", "hand")


def clip_named(name: str) -> Clip | None:
    """A bundled clip, or a capture beside the checkout; None where there is none."""
    if name in clips.names():
        return clips.get(name)
    path = DATA / f"{name}.bvh"
    if not path.exists():
        return None
    found = poise.load(path)
    return found.with_q(found.q[BEGIN:])


class Judge:
    """Where the patches of a clip are, and when they stand."""

    def __init__(self, clip: Clip) -> None:
        self.clip, self.own = clip, patches(clip.character)
        self.stands = np.zeros((clip.frames, len(self.own)), dtype=bool)
        for contact in find(clip).contacts:
            for touch in contact.touches:
                frames = np.arange(touch.start, touch.end + 1)
                frames = frames % clip.frames if clip.loop else frames[(frames >= 0) & (frames < clip.frames)]
                self.stands[frames, self.own.names.index(touch.patch)] = True
        self.source = self.places(clip)

    def places(self, clip: Clip) -> np.ndarray:
        at, turns = clip.character.placement(clip.q)
        turned = np.einsum("fkij,kj->fki", turns[:, self.own.body], self.own.place)
        return at[:, self.own.body] + turned

    def off(self, clip: Clip) -> float:
        way = np.linalg.norm(self.places(clip) - self.source, axis=2)
        return float(1e3 * way[self.stands].max(initial=0.0))

    def slide(self, clip: Clip) -> float:
        pace = np.linalg.norm(np.diff(self.places(clip)[..., :2], axis=0), axis=2) * clip.fps
        both = self.stands[1:] & self.stands[:-1]
        found = []
        for part in self.own.parts:
            rows = self.own.of_part(part)
            slowest = np.where(both[:, rows], pace[:, rows], np.inf).min(axis=1)
            found.append(slowest[np.isfinite(slowest)])
        all_ = np.concatenate(found)
        return float(100 * np.sqrt(np.mean(all_**2))) if len(all_) else 0.0

    def sink(self, clip: Clip) -> float:
        skin, before = (x[..., 2] - self.own.radius for x in (self.places(clip), self.source))
        floor, worst = before[self.stands].min(initial=np.inf), 0.0
        for part in self.own.parts:
            rows = self.own.of_part(part)
            if self.stands[:, rows].any():
                own = before[:, rows].min() if (self.own.kind[rows] == FOOT).any() else floor
                worst = max(worst, float(own - skin[:, rows].min()))
        return 100 * worst

    def loose(self, clip: Clip) -> float:
        character = clip.character
        limbs = [i for i, b in enumerate(character.bodies) if i and b.limb in LOOSE]
        apart = character.manifold.minus(clip.q, self.clip.q)
        dofs = np.concatenate([np.arange(character.nv)[character.dofs(i)] for i in limbs])
        return float(np.degrees(np.sqrt(np.mean(apart[:, dofs] ** 2))))

    def jerk(self, clip: Clip) -> float:
        at = clip.character.placement(clip.q).positions
        return float(1e-3 * np.percentile(np.linalg.norm(np.diff(at, 3, axis=0), axis=2) * clip.fps**3, 99))

    def past(self, clip: Clip) -> float:
        character = clip.character
        lower, upper = felt_limits(character)
        rest = character.dofs(0).stop

        def angles(q: np.ndarray) -> np.ndarray:
            return character.manifold.minus(q, character.manifold.neutral())[:, rest:]

        x, r = angles(clip.q), angles(self.clip.q)
        beyond = np.maximum(x - np.maximum(upper[rest:], r), np.minimum(lower[rest:], r) - x)
        return float(np.degrees(np.maximum(beyond, 0.0).max()))


def seconds(work, count: int = 3) -> float:
    best = np.inf
    for _ in range(count):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("clips", nargs="*", default=[*BUNDLED, *CAPTURED])
    reader.add_argument("--tension", default="relaxed")
    reader.add_argument("--root", default="prescribed")
    reader.add_argument("--step", type=float, default=0.01)
    asked = reader.parse_args()
    print(f"{asked.tension}, root {asked.root}, window {WINDOW} s, steps of {1e3 * asked.step:g} ms")
    heads = (
        "off mm",
        "slide src/plain/ours",
        "sink pl/ours",
        "loose pl/ours",
        "jerk src/pl/ours",
        "past pl/ours",
        "time",
    )
    print(f"{'clip':8}" + "".join(f"{h:>22}" for h in heads))
    for name in asked.clips:
        clip = clip_named(name)
        if clip is None:
            print(f"{name:8} not here: skipped")
            continue
        judge = Judge(clip)
        word: float | str = asked.tension if asked.tension.isalpha() else float(asked.tension)
        options = {"tension": word, "window": WINDOW, "root": asked.root, "step": asked.step}
        off = {"contacts": False, "joint_limits": False}
        plain, ours = poise.loosen(clip, **options, **off).clip, poise.loosen(clip, **options).clip
        ratio = seconds(partial(poise.loosen, clip, **options))
        ratio /= seconds(partial(poise.loosen, clip, **options, **off))
        cells = (
            f"{judge.off(ours):.2f}",
            f"{judge.slide(clip):.1f}/{judge.slide(plain):.1f}/{judge.slide(ours):.1f}",
            f"{judge.sink(plain):.2f}/{judge.sink(ours):.2f}",
            f"{judge.loose(plain):.2f}/{judge.loose(ours):.2f}",
            f"{judge.jerk(clip):.1f}/{judge.jerk(plain):.1f}/{judge.jerk(ours):.1f}",
            f"{judge.past(plain):.1f}/{judge.past(ours):.1f}",
            f"{ratio:.2f}",
        )
        print(f"{name:8}" + "".join(f"{c:>22}" for c in cells), flush=True)


if __name__ == "__main__":
    main()
