"""Ground a clip: find what carries it, change what it cannot carry, measure what is handed out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.labels import roles
from poise.contacts.differentiated_clip import Mask, runs
from poise.contacts.find import find
from poise.contacts.held_patches import Footing, footing
from poise.contacts.support import Support
from poise.curves import BSpline
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.ground.calmed import calmed
from poise.methods.ground.descent import STAGES, descend
from poise.methods.ground.keys import GridKeys
from poise.methods.ground.measured import Measure, measured
from poise.methods.ground.price import movable
from poise.methods.ground.problem import Look, Problem
from poise.methods.ground.result import FEW_BAD, MOST, MOST_RMS, NOT_THIS, Cost, Forces, GroundResult, Left
from poise.methods.ground.wrench import Stride
from poise.motion import Clip
from poise.operations.ground import Ground
from poise.watching import Progress
from poise.world import World

HERTZ = 60.0
"""Rate of the grid: more than three frames to a key over-determine take-off and landing."""
AROUND = 0.35
"""Frames so near to what is not carried may change [s]."""
FADE = 0.15
"""Over which frames as given turn into calm ones [s]."""
FEWEST = 5
"""Clips of fewer frames on the grid have no accelerations to speak of."""
TRIM = 3
"""Samples at either end of a clip that are not judged: nobody knows what came before."""
HIDDEN = 0.5
"""Share of a clip that may be left to something unseen."""
LITTLE = 0.15
"""Where less of a clip is wrong, the first stage is left out: it would lead away and only part of the way
back."""
PACES = (1.15, 0.87)
"""Paces beyond which a clip plays at the wrong speed: its time comes before its forces."""


@dataclass(frozen=True, eq=False)
class _Stage:
    """A clip's motion on a grid, without poses put before or after it."""

    clip: Clip
    """The motion alone."""
    lead: int
    """Frames of the given clip before it."""
    support: Support
    frames: IntArray
    """Of the motion, that make the grid (G,)."""
    stride: int
    whole: bool
    """Whether the world is given: nothing unseen is there."""

    @property
    def times(self) -> Array:
        """[s] (G,)"""
        return np.asarray(self.frames * self.clip.dt)


def grounded(
    clip: Clip, asked: Ground, world: World | None = None, progress: Progress = lambda part: None
) -> GroundResult:
    """A clip with the smallest change that lets contact forces carry it; as it was where that is too much."""
    clip.character.require_mass("the weight")
    if clip.loop and abs(clip.travel.yaw) > 1e-12:
        raise InputError(
            f"{clip.name or 'the clip'} is a loop that turns: ground several rounds of it (poise repeat)"
        )
    stage = _stage(clip, find(clip, world), whole=world is not None)
    if len(stage.frames) < FEWEST:
        raise InputError(f"{clip.name or 'the clip'} has {clip.frames} frames: too few to have weight")
    given = _problem(stage, asked, stage.clip.q, None)
    first = given.look(np.zeros((given.keys.count, given.keys.size)))
    scale = stage.support.need.scale
    calm = calmed(stage.clip, asked)
    smooth = given
    if calm is not stage.clip.q:
        smooth = _problem(stage, asked, calm, None)
        first = smooth.look(np.zeros((smooth.keys.count, smooth.keys.size)))
    before = measured(smooth, first, scale)
    left = _left(smooth, before, stage)
    pace = stage.support.pace
    if not PACES[1] < pace < PACES[0]:
        reason = f"it plays {pace:.2f} times too fast: mend its time first (poise fix --may time)"
        return _as_given(clip, smooth, first, stage, left, reason)
    if (hidden := float(smooth.footing.free.mean())) > HIDDEN:
        missing = max((u.missing for u in stage.support.unseen), default=0.0)
        reason = (
            f"{100 * hidden:.0f} % of it is carried by something unseen ({missing:.2f} body weights missing)"
        )
        return _as_given(clip, smooth, first, stage, left, reason + ": give the world it is in")
    wrong = _wrong(before, stage, smooth.footing)
    if not wrong.any():
        return GroundResult(
            clip,
            "carried",
            (left, left),
            _cost(clip, clip),
            _forces(smooth, first, stage),
            _released(smooth, stage),
        )
    return _changed(clip, stage, asked, calm, wrong, left, progress)


def _changed(
    clip: Clip, stage: _Stage, asked: Ground, calm: Array, wrong: Mask, left: Left, progress: Progress
) -> GroundResult:
    """Solve, and judge what came of it."""
    character, scale = clip.character, stage.support.need.scale
    manifold = character.manifold
    share = _fade(wrong, stage)
    q = np.asarray(stage.clip.q)
    if calm is not stage.clip.q:
        q = np.where((share > 0)[:, None], manifold.plus(q, share[:, None] * manifold.minus(calm, q)), q)
    problem = _problem(stage, asked, q, wrong)
    stages = STAGES if wrong.mean() > LITTLE else STAGES[1:]  # what is nearly carried stays near
    look, _ = descend(problem, np.zeros((problem.keys.count, problem.keys.size)), progress, stages)
    d = np.asarray(problem.keys.curve(look.c, character.nv).evaluate(stage.clip.times))
    moved = np.abs(d).max(axis=1) > 1e-12
    out = np.where(moved[:, None], manifold.plus(q, d), q)
    whole = np.array(clip.q)
    whole[stage.lead : stage.lead + len(out)] = out
    result = clip.with_q(whole)
    after = _left(problem, measured(problem, look, scale), stage)
    cost = _cost(clip, result)
    if cost.rms > MOST_RMS or cost.most > MOST:
        reason = (
            f"it would take {cost.words}, more than {100 * MOST_RMS:.0f} cm or {100 * MOST:.0f} cm at worst"
        )
    elif after.share > FEW_BAD:
        reason = f"with {cost.words} still {after.words}"
    else:
        verdict = f"carried with {100 * cost.rms:.1f} cm"
        forces = _forces(problem, look, stage)
        return GroundResult(result, verdict, (left, after), cost, forces, _released(problem, stage))
    forces = _forces(problem, look, stage)
    return GroundResult(clip, NOT_THIS, (left, after), cost, forces, _released(problem, stage), reason)


def _as_given(
    clip: Clip, problem: Problem, look: Look, stage: _Stage, left: Left, reason: str
) -> GroundResult:
    forces, released = _forces(problem, look, stage), _released(problem, stage)
    return GroundResult(clip, NOT_THIS, (left, left), _cost(clip, clip), forces, released, reason)


def _stage(clip: Clip, support: Support, *, whole: bool = False) -> _Stage:
    lead, count = (0, clip.frames) if clip.loop else (-support.need.lead, support.need.frames)
    morphs = None if clip.morphs is None else clip.morphs[lead : lead + count]
    own = clip if count == clip.frames else clip.with_frames(clip.q[lead : lead + count], morphs)
    stride = max(1, round(clip.fps / HERTZ))
    if clip.loop and clip.frames % stride:
        stride = 1
    return _Stage(own, lead, support, np.arange(0, count, stride), stride, whole)


def _problem(stage: _Stage, asked: Ground, q: Array, wrong: Mask | None) -> Problem:
    """The problem of frames q; only keys near what is wrong may move."""
    clip, frames = stage.clip, stage.frames
    character, dt = clip.character, clip.dt * stage.stride
    base = np.ascontiguousarray(q[frames])
    feet = footing(
        stage.support,
        Kinematics(character, base),
        frames + stage.lead,
        loop=clip.loop,
        cycle=clip.frames,
        whole=stage.whole,
    )
    bodies = movable(character, feet.body[feet.touches.any(axis=0)])
    dofs = np.flatnonzero(np.isin(character.dof_body, bodies))
    ends = "periodic" if clip.loop else "free"
    basis = BSpline.uniform(0.0, float(clip.duration), max(asked.key_spacing, 2.0 * dt), ends=ends)
    free = None
    if wrong is not None:
        near = np.clip(np.round(basis.centres / dt).astype(int), 0, len(frames) - 1)
        free = _around(wrong, AROUND, dt, clip.loop)[near]
    keys = GridKeys(basis, dofs, stage.times, free)
    travel = np.array(clip.travel.translation) if clip.loop else np.zeros(3)
    stride = Stride(character, dt, clip.loop, travel, dofs, stage.support.need.arm)
    return Problem(character, base, stride, feet, keys, asked.most_force)


def _wrong(measure: Measure, stage: _Stage, feet: Footing) -> Mask:
    """Frames of the grid at which something is not carried, or slides (G,)."""
    out = measure.slides.copy()
    out[measure.rows[_judged(measure, stage)][measure.bad[_judged(measure, stage)]]] = True
    return out & ~feet.free


def _judged(measure: Measure, stage: _Stage) -> slice:
    """Samples that are judged: without the ends of a clip."""
    return slice(None) if stage.clip.loop or len(measure.rows) <= 4 * TRIM else slice(TRIM, -TRIM)


def _around(mask: Mask, time: float, dt: float, loop: bool) -> Mask:
    reach = max(1, round(time / dt))
    padded = np.concatenate([mask] * 3) if loop else np.pad(mask, reach)
    wide = np.convolve(padded, np.ones(2 * reach + 1), "same") > 0.5
    start = len(mask) if loop else reach
    return np.asarray(wide[start : start + len(mask)])


def _fade(wrong: Mask, stage: _Stage) -> Array:
    """Share of calm frames, of the motion's own (F,)."""
    clip = stage.clip
    inner = np.repeat(_around(wrong, AROUND, clip.dt * stage.stride, clip.loop), stage.stride)[: clip.frames]
    inner = np.pad(inner.astype(np.float64), (0, clip.frames - len(inner)), "edge")
    reach = max(1, round(FADE / clip.dt))
    weights = np.hanning(2 * reach + 3)[1:-1]
    around = np.pad(inner, reach, "wrap") if clip.loop else np.pad(inner, reach, "edge")
    return np.asarray(np.convolve(around, weights / weights.sum(), "valid"))


def _left(problem: Problem, measure: Measure, stage: _Stage) -> Left:
    """What is not carried, without the ends of a clip."""
    keep = _judged(measure, stage)
    bad = measure.bad[keep]
    size = np.maximum(measure.force / 0.05, measure.moment / 0.03)[keep]
    worst = int(np.argmax(size))
    row = int(measure.rows[keep][worst])
    on = np.flatnonzero(problem.footing.touches[row])
    part = " and ".join(dict.fromkeys(problem.footing.part[k] for k in on)) or "flight"
    time = float(stage.times[row] + stage.lead * stage.clip.dt)
    share = float(bad.mean())
    return Left(share, float(measure.force[keep][worst]), float(measure.moment[keep][worst]), time, part)


def _cost(before: Clip, after: Clip) -> Cost:
    """How far joints moved, over frames that changed."""
    changed = (before.q != after.q).any(axis=1)
    if not changed.any():
        return Cost(0.0, 0.0, "", 0.0, 0.0)
    was, now = (Kinematics(c.character, c.q[changed]) for c in (before, after))
    way = np.linalg.norm(now.positions - was.positions, axis=2)
    f, j = np.unravel_index(int(np.argmax(way)), way.shape)
    head = roles(before.character).get("head")
    turn = 0.0
    if head is not None:
        between = was.rotations[:, head].transpose(0, 2, 1) @ now.rotations[:, head]
        turn = float(np.linalg.norm(so3.log(so3.from_matrix(between)), axis=1).max())
    time = float(np.flatnonzero(changed)[f] * before.dt)
    return Cost(float(np.sqrt(np.mean(way**2))), float(way.max()), before.character.names[j], time, turn)


def _forces(problem: Problem, look: Look, stage: _Stage) -> Forces:
    rows, feet = problem.rows, problem.footing
    places = feet.places(look.kin)[rows] - feet.radius[:, None] * feet.normal[rows]
    force = np.where(problem.asked[:, None, None], look.carried.force, 0.0) * problem.stride.weight
    times = stage.times[rows] + stage.lead * stage.clip.dt
    return Forces(times, feet.names, places, force)


def _released(problem: Problem, stage: _Stage) -> tuple[tuple[float, float], ...]:
    """Stretches that something unseen carries [s]."""
    dt, lead = stage.clip.dt, stage.lead
    return tuple(
        ((stage.frames[a] + lead) * dt, (stage.frames[b] + lead) * dt) for a, b in runs(problem.footing.free)
    )
