"""What animators ask for, as constraints on a whole clip: reach, look, close a loop, be surprised.

Every operation holds the feet as the clip has them (``plants`` says otherwise) and hands its other options to
``adapt``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import checked
from poise.character import Character
from poise.character.labels import roles
from poise.constraints import At, Constraint, FootPlant, constrain, pin
from poise.constraints.when import Time, as_when
from poise.errors import InputError, UnknownNameError
from poise.handles import LookAt
from poise.methods.adapt.adapt import Result, adapt
from poise.methods.adapt.plants.detect import detect, known_feet
from poise.motion import Clip, operators

Plants = Sequence[FootPlant] | None
LOOKS = 0.02
"""How far beside the mark a look over an interval still meets it [rad]."""


def reach(
    clip: Clip,
    places: Mapping[str, Sequence[tuple[Time, ArrayLike]]],
    *,
    plants: Plants = None,
    **options: Any,
) -> Result:
    """Points are at places [m] at times [s]: ``{"right hand": [(0.8, (0.5, -0.2, 1.3)), …]}``.

    Points go by their names or by their roles.
    """
    asked: list[Constraint] = []
    for who, stops in places.items():
        point = point_named(clip.character, who)
        for when, place in stops:
            at = as_when(when)
            asked.append(pin(point, checked(place, f"place of {who}", (3,)), at, name=f"{who} {at}"))
    return _held(clip, asked, plants, options)


def look_at(
    clip: Clip,
    place: ArrayLike,
    when: Time,
    *,
    eyes: str = "head",
    axis: tuple[float, float, float] | None = None,
    plants: Plants = None,
    **options: Any,
) -> Result:
    """The head looks at a place [m] at a time, or over an interval (see ``look``)."""
    return _held(clip, [look(clip.character, place, when, eyes=eyes, axis=axis)], plants, options)


def look(
    character: Character,
    place: ArrayLike,
    when: Time,
    *,
    eyes: str = "head",
    axis: tuple[float, float, float] | None = None,
) -> Constraint:
    """The constraint that a character looks at a place.

    ``axis`` is the direction of the look in the body of ``eyes``; left out, what faces forward at rest.
    """
    point = point_named(character, eyes)
    if axis is None:
        forward = character.rest_placement()[1][character.point(point).body].T @ [1.0, 0.0, 0.0]
        axis = (float(forward[0]), float(forward[1]), float(forward[2]))
    x, y, z = (float(v) for v in checked(place, "place to look at", (3,)))
    at = as_when(when)
    options: dict[str, Any] = {"name": f"look at ({x:g}, {y:g}, {z:g}) {at}"}
    if not isinstance(at, At):
        options["tolerance"] = LOOKS
    return constrain(LookAt(point, axis, (x, y, z)), np.zeros(3), at, **options)


def close_loop(clip: Clip, *, search: float = 0.0, plants: Plants = None, **options: Any) -> Result:
    """The clip as a seamless loop, its root moving on from cycle to cycle, its feet standing across the seam.

    ``search`` [s]: how far from either end to look for the frames that meet best (see ``operators.loop``).
    """
    return _held(operators.loop(clip, search=search), [], plants, options)


def surprised(
    clip: Clip,
    events: Sequence[tuple[float, Constraint]],
    *,
    plants: Plants = None,
    **options: Any,
) -> Result:
    """Constraints that the character learns of at times [s] only: before each time, nothing foretells it.

    One solve after the other, each within the window from when it became known to the end.
    """
    result = _held(clip, [], plants, options)
    asked = [a.item for a in result.setup.asked.asked]
    for known, constraint in sorted(events, key=lambda event: event[0]):
        latest = float(np.max(constraint.when.times(clip)))
        if not 0.0 <= known < latest:
            raise InputError(f"{constraint.name} at {latest:g} s cannot become known at {known:g} s")
        asked = [*asked, constraint]
        result = adapt(clip, asked, start=result, window=(float(known), clip.duration))
    return result


def point_named(character: Character, name: str) -> str:
    """The point of that name, or of that role: "right hand", "head"."""
    if name in character.points:
        return name
    known = roles(character)
    if name not in known:
        raise UnknownNameError("point or role", name, [*character.points, *known])
    centre = f"{name.title().replace(' ', '')}Centre"
    return centre if centre in character.points else character.names[known[name]]


def feet_that_stand(clip: Clip) -> list[FootPlant]:
    """Foot plants of a clip; none where no feet are known."""
    return detect(clip) if known_feet(clip.character) else []


def _held(clip: Clip, asked: Sequence[Constraint], plants: Plants, options: dict[str, Any]) -> Result:
    standing = feet_that_stand(clip) if plants is None else list(plants)
    if standing:
        options.setdefault("floor", True)
    return adapt(clip, [*standing, *asked], **options)
