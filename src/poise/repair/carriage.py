"""Carriage: where the whole body is carried wrongly, it is carried back as a whole.

A clip whose root was lowered, lifted, dragged along or turned for a moment is wrong in one rigid motion: its
feet sink, hover or slide, and its momentum changes as no body's does. The correction is the curve s(t) of
least

    Σ_f |c̈ + s̈|² / a² + Σ_stance |s + off|² / o² + |ṡ + u|² / v²

with c the centre of mass, ``off`` how far feet that stand are off their surface, u how fast they slide. Is it
really the body that is wrong, and not a foot? Then the body's accelerations are calmer without it: a
correction that does not calm them is none, and the feet are left to the solve. What was dragged or turned
stays where that leaves it, with all that follows, if all that follows stands on level ground.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.character.labels import roles
from poise.contacts.differentiated_clip import Mask
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.motion import Clip
from poise.plausibility.depth import slack
from poise.plausibility.finding import Finding
from poise.plausibility.physics import Physics
from poise.plausibility.report import PlausibilityReport
from poise.plausibility.skate import sliding_velocity
from poise.repair.banded_squares import BandedSquares
from poise.world import Box, Ground, Stairs

CALM, LEVEL, CREEP = 4.0, 0.006, 0.04
"""a [m/s²], o [m], v [m/s]: what accelerations, heights and slides of real bodies vary by."""
ROOM = 0.2
"""Before and after a finding, in which a correction comes and goes [s]."""
CALMER = 0.6, 0.65
"""Accelerations around it must fall to this share, root mean square, or it is not the body that is wrong
(lifts, drags) …"""
CANCELS = 0.85
"""… and be cancelled by it: its own accelerations are so much of what the body's are against it. Put into
captures on purpose, faults have 0.86 … 1.37; where a foot is at fault, 0 … 0.8."""
AGREES = 0.3
"""… and feet that stand are left this share of it off, root mean square, at most."""
BEYOND = 0.025
"""A lift goes no further than what sinks or hovers, by more than this [m]."""
FEW = 4
"""Over fewer frames a body has no accelerations to tell by."""
WORTH = 0.012
"""Smaller corrections are left to the feet [m]."""
SLID = 0.05
"""A body is dragged by at least so much [m]."""
DRAGGED = 0.035
"""… and no further than its feet slide, by more than this [m]."""
SLOPE = 0.05
"""Ground that rises less is as good as level."""
ALIKE = 0.02
"""Feet that stand agree about where the body is, within this [m]."""
SEAM = 0.06
"""Spins from nowhere begin and end so near to take-off and landing [s] …"""
RIGID = 0.55
"""… and explain so much of how joints of the trunk jump there: 0.6 to 0.98 where a spin was put in, 0.5 at
most elsewhere."""
LIMBS = (" foot", " toes", " shin", " forearm", " hand")
"""Joints that jump of their own at take-off and landing."""
TURNS = np.radians(15.0)
"""A body that spun from nowhere has turned by at least so much [rad]."""


@dataclass(frozen=True, eq=False)
class Carried:
    """A rigid correction of a clip."""

    move: Callable[[Character, Array], Array]
    """Makes frames (F, nq) of frames."""
    findings: tuple[Finding, ...]
    words: str


def moved(character: Character, q: Array, way: Array) -> Array:
    """Configurations (F, nq) moved by ``way`` (F, 3) [m]; a planar body moves within its plane."""
    out = np.array(q)
    match character.bodies[0].joint.kind:
        case JointKind.FREE:
            out[:, :3] += way
        case JointKind.PLANAR:
            out[:, :2] += way[:, [0, 2]]
        case _:
            raise ValueError(f"the root of {character.name!r} cannot be moved")
    return np.where((np.abs(way).max(axis=1) > 1e-12)[:, None], out, q)


def can_move(character: Character) -> bool:
    """Whether the root is free to go."""
    return character.bodies[0].joint.kind in (JointKind.FREE, JointKind.PLANAR)


def as_a_whole(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Carried]:
    """A clip that all its contacts say is too high or too low by the same, from first to last."""
    physics = report.physics
    levels, footing = [], physics.footing
    for contact in physics.contacts:
        own = footing.patches.of_part(contact.part)
        span = slice(max(contact.start, 0), contact.end + 1)
        held = footing.touching[span][:, own]
        lowest = np.where(held, footing.gap[span][:, own], np.inf).min(axis=1)
        if contact.part in footing.feet and contact.load > 0.25 and np.isfinite(lowest).any():
            levels.append(float(np.median(lowest[np.isfinite(lowest)])))
    if not findings or not levels or np.ptp(levels) > 0.015 or abs(np.mean(levels)) < 0.01:
        return
    by = -float(np.mean(levels))
    way = np.tile([0.0, 0.0, by], (physics.clip.frames, 1))
    yield Carried(
        partial(moved, way=way),
        tuple(findings),
        f"the whole clip {'up' if by > 0 else 'down'} by {100 * abs(by):.1f} cm",
    )


def lifted(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Carried]:
    """A body that sinks or hovers with all that it stands on, each time by itself."""
    physics = report.physics
    if physics.forces is None:
        return
    off = _off(physics)
    for group in _together(findings, physics.clip.dt):
        low, high = _room(physics, min(f.start for f in group), max(f.end for f in group))
        sinks = sum(f.amount * (1 if f.kind == "penetration" else -1) for f in group) > 0
        own = (np.maximum if sinks else np.minimum)(off[low : high + 1], 0.0)
        stands = np.isfinite(own)
        if high - low < FEW or stands.sum() < 2:
            continue
        within = slice(min(f.start for f in group) - low, max(f.end for f in group) + 1 - low)
        if stands[within].mean() < 0.3:
            continue
        com = np.asarray(physics.take.raw.com)[low : high + 1, 2]
        s = _curve(com, physics.clip.dt, np.where(stands, own, 0.0), stands, _free_ends(physics, low, high))
        peak = float(s[np.abs(s).argmax()])
        deepest = max(f.amount for f in group)
        if not WORTH < abs(peak) < deepest + BEYOND or not _calmer(com, s, physics.clip.dt, CALMER[0]):
            continue
        apart = (s - own)[within][stands[within]]
        if sinks != (peak > 0) or float(np.sqrt((apart**2).mean())) > AGREES * deepest:
            continue
        way = np.zeros((physics.clip.frames, 3))
        way[low : high + 1, 2] = s
        words = f"the body {'up' if peak > 0 else 'down'} by up to {100 * abs(peak):.1f} cm"
        yield Carried(partial(moved, way=way), tuple(group), words)


def dragged_back(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Carried]:
    """A body that slides as a whole, with a foot that stands, each time by itself."""
    physics = report.physics
    clip = physics.clip
    if physics.forces is None or physics.take.lead or not _level(physics):
        return
    for group in _together([f for f in findings if f.amount > SLID * physics.scale], clip.dt):
        start, end = min(f.start for f in group), max(f.end for f in group)
        low, high = _room(physics, start, end, 0.3)
        if high - low < FEW:
            continue
        slide, stands = _slide(physics, low, high)
        if not stands[start - low : end + 1 - low].any():
            continue
        com = np.asarray(physics.take.raw.com)[low : high + 1, :2]
        inside = np.zeros(high - low + 1)
        inside[max(start - low - 6, 0) : end + 7 - low] = 1.0
        s = _way_back(com, clip.dt, slide * inside[:, None], stands)
        far, wrong = float(np.linalg.norm(s[-1])), max(f.amount for f in group)
        if not SLID * physics.scale < far < wrong + DRAGGED or not _calmer(com, s, clip.dt, CALMER[1]):
            continue
        way = np.zeros((clip.frames, 3))
        way[low : high + 1, :2] = s
        way[high + 1 :, :2] = s[-1]
        words = f"the body carried back by {100 * far:.1f} cm, with all that follows"
        yield Carried(partial(moved, way=way), tuple(group), words)


def unspun(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Carried]:
    """A body that starts to spin as it takes off, and stops as it lands, about the vertical; each flight by
    itself."""
    physics = report.physics
    clip = physics.clip
    if clip.character.bodies[0].joint.kind is not JointKind.FREE or clip.loop or not _level(physics):
        return
    for phase in report.flights:
        reach = 0.15 / clip.dt
        near = [f for f in findings if f.start <= phase.end + reach and f.end >= phase.start - reach]
        if not near or phase.start < 8 or phase.end > clip.frames - 9:
            continue
        turn = spin_from_nowhere(clip, phase.start, phase.end)
        if turn is None:
            continue
        words = f"a spin of {np.degrees(abs(turn[-1])):.0f}° from nowhere taken back, with all that follows"
        yield Carried(partial(turned, angle=turn), tuple(near), words)


def turned(character: Character, q: Array, angle: Array) -> Array:
    """Frames turned about the vertical through the centre of mass by ``angle`` (F,) [rad]; where it no longer
    changes, about where the centre of mass was then."""
    com = np.asarray(Kinematics(character, q).com)
    moving = np.flatnonzero(np.diff(angle))
    last = int(moving[-1]) + 1
    pivot = np.where((np.arange(len(q)) <= last)[:, None], com, com[last])
    turn = so3.exp(angle[:, None] * np.array([0.0, 0.0, 1.0]))
    out = np.array(q)
    out[:, :3] = pivot + so3.rotate(turn, q[:, :3] - pivot)
    out[:, 3:7] = so3.multiply(turn, q[:, 3:7])
    return np.where((angle == 0)[:, None], q, out)


def spin_from_nowhere(clip: Clip, start: int, end: int) -> Array | None:
    """The turn that takes out a spin which begins and ends from one frame to the next (F,) [rad]."""
    look = max(3, round(SEAM / clip.dt))
    a, b = max(start - look - 2, 0), min(end + look + 2, clip.frames - 1)
    kin = Kinematics(clip.character, clip.q[a : b + 1])
    own = roles(clip.character)
    trunk = sorted({i for role, i in own.items() if not role.endswith(LIMBS)}) or list(
        range(len(clip.character.names))
    )
    x = np.asarray(kin.positions)[:, trunk, :2]
    arm = x - np.asarray(kin.com)[:, None, :2]
    arm = np.stack([-arm[..., 1], arm[..., 0]], axis=2)  # ẑ × r
    second = np.zeros_like(x)
    second[1:-1] = x[2:] - 2 * x[1:-1] + x[:-2]
    best: list[tuple[float, float, int]] = []
    for at in (start - a, end - a):
        found = (0.0, 0.0, 0)
        for f in range(max(at - look, 2), min(at + look + 1, len(x) - 2)):
            jump = second[f] - 0.5 * (second[f - 1] + second[f + 1])
            jump, lever = jump - jump.mean(axis=0), arm[f] - arm[f].mean(axis=0)
            size = max(float((lever**2).sum()), 1e-12)
            rate = float((jump * lever).sum()) / size
            sure = rate**2 * size / max(float((jump**2).sum()), 1e-15)
            wanted = not best or rate * best[0][0] < 0
            if wanted and abs(rate) * sure > abs(found[0]) * found[1]:
                found = (rate, sure, f)
        best.append(found)
    (up, sure_up, first), (down, sure_down, last) = best
    if min(sure_up, sure_down) < RIGID or last - first < 4 or not 0.6 < abs(up) / max(abs(down), 1e-12) < 1.7:
        return None
    one, other = 1 / (1.02 - sure_up), 1 / (1.02 - sure_down)
    by = -(one * abs(up) + other * abs(down)) / (one + other) * float(np.sign(up))
    if abs(by) * (last - first) < TURNS:
        return None
    out = np.zeros(clip.frames)
    out[a + first + 1 : a + last + 1] = by * np.arange(1, last - first + 1)
    out[a + last + 1 :] = by * (last - first)
    return out


def _off(physics: Physics) -> Array:
    """How far up feet that stand would have to go [m] (F,); nan where none does, or they disagree."""
    footing, need = physics.footing, physics.support.need
    rest = np.asarray(physics.support.rest)[footing.rows] & footing.belongs[:, None]
    rows = []
    for part in footing.feet:
        ks = footing.patches.of_part(part)
        on = (rest | footing.touching)[:, ks]
        gap = np.where(on, footing.gap[:, ks] + np.minimum(slack(physics, ks), 0.0), np.inf).min(axis=1)
        down = on.any(axis=1) & np.isfinite(gap) & (np.abs(gap) < 0.15 * need.scale)
        usual = (
            float(np.median(gap[down & (np.abs(gap) < 0.02)])) if (down & (np.abs(gap) < 0.02)).any() else 0.0
        )
        rows.append(np.where(down, usual - gap, np.nan))
    table = np.array(rows)
    count = np.isfinite(table).sum(axis=0)
    low = np.where(count > 0, np.where(np.isfinite(table), table, np.inf).min(axis=0), np.nan)
    high = np.where(count > 0, np.where(np.isfinite(table), table, -np.inf).max(axis=0), np.nan)
    return np.where(high - low < ALIKE, 0.5 * (low + high), np.nan)


def _slide(physics: Physics, low: int, high: int) -> tuple[Array, Mask]:
    """Velocity of the stillest points of feet that stand in frames low … high (n, 2), and where any does."""
    total, count = np.zeros((high - low + 1, 2)), np.zeros(high - low + 1)
    for contact in physics.contacts:
        if contact.part not in physics.footing.feet or not contact.surface:
            continue
        a, b = max(contact.start, low), min(contact.end, high)
        if a < b:
            total[a - low : b + 1 - low] += sliding_velocity(physics, contact, a, b)
            count[a - low : b + 1 - low] += 1
    return total / np.maximum(count, 1)[:, None], count > 0


def _curve(com: Array, dt: float, off: Array, stands: Mask, free: tuple[bool, bool]) -> Array:
    """s (n,) of heights; nothing at ends that are not free."""
    n = len(com)
    sums = BandedSquares(n, 2)
    carried = stands[2:] & stands[1:-1] & stands[:-2]  # in the air a body has accelerations of its own
    bend = np.array([1.0, -2.0, 1.0]) / dt**2 / CALM
    sums.add(bend, -np.diff(com, 2) / dt**2 * carried / CALM)
    sums.add(stands[:, None] / LEVEL, off * stands / LEVEL)
    for end, open_ in zip((0, 1, n - 1, n - 2), (free[0], free[0], free[1], free[1])):
        if not open_:
            sums.add(np.array([1e4]), np.zeros(1), end)
    return sums.least()


def _way_back(com: Array, dt: float, slide: Array, stands: Mask) -> Array:
    """s (n, 2) that takes a slide back: it begins at nothing and at rest, and ends at rest."""
    n = len(com)
    sums = BandedSquares(n, 2)
    on = np.where(stands[1:] & stands[:-1], 1.0, 0.02)[:, None]
    speed = 0.5 * (slide[1:] + slide[:-1])
    carried = (stands[2:] & stands[1:-1] & stands[:-2])[:, None]
    bend, step = np.array([1.0, -2.0, 1.0]), np.array([-1.0, 1.0])
    sums.add(bend / dt**2 / CALM, -np.diff(com, 2, axis=0) / dt**2 * carried / CALM)
    sums.add(on * step / dt / CREEP, -on * speed / CREEP)
    still = np.zeros((1, com.shape[1]))
    for row, first in ((np.array([1.0]), 0), (step, 0), (step, n - 2)):
        sums.add(1e4 * row, still, first)
    return sums.least()


def _calmer(com: Array, s: Array, dt: float, share: float) -> bool:
    """Whether the body's accelerations fall where the correction changes."""
    was, now = (np.diff(x, 2, axis=0) / dt**2 for x in (com, com + s))
    own = np.diff(s, 2, axis=0) / dt**2
    size = np.abs(own) if own.ndim == 1 else np.linalg.norm(own, axis=1)
    there = size > 0.15 * size.max()
    cancels = -float((was[there] * own[there]).sum() / max(float((own[there] ** 2).sum()), 1e-12))
    return bool(
        cancels > CANCELS and np.sqrt((now[there] ** 2).mean()) < share * np.sqrt((was[there] ** 2).mean())
    )


def _together(findings: Sequence[Finding], dt: float) -> list[list[Finding]]:
    """Findings that overlap in time, or nearly."""
    groups: list[list[Finding]] = []
    for f in sorted(findings, key=lambda f: f.start):
        if groups and f.start <= max(g.end for g in groups[-1]) + ROOM / dt:
            groups[-1].append(f)
        else:
            groups.append([f])
    return groups


def _room(physics: Physics, start: int, end: int, room: float = ROOM) -> tuple[int, int]:
    room = round(room / physics.clip.dt)
    return max(start - room, 0), min(end + room, physics.clip.frames - 1)


def _free_ends(physics: Physics, low: int, high: int) -> tuple[bool, bool]:
    return low == 0, high == physics.clip.frames - 1


def _level(physics: Physics) -> bool:
    """Whether all that feet stand on is level, or nearly."""
    for contact in physics.contacts:
        if not contact.surface or contact.part not in physics.footing.feet:
            continue
        shape = physics.world[contact.surface].shape
        if not isinstance(shape, Ground | Box | Stairs) or (
            isinstance(shape, Ground) and np.hypot(*shape.slope) > SLOPE
        ):
            return False
    return True
