"""Holds: one solve puts feet and hands that sink, hover or slide back onto what they stand on.

It is the problem of ``methods.ground`` without its forces: displacement curves of the whole body, priced by
how far joints move in space, with knees, hips and elbows dearer than the rest, of least

    ½ cᵀ M c + ½ Σ dt [ slide |ẋ − ẋ₀|² + sink (z − z₀)² ] + limits.

Points of a contact that slides are to rest (ẋ₀ = 0), those of all others are to do what they do in the clip.
What is too deep comes up, what is too high comes down, to within what is doubtful (z₀). Only keys near faults
may move, so all other frames stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.labels import roles
from poise.contacts.differentiated_clip import Mask, runs
from poise.contacts.held_patches import Footing, footing
from poise.curves import BSpline
from poise.kinematics import Kinematics
from poise.methods.ground.descent import descend
from poise.methods.ground.keys import GridKeys
from poise.methods.ground.price import grams, movable
from poise.methods.ground.problem import SINK as FIRM
from poise.methods.ground.problem import Look, Problem
from poise.methods.ground.rows import Touch
from poise.methods.ground.wrench import Stride
from poise.plausibility.depth import slack
from poise.plausibility.finding import Finding
from poise.plausibility.judge import IN_PLACE
from poise.plausibility.report import PlausibilityReport
from poise.plausibility.skate import sliding_velocity

KINDS = ("skate", "penetration", "hover")
ROOM = 0.2
"""Before and after a fault, in which frames may change [s]."""
MARGIN = 0.15
"""Frames beyond that are looked at [s]."""
HERTZ = 60.0
"""Rate of the grid."""
SPACING = 0.05
"""Of keys [s]."""
DOUBT = 0.012
"""Depths and heights up to this stay, of a body of 1.75 m [m]."""
DEARER = {" shin": 8.0, " thigh": 4.0, " forearm": 4.0}
"""Knees, hips and elbows cost so many times as much as other joints: a viewer sees them before a slide."""
SLIDE, SINK = 0.3, 3e3
"""Prices of slides [m²/(m/s)²] and of heights [m²/m²]: a knee is not thrown for them."""
MEANT = 0.15
"""A foot that slides further is meant to, of a body of 1.75 m [m]."""
NO_TOP = 1e9
"""Forces are not asked for."""
STAGES = (1e-4, 1e-4)
"""Two rounds of steps."""


class Held(Problem):
    """Feet on their surfaces, all else as it was."""

    kept: Array
    """Ways of resting points that are to stay (G, K, 3) [m]."""

    def _prices(self, moving: list[int]) -> tuple[Array, Array]:
        own = roles(self.character)
        dearer = {own[r]: price for r in own for end, price in DEARER.items() if r.endswith(end)}
        return grams(self.character, self.kin, self.stride.dofs, moving, loop=self.stride.loop, dearer=dearer)

    def _slides(self, kin: Kinematics) -> tuple[Array, Array]:
        way, skin = self._ways(kin)
        return (way - self.kept) * self._firmness, skin

    @property
    def _firmness(self) -> float:
        return float(np.sqrt(SLIDE / self.stride.dt))

    def _sunk(self, kin: Kinematics) -> tuple[Array, Mask]:
        off, rows = super()._sunk(kin)
        return off * np.sqrt(SINK / FIRM), rows

    def _touch(self, look: Look) -> Touch:
        return super()._touch(look)._replace(deep=float(np.sqrt(SINK * self.stride.dt)))


def held(report: PlausibilityReport, findings: Sequence[Finding]) -> Array:
    """Frames (F, nq) of the clip with what is found put right as far as that goes."""
    clip = report.physics.clip
    free = np.zeros(clip.frames, bool)
    room = round(ROOM / clip.dt)
    for f in findings:
        free[max(f.start - room, 0) : f.end + room + 1] = True
    out = np.array(clip.q)
    margin = round(MARGIN / clip.dt)
    first, last = _own(report)
    wide = _widened(free, margin)
    for a, b in runs(wide):
        a, b = max(a, first), min(b, last)
        own = [f for f in findings if f.start <= b and f.end >= a]
        if own and b - a >= 8:
            out[a : b + 1] = _solved(report, own, a, b, free[a : b + 1])
    return out


def _solved(report: PlausibilityReport, findings: list[Finding], a: int, b: int, free: Mask) -> Array:
    """Frames a … b."""
    clip = report.physics.clip
    character, manifold = clip.character, clip.character.manifold
    stride = max(1, round(clip.fps / HERTZ))
    frames = np.arange(a, b + 1, stride)
    base = np.ascontiguousarray(clip.q[frames])
    dt = clip.dt * stride
    given = footing(
        report.support, Kinematics(character, base), frames, loop=False, cycle=clip.frames, whole=True
    )
    feet = _wanted(report, given, frames, findings)
    dofs = np.flatnonzero(np.isin(character.dof_body, movable(character, feet.body)))
    basis = BSpline.uniform(0.0, float((b - a) * clip.dt), max(SPACING, 2 * dt), ends="free")
    moves = _free_keys(basis, free, clip.dt)
    if not moves.any():
        return np.asarray(clip.q[a : b + 1])
    keys = GridKeys(basis, dofs, np.asarray((frames - a) * clip.dt, dtype=np.float64), moves)
    run = Stride(character, dt, False, np.zeros(3), dofs, report.support.need.arm)
    problem = Held(character, base, run, feet, keys, NO_TOP)
    ways = problem.ways(problem.kin)
    problem.kept = np.where(feet.rests[..., None], ways - dt * _sliding(report, given, frames, findings), 0.0)
    look, _ = descend(problem, np.zeros((keys.count, keys.size)), stages=STAGES)
    d = np.asarray(keys.curve(look.c, character.nv).evaluate((np.arange(a, b + 1) - a) * clip.dt))
    own = np.asarray(clip.q[a : b + 1])
    return np.where((np.abs(d).max(axis=1) > 1e-9)[:, None], manifold.plus(own, d), own)


def _wanted(report: PlausibilityReport, given: Footing, frames: IntArray, findings: list[Finding]) -> Footing:
    """What is asked of patches: heights of those at fault, no deeper than they are for all others."""
    physics = report.physics
    doubt = DOUBT * physics.scale
    level, hold = np.minimum(given.gap, 0.0), np.zeros(given.held.shape, bool)
    names = physics.footing.patches.names
    for f in findings:
        inside = (frames >= f.start) & (frames <= f.end)
        for k, part in enumerate(given.part):
            if part != f.where:
                continue
            if f.kind == "penetration":
                give = float(slack(physics, np.array([names.index(given.names[k])]))[0])
                level[inside, k] = np.maximum(level[inside, k], -doubt - give)
            elif f.kind == "hover":
                rests = inside & given.touches[:, k] & (given.gap[:, k] > doubt)
                hold[rests, k], level[rests, k] = True, doubt
    at_fault = np.isin(given.part, [f.where for f in findings])
    touches = given.touches & at_fault  # what is lifted or lowered goes straight up or down
    on = np.zeros_like(touches)
    on[:-1] = touches[:-1] & touches[1:]
    return replace(given, free=np.ones(len(frames), bool), held=hold, level=level, rests=given.rests | on)


def _sliding(report: PlausibilityReport, given: Footing, frames: IntArray, findings: list[Finding]) -> Array:
    """Velocities that are to be taken from resting points (G, K, 3) [m/s]: those of the stillest point of
    their part, so that a foot rolls as it did."""
    physics = report.physics
    out = np.zeros((*given.rests.shape, 3))
    for f in findings:
        for c in physics.contacts if f.kind == "skate" else ():
            a, b = max(c.start, int(frames[0])), min(c.end, int(frames[-1]))
            if c.part != f.where or a >= b or f.start > c.end or f.end < c.start:
                continue
            slide = sliding_velocity(physics, c, a, b)
            inside = (frames >= max(a, f.start - 3)) & (frames <= min(b, f.end + 3))
            for k in np.flatnonzero([part == f.where for part in given.part]):
                out[inside, k, :2] = slide[frames[inside] - a]
    return out


def _free_keys(basis: BSpline, free: Mask, dt: float) -> Mask:
    """Keys that move nothing but free frames (K,)."""
    times = np.arange(len(free)) * dt
    reach = (
        np.asarray(abs(basis.matrix(times[~free])).sum(axis=0)).ravel()
        if (~free).any()
        else np.zeros(basis.size)
    )
    return np.asarray(reach < 1e-9)


def _own(report: PlausibilityReport) -> tuple[int, int]:
    """First and last frame of the clip that belong to the motion."""
    need, clip = report.support.need, report.physics.clip
    return max(-need.lead, 0), min(-need.lead + need.frames, clip.frames) - 1


def _widened(mask: Mask, by: int) -> Mask:
    return np.asarray(np.convolve(np.pad(mask, by).astype(float), np.ones(2 * by + 1), "valid") > 0.5)


def can_hold(report: PlausibilityReport, finding: Finding) -> bool:
    """Whether a foot or hand is at fault that is not meant to slide."""
    if finding.where not in report.physics.footing.limbs:
        return False
    own = [
        c for c in report.contacts
        if c.part == finding.where and c.start <= finding.end and c.end >= finding.start
    ]  # fmt: skip
    if finding.kind == "penetration":
        return True
    take = report.physics.take
    way = float(np.ptp(np.asarray(take.raw.positions)[:, 0, :2], axis=0).max())
    on_the_spot = way < IN_PLACE * take.stature and any(f.serious for f in report.of("skate"))
    return bool(own) and finding.amount < MEANT * report.physics.scale and not on_the_spot
