"""Clips of few frames a second, searched on more: what happens between their frames decides about contacts.

A foot that runs is down for four frames at 20 frames per second, and its velocity, a difference over two of
them, is blurred by as much. The clip's own cubic between frames tells more (foot contacts of a run at 20
frames per second agree with those at 120 in 91 % of the time instead of 77 %). So the search is done on a
whole multiple of the rate, and what was found is told in the clip's own frames.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.ballistics import Parabola
from poise.contacts.ends import FEW, begins_late
from poise.contacts.needed import Needed
from poise.contacts.support import Contact, Flight, Support, Touch, Unseen
from poise.motion import Clip

Span = Callable[[int, int], tuple[int, int]]

COARSE, FINE = 45.0, 60.0
"""Clips of fewer frames a second than the first are searched at the second, or more [1/s]."""


def multiple(clip: Clip) -> int:
    """By how many times as many frames a clip is searched; 1: by its own."""
    return math.ceil(FINE / clip.fps) if clip.fps < COARSE and clip.frames > FEW + 1 else 1


def finer(clip: Clip, times: int) -> tuple[Clip, int]:
    """The clip with so many times as many frames, and how many of its own first frames were left out: a rest
    pose put before the motion must not be led out of."""
    skip = int(begins_late(clip))
    count = (clip.frames if clip.loop else clip.frames - 1 - skip) * times + (0 if clip.loop else 1)
    frames = skip + np.arange(count) / times
    return clip.with_frames(clip.at(frames / clip.fps), None, rate=clip.rate * times), skip


def in_own_frames(found: Support, clip: Clip, times: int, skip: int) -> Support:
    """What was found on a finer clip, in the frames of the clip itself."""
    need = found.need
    first = -need.lead  # the finer clip's frame of row 0
    rows = np.arange((-first) % times, need.frames, times)
    own = _own_frames(need, clip, rows, (first + int(rows[0])) // times + skip)

    half = 0.5 * (1 - 1 / times)

    def frame(of: float) -> int:
        return math.floor(of / times + 0.5) + skip

    def span(start: int, end: int) -> tuple[int, int]:
        """First and last own frame: a frame stands for half of the time to its neighbours."""
        low, high = frame(start + half * times), frame(end - half * times)
        return (low, high) if low <= high else (frame(0.5 * (start + end)),) * 2

    solved = rows.astype(np.float64)
    return replace(
        found,
        need=own,
        contacts=tuple(_contact(c, span) for c in found.contacts),
        flights=tuple(_flight(f, span, times, skip, need.dt) for f in found.flights),
        unseen=tuple(_unseen(u, span) for u in found.unseen),
        near=found.near[rows],
        gap=found.gap[rows],
        normal=found.normal[rows],
        surface=found.surface[rows],
        rest=found.rest[rows],
        force=_between(found.force, need.rows, solved),
        left=_between(found.left, need.rows, solved),
    )


def _own_frames(need: Needed, clip: Clip, rows: IntArray, first: int) -> Needed:
    """Curves of a motion in every so many-th of its frames, the first of which is the clip's ``first``."""
    return replace(
        need,
        clip=clip,
        lead=-first,
        positions=need.positions[rows],
        places=need.places[rows],
        raw=need.raw[rows],
        velocities=need.velocities[rows],
        skin=need.skin[rows],
        com=need.com[rows],
        wrench=need.wrench[rows],
        spin=need.spin[rows],
        dt=need.dt * float(rows[1] - rows[0]) if len(rows) > 1 else need.dt,
        rows=np.arange(len(rows)),
    )


def _between(curves: Array, at: IntArray, frames: Array) -> Array:
    """Curves (T, …) known in frames ``at``, in other frames."""
    flat = curves.reshape(len(curves), -1)
    found = np.stack([np.interp(frames, at, c) for c in flat.T], axis=1) if flat.shape[1] else flat[:0]
    return np.asarray(found.reshape(len(frames), *curves.shape[1:]))


def _contact(contact: Contact, span: Span) -> Contact:
    start, end = span(contact.start, contact.end)
    touches = tuple(Touch(t.patch, *span(t.start, t.end)) for t in contact.touches)
    return replace(contact, start=start, end=end, touches=touches)


def _unseen(unseen: Unseen, span: Span) -> Unseen:
    start, end = span(unseen.start, unseen.end)
    return replace(unseen, start=start, end=end)


def _flight(flight: Flight, span: Span, times: int, skip: int, dt: float) -> Flight:
    fit, (start, end) = flight.parabola, span(flight.start, flight.end)
    first, last = span(fit.start, fit.end)
    moved = _from(fit, ((first - skip) * times - fit.start) * dt)
    return replace(flight, start=start, end=end, parabola=replace(moved, start=first, end=last))


def _from(fit: Parabola, later: float) -> Parabola:
    """The same parabola, told from a little later on [s]."""
    a = np.array([*fit.drift, -fit.gravity])
    v = np.array(fit.velocity)
    origin, velocity = np.array(fit.origin) + later * v + 0.5 * later**2 * a, v + later * a
    return replace(
        fit,
        origin=(float(origin[0]), float(origin[1]), float(origin[2])),
        velocity=(float(velocity[0]), float(velocity[1]), float(velocity[2])),
    )
