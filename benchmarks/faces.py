"""Faces: vertices of loosened frames per second, against plain stepping with NumPy; scrubbing; targets.

The face is a dome with 56 local morph targets, all of them moving, on a head that turns; window 1 s at 25
frames per second, one thread, processor time, least of several. The peer does what one would write down
first: for each frame it steps all vertices through the window at the clip's rate, springs and shape
matching with sparse products (the same clusters), the animated vertices computed once beforehand and not
counted. It is less exact: its steps of 40 ms damp.

    python -m benchmarks --only faces
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Body, Character, Joint, MorphTarget, Skin
from poise.manifold import so3
from poise.methods.loosen.face.face import Face
from poise.methods.loosen.face.hit import FaceHitResult, hit
from poise.methods.loosen.face.material import Flesh
from poise.methods.loosen.face.rig import rig_of
from poise.methods.loosen.face.target import Target
from poise.motion import Clip
from poise.workers import on_threads

FLESH = Flesh(3.0, 0.15, 6.0)
WINDOW = 1.0
SIZES = {"1,200 vertices": (24, 50), "11,248 vertices": (74, 152), "44,992 vertices": (148, 304)}


def dome(rings: int, around: int, targets: int = 56) -> Character:
    """Half a ball of 10 cm with local targets."""
    p, t = np.meshgrid(
        np.linspace(0.02, np.pi / 2, rings), 2 * np.pi * np.arange(around) / around, indexing="ij"
    )
    v = 0.1 * np.stack([np.cos(p), np.sin(p) * np.cos(t), np.sin(p) * np.sin(t)], axis=-1).reshape(-1, 3)
    k = np.arange(rings * around).reshape(rings, around)
    after = np.roll(k, -1, axis=1)
    faces = np.concatenate(
        [
            np.stack([k[:-1], k[1:], after[1:]], -1).reshape(-1, 3),
            np.stack([k[:-1], after[1:], after[:-1]], -1).reshape(-1, 3),
        ]
    )
    rng = np.random.default_rng(0)
    morphs = []
    for i in range(targets):
        at = rng.normal(size=3)
        at[0] = abs(at[0])
        near = np.exp(-0.5 * ((v - 0.1 * at / np.linalg.norm(at)) ** 2).sum(axis=1) / 0.03**2)
        own = np.flatnonzero(near > 0.02)
        morphs.append(MorphTarget(f"target {i}", own, near[own, None] * rng.normal(0, 0.006, 3)))
    skin = Skin(v, faces, np.zeros((len(v), 1), int), np.ones((len(v), 1)), np.eye(4)[None], tuple(morphs))
    return Character("dome", [Body("Head", None, Joint.free())], skin=skin, mass_source="none")


def acting(character: Character, frames: int = 100) -> Clip:
    """All targets in motion, the head nodding."""
    rng = np.random.default_rng(1)
    t = np.arange(frames) / 25
    count = len(character.skin.morphs) if character.skin is not None else 0
    weights = 0.5 + 0.5 * np.sin(t[:, None] * rng.uniform(1, 9, count) + rng.uniform(0, 6, count))
    q = np.tile(character.rest_pose(), (frames, 1))
    q[:, 3:7] = so3.exp(0.3 * np.stack([np.sin(4 * t), np.sin(3 * t), 0 * t], axis=1))
    return Clip(character, q, 25, morphs=weights)


class Stepped:
    """The peer: every vertex stepped through every window."""

    def __init__(self, face: Face) -> None:
        clip = face.clip
        self.clusters, self.soft = face.rig.clusters, face.masks[0][:, None]
        self.animated = face.kinematic(clip.times)
        self.turn = so3.to_matrix(clip.q[:, 3:7])
        self.dt, self.frames = clip.dt, round(face.frames)
        slow, fast = FLESH.omegas
        self.stiff, self.firm = slow**2, fast**2 - slow**2
        self.damping = 2 * FLESH.damping * slow

    def state(self, frame: int) -> Array:
        """One frame, (N, 3)."""
        first = max(0, frame - self.frames)
        d, v = np.zeros((2, *self.animated.shape[1:]))
        h = self.dt
        denominator = 1 + h * self.damping + h * h * (self.stiff + self.firm)
        for k in range(first + 1, frame + 1):
            last = self.animated[max(k - 2, 0)]
            push = -(self.animated[k] - 2 * self.animated[k - 1] + last) / h**2
            local = d @ self.turn[k]
            goal = self.clusters.project(local) @ self.turn[k].T
            v = (v + h * (push - self.stiff * d + self.firm * (goal - d))) / denominator
            d = d + h * v
        return np.asarray(self.animated[frame] + self.soft * d)


def seconds(*jobs: Callable[[], object], rounds: int = 3) -> list[float]:
    """Processor time of each job, least of several rounds in turn."""
    least = [np.inf] * len(jobs)
    for _ in range(rounds):
        for k, job in enumerate(jobs):
            began = time.process_time()
            job()
            least[k] = min(least[k], time.process_time() - began)
    return least


def run() -> list[dict[str, Any]]:
    """Rows of the table."""
    with on_threads(1):
        return _rows()


def _row(
    key: str, value: float, unit: str, *, up: bool = False, ratio: float | None = None
) -> dict[str, Any]:
    peer = "stepping with NumPy" if ratio is not None else None
    direction = "up" if up else "down"
    found = {"value": value, "unit": unit, "direction": direction, "peer": peer, "ratio": ratio}
    return {"key": f"faces/{key}", **found}


def _rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    counts, costs = [], []
    for name, size in SIZES.items():
        found, each = loosening(name, acting(dome(*size)))
        rows += found
        counts.append(size[0] * size[1])
        costs.append(each)
    rows += _hitting(acting(dome(*SIZES["11,248 vertices"])))
    slope = float(np.polyfit(np.log(counts), np.log(costs), 1)[0])
    return [*rows, _row("cost grows with vertices to the power", slope, "")]


def loosening(name: str, clip: Clip) -> tuple[list[dict[str, Any]], float]:
    """Rows of one size, and the seconds of a frame."""
    began = time.process_time()
    rig = rig_of(clip.character, 32, None)
    _ = rig.moments, rig.clusters.gram_inverse, rig.clusters.influences
    made = time.process_time() - began
    face = Face(clip, FLESH, WINDOW)
    face.states(clip.times[:2])  # compiled
    stepped, some = Stepped(face), [40, 70, 99]
    whole, slow = seconds(lambda: face.states(clip.times), lambda: [stepped.state(k) for k in some])
    each, peer = whole / clip.frames, slow / len(some)
    scrub, fresh = seconds(
        lambda: face.states([2.8]), lambda: Face(clip, FLESH, WINDOW).states([2.8]), rounds=7
    )
    return [
        _row(f"{name}: whole clip", 1 / each, "frame/s", up=True, ratio=peer / each),
        _row(f"{name}: scrub", 1e3 * scrub, "ms", ratio=peer / scrub),
        _row(f"{name}: scrub, only the rig is kept", 1e3 * fresh, "ms"),
        _row(f"{name}: rig, once per character", made, "s"),
    ], each


def _hit(clip: Clip, targets: list[Target]) -> FaceHitResult:
    return hit(Face(clip, FLESH, WINDOW), targets)


def _hitting(clip: Clip) -> list[dict[str, Any]]:
    cases = {
        "whole face": [Target(2.0)],
        "a region": [Target(2.0, "target 0")],
        "a region, place and velocity": [Target(2.0, "target 0"), Target(2.0, "target 0", 0, rate=True)],
        "five targets": [Target(1.0 + 0.4 * k, f"target {k}") for k in range(5)],
    }
    rows = []
    for what, targets in cases.items():
        (taken,) = seconds(partial(_hit, clip, targets))
        outcomes = _hit(clip, targets).report.outcomes
        rows.append(_row(f"hit, {what}", 1e3 * taken, "ms"))
        rows.append(
            _row(f"hit, {what}: error by size", 1e-4 * max(o.error / o.tolerance for o in outcomes), "")
        )
    return rows
