"""Random problems by number: the same number is the same problem, on any machine.

pose   one pose by constraints, or a document of pins and a path, baked
adapt  a clip changed by displacement curves
hit    a loosened clip that meets marks
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from asked import ABSURD, KINDS, Wish, wishes
from figures import short_clip, some_time
from verdicts import Problem, Solved

import poise
from poise.operations.pose import Pose

STILL = tuple(kind for kind in KINDS if kind != "velocity")


def generator(kind: str, number: int, seed: int = 20121) -> np.random.Generator:
    """Of one problem."""
    return np.random.default_rng([seed, list(MAKERS).index(kind), number])


def pose_problem(rng: np.random.Generator) -> Problem:
    """Constraints on one pose, or pins of a document."""
    clip = short_clip(rng, odd=0.3)
    body = clip.character
    start = np.array(clip.q[rng.integers(clip.frames)])
    exact = ("pin", "pin", "pin", "centre", "turn", "joined")
    if rng.uniform() < 0.3:
        return _document(rng, clip, start)
    asked, absurd = wishes(rng, body, lambda t: start, lambda: 0.0, exact)
    how = Pose(strict=int(rng.choice([0, 1, 2, 3])), joint_limits=bool(rng.uniform() < 0.8))
    options: dict[str, Any] = {"warm": bool(rng.uniform() < 0.3)}
    if rng.uniform() < 0.1:
        options["free"] = rng.uniform(size=body.nv) < 0.5
    if rng.uniform() < 0.05:
        options["pose_weight"], absurd = float(rng.choice(ABSURD)), True
    if rng.uniform() < 0.03 and body.nq:
        start[rng.integers(body.nq)], absurd = float(rng.choice(ABSURD)), True

    def solve() -> Solved:
        from poise.methods.key.pose.solve import solve

        found = solve(body, [w.constraint() for w in asked], how, start=start, pose=start, **options)
        return Solved(body, found.q, lambda t: found.q, 1.0, 0.0, found.report, asked)

    return Problem(absurd, solve)


def _document(rng: np.random.Generator, clip: Any, start: np.ndarray) -> Problem:
    body = clip.character
    motion = clip.at
    asked, absurd = wishes(rng, body, lambda t: motion(t), lambda: 0.0, ("pin", "pin", "turn"))
    fade = float(rng.choice([0.0, 0.1, 1e-300, 1e300])) if absurd else 0.1
    path = 0.1 * rng.normal(size=(2, 3)) if rng.uniform() < 0.3 else None
    if path is not None and rng.uniform() < 0.1:
        path[0, 0], absurd = float(rng.choice(ABSURD)), True
    end = float(rng.choice([0.0, 0.2]))

    def solve() -> Solved:
        from poise.handles import BodyOrientation
        from poise.methods.key.path.key import PathKey
        from poise.methods.key.sheet.keyframes import Keyframes

        tracks = Keyframes(body, start)
        for own in asked:
            what = BodyOrientation(own.first) if own.kind == "turn" else own.first
            tracks = tracks.pin(what, at=(0.0, end), to=own.number, fade=fade, name=own.name)
        if path is not None:
            tracks = tracks.with_path([PathKey(k * max(end, 0.1), tuple(p)) for k, p in enumerate(path)])
        baked = poise.key(tracks, fps=30, start=0.0, end=end)
        for own in asked:
            own.when = (0.0, end)
        made = baked.clip
        return Solved(body, made.q, made.at, made.fps, made.duration, baked.report, asked, unsaid=True)

    return Problem(absurd, solve)


def adapt_problem(rng: np.random.Generator) -> Problem:
    """Constraints on a clip."""
    clip = short_clip(rng)
    asked, absurd = wishes(rng, clip.character, clip.at, lambda: some_time(rng, clip))
    options: dict[str, Any] = {
        "key_spacing": float(rng.choice([0.1, 0.1, 0.05, 0.5])),
        "exact": bool(rng.uniform() < 0.2),
        "joint_limits": bool(rng.uniform() < 0.8),
        "basis": str(rng.choice(["bspline", "cubic", "linear"], p=[0.8, 0.1, 0.1])),
    }
    if rng.uniform() < 0.05:
        options[str(rng.choice(["key_spacing", "smoothness"]))], absurd = float(rng.choice(ABSURD)), True
    if rng.uniform() < 0.1:
        options["floor"] = True

    def solve() -> Solved:
        found = poise.adapt(clip, [w.constraint() for w in asked], plants=False, **options)
        return _on_clip(found.clip, found.report, asked)

    return Problem(absurd, solve)


def hit_problem(rng: np.random.Generator) -> Problem:
    """Marks for a loosened clip."""
    clip = short_clip(rng)
    asked, absurd = wishes(rng, clip.character, clip.at, lambda: some_time(rng, clip, held=0.15))
    tension: Any = str(rng.choice(["tense", "firm", "relaxed", "loose", "drunk"]))
    options: dict[str, Any] = {"window": float(rng.choice([0.1, 0.2, 0.3]))}
    if rng.uniform() < 0.2:
        options["root"] = "driven"
    if rng.uniform() < 0.2:
        options["width"] = float(rng.choice([0.2, 0.5, 2.0]))
    if rng.uniform() < 0.05:
        options["method"] = "paper"
    if rng.uniform() < 0.06:
        number, absurd = float(rng.choice(ABSURD)), True
        what = str(rng.choice(["tension", "window", "width", "step"]))
        if what == "tension":
            tension = number
        else:
            options[what] = number

    def solve() -> Solved:
        found = poise.hit(clip, [w.constraint() for w in asked], tension, **options)
        return _on_clip(found.clip, found.report, asked, seen=True)

    return Problem(absurd, solve)


def _on_clip(clip: Any, report: Any, asked: list[Wish], *, seen: bool = False) -> Solved:
    end = np.inf if clip.loop else clip.duration
    return Solved(clip.character, clip.q, clip.at, clip.fps, end, report, asked, seen)


MAKERS: dict[str, Callable[[np.random.Generator], Problem]] = {
    "pose": pose_problem,
    "adapt": adapt_problem,
    "hit": hit_problem,
}
