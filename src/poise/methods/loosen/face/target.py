"""What a loosened face shall be like at a time: a shape, or how fast it changes, in a region.

Shapes are those of the rest frame (the head's own): where the head is does not matter, and a velocity is
that of the face, not of the head that carries it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray, checked
from poise.errors import InputError, UnknownNameError
from poise.methods.loosen.face.face import Face
from poise.methods.loosen.face.region import INSIDE, Region, share
from poise.motion import Clip
from poise.operations.values.face_target import WHOLE, FaceTarget, label_of

TOLERANCE = 1e-4
"""A target is met when no vertex is further off than this part of the face's size (of that per second)."""


@dataclass(frozen=True, eq=False)
class Target:
    """The face at a time [s]; by default as the animation has it: a check-point."""

    time: float
    region: Region = WHOLE
    wanted: Any = None
    """None: as animated. Weights by name of morph target. Or vertices in the rest frame (N, 3).

    With ``rate``: None: the animation's velocity. Rates of weights [1/s]. Velocities (N, 3). 0: at rest.
    """
    rate: bool = False
    """Whether it is the velocity that is wanted."""
    name: str = ""
    tolerance: float | None = None
    """[m], or [m/s] for a rate; None: 10⁻⁴ of the face's size."""

    def __post_init__(self) -> None:
        if (
            isinstance(self.time, bool)
            or not isinstance(self.time, int | float)
            or not np.isfinite(self.time)
        ):
            raise InputError(f"a target's time must be a finite number of seconds, not {self.time!r}")
        if self.tolerance is not None and not self.tolerance > 0:
            raise InputError(f"{self.label}: a tolerance must be positive, not {self.tolerance}")

    @property
    def label(self) -> str:
        """Its name, or what it is."""
        return self.name or label_of(self.region, self.time, rate=self.rate)

    @classmethod
    def of(cls, asked: FaceTarget) -> Target:
        """A target as it was asked for, made ready."""
        region = asked.region if isinstance(asked.region, str) else list(asked.region)
        shape = np.array(asked.shape) if isinstance(asked.shape, tuple) else asked.shape
        return cls(asked.at, region, shape, asked.rate, asked.name, asked.tolerance)

    def stencil(self, clip: Clip) -> list[tuple[float, float]]:
        """Times and factors by which states are added: the state itself, or a difference of neighbours.

        All are frames: between them vertices go straight from one to the next, as all players have it.
        """
        t, dt = float(self.time), clip.dt
        if not clip.loop and not -1e-9 <= t <= clip.duration + 1e-9:
            raise InputError(f"{self.label}: the clip lasts from 0 to {clip.duration:g} s")
        before = float(np.floor(t * clip.fps + 1e-6))
        share = t * clip.fps - before
        if share > 1e-6:
            ends = before / clip.fps, (before + 1) / clip.fps
            return list(zip(ends, (-1 / dt, 1 / dt) if self.rate else (1 - share, share)))
        if not self.rate:
            return [(t, 1.0)]
        half = 0.5 / dt
        if clip.loop or (t - dt > -1e-9 and t + dt < clip.duration + 1e-9):
            return [(t - dt, -half), (t + dt, half)]
        side = 1.0 if t - dt <= -1e-9 else -1.0
        if clip.duration < 2 * dt - 1e-9:
            raise InputError(f"{self.label}: a velocity needs a clip of three frames")
        near = side * half
        return [(t, -3 * near), (t + side * dt, 4 * near), (t + 2 * side * dt, -near)]

    def vertices(self, face: Face) -> IntArray:
        """The vertices that count, (K,)."""
        inside = np.flatnonzero(share(face.rig.skin, self.region) > INSIDE)
        return inside.astype(np.int64)

    def goal(self, face: Face) -> Array:
        """Where they shall be, or their velocities, rest frame, (K, 3)."""
        among, skin = self.vertices(face), face.rig.skin
        if self.wanted is None:
            return measured(face, self, among, loose=False)
        if isinstance(self.wanted, Mapping):
            names = [m.name for m in skin.morphs]
            weights = np.zeros(len(names))
            for name, amount in self.wanted.items():
                if name not in names:
                    raise UnknownNameError("morph target", name, names, where=self.label)
                weights[names.index(name)] = checked(amount, f"{self.label}: weight of {name}", ())
            shape = skin.shape(weights)
            return np.asarray((shape - skin.vertices if self.rate else shape)[among])
        if self.rate and np.ndim(self.wanted) == 0:
            value = float(checked(self.wanted, self.label, ()))
            if value != 0:
                raise InputError(f"{self.label}: a velocity is 0, rates of weights or (N, 3), not {value}")
            return np.zeros((len(among), 3))
        return checked(self.wanted, self.label, (len(skin.vertices), 3))[among]


def measured(face: Face, target: Target, among: IntArray, *, loose: bool = True) -> Array:
    """What a target is compared with: places or velocities of some vertices, rest frame, (K, 3)."""
    times, factors = zip(*target.stencil(face.clip))
    states = face.states(times, rest=True) if loose else face.kinematic(times, rest=True)
    return np.asarray(sum(f * s[among] for f, s in zip(factors, states)))


def checkpoints(times: Iterable[float], region: Region = WHOLE, *, name: str = "") -> list[Target]:
    """Targets at several times, all as the animation has them."""
    return [Target(t, region, name=f"{name} at {t:g} s" if name else "") for t in map(float, times)]
