"""Whole-clip adaptation: a captured walk whose feet stand and whose hand reaches, and the same for others.

The CMU walk (343 frames, 72 degrees of freedom) where it is beside the checkout, else a bundled one. Peers
solve a stretch of 30 frames, one layer, the same elastic problem; merits are compared, not only times.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from poise import clips, load
from poise import constraints as c
from poise.kinematics import Kinematics
from poise.methods import adaptation
from poise.methods.adaptation.descent import Effort
from poise.motion import Clip, operators

HELPERS = ("HipJoint", "FingerBase", "Index1", "Thumb")
"""Parts of captured names that are no joints of the performance."""


def walk() -> tuple[Clip, str]:
    """A walk and the hand that reaches."""
    path = Path(__file__).resolve().parents[2] / "shared" / "data" / "cmu_cgspeed_bvh" / "02_01.bvh"
    if path.exists():
        return load(path, drop_tpose=True), "RightHand"
    return operators.unroll(clips.get("walk"), 3), "RightHand"


def joints(clip: Clip) -> list[str]:
    return [n for n in clip.character.names if not any(h in n for h in HELPERS)]


def repeated(clip: Clip, times: int) -> Clip:
    """The walk walked several times on."""
    way = np.array(clip.q[-1, :3] - clip.q[0, :3]) * [1, 1, 0]
    parts = [np.array(clip.q) for _ in range(times)]
    for k, part in enumerate(parts):
        part[:, :3] += k * way
    return Clip(clip.character, np.concatenate(parts), clip.rate, name=f"{times} walks")


def asked(clip: Clip, hand: str, by: tuple[float, float, float] = (0.35, 0.0, 0.15)) -> tuple[Any, Any, int]:
    """Plants, a function that makes the pin of the hand, and its frame."""
    frame = clip.frames // 2
    place = Kinematics(clip.character, clip.q[frame : frame + 1]).point(hand)[0] + by

    def pin(moved: float = 0.0) -> c.Constraint:
        return c.pin(hand, place + [0.0, 0.0, moved], float(clip.times[frame]), name="hand")

    return adaptation.detect(clip), pin, frame


def best(job: Any, rounds: int) -> tuple[float, Any]:
    job()
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        result = job()
        taken.append(time.perf_counter() - began)
    return min(taken), result


def cold_and_drag(clip: Clip, hand: str, rounds: int) -> list[dict[str, Any]]:
    plants, pin, frame = asked(clip, hand)
    options: dict[str, Any] = {"floor": True, "joints": joints(clip)}
    rows = []
    for exact in (False, True):
        took, result = best(
            lambda exact=exact: adaptation.adapt(clip, [*plants, pin()], exact=exact, **options), rounds
        )
        off = {o.name: o.error for o in result.report.outcomes}
        feet = max(e for name, e in off.items() if name != "hand")
        note = f"plants ≤ {1e3 * feet:.2f} mm, hand {1e3 * off['hand']:.3f} mm"
        kind = "exact" if exact else "usual"
        rows.append(_row(f"adaptation/{clip.frames} frames, cold, {kind}", 1e3 * took, "ms", note))
    at, spots = float(clip.times[frame]), []
    window = adaptation.around(clip, [at])
    taken = []
    for k in range(1, 13):
        wanted = pin(0.01 * k)
        began = time.perf_counter()
        result = adaptation.drag(result, [*plants, wanted], window)
        shown = result.poses(frame, frame + 1)
        taken.append(time.perf_counter() - began)
        place = Kinematics(clip.character, shown).point(hand)[0]
        spots.append(np.linalg.norm(place - wanted.target.at(np.array([at]))[0]))
    note = f"hand within {1e3 * max(spots[2:]):.2f} mm from the third move on"
    rows.append(
        _row(f"adaptation/{clip.frames} frames, one move of a drag", 1e3 * min(taken[1:]), "ms", note)
    )
    return rows


def out_of_reach(clip: Clip, hand: str) -> dict[str, Any]:
    plants, pin, _ = asked(clip, hand, (0.0, 0.0, 3.0))
    took, result = best(lambda: adaptation.adapt(clip, [*plants, pin()], floor=True, joints=joints(clip)), 3)
    feet = max(o.error for o in result.report.outcomes if o.name != "hand")
    note = f"plants give {1e3 * feet:.1f} mm; {result.report.message.split(';')[0]}"
    return _row("adaptation/hand 3 m out of reach", 1e3 * took, "ms", note)


def against_peers(clip: Clip, hand: str) -> list[dict[str, Any]]:
    from benchmarks.adaptation_peers import ipopt, scipy_trust_constr

    short = operators.trim(clip, 0.5, 0.5 + 29 / clip.fps)
    plants, pin, _ = asked(short, hand, (0.1, 0.0, 0.05))
    one = adaptation.Layer(0.1, joints=joints(short))
    options: dict[str, Any] = {"floor": True, "layers": [one]}
    setup = adaptation.adapt(short, [*plants, pin()], steps=1, **options).setup
    problem = setup.problem
    stage = problem.stages[0]
    zero, places = [stage.zero()], problem.free.estimate
    effort = Effort(steps=30, gain=1e-4)
    took, (found, system) = best(lambda: problem.solve(0, zero, places, effort=effort), 5)
    n = stage.space.count
    dense = np.zeros((n, n))
    for k in range(stage.band.shape[1]):
        at = np.arange(n - k)
        dense[at + k, at] = dense[at, at + k] = stage.band[: n - k, k]

    def merit(coefficients: np.ndarray) -> float:
        x = np.zeros(n)
        x[stage.space.slot] = coefficients.T
        return 0.5 * float(x @ dense @ x) + system.table.loss(system.evaluate(coefficients, jacobian=False))

    own = merit(found.coefficients)
    theirs, seconds = ipopt(system, stage, dense)
    others, seconds_scipy = scipy_trust_constr(system, stage, dense, 15)
    size = f"{n} unknowns, {system.table.count} rows"
    key = f"adaptation/{short.frames} frames, {size}"
    return [
        _row(key, 1e3 * took, "ms", f"CasADi + IPOPT; merit {own / merit(theirs):.3f} × its", seconds / took),
        _row(
            f"{key}, SciPy",
            1e3 * took,
            "ms",
            f"SciPy trust-constr, 15 steps; merit {own / merit(others):.3f} × its",
            seconds_scipy / took,
        ),
    ]


def other_characters(clip: Clip) -> list[dict[str, Any]]:
    """A performance given to the humanoid, and what standing feet cost."""
    from poise import characters

    took, result = best(lambda: adaptation.retarget(clip, characters.humanoid()), 5)
    plants = adaptation.detect(clip)
    held = adaptation.adapt(clip, plants, floor=True)
    manner = held.report.details["manner"]
    real_time = clip.frames / 60 / took
    off = max(o.error for o in result.report.outcomes if o.name.startswith("plant"))
    slide, knees = manner["slide"], manner["knees"][1] / max(manner["knees"][0], 1e-12)
    return [
        _row(
            "adapt.retarget", 1e3 * took, "ms", f"{real_time:.0f} × real time; plants off {1e3 * off:.2f} mm"
        ),
        _row("adapt.slide", 100 * slide[1], "cm/s", f"clip {100 * slide[0]:.1f}; knees × {knees:.2f}"),
    ]


def _row(key: str, value: float, unit: str, peer: str, ratio: float | None = None) -> dict[str, Any]:
    return {"key": key, "value": value, "unit": unit, "direction": "lower", "peer": peer, "ratio": ratio}


def run() -> list[dict[str, Any]]:
    clip, hand = walk()
    long = repeated(clip, 9)
    return [
        *cold_and_drag(clip, hand, 7),
        *cold_and_drag(long, hand, 2),
        out_of_reach(clip, hand),
        *other_characters(clip),
        *against_peers(clip, hand),
    ]
