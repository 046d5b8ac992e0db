"""What is done when a whole motion is adapted, retargeted, rerouted or closed into a loop."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from poise.arrays import checked
from poise.character import Character
from poise.character.labels import point_named
from poise.constraints import At, Constraint, FootPlant, constrain
from poise.constraints.entries import items
from poise.constraints.when import as_when
from poise.contacts.given import ClipContacts
from poise.errors import InputError
from poise.handles import LookAt
from poise.methods.adapt.adapt import adapted, continued
from poise.methods.adapt.assembly.assemble import AssembleResult, assembled
from poise.methods.adapt.assembly.strip_motion import parts_of
from poise.methods.adapt.plants.along import along
from poise.methods.adapt.plants.detect import feet_that_stand, move_plant
from poise.methods.adapt.problem.prior import PosePrior
from poise.methods.adapt.problem.requirements import Item
from poise.methods.adapt.reroute import rerouted
from poise.methods.adapt.result import AdaptResult
from poise.methods.adapt.retarget.retarget import RetargetResult, retargeted
from poise.motion import Clip, operators
from poise.motion.frame_times import exact_rate
from poise.operations.adapt import Adapt, Change
from poise.operations.assemble import Assemble
from poise.operations.frozen_data import thaw
from poise.operations.loop import Loop
from poise.operations.reroute import Reroute
from poise.operations.retarget import Retarget
from poise.operations.situation import Situation
from poise.operations.values.look import Look
from poise.operations.values.wishes import by_role
from poise.operations.values.world import world_around
from poise.watching import Progress
from poise.world import World

LOOKS = 0.02
"""How far beside the mark a look over an interval still meets it [rad]."""


def adapt(asked: Adapt, at: Situation) -> AdaptResult:
    """The smallest change that meets what is asked; what the character learns of later, comes later."""
    clip = at.motion
    wanted = items_asked(asked, clip)
    planned = [item for item in wanted if item.name not in asked.known]
    late = sorted((item for item in wanted if item.name in asked.known), key=lambda i: asked.known[i.name])
    for item in late:
        known, latest = asked.known[item.name], _latest(item, clip)
        if not 0.0 <= known < latest:
            raise InputError(f"{item.name} ends at {latest:g} s: it cannot become known at {known:g} s")
    low, high = asked.within or (0.0, clip.duration)

    def told(number: int) -> Progress:
        return lambda part: at.progress((number + part) / (1 + len(late)))

    result = _standing(clip, planned, asked, at, told(0))
    for number, item in enumerate(late, 1):
        within = (max(low, asked.known[item.name]), high)
        result = continued(result, [*result.items, item], within=within, progress=told(number))
    at.keep(result)
    return result


def retarget(asked: Retarget, at: Situation) -> RetargetResult:
    """The performance of another character."""
    given = at.given("onto")
    given = at.clip(asked.onto) if given is None else given
    character = given if isinstance(given, Character) else given.character
    moves = None if isinstance(given, Character) else given
    return retargeted(at.motion, character, asked, given=at.contacts, onto=moves, progress=at.progress)


def reroute(asked: Reroute, at: Situation) -> AdaptResult:
    """The motion along another way, feet carried along."""
    found = rerouted(at.motion, asked)
    feet = feet_that_stand(at.footing, at.contacts) if asked.plants else []
    return _held(found.clip, [found.carried(plant) for plant in feet], [], asked, at.progress)


def loop(asked: Loop, at: Situation) -> AdaptResult:
    """The motion as a loop whose feet stand across the seam."""
    closed = operators.loop(at.motion, search=asked.search)
    return _held(closed, feet_that_stand(closed) if asked.plants else [], [], asked, at.progress)


def assemble(asked: Assemble, at: Situation) -> AssembleResult:
    """Clips one after another."""
    first = at.clip(asked.strips[0].clip)
    who = at.clip(asked.onto).character if asked.onto else first.character
    rate = first.rate if asked.fps is None else exact_rate(asked.fps)
    parts = parts_of(
        asked.strips, at.clip, who, rate, feet=asked.feet, progress=lambda part: at.progress(0.5 * part)
    )
    return assembled(parts, feet=asked.feet, progress=lambda part: at.progress(0.5 + 0.5 * part))


def items_asked(asked: Adapt, clip: Clip) -> list[Item]:
    """Constraints, looks and foot plants that are asked for, without the feet that are found."""
    entries = by_role(thaw(asked.constraints), clip.character)
    looks = [looking(clip.character, each) for each in asked.look]
    return [*items(entries, clip, "constraints"), *looks]


def feet_asked(
    asked: Adapt,
    clip: Clip,
    given: ClipContacts | None = None,
    world: World | None = None,
    stand: Callable[[Clip, ClipContacts | None], Sequence[FootPlant]] = feet_that_stand,
) -> list[FootPlant]:
    """Feet that are found, or ``given`` as contacts, and kept, those moved that are to be moved.

    Feet on surfaces that the ``world`` has elsewhere than the contacts go along with them.
    """
    feet = along(stand(clip, given), clip, given, world) if asked.plants else []
    for each in asked.move:
        which = each.plant
        if isinstance(which, int):
            if not 1 <= which <= len(feet):
                raise InputError(
                    f"field 'move': no foot plant {which}; the clip has {len(feet)}, counted from 1"
                )
            which -= 1
        feet = move_plant(feet, which, each.by, turn=math.radians(each.turn), lift=each.lift)
    return feet


def world_now(at: Situation) -> World | None:
    """Where surfaces are that the clip's contacts are on; None where nobody says so."""
    if at.world is None or at.contacts is None:
        return None
    return world_around(at.world, at.folder, at.motion, at.clip)


def _standing(
    clip: Clip, wanted: Sequence[Item], asked: Adapt, at: Situation, progress: Progress
) -> AdaptResult:
    """Adapted with its feet."""
    prior = at.given("prior")
    if prior is None:
        prior = at.clip(asked.prior) if isinstance(asked.prior, str) else asked.prior
    drawn = None if prior is None else PosePrior(prior, asked.prior_weight)
    feet = feet_asked(asked, at.footing, at.contacts, world_now(at))
    return _held(clip, feet, wanted, asked, progress, prior=drawn, within=asked.within, contacts=at.contacts)


def _held(
    clip: Clip,
    feet: Sequence[FootPlant],
    wanted: Sequence[Item],
    asked: Change,
    progress: Progress,
    *,
    prior: PosePrior | None = None,
    within: tuple[float, float] | None = None,
    contacts: ClipContacts | None = None,
) -> AdaptResult:
    """Adapted over a floor where feet stand, unless something else is said of it."""
    if feet and asked.floor is None:
        asked = msgspec.structs.replace(asked, floor=True)
    wished = [*feet, *wanted]
    return adapted(clip, wished, asked, prior=prior, within=within, progress=progress, contacts=contacts)


def _latest(item: Item, clip: Clip) -> float:
    """The last time at which something is asked for [s]."""
    whens = item.intervals.values() if isinstance(item, FootPlant) else [item.when]
    return max(float(np.max(when.times(clip))) for when in whens)


def looking(character: Character, asked: Look) -> Constraint:
    """The constraint that a character looks at a place."""
    point, axis = point_named(character, asked.eyes), asked.axis
    if axis is None:
        forward = character.rest_placement()[1][character.point(point).body].T @ [1.0, 0.0, 0.0]
        axis = (float(forward[0]), float(forward[1]), float(forward[2]))
    x, y, z = (float(v) for v in checked(asked.place, "place to look at", (3,)))
    at = as_when(asked.time)
    options: dict[str, Any] = {"name": f"look at ({x:g}, {y:g}, {z:g}) {at}"}
    if not isinstance(at, At):
        options["tolerance"] = LOOKS
    return constrain(LookAt(point, axis, (x, y, z)), np.zeros(3), at, **options)
