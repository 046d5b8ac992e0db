"""Phases: the clip cut where what touches the floor changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poise.arrays import IntArray
from poise.contacts.ballistics import Parabola
from poise.contacts.differentiated_clip import Take, runs
from poise.plausibility.contact_points import Touching
from poise.plausibility.contacts import BRIEF, Contacts


@dataclass(frozen=True)
class Contact:
    """One part touching the floor without interruption."""

    part: str
    start: int
    end: int
    """First and last frame of the clip; beyond the ends of a loop those of neighbouring cycles."""
    points: tuple[str, ...]
    """Which of its points do at some time."""
    bodies: tuple[str, ...]
    """The bodies that they are on."""


@dataclass(frozen=True)
class Phase:
    """A stretch of frames of one kind."""

    kind: str
    """ "support", "flight" or "unexplained"."""
    start: int
    end: int
    seconds: float
    """A flight counts from half a frame before its first frame to half a frame after its last."""
    parts: tuple[str, ...]
    """What touches; of an unexplained phase, what is still enough to be held by something."""
    sliding: bool = False
    """Whether what touches is too fast to stand, in most of the phase."""
    parabola: Parabola | None = None
    """Of a flight; its frames are the clip's."""
    score: float = 1.0
    """The worst of its findings'."""

    @property
    def words(self) -> str:
        """What happens, in words."""
        return describe(self)


def describe(phase: Phase) -> str:
    """A phase in words."""
    parts = " and ".join(phase.parts)
    match phase.kind:
        case "flight":
            g = phase.parabola
            return "flight" + (f", implied gravity {g.gravity:.2f} ± {g.uncertainty:.2f} m/s²" if g else "")
        case "unexplained":
            return "held by something unseen" + (f", perhaps at the {parts}" if parts else "")
        case _:
            return f"{'slides' if phase.sliding else 'stands'} on {parts}"


def contact_list(take: Take, touch: Touching, contact: Contacts) -> tuple[Contact, ...]:
    """Contacts of parts that begin within the clip (of a plain clip: all)."""
    found = []
    names = take.clip.character.names
    for k, part in enumerate(touch.parts):
        own = touch.of_part(k)
        for a, b in runs(contact.touching[:, own].any(axis=1)):
            if not counts(take, a, b):
                continue
            a, b = _within(take, a, b)
            points = [p for p in own if contact.touching[a : b + 1, p].any()]
            bodies = dict.fromkeys(names[int(touch.body[p])] for p in points)
            found.append(
                Contact(
                    part, a - take.lead, b - take.lead, tuple(touch.names[p] for p in points), tuple(bodies)
                )
            )
    return tuple(sorted(found, key=lambda c: (c.start, c.part)))


def counts(take: Take, start: int, end: int) -> bool:
    """Whether a stretch of the take is the clip's: it begins within, or covers all of a loop."""
    own = take.own
    return own.start <= start < own.stop or (start == 0 and end == take.frames - 1 and take.lead > 0)


def _within(take: Take, start: int, end: int) -> tuple[int, int]:
    """What never changes in a loop is said once; a rest pose before the motion is no part of it."""
    endless = take.lead > 0 and start == 0 and end == take.frames - 1
    start, end = (take.own.start, take.own.stop - 1) if endless else (start, end)
    return (start + 1 if take.late_start and start == take.own.start < end else start), end


def phases(take: Take, touch: Touching, contact: Contacts) -> tuple[Phase, ...]:
    """The take cut into phases."""
    label = np.zeros(take.frames, dtype=np.int64)  # 0: support
    for a, b, _ in contact.flights:
        label[a : b + 1] = 1
    for a, b, _ in contact.unexplained:
        label[a : b + 1] = 2
    touched = np.stack(
        [contact.touching[:, touch.of_part(k)].any(axis=1) for k in range(len(touch.parts))], axis=1
    )
    change = (np.diff(label) != 0) | (touched[1:] != touched[:-1]).any(axis=1)
    cuts = _without_brief([0, *(int(i) + 1 for i in np.flatnonzero(change)), take.frames], label, take.dt)
    found = []
    lead, dt = take.lead, take.dt
    fits = {a: fit for a, _, fit in contact.flights}
    still = {a: parts for a, _, parts in contact.unexplained}
    for a, b in zip(cuts[:-1], [c - 1 for c in cuts[1:]]):
        if not counts(take, a, b):
            continue
        fit, held = fits.get(a), still.get(a, ())
        a, b = _within(take, a, b)
        kind = ("support", "flight", "unexplained")[label[a]]
        shifted = replace(fit, start=fit.start - lead, end=fit.end - lead) if fit else None
        down = touched[a : b + 1].mean(axis=0) > 0.5
        parts = held if kind == "unexplained" else tuple(np.array(touch.parts)[down].tolist())
        sliding = kind == "support" and float(contact.sliding[a : b + 1].mean()) > 0.5
        found.append(Phase(kind, a - lead, b - lead, (b - a + 1) * dt, parts, sliding, shifted))
    return tuple(found)


def _without_brief(cuts: list[int], label: IntArray, dt: float) -> list[int]:
    """Cuts without the supports that are too short to mean anything: they join their longer neighbour."""
    cuts = list(cuts)
    k = 0
    while k < len(cuts) - 1:
        a, b = cuts[k], cuts[k + 1]
        before = k > 0 and label[a - 1] == label[a]
        after = b < cuts[-1] and label[b] == label[a]
        if label[a] or (b - a) * dt >= BRIEF or not (before or after):
            k += 1
            continue
        longer_before = before and (not after or a - cuts[k - 1] >= cuts[k + 2] - b)
        del cuts[k if longer_before else k + 1]
        k = max(k - 1, 0)
    return cuts


def plain(phase: Phase) -> dict[str, Any]:
    """A phase as plain data."""
    fit = phase.parabola
    flight = None
    if fit is not None:
        flight = {
            "fit_start": fit.start,
            "fit_end": fit.end,
            "gravity": fit.gravity,
            "uncertainty": fit.uncertainty,
            "speed_ratio": fit.ratio,
            "horizontal_acceleration": list(fit.drift),
            "velocity": list(fit.velocity),
            "origin": list(fit.origin),
            "residual_m": fit.residual,
        }
    return {
        "kind": phase.kind,
        "start": phase.start,
        "end": phase.end,
        "seconds": phase.seconds,
        "parts": list(phase.parts),
        "sliding": phase.sliding,
        "flight": flight,
        "score": phase.score,
        "words": phase.words,
    }
