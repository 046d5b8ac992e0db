"""Collision-aware windows: a frame remembers what its character ran into.

A kinodynamic state at t knows only what happens in its window [t − δ, t]. Soon after a hit the window no longer
holds it, or starts in the middle of it, perhaps with the animated hand inside the wall. So contact events are
found in one continuous run, and a frame on which an event e still has effect gets the window

    δ(t) ← t − s_e,    s_e = t_start(e) − δ(t_start(e)),    while t < t_fades(e) or the window holds part of e,

s_e being moved back further where the animation itself overlaps an obstacle. The run from s_e on has forgotten
its start, to the window's own accuracy, when the hit comes. All frames of an event share s_e: one run serves them.

The effect itself is an edit like any other, a tangent vector: what contact changes in MuJoCo's run, put on the
frame that ``loosen`` gives,

    x(t) = x_KD(t) ⊕ (x_contact(t) ⊖ x_free(t)),

so frames that touch nothing are those of ``loosen`` to the bit, and none jumps because another integrator took over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array, checked
from poise.character import Character
from poise.errors import InputError
from poise.kinematics import forward
from poise.methods.kinodynamics.contact_run import ContactOptions, ContactRun, Touch
from poise.methods.kinodynamics.loosen import Window, windows_of
from poise.methods.kinodynamics.obstacle import Obstacle
from poise.methods.kinodynamics.simulator import Options, Simulator
from poise.methods.kinodynamics.tension import Keyed, Spec
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class ContactEvent:
    """A body against an obstacle, from the first touch to the last."""

    start: float
    end: float
    """[s]; before 0 in the cycle that precedes a loop."""
    body: str
    obstacle: str
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
        return f"{self.body} on {self.obstacle!r}, {self.start:.3f}–{self.end:.3f} s, {push:.3g} N·s"


@dataclass(frozen=True)
class Overlap:
    """A body inside an obstacle in the animation itself, from one frame to another."""

    start: float
    end: float
    """Times of the first and last such frame [s]."""
    body: str
    obstacle: str
    yields: bool
    """False: the body moves as told and feels nothing of it."""


@dataclass(frozen=True, eq=False)
class Lengthening:
    """Consecutive frames whose windows reach back to one event."""

    first: int
    last: int
    """Frames."""
    before: float
    after: float
    """Longest window without and with it [s]."""
    event: ContactEvent
    """The earliest event that the windows reach back to."""
    reason: str

    def __str__(self) -> str:
        return (
            f"frames {self.first}–{self.last}: window {self.before:.3f} s → up to {self.after:.3f} s, "
            f"back to before {self.event}: {self.reason}"
        )


@dataclass(frozen=True, eq=False)
class ContactResult:
    """A loosened clip that collides."""

    clip: Clip
    events: tuple[ContactEvent, ...]
    windows: Array
    """Window of each frame [s], (F,)."""
    report: tuple[Lengthening, ...]
    notes: tuple[str, ...]
    """What could not be honoured."""
    simulated: NDArray[np.bool_]
    """Frames whose window holds contact and was simulated with it, (F,)."""


def contacts(
    clip: Clip,
    tension: Spec | Keyed,
    obstacles: Sequence[Obstacle],
    *,
    contact: ContactOptions | None = None,
    **options: Any,
) -> list[ContactEvent]:
    """What the loosened character runs into, in order of time, found by one continuous simulation.

    ``options`` are those of ``Options``. A loop is run twice, for what happens before its first frame.
    """
    return events_of(ContactRun(clip, tension, obstacles, Options(**options), contact))


def overlaps(run: ContactRun) -> list[Overlap]:
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
        if not len(felt):
            fades = end
        elif felt[-1] < after[-1]:
            fades = float(times[felt[-1] + 1])
        # else it is still felt when the next event comes, and lasts as long as that one's effect
        later = min(later, start)
        found.append(_event(run, group, start, end, max(fades, end)))
    return sorted(found, key=lambda e: (e.start, e.end))


def lengthened(
    windows: ArrayLike,
    events: Sequence[ContactEvent],
    clip: Clip,
    *,
    decay: float | None = None,
    overlaps: Sequence[Overlap] = (),
) -> tuple[Array, list[Lengthening]]:
    """Windows (F,) [s] that hold every event still felt, and where and why they grew.

    An event is felt until it ``fades``, or for ``decay`` seconds after its end. No window then starts inside
    one of the ``overlaps`` that can be felt, if there is a frame before it.
    """
    base = checked(windows, "windows", (clip.frames,))
    if (base <= 0).any():
        raise InputError(f"a window must be positive, not {base.min():g} s")
    if decay is not None and not (np.isfinite(decay) and decay >= 0):
        raise InputError(f"decay must be finite and not negative, not {decay}")
    begins = [_clear(e.start - _window_at(base, e.start, clip), overlaps, clip) for e in events]
    out, causes = base.copy(), [-1] * clip.frames
    for k, t in enumerate(clip.times):
        begin, grew = t - base[k], True
        while grew:
            grew = False
            for i, event in enumerate(events):
                last = event.fades if decay is None else event.end + decay
                if event.start < t and (begin < event.end or t < last) and begins[i] < begin - 1e-9:
                    begin, grew, causes[k] = begins[i], True, i
        if causes[k] >= 0:
            out[k] = t - begin
    return out, _told(base, out, causes, events, clip, decay)


def loosen_with_obstacles(
    clip: Clip,
    obstacles: Sequence[Obstacle],
    tension: Spec | Keyed = "relaxed",
    window: Window = "auto",
    *,
    contact: ContactOptions | None = None,
    lengthen: bool = True,
    **options: Any,
) -> ContactResult:
    """``loosen`` among obstacles. Each frame is a window of its own: any order, the same bits.

    ``lengthen=False`` keeps the windows as they are, to see what is lost.
    """
    simulator = Simulator(clip, tension, Options(**options))
    base = windows_of(simulator, window)
    run = ContactRun(clip, tension, obstacles, simulator.options, contact)
    events, inside = events_of(run), overlaps(run)
    windows, report = lengthened(base, events, clip, overlaps=inside) if lengthen else (base, [])
    held = np.array(
        [any(e.start < t and t - w < e.end for e in events) for t, w in zip(clip.times, windows)], dtype=bool
    )
    q, _ = simulator.states(clip.times, windows)
    if held.any():
        manifold, times = clip.character.manifold, clip.times[held]
        struck, _ = run.states(times, windows[held])
        free, _ = run.simulator.states(times, windows[held])
        q[held] = manifold.plus(q[held], manifold.minus(struck, free))
    notes = _notes(run, events, inside)
    return ContactResult(clip.with_q(q), tuple(events), windows, tuple(report), notes, held)


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


def _window_at(windows: Array, time: float, clip: Clip) -> float:
    """The window of the frame that shows a time first."""
    frame = int(np.ceil(time * clip.fps - 1e-9))
    return float(windows[frame % clip.frames if clip.loop else min(max(frame, 0), clip.frames - 1)])


def _clear(begin: float, overlaps: Sequence[Overlap], clip: Clip) -> float:
    """The latest time not after ``begin`` at which no overlap that is felt lasts."""
    for overlap in sorted((o for o in overlaps if o.yields), key=lambda o: -o.end):
        if overlap.start - clip.dt < begin < overlap.end + clip.dt:
            begin = overlap.start - clip.dt
    return begin


def _told(
    base: Array,
    out: Array,
    causes: Sequence[int],
    events: Sequence[ContactEvent],
    clip: Clip,
    decay: float | None,
) -> list[Lengthening]:
    """The report: runs of frames with one cause."""
    report: list[Lengthening] = []
    k = 0
    while k < len(causes):
        first, cause = k, causes[k]
        while k < len(causes) and causes[k] == cause:
            k += 1
        if cause < 0:
            continue
        event, span = events[cause], slice(first, k)
        last = event.fades if decay is None else event.end + decay
        if not np.isfinite(last):
            reason = "it is felt to the end of the clip"
        elif clip.times[k - 1] < last or last > event.end:
            reason = f"it is felt until {last:.3f} s"
        else:
            reason = "it lies in their windows"
        report.append(
            Lengthening(first, k - 1, float(base[span].max()), float(out[span].max()), event, reason)
        )
    return report


def _notes(run: ContactRun, events: Sequence[ContactEvent], inside: Sequence[Overlap]) -> tuple[str, ...]:
    clip, notes = run.clip, []
    for o in inside:
        if not o.yields:
            notes.append(
                f"{o.body} moves as animated and goes through {o.obstacle!r} from {o.start:.3f} to {o.end:.3f} s; "
                "root='driven' lets it yield"
            )
        elif o.start <= run.frame_range.start * clip.dt:
            notes.append(f"{o.body} is inside {o.obstacle!r} when the motion begins")
    if clip.loop and events and (np.any(clip.travel.repeated(1.0)[0]) or clip.travel.repeated(1.0)[1]):
        notes.append("the loop moves on but the obstacles do not: it meets them in one cycle only")
    return tuple(notes)
