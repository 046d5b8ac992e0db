"""Soft things: a hat of 238 elements and 2,500 vertices on the head, against full dynamics of its nodes.

The peer of times is full corotational dynamics (``FullSimulation``, the same elements, steps of 1/120 s):
what it takes to have a frame by simulating a window of it. Errors are of the small models against full
dynamics in steps of 1/480 s: of the same elements, while a head turns by 42 degrees within 0.35 s and for a
hat so soft that it moves by far more than the quick model is made for, and of a finer lattice, while landing
in a run (``soft_models`` has more cases and a thousand elements). Times are of one core.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from benchmarks import soft_models
from poise import clips
from poise.character.presets import humanoid
from poise.constraints import constrain
from poise.dynamics.elastic.full import FullSimulation
from poise.methods.loosen.wear.attachment import Attachment, attach
from poise.methods.loosen.wear.hat import ON_HEAD, hat
from poise.methods.loosen.wear.hit import hit_attached
from poise.methods.loosen.wear.sway import Sway, sway, sway_of, sway_state
from poise.methods.loosen.wear.window import choose
from poise.methods.loosen.wear.worn import QUICK_REACH
from poise.motion import Clip
from poise.operations.wear import Wear
from poise.workers import on_threads

WINDOW = 1.5
ERROR = 0.3
"""Largest error of the quick model for motions it is made for [% of d]."""
BOTH = ("quick", "large")
FINER = 350
"""Elements of the finer lattice."""


def best(job: Callable[[], Any], rounds: int = 7) -> float:
    """Least processor time [s]."""
    job()
    times = []
    for _ in range(rounds):
        began = time.process_time()
        job()
        times.append(time.process_time() - began)
    return min(times)


@cache
def worn(young: float) -> Attachment:
    return attach(humanoid(), hat(), Wear(offset=ON_HEAD, young=young))


def run() -> list[dict[str, Any]]:
    with on_threads(1):
        return [*speeds(), *accuracy()]


def row(key: str, value: float, unit: str, *, bound: float | None = None, **more: Any) -> dict[str, Any]:
    """A row; where there is a bound it is the peer, and the ratio how many times within it the value is."""
    found = {"key": f"soft.{key}", "value": value, "unit": unit, "direction": "less"}
    found |= {"peer": None, "ratio": None}
    if bound is not None:
        found |= {"peer": f"bound {bound:g}", "ratio": bound / max(value, 1e-9)}
    return found | more


def speeds() -> list[dict[str, Any]]:
    began = time.process_time()
    punch, body = clips.get("punch"), worn(2.0e4)
    made = time.process_time() - began
    long = Clip(punch.character, np.concatenate([punch.q] * 7)[:700], punch.rate)
    scrub = best(lambda: sway_state(punch, body, 0.9, WINDOW))
    clip = best(lambda: Sway(long, body).world(long.times, WINDOW))
    windows = best(lambda: choose(Sway(long, body)), 3)
    scrub_large = best(lambda: sway_state(punch, body, 0.9, WINDOW, large=True), 3)
    clip_large = best(lambda: sway_of(long, body, large=True).world(long.times, WINDOW), 2)
    motion = Sway(punch, body)
    drive, _ = motion.drive(motion.grid_times(40, 52))
    began = time.process_time()
    model = body.model
    FullSimulation(model.body, model.damping, model.rest, motion.h).run(drive)
    per_window = (time.process_time() - began) / len(drive.spin) * WINDOW / motion.h
    frame = 51
    tip = int(np.argmin(np.linalg.norm(body.surface.points - body.point().place, axis=1)))
    target = sway(punch, body, WINDOW).vertices[frame, tip] + [0.05, 0.08, -0.03]
    ask = [constrain(body.point(), target, frame * punch.dt, name="tip")]
    result = hit_attached(punch, ask, [body], Wear(window=WINDOW))
    seconds = best(lambda: hit_attached(punch, ask, [body], Wear(window=WINDOW)), 3)
    peer = "full corotational dynamics, the same window"
    return [
        row("elements", len(body.body.lattice.cells), "", direction="up", peer="bound 100 or more"),
        row("vertices", len(body.surface.points), "", direction="up", peer="bound 2000 or more"),
        row("made, once", made, "s"),
        row("scrub", 1e3 * scrub, "ms", peer=f"{peer}; bound 5", ratio=per_window / scrub),
        row("clip of 700 frames", clip, "s", peer=f"{peer}; bound 0.1", ratio=700 * per_window / clip),
        row("windows of 700 frames", windows, "s"),
        row("scrub, large", 1e3 * scrub_large, "ms", peer=peer, ratio=per_window / scrub_large),
        row("clip of 700 frames, large", clip_large, "s", peer=peer, ratio=700 * per_window / clip_large),
        row("hit, seconds", seconds, "s"),
        row("hit, iterations", result.report.iterations, "", bound=3),
        row("hit, error", 100 * result.report.outcomes[0].error, "cm", bound=1e-3),
    ]


def accuracy() -> list[dict[str, Any]]:
    """Errors and motions as parts of the diameter."""
    turn, run, *_, soft = soft_models.CASES
    out = []
    for case, models in ((replace(turn, seconds=0.5), ("quick",)), (replace(soft, seconds=0.2), BOTH)):
        body = soft_models.worn(case)
        out += _errors(f"{case}", soft_models.errors(case, soft_models.truth(case, body), body, models))
    case = replace(run, seconds=0.3)
    body = soft_models.worn(case)
    fine = soft_models.truth(case, body, soft_models.finer(body, case.thing, FINER))
    return out + _errors(f"{case}, finer elements", soft_models.errors(case, fine, body, ("quick",)))


def _errors(name: str, found: dict[str, float]) -> list[dict[str, Any]]:
    """Rows; the quick model has its bound where it is made for the motion."""
    made_for = found["motion"] <= QUICK_REACH
    bounds = {"motion": 100 * QUICK_REACH, "quick": ERROR} if made_for else {}
    return [row(f"{name}: {k}", 100 * v, "% of d", bound=bounds.get(k)) for k, v in found.items()]
