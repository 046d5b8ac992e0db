"""Ground a clip: find what carries it, change what it cannot carry, measure what is handed out."""

from __future__ import annotations

import msgspec
import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.labels import roles
from poise.contacts.differentiated_clip import Mask, runs
from poise.contacts.flight_times import Retimed, retimed
from poise.curves import TangentCurve
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.ground.calmed import calmed
from poise.methods.ground.cone import moments
from poise.methods.ground.descent import STAGES, descend
from poise.methods.ground.forces import Forces
from poise.methods.ground.measured import Measure, measured
from poise.methods.ground.pins import Pins
from poise.methods.ground.problem import REACH, USUAL, Look, Problem
from poise.methods.ground.result import FEW_BAD, NOT_THIS, WEAK, Cost, GroundResult, Left
from poise.methods.ground.stage import Stage, on_support, staged
from poise.methods.ground.strength import Strength
from poise.methods.ground.terms import Terms
from poise.motion import Clip
from poise.operations.ground import Ground
from poise.watching import Progress
from poise.world import World

FEWEST = 5
"""Clips of fewer frames on the grid have no accelerations to speak of."""
HIDDEN = 0.5
"""Share of a clip that may be left to something unseen."""
LITTLE = 0.15
"""Where less of a clip is wrong, the first stage is left out: it would lead away and only part of the way
back."""
CREEP = 0.012
"""Where even the stillest resting point moves faster, a result is solved once more [m/s]."""
FIRST_SOLVE = 0.7
"""Part of the work that the first solve is told as; solves again take the rest."""
SAME = 0.005
"""Share of samples that a further solve may leave uncarried by the contacts as they were first found."""
BEYOND = 2.0
"""What exceeds its terms so many times half-way is given up."""
UNTIMELY = 0.03, 0.7
"""Flights whose pace is off by less, in logarithms, are within what masses leave in doubt; by more, they are
none …"""
SURE, BRIEF = 2.0, 0.1
"""… where that is so many times what the fit leaves in doubt, and they last so long [s]."""
PACES = (1.15, 0.87)
"""Paces beyond which a clip plays at the wrong speed: its time comes before its forces."""


def grounded(
    clip: Clip,
    asked: Ground,
    world: World | None = None,
    progress: Progress = lambda part: None,
    *,
    terms: Terms = Terms(),  # noqa: B008  frozen
) -> GroundResult:
    """A clip with the smallest change that lets contact forces carry it; as it was where that is too much.

    ``terms``: what is too much, and what stays where it is.
    """
    clip.character.require_mass("the weight")
    if asked.stretch_flights and not clip.loop:
        stage = staged(clip, world, Pins.of(clip.character, terms.pins), timed=True)
        if flights := _untimely(stage):
            return _in_time(clip, asked, world, progress, terms, stage, retimed(clip, flights))
    if clip.loop and abs(clip.travel.yaw) > 1e-12:
        raise InputError(f"{clip.name or 'the clip'} is a loop that turns; repeat it first (poise repeat)")
    stage = staged(clip, world, Pins.of(clip.character, terms.pins), timed=terms.timed)
    if len(stage.frames) < FEWEST:
        raise InputError(f"{clip.name or 'the clip'} has {clip.frames} frames: too few to have weight")
    calm = calmed(stage.clip, asked)
    problem, look = _looked(stage, asked, calm)
    left = _left(problem, look, stage)
    if reason := _refused(stage, problem):
        return _as_given(clip, problem, look, stage, left, reason)
    wrong = _wrong(stage, asked, calm, problem, look)
    if not wrong.any():
        forces, released = _forces(problem, look, stage), _released(problem, stage)
        return GroundResult(clip, "carried", (left, left), _cost(clip, clip), forces, stage, released)

    def found(strong: bool, part: Progress) -> GroundResult:
        def first(done: float) -> None:
            part(FIRST_SOLVE * done)

        def again(done: float) -> None:
            part(FIRST_SOLVE + (1.0 - FIRST_SOLVE) * done)

        solved = _solved(clip, stage, asked, calm, wrong, terms, first, strong=strong)
        return _changed(clip, stage, asked, solved, left, world, terms, again, strong=strong)

    # A posture is not given up for strength that nobody lacks: joints are rows only where they turn out weak.
    free = found(False, lambda part: progress(part / 2))
    if not free.changed or not _weak(clip.character, free):
        progress(1.0)
        return free
    strong = found(True, lambda part: progress((1 + part) / 2))
    return strong if strong.changed and strong.left.strain < free.left.strain else free


def _weak(character: Character, result: GroundResult) -> bool:
    """Whether a joint of what is handed out needs more than it has, and more than it did: people by a table's
    measure, motors by their own."""
    enough = 1.0 if Strength.of(character).sure.any() else WEAK
    return result.left.strain > enough and result.left.strain > result.before.strain


def _untimely(stage: Stage) -> list[tuple[int, int, float]]:
    """Flights that do not fall as things fall: first and last frame, and how many times too fast."""
    found = []
    for flight in stage.support.flights:
        fit = flight.parabola
        off, doubt = abs(np.log(fit.ratio)), 0.5 * fit.uncertainty / fit.gravity
        lasts = (flight.end - flight.start) * stage.clip.dt > BRIEF
        if lasts and max(UNTIMELY[0], SURE * doubt) < off < UNTIMELY[1]:
            found.append((flight.start, flight.end, fit.ratio))
    return found


def _in_time(
    clip: Clip,
    asked: Ground,
    world: World | None,
    progress: Progress,
    terms: Terms,
    stage: Stage,
    made: Retimed,
) -> GroundResult:
    """A clip whose flights were stretched, on the ground; without, where that is no use."""
    own = msgspec.structs.replace(asked, stretch_flights=False)
    got = grounded(made.clip, own, world, lambda part: progress(part / 2), terms=terms)
    if got.outcome == NOT_THIS:
        plain = grounded(clip, own, world, lambda part: progress((1 + part) / 2), terms=terms)
        plain.reason = f"{plain.reason}; {made.words}: {got.reason}" if plain.reason else ""
        return plain
    left = (_left(*_looked(stage, asked, calmed(stage.clip, asked)), stage), got.left)
    return GroundResult(
        got.clip, got.outcome, left, got.cost, got.forces, got.stage, got.released, change=got.change,
        retimed=made,
    )  # fmt: skip


def _looked(stage: Stage, asked: Ground, q: Array) -> tuple[Problem, Look]:
    """Frames of a stage's motion, as they are."""
    problem = stage.problem(asked, q)
    return problem, problem.look(np.zeros((problem.keys.count, problem.keys.size)))


def _wrong(stage: Stage, asked: Ground, calm: Array, problem: Problem, look: Look) -> Mask:
    """Where calm frames are not carried, nor those as given: what is carried as it is needs no filter."""
    wrong = stage.wrong(problem, look)
    if wrong.any() and calm is not stage.clip.q:
        wrong &= stage.wrong(*_looked(stage, asked, stage.clip.q))
    return wrong


def _refused(stage: Stage, problem: Problem) -> str:
    """Why a motion is not asked to stand on the ground at all."""
    pace = stage.support.pace
    if not PACES[1] < pace < PACES[0]:
        mended = "mend its time first (poise fix --may time, or --stretch-flights)"
        return f"it plays {pace:.2f} times too fast: {mended}"
    if (hidden := float(problem.footing.free.mean())) > HIDDEN:
        missing = max((u.missing for u in stage.support.unseen), default=0.0)
        said = (
            f"{100 * hidden:.0f} % of it is carried by something unseen ({missing:.2f} body weights missing)"
        )
        return said + ": give the world it is in"
    return ""


def _solved(
    clip: Clip,
    stage: Stage,
    asked: Ground,
    calm: Array,
    wrong: Mask,
    terms: Terms,
    progress: Progress = lambda part: None,
    *,
    strong: bool,
    carried: bool = False,
) -> tuple[Clip, TangentCurve]:
    """A clip with the change that lets its contacts carry it, and that change; ``strong``: joints are held to
    their strength; ``carried``: it is carried already, and only slides."""
    manifold = clip.character.manifold
    share = stage.faded(wrong)
    q = np.asarray(stage.clip.q)
    if calm is not stage.clip.q:
        q = np.where((share > 0)[:, None], manifold.plus(q, share[:, None] * manifold.minus(calm, q)), q)
    problem = stage.problem(asked, q, wrong, strong=strong)
    # What is nearly carried stays near; what is carried does not leave the cone's edge for its middle.
    stages = STAGES[-1:] if carried else STAGES if wrong.mean() > LITTLE else STAGES[1:]

    def hopeless(look: Look) -> bool:
        way = np.linalg.norm(look.kin.positions - problem.kin.positions, axis=2)
        return bool(np.sqrt(np.mean(way**2)) > BEYOND * terms.rms or way.max() > BEYOND * terms.most)

    start = np.zeros((problem.keys.count, problem.keys.size))
    look, _ = descend(problem, start, progress, stages, hopeless)
    curve = problem.keys.curve(look.c, clip.character.nv)
    d = np.asarray(curve.evaluate(stage.clip.times))
    moved = np.abs(d).max(axis=1) > 1e-12
    out = np.where(moved[:, None], _within_limits(clip.character, manifold.plus(q, d), q), q)
    whole = np.array(clip.q)
    whole[stage.lead : stage.lead + len(out)] = out
    made = clip.with_q(whole)
    return (made if terms.finish is None else terms.finish(made)), curve


def _within_limits(character: Character, q: Array, given: Array) -> Array:
    """Poses whose joints are within their limits, to which rows hold them but for a breath; those that were
    given beyond them may stay there."""
    manifold = character.manifold
    neutral = np.broadcast_to(manifold.neutral(), q.shape)
    at, was = manifold.minus(q, neutral), manifold.minus(given, neutral)
    low, high = np.minimum(character.lower, was), np.maximum(character.upper, was)
    beyond = (at < low) | (at > high)
    rows = beyond.any(axis=1)
    if not rows.any():
        return q
    out = np.array(q)
    held = manifold.plus(neutral[rows], np.clip(at, low, high)[rows])
    for body in np.unique(character.dof_body[beyond.any(axis=0)]):
        own = np.zeros(len(q), bool)
        own[rows] = True
        own &= beyond[:, character.dof_body == body].any(axis=1)
        span = character.coordinates(int(body))
        out[own, span] = held[own[rows], span]
    return out


def _changed(
    clip: Clip,
    stage: Stage,
    asked: Ground,
    first: tuple[Clip, TangentCurve],
    left: Left,
    world: World | None,
    terms: Terms,
    progress: Progress = lambda part: None,
    *,
    strong: bool,
) -> GroundResult:
    """Solve again what contacts do not carry that are found in what came out, and judge the whole."""
    result, change, pins = first[0], [first[1]], stage.pins.moved(first[1])
    after, problem, look = _handed_out(stage, asked, result)
    for turn in range(terms.rounds - 1):
        again = staged(result, world, pins, timed=terms.timed)
        if _refused(again, own := again.problem(asked, again.clip.q)):
            break
        wrong = again.wrong(own, own.look(np.zeros((own.keys.count, own.keys.size))))
        if not wrong.any():
            break
        both = again.shared(stage) if again.lead == stage.lead else again
        heard = _share(progress, turn, terms.rounds)
        new, more = _solved(result, both, asked, again.clip.q, wrong, terms, heard, strong=strong)
        then = _handed_out(stage, asked, new)
        far = max(terms.most, _cost(clip, result).most)
        if then[0].share > max(after.share, SAME) or _cost(clip, new).most > far:
            break
        result, (after, problem, look) = new, then
        change.append(more)
        pins = pins.moved(more)
    if (creeps := _creeps(problem, look)).any():
        same = on_support(result, stage.support, pins, whole=stage.whole)
        heard = _share(progress, terms.rounds - 1, terms.rounds)
        new, more = _solved(
            result, same, asked, same.clip.q, creeps, terms, heard, strong=strong, carried=True
        )
        then, price = _handed_out(stage, asked, new), _cost(clip, new)
        if (
            then[0].share <= max(after.share, SAME)
            and price.rms <= terms.rms
            and price.most <= terms.most
            and _creeps(*then[1:]).sum() < creeps.sum()
            and _stays(new, asked, world, pins.moved(more), terms)
        ):
            result, (after, problem, look) = new, then
            change.append(more)
    cost, forces, released = _cost(clip, result), _forces(problem, look, stage), _released(problem, stage)
    if cost.rms > terms.rms or cost.most > terms.most:
        allowed = f"{100 * terms.rms:.0f} cm or {100 * terms.most:.0f} cm at worst"
        reason = f"it would take {cost.words}, more than {allowed}"
    elif after.share > FEW_BAD:
        reason = f"with {cost.words} still {after.words}"
    else:
        verdict = f"carried with {100 * cost.rms:.1f} cm"
        return GroundResult(
            result, verdict, (left, after), cost, forces, stage, released, change=tuple(change)
        )
    return GroundResult(clip, NOT_THIS, (left, after), cost, forces, stage, released, reason)


def _share(progress: Progress, turn: int, turns: int) -> Progress:
    """What one of several turns tells of its part."""
    return lambda part: progress((turn + part) / turns)


def _creeps(problem: Problem, look: Look) -> Mask:
    """Frames of the grid in which a resting point moves faster than results are to (G,)."""
    speed = np.linalg.norm(problem.ways(look.kin), axis=2) / problem.stride.dt
    stillest = np.where(problem.footing.rests, speed, np.inf).min(axis=1, initial=np.inf)
    return np.asarray(np.isfinite(stillest) & (stillest > CREEP) & ~problem.footing.free)


def _stays(result: Clip, asked: Ground, world: World | None, pins: Pins, terms: Terms) -> bool:
    """Whether a result that is put in again would stay as it is."""
    again = staged(result, world, pins, timed=terms.timed)
    own, look = _looked(again, asked, again.clip.q)
    return not _refused(again, own) and not again.wrong(own, look).any()


def _handed_out(stage: Stage, asked: Ground, result: Clip) -> tuple[Left, Problem, Look]:
    """What is left of frames that are handed out, by the contacts of the motion as it was given."""
    problem, look = _looked(stage, asked, result.q[stage.lead : stage.lead + stage.clip.frames])
    return _left(problem, look, stage), problem, look


def _as_given(
    clip: Clip, problem: Problem, look: Look, stage: Stage, left: Left, reason: str
) -> GroundResult:
    forces, released = _forces(problem, look, stage), _released(problem, stage)
    cost = _cost(clip, clip)
    return GroundResult(clip, NOT_THIS, (left, left), cost, forces, stage, released, reason)


def _left(problem: Problem, look: Look, stage: Stage) -> Left:
    """What is not carried, without the ends of a clip."""
    measure = measured(problem, look, stage.scale)
    keep = stage.judged(measure)
    bad = measure.bad[keep]
    size = np.maximum(measure.force / 0.05, measure.moment / 0.03)[keep]
    worst = int(np.argmax(size))
    row = int(measure.rows[keep][worst])
    on = np.flatnonzero(problem.footing.touches[row])
    part = " and ".join(dict.fromkeys(problem.footing.part[k] for k in on)) or "flight"
    time = float(stage.times[row] + stage.lead * stage.clip.dt)
    share = float(bad.mean())
    strain, joint = _strain(problem, look, measure, keep)
    force, moment = float(measure.force[keep][worst]), float(measure.moment[keep][worst])
    times = stage.times[measure.rows[keep]] + stage.lead * stage.clip.dt
    curves = np.stack([times, measure.force[keep], measure.moment[keep]])
    return Left(share, force, moment, time, part, strain, joint, curves)


def _strain(problem: Problem, look: Look, measure: Measure, keep: slice) -> tuple[float, str]:
    """Of the joint that needs most of its strength, where contacts carry, and its name."""
    fair = (problem.asked & ~measure.bad)[keep]
    if problem.strained is None or not fair.any():
        return 0.0, ""
    usual = np.percentile(look.strain[keep][fair], USUAL, axis=0)
    most = int(np.argmax(usual))
    return float(usual[most]), problem.strained.strength.names[most]


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


def _forces(problem: Problem, look: Look, stage: Stage) -> Forces:
    rows, feet = problem.rows, problem.footing
    places = feet.places(look.kin)[rows] - feet.radius[:, None] * feet.normal[rows]
    smoothing, stride = problem.smoothing, problem.stride
    twist = moments(problem.pushes(look.kin), look.carried, REACH, stride.arm, smoothing)
    force, twist = (
        np.where(problem.asked[:, None, None], x, 0.0) * stride.weight for x in (look.carried.force, twist)
    )
    times = stage.times[rows] + stage.lead * stage.clip.dt
    own = problem.known
    who, at = problem.character, look.q[rows]
    return Forces(
        who, times[own], at[own], feet.names, feet.part, feet.body, places[own], force[own], twist[own]
    )


def _released(problem: Problem, stage: Stage) -> tuple[tuple[float, float], ...]:
    """Stretches that something unseen carries [s]."""
    dt, lead = stage.clip.dt, stage.lead
    return tuple(
        ((stage.frames[a] + lead) * dt, (stage.frames[b] + lead) * dt) for a, b in runs(problem.footing.free)
    )
