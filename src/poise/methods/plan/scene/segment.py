"""The pieces a synthesised motion is made of: stances, with something held, and flights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from poise.arrays import checked
from poise.errors import InputError
from poise.methods.plan.scene import checks as given
from poise.methods.plan.scene.hold import Hold
from poise.methods.plan.scene.partial_key import PartialKey


@dataclass(frozen=True)
class Stance:
    """A while during which something is held: a preparation, a landing, a punch, a step.

    It begins in the pose and at the velocity in which the segment before ended (the first one: at rest in
    the starting pose). What is held anew stops dead: the impact is inelastic, of least kinetic energy.
    """

    duration: float
    """[s]"""
    holds: Sequence[Hold | str]
    """Bodies (place and orientation) and points (place) that stay where they are when it begins."""
    keys: Sequence[PartialKey] = ()
    stop: Sequence[str] = ()
    """Points that are stopped when it begins, as a fist by what it hits."""
    rest: bool = False
    """Ends exactly in the reference pose, at rest."""
    slide: float | None = None
    """Instead of stopping dead, everything held slides on over the ground and slows down at this rate
    [1/s].
    """
    absorb: float | None = None
    """A landing: within this time [s] the centre of mass and the angular momentum come smoothly to rest."""
    nodes: int = 1
    """Pieces of spline: more make the motion less stiff, and dearer to find."""
    least_push: float | None = 0.2
    """The ground pushes up with at least so many weights at all times; None: it may pull."""
    friction: float | None = None
    """The ground pushes sideways with at most so many times what it pushes up; None: feet hold anyway. Needs
    ``least_push``.
    """
    above: Sequence[str] = ()
    """Points, and bodies with all that hangs from them, that must not go below the ground."""
    limits: bool = False
    """Keep within the joints' limits."""
    name: str = ""

    def __post_init__(self) -> None:
        where = f"of stance {self.name!r}"
        given.number(self.duration, f"duration {where} [s]", above=0)
        given.several(self.holds, f"holds {where}")
        given.several(self.stop, f"stop {where}")
        if not self.holds:
            raise InputError(f"stance {self.name!r} holds nothing; a body in the air is a Flight")
        for name in ("slide", "absorb", "friction"):
            if getattr(self, name) is not None:
                given.number(getattr(self, name), f"{name} {where}", above=0)
        if self.least_push is not None:
            given.number(self.least_push, f"least_push {where}")
        elif self.friction is not None:
            raise InputError(f"stance {self.name!r}: friction needs least_push, a ground that only pushes")
        _check(self, where)


@dataclass(frozen=True)
class Flight:
    """A while in the air: the centre of mass follows its parabola, angular momentum stays what it was."""

    lands: Sequence[Hold | str] = ()
    """What must come down as it stands in the reference pose, below the centre of mass."""
    turn: Sequence[float] | None = None
    """Rotation vector of the whole body's turn during the flight [rad], world axes: (0, 2π, 0)
    somersaults.
    """
    keys: Sequence[PartialKey] = ()
    height: float | None = None
    """Height of the centre of mass at the end [m]; by default that of the reference pose. Sets the
    duration.
    """
    duration: float | None = None
    """[s]; instead of the height."""
    offset: Sequence[float] = (0.0, 0.0, 0.0)
    """Where it lands, from below the centre of mass [m]."""
    nodes: int = 1
    """Pieces of spline: more make the motion less stiff, and dearer to find."""
    above: Sequence[str] = ()
    """Points, and bodies with all that hangs from them, that must not go below the ground."""
    limits: bool = False
    """Keep within the joints' limits."""
    name: str = ""

    def __post_init__(self) -> None:
        where = f"of flight {self.name!r}"
        if self.duration is not None and self.height is not None:
            raise InputError(f"flight {self.name!r}: give its duration or the height it ends at, not both")
        if self.duration is not None:
            given.number(self.duration, f"duration {where} [s]", above=0)
        if self.height is not None:
            given.number(self.height, f"height {where} [m]")
        given.several(self.lands, f"lands {where}")
        checked(self.offset, f"offset {where}", (3,))
        if self.turn is not None:
            checked(self.turn, f"turn {where}", (3,))
        _check(self, where)


Segment = Stance | Flight


def _check(segment: Segment, where: str) -> None:
    """What stances and flights have in common."""
    given.count(segment.nodes, f"nodes {where}")
    given.several(segment.above, f"above {where}")
    given.several(segment.keys, f"keys {where}")
    for key in segment.keys:
        if key.at is None:
            continue
        if key.at <= 0 or (segment.duration is not None and key.at > segment.duration * (1 + 1e-9)):
            until = f" and at most {segment.duration:g} s" if segment.duration is not None else ""
            raise InputError(
                f"segment {segment.name!r}: the key of {key.of!r} is at {key.at:g} s, not after 0{until}"
            )
