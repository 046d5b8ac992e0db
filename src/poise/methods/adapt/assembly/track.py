"""Parts put one after another: where each is placed, and how one goes over into the next.

Between parts a and b there is a *passage*, from frame ``first`` to ``last`` of the track:

    overlap  both play; q = a ⊕ w (b ⊖ a) with the quintic w from 0 to 1, at rest at both ends
    touch    b plays; what is left of the gap in pose and velocity dies out (see ``motion.operators.offset``)
    gap      nothing plays; a cubic on the manifold from a's end to b's start, with their velocities

A part that *goes on* is placed by a turn about the vertical and a shift on the ground. The turn brings its
root onto that of the part before, in the middle of the passage. So does the shift, unless a foot stands in
both parts then: one that stands stays where it stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from poise.arrays import Array
from poise.constraints import FootPlace, FootPlant
from poise.manifold import so3
from poise.methods.adapt.assembly.standing import place_of_point, standing_at
from poise.methods.adapt.assembly.strip_motion import Part
from poise.motion import Clip
from poise.motion.operators.agreement import morphs_for
from poise.motion.operators.ground import FLAT, about_vertical, between, root_kind
from poise.motion.operators.offset import decaying, departing_rate, fading
from poise.motion.travel import Travel
from poise.operations.assemble import BLEND


@dataclass(frozen=True, eq=False)
class Passage:
    """The frames of the track in which one part goes over into the next."""

    before: int
    """The part that ends; the next one begins."""
    first: int
    last: int
    kind: str
    """``overlap``, ``touch`` or ``gap``."""

    @property
    def middle(self) -> int:
        """From this frame on feet stand where the next part has them."""
        return self.first if self.kind == "touch" else (self.first + self.last + 1) // 2


@dataclass(frozen=True, eq=False)
class Track:
    """The motion as it is before feet are held, with where everything came from."""

    clip: Clip
    parts: tuple[Part, ...]
    placed: tuple[Travel, ...]
    """How each part was moved on the ground."""
    passages: tuple[Passage, ...]
    start: int
    """The track's frame that is the first of the clip."""


def tracked(parts: list[Part]) -> Track:
    """All parts as one motion; it begins with the first part."""
    passages = [_passage(k, a, b) for k, (a, b) in enumerate(pairwise(parts))]
    # A strip that comes in during a passage finds it ended: three motions are never mixed.
    passages = [
        replace(p, last=min(p.last, parts[p.before + 2].first)) if p.before + 2 < len(parts) else p
        for p in passages
    ]
    placed = [Travel()]
    for passage, (a, b) in zip(passages, pairwise(parts)):
        placed.append(_placement(passage, a, placed[-1], b))
    who, leader, start = parts[0].clip.character, parts[0].clip, parts[0].first
    end = max(parts[-1].last, passages[-1].last if passages else 0)
    q = [np.asarray(travel.apply(who, part.clip.q, 1)) for part, travel in zip(parts, placed)]
    morphs = [morphs_for(leader, part.clip) for part in parts]
    out, weights = (
        np.empty((end - start + 1, leader.q.shape[1])),
        np.zeros((end - start + 1, morphs[0].shape[1])),
    )
    for k, part in enumerate(parts):
        low = part.first
        high = min(part.last, passages[k].last) if k < len(passages) else part.last
        out[low - start : high - start + 1] = q[k][: high - low + 1]
        weights[low - start : high - start + 1] = morphs[k][: high - low + 1]
        if k == 0:
            continue
        passage, gone = passages[k - 1], parts[k - 1]
        span = slice(passage.first - start, passage.last - start + 1)
        made = {"overlap": _overlapping, "touch": _touching, "gap": _bridging}[passage.kind]
        out[span], shares = made(passage, gone, q[k - 1], part, q[k])
        ended = np.minimum(np.arange(passage.first, passage.last + 1) - gone.first, len(q[k - 1]) - 1)
        begun = np.clip(np.arange(passage.first, passage.last + 1) - part.first, 0, len(q[k]) - 1)
        weights[span] = morphs[k - 1][ended] + shares * (morphs[k][begun] - morphs[k - 1][ended])
    names = dict.fromkeys(part.clip.name for part in parts if part.clip.name)
    clip = leader.with_frames(out, weights, loop=False, travel=None, name=" + ".join(names))
    return Track(clip, tuple(parts), tuple(placed), tuple(passages), start)


def _passage(number: int, a: Part, b: Part) -> Passage:
    frames_of = a.clip.rate
    asked = b.strip.blend
    if b.first > a.last + 1:
        return Passage(number, a.last, b.first, "gap")
    if b.first >= a.last:
        wanted = round((BLEND if asked is None else asked) * frames_of)
        return Passage(number, b.first, min(b.first + wanted, b.last), "touch")
    last = min(a.last, b.last)
    if asked is not None:
        last = min(last, b.first + max(round(asked * frames_of), 0))
    return Passage(number, b.first, last, "overlap")


def _placement(passage: Passage, a: Part, travel: Travel, b: Part) -> Travel:
    """How b is moved on the ground so that it goes on from a, which was moved by ``travel``."""
    if b.strip.place == "as filmed":
        return Travel()
    who, frame = a.clip.character, passage.middle
    here = np.asarray(travel.apply(who, a.clip.q, 1))[min(frame, a.last) - a.first]
    there = b.clip.q[max(frame - b.first, 0)]
    shift, yaw = between(who, there, here)
    shift = shift * FLAT
    common = [
        (one, other)
        for one in standing_at(a.plants, (min(frame, a.last) - a.first) / a.clip.fps)
        for other in standing_at(b.plants, max(frame - b.first, 0) / b.clip.fps)
        if set(one.intervals) & set(other.intervals)
    ]
    if common and root_kind(who).name == "FREE":
        wanted = []
        for one, other in common:
            point = next(p for p in one.intervals if p in other.intervals)
            ours, theirs = place_of_point(one, point), place_of_point(other, point)
            stays = so3.rotate(about_vertical(travel.yaw), ours) + np.asarray(travel.translation)
            wanted.append(stays - so3.rotate(about_vertical(yaw), theirs))
        shift = np.mean(wanted, axis=0) * FLAT
    return Travel(shift, float(yaw))


def _overlapping(passage: Passage, a: Part, qa: Array, b: Part, qb: Array) -> tuple[Array, Array]:
    """Both at once; configurations (P, nq) and shares of b (P, 1)."""
    frames = np.arange(passage.first, passage.last + 1)
    share = 1.0 - fading(1.0, (frames - passage.first) / max(passage.last - passage.first, 1))
    if passage.last == passage.first:
        share = np.ones((1, 1))
    ours, theirs = qa[frames - a.first], qb[frames - b.first]
    mixed = a.clip.character.manifold.interpolate(ours, theirs, share[:, 0])
    return np.where(share == 0.0, ours, np.where(share == 1.0, theirs, mixed)), share


def _touching(passage: Passage, a: Part, qa: Array, b: Part, qb: Array) -> tuple[Array, Array]:
    """The second alone, led from where the first ends."""
    manifold, rate = a.clip.character.manifold, float(a.clip.rate)
    frames = np.arange(passage.first, passage.last + 1)
    own, elapsed = qb[frames - b.first], (frames - passage.first) / rate
    span = (passage.last - passage.first) / rate
    if span == 0:
        return own, np.ones((len(frames), 1))
    before = a.clip.with_q(qa)
    v_end, v_start = before.sampler.velocity(before.duration), b.clip.with_q(qb).sampler.velocity(0.0)
    end = qa[-1]
    if b.first > a.last:  # the next frame: where the first would be by then
        end = manifold.plus(end, np.asarray(v_end) / rate)
    gap = manifold.minus(end, own[0])
    led = manifold.plus(own, decaying(gap, departing_rate(manifold, gap, v_start, v_end), span, elapsed))
    share = 1.0 - fading(span, elapsed)
    return np.where(elapsed[:, None] < span, led, own), share


def _bridging(passage: Passage, a: Part, qa: Array, b: Part, qb: Array) -> tuple[Array, Array]:
    """From the end of the first to the start of the second where nothing plays."""
    manifold, rate = a.clip.character.manifold, float(a.clip.rate)
    before, after = a.clip.with_q(qa), b.clip.with_q(qb)
    v_end, v_start = before.sampler.velocity(before.duration), after.sampler.velocity(0.0)
    span = (passage.last - passage.first) / rate
    s = (np.arange(passage.first, passage.last + 1) - passage.first)[:, None] / (passage.last - passage.first)
    way = manifold.minus(qb[0], qa[-1])
    w = s * s * (3 - 2 * s) * way + span * (s * (1 - s) ** 2 * v_end - s * s * (1 - s) * v_start)
    made = manifold.plus(np.broadcast_to(qa[-1], (len(s), qa.shape[1])), w)
    return np.where(s == 0.0, qa[-1], np.where(s == 1.0, qb[0], made)), s * s * (3 - 2 * s)


def placed_plant(plant: FootPlant, travel: Travel) -> FootPlant:
    """A plant moved on the ground with its part."""
    assert plant.place is not None
    x, y, yaw = plant.place
    shift = np.asarray(travel.translation)
    at = so3.rotate(about_vertical(travel.yaw), np.array([x, y, 0.0])) + shift
    return replace(
        plant,
        place=FootPlace(float(at[0]), float(at[1]), yaw + travel.yaw),
        height=plant.height + float(shift[2]),
    )
