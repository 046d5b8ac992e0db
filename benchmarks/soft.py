"""Soft things: a hat of 238 elements and 2,500 vertices on the head, against full dynamics of its nodes.

The peer is full corotational dynamics (``FullSimulation``, the same elements, steps of 1/120 s): what it
takes to have a frame by simulating a window of it. Errors are of the small models against the same full
dynamics in steps of 1/480 s, over a head that turns by 70 degrees within 0.35 s, nods and leans, for a hat
of two stiffnesses, and over bundled clips (``soft_models``). Times are of one core.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from benchmarks import soft_models
from poise import clips
from poise.arrays import Array
from poise.character.presets import humanoid
from poise.constraints import constrain
from poise.dynamics.elastic.full import FullSimulation
from poise.methods.kinodynamics import Attachment, Sway, attach, hit_attached, sway, sway_of, sway_state
from poise.methods.kinodynamics.attachments import ON_HEAD, hat
from poise.methods.kinodynamics.attachments.sway_window import choose
from poise.motion import Clip
from poise.workers import on_threads

WINDOW, FINE = 1.5, 4
FIRM, SOFT = (2.2e4, 0.6), (8e3, 1.0)
"""Young's modulus [Pa] and how far the head turns, as a part of 70 degrees."""


def best(job: Callable[[], Any], rounds: int = 7) -> float:
    """Least processor time [s]."""
    job()
    times = []
    for _ in range(rounds):
        began = time.process_time()
        job()
        times.append(time.process_time() - began)
    return min(times)


def acting(size: float, seconds: float = 2.4, rate: int = 480) -> Clip:
    """A head that turns, nods and leans."""
    character = humanoid()
    t = np.arange(round(seconds * rate) + 1) / rate

    def step(x: Array) -> Array:
        x = np.clip(x, 0.0, 1.0)
        return x**3 * (10 - 15 * x + 6 * x * x)

    v = np.zeros((len(t), character.nv))
    v[:, character.dofs("Head")] = size * np.stack(
        [
            0.2 * np.sin(8.2 * t) * step(t / 0.4),
            0.35 * (step((t - 1.1) / 0.3) - step((t - 1.6) / 0.3)),
            np.radians(70) * step((t - 0.4) / 0.35),
        ],
        axis=1,
    )
    q = np.tile(character.rest_pose(), (len(t), 1))
    return Clip(character, character.manifold.plus(q, v), rate, name="acting")


@cache
def worn(young: float) -> Attachment:
    return attach(humanoid(), hat(), "Head", offset=ON_HEAD, young=young)


def truth(young: float, size: float) -> tuple[Clip, Array]:
    """The motion, and all vertices in the head's frame by full dynamics, every 1/120 s, (F, N, 3)."""
    clip, body = acting(size), worn(young)
    motion = Sway(clip, body, step=1 / 480)
    drive, _ = motion.drive(motion.grid_times(0, clip.frames - 1))
    model = body.model
    nodes = FullSimulation(model.body, model.damping, model.rest, motion.h).run(drive, FINE)
    cell, weights = model.body.lattice.embed(body.surface.points)
    at = model.body.lattice.element_nodes[cell]
    return clip, np.array([np.einsum("pa,pai->pi", weights, u[at]) for u in nodes]) + body.surface.points


def errors(young: float, size: float) -> dict[str, float]:
    """Largest motion and errors of both small models, as parts of the diameter."""
    clip, exact = truth(young, size)
    body = worn(young)
    sampled = Clip(clip.character, clip.q[::FINE], 120)
    out = {"motion": float(np.linalg.norm(exact - exact[0], axis=2).max() / body.diameter)}
    for name, large in (("quick", False), ("large", True)):
        motion = sway_of(sampled, body, large=large)
        # A window longer than the clip is full dynamics.
        found = motion.local(motion.states(sampled.times, 3.0), motion.vertices)
        off = np.linalg.norm(found - exact, axis=2)
        out[name], out[f"{name} mean"] = float(off.max() / body.diameter), float(off.mean() / body.diameter)
    return out


def run() -> list[dict[str, Any]]:
    with on_threads(1):
        return [*speeds(), *accuracy()]


def row(key: str, value: float, unit: str, **more: Any) -> dict[str, Any]:
    return {
        "key": f"soft.{key}",
        "value": value,
        "unit": unit,
        "direction": "less",
        "peer": None,
        "ratio": None,
    } | more


def speeds() -> list[dict[str, Any]]:
    punch, body = clips.get("punch"), worn(2.0e4)
    long = Clip(punch.character, np.concatenate([punch.q] * 7)[:700], punch.rate)
    scrub = best(lambda: sway_state(punch, body, 0.9, WINDOW))
    clip = best(lambda: Sway(long, body).world(long.times, WINDOW))
    windows = best(lambda: choose(Sway(long, body)), 3)
    scrub_large = best(lambda: sway_state(punch, body, 0.9, WINDOW, large=True), 3)
    clip_large = best(lambda: sway_of(long, body, large=True).world(long.times, WINDOW), 2)
    motion = Sway(punch, body)
    drive, _ = motion.drive(motion.grid_times(0, 60))
    began = time.process_time()
    model = body.model
    FullSimulation(model.body, model.damping, model.rest, motion.h).run(drive)
    per_window = (time.process_time() - began) / len(drive.spin) * WINDOW / motion.h
    frame = 51
    tip = int(np.argmin(np.linalg.norm(body.surface.points - body.point().place, axis=1)))
    target = sway(punch, body, WINDOW).vertices[frame, tip] + [0.05, 0.08, -0.03]
    ask = [constrain(body.point(), target, frame * punch.dt, name="tip")]
    result = hit_attached(punch, ask, [body], WINDOW)
    seconds = best(lambda: hit_attached(punch, ask, [body], WINDOW), 3)
    peer = "full corotational dynamics, the same window"
    return [
        row("scrub", 1e3 * scrub, "ms", peer=peer, ratio=per_window / scrub),
        row("clip of 700 frames", clip, "s", peer=peer, ratio=700 * per_window / clip),
        row("windows of 700 frames", windows, "s"),
        row("scrub, large", 1e3 * scrub_large, "ms", peer=peer, ratio=per_window / scrub_large),
        row("clip of 700 frames, large", clip_large, "s", peer=peer, ratio=700 * per_window / clip_large),
        row("hit, seconds", seconds, "s"),
        row("hit, iterations", result.report.iterations, ""),
        row("hit, error", 100 * result.report.outcomes[0].error, "cm"),
    ]


def accuracy() -> list[dict[str, Any]]:
    out = []
    for name, (young, size) in (("firm", FIRM), ("soft", SOFT)):
        found = errors(young, size)
        for key, value in found.items():
            out.append(row(f"{name} hat, {key}", 100 * value, "% of d"))
    for case in soft_models.CASES[:4]:
        body = soft_models.worn(case, 220)
        found = soft_models.errors(case, soft_models.truth(case, body), body)
        for key, value in found.items():
            out.append(row(f"{case}, {key}", 100 * value, "% of d"))
    return out
