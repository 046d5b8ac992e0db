"""A score: which foot stands where and when, how high the body is carried, what trunk and arms do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array
from poise.world import World


@dataclass(frozen=True, eq=False)
class Plant:
    """A foot that stands."""

    start: float
    """It touches down [s]; before the beginning: it stood there already."""
    end: float
    """It lifts off [s]; after the end: it goes on standing."""
    place: Array
    """Of the sole's origin [m] (3,)."""
    turn: Array
    """From the flat foot that looks along x to this one (3, 3)."""
    load: float = 0.1
    """After touching down the weight comes on it within [s] …"""
    unload: float = 0.1
    """… and leaves it before lift-off within [s]."""
    land: float = 0.0
    """Pitch at touch-down [rad]: below 0 on the heel, above on the ball."""
    leave: float = 0.0
    """Pitch at lift-off [rad]."""
    flick: float = 2.0
    """Speed of the roll at lift-off, over that of an even one."""
    early: float = 0.35
    """Where pressure is when it has just landed, from heel (0) to ball (1) …"""
    late: float = 0.75
    """… and when it is about to leave."""


@dataclass(frozen=True, eq=False)
class ArmAngles:
    """An arm from how it hangs: forward swing, outward, bend of the elbow [rad] (F,) each."""

    swing: Array
    out: Array
    bend: Array


@dataclass(eq=False)
class Score:
    """All of a motion but its poses."""

    name: str
    times: Array
    """[s] (F,)"""
    dt: float
    plants: list[list[Plant]]
    """By leg, in order."""
    height: Array
    """Of the centre of mass [m] (F,)."""
    yaw: Array
    """Of the trunk [rad] (F,)."""
    world: World
    clear: list[list[float]] = field(default_factory=list)
    """By leg and swing: how much higher than the straight way a foot goes [m]."""
    pitch: Array | None = None
    """Of the chest, forward [rad] (F,)."""
    pelvis: Array | None = None
    """Pitch of the pelvis, forward [rad] (F,)."""
    roll: Array | None = None
    """Of the trunk, to the right [rad] (F,)."""
    twist: Array | None = None
    """Of the pelvis about the vertical beside the trunk's yaw [rad] (F,)."""
    arms: Mapping[float, ArmAngles] = field(default_factory=dict)
    """By side."""
    hands: list[tuple[int, Array, Array, Array]] = field(default_factory=list)
    """Body, point of it (3,), places [m] (F, 3) and weights (F,)."""
    pressure: Array | None = None
    """Centre of pressure [m] (F, 2), where plants do not say it."""
    ground: Array | None = None
    """Its height [m] (F,)."""
    gaze: Array | None = None
    """Pitch of the head [rad] (F,)."""
    flights: list[tuple[float, float]] = field(default_factory=list)
    """When nothing carries the body [s]."""
    reaches: list[tuple[str, int, Array, Array, float]] = field(default_factory=list)
    """What is promised: name, body, point of it, place [m] and time [s]."""
    rise: tuple[float, float, float] | None = None
    """A flight's begin and end [s], and how much higher than its take-off it goes [m]."""
    seat: tuple[float, Array] | None = None
    """From when on it sits [s], and where the hips are then [m] (3,)."""

    @property
    def frames(self) -> int:
        return len(self.times)

    @property
    def flies(self) -> Array:
        """Frames within flights (F,)."""
        out = np.zeros(self.frames, bool)
        for a, b in self.flights:
            out |= (self.times > a - 1e-9) & (self.times < b + 1e-9)
        return out

    def swung(self, leg: int, k: int) -> float:
        """How much higher than the straight way the k-th swing of a leg goes [m]."""
        own = self.clear[leg] if leg < len(self.clear) else []
        return own[k] if k < len(own) else 0.0


def shares(score: Score) -> Array:
    """How much of the weight every leg carries (F, legs); nothing in flight."""
    t = score.times
    out = np.zeros((len(t), len(score.plants)))
    for i, plants in enumerate(score.plants):
        for p in plants:
            on = (t >= p.start - 1e-9) & (t <= p.end + 1e-9)
            grow = np.clip((t - p.start) / max(p.load, 1e-6), 0.0, 1.0)
            fade = np.clip((p.end - t) / max(p.unload, 1e-6), 0.0, 1.0)
            out[:, i] = np.where(on, np.maximum(np.minimum(grow, fade), 1e-3), out[:, i])
    total = out.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(out, total, out=np.zeros_like(out), where=total > 0))
