"""What happens to a performer: a blow, a push, a weight put on, a body thrown. World axes, z up.

A *thrown body* flies and collides for real; the others need no contact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated

import msgspec

from poise.errors import InputError
from poise.gravity import GRAVITY
from poise.operations.declare import PURE, Value, about, unit
from poise.operations.quantities import (
    Blow,
    Duration,
    Force,
    Length,
    Mass,
    Place,
    Ratio,
    Velocity,
)

Moment = Annotated[float, unit("s", ge=0)]
"""A time from the start."""
Bounce = Annotated[float, unit(PURE, ge=0, le=0.9)]
Triple = tuple[float, float, float]
FLIGHT = 0.5
"""How long before it arrives a ball is thrown [s]."""


BallMass = Annotated[Mass, about("Mass.", slider=(0.1, 20))]
BallRadius = Annotated[Length, about("Radius.", slider=(0.02, 0.5))]
BallBounce = Annotated[Bounce, about("Coefficient of restitution: speed after the impact over speed before.")]
BallFriction = Annotated[Ratio, about("Friction coefficient.", slider=(0, 2))]
"""What every ball that is thrown has."""


class Impulse(Value, frozen=True, tag="impulse", tag_field="kind"):
    """A blow: momentum given to a point at once."""

    time: Annotated[Moment, about("Time.")]
    point: Annotated[str, about("A body or a named point.", editor="point")]
    impulse: Annotated[Blow, about("Strength and direction.", editor="arrow")]

    def __post_init__(self) -> None:
        _put(self, impulse=_triple(self.impulse, "impulse"))
        _require_time(self.time, "an impulse")


class Push(Value, frozen=True, tag="push", tag_field="kind"):
    """A constant force on a point for a while."""

    start: Annotated[Moment, about("Start time.")]
    end: Annotated[Moment, about("End time.")]
    point: Annotated[str, about("A body or a named point.", editor="point")]
    force: Annotated[Force, about("Strength and direction.", editor="arrow")]

    def __post_init__(self) -> None:
        _put(self, force=_triple(self.force, "force"))
        _require_time(self.start, "a push")
        if not (math.isfinite(self.end) and self.end > self.start):
            raise InputError(f"a push must end after it starts, not from {self.start} to {self.end} s")


class Load(Value, frozen=True, tag="load", tag_field="kind"):
    """A weight put on a body at a time, a backpack say; it moves with the body from then on."""

    time: Annotated[Moment, about("Time.")]
    body: Annotated[str, about("The body that carries it.", editor="joint")]
    mass: Annotated[Mass, about("Mass.", slider=(0.5, 30))]
    place: Annotated[Place, about("Centre of mass in the body's frame.", editor="place")] = (0.0, 0.0, 0.0)
    radius: Annotated[Length, about("Radius of a ball with its inertia.", slider=(0.02, 0.5))] = 0.1
    known: Annotated[bool, about("Whether the controller knows of it.")] = True

    def __post_init__(self) -> None:
        _put(self, place=_triple(self.place, "place of a load"))
        _require_time(self.time, "a load")
        if not (math.isfinite(self.mass) and self.mass > 0 and self.radius > 0):
            raise InputError(f"a load needs a positive mass and radius, not {self.mass} kg, {self.radius} m")


class Throw(Value, frozen=True, tag="throw", tag_field="kind"):
    """A ball thrown into the scene; it flies freely from its release on and collides."""

    time: Annotated[Moment, about("Time of release.")]
    position: Annotated[Place, about("Position at release.", editor="place")]
    velocity: Annotated[Velocity, about("Velocity at release.", editor="arrow")]
    mass: BallMass = 1.0
    radius: BallRadius = 0.08
    bounce: BallBounce = 0.3
    friction: BallFriction = 0.6
    name: Annotated[str, about("Name.")] = "ball"

    def __post_init__(self) -> None:
        _put(
            self,
            position=_triple(self.position, f"position of {self.name!r}"),
            velocity=_triple(self.velocity, f"velocity of {self.name!r}"),
        )
        _require_ball(self)


class ThrowAt(Value, frozen=True, tag="throw at", tag_field="kind"):
    """A ball thrown at a point of the performer: it is where that would be at a time, were nothing thrown."""

    time: Annotated[Moment, about("Time of arrival.")]
    point: Annotated[str, about("Where to aim: a body or a named point.", editor="point")]
    velocity: Annotated[Velocity, about("Velocity on arrival.", editor="arrow")]
    mass: BallMass = 1.0
    radius: BallRadius = 0.08
    bounce: BallBounce = 0.3
    friction: BallFriction = 0.6
    flight: Annotated[Duration, about("Flight time.", slider=(0.1, 1))] = FLIGHT
    name: Annotated[str, about("Name.")] = "ball"

    def __post_init__(self) -> None:
        _put(self, velocity=_triple(self.velocity, f"velocity of {self.name!r}"))
        _require_ball(self)

    def thrown(self, place: Sequence[float], gravity: Sequence[float] = GRAVITY) -> Throw:
        """From where, and how, it must be thrown to be at a place [m] when it arrives."""
        there, g, v = _triple(place, "place"), _triple(gravity, "gravity"), self.velocity
        flight = min(self.flight, self.time)
        start = [x - w * flight + 0.5 * a * flight**2 for x, w, a in zip(there, v, g)]
        release = [w - a * flight for w, a in zip(v, g)]
        return Throw(
            self.time - flight, _triple(start, "place"), _triple(release, "velocity"), mass=self.mass,
            radius=self.radius, bounce=self.bounce, friction=self.friction, name=self.name,
        )  # fmt: skip


Disturbance = Impulse | Push | Load | Throw | ThrowAt
FORM = (
    "impulse POINT@TIME=X,Y,Z|push POINT@FROM-TO=X,Y,Z|load BODY@TIME=KG[,X,Y,Z]|throw POINT@TIME=X,Y,Z[,KG]"
)
"""How they are typed: [N·s], [N], [kg, m], [m/s, kg]."""


def typed(text: str) -> Disturbance:
    """A disturbance as people type it; a ball is thrown at a point."""
    word, _, rest = text.strip().partition(" ")
    readers: dict[str, Callable[[str], Disturbance]] = {
        "impulse": _impulse,
        "push": _push,
        "load": _load,
        "throw": _throw,
    }
    if word not in readers:
        raise InputError(f"a disturbance is one of {', '.join(readers)} ({FORM}), not {text!r}")
    return readers[word](rest.strip())


def _impulse(text: str) -> Impulse:
    where, when, (x, y, z) = _parts(text, "a blow is written impulse POINT@TIME=X,Y,Z", {3})
    return Impulse(_number(when, text), where, (x, y, z))


def _push(text: str) -> Push:
    where, when, (x, y, z) = _parts(text, "a push is written push POINT@FROM-TO=X,Y,Z", {3})
    first, _, last = when.partition("-")
    return Push(_number(first, text), _number(last, text), where, (x, y, z))


def _load(text: str) -> Load:
    form = "a weight is written load BODY@TIME=KG or load BODY@TIME=KG,X,Y,Z"
    where, when, (mass, *place) = _parts(text, form, {1, 4})
    return Load(_number(when, text), where, mass, _triple(place or (0.0, 0.0, 0.0), "place of a load"))


def _throw(text: str) -> ThrowAt:
    form = "a throw is written throw POINT@TIME=X,Y,Z or throw POINT@TIME=X,Y,Z,KG"
    where, when, (x, y, z, *more) = _parts(text, form, {3, 4})
    thrown = ThrowAt(_number(when, text), where, (x, y, z))
    return msgspec.structs.replace(thrown, mass=more[0]) if more else thrown


def _parts(text: str, form: str, counts: set[int]) -> tuple[str, str, list[float]]:
    head, sign, tail = text.partition("=")
    where, at, when = head.partition("@")
    try:
        numbers = [float(x) for x in tail.split(",")]
    except ValueError:
        numbers = []
    if not (sign and at and where and when and len(numbers) in counts):
        raise InputError(f"{form}, not {text!r}")
    return where, when, numbers


def _number(text: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r} in {whole!r} is not a time in seconds") from None


def _put(value: Value, **fields: Triple) -> None:
    for name, numbers in fields.items():
        msgspec.structs.force_setattr(value, name, numbers)


def _triple(values: Sequence[float], what: str) -> Triple:
    try:
        x, y, z = (float(v) for v in values)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be three numbers, not {values!r}") from None
    if not all(map(math.isfinite, (x, y, z))):
        raise InputError(f"{what} must be three finite numbers, not {values!r}")
    return x, y, z


def _require_ball(ball: Throw | ThrowAt) -> None:
    _require_time(ball.time, f"throw {ball.name!r}")
    if not (ball.mass > 0 and ball.radius > 0 and 0 <= ball.bounce <= 0.9 and ball.friction >= 0):
        raise InputError(
            f"{ball.name!r} needs a positive mass and radius, a bounce from 0 to 0.9 and a friction ≥ 0"
        )


def _require_time(time: float, what: str) -> None:
    if not (math.isfinite(time) and time >= 0):
        raise InputError(f"{what} must be at a time of at least 0 s, not {time}")
