"""What carries a motion at a given pace, told in words and frames: contacts, flights, unseen supports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.ballistics import flight_within, reweighed
from poise.contacts.detect import State, detect
from poise.contacts.differentiated_clip import Mask, runs
from poise.contacts.evidence import sure_of
from poise.contacts.manner import manner_of, way_of
from poise.contacts.mass_doubt import mass_doubt
from poise.contacts.needed import Needed
from poise.contacts.patches import FOOT
from poise.contacts.support import Contact, Flight, Support, Touch, Unseen, lasting
from poise.gravity import EARTH
from poise.motion import Clip
from poise.world import World

CARRIES = 0.03
"""Less than this share of the weight is no contact worth a name."""
SLIDING = 0.15
"""What moves carries more than this, or swings past [share of the weight]."""
STAYED = 0.01
"""What carried, and has not moved by more since, still touches, of a body of 1.75 m [m]."""
LIGHT = 0.35
"""Where less than this share of the weight is carried, a body flies or is about to."""
LOST = 0.3
"""What is left beyond this is not explained [weights]."""
SLOWED = 1.0
"""A body that lands is slowed down by more than this, in gravities."""
REACHES = 2.0
"""Toes that push off are no farther from what they leave, in gives."""
SHARE = 0.25
"""A body that falls less fast than this share of its usual fall is still carried, or already."""
SLOWLY, UPSIDE_DOWN = 0.5, 0.8
"""Who falls with less than this share of gravity, and has feet above something else for so large a share of
the time, is carried by that."""
BLURRED = 0.04
"""So near the ends of a clip the filter tells no accelerations: those beside them hold [s]."""
NOTICED = 0.2
"""Stretches of that which are shorter are impacts [s]."""


def supported(need: Needed, world: World | None, pace: float) -> Support:
    """What carries the motion at a pace."""
    state = detect(need, world)
    contacts = tuple(_contacts(state))
    return Support(
        state.need,
        state.world if world is not None else _weighed(state, contacts),
        contacts,
        tuple(_flights(state)),
        tuple(_unseen(state)),
        state.near,
        state.gap,
        state.normal,
        state.surface,
        state.force,
        state.left,
        state.rest,
        pace,
    )


def _weighed(state: State, contacts: tuple[Contact, ...]) -> World:
    """The world with how sure each of its found surfaces is; the floor's is known."""
    floor, dt = state.world.floor, state.need.dt
    return World(
        tuple(s if s is floor else s.replaced(sure=sure_of(s, contacts, dt)) for s in state.world.surfaces)
    )


def loads(state: State) -> Array:
    """Share of the weight that every patch pushes with (N, K)."""
    size = np.linalg.norm(state.force, axis=2)
    frames = np.arange(state.need.frames)
    return np.stack([np.interp(frames, state.need.rows, c) for c in size.T], axis=1)


def _held(state: State, ks: IntArray) -> Mask:
    """Frames in which a part holds on to something (N,)."""
    frames, held = np.arange(state.need.frames), np.zeros(state.need.frames, dtype=bool)
    for k, rows in state.grips:
        if k in ks:
            held |= np.interp(frames, state.need.rows, rows.astype(float)) > 0.5
    return held


def _contacts(state: State) -> list[Contact]:
    need, load = state.need, loads(state)
    parts = {part: need.patches.of_part(part) for part in need.patches.parts}
    held = {part: _held(state, ks) for part, ks in parts.items()}
    on = {part: _touching(state, ks, load, held[part]) for part, ks in parts.items()}
    found = []
    for part, ks in parts.items():
        others: Mask = np.zeros(need.frames, dtype=bool)
        for other in parts:
            if other != part:
                others |= on[other]
        last = _pushed_off(state, ks, load, on[part], others)
        for a, b in lasting(last, need.dt):
            if _counts(need, a, b):
                if need.clip.loop and a == 0:
                    a, b = need.own.start, min(b, need.own.stop - 1)
                share = load[:, ks].sum(axis=1)
                found.append(_contact(state, part, ks, a, b, share, bool(held[part][a : b + 1].any())))
    return sorted(found, key=lambda c: (c.start, c.part))


def _touching(state: State, ks: IntArray, load: Array, held: Mask) -> Mask:
    """Frames in which a part touches (N,): it carries, or stays where it did."""
    share = load[:, ks].sum(axis=1)
    still = (state.near & state.rest)[:, ks].any(axis=1) | held
    on = (still & (share > CARRIES)) | (state.near[:, ks].any(axis=1) & (share > SLIDING))
    for k in ks:
        _stayed(state, int(k), on)
    return on


def _pushed_off(state: State, ks: IntArray, load: Array, on: Mask, others: Mask) -> Mask:
    """A contact (N,) from the moment of landing to that of take-off: toes that unroll rise and hurry while
    they still push, and feet are fast as they strike. As long as something must carry, and nothing else will
    soon, or did, they do; before a landing the body must be slowed down already, which no filter blurs so
    far."""
    need = state.need
    if need.patches.kind[ks[0]] != FOOT or need.doubt < 1:  # drawn feet touch to the frame
        return on
    near: Mask = np.asarray((state.gap[:, ks] < REACHES * need.patches.give[ks]).any(axis=1))
    pushes: Mask = np.asarray(np.linalg.norm(need.wrench[:, :3], axis=1) > LIGHT)
    pushes &= load[:, ks].sum(axis=1) > CARRIES
    slowed = np.zeros(need.frames, dtype=bool)
    slowed[1:-1] = np.diff(need.com[:, 2], 2) / need.dt**2 > SLOWED * EARTH
    out, wide = np.array(on), need.widening
    for a, b in runs(on):
        for way, first, carries in ((1, b, pushes), (-1, a, slowed)):
            end = int(np.clip(first + way * (wide + 1), 0, need.frames - 1))
            if on[end] or others[end]:
                continue  # no take-off, no landing
            for f in range(first + way, end, way):
                if not (carries[f] and near[f]):
                    break
                out[f] = True
    return out


def _stayed(state: State, k: int, on: Mask) -> None:
    """Add to a contact (N,) the frames before and after in which a patch stays where it carried: unloaded, it
    still touches."""
    need, away = state.need, STAYED * state.need.scale
    down = state.near[:, k] & state.rest[:, k]
    times = np.arange(need.frames)[:, None] * need.dt
    table = np.array([s.velocity for s in state.world.surfaces] + [(0.0, 0.0, 0.0)])
    for a, b in runs(down):
        carries = a + np.flatnonzero(on[a : b + 1])
        if len(carries) in (0, b - a + 1):
            continue
        place = need.places[a : b + 1, k] - table[state.surface[carries[0], k]] * times[a : b + 1]
        # The nearest frame that carries, before and after.
        last = np.maximum.accumulate(np.where(on[a : b + 1], np.arange(b - a + 1), -1))
        next_ = np.minimum.accumulate(np.where(on[a : b + 1], np.arange(b - a + 1), b - a + 1)[::-1])[::-1]
        for near in (np.where(last < 0, next_, last), np.where(next_ > b - a, last, next_)):
            stays = np.linalg.norm(place - place[near], axis=1) < away
            for i, j in runs(stays):
                if on[a + i : a + j + 1].any():
                    on[a + i : a + j + 1] = True


def _counts(need: Needed, a: int, b: int) -> bool:
    """Whether frames a … b of a loop begin in its own cycle, or go on for ever."""
    own = need.own
    return not need.clip.loop or own.start <= a < own.stop or (a == 0 and b >= own.start)


def _contact(state: State, part: str, ks: IntArray, a: int, b: int, share: Array, held: bool) -> Contact:
    need = state.need
    near = state.near[a : b + 1][:, ks]
    which = state.surface[a : b + 1][:, ks][near]
    which = which[which >= 0]
    surface = state.world.surfaces[int(np.bincount(which).argmax())].name if len(which) else ""
    way = way_of(state, ks, a, b)
    touches = []
    for j, k in enumerate(ks):
        rows = np.flatnonzero(near[:, j])
        if len(rows):
            touches.append(
                Touch(need.patches.names[k], a + int(rows[0]) - need.lead, a + int(rows[-1]) - need.lead)
            )
    touches.sort(key=lambda t: t.start)
    middle = (a + b) // 2
    gap = np.where(near, state.gap[a : b + 1][:, ks], np.inf).min(axis=1)
    gap = gap[np.isfinite(gap)]
    off = float(np.median(gap)) if len(gap) else 0.0
    reach = state.reach is not None and bool(state.reach[a : b + 1][:, ks].any())
    low = ks[int(np.argmin(need.places[middle, ks, 2] - need.radius[ks]))]
    place = need.places[middle, low] - [0.0, 0.0, need.radius[low]]
    heading = need.places[middle, ks[-1]] - need.places[middle, ks[0]]
    return Contact(
        part,
        surface,
        a - need.lead,
        b - need.lead,
        manner_of(state, ks, a, b, held=held, way=way),
        tuple(touches),
        (float(place[0]), float(place[1]), float(place[2])),
        float(np.arctan2(heading[1], heading[0])) if len(ks) > 1 else 0.0,
        float(share[a : b + 1].mean()),
        way,
        max(off, 0.0) if reach else 0.0,
        -off,
    )


def _flights(state: State) -> list[Flight]:
    """Stretches that nothing carries and in which the centre of mass follows a parabola."""
    need = state.need
    if not need.clip.character.total_mass > 0:
        return []
    share = loads(state)
    touched = (state.near & (share > 0.05)).any(axis=1)
    for k, _ in state.grips:
        touched |= _held(state, np.array([k]))
    light = np.linalg.norm(need.wrench[:, :3], axis=1) < LIGHT
    found = []
    for first, last in runs(~touched | light):
        a, b = _falling(need, first, last)
        fit = flight_within(need.com, need.dt, a, b, scale=need.scale)
        if fit is not None:
            q = _posed(need.clip, np.arange(a, b + 1) - need.lead)
            doubt = mass_doubt(need.clip.character, q, need.scale)
            fit = reweighed(fit, need.com, need.dt, doubt, a, scale=need.scale)
        if fit is None or not _counts(need, first, last) or _stays(state, first, last, fit.gravity):
            continue
        if fit.gravity < SLOWLY * EARTH and _upside_down(state, a, b):
            continue
        spin = need.spin[fit.start : fit.end + 1]
        moved = Flight(
            first - need.lead,
            last - need.lead,
            replace(fit, start=fit.start - need.lead, end=fit.end - need.lead),
            float(np.ptp(spin)),
        )
        found.append(moved)
    return found


def _posed(clip: Clip, frames: IntArray) -> Array:
    """Configurations of a clip's frames (n, nq), of a loop in any of its cycles."""
    if not clip.loop:
        return np.asarray(clip.q[frames])
    cycle = frames // clip.frames
    return np.asarray(clip.travel.apply(clip.character, clip.q[frames % clip.frames], cycle))


def _falling(need: Needed, a: int, b: int) -> tuple[int, int]:
    """Frames a … b without those at either end in which the centre of mass hardly falls beside what it does
    in the middle: something still carries there, or already."""
    if b - a < 8:
        return a, b
    blurred = min(max(1, round(BLURRED / need.dt)), (need.frames - 1) // 2)
    down = -np.diff(need.com[:, 2], 2) / need.dt**2
    down = np.concatenate([down[:1], down, down[-1:]])
    down[:blurred], down[need.frames - blurred :] = down[blurred], down[need.frames - 1 - blurred]
    down = down[a : b + 1]
    quarter = (b - a) // 4
    usual = float(np.median(down[quarter : len(down) - quarter]))
    falls = np.flatnonzero(down > SHARE * usual)
    return (a + int(falls[0]), a + int(falls[-1])) if usual > 0 and len(falls) else (a, b)


def _stays(state: State, a: int, b: int, gravity: float) -> bool:
    """Whether a patch rests all the while, and the body falls slowly (it turns over something) or faster than
    it can."""
    falls = 0.8 * EARTH < gravity < 1.25 * EARTH
    return bool(state.rest[a : b + 1].all(axis=0).any() and not falls)


def _upside_down(state: State, a: int, b: int) -> bool:
    """Whether something else is below the feet nearly all the while: who falls so slowly turns over it, as
    over hands that reach the ground in a cartwheel, of a rig whose arms are too short for it."""
    lowest = state.gap[a : b + 1].argmin(axis=1)
    return bool((state.need.patches.kind[lowest] != FOOT).mean() > UPSIDE_DOWN)


def _unseen(state: State) -> list[Unseen]:
    """Stretches that contacts do not explain, with the part nearest to the line of what is missing."""
    need = state.need
    u, rows = np.linalg.norm(state.left, axis=1), need.rows
    found = []
    for a, b in runs(u > LOST):
        if (b - a + 1) * state.tick < NOTICED or not _counts(need, int(rows[a]), int(rows[b])):
            continue
        force = state.left[a : b + 1, :3].mean(axis=0)
        moment = state.left[a : b + 1, 3:].mean(axis=0) * need.arm
        size = max(float(force @ force), 1e-9)
        middle = int(rows[(a + b) // 2])
        at = need.com[middle] + np.cross(force, moment) / size
        way = need.places[middle] - at
        along = force / np.sqrt(size)
        off = np.linalg.norm(way - (way @ along)[:, None] * along, axis=1)
        found.append(
            Unseen(
                int(rows[a]) - need.lead,
                int(rows[b]) - need.lead,
                float(u[a : b + 1].mean()),
                (float(force[0]), float(force[1]), float(force[2])),
                need.patches.part[int(np.argmin(off))],
            )
        )
    return found
