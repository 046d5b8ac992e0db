"""One move of the pointer, by kind of layer: warm, bounded, and never part of a result."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.constraints import Constraint, FootPlant
from poise.constraints.entries import items
from poise.contacts.given import ClipContacts
from poise.curves import TangentCurve
from poise.kinematics import Kinematics
from poise.methods.adapt.adapt import around
from poise.methods.adapt.operations import feet_asked, items_asked, world_now
from poise.methods.adapt.plants.detect import feet_that_stand
from poise.methods.adapt.result import AdaptResult
from poise.methods.loosen.glitches import cleaned
from poise.methods.loosen.hit.hit import HitResult
from poise.methods.loosen.simulate.moved_limbs import Limbs
from poise.methods.loosen.simulate.simulator import PER_FRAME, Simulator
from poise.motion import Clip
from poise.motion.operators.trim import trim
from poise.operations.adapt import Adapt
from poise.operations.frozen_data import encoded, thaw
from poise.operations.hit import Hit
from poise.operations.loosen import Loosen
from poise.operations.result import Result
from poise.operations.situation import Situation
from poise.operations.values.tension import is_keyed
from poise.project.layer import Layer

MOST = 1.2e6
"""Steps times degrees of freedom that are simulated for one move: some 20 ms on two cores. More of them are
made fewer by longer steps, then by shorter windows."""
SEEN = 1e-4
"""Corrections that differ by less are the same to the eye [rad]."""
BEHIND = 3e-3
"""What is dragged and is still this far from the pointer lags behind [m or rad]."""
STEPS = 2
"""Of an adaptation for one move: after one the hand still lags behind by a part of the move."""
MARGIN = 3
"""Frames that a change reaches beyond itself through the curve between frames."""
UNMOVED = 1e-7
"""Coordinates that differ by less are the same but for rounding [rad or m]."""
EVERY = 3
"""Frames from one that is simulated to the next, where a move changes a motion: the change is a smooth curve
(at 30 frames a second 0.1 mm off one that is simulated throughout, for a third of the work)."""


LONG = 1200
"""A motion of more frames is looked at in stretches: about the playhead, or about what changes."""
EDGE = 30
"""Frames before and after a stretch that its contacts are found with."""


def about(clip: Clip, look: int) -> NDArray[np.bool_]:
    """Frames that are seen first (F,): a second before and after the playhead of a long motion, else all."""
    if clip.frames <= LONG or look < 0:
        return np.ones(clip.frames, dtype=bool)
    reach = math.ceil(clip.fps)
    return np.abs(np.arange(clip.frames) - min(look, clip.frames - 1)) <= reach


def _stretch(clip: Clip, loose: Loosen, windows: Array, frames: NDArray[np.bool_]) -> tuple[int, int] | None:
    """First and last frame that some frames of a long motion depend on; None where that is most of it, or
    where options speak of times."""
    timed = is_keyed(loose.spec) or isinstance(loose.amplitude, list | tuple)
    if clip.frames <= LONG or clip.loop or timed or not frames.any():
        return None
    where = np.flatnonzero(frames)
    back = math.ceil(float(np.asarray(windows)[where].max()) / clip.dt)
    first, last = max(int(where[0]) - back - EDGE, 0), min(int(where[-1]) + EDGE, clip.frames - 1)
    return (first, last) if 2 * (last - first) < clip.frames else None


def simulated(
    clip: Clip,
    loose: Loosen,
    windows: Array,
    frames: NDArray[np.bool_],
    correction: TangentCurve | None = None,
    limbs: Limbs | None = None,
    like: Simulator | None = None,
) -> Array:
    """Dynamic configurations of some frames (k, nq); of some limbs, where these are all that changes.

    ``like``: what knows the parts that touch, and what holds places.
    """
    plants, holds = (None, ()) if like is None else (like.plants, like.holds)
    free = correction is None and limbs is None and not holds
    if free and (part := _stretch(clip, loose, windows, frames)) is not None:
        own = slice(part[0], part[1] + 1)
        return simulated(trim(clip, frames=part), loose, np.asarray(windows)[own], frames[own])
    clip = cleaned(clip) if loose.clean else clip
    chosen = np.asarray(windows)[frames]
    per_frame = max(PER_FRAME, math.ceil(clip.dt / loose.step - 1e-9))
    price = float(chosen.sum()) / clip.dt * clip.character.nv
    fewer = max(PER_FRAME, min(per_frame, int(MOST / max(price, 1.0))))
    coarse = msgspec.structs.replace(loose, step=clip.dt / fewer if fewer < per_frame else loose.step)
    shorter = min(1.0, MOST / max(price * fewer, 1.0))
    simulator = Simulator(clip, loose.spec, coarse, correction=correction, plants=plants, holds=holds)
    seconds = np.maximum(chosen * shorter, clip.dt)
    return simulator.states(clip.times[frames], seconds, limbs=limbs)[0]


def loosened_near(clip: Clip, before: Clip, loose: Loosen, windows: Array, look: int) -> Clip:
    """The same of what is seen first; the rest stays as it was."""
    near = about(clip, look)
    q = np.array(before.q)
    q[near] = simulated(clip, loose, windows, near)
    return clip.with_q(q)


def loosened(
    clip: Clip,
    loose: Loosen,
    windows: Array,
    correction: TangentCurve | None = None,
    like: Simulator | None = None,
) -> Clip:
    """All frames with other springs, over windows as they were chosen before."""
    every = np.ones(clip.frames, dtype=bool)
    return clip.with_q(simulated(clip, loose, windows, every, correction, like=like))


def followed(
    now: Clip,
    before: Clip,
    after: Clip,
    loose: Loosen,
    windows: Array,
    correction: TangentCurve | None = None,
    like: Simulator | None = None,
) -> Clip:
    """Dynamics on a motion that has changed from ``before`` to ``now``: only frames that feel it."""
    changed = np.any(np.abs(now.q - before.q) > UNMOVED, axis=1)
    felt = _felt(now, changed, windows)
    q = np.array(after.q)
    if felt.any():
        q[felt] = simulated(now, loose, windows, felt, correction, like=like)
    return now.with_q(q)


def targets(layer: Hit, clip: Clip) -> list[Constraint]:
    """What a layer is to hit; nothing where all of it is muted."""
    return [c for c in items(thaw(layer.constraints), clip, "constraints") if isinstance(c, Constraint)]


def corrected(
    found: HitResult,
    loose: Loosen,
    first: HitResult | None,
    whole: Result | None,
) -> Clip:
    """The dynamic motion under a correction; frames that feel no change since ``first`` are as they were."""
    clip, windows = found.problem.simulator.clip, found.problem.all_windows
    if first is None or whole is None or found.problem.holds or first.problem.holds:
        return loosened(clip, loose, windows, found.correction, found.problem.simulator)
    change = _heights(found, clip) - _heights(first, clip)
    felt = _felt(clip, np.abs(change).max(axis=1) > SEEN, windows)
    if not felt.any():
        return clip.with_q(whole.clip.q)
    q, some = np.array(whole.clip.q), _some(felt, found.problem.times * clip.fps)
    manifold, limbs = clip.character.manifold, found.problem.limbs
    moved = simulated(clip, loose, windows, some, found.correction, limbs, found.problem.simulator)
    now = limbs.among(moved[:, limbs.q], q[some])
    q[felt] = manifold.plus(q[felt], _spline(some, manifold.minus(now, q[some]), felt))
    return clip.with_q(q)


def _some(felt: NDArray[np.bool_], hit: Array) -> NDArray[np.bool_]:
    """Of the frames that feel a change those to simulate: ends, some between, all about targets (F,)."""
    where, some = np.flatnonzero(felt), np.zeros_like(felt)
    about = np.concatenate([np.floor(hit + 1e-6), np.ceil(hit - 1e-6)]).astype(np.int64)
    some[np.concatenate([where[::EVERY], where[-1:], np.clip(about, 0, len(felt) - 1)])] = True
    return some & felt


def _spline(some: NDArray[np.bool_], values: Array, all_of: NDArray[np.bool_]) -> Array:
    """A curve through values at some frames, at all those asked for."""
    from scipy.interpolate import CubicSpline

    knots = np.flatnonzero(some)
    return np.asarray(CubicSpline(knots, values)(np.flatnonzero(all_of))) if len(knots) > 1 else values


def pulled(layer: Adapt, at: Situation, first: AdaptResult, last: AdaptResult) -> AdaptResult | None:
    """A move of an adaptation's constraints, or of what feet stand on; None where none moved, or the clip is
    another.

    It starts from where the drag began, so that nothing depends on the way, and from where it got to only
    where that leaves less behind.
    """
    clip = at.motion
    if first.setup.problem.clip is not clip or last.setup.problem.clip is not clip:
        return None
    known = list(first.items)
    kept: dict[bytes, Any] = {_told(item): item for item in known}
    standing = feet_asked(layer, at.footing, at.contacts, world_now(at), standing_feet)
    asked = [kept.get(_told(item), item) for item in (*standing, *items_asked(layer, clip))]
    moved = [i for i in asked if id(i) not in {id(k) for k in known}]
    gone = [k for k in known if id(k) not in {id(i) for i in asked}]
    if not moved and not gone:
        return None
    times = np.concatenate([_times(item, clip) for item in (*moved, *gone)])
    window = around(clip, [float(times.min()), float(times.max())])
    found = first.drag(asked, window, iterations=STEPS)
    if last is not first and _behind(found, moved) > BEHIND:
        other = last.drag(asked, window, iterations=STEPS)
        return min(found, other, key=lambda result: _behind(result, moved))
    return found


def same_options(layer: Adapt, other: Layer) -> bool:
    """Whether two adaptations differ in their constraints alone; plants may have become constraints."""
    if not isinstance(other, Adapt):
        return False

    def alike(one: Adapt) -> Adapt:
        floor = True if one.floor is None and one.plants else one.floor
        options = {name: getattr(one, name) for name in Adapt.__struct_fields__}
        return Adapt(**options | {"constraints": (), "plants": False, "floor": floor})

    return alike(layer) == alike(other)


def mixed(below: Clip, work: Clip, weight: float) -> Clip:
    """A layer's work by its weight."""
    if weight == 1.0:
        return work
    manifold = below.character.manifold
    return below.with_q(manifold.plus(below.q, weight * manifold.minus(work.q, below.q)))


def standing_feet(clip: Clip, given: ClipContacts | None = None) -> tuple[FootPlant, ...]:
    """Foot plants that an adaptation finds in the motion it is given, or is told of; remembered."""
    return _standing(clip, b"" if given is None else encoded(given))


@lru_cache(maxsize=4)
def _standing(clip: Clip, given: bytes) -> tuple[FootPlant, ...]:
    return tuple(feet_that_stand(clip, msgspec.json.decode(given, type=ClipContacts) if given else None))


def _heights(result: HitResult, clip: Clip) -> Array:
    """The correction at every frame (F, nv), loops as they are between their ends."""
    layout = result.problem.layout
    return np.asarray(layout.basis.values(clip.times, 0) @ layout.coefficients(result.solution.x))


def _felt(clip: Clip, changed: NDArray[np.bool_], windows: Array) -> NDArray[np.bool_]:
    """Frames whose windows see a changed frame (F,); on a loop all, as windows reach across the seam."""
    if not changed.any():
        return changed
    if clip.loop:
        return np.ones_like(changed)
    where = np.flatnonzero(changed)
    first, last = (where[0] - MARGIN) * clip.dt, (where[-1] + MARGIN) * clip.dt
    return np.asarray((clip.times >= first) & (clip.times - np.asarray(windows) <= last))


def _behind(found: AdaptResult, moved: list[Any]) -> float:
    """How far what was moved is from where it should be [m or rad]; of velocities nothing is said."""
    clip = found.setup.problem.clip
    pins = [pin for i in moved for pin in (i.pins(clip.character) if isinstance(i, FootPlant) else [i])]
    worst = 0.0
    for pin in pins:
        if not (pin.rate or pin.handle.needs_velocity):
            times = np.asarray(pin.when.times(clip))
            frames = np.clip(np.rint(times * clip.fps).astype(np.int64), 0, clip.frames - 1)
            body = Kinematics(clip.character, found.setup.problem.poses(frames, found.coefficients))
            worst = max(worst, float(np.abs(pin.error(body, times)).max(initial=0.0)))
    return worst


def _told(item: Constraint | FootPlant) -> bytes:
    return msgspec.json.encode(item.to_dict(), order="sorted")


def _times(item: Constraint | FootPlant, clip: Clip) -> Array:
    if isinstance(item, Constraint):
        return np.asarray(item.when.times(clip))
    return np.concatenate([np.asarray(when.times(clip)) for when in item.intervals.values()])
