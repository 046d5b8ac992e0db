"""Points of a retouched motion that stay in place over intervals, with the rest of the body following.

With q(t) the motion with its keys and Q(t) the pose next to it in which every point is at its place, as
firmly as its gain g(t) says (pins of key-frames, ``frames.evaluate``), the motion becomes

    q(t) ⊕ W(t) (Q(t) ⊖ q(t)),     W = 1 where any g ≥ ½, 0 where all g = 0

so frames that no point reaches keep every bit. W is there because a limb that is held is kept a few degrees
from straight, also while next to nothing pulls at it.

A motion may be long and its points few: those that are near one another in time form a *group*, which knows
the motion about it and nothing else. In a loop a group acts over the seam, where its cycle goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poise import constraints
from poise.arrays import Array, IntArray
from poise.character import JointKind
from poise.constraints import Constraint
from poise.errors import InputError
from poise.handles import BodyOrientation
from poise.handles.place import point_of
from poise.kinematics import Kinematics
from poise.methods.key.frames.smoothed import LONGEST, over_folds
from poise.methods.key.sheet.easing import smooth
from poise.methods.key.sheet.key import TICK
from poise.methods.key.sheet.keyframes import Keyframes
from poise.methods.key.sheet.track import Track
from poise.motion import Clip
from poise.operations.retouch import HeldPoint
from poise.watching import Progress

STAYS = (0.9, 0.8, 0.7, 0.5, 0.25, 0.0)
"""How firmly the root stays where the motion has it while points are held: a limb bends rather than the whole
body going along. Of 0, 0.5, 0.9 and 0.97 the first is the one with which a boxer whose left hand is held for
half a second moves hips and feet least (2 and 1 cm; 21 cm without it). A point that a limb cannot keep so
takes the root along, as far as it must: with the first alone a fist held through a punch was 70 cm off."""
REACHED = 1e-3
"""A point that is nearer to its place is held [m]."""
SAMPLES = 12
"""In so many poses of each held interval it is looked whether the point is reached."""
ABOUT = 3.0 * LONGEST
"""So much of the motion on either side has to do with how a point is held [s]: ways over folds end there."""


@dataclass(frozen=True, eq=False)
class Group:
    """Points that are held near one another in time, and the motion about them."""

    clip: Clip
    held: tuple[HeldPoint, ...]
    """In order of their starts."""

    @property
    def reach(self) -> tuple[float, float]:
        """From when to when anything of it acts [s]."""
        return min(p.at[0] - p.fade for p in self.held), max(p.at[1] + p.fade for p in self.held)

    @cached_property
    def places(self) -> list[list[float]]:
        """Where each point is held [m]."""
        return [
            list(p.to) if p.to is not None else _pose(self.clip, p.at[0]).point(p.point)[0].tolist()
            for p in self.held
        ]

    @cached_property
    def document(self) -> Keyframes:
        """The motion about it as keys, with pins: the root stays as firmly as its points can be held with."""
        spans = [np.linspace(*self.within(p.at), SAMPLES) for p in self.held]
        times = np.unique(np.concatenate(spans))
        found: list[tuple[float, Keyframes]] = []
        for stays in STAYS:
            made = self.with_root(stays)
            off = self.missed(times, over_folds(made, made.evaluation.poses, times).poses(times))
            if off < REACHED or not self.rooted:
                return made
            found.append((off, made))
        return min(found, key=lambda each: each[0])[1]

    def within(self, interval: tuple[float, float]) -> tuple[float, float]:
        """As much of an interval as the motion goes [s]: all, in a loop."""
        if self.clip.loop:
            return interval
        first, last = np.clip(interval, 0.0, float(self.clip.times[-1])).tolist()
        return float(first), float(last)

    @property
    def rooted(self) -> bool:
        """Whether there is a root that could go along, and that is not held itself."""
        character = self.clip.character
        free = character.bodies[0].joint.kind in (JointKind.FREE, JointKind.PLANAR)
        return free and all(point_of(character, pin.point).body for pin in self.held)

    def missed(self, times: Array, q: Array) -> float:
        """How far a point is from where it is held, at most, in poses at times (T, nq) [m]."""
        kin = Kinematics(self.clip.character, q)
        off = [0.0]
        for pin, place in zip(self.held, self.places):
            held = (times >= pin.at[0] - TICK) & (times <= pin.at[1] + TICK)
            off.extend(np.linalg.norm(kin.point(pin.point)[held] - place, axis=1).tolist())
        return max(off)

    def with_root(self, stays: float) -> Keyframes:
        """The same with a root that stays so firmly."""
        clip, (first, last) = self.clip, self.reach
        low, high = (first - ABOUT) * float(clip.rate), (last + ABOUT) * float(clip.rate)
        numbers = np.arange(int(np.floor(low)), int(np.ceil(high)) + 1)
        if not clip.loop:
            numbers = numbers[(numbers >= 0) & (numbers < clip.frames)]
        times = numbers / float(clip.rate)
        q = _unrolled(clip, numbers)
        poses = dict(zip(times.tolist(), q))
        found = Keyframes(clip.character, Track.of(clip.character.manifold, poses), name=clip.name)
        root = clip.character.names[0]
        if self.rooted:
            ways = Kinematics(clip.character, q).point(root)
            found = found.pin(root, to=dict(zip(times.tolist(), ways.tolist())), gain=stays)
        for pin, place in zip(self.held, self.places):
            found = found.pin(pin.point, at=pin.at, to=place, fade=pin.fade)
            if pin.turn:
                found = found.pin(self.direction(pin), at=pin.at, fade=pin.fade)
        return found

    def direction(self, pin: HeldPoint) -> BodyOrientation:
        """Of the body that a held point is on."""
        character = self.clip.character
        return BodyOrientation(character.names[point_of(character, pin.point).body])

    def weight(self, times: Array) -> Array:
        """W (T,)."""
        found = np.zeros(len(times))
        for pin in self.held:
            beyond = np.maximum(np.maximum(pin.at[0] - times, times - pin.at[1]), 0.0)
            way = 2.0 * (1.0 - beyond / pin.fade) if pin.fade > TICK else (beyond < TICK).astype(float)
            found = np.maximum(found, smooth(way))
        return found

    def bent(self, times: Array, q: Array) -> Array:
        """Poses (T, nq) at times that it reaches, from those without it."""
        document, manifold = self.document, self.clip.character.manifold
        solved = over_folds(document, document.evaluation.poses, times).poses(times)
        weight = self.weight(times)
        way = manifold.minus(solved, q)
        found = np.asarray(manifold.plus(q, weight[:, None] * way))
        whole = weight >= 1.0
        found[whole] = solved[whole]
        return found


def groups(held: Sequence[HeldPoint], clip: Clip) -> list[Group]:
    """Points that act, by time."""
    for k, pin in enumerate(held):
        try:
            point_of(clip.character, pin.point)
        except InputError as problem:
            raise InputError(f"field 'held': entry {k}: {problem}") from None
    acting = sorted((p for p in held if not p.muted), key=lambda p: p.at)
    found: list[list[HeldPoint]] = []
    end = -np.inf
    for pin in acting:
        if pin.at[0] - pin.fade - ABOUT > end:
            found.append([])
        found[-1].append(pin)
        end = max(end, pin.at[1] + pin.fade)
    return [Group(clip, tuple(each)) for each in found]


def with_held(
    held: Sequence[HeldPoint],
    clip: Clip,
    frames: Sequence[int] | None = None,
    progress: Progress = lambda part: None,
) -> Array:
    """Configurations of all frames, or of some, (k, nq), of a motion with points held."""
    chosen = np.arange(clip.frames) if frames is None else np.asarray(frames)
    q = np.array(clip.q[chosen])
    done: NDArray[np.bool_] = np.zeros(len(chosen), dtype=np.bool_)
    found = groups(held, clip)
    for k, group in enumerate(found):
        first, last = group.reach
        for cycle in (0, 1, -1) if clip.loop else (0,):  # its own cycle, and over the seams
            times = clip.times[chosen] + cycle * clip.duration
            where = np.flatnonzero((times >= first - TICK) & (times <= last + TICK) & ~done)
            if len(where):
                here = clip.travel.apply(clip.character, clip.q[chosen[where]], cycle) if cycle else q[where]
                bent = group.bent(times[where], np.asarray(here))
                q[where] = clip.travel.apply(clip.character, bent, -cycle) if cycle else bent
                done[where] = True
        progress((k + 1) / len(found))
    return q


def demands(held: Sequence[HeldPoint], clip: Clip) -> list[Constraint]:
    """That every point is where it is held, as far as the clip goes."""
    last, found = float(clip.times[-1]), []
    for group in groups(held, clip):
        for pin, place in zip(group.held, group.places):
            first, end = max(pin.at[0], 0.0), min(pin.at[1], last)
            if first <= end:
                when = (first, end) if end > first else first
                name = f"{pin.point} held from {pin.at[0]:.2f} s"
                found.append(constraints.pin(pin.point, place, when, name=name))
                if pin.turn:
                    handle = group.direction(pin)
                    kept = handle.bind(clip.character).value(_pose(clip, pin.at[0]))[0]
                    found.append(constraints.oriented(handle.body, kept, when, name=f"direction of {name}"))
    return found


def carrying(held: Sequence[HeldPoint], clip: Clip, time: float) -> set[str]:
    """Joints that carry points held at a time: a key of theirs gives way."""
    found: set[str] = set()
    for pin in held:
        if pin.muted or not pin.at[0] - pin.fade <= time <= pin.at[1] + pin.fade:
            continue
        body = point_of(clip.character, pin.point).body
        while body >= 0:
            found.add(clip.character.names[body])
            body = int(clip.character.parents[body])
    return found


def _pose(clip: Clip, time: float) -> Kinematics:
    """Who is where at a time; beyond the ends of a motion that does not loop, as at its ends."""
    at = time if clip.loop else float(np.clip(time, 0.0, clip.times[-1]))
    return Kinematics(clip.character, clip.at(at))


def _unrolled(clip: Clip, numbers: IntArray) -> Array:
    """Poses of frames, counted on over the seams of a loop, (n, nq)."""
    if not clip.loop:
        return np.asarray(clip.q[numbers])
    q = np.asarray(clip.q[numbers % clip.frames])
    return np.asarray(clip.travel.apply(clip.character, q, numbers // clip.frames))
