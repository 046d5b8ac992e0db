"""How well ``check`` judges real captures, and faults put into them: ``python -m benchmarks.plausibility
[PART …]``.

Parts: ``wild`` (captures as they are), ``levitation`` (good clips lifted by half a metre), ``faults``. Clips
are those of ``shared/data/cmu_wild`` beside the checkout, or of the folder ``$CLIPS``. Limits were set on
every other clip, the first, third …; figures are told for both halves.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from poise.arrays import Array
from poise.character.labels import roles
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.motion import Clip
from poise.operations.check import Check
from poise.plausibility.finding import Finding
from poise.plausibility.judge import judge
from poise.plausibility.report import PlausibilityReport

CLIPS = Path(os.environ.get("CLIPS", Path(__file__).resolve().parents[2] / "shared" / "data" / "cmu_wild"))
WRONG_RATE = ("75_12", "75_13", "87_04", "87_05", "88_05", "141_01", "143_04")
JUMPS = ("75_12", "75_13", "87_04")
"""Of these, those that are good clips at their right rate."""
TORN = ("111_06", "111_12", "111_21", "64_01", "90_21")
"""Knees that jump by 30 cm, feet 13 to 31 cm below the floor: recordings that are wrong."""
LIFT, LASTS, BLEND = 0.5, 1.2, 0.4
"""Of the levitation [m, s, s]."""


@dataclass(frozen=True)
class Fault:
    """A clip with a fault put in."""

    clip: Clip
    start: float
    end: float
    """Where it is [s]."""
    kinds: tuple[str, ...]
    """What it may rightly be called."""
    where: tuple[str, ...] = ()
    """Whom it may be about; empty: anybody."""


def names() -> list[str]:
    """All captures."""
    return sorted(p.stem for p in CLIPS.glob("*.bvh"))


def load(name: str) -> Clip:
    """A capture at the rate at which it was recorded."""
    clip = poise.load(CLIPS / f"{name}.bvh", drop_tpose="auto")
    return clip.replaced(rate=clip.rate / 2) if name in WRONG_RATE else clip


def ease(x: Array) -> Array:
    """0 … 1 with no slope at the ends."""
    s = np.clip(x, 0.0, 1.0)
    return np.asarray(s * s * (3 - 2 * s))


def window(clip: Clip, start: float, end: float, blend: float = 0.15) -> Array:
    """1 from start to end [s], eased on either side (F,)."""
    t = np.asarray(clip.times)
    return ease((t - start + blend) / blend) * ease((end + blend - t) / blend)


def levitated(clip: Clip) -> tuple[Clip, float]:
    """A clip lifted for a while from 45 % of its time on, and when that is [s]."""
    start = 0.45 * clip.duration
    q = np.array(clip.q)
    q[:, 2] += LIFT * window(clip, start, min(start + LASTS, clip.duration - 0.6), BLEND)
    return clip.with_q(q), start


def raised(clip: Clip, by: float, report: PlausibilityReport, rng: np.random.Generator) -> Fault:
    """Lifted or sunk for 0.8 s, while feet carry."""
    footing = report.physics.footing
    feet = np.concatenate([footing.patches.of_part(p) for p in footing.feet])
    load = footing.load[:, feet].sum(axis=1)
    for _ in range(20):
        start = float(rng.uniform(0.3, 0.6)) * clip.duration
        end = min(start + 0.8, clip.duration - 0.2)
        if np.mean(load[int(start * clip.fps) : int(end * clip.fps)] > 0.5) > 0.7:
            break
    q = np.array(clip.q)
    q[:, 2] += by * window(clip, start, end)
    return Fault(clip.with_q(q), start, end, ("hover", "support") if by > 0 else ("penetration",))


def skated(clip: Clip, way: float, report: PlausibilityReport, rng: np.random.Generator) -> Fault | None:
    """Everything slides while a foot stands."""
    stands = [
        c for c in report.contacts
        if c.part.endswith("foot") and c.load > 0.35 and c.manner != "slides"
        and (c.end - c.start) * clip.dt > 0.35
    ]  # fmt: skip
    if not stands:
        return None
    c = stands[int(rng.integers(len(stands)))]
    a = c.start + 0.25 * (c.end - c.start)
    b = min(c.start + 0.75 * (c.end - c.start), a + 0.4 / clip.dt)
    turn = float(rng.uniform(0, 2 * np.pi))
    q = np.array(clip.q)
    q[:, :2] += (
        way * ease((np.arange(clip.frames) - a) / max(b - a, 1))[:, None] * [np.cos(turn), np.sin(turn)]
    )
    down = tuple(d.part for d in report.contacts if d.start <= b and d.end >= a)
    return Fault(clip.with_q(q), a * clip.dt, b * clip.dt, ("skate",), down)


def flown(clip: Clip, speed: float, report: PlausibilityReport) -> Iterator[Fault]:
    """Every flight that lasts, faster or slower by itself."""
    for phase in report.flights:
        if phase.seconds < 0.2 or phase.parabola is None or abs(phase.parabola.gravity - 9.81) > 2.5:
            continue
        a, b = phase.start, phase.end
        inner = np.arange(a, b, speed)
        frames = np.concatenate([np.arange(a), inner, np.arange(b, clip.frames)])
        wrong = clip.with_frames(clip.at(frames / clip.fps), None)
        yield Fault(wrong, a * clip.dt, (a + len(inner)) * clip.dt, ("gravity", "rate"))


def popped(clip: Clip, joint: str, rng: np.random.Generator) -> Fault:
    """One frame in which the root is 3 cm off, or a joint turned by 20°."""
    f = int(float(rng.uniform(0.3, 0.6)) * clip.frames)
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    q = np.array(clip.q)
    where: tuple[str, ...] = ("",)
    if not joint:
        q[f, :3] += 0.03 * way
    else:
        body = roles(clip.character)[joint]
        span = clip.character.coordinates(body)
        q[f, span] = so3.multiply(q[f, span], so3.exp(np.radians(20.0) * way))
        where = (clip.character.names[body],)
    return Fault(clip.with_q(q), (f - 2) * clip.dt, (f + 2) * clip.dt, ("pop",), where)


def bent(clip: Clip, rng: np.random.Generator) -> Fault | None:
    """An elbow 60° backwards for 0.4 s."""
    side = str(rng.choice(["left", "right"]))
    character, own = clip.character, roles(clip.character)
    upper, lower, hand = (own[f"{side} {p}"] for p in ("upper_arm", "forearm", "hand"))
    kin = Kinematics(character, clip.q)
    x = np.asarray(kin.positions)
    a, b = x[:, lower] - x[:, upper], x[:, hand] - x[:, lower]
    cross = np.cross(a, b)
    angle = np.arctan2(np.linalg.norm(cross, axis=1), (a * b).sum(axis=1))
    axis = np.einsum("fji,fj->fi", kin.rotations[:, lower], cross)
    axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-9)
    usual = np.median(axis[angle > max(np.median(angle), np.radians(15))], axis=0)
    usual /= np.linalg.norm(usual)
    start = float(rng.uniform(0.3, 0.6)) * clip.duration
    w = window(clip, start, start + 0.4)
    span, q = character.coordinates(lower), np.array(clip.q)
    # From as bent as it is to 60° the other way.
    q[:, span] = so3.multiply(
        q[:, span], so3.exp(-(w * (angle * (axis @ usual) + np.radians(60.0)))[:, None] * usual)
    )
    return Fault(clip.with_q(q), start, start + 0.4, ("bend",), (f"{side} elbow",))


def pierced(clip: Clip, rng: np.random.Generator) -> Fault:
    """A hand inside the chest for 0.4 s."""
    from scipy.optimize import minimize

    side = str(rng.choice(["left", "right"]))
    character, own = clip.character, roles(clip.character)
    upper, lower, hand, chest = (
        own[r] for r in (f"{side} upper_arm", f"{side} forearm", f"{side} hand", "spine")
    )
    start = float(rng.uniform(0.3, 0.6)) * clip.duration
    base = clip.at(start + 0.2)
    spans = [character.coordinates(i) for i in (upper, lower)]

    def posed(v: Array) -> Array:
        q = np.array(base)
        for span, turn in zip(spans, (v[:3], v[3:])):
            q[span] = so3.multiply(q[span], so3.exp(turn))
        return q

    def far(v: Array) -> float:
        at = Kinematics(character, posed(v)[None]).positions[0]
        return float(50 * ((at[hand] - at[chest]) ** 2).sum() + 0.02 * v @ v)

    tries = [
        minimize(far, rng.normal(size=6) * 0.5, method="BFGS", options={"maxiter": 60}) for _ in range(3)
    ]
    goal = posed(min(tries, key=lambda r: r.fun).x)
    w = window(clip, start, start + 0.4)[:, None]
    q = np.array(clip.q)
    for span in spans:
        turn = so3.log(so3.multiply(so3.conjugate(q[:, span]), goal[span]))
        q[:, span] = so3.multiply(q[:, span], so3.exp(w * turn))
    return Fault(clip.with_q(q), start, start + 0.4, ("overlap",), (f"{side} arm",))


def spun(clip: Clip, report: PlausibilityReport, rng: np.random.Generator) -> Iterator[Fault]:
    """Take-offs that add spin: from there on the body turns by 3 rad/s more, until it lands; where it then
    is, it stays."""
    for phase in report.flights:
        if phase.seconds < 0.2:
            continue
        a, b = phase.start, phase.end
        axis = np.array([0.0, 0.0, 1.0]) * float(rng.choice([-1.0, 1.0]))
        angle = 3.0 * np.clip(np.arange(clip.frames) - a, 0, b - a) * clip.dt
        com = np.asarray(Kinematics(clip.character, clip.q).com)
        turn = so3.exp(np.outer(angle, axis))
        pivot = np.where((np.arange(clip.frames) <= b)[:, None], com, com[b])
        q = np.array(clip.q)
        q[:, :3] = pivot + so3.rotate(turn, q[:, :3] - pivot)
        q[:, 3:7] = so3.multiply(turn, q[:, 3:7])
        yield Fault(
            clip.with_q(q), a * clip.dt - 0.1, b * clip.dt + 0.1, ("impact", "spin", "balance", "push")
        )


FAULTS: dict[str, Callable[[Clip, PlausibilityReport, np.random.Generator], list[Fault | None]]] = {
    "sink 5 cm": lambda c, r, g: [raised(c, -0.05, r, g)],
    "hover 6 cm": lambda c, r, g: [raised(c, 0.06, r, g)],
    "skate 8 cm": lambda c, r, g: [skated(c, 0.08, r, g)],
    "flight 1.3×": lambda c, r, g: list(flown(c, 1.3, r)),
    "flight 0.8×": lambda c, r, g: list(flown(c, 0.8, r)),
    "root pops 3 cm": lambda c, r, g: [popped(c, "", g)],
    "joint pops 20°": lambda c, r, g: [
        popped(c, str(g.choice(["left upper_arm", "right thigh", "left forearm", "left thigh", "spine"])), g)
    ],
    "elbow 60° back": lambda c, r, g: [bent(c, g)],
    "arm in the chest": lambda c, r, g: [pierced(c, g)],
    "spin at take-off": lambda c, r, g: list(spun(c, r, g)),
}


def found(fault: Fault, report: PlausibilityReport, clean: PlausibilityReport) -> tuple[bool, bool]:
    """Whether a fault was found, of the right kind, on whom and when; and whether it was condemned."""
    dt = report.physics.clip.dt

    def hits(f: Finding) -> bool:
        there = f.start * dt <= fault.end + 0.15 and f.end * dt >= fault.start - 0.15
        known = any(
            (g.kind, g.where) == (f.kind, f.where)
            and abs(g.start - f.start) * dt < 0.06
            and g.amount > 0.8 * f.amount
            for g in clean.findings
        )
        return f.kind in fault.kinds and (not fault.where or f.where in fault.where) and there and not known

    hit = [f for f in report.findings if hits(f)]
    return bool(hit), any(f.serious for f in hit)


def wild(chosen: list[str]) -> None:
    """Captures as they are: who is condemned, and for what."""
    tally = {True: [0, 0], False: [0, 0]}
    for i, name in enumerate(chosen):
        report = judge(poise.load(CLIPS / f"{name}.bvh"), Check())
        just = name in WRONG_RATE + TORN
        tally[i % 2 == 0][0] += not report.plausible and not just
        tally[i % 2 == 0][1] += not report.plausible and just
        print(f"{name:8s} {'just' if just else '':5s} {report.verdict}", flush=True)
    print(
        f"{len(chosen)} captures: condemned falsely and justly {tally[True]} of the half it was tuned on, "
        f"{tally[False]} of the other"
    )


def levitation(chosen: list[str]) -> None:
    """Good clips lifted by half a metre: condemned where the world is given, asked about where it is not."""
    given = clean = asked = count = 0
    for name in chosen:
        if count == 14:
            break
        clip = load(name)
        before = judge(clip, Check())
        if clip.frames < 400 or not before.plausible:
            continue
        count += 1
        world = before.world.confirmed()
        lifted, start = levitated(clip)
        span = (start - BLEND) * clip.fps, (start + LASTS + BLEND) * clip.fps
        told = judge(lifted, Check(), world)
        given += any(f.serious and f.start <= span[1] and f.end >= span[0] for f in told.findings)
        right = judge(clip, Check(), world)
        clean += not right.plausible
        free = judge(lifted, Check())
        new = [q for q in free.questions if q.name not in {o.name for o in before.questions}]
        new += [q for q in free.questions if q.start <= span[1] and q.end >= span[0] and q not in new]
        asked += bool(new)
        print(
            f"{name:8s} given: {told.verdict} | clean: {right.verdict} | inferred: {free.verdict}", flush=True
        )
    print(
        f"levitated by {LIFT} m, {count} clips: condemned {given}, clean ones condemned {clean}, "
        f"asked about where inferred {asked}"
    )


def faults(chosen: list[str]) -> None:
    """Faults put into good clips, in the world of the clean ones."""
    tally = {kind: {h: [0, 0, 0] for h in (True, False)} for kind in FAULTS}
    missed: dict[str, list[str]] = {kind: [] for kind in FAULTS}
    clean = {True: [0, 0], False: [0, 0]}
    for i, name in enumerate(chosen):
        clip = load(name)
        before = judge(clip, Check())
        if name not in JUMPS and (name in WRONG_RATE or not before.plausible):
            continue
        world = before.world.confirmed()
        own = judge(clip, Check(), world)
        clean[i % 2 == 0][0] += 1
        clean[i % 2 == 0][1] += not own.plausible
        if not own.plausible:
            print(
                f"{name}: untouched, but {own.verdict}: {[f.words for f in own.findings if f.serious][:3]}",
                flush=True,
            )
        for kind, make in FAULTS.items():
            for fault in make(clip, before, np.random.default_rng(i)):
                if fault is None:
                    continue
                hit, condemned = found(fault, judge(fault.clip, Check(), world), own)
                row = tally[kind][i % 2 == 0]
                row[0], row[1], row[2] = row[0] + 1, row[1] + hit, row[2] + condemned
                if not hit:
                    missed[kind].append(f"{name}@{fault.start:.1f}")
    for kind, halves in tally.items():
        said = "  |  ".join(f"found {h} of {n}, condemned {c}" for n, h, c in (halves[True], halves[False]))
        print(f"{kind:18s} {said}   missed {missed[kind]}", flush=True)
    print(
        "untouched: condemned "
        + "  |  ".join(f"{wrong} of {count}" for count, wrong in (clean[True], clean[False]))
    )


PARTS = {"wild": wild, "levitation": levitation, "faults": faults}


def main(asked: list[str]) -> None:
    """The parts that are named, or all; names of clips choose these."""
    chosen = [n for n in names() if n in asked] or names()
    if not chosen:
        print(f"there are no captures in {CLIPS}")
        return
    for part, run in PARTS.items():
        if part in asked or not any(a in PARTS for a in asked):
            run(chosen)


if __name__ == "__main__":
    main(sys.argv[1:])
