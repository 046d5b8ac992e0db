"""Faults put into good captures, each with what it may rightly be called, on whom and when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character.labels import roles
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.motion import Clip
from poise.plausibility.finding import Finding
from poise.plausibility.report import PlausibilityReport

LIFT, LASTS, BLEND = 0.5, 1.2, 0.4
"""Of the levitation [m, s, s]."""
JOINTS = ("left upper_arm", "right thigh", "left forearm", "left thigh", "spine")
"""One of them pops."""


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


def raised(clip: Clip, by: float, report: PlausibilityReport, rng: np.random.Generator) -> Fault | None:
    """Lifted or sunk for 0.8 s, while feet carry."""
    footing = report.physics.footing
    feet = np.concatenate([footing.patches.of_part(p) for p in footing.feet])
    load = footing.load[:, feet].sum(axis=1)
    for _ in range(20):
        start = float(rng.uniform(0.3, 0.6)) * clip.duration
        end = min(start + 0.8, clip.duration - 0.2)
        if np.mean(load[int(start * clip.fps) : int(end * clip.fps)] > 0.5) > 0.7:
            break
    else:
        return None  # who lies all the time has no feet to lift
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


Make = Callable[[Clip, PlausibilityReport, np.random.Generator], list[Fault | None]]
FAULTS: dict[str, tuple[Make, float]] = {
    "sink 5 cm": (lambda c, r, g: [raised(c, -0.05, r, g)], 0.95),
    "hover 6 cm": (lambda c, r, g: [raised(c, 0.06, r, g)], 0.95),
    "skate 8 cm": (lambda c, r, g: [skated(c, 0.08, r, g)], 0.9),
    "flight 1.3×": (lambda c, r, g: list(flown(c, 1.3, r)), 0.95),
    "flight 0.8×": (lambda c, r, g: list(flown(c, 0.8, r)), 0.95),
    "root pops 3 cm": (lambda c, r, g: [popped(c, "", g)], 0.95),
    "joint pops 20°": (lambda c, r, g: [popped(c, str(g.choice(JOINTS)), g)], 0.95),
    "elbow 60° back": (lambda c, r, g: [bent(c, g)], 0.95),
    "arm in the chest": (lambda c, r, g: [pierced(c, g)], 0.95),
    "spin at take-off": (lambda c, r, g: list(spun(c, r, g)), 0.9),
}
"""How each is made, and the share that must be found."""


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
