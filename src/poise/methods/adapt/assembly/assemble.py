"""Assemble: strips put on a track, and feet held where they stand while one strip goes over into the next.

Half-way between two motions feet slide, as both do not put them in the same place. Who stands, and where, is
known from the parts: each part's plants hold while it leads, and a foot that stands in both parts across the
passage stands on. Only the frames about passages are changed; all others are the clips' own, placed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.constraints import Constraint, During, FootPlant, Report
from poise.constraints.report import measure
from poise.methods.adapt.adapt import adapted
from poise.methods.adapt.assembly.standing import SLACK, place_of_point, span_of
from poise.methods.adapt.assembly.strip_motion import Part
from poise.methods.adapt.assembly.track import Passage, Track, placed_plant, tracked
from poise.methods.adapt.plants.detect import LEG, leg_length
from poise.motion import Clip, operators
from poise.operations.adapt import Adapt
from poise.operations.result import Result
from poise.watching import Progress

STANDS = 5e-3
"""A foot that is held strays by no more [m]: what nobody sees."""
SAME = 0.12
"""Feet that stand nearer to one another in both parts, of a leg of 0.85 m, stand on; others step [m]."""
STEP = 0.24
"""How long such a step takes [s]."""
MARGIN = 0.3
"""The motion is changed so long before and after what is held [s]: a foot needs as long to get elsewhere."""
SHORT = 2
"""Fewer frames of standing are left to the blend."""


class AssembleResult(Result):
    """One motion of many clips.

    Examples:
        >>> strips = [{"clip": "walk", "loop": 2}, {"clip": "run", "at": 2.0, "loop": 2}]
        >>> print(poise.assemble(strips).spans)
    """

    def __init__(self, clip: Clip, report: Report, demands: tuple[Constraint, ...], track: Track) -> None:
        super().__init__(clip, report, demands=demands)
        self.track = track
        """What it was made of."""

    @property
    def spans(self) -> list[tuple[int, int]]:
        """First and last frame of each strip, in the order of time."""
        start = self.track.start
        return [(part.first - start, part.last - start) for part in self.track.parts]


def assembled(parts: list[Part], *, feet: bool, progress: Progress | None = None) -> AssembleResult:
    """The parts as one motion, with feet that stand."""
    track = tracked(parts)
    clip, warnings = track.clip, [f"{part.name}: {part.note}" for part in parts if part.note]
    for passage in track.passages:
        if passage.kind == "gap":
            length = (passage.last - passage.first) / clip.fps
            warnings.append(
                f"nothing plays for {length:.2f} s before {parts[passage.before + 1].name}: bridged"
            )
    held: list[FootPlant] = []
    if feet:
        plants, told = _plants(track)
        warnings += told
        windows = _windows(track, plants)
        for number, (low, high) in enumerate(windows):

            def done(part: float, number: int = number) -> None:
                if progress is not None:
                    progress((number + part) / len(windows))

            own = [p for plant in plants if (p := _within(plant, low, high, clip)) is not None]
            clip = _held(clip, low, high, own, done)
        zones = [_times(track, passage) for passage in track.passages]
        held = [p for p in plants if any(_meets(p, zone) for zone in zones)]
    demands = tuple(c for p in held for c in p.pins(clip.character, tolerance=STANDS))
    outcomes = tuple(measure(demand, clip) for demand in demands)
    report = Report(outcomes=outcomes, warnings=tuple(warnings), message=_told(track))
    return AssembleResult(clip, report, demands, track)


def _told(track: Track) -> str:
    count, frames = len(track.parts), track.clip.frames
    return f"{count} strip{'s' if count > 1 else ''}, {frames} frames"


def _times(track: Track, passage: Passage) -> tuple[float, float]:
    rate = float(track.clip.rate)
    return (passage.first - track.start) / rate, (passage.last - track.start) / rate


def _meets(plant: FootPlant, span: tuple[float, float]) -> bool:
    start, end = span_of(plant)
    return start <= span[1] and end >= span[0]


def _plants(track: Track) -> tuple[list[FootPlant], list[str]]:
    """Where feet stand on the track, each part's while it leads; and what has to step in words."""
    rate = float(track.clip.rate)
    found: list[FootPlant | None] = []
    warnings: list[str] = []
    open_: list[FootPlant] = []  # those of the part before that stand at the passage's middle
    for k, (part, travel) in enumerate(zip(track.parts, track.placed)):
        begins = (part.first - track.start) / rate
        low = _middle(track, k - 1) if k else begins
        high = _middle(track, k) if k < len(track.passages) else (part.last - track.start) / rate
        later: list[FootPlant] = []
        for plant in part.plants:
            moved = _shifted(placed_plant(plant, travel), begins)
            start, end = span_of(moved)
            if end < low - SLACK or start > high + SLACK:
                continue
            before = next((p for p in open_ if set(p.intervals) & set(moved.intervals)), None)
            kept: FootPlant | None = moved
            if k and start <= low + SLACK and before is not None:
                open_.remove(before)
                away = _apart(before, moved)
                if away <= SAME * leg_length(track.clip.character) / LEG:
                    kept = _joined(before, moved, low)
                else:
                    found.append(_cut(before, None, low - STEP / 2))
                    kept = _cut(moved, low + STEP / 2, None)
                    warnings.append(
                        f"{', '.join(before.intervals)} stands {100 * away:.0f} cm elsewhere in {part.name}: "
                        f"it steps over at {low:.2f} s; move the strip, or blend where both stand alike"
                    )
            else:
                kept = _cut(moved, low if k else None, None)
            if kept is None:
                continue
            if end >= high - SLACK and k < len(track.passages):
                later.append(kept)
            else:
                found.append(_cut(kept, None, high))
        found += [_cut(p, None, low) for p in open_]
        open_ = later
    named = [p for p in found if p is not None] + open_
    lasting = sorted((p for p in named if span_of(p)[1] - span_of(p)[0] >= SHORT / rate), key=span_of)
    called = [replace(p, name=f"stand {k} of {', '.join(p.intervals)}") for k, p in enumerate(lasting, 1)]
    return called, warnings


def _middle(track: Track, passage: int) -> float:
    return (track.passages[passage].middle - track.start) / float(track.clip.rate)


def _shifted(plant: FootPlant, by: float) -> FootPlant:
    when = {p: During(w.start + by, w.end + by) for p, w in plant.intervals.items() if isinstance(w, During)}
    return replace(plant, intervals=when)


def _cut(plant: FootPlant, start: float | None, end: float | None) -> FootPlant | None:
    """A plant from a time to a time; None where nothing is left. Its first point stays, if any does."""
    assert plant.marks is not None
    when, marks = {}, []
    for (point, w), mark in zip(plant.intervals.items(), plant.marks):
        assert isinstance(w, During)
        low = w.start if start is None else max(w.start, start)
        high = w.end if end is None else min(w.end, end)
        if low <= high:
            when[point] = During(low, high)
            marks.append(mark)
    return replace(plant, intervals=when, marks=tuple(marks)) if when else None


def _apart(one: FootPlant, other: FootPlant) -> float:
    """How far the same foot stands from itself [m]."""
    common = [p for p in one.intervals if p in other.intervals]
    ways = [place_of_point(one, p)[:2] - place_of_point(other, p)[:2] for p in common]
    return max(float(np.linalg.norm(way)) for way in ways)


def _joined(one: FootPlant, other: FootPlant, middle: float) -> FootPlant:
    """A foot that stands in both stands where the first has it, and leaves the ground as the second does."""
    assert one.place is not None
    assert one.marks is not None
    ends = {point: w.end for point, w in other.intervals.items() if isinstance(w, During)}
    when, marks = {}, list(one.marks)
    for point, w in one.intervals.items():
        assert isinstance(w, During)
        when[point] = During(w.start, max(ends.get(point, min(w.end, middle)), w.start))
    c, s = np.cos(one.place.yaw), np.sin(one.place.yaw)
    common = next(p for p in one.intervals if p in other.intervals)
    away = place_of_point(one, common) - place_of_point(other, common)
    for point, w in other.intervals.items():
        assert isinstance(w, During)
        if point not in when:
            x, y, z = place_of_point(other, point) + away - [one.place.x, one.place.y, one.height]
            when[point] = w
            marks.append((float(c * x + s * y), float(-s * x + c * y), float(z)))
    return replace(one, intervals=when, marks=tuple(marks))


def _windows(track: Track, plants: Sequence[FootPlant]) -> list[tuple[int, int]]:
    """Stretches of frames that are changed: passages with what stands in them, and some time around."""
    clip = track.clip
    found: list[tuple[int, int]] = []
    for passage in track.passages:
        low, high = _times(track, passage)
        touching = [span_of(p) for p in plants if _meets(p, (low, high))]
        if not touching:
            continue
        low, high = min(low, *(a for a, _ in touching)), max(high, *(b for _, b in touching))
        first = max(int(np.floor((low - MARGIN) * clip.fps)), 0)
        last = min(int(np.ceil((high + MARGIN) * clip.fps)), clip.frames - 1)
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def _within(plant: FootPlant, low: int, high: int, clip: Clip) -> FootPlant | None:
    """What of a plant lies in a window, in the window's time."""
    cut = _cut(plant, low / clip.fps, high / clip.fps)
    if cut is None or span_of(cut)[1] - span_of(cut)[0] < SHORT / clip.fps:
        return None
    return _cut_short(_shifted(cut, -low / clip.fps), clip)


def _cut_short(plant: FootPlant, clip: Clip) -> FootPlant | None:
    """Without points that stand for no frame."""
    when, marks = {}, []
    for (point, w), mark in zip(plant.intervals.items(), plant.marks or ()):
        assert isinstance(w, During)
        if np.floor(w.end * clip.fps + 1e-6) >= np.ceil(w.start * clip.fps - 1e-6):
            when[point] = w
            marks.append(mark)
    return replace(plant, intervals=when, marks=tuple(marks)) if when else None


def _held(clip: Clip, low: int, high: int, plants: list[FootPlant], progress: Progress) -> Clip:
    """The clip with what stands in a window held there; its first and last frame stay."""
    part = operators.trim(clip, frames=(low, high))
    asked = Adapt(plants=False, floor=True, ends="zero")
    found = adapted(part, plants, asked, progress=progress).clip
    q = np.array(clip.q)
    q[low : high + 1] = found.q
    return clip.with_q(q, morphs=clip.morphs)
