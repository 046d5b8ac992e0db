"""Collision-aware windows: a frame remembers what its character ran into.

A kinodynamic state at t knows only what happens in its window [t − δ, t]. Soon after a hit the window no
longer holds it, or starts in the middle of it, perhaps with the animated hand inside the wall. So contact
events are found in one continuous run, and a frame on which an event e still has effect gets the window

    δ(t) ← t − s_e,  s_e = t_start(e) − 2 δ(t_start(e)),  while t < t_fades(e) or the window holds part of e,

s_e being moved back further where the animation itself overlaps an obstacle. The run from s_e on has
forgotten its start when the hit comes: better than after one δ, since a hit magnifies what is left (a hand
sticks or slides). All frames of an event share s_e, so one run serves them.

The effect itself is an edit like any other, a tangent vector: what contact changes in MuJoCo's run, put on
the frame that ``loosen`` gives,

    x(t) = x_KD(t) ⊕ (x_contact(t) ⊖ x_free(t)),

so frames that touch nothing are those of ``loosen`` to the bit, and none jumps because another integrator
took over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array, checked
from poise.errors import InputError
from poise.methods.loosen.contact.events import ContactEvent, Overlap, events_of, overlaps_of
from poise.methods.loosen.contact.run import ContactOptions, ContactRun
from poise.methods.loosen.contact.surfaces import Around, surroundings
from poise.methods.loosen.simulate.plants import Plant
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.window.windows import windows_of
from poise.motion import Clip
from poise.operations.loosen import Loosen
from poise.watching import Cancel, Progress, watcher

LEAD = 2.0
"""How many windows before an event the lengthened window starts."""
FINDING = 0.5
"""Part of the work that is finding the contacts."""


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
    effect: Array
    """What contact changes: ``clip`` is what ``loosen`` gives, ⊕ this; (F, nv)."""
    plants: tuple[Plant, ...] = ()
    """Parts that stay where they touch in the animation."""


def lengthened(
    windows: ArrayLike,
    events: Sequence[ContactEvent],
    clip: Clip,
    *,
    decay: float | None = None,
    lead: float = LEAD,
    longest: float = np.inf,
    overlaps: Sequence[Overlap] = (),
) -> tuple[Array, list[Lengthening]]:
    """Windows (F,) [s] that hold every event still felt, and where and why they grew.

    An event is felt until it ``fades``, or for ``decay`` seconds after its end. The window then starts
    ``lead`` windows before the event, and not inside one of the ``overlaps`` that can be felt, if there is a
    frame before it. Where events follow so closely that windows chain back without end (feet on a floor),
    ``longest`` cuts them [s]; the report says so.
    """
    base = checked(windows, "windows", (clip.frames,))
    if (base <= 0).any():
        raise InputError(f"a window must be positive, not {base.min():g} s")
    if decay is not None and not (np.isfinite(decay) and decay >= 0):
        raise InputError(f"decay must be finite and not negative, not {decay}")
    if not (np.isfinite(lead) and lead > 0):
        raise InputError(f"lead must be positive and finite, not {lead}")
    if not longest > 0:
        raise InputError(f"the longest window must be positive, not {longest} s")
    begins = [_clear(e.start - lead * _window_at(base, e.start, clip), overlaps, clip) for e in events]
    out, causes, cut = base.copy(), [-1] * clip.frames, [False] * clip.frames
    for k, t in enumerate(clip.times):
        begin, grew = t - base[k], True
        while grew:
            grew = False
            for i, event in enumerate(events):
                last = event.fades if decay is None else event.end + decay
                if event.start < t and (begin < event.end or t < last) and begins[i] < begin - 1e-9:
                    begin, grew, causes[k] = begins[i], True, i
        if causes[k] >= 0:
            out[k] = max(base[k], min(t - begin, longest))
            cut[k] = t - begin > longest
    return out, _told(base, out, causes, cut, events, clip, decay)


def loosened_among(
    clip: Clip,
    asked: Loosen,
    around: Around | None = None,
    *,
    contact: ContactOptions | None = None,
    lengthen: bool = True,
    longest: float = np.inf,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    plants: tuple[Plant, ...] | None = None,
) -> ContactResult:
    """A clip loosened among its obstacles, or what is ``around``. Each frame is a window of its own: in any
    order, the same bits.

    ``lengthen=False`` keeps the windows as they are, to see what is lost; ``longest`` cuts them [s].
    ``plants``: parts that touch, where they are known.
    ``progress`` is told the part done, ``cancel`` may end the call with ``CancelledError``.
    """
    tell = watcher("the search for contacts", progress, cancel)
    tell(0.0)
    simulator = Simulator(clip, asked.spec, asked, plants=plants)
    base = windows_of(simulator, asked.window)
    touched = contact or ContactOptions(bodies=asked.touching)
    around = around or surroundings(asked, clip)
    run = ContactRun(clip, asked.spec, around.surfaces, asked, touched)
    run.told = lambda part: tell(FINDING * part)
    events, inside = events_of(run), overlaps_of(run)
    windows, report = lengthened(base, [], clip)
    if lengthen:
        windows, report = lengthened(base, events, clip, longest=longest, overlaps=inside)
    held = np.array(
        [any(e.start < t and t - w < e.end for e in events) for t, w in zip(clip.times, windows)], dtype=bool
    )
    q, _ = simulator.states(clip.times, windows)
    effect = np.zeros((clip.frames, clip.character.nv))
    if held.any():
        run.told = lambda part: tell(FINDING + (1 - FINDING) * part)
        manifold, times = clip.character.manifold, clip.times[held]
        struck, _ = run.states(times, windows[held])
        free, _ = run.simulator.states(times, windows[held])
        effect[held] = manifold.minus(struck, free)
        if simulator.held.shares is not None:
            effect[held] *= simulator.held.shares(times)  # keyed joints and planted feet stay
        q[held] = manifold.plus(q[held], effect[held])
    notes = (*around.notes, *_notes(run, events, inside))
    return ContactResult(
        clip.with_q(q), tuple(events), windows, tuple(report), notes, held, effect, simulator.plants
    )


# Inside --------------------------------------------------------------------------------------


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
    cut: Sequence[bool],
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
        if any(cut[span]):
            reason += "; cut to the longest window allowed"
        report.append(
            Lengthening(first, k - 1, float(base[span].max()), float(out[span].max()), event, reason)
        )
    return report


def _notes(run: ContactRun, events: Sequence[ContactEvent], inside: Sequence[Overlap]) -> tuple[str, ...]:
    clip, notes = run.clip, []
    for o in inside:
        if not o.yields:
            notes.append(
                f"{o.body} moves as animated and goes through {o.surface!r} "
                f"from {o.start:.3f} to {o.end:.3f} s; root='driven' lets it yield"
            )
        elif o.start <= run.frame_range.start * clip.dt:
            notes.append(f"{o.body} is inside {o.surface!r} when the motion begins")
    if clip.loop and events and not clip.travel.still:
        notes.append("the loop moves on but the obstacles do not: it meets them in one cycle only")
    return tuple(notes)
