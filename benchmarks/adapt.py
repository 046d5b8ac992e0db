"""Whole-clip adaptation: a captured walk whose feet stand and whose hand reaches, and the same for others.

The CMU walk (343 frames, 72 degrees of freedom) where it is beside the checkout, else a bundled one. Values
are wall clock; bounds are held against processor time on one thread, so that they mean the same on a busy
machine: "ratio" is how many times within its bound a number is. Peers solve a stretch of 30 frames, one
layer, the same elastic problem, and are compared by processor time and by merit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import poise
from poise import characters, clips, load
from poise import constraints as c
from poise.character import Character
from poise.kinematics import Kinematics
from poise.methods.adapt.adapt import around
from poise.methods.adapt.plants.detect import detect
from poise.methods.adapt.result import AdaptResult
from poise.motion import Clip, operators
from poise.speed.adapting import AdaptWork
from poise.workers import on_threads

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "cmu_cgspeed_bvh"
GLTF = DATA.parent / "khronos_gltf" / "CesiumMan.glb"
CAPTURES = {"walk": "02_01", "run": "143_01", "pick-up": "80_08"}
COLD, LONG, MOVE = 0.5, 5.0, 0.030
"""Bounds [s]: a walk, nine walks on end, one move of a drag of either."""
GROWTH, FASTER, MERIT = 1.2, 50.0, 1.05
"""… how much dearer a frame of nine walks may be, how many times faster than IPOPT, and with what merit."""
RETARGET, STANDS = 20.0, 2e-3
"""Times real time at 60 fps, and plants [m], of a performance given to others."""
RMS, MAX, HAND, FLOOR = 0.25e-3, 1.5e-3, 1e-3, 0.5e-3
"""Bounds [m] of what is held: plants, the hand, the floor."""
SLIDE, SAME, EXACT, GIVES = 0.035, 1.1, 0.2e-3, 20e-3
"""Bounds of slide [m/s], jerk and knees (× the capture's), exact plants and plants that give [m]."""
HELPERS = ("HipJoint", "FingerBase", "Index1", "Thumb")
"""Parts of captured names that are no joints of the performance."""


def walk() -> tuple[Clip, str]:
    """A walk and the hand that reaches."""
    if DATA.exists():
        return capture("walk"), "RightHand"
    print("  adapt: no captures beside the checkout: a bundled walk instead, nothing of runs and pick-ups")
    return operators.unroll(clips.get("walk"), 3), "RightHand"


def capture(name: str) -> Clip:
    return load(DATA / f"{CAPTURES[name]}.bvh", drop_tpose=True)


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

    return detect(clip), pin, frame


def best(job: Callable[[], Any], rounds: int) -> tuple[float, float, Any]:
    """Least wall clock, least processor time on one thread, and what came out."""
    wall, own = [], []
    job()
    for _ in range(rounds):
        began = time.perf_counter()
        job()
        wall.append(time.perf_counter() - began)
        with on_threads(1):
            began = time.process_time()
            result = job()
            own.append(time.process_time() - began)
    return min(wall), min(own), result


def misses(result: AdaptResult) -> dict[str, float]:
    """How far plants (rms, max), the hand and the floor are off over all frames of the result [m]."""
    asked, clip = result.setup.requirements, result.clip
    plants, hand = [np.zeros(0)], 0.0
    for constraint, block in zip(asked.constraints(result.places), asked.blocks):
        kin = Kinematics(clip.character, clip.at(block.times))
        off = np.linalg.norm(constraint.violation(constraint.error(kin, block.times)), axis=1)
        if constraint.name == "hand":
            hand = float(off.max())
        else:
            plants.append(off)
    every = np.concatenate(plants)
    kin, depth = Kinematics(clip.character, clip.q), 0.0
    for block in asked.floor:
        below = block.constraint.violation(block.constraint.error(kin, block.times))
        depth = max(depth, float(np.abs(below).max()))
    return {"rms": float(np.sqrt(np.mean(every**2))), "max": float(every.max()), "hand": hand, "floor": depth}


def cold(clip: Clip, hand: str, rounds: int, bound: float) -> tuple[list[dict[str, Any]], float]:
    """Rows of whole calls, by default and exact, and the processor time of a frame."""
    plants, pin, _ = asked(clip, hand)
    rows, frame = [], 0.0
    for exact in (False, True) if bound == COLD else (False,):
        took, own, result = best(
            lambda exact=exact: poise.adapt(
                clip, [*plants, pin()], exact=exact, floor=True, joints=joints(clip), plants=False
            ),
            rounds,
        )
        frame = frame or own / clip.frames
        off = misses(result)
        key = f"adapt/{clip.frames} frames, cold, {'exact' if exact else 'usual'}"
        rows.append(
            _row(key, 1e3 * took, "ms", f"CPU {1e3 * own:.0f} ms; bound {1e3 * bound:g}", bound / own)
        )
        for what, most in {"rms": RMS, "max": MAX, "hand": HAND, "floor": FLOOR}.items():
            name = f"plants, {what}" if what in ("rms", "max") else what
            least = max(off[what], 1e-3 * most)
            rows.append(_row(f"{key}: {name}", 1e3 * off[what], "mm", f"bound {1e3 * most:g}", most / least))
    return rows, frame


def drag(clip: Clip, hand: str) -> list[dict[str, Any]]:
    """One move of the pointer on a clip of any length."""
    plants, pin, frame = asked(clip, hand)
    at, spots, taken = float(clip.times[frame]), [], []
    with on_threads(1):
        result = poise.adapt(
            clip, [*plants, pin()], floor=True, joints=joints(clip), iterations=1, plants=False
        )
        window = around(clip, [at])
        for k in range(1, 21):
            wanted = pin(0.01 * k)
            began = time.process_time()
            result = result.drag([*plants, wanted], window)
            shown = result.poses(frame, frame + 1)
            taken.append(time.process_time() - began)
            place = Kinematics(clip.character, shown).point(hand)[0]
            spots.append(float(np.linalg.norm(place - wanted.target.at(np.array([at]))[0])))
    key, usual, off = f"adapt/{clip.frames} frames, one move of a drag", min(taken), max(spots[2:])
    note = f"CPU, half of them within {1e3 * float(np.median(taken)):.1f}; bound {1e3 * MOVE:g}"
    return [
        _row(key, 1e3 * usual, "ms", note, MOVE / usual),
        _row(f"{key}: hand, from the third on", 1e3 * off, "mm", f"bound {1e3 * HAND:g}", HAND / off),
    ]


def out_of_reach(clip: Clip, hand: str, usual: float) -> list[dict[str, Any]]:
    """A hand that cannot be where it should, beside what the ordinary reach takes (``usual`` [s] of CPU)."""
    rows = []
    for where, by in {"": (0.0, 0.0, 3.0), ", ahead": (3.0, 0.0, 0.0), ", below": (0.0, 0.0, -3.0)}.items():
        plants, pin, _ = asked(clip, hand, by)
        took, own, result = best(
            lambda plants=plants, pin=pin: poise.adapt(
                clip, [*plants, pin()], floor=True, joints=joints(clip), plants=False
            ),
            2,
        )
        off = misses(result)["max"]
        key, said = f"adapt/hand 3 m out of reach{where}", result.report.message.split(";")[0]
        note = f"CPU {1e3 * own:.0f} ms, {own / usual:.2f} × the ordinary; bound {1e3 * COLD:g}; “{said}”"
        rows += [
            _row(key, 1e3 * took, "ms", note, COLD / own),
            _row(f"{key}: plants give", 1e3 * off, "mm", f"bound {1e3 * GIVES:g}", GIVES / off),
        ]
    return rows


def manners() -> list[dict[str, Any]]:
    """What standing feet cost captures: slide, and jerk and knees beside the capture's own."""
    rows = []
    for name in CAPTURES if DATA.exists() else ():
        clip = capture(name)
        plants = detect(clip)
        usual, exact = (poise.adapt(clip, plants, floor=True, exact=e, plants=False) for e in (False, True))
        told = usual.report.details["manner"]
        was, slide = told["slide"]
        key = f"adapt/{name}: "
        rows.append(
            _row(key + "slide", 100 * slide, "cm/s", f"capture {100 * was:.1f}; bound 3.5", SLIDE / slide)
        )
        for part in ("jerk", "knees"):
            times = told[part][1] / told[part][0]
            rows.append(_row(key + part, times, "×", f"bound {SAME}", SAME / times))
        off, cost = misses(exact)["max"], exact.report.details["manner"]
        note = ", ".join(f"{part} × {cost[part][1] / cost[part][0]:.2f}" for part in ("jerk", "knees"))
        rows.append(_row(key + "exact plants", 1e3 * off, "mm", f"{note}; bound 0.2", EXACT / off))
    return rows


def against_peers(clip: Clip, hand: str) -> list[dict[str, Any]]:
    try:
        from benchmarks.adapt_peers import ipopt, scipy_trust_constr
    except ImportError as missing:
        print(f"  adapt: beside no peer, {missing}")
        return []
    short = operators.trim(clip, 0.5, 0.5 + 29 / clip.fps)
    plants, pin, _ = asked(short, hand, (0.1, 0.0, 0.05))
    work = AdaptWork(short, [*plants, pin()], tuple(joints(short)))
    stage, system = work.stage, work.system
    took, own_time, _ = best(work.solve, 5)
    whole, whole_time, both = best(
        lambda: poise.adapt(short, [*plants, pin()], floor=True, joints=joints(short), plants=False), 5
    )
    own = work.merit(work.found.coefficients)
    theirs, seconds = ipopt(system, stage, work.price)
    others, seconds_scipy = scipy_trust_constr(system, stage, work.price, 15)
    key = f"adapt/{short.frames} frames, {stage.space.count} unknowns, {system.table.count} rows"
    part, part_scipy = own / work.merit(theirs), own / work.merit(others)
    off = misses(both)
    held = f"plants {1e3 * off['rms']:.2f} mm rms, hand {1e3 * off['hand']:.3f}"
    return [
        _row(
            key, 1e3 * took, "ms", f"CasADi + IPOPT, {seconds:.1f} s; bound {FASTER:g} ×", seconds / own_time
        ),
        _row(f"{key}: merit", part, "×", f"CasADi + IPOPT's; bound {MERIT}", MERIT / part),
        _row(
            f"{key}, and the finer layer", 1e3 * whole, "ms", f"the same IPOPT; {held}", seconds / whole_time
        ),
        _row(
            f"{key}, SciPy",
            1e3 * took,
            "ms",
            f"SciPy trust-constr after 15 steps, {seconds_scipy:.1f} s; merit {part_scipy:.3f} × its",
            seconds_scipy / own_time,
        ),
    ]


def other_characters(clip: Clip) -> list[dict[str, Any]]:
    """A performance given to others: how fast, and whether their feet stand."""
    rows = []
    for name, other in others(clip).items():
        took, own, result = best(lambda other=other: poise.retarget(clip, other), 2)
        quick = min(took, own)
        times, off = clip.frames / 60 / quick, float(_stand(result).max())
        key = f"adapt/retarget to {name}"
        note = f"{times:.0f} × real time at 60 fps, bound {RETARGET:g}; CPU on one thread {1e3 * own:.0f} ms"
        rows += [
            _row(key, 1e3 * quick, "ms", note, times / RETARGET),
            _row(f"{key}: plants", 1e3 * off, "mm", f"bound {1e3 * STANDS:g}", STANDS / off),
        ]
    return rows


def others(clip: Clip) -> dict[str, Character]:
    """Who the performance is given to; glTF characters only where there are any."""
    own = clip.character
    found = {
        "the humanoid": characters.humanoid(),
        "itself at 0.7": resized(own, 0.7, ""),
        "itself with long arms": resized(own, 1.4, "ForeArm", "Hand"),
    }
    if GLTF.exists():
        found["CesiumMan"] = load(GLTF).character
    else:
        print(f"  adapt: {GLTF.name} is not beside the checkout: skipped")
    return found


def resized(character: Character, factor: float, *parts: str) -> Character:
    """Bones whose names hold one of the parts, longer or shorter."""
    bodies = []
    for body in character.bodies:
        f = factor if any(part in body.name for part in parts) else 1.0
        points = {name: f * np.asarray(p) for name, p in body.points.items()}
        bodies.append(body.replaced(offset=f * np.asarray(body.offset), points=points))
    return character.with_bodies(bodies)


def _stand(result: Any) -> np.ndarray:
    """How far each plant is off [m]."""
    return np.array([o.error for o in result.report.outcomes if o.name.startswith("plant")])


def _row(key: str, value: float, unit: str, peer: str, ratio: float | None = None) -> dict[str, Any]:
    return {"key": key, "value": value, "unit": unit, "direction": "lower", "peer": peer, "ratio": ratio}


def run() -> list[dict[str, Any]]:
    clip, hand = walk()
    nine = repeated(clip, 9)
    rows, frame = cold(clip, hand, 5, COLD)
    more, later = cold(nine, hand, 1, LONG)
    growth = later / frame
    rows += [*more, _row("adapt/a frame of nine walks", growth, "×", f"bound {GROWTH}", GROWTH / growth)]
    for each in (clip, nine, repeated(clip, 29)):
        rows += drag(each, hand)
    return [
        *rows,
        *out_of_reach(clip, hand, frame * clip.frames),
        *manners(),
        *other_characters(clip),
        *against_peers(clip, hand),
    ]
