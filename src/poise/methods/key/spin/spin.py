"""Spin: in flight the body's turning as a whole follows from its angular momentum and its shape.

An animator poses the flight as if the body did not turn (or turned as posed); a spin adds the rotation R(t)
about the centre of mass that keeps the angular momentum constant: a tuck spins faster, and a cat with none
lands on its feet (``free_rotation`` has the equation). Either the momentum is given, or where the body is to
be at the end: R there, and how many whole turns on the way, about which axis. The default end is R = 1: the
body lands as it is posed.

The momentum for an end is found exactly in the plane, where the angle is linear in it, and in space by
shooting (``landing``). An end that is not reached is returned with how far it is ``missed``, never silently.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked, frozen
from poise.character import Character, JointKind
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.key.sheet.key import as_time
from poise.methods.key.spin.free_rotation import PlanarRotation, SpatialRotation, spatial
from poise.methods.key.spin.inertia_history import InertiaHistory, Poses, inertia_history, require_inertia
from poise.methods.key.spin.landing import MET, Found, landing_momentum
from poise.motion import Clip

ACCURACY = 1e-10
"""How well the rotation is followed [rad]."""


class Turning(TypedDict, total=False):
    """What may be said of a flight beside its interval; as the fields of ``Spin``."""

    momentum: tuple[float, ...] | None
    orientation_end: tuple[float, ...] | None
    turns: int
    axis: tuple[float, ...]
    orientation_start: tuple[float, ...]


@dataclass(frozen=True)
class Spin:
    """An interval of flight in which the angular momentum is constant. Plain data."""

    start: float
    """[s]"""
    end: float
    """[s]"""
    momentum: tuple[float, ...] | None = None
    """Angular momentum about the centre of mass [kg·m²/s], world axes, (3,); None: found from the end."""
    orientation_end: tuple[float, ...] | None = None
    """R at the end, relative to the body as it is posed there (w, x, y, z); None: as posed."""
    turns: int = 0
    """Whole turns on the way there; positive is forward about the default axis."""
    axis: tuple[float, ...] = (0.0, 1.0, 0.0)
    """World axis of those turns, (3,): y is a somersault, z a twist of one who stands."""
    orientation_start: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    """R at the start (w, x, y, z)."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "start", as_time(self.start))
        put(self, "end", as_time(self.end))
        if self.end <= self.start:
            raise InputError(f"a spin must end after it starts, not from {self.start:g} to {self.end:g} s")
        if self.momentum is not None:
            if self.orientation_end is not None or self.turns:
                raise InputError("a spin takes its momentum or its end (orientation_end, turns), not both")
            put(self, "momentum", tuple(checked(self.momentum, "momentum of a spin", (3,)).tolist()))
        if isinstance(self.turns, bool) or not isinstance(self.turns, int):
            raise InputError(
                f"turns of a spin must be a whole number, not {self.turns!r}; orientation_end takes the rest"
            )
        if self.orientation_end is not None:
            put(self, "orientation_end", _unit(self.orientation_end, "orientation_end of a spin", 4))
        put(self, "orientation_start", _unit(self.orientation_start, "orientation_start of a spin", 4))
        put(self, "axis", _unit(self.axis, "axis of a spin", 3))

    def rotation(
        self,
        character: Character,
        motion: Poses | Clip,
        *,
        breaks: Sequence[float] = (),
        accuracy: float = ACCURACY,
    ) -> Rotation:
        """R(t) for a motion as posed.

        ``motion(times)`` gives configurations (T, nq) at any times from start to end. Between ``breaks`` [s]
        it must be smooth (they cost nothing but accuracy where they are left out); a clip's are its frames.
        """
        if isinstance(motion, Clip):
            clip, motion = motion, motion.at
            first, last = math.ceil(self.start * clip.fps), math.floor(self.end * clip.fps)
            breaks = [*breaks, *(float(k / clip.rate) for k in range(first, last + 1))]
        planar = _is_planar(character)
        history = inertia_history(character, motion, self.start, self.end, breaks=breaks, accuracy=accuracy)
        require_inertia(history, "y" if planar else "xyz")
        return _planar(self, character, history) if planar else _spatial(self, character, history, accuracy)

    def to_dict(self) -> dict[str, Any]:
        """As plain data; what is at its default is left out."""
        data = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in data.items()}

    @classmethod
    def from_dict(cls, data: Any) -> Spin:
        """The inverse of ``to_dict``; errors name the field."""
        if not isinstance(data, Mapping):
            raise InputError(f"a spin is written as a mapping, not {data!r}")
        names = [f.name for f in fields(cls)]
        for name in data:
            if name not in names:
                raise UnknownNameError("field", name, names, where="a spin")
        for name in ("start", "end"):
            if name not in data:
                raise InputError(f"the {name} of a spin is missing")
        return cls(**data)


@dataclass(frozen=True, eq=False)
class Rotation:
    """R(t) about the centre of mass: constant before the spin and after it."""

    character: Character
    start: float
    end: float
    momentum: Array
    """H [kg·m²/s], world axes (3,)."""
    turns: float
    """How often it turned about the spin's axis; not whole where the end is not as posed."""
    missed: float
    """How far the end is from the wanted one [rad]; zero where the momentum was given."""
    met: bool
    """Whether the wanted end is reached, with as many turns as wanted (to half a turn)."""
    error: float
    """Estimate of how well R follows the equation [rad]."""
    _turn: SpatialRotation | tuple[PlanarRotation, float]

    def at(self, times: ArrayLike) -> Array:
        """Quaternions at times (T, 4), sign continuous; of a planar character angles about y [rad] (T,)."""
        t = checked(np.atleast_1d(np.asarray(times, dtype=np.float64)), "times", (None,))
        if isinstance(self._turn, SpatialRotation):
            return self._turn.at(t)
        plane, first = self._turn
        return first + plane.at(t, float(self.momentum[1]))

    def applied(self, times: ArrayLike, q: ArrayLike) -> Array:
        """Configurations (T, nq) of the motion as posed at times, turned."""
        return rotated(self.character, q, self.at(times))


def rotation(
    character: Character,
    motion: Poses | Clip,
    start: float,
    end: float,
    *,
    breaks: Sequence[float] = (),
    accuracy: float = ACCURACY,
    **what: Unpack[Turning],
) -> Rotation:
    """R(t) of a flight: ``momentum=H``, or ``orientation_end=``, ``turns=``, ``axis=`` as of ``Spin``."""
    return Spin(start, end, **what).rotation(character, motion, breaks=breaks, accuracy=accuracy)


def rotated(character: Character, q: ArrayLike, turn: ArrayLike) -> Array:
    """Configurations (F, nq) turned about their centres of mass.

    ``turn``: quaternions (F, 4) or one; for a planar root angles about y [rad], (F,) or one.
    """
    planar = _is_planar(character)
    kin = Kinematics(character, q)
    out, frames = np.array(kin.q), kin.frames
    if planar:
        angle = checked(np.full(frames, turn) if np.ndim(turn) == 0 else turn, "turn", (frames,))
        c, s, centre = np.cos(angle), np.sin(angle), kin.com[:, [0, 2]]
        x, z = (out[:, :2] - centre).T
        out[:, :2] = centre + np.stack([c * x + s * z, c * z - s * x], axis=1)
        out[:, 2] += angle
        return out
    turn = checked(np.tile(turn, (frames, 1)) if np.ndim(turn) == 1 else turn, "turn", (frames, 4))
    out[:, :3] = kin.com + so3.rotate(turn, out[:, :3] - kin.com)
    out[:, 3:7] = so3.normalise(so3.multiply(turn, out[:, 3:7]))
    return out


def _is_planar(character: Character) -> bool:
    """Whether the root is planar; one that cannot turn freely is an error."""
    kind = character.bodies[0].joint.kind
    if kind not in (JointKind.FREE, JointKind.PLANAR):
        raise InputError(
            f"{character.name!r} cannot turn in flight: its root is {kind.name.lower()}, not free or planar"
        )
    return kind == JointKind.PLANAR


def _planar(spin: Spin, character: Character, history: InertiaHistory) -> Rotation:
    first = _angle(spin.orientation_start, "orientation_start")
    plane = PlanarRotation(history)
    if spin.momentum is not None:
        if abs(spin.momentum[0]) + abs(spin.momentum[2]) > 0:
            raise InputError("a planar character turns about y only: momentum x and z of a spin must be 0")
        h = spin.momentum[1]
    else:
        if abs(abs(spin.axis[1]) - 1) > 1e-9:
            raise InputError(f"a planar character turns about y only, not {spin.axis}")
        last = 0.0 if spin.orientation_end is None else _angle(spin.orientation_end, "orientation_end")
        h = plane.momentum_for(last - first + 2 * math.pi * spin.turns * math.copysign(1, spin.axis[1]))
    swept = float(plane.at(np.array([spin.end]), h)[0])
    coarse = PlanarRotation(history, stages=8)
    error = abs(float(coarse.at(np.array([spin.end]), h)[0]) - swept) + history.roughness
    turns = swept / (2 * math.pi) * math.copysign(1, spin.axis[1])
    momentum = frozen([0.0, h, 0.0])
    return Rotation(character, spin.start, spin.end, momentum, turns, 0.0, True, error, (plane, first))


def _spatial(spin: Spin, character: Character, history: InertiaHistory, accuracy: float) -> Rotation:
    start, axis = np.asarray(spin.orientation_start), np.asarray(spin.axis)
    end = so3.IDENTITY if spin.orientation_end is None else np.asarray(spin.orientation_end)
    guess = None
    for refine in (1.0, 2.0, 4.0, 8.0):
        if spin.momentum is not None:
            landing = Found(np.asarray(spin.momentum), 0.0, True)
        else:
            landing = landing_momentum(history, start, end, spin.turns, axis, refine=refine, guess=guess)
        found = spatial(history, landing.momentum[None], start, refine=refine)
        finer = spatial(history, landing.momentum[None], start, refine=2 * refine)
        apart = so3.difference(finer.turns[:, 0], found.at(finer.times))  # at steps and between them
        error = float(np.linalg.norm(apart, axis=1).max())
        if error <= accuracy:
            break
        guess = landing.momentum
    turns = float(found.swept() @ axis) / (2 * math.pi)
    error += history.roughness
    momentum, met = frozen(landing.momentum), landing.missed <= MET and landing.as_often
    return Rotation(character, spin.start, spin.end, momentum, turns, landing.missed, met, error, found)


def _angle(turn: tuple[float, ...], name: str) -> float:
    """The angle about y of a quaternion [rad]."""
    if abs(turn[1]) + abs(turn[3]) > 1e-9:
        raise InputError(f"a planar character turns about y only, but {name} of the spin is {turn}")
    return float(so3.log(np.asarray(turn))[1])


def _unit(values: ArrayLike, name: str, size: int) -> tuple[float, ...]:
    """Numbers of unit length; what is unit to rounding keeps its bits."""
    array = checked(values, name, (size,))
    length = float(np.linalg.norm(array))
    if length < 1e-8:
        raise InputError(f"{name} must not be zero")
    return tuple((array if abs(length - 1) < 1e-14 else array / length).tolist())
