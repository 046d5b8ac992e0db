"""What no contact explains: nothing there carries, or it would have to pull, to hold sideways, to push beside
what touches.

Forces within friction cones explain what they can of the wrench that the motion needs (``poise.contacts``);
what is left says
what is missing. Its size, over what masses and filters leave in doubt, times how long it lasts [weights · s]
is judged: a short impact is nothing, a body that hangs for a second is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.contacts.differentiated_clip import runs
from poise.contacts.support import Unseen
from poise.gravity import EARTH
from poise.plausibility.finding import WORTH, Finding, score_between
from poise.plausibility.phase import counts
from poise.plausibility.physics import Physics
from poise.plausibility.polygon import distance_outside

FLOWN = 0.6
"""Stretches that are flights for so much of the time are judged as flights."""
BESIDE = 0.03
"""A load that is less beside what touches is not what is wrong [m]."""
PRESSING, SLIPS = 0.4, 0.9
"""Balance is judged from this share of the weight on, and up to this friction."""
LEANS = 0.04, 0.25
"""Load beside what touches, of a body of 1.75 m [m]: fine, absurd …"""
LONG = 0.5
"""… for so long [s] …"""
SURELY, TOLD = 1.0, 0.5
"""… and condemned from so long on [s]: shorter ones are told, with this score at least."""
DOUBT = 0.15
"""What is left below this is within the doubt of masses and filters [weights]."""
NOWHERE = 0.03, 0.70
"""Of forces that nothing gives [weights · s]: fine, absurd; of motions that were drawn exactly, a third of it
(``Needed.doubt``)."""
ENDS = 0.1
"""So near to where a motion begins or ends nobody knows how it goes on, nor its accelerations [s]."""
MISSING = {True: (0.05, 0.70), False: (0.05, 1.20)}
"""What is missing [weights · s]: fine, absurd; where the world is given, and where it may be incomplete."""


def unexplained(physics: Physics) -> Iterator[Finding]:
    """Findings about stretches that contacts do not explain."""
    support, total = physics.support, physics.forces
    if total is None:
        return
    u, rows, need = support.unexplained, support.need.rows, support.need
    tick = need.dt * float(rows[1] - rows[0]) if len(rows) > 1 else need.dt
    flying = np.zeros(physics.take.frames, dtype=bool)
    for phase in physics.phases:
        if phase.kind == "flight":
            flying[max(phase.start + physics.take.lead, 0) : phase.end + physics.take.lead + 1] = True
    for unseen in support.unseen:
        span = slice(max(unseen.start + physics.take.lead, 0), unseen.end + physics.take.lead + 1)
        if flying[span].mean() > FLOWN:
            continue  # flights are judged as flights
        chosen = (rows - need.lead >= unseen.start) & (rows - need.lead <= unseen.end)
        missing = float(np.maximum(u[chosen] - DOUBT, 0.0).sum() * tick)
        score = score_between(missing, *MISSING[physics.given])
        kind, amount, unit, words = _told(physics, unseen, chosen)
        where = unseen.nearest if kind == "support" else ""
        yield Finding(kind, unseen.start, unseen.end, where, amount, unit, 0.0, score, words)


def leans(physics: Physics) -> Iterator[Finding]:
    """Findings about who leans beside what carries for long, by little enough to be in doubt for a moment."""
    take, total = physics.take, physics.forces
    if total is None:
        return
    known = [(u.start, u.end) for u in physics.support.unseen]
    for a, b in runs(physics.footing.unexplained > DOUBT):
        start, end = a - take.lead, b - take.lead
        if (b - a) * take.dt < LONG or not counts(take, a, b):
            continue
        if any(s <= end and e >= start for s, e in known):
            continue
        beside = _beside(physics, start, end)
        if beside > LEANS[0] * physics.scale:
            words = f"leans {100 * beside:.0f} cm beside what it stands on, for {(b - a) * take.dt:.1f} s"
            score = score_between(beside / physics.scale, *LEANS)
            if (b - a) * take.dt < SURELY:
                score = max(score, TOLD)
            yield Finding("balance", start, end, "", beside, "m", 0.0, score, words)


def from_nowhere(physics: Physics) -> Iterator[Finding]:
    """Findings about forces that nothing gives, too little or too briefly for something unseen: on the
    ground, and in flights that are too short for a parabola. They are told: masses of a book leave doubt."""
    take, need, total = physics.take, physics.support.need, physics.forces
    if total is None or physics.support.pace != 1.0:
        return
    least = need.doubt * DOUBT
    # What is too little of something unseen is still a push from nowhere.
    known = [(f.start, f.end) for f in unexplained(physics) if f.score <= WORTH]
    pushed = physics.footing.unexplained > least
    if not physics.clip.loop:
        inside, unsure = np.flatnonzero(physics.footing.belongs), round(ENDS / take.dt)
        pushed[: inside[0] + unsure] = pushed[inside[-1] + 1 - unsure :] = False
    for a, b in runs(pushed):
        start, end = a - take.lead, b - take.lead
        if not counts(take, a, b) or any(s <= end and e >= start for s, e in known):
            continue
        if physics.clip.loop and not 0 <= start < physics.clip.frames:
            continue  # told in its own cycle
        beyond = float(np.maximum(physics.footing.unexplained[a : b + 1] - least, 0.0).sum() * take.dt)
        if beyond <= need.doubt * NOWHERE[0]:
            continue
        chosen = (need.rows - need.lead >= start) & (need.rows - need.lead <= end)
        left = physics.support.left[chosen]
        if not len(left):
            continue
        force = float(np.linalg.norm(left[:, :3], axis=1).max())
        moment = need.arm * float(np.linalg.norm(left[:, 3:], axis=1).max())
        seconds = (b - a + 1) * take.dt
        words = (
            f"is pushed by nothing that is there: up to {force:.2f} times the weight and {moment:.2f} "
            f"weight·m, for {seconds:.2f} s"
        )
        score = max(score_between(beyond, *(need.doubt * x for x in NOWHERE)), TOLD)
        yield Finding("nowhere", start, end, "", force * total.weight, "N", 0.0, score, words)


def _told(physics: Physics, unseen: Unseen, chosen: np.ndarray) -> tuple[str, float, str, str]:
    """Kind, amount, unit and words for what is missing."""
    weight = physics.take.clip.character.total_mass * EARTH
    left = physics.support.left[chosen].mean(axis=0)
    force = left[:3]
    side, size = float(np.hypot(force[0], force[1])), float(np.linalg.norm(force))
    seconds = (unseen.end - unseen.start + 1) * physics.clip.dt
    beside = _beside(physics, unseen.start, unseen.end)
    if beside > BESIDE * physics.scale:
        words = f"would tip: what carries would have to push {100 * beside:.0f} cm beside what touches"
        return "balance", beside, "m", words
    if force[2] > side:
        said = f"{unseen.missing:.1f} times the weight"
        said += f" for {seconds:.2f} s, nearest to the {unseen.nearest}"
        words = f"is carried, but nothing that is there carries it: {said}"
        return "support", float(size * weight), "N", words
    if -force[2] > side:
        words = (
            "goes down faster than it can fall: "
            f"something would have to pull with {-force[2]:.1f} times the weight"
        )
        return "pull", float(-force[2] * weight), "N", words
    words = f"would slip: it is pushed sideways with {side:.1f} times the weight, more than friction holds"
    return "push", side * weight, "N", words


def _beside(physics: Physics, start: int, end: int) -> float:
    """How far beside what touches the load is, where it presses and does not slip [m]; 0 where that is not
    it."""
    total, take = physics.forces, physics.take
    if total is None:
        return 0.0
    found = []
    for f in range(max(start + take.lead, 0), min(end + take.lead + 1, take.frames)):
        polygon, at = physics.polygon(f), total.pressure[f]
        if (
            polygon is None
            or not np.isfinite(at).all()
            or total.load[f] < PRESSING
            or total.friction[f] > SLIPS
        ):
            found.append(0.0)
        else:
            found.append(max(distance_outside(polygon, at), 0.0))
    return float(np.median(found)) if found else 0.0
