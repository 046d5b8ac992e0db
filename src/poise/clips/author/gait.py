"""Walking and running: one stride as a function of phase, exactly periodic.

Phase 0 is the left foot's strike, phase ½ the right's. A foot in stance rolls on its heel, lies flat,
and rolls off over its toes, with nothing sliding; in swing its ankle follows the path that hip and
knee angles of human gait give, bent at both ends to leave and meet the ground smoothly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from poise.arrays import Array
from poise.clips.author.bounce import bounced
from poise.clips.author.channels import Keys, harmonics, periodic, quintic, smoothstep
from poise.clips.author.puppet import Footing, Puppet, about_y, bend, turn
from poise.kinematics import Kinematics
from poise.motion import Clip, Travel

FINE = 16
"""Phases per frame while shaping the swing."""
TOES_BEND = 1.15
"""As far as toes extend [rad]."""
PRESS = (0.1, 0.4, 1.0, 1.2)
"""Where a foot presses as it comes down, lies flat, begins to roll and leaves: from heel (0) to ball (1)."""
ROUNDS = 12
"""In which hips and centre of mass find each other."""
Wave = tuple[float, Sequence[tuple[float, float, int]]]


@dataclass(frozen=True)
class Gait:
    """The numbers of a gait: degrees, metres, seconds, phases."""

    name: str
    frames: int
    """Per stride, even, at 60 per second."""
    speed: float
    duty: float
    """Part of the stride a foot is on the ground."""
    hip: Keys
    """Thigh to the vertical, forward positive."""
    knee: Keys
    pitch: Keys
    """Foot to the ground, toes up positive."""
    straightest: float
    """The least knee angle in stance."""
    half_width: float
    toe_out: float
    clearance: float
    rounding: float = 0.006
    """Of the foot's pitch (σ), in phases."""
    soft: float = 0.004
    """Over which a leg's length bends towards its limit [m]."""
    leave: float = 0.6
    meet: float = 0.5
    """Parts of the swing over which it is bent to leave and to meet the ground."""
    plant_shift: float = 0.0
    """Moves the footprints forward under the body [m]."""
    hips_z: Wave = (0.0, ())
    hips_y: Wave = (0.0, ())
    hips_x: Wave = (0.0, ())
    hips_yaw: Wave = (0.0, ())
    hips_roll: Wave = (0.0, ())
    hips_pitch: Wave = (0.0, ())
    twist: Wave = (0.0, ())
    flex: Wave = (0.0, ())
    shoulder_flex: Wave = (0.0, ())
    shoulder_abduct: Wave = (0.0, ())
    shoulder_turn: Wave = (0.0, ())
    elbow: Wave = (0.0, ())
    palm: Wave = (0.0, ())
    ballistic: bool = False
    """Whether there is a flight phase, in which the centre of mass falls freely."""


def stride(gait: Gait, puppet: Puppet) -> Clip:
    """One stride as a loop that travels."""
    count = gait.frames * FINE
    phase = np.arange(count) / count
    maker = _Stride(gait, puppet, phase)
    height = maker.carried_height()
    if gait.ballistic:
        height = maker.thrown(height)
    q = maker.configurations(height)[::FINE]
    travel = Travel((maker.advance, 0.0, 0.0))
    return Clip(puppet.character, q, 60, loop=True, travel=travel, name=gait.name)


def _rounded(pitch: Array, gait: Gait, phase: Array) -> Array:
    """Flat means flat: small angles around the flat part of stance are squeezed to zero."""
    flat = [p for p, v in gait.pitch if v == 0.0]
    inside = (phase > flat[0]) & (phase < flat[-1])
    pitch = np.where(inside, 0.0, pitch)
    # No toes-up before heel-off and no heel-up before the foot is flat.
    stance = phase < gait.duty
    pitch = np.where(stance & (phase <= flat[0]), np.maximum(pitch, 0.0), pitch)
    pitch = np.where(stance & (phase >= flat[-1]), np.minimum(pitch, 0.0), pitch)
    return gaussian_filter1d(pitch, gait.rounding * len(phase), mode="wrap")


class _Stride:
    """One stride on a fine grid of phases; everything but the hips' height is fixed on making it."""

    def __init__(self, gait: Gait, puppet: Puppet, phase: Array) -> None:
        self.gait, self.puppet, self.phase = gait, puppet, phase
        self.period = gait.frames / 60.0
        self.advance = gait.speed * self.period
        self.stance = phase < gait.duty
        self.pitch = np.radians(_rounded(periodic(gait.pitch, phase, order=12), gait, phase))
        self.toes = self._toe_path()
        self.hips_x = self.advance * phase + harmonics(*gait.hips_x, phase)
        self.hips_y = harmonics(*gait.hips_y, phase)
        self.hips_turn = turn(
            self._angle(gait.hips_yaw), self._angle(gait.hips_pitch), self._angle(gait.hips_roll)
        )
        self.raw_hip = np.radians(periodic(gait.hip, phase))
        self.raw_knee = np.radians(periodic(gait.knee, phase))
        self.plant, self.height = self._best_plant()

    def _angle(self, wave: Wave, shift: float = 0.0) -> Array:
        return np.radians(harmonics(*wave, self.phase + shift))

    # Feet ------------------------------------------------------------------------------------

    def _toe_path(self) -> Array:
        """Toes flat on the ground in stance; they straighten as the foot lifts."""
        phase, duty = self.phase, self.gait.duty
        swing = np.maximum(0.0, -self.pitch) * (1 - smoothstep((phase - duty) / 0.18))
        lift = np.radians(10) * smoothstep((phase - duty) / 0.25) * (1 - smoothstep((phase - 0.86) / 0.12))
        # The foot goes on tipping while the leg lifts it; toes bend no further than they can.
        return np.where(self.stance, np.maximum(0.0, -self.pitch), np.minimum(swing + lift, TOES_BEND))

    def _grounded(self) -> Footing:
        """The left foot as it would roll on its plant at every phase, in stance or not."""
        count = len(self.phase)
        yaw = np.full(count, np.radians(self.gait.toe_out))
        heel = np.tile([self.plant, self.gait.half_width, 0.0], (count, 1))
        return self.puppet.rolling_foot(heel, yaw, self.pitch)

    def _best_plant(self) -> tuple[float, float]:
        """Where to plant the foot so that the hips ride highest, and how high that is [m]."""
        gait, puppet = self.gait, self.puppet
        self.plant = 0.0
        ankle = self._grounded().ankle
        longest = _leg_length(puppet, np.radians(gait.straightest))
        socket = np.einsum("tij,j->ti", self.hips_turn, puppet.offset["LeftUpLeg"])
        sway = harmonics(*gait.hips_z, self.phase)
        aside = ankle[:, 1] - self.hips_y - socket[:, 1]

        def highest(plant: float) -> float:
            dx = plant + ankle[:, 0] - self.hips_x - socket[:, 0]
            rise = np.sqrt(np.maximum(longest**2 - dx**2 - aside**2, 1e-6))
            return float(np.min((ankle[:, 2] + rise - socket[:, 2] - sway)[self.stance]))

        middle = float(np.mean((self.hips_x - ankle[:, 0])[self.stance]))
        plants = middle + np.linspace(-0.2, 0.3, 251)
        plant = float(plants[int(np.argmax([highest(p) for p in plants]))]) + gait.plant_shift
        return plant, highest(plant)

    def footings(self, height: Array) -> dict[str, Footing]:
        """World placement of both feet for hips at the given height."""
        left = self._left_footing(height)
        count = len(self.phase)
        half = count // 2
        index = (np.arange(count) + half) % count
        ahead = self.advance * ((np.arange(count) + half) // count) - 0.5 * self.advance
        ankle = left.ankle[index] * [1.0, -1.0, 1.0]
        ankle[:, 0] += ahead
        mirror = np.array([1.0, -1.0, 1.0])
        return {
            "Left": left,
            "Right": Footing(ankle, left.turn[index] * np.outer(mirror, mirror), left.toes[index]),
        }

    def _left_footing(self, height: Array) -> Footing:
        """Rolling in stance; in swing the leg's length and direction of human gait, bent to join."""
        puppet = self.puppet
        grounded = self._grounded()
        hips = np.stack([self.hips_x, self.hips_y, height], axis=-1)
        socket = hips + np.einsum("tij,j->ti", self.hips_turn, puppet.offset["LeftUpLeg"])
        way = grounded.ankle - socket
        swung = np.arctan2(way[:, 0], -way[:, 2])
        a, b = puppet.thigh, puppet.shin
        raw_x = a * np.sin(self.raw_hip) + b * np.sin(self.raw_hip - self.raw_knee)
        raw_z = a * np.cos(self.raw_hip) + b * np.cos(self.raw_hip - self.raw_knee)
        # The next plant is one advance ahead, seen from hips that are one advance ahead: the same
        # angles. Lengths are joined, not knee angles, whose slope is infinite in a straight leg.
        length = self._joined(np.linalg.norm(way, axis=-1), np.hypot(raw_x, raw_z))
        swung = self._joined(swung, np.arctan2(raw_x, raw_z))
        length = _softly_below(
            length, float(_leg_length(puppet, np.radians(self.gait.straightest))), self.gait.soft
        )
        lateral = way[:, 1]
        down = np.sqrt(length**2 - lateral**2)
        ankle = socket + np.stack([down * np.sin(swung), lateral, -down * np.cos(swung)], axis=-1)
        ankle = np.where(self.stance[:, None], grounded.ankle, ankle)
        ankle[:, 2] += self._clearance(ankle[:, 2])
        return Footing(ankle, grounded.turn, self.toes)

    def _joined(self, stance: Array, swing: Array) -> Array:
        """``stance`` while on the ground, ``swing`` bent to join it in value, slope and curvature."""
        count = len(self.phase)
        last = int(np.count_nonzero(self.stance)) - 1
        length = count - last
        u = (np.arange(last + 1, count) - last) / length
        gap = stance - swing
        # Slopes per unit of u, from inside the stance.
        reach = 6
        leave = (gap[last], (gap[last] - gap[last - reach]) / reach * length, 0.0)
        meet = (gap[0], (gap[reach] - gap[0]) / reach * length, 0.0)
        if self.gait.ballistic:  # quick legs jerk where their curvature jumps
            scale = (length / reach) ** 2
            leave = (*leave[:2], scale * float(gap[last] - 2 * gap[last - reach] + gap[last - 2 * reach]))
            meet = (*meet[:2], scale * float(gap[0] - 2 * gap[reach] + gap[2 * reach]))
        early, late = self.gait.leave, self.gait.meet
        bend_out = quintic(np.minimum(u, early), early, leave, (0.0, 0.0, 0.0))
        bend_in = quintic(np.maximum(u - (1 - late), 0.0), late, (0.0, 0.0, 0.0), meet)
        out = stance.copy()
        out[last + 1 :] = swing[last + 1 :] + bend_out + bend_in
        return out

    def _clearance(self, ankle_z: Array) -> Array:
        """What the swing foot must be lifted so that nothing scrapes [m]."""
        puppet = self.puppet
        tilt = about_y(-self.pitch)
        heel = (tilt @ puppet.heel)[:, 2]
        joint = tilt @ puppet.toe_joint
        toe = puppet.character.bodies[puppet.character.index("LeftToeBase")]
        tip = joint + np.einsum(
            "tij,j->ti", about_y(-self.pitch - self.toes), np.asarray(toe.points["LeftToe"])
        )
        ball = joint[:, 2] + puppet.heel[2] - puppet.toe_joint[2]
        lowest = ankle_z + np.minimum(np.minimum(heel, tip[:, 2]), ball)
        u = np.clip((self.phase - self.gait.duty) / (1 - self.gait.duty), 0, 1)
        window = np.sin(np.pi * u) ** 2 * ~self.stance
        need = np.maximum(0.0, self.gait.clearance * np.minimum(1.0, 3 * window) - lowest) * ~self.stance
        peak = gaussian_filter1d(need, 0.03 * len(u), mode="constant")
        # One smooth lift, large enough everywhere it is needed.
        where = need > 1e-6
        factor = float(np.max(need[where] / np.maximum(peak[where], 1e-6))) if where.any() else 0.0
        return peak * min(factor, 2.0) * np.minimum(1.0, 6 * window)

    # Hips ------------------------------------------------------------------------------------

    def carried_height(self) -> Array:
        """Hips' height over the stride for a gait that always has a foot on the ground [m]."""
        return self.height + harmonics(*self.gait.hips_z, self.phase)

    def thrown(self, height: Array) -> Array:
        """Hips' height for which the centre of mass falls freely in flight and in stance goes where a push of
        the ground takes it (``bounce``); the hips' way along and aside is made anew for the same."""
        half = len(self.phase) // 2
        bounce = bounced(half, self.period / 2, self.gait.duty * self.period)
        # Where a swing's leg is not bent any more to be short enough, it meets its stance without a step.
        longest = _leg_length(self.puppet, np.radians(self.gait.straightest)) - self.gait.soft
        pressure = self._pressure()[:half]
        for _ in range(ROUNDS):
            com = Kinematics(self.puppet.character, self.configurations(height)).com
            error = np.tile(bounce.height, 2) - com[:, 2]
            level = (com[:, 2] + error - error.mean())[:half]
            height = height + error - error.mean()
            along = bounce.driven(level, pressure, self.gait.speed)
            aside = bounce.swayed(level, np.full(half, self.gait.half_width))
            self.hips_x = self.hips_x + np.concatenate([along, along + self.advance / 2]) - com[:, 0]
            self.hips_y = self.hips_y + np.concatenate([aside, -aside]) - com[:, 1]
            # As high as the stance leg allows.
            hips = np.stack([self.hips_x, self.hips_y, height], axis=-1)
            socket = hips + np.einsum("tij,j->ti", self.hips_turn, self.puppet.offset["LeftUpLeg"])
            way = self._grounded().ankle - socket
            way = way[self.stance]
            room = np.sqrt(longest**2 - way[:, 0] ** 2 - way[:, 1] ** 2) + way[:, 2]
            height = height + float(np.min(room))
        return height

    def _pressure(self) -> Array:
        """Where the left foot presses: heel, ball, toes (T,) [m]."""
        ball = float(self.puppet.toe_joint[0] - self.puppet.heel[0])
        flat = [p for p, v in self.gait.pitch if v == 0.0]
        at = (0.0, flat[0], flat[-1], self.gait.duty)
        way = PchipInterpolator(at, ball * np.array(PRESS))
        return self.plant + np.asarray(way(np.minimum(self.phase, self.gait.duty)))

    # Body ------------------------------------------------------------------------------------

    def configurations(self, height: Array) -> Array:
        """Configurations at every phase for hips at the given height, (count, nq)."""
        gait, puppet = self.gait, self.puppet
        hips = np.stack([self.hips_x, self.hips_y, height], axis=-1)
        yaw, roll, lean = (
            self._angle(gait.hips_yaw),
            self._angle(gait.hips_roll),
            self._angle(gait.hips_pitch),
        )
        twist, flex = self._angle(gait.twist), self._angle(gait.flex)
        spine = bend(0.6 * flex, 0.75 * roll, 0.35 * twist)
        chest = bend(0.4 * flex, 0.45 * roll, 0.65 * self._angle(gait.twist, -0.02))
        head = bend(-0.7 * flex - 0.9 * lean, -0.2 * roll, -0.9 * (twist + yaw))
        limbs: dict[str, Array] = {}
        for side, footing in self.footings(height).items():
            shift = 0.0 if side == "Left" else 0.5
            limbs |= puppet.leg(side, hips, self.hips_turn, footing)
            arm = (gait.shoulder_flex, gait.shoulder_abduct, gait.shoulder_turn, gait.elbow, gait.palm)
            limbs |= puppet.arm_angles(side, *(self._angle(wave, shift) for wave in arm))
        return puppet.assemble(hips, self.hips_turn, spine, chest, head, limbs)


def _leg_length(puppet: Puppet, knee: Array | float) -> Array:
    """Hip to ankle with the knee bent by an angle [m]."""
    a, b = puppet.thigh, puppet.shin
    return np.sqrt(a * a + b * b + 2 * a * b * np.cos(knee))


def _softly_below(length: Array, limit: float, soft: float) -> Array:
    """Lengths held under a limit without a kink: they bend towards it over the last few millimetres."""
    start = limit - soft
    over = np.maximum(length - start, 0.0)
    return np.where(length > start, start + soft * (1 - np.exp(-over / soft)), length)
