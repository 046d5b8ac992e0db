"""Measure a clip and judge it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from poise.arrays import Array, frozen
from poise.character.human_strength import is_human
from poise.contacts.given import ClipContacts
from poise.errors import UnknownNameError
from poise.motion import Clip
from poise.operations.check import Check
from poise.plausibility.depth import hover, penetration
from poise.plausibility.finding import WORTH, Finding
from poise.plausibility.flight_rules import in_flight
from poise.plausibility.footing import Footing
from poise.plausibility.impact import impacts
from poise.plausibility.joint_range import bends
from poise.plausibility.jumps import jumps
from poise.plausibility.motor_rules import motors
from poise.plausibility.overlap import overlaps
from poise.plausibility.physics import Physics, physics
from poise.plausibility.question import Question, questions
from poise.plausibility.rate_rules import rates
from poise.plausibility.report import PlausibilityReport
from poise.plausibility.skate import skate
from poise.plausibility.torque_rules import effort
from poise.plausibility.unexplained import from_nowhere, leans, unexplained
from poise.plausibility.unit import wrong_size, wrong_unit
from poise.world import World

JUDGES = (
    rates,
    in_flight,
    impacts,
    unexplained,
    leans,
    from_nowhere,
    skate,
    penetration,
    hover,
    jumps,
    bends,
    overlaps,
    effort,
    motors,
)
"""Each looks at the physics of a clip and yields findings."""
OF_BOLTED = (jumps, overlaps, motors)
"""The same of robots that are bolted to the world: it carries them, whatever they do."""
IN_PLACE = 0.25
"""A root that travels less than this, over stature, stays in place."""
ALL = "all"


def judge(
    clip: Clip,
    asked: Check,
    world: World | None = None,
    by: PlausibilityReport | None = None,
    contacts: ClipContacts | None = None,
) -> PlausibilityReport:
    """Say what in a clip real bodies do not do, in a world or, if None, in the one that is found.

    ``by``: a report whose world it is judged in, and as strictly. ``contacts``: what carries it, where the
    user says so.
    """
    if by is not None:
        world = by.physics.world
    given = by.physics.given if by is not None else None
    measured = physics(clip, world=world, cutoff=asked.cutoff, given=given, contacts=contacts)
    alone = measured.footing.bolted
    # At a wrong unit nothing falls as it should: that is all there is to say. An arm may lie flat.
    found = [] if alone else list(wrong_unit(measured))
    judges = (*OF_BOLTED, *[penetration] * measured.given) if alone else JUDGES
    found = found or [f for look in judges for f in look(measured) if f.score <= WORTH]
    unasked = alone or (found and found[0].kind == "unit")
    open_ = [] if unasked else list(questions(measured, found))
    if by is None:
        _known(asked.confirm, measured, open_)
    measured, open_, found = _confirmed(measured, open_, found, asked.confirm)
    found.sort(key=lambda f: (f.score, f.start))
    phases = tuple(
        replace(p, score=min((f.score for f in found if f.start <= p.end and f.end >= p.start), default=1.0))
        for p in measured.phases
    )
    return PlausibilityReport(
        measured,
        phases,
        tuple(found),
        tuple(open_),
        frozen(_curve(clip, found)),
        (*measured.notes, *_assumptions(measured, found)),
    )


def _known(names: Collection[str], measured: Physics, open_: list[Question]) -> None:
    """Refuses to confirm what was not asked."""
    known = {q.name for q in open_} | {s.name for s in measured.world.surfaces}
    for name in names:
        if name != ALL and name not in known:
            raise UnknownNameError("assumption to confirm", name, [*sorted(known), ALL])


def _confirmed(
    measured: Physics, open_: list[Question], found: list[Finding], names: Collection[str]
) -> tuple[Physics, list[Question], list[Finding]]:
    """Without the questions that are answered with yes; supports that are confirmed are no findings
    either."""
    if not names:
        return measured, open_, found
    yes = {q.name for q in open_ if ALL in names or q.name in names}
    surfaces = [s.name for s in measured.world.surfaces if s.name in yes or s.name in names or ALL in names]
    support = measured.support
    if surfaces:
        support = replace(support, world=support.world.confirmed(*surfaces))
    told = [f for f in found if not (f.kind == "support" and not f.serious and f"hold {f.where}" in yes)]
    return (
        replace(measured, footing=Footing(measured.take, support)),
        [q for q in open_ if q.name not in yes],
        told,
    )


def _curve(clip: Clip, findings: list[Finding]) -> Array:
    """The worst score at every frame (F,); a loop's findings go on at its start."""
    curve = np.ones(clip.frames)
    for f in findings:
        frames = np.arange(f.start, f.end + 1)
        inside = frames % clip.frames if clip.loop else frames[(frames >= 0) & (frames < clip.frames)]
        curve[inside] = np.minimum(curve[inside], f.score)
    return curve


def _assumptions(measured: Physics, findings: list[Finding]) -> list[str]:
    found = []
    clip = measured.clip
    motors = np.isfinite(clip.character.effort).any()
    if clip.character.total_mass > 0 and not is_human(clip.character) and not motors:
        found.append(f"{clip.character.name!r} is not built like a person: torques were not judged")
    if measured.footing.bolted:
        base = clip.character.names[0]
        return [*found, f"{base} is bolted to the world, which carries the rest: no contact was judged"]
    if measured.support.pace > 1:
        found.append(
            "forces and torques were judged at the right speed: "
            "else all would be too strong for the same reason"
        )
    if said := wrong_size(measured):
        found.append(said)
    take, floor = measured.take, measured.world.floor
    if floor is not None and floor.source == "found":
        off = float(measured.footing.level(np.asarray(take.raw.positions)[take.own, 0].mean(axis=0)))
        if abs(off) > 0.03 * take.scale:
            found.append(f"stands {100 * abs(off):.1f} cm {'above' if off > 0 else 'below'} z = 0")
    way = np.ptp(take.raw.positions[take.own, 0, :2], axis=0).max()
    if any(f.kind == "skate" and f.serious for f in findings) and way < IN_PLACE * take.stature:
        found.append("if it is meant to go in place, as on a treadmill, its feet have to slide")
    return found
