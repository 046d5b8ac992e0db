"""Contact events: what a loosened character runs into, when, how hard, and for how long it is felt.

They come from one continuous run with obstacles, compared with the same run without: an event has faded when
no part of the character is further than the tolerance from where it would be. If it has not when the next
one comes, it fades with that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.kinematics import forward
from poise.methods.loosen.contact.run import ContactOptions, ContactRun
from poise.methods.loosen.contact.step import Touch
from poise.methods.loosen.contact.surfaces import surroundings
from poise.motion import Clip
from poise.operations.loosen import Loosen


@dataclass(frozen=True, eq=False)
class ContactEvent:
    """A body against an obstacle, from the first touch to the last."""

    start: float
    end: float
    """[s]; before 0 in the cycle that precedes a loop."""
    body: str
    surface: str
    impulse: Array
    """What the obstacle gave the body [N·s], world axes, (3,)."""
    position: Array
    """Where they first touched [m], (3,)."""
    depth: float
    """Deepest overlap [m]."""
    fades: float
    """When the character is back where it would be without any contact [s]; inf: not within the clip."""

    def __str__(self) -> str:
        push = float(np.linalg.norm(self.impulse))
        return f"{self.body} on {self.surface!r}, {self.start:.3f}–{self.end:.3f} s, {push:.3g} N·s"


@dataclass(frozen=True)
class Overlap:
    """A body inside an obstacle in the animation itself, from one frame to another."""

    start: float
    end: float
    """Times of the first and last such frame [s]."""
    body: str
    surface: str
    yields: bool
    """False: the body moves as told and feels nothing of it."""


def contacts(clip: Clip, asked: Loosen, *, contact: ContactOptions | None = None) -> list[ContactEvent]:
    """What the loosened character runs into, in order of time, found by one continuous simulation.

    A loop is run twice, for what happens before its first frame.
    """
    touched = contact or ContactOptions(bodies=asked.touching)
    return events_of(ContactRun(clip, asked.spec, surroundings(asked, clip).surfaces, asked, touched))


def overlaps_of(run: ContactRun) -> list[Overlap]:
    """Where the animation itself goes through obstacles."""
    clip, frames = run.clip, run.frame_range
    found: list[Overlap] = []
    open_pairs: dict[tuple[int, int], int] = {}
    for k, pairs in zip([*frames, frames.stop], [*run.overlaps(), []]):
        for pair in [p for p in open_pairs if p not in pairs]:
            start, (body, obstacle) = open_pairs.pop(pair), pair
            names = clip.character.names[body], run.obstacles[obstacle].name
            found.append(Overlap(start * clip.dt, (k - 1) * clip.dt, *names, bool(run.yielding[body])))
        for pair in pairs:
            open_pairs.setdefault(pair, k)
    return sorted(found, key=lambda o: (o.start, o.end))


def events_of(run: ContactRun) -> list[ContactEvent]:
    """Touches of a continuous run gathered into events, and how long each is felt."""
    disturbed, touches = run.continuous()
    if not touches:
        return []
    free, _ = run.continuous(touching=False)
    effect = _distance(run.clip.character, disturbed, free)  # (R,)
    times = np.array(run.frame_range) * run.clip.dt
    groups = _gathered(touches, max(1, round(run.contact.gap / run.h)))
    found: list[ContactEvent] = []
    later, fades = np.inf, np.inf
    for group in reversed(groups):
        start, end = group[0].row * run.h, (group[-1].row + 1) * run.h
        after = np.flatnonzero((times >= end) & (times < later))
        felt = after[effect[after] > run.contact.tolerance]
        if len(after) and not len(felt):
            fades = end
        elif len(felt) and felt[-1] < after[-1]:
            fades = float(times[felt[-1] + 1])
        # Else it is still felt, or still lasts, when the next event comes, and is felt as long as that one.
        later = min(later, start)
        found.append(_event(run, group, start, end, max(fades, end)))
    return sorted(found, key=lambda e: (e.start, e.end))


# Inside --------------------------------------------------------------------------------------


def _gathered(touches: Sequence[Touch], gap: int) -> list[list[Touch]]:
    """Touches of one body and one obstacle with no longer pause than ``gap`` steps, by their start."""
    groups: list[list[Touch]] = []
    current: dict[tuple[int, int], list[Touch]] = {}
    for touch in touches:
        pair = (touch.body, touch.obstacle)
        group = current.get(pair)
        if group is None or touch.row - group[-1].row > gap:
            group = current[pair] = []
            groups.append(group)
        group.append(touch)
    return sorted(groups, key=lambda g: (g[0].row, g[-1].row))


def _event(run: ContactRun, group: Sequence[Touch], start: float, end: float, fades: float) -> ContactEvent:
    first = group[0]
    return ContactEvent(
        start,
        end,
        run.clip.character.names[first.body],
        run.obstacles[first.obstacle].name,
        np.sum([t.force for t in group], axis=0) * run.h,
        first.position,
        max(t.depth for t in group),
        fades,
    )


def _distance(character: Character, a: Array, b: Array) -> Array:
    """Greatest distance between the same parts in two motions [m], (F,)."""
    one, other = forward(character, a), forward(character, b)
    furthest = np.zeros(len(a))
    for i, body in enumerate(character.bodies):
        # The origin of a body on a hinge stays where it is when the body turns: look at what it carries too.
        marks = [np.zeros(3), np.asarray(body.mass.centre), *(np.asarray(s.position) for s in body.shapes)]
        local = np.array([*marks, *(np.asarray(p) for p in body.points.values())])  # (P, 3)
        shift = (one.rotations[:, i] - other.rotations[:, i]) @ local.T  # (F, 3, P)
        apart = (one.positions[:, i] - other.positions[:, i])[:, :, None] + shift
        furthest = np.maximum(furthest, np.linalg.norm(apart, axis=1).max(axis=1))
    return furthest
