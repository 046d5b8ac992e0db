"""Phases: the clip cut where what touches changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poise.arrays import IntArray
from poise.contacts.ballistics import Parabola, flight_within, parabola, reweighed
from poise.contacts.differentiated_clip import Mask, Take, runs
from poise.contacts.mass_doubt import mass_doubt
from poise.contacts.support import Flight
from poise.plausibility.footing import Footing

BRIEF = 0.05
"""Supports shorter than this are noise [s]."""
DOUBT = 2.0, 0.1
"""Gravity of a captured flight that lasts this long [s] is unsure by so much [m/s²]; of a longer one by its
square less."""
LOST = 0.3
"""What is left beyond this is not explained [weights]."""


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
    """What touches; of an unexplained phase, what something unseen may hold."""
    parabola: Parabola | None = None
    """Of a flight, at the speed at which the clip plays; its frames are the clip's."""
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
            return f"carried by {parts}" if parts else "carried"


def counts(take: Take, start: int, end: int) -> bool:
    """Whether a stretch of the take is the clip's: it begins within, or covers all of a loop."""
    own = take.own
    return own.start <= start < own.stop or (start == 0 and end == take.frames - 1 and take.lead > 0)


def within(take: Take, start: int, end: int) -> tuple[int, int]:
    """What never changes in a loop is said once."""
    endless = take.lead > 0 and start == 0 and end == take.frames - 1
    return (take.own.start, take.own.stop - 1) if endless else (start, end)


def phases(footing: Footing) -> tuple[Phase, ...]:
    """The motion cut into phases; what is bolted to the world has one."""
    take = footing.take
    if footing.bolted:
        last = take.clip.frames - 1
        return (Phase("support", 0, last, (last + 1) * take.dt, (take.clip.character.names[0],)),)
    label = np.zeros(take.frames, dtype=np.int64)  # 0: support
    flown = _flights(footing, label)
    parts = footing.patches.parts
    touched = np.stack([footing.part_touches(p) for p in parts], axis=1)
    touched &= (label != 1)[:, None]
    _unseen(footing, label, touched)
    change = (np.diff(label) != 0) | (touched[1:] != touched[:-1]).any(axis=1)
    inside = np.flatnonzero(footing.belongs)
    first, last = int(inside[0]), int(inside[-1]) + 1
    own = [int(i) + 1 for i in np.flatnonzero(change) if first < i + 1 < last]
    found = []
    for a, b in zip(*_pairs(_without_brief([first, *own, last], label, take.dt))):
        if not counts(take, a, b):
            continue
        fit = flown.get(a)
        held = _held(footing, a, b)
        a, b = within(take, a, b)
        kind = ("support", "flight", "unexplained")[label[a]]
        down = touched[a : b + 1].mean(axis=0) > 0.5
        names = held if kind == "unexplained" else tuple(np.array(parts)[down].tolist())
        found.append(Phase(kind, a - take.lead, b - take.lead, (b - a + 1) * take.dt, names, fit))
    return tuple(found)


def _pairs(cuts: list[int]) -> tuple[list[int], list[int]]:
    return cuts[:-1], [c - 1 for c in cuts[1:]]


def _flights(footing: Footing, label: IntArray) -> dict[int, Parabola | None]:
    """Marks flights, and their parabolas by first frame; a body without mass flies wherever nothing
    touches."""
    take, found = footing.take, dict[int, Parabola | None]()
    if not take.clip.character.total_mass > 0:
        for a, b in runs(~footing.touching.any(axis=1)):
            label[a : b + 1] = 1
            found[a] = None
        return found
    for flight in footing.support.flights:
        for shift in (-take.clip.frames, 0, take.clip.frames) if take.lead else (0,):
            a, b = flight.start + take.lead + shift, flight.end + take.lead + shift
            if b < 0 or a >= take.frames:
                continue
            a, b = max(a, 0), min(b, take.frames - 1)
            label[a : b + 1] = 1
            found[a] = fitted(take, flight, a, b, footing.support.pace)
    return found


def fitted(take: Take, flight: Flight, a: int, b: int, pace: float) -> Parabola:
    """The parabola of a flight as the clip has it: of frames a … b of the take those that fall, unfiltered,
    at the speed at which it plays."""
    whole = float(parabola(np.asarray(take.raw.com), take.dt, a, b).gravity)
    a, b = a + flight.parabola.start - flight.start, b + flight.parabola.end - flight.end
    fit = flight_within(np.asarray(take.raw.com), take.dt, a, b, scale=take.scale)
    if fit is not None:
        doubt = mass_doubt(take.clip.character, take.raw.q[a : b + 1], take.scale)
        fit = reweighed(fit, np.asarray(take.raw.com), take.dt, doubt, a, scale=take.scale)
        fit = replace(fit, start=fit.start - take.lead, end=fit.end - take.lead)
        return _doubted(fit, whole, take.dt, pace)
    # Too rough as it is: as it was found, at the clip's own speed.
    fit, (x, y, z), (u, v) = flight.parabola, flight.parabola.velocity, flight.parabola.drift
    found = replace(
        fit,
        gravity=fit.gravity * pace**2,
        uncertainty=fit.uncertainty * pace**2,
        velocity=(x * pace, y * pace, z * pace),
        drift=(u * pace**2, v * pace**2),
    )
    return _doubted(found, whole, take.dt, pace)


def _doubted(fit: Parabola, whole: float, dt: float, pace: float) -> Parabola:
    """As unsure as a flight of its length is, where it is rough: guessed masses bend the path of a short
    one, and which of its frames fall was chosen: by half of how far its gravity is from that of the ``whole``
    stretch that nothing carries. What is drawn exactly is known exactly."""
    seconds = max((fit.end - fit.start) * dt, dt)
    least = DOUBT[0] * (DOUBT[1] / (seconds * pace)) ** 2 * pace**2
    rough = min(1.0, fit.uncertainty / max(0.02 * abs(fit.gravity), 1e-9))
    more = rough * float(np.hypot(least, 0.5 * (fit.gravity - whole)))
    return replace(fit, uncertainty=float(np.hypot(fit.uncertainty, more)))


def _unseen(footing: Footing, label: IntArray, touched: Mask) -> None:
    """Marks what is carried by nothing that is seen: no part touches a surface, or contacts explain too
    little."""
    lost = footing.unexplained > LOST
    lead = footing.take.lead
    for unseen in footing.support.unseen:
        for shift in (-footing.take.clip.frames, 0, footing.take.clip.frames) if lead else (0,):
            a, b = max(unseen.start + lead + shift, 0), unseen.end + lead + shift
            span = slice(a, max(b + 1, 0))
            label[span] = np.where((label[span] == 0) & lost[span], 2, label[span])
    held = np.zeros(touched.shape, dtype=bool)
    for contact in footing.support.contacts:
        if not contact.surface:
            for a, b in footing.spans(contact):
                held[a : b + 1, footing.patches.parts.index(contact.part)] = True
    # Hands that hold what nobody sees, and nothing else touches; or nothing does.
    label[(label == 0) & ~(touched & ~held).any(axis=1)] = 2


def _held(footing: Footing, a: int, b: int) -> tuple[str, ...]:
    """Parts that something unseen may hold in frames a … b of the take."""
    lead = footing.take.lead
    found = [
        c.part for c in footing.support.contacts if not c.surface and _meets(footing, c.start, c.end, a, b)
    ]
    found += [u.nearest for u in footing.support.unseen if u.start + lead <= b and u.end + lead >= a]
    return tuple(dict.fromkeys(found))


def _meets(footing: Footing, start: int, end: int, a: int, b: int) -> bool:
    lead = footing.take.lead
    return start + lead <= b and end + lead >= a


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
    return {
        "kind": phase.kind,
        "start": phase.start,
        "end": phase.end,
        "seconds": phase.seconds,
        "parts": list(phase.parts),
        "flight": None if phase.parabola is None else plain_flight(phase),
        "score": phase.score,
        "words": phase.words,
    }


def plain_flight(phase: Phase) -> dict[str, Any]:
    """A flight as plain data."""
    fit = phase.parabola
    if fit is None:
        return {"start": phase.start, "end": phase.end, "seconds": phase.seconds}
    return {
        "start": phase.start,
        "end": phase.end,
        "seconds": phase.seconds,
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
