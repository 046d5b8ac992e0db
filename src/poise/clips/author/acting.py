"""What the acted clips share: a trunk over feet, a head that looks somewhere, hands, and balance.

A recipe says everything but where the hips are. That follows from the centre of mass,

    com(pose(hips))(t) = wanted(t),

solved by Newton's method on all frames at once; upright, the hips ride as high as the straighter
leg's wanted knee angle lets them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from poise.arrays import Array
from poise.clips.author.channels import Keys, channel
from poise.clips.author.puppet import SIDES, Footing, Puppet, about_x, about_y, about_z, bend
from poise.kinematics import Kinematics

FPS = 60
"""Of bundled clips [frames/s]."""
LAG = 0.035
"""The chest follows the loins by this much [s]: a spine curves in time as well as in space."""
STEP = 1e-4
"""Of finite differences [m]."""


class Score:
    """A recipe's keys on a common clock; every track keeps key times of its own."""

    def __init__(self, keys: Mapping[str, Keys], times: Array, *, rounding: float) -> None:
        self.keys, self.times, self.rounding = keys, times, rounding

    def track(self, name: str, *, late: float = 0.0, rounding: float | None = None) -> Array:
        """A track as written [m, or none], ``late`` seconds later, (T,) or (T, k)."""
        keys = [(at + late, value) for at, value in self.keys[name]]
        return channel(keys, self.times, rounding=self.rounding if rounding is None else rounding)

    def angle(self, name: str, *, late: float = 0.0, rounding: float | None = None) -> Array:
        """A track written in degrees, in radians."""
        return np.radians(self.track(name, late=late, rounding=rounding))

    def spine(self, *, late: float = LAG) -> tuple[Array, Array]:
        """Rotations of loins and chest from ``flex``, ``side`` and ``twist``, each (T, 3, 3)."""
        now = [self.angle(name) for name in ("flex", "side", "twist")]
        after = [self.angle(name, late=late) for name in ("flex", "side", "twist")]
        return spine_pair(now, after)

    def lean(self) -> Array:
        """World-from-hips rotation from ``yaw``, ``forward`` and ``aside``, (T, 3, 3)."""
        return leaning(self.angle("yaw"), self.angle("forward"), self.angle("aside"))

    def gaze(self) -> Array:
        """World-from-head rotation from ``look_aside``, ``look_down`` and ``look_tilt``, (T, 3, 3)."""
        tilt = about_x(-self.angle("look_tilt"))
        return about_z(self.angle("look_aside")) @ about_y(self.angle("look_down")) @ tilt

    def arm(self, puppet: Puppet, side: str, *, late: float = 0.0) -> dict[str, Array]:
        """An arm by the five angles ``left_flex``, ``left_abduct`` … (``right_…``)."""
        names = ("flex", "abduct", "turn", "elbow", "palm")
        return puppet.arm_angles(side, *(self.angle(f"{side.lower()}_{name}", late=late) for name in names))


def spine_pair(now: list[Array], after: list[Array]) -> tuple[Array, Array]:
    """Loins and chest from flexion, side bend (left) and twist (left) [rad]; the chest's may come later."""
    loins = bend(0.5 * now[0], 0.5 * now[1], 0.4 * now[2])
    return loins, bend(0.5 * after[0], 0.5 * after[1], 0.6 * after[2])


def leaning(yaw: Array, forward: Array, aside: Array) -> Array:
    """Turned by yaw, then tilted towards world x (forward) and y (aside, to the left), (T, 3, 3)."""
    return about_y(forward) @ about_x(-aside) @ about_z(yaw)


def seconds(duration: float, *, fps: int = FPS) -> Array:
    """Frame times from 0 to ``duration`` inclusive, (T,)."""
    return np.arange(round(duration * fps) + 1) / fps


def cycle(keys: Keys, times: Array, period: float, *, rounding: float = 0.02) -> Array:
    """Keys of one period as a closed, rounded curve, evaluated at ``times`` (periodic), (T,) or (T, k)."""
    at = np.array([k[0] for k in keys], dtype=np.float64)
    values = np.array([k[1] for k in keys], dtype=np.float64)
    around = np.concatenate([at + n * period for n in (-2, -1, 0, 1, 2)])
    curve = PchipInterpolator(around, np.concatenate([values] * 5))
    count = round(period / 0.001)
    dense = curve(np.arange(count) / count * period)
    if rounding > 0:
        dense = gaussian_filter1d(dense, rounding / (period / count), axis=0, mode="wrap")
    closed = np.concatenate([dense, dense[:1]])
    smooth = CubicSpline(np.linspace(0.0, period, count + 1), closed, axis=0, bc_type="periodic")
    return np.asarray(smooth(np.asarray(times) % period))


@dataclass(frozen=True)
class Trunk:
    """Where the chest and the neck are, for hands that aim from there."""

    chest: Array  # (T, 3)
    chest_turn: Array  # (T, 3, 3)
    neck: Array  # (T, 3)

    def from_chest(self, place: Array) -> Array:
        """World position of a place in the chest's frame, (T, 3)."""
        return self.chest + np.einsum("tij,tj->ti", self.chest_turn, np.broadcast_to(place, self.chest.shape))


Arms = Callable[[Trunk], dict[str, Array]]


@dataclass(frozen=True)
class Posture:
    """A whole body over time, but for where its hips are."""

    turn: Array  # (T, 3, 3) world-from-hips
    loins: Array  # (T, 3, 3) hips-from-loins
    chest: Array  # (T, 3, 3) loins-from-chest
    gaze: Array  # (T, 3, 3) world-from-head
    feet: Mapping[str, Footing]
    arms: Arms

    def configurations(self, puppet: Puppet, hips: Array) -> Array:
        """Configurations with hips at the given places (T, 3), (T, nq)."""
        place, chest_turn = puppet.chest_placement(hips, self.turn, self.loins, self.chest)
        neck = place + np.einsum("tij,j->ti", chest_turn, puppet.offset["Head"])
        limbs = dict(self.arms(Trunk(place, chest_turn, neck)))
        for side, footing in self.feet.items():
            limbs |= puppet.leg(side, hips, self.turn, footing)
        head = np.swapaxes(chest_turn, -1, -2) @ self.gaze
        return puppet.assemble(hips, self.turn, self.loins, self.chest, head, limbs)

    def socket(self, puppet: Puppet, side: str) -> Array:
        """Hip joint relative to the hips, world axes, (T, 3)."""
        return np.einsum("tij,j->ti", self.turn, puppet.offset[f"{side}UpLeg"])

    def height(self, puppet: Puppet, hips: Array, knee: Array) -> Array:
        """Hips' height at which the straighter leg's knee is bent by ``knee`` [rad], (T,)."""
        a, b = puppet.thigh, puppet.shin
        reach2 = a * a + b * b + 2 * a * b * np.cos(knee)
        rooms = []
        for side in SIDES:
            socket, ankle = self.socket(puppet, side), self.feet[side].ankle
            away = ankle[:, :2] - hips[:, :2] - socket[:, :2]
            rooms.append(
                ankle[:, 2] - socket[:, 2] + np.sqrt(np.maximum(reach2 - np.sum(away**2, axis=-1), 0.01))
            )
        # The lower of the two, with a rounded corner so that the body does not jerk when they swap.
        low, high = np.minimum(*rooms), np.maximum(*rooms)
        return low - 0.003 * np.log1p(np.exp(-(high - low) / 0.003))


def balanced(puppet: Puppet, posture: Posture, com: Array, knee: Array) -> Array:
    """Configurations (T, nq) whose centre of mass is over ``com`` (T, 2), on knees bent by ``knee`` [rad]."""
    character = puppet.character
    hips = com.copy()

    def placed(xy: Array) -> Array:
        return np.column_stack([xy, posture.height(puppet, xy, knee)])

    def centre(xy: Array) -> Array:
        return Kinematics(character, posture.configurations(puppet, placed(xy))).com[:, :2]

    slopes = np.empty((len(com), 2, 2))
    for sweep in range(24):
        here = centre(hips)
        if float(np.max(np.abs(com - here))) < 1e-10:
            break
        if sweep % 3 == 0:  # the slopes hardly change from step to step
            for k in range(2):
                there = hips.copy()
                there[:, k] += STEP
                slopes[:, :, k] = (centre(there) - here) / STEP
        step = np.linalg.solve(slopes, (com - here)[..., None])[..., 0]
        hips += np.clip(step, -0.1, 0.1)
    puppet.overreach = -np.inf
    return posture.configurations(puppet, placed(hips))
