"""A jump: arms and crouch wind up, a push, free flight, a soft landing.

In flight the centre of mass is on a parabola and the angular momentum about it is constant but
for a ripple: the hips turn by whatever the swinging limbs demand.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d

from poise.arrays import Array
from poise.clips.author.acting import FPS, Posture, Score, balanced, seconds
from poise.clips.author.channels import Keys, quintic, smoothstep
from poise.clips.author.puppet import Footing, Puppet, about_y, about_z
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.motion import Clip

GRAVITY = 9.81
DURATION = 2.6
DIP, BOTTOM, LEAVE, LAND, LOW, UP = 0.38, 0.85, 69 / FPS, 98 / FPS, 1.83, 2.50
"""Start of the crouch, its bottom, take-off, touch-down, the landing's bottom, upright again [s]."""
CROUCH, RISE, SETTLE, ABSORB = -0.265, 0.118, 0.03, -0.235
"""Height of the centre of mass over standing: at the bottom, take-off, touch-down, lowest after [m]."""
HOP = 0.36
"""How far the feet travel [m]."""
EASE = (0.055, 0.12)
"""Time to blend the angular momentum, before take-off and after touch-down [s]."""
RIPPLE = 0.016
"""The hips' turn is rounded by a Gaussian of this width [s]."""
OVERSAMPLE = 2
"""Samples per frame while solving, so that momentum is measured finely."""
STANCE = {"Left": (0.006, 0.105, 9.0), "Right": (-0.006, -0.105, -11.0)}
"""Ankles over the ground [m], and toes out [°]."""
BALANCE = 0.05
"""The centre of mass is this far before the ankles, standing [m]."""
SPEED = 0.54
"""Forward, in flight [m/s]."""
BEHIND = 0.045
"""How much farther back than in standing the centre of mass is over the feet at touch-down [m]."""
STRIKE = 0.9
"""Speed at which the toes meet the ground [m/s]."""
STRETCH, TUCK, REACH = (0.051, 0.08), (-0.025, 0.25), (-0.042, 0.055)
"""How much farther the toes are from the centre of mass than at take-off [m], how long after it
or before touch-down [s]: legs shoot out, draw up a little, and reach for the ground."""

Knot = tuple[float, tuple[float, float, float]]
"""Time, and position, velocity, acceleration there."""

# fmt: off
KEYS: dict[str, Keys] = {
    "yaw": [(0, 0)],
    "forward": [
        (0, 1), (0.36, 1), (0.77, 31), (0.86, 25), (1.04, 2), (1.16, -4), (1.4, -4), (1.62, 3),
        (1.83, 25), (2.42, 1),
    ],
    "aside": [(0, 0)],
    "flex": [
        (0, 3), (0.33, 2), (0.77, 30), (0.86, 26), (1.08, -3), (1.19, -8), (1.42, -1), (1.62, 4),
        (1.87, 26), (2.5, 3),
    ],
    "side": [(0, 0)],
    "twist": [(0, 0)],
    "look_aside": [(0, 0)],
    "look_down": [
        (0, 2), (0.25, 2), (0.6, 18), (0.84, 12), (1.1, -14), (1.3, -6), (1.52, 20), (1.78, 24), (2.3, 2),
    ],
    "look_tilt": [(0, 0)],
    "pitch": [
        (0, 0), (0.93, 0), (1.06, -18), (1.15, -49), (1.2, -55), (1.42, -40), (1.633, -24), (1.715, 0),
        (2, 0),
    ],
    "toes": [(0, 0), (1.085, 0), (1.15, -28), (1.2, -45), (1.4, -28), (1.6, 0), (2, 0)],
    "left_flex": [
        (0, 2), (0.16, 2), (0.38, 20), (0.68, -55), (0.755, -50), (0.94, 46), (1.1, 136), (1.24, 160),
        (1.42, 154), (1.63, 126), (1.87, 40), (2.14, -9), (2.4, 4), (2.6, 2),
    ],
    "left_abduct": [
        (0, 8), (0.44, 12), (0.84, 16), (1.05, 14), (1.28, 12), (1.5, 24), (1.72, 30), (2.12, 12),
        (2.5, 8),
    ],
    "left_turn": [(0, -8), (0.75, -6), (0.95, -28), (1.15, -42), (1.45, -40), (1.7, -18), (2.3, -8)],
    "left_elbow": [
        (0, 18), (0.46, 30), (0.78, 14), (0.97, 44), (1.2, 20), (1.46, 34), (1.68, 48), (1.96, 34),
        (2.3, 20), (2.6, 18),
    ],
    "left_palm": [(0, 14), (0.8, 20), (1.2, 0), (1.7, 10), (2.4, 14)],
}
# fmt: on

KEYS |= {name.replace("left", "right"): KEYS[name] for name in list(KEYS) if name.startswith("left_")}


def jump(puppet: Puppet) -> Clip:
    """Two-footed jump with a short hop forward, standing to standing."""
    times = seconds(DURATION, fps=FPS * OVERSAMPLE)
    score = Score(KEYS, times, rounding=0.022)
    posture = _posture(puppet, score, np.zeros((len(times), 3)))
    com = _centre(times, _standing_height(puppet, posture))
    turned = _conserving(puppet, score, com)
    q = balanced(puppet, _posture(puppet, score, turned), com)[::OVERSAMPLE]
    return Clip(puppet.character, q, FPS, name="jump")


def _posture(puppet: Puppet, score: Score, turned: Array) -> Posture:
    """The body of the recipe, its hips turned further by rotation vectors (T, 3), world axes."""
    loins, chest = score.spine()
    turn = so3.to_matrix(so3.exp(turned)) @ score.lean()
    # The arms are not twins: one is a frame behind the other.
    arms = score.arm(puppet, "Left", late=-0.008) | score.arm(puppet, "Right", late=0.008)
    return Posture(turn, loins, chest, score.gaze(), _feet(puppet, score), lambda trunk: arms)


def _feet(puppet: Puppet, score: Score) -> dict[str, Footing]:
    """Feet that roll off over the ball to the tips of the toes, fly, and come down ball first."""
    times = score.times
    pitch, toes = score.angle("pitch", rounding=0.012), score.angle("toes", rounding=0.012)
    u = np.clip((times - LEAVE) / (LAND - LEAVE), 0.0, 1.0)
    height = np.where((u > 0) & (u < 1), _rise(times) - RISE - _pieces(times, _stretch()), 0.0)
    feet = {}
    for side, (x, y, yaw) in STANCE.items():
        out = about_z(np.full(len(times), np.radians(yaw)))
        tip = puppet.toe_joint + puppet.toe_tip
        spot = np.array([x, y, 0.0]) + out[0] @ (tip * [1, 1, 0])
        path = spot + np.column_stack([HOP * smoothstep(u**1.35), np.zeros_like(u), height])
        foot, toe = out @ about_y(-pitch), out @ about_y(-toes)
        ankle = path - toe @ puppet.toe_tip - foot @ puppet.toe_joint
        feet[side] = Footing(ankle, foot, toes - pitch)
    return feet


def _standing_height(puppet: Puppet, posture: Posture) -> float:
    """Height of the centre of mass in the first frame, on legs that are not quite straight [m]."""
    start = posture.at(slice(0, 1))
    q = balanced(puppet, start, np.array([[BALANCE, 0.0]]), knee=np.radians([7.0]))
    return float(Kinematics(puppet.character, q).com[0, 2])


def _centre(times: Array, standing: float) -> Array:
    """The centre of mass: carried, a parabola in flight, carried again (T, 3)."""
    flight = LAND - LEAVE
    away = BALANCE + HOP - SPEED * flight - BEHIND
    x = _pieces(
        times,
        [
            (DIP, (BALANCE, 0.0, 0.0)),
            (BOTTOM, (BALANCE - 0.028, 0.0, 1.0)),
            (LEAVE, (away, SPEED, 0.0)),
            (LAND, (away + SPEED * flight, SPEED, 0.0)),
            (UP - 0.3, (BALANCE + HOP, 0.0, 0.0)),
        ],
    )
    return np.column_stack([x, np.zeros_like(x), standing + _rise(times)])


def _speeds() -> tuple[float, float]:
    """Upward velocity of the centre of mass at take-off and at touch-down [m/s]."""
    flight = LAND - LEAVE
    up = (SETTLE - RISE) / flight + 0.5 * GRAVITY * flight
    return up, up - GRAVITY * flight


def _rise(times: Array) -> Array:
    """Height of the centre of mass over standing (T,) [m]."""
    up, down = _speeds()
    return _pieces(
        times,
        [
            (DIP, (0.0, 0.0, 0.0)),
            (BOTTOM, (CROUCH, 0.0, 9.0)),
            (LEAVE, (RISE, up, -GRAVITY)),
            (LAND, (SETTLE, down, -GRAVITY)),
            (LOW, (ABSORB, 0.0, 7.0)),
            (UP, (0.0, 0.0, 0.0)),
        ],
    )


def _stretch() -> list[Knot]:
    """Distance from the centre of mass down to the toes since take-off: it starts and ends with the
    toes at rest on the ground."""
    up, down = _speeds()
    return [
        (LEAVE, (0.0, up, -GRAVITY)),
        (LEAVE + STRETCH[1], (STRETCH[0], 0.0, 0.0)),
        (LEAVE + TUCK[1], (TUCK[0], 0.0, 0.0)),
        (LAND - REACH[1], (REACH[0], 0.0, 0.0)),
        (LAND, (SETTLE - RISE, down + STRIKE, -GRAVITY)),
    ]


def _pieces(times: Array, knots: list[Knot]) -> Array:
    """Quintics between knots (time, (position, velocity, acceleration)), held beyond the ends."""
    out = np.full(len(times), knots[0][1][0])
    for (start, before), (end, after) in pairwise(knots):
        inside = times >= start
        out[inside] = quintic(np.minimum(times[inside], end) - start, end - start, before, after)
    return out


def _conserving(puppet: Puppet, score: Score, com: Array) -> Array:
    """What to turn the hips further so that the angular momentum is constant in flight, (T, 3) [rad].

    With a window w that is one in flight, and M = ∂L/∂(rate of turn) while everything else keeps to
    the recipe: change' = w M⁻¹ (L₀ − L), with L₀ such that the turn has gone at the end.
    """
    times, manifold = score.times, puppet.character.manifold
    dt = float(times[1] - times[0])
    window = smoothstep((times - LEAVE) / EASE[0] + 1) * (1 - smoothstep((times - LAND) / EASE[1]))
    turned = np.zeros((len(times), 3))
    q = balanced(puppet, _posture(puppet, score, turned), com)
    response = np.empty((len(times), 3, 3))
    for k in range(3):
        nudge = np.zeros(3)
        nudge[k] = 1e-4
        nudged = balanced(puppet, _posture(puppet, score, turned + nudge), com, start=q)
        moved = Kinematics(puppet.character, q, manifold.minus(nudged, q) / 1e-4)
        response[:, :, k] = moved.momentum[:, 3:]
    yielding = window[:, None, None] * np.linalg.inv(response)
    for _ in range(6):
        spin = Kinematics(puppet.character, q, manifold.velocity(q, dt)).momentum[:, 3:]
        kept = np.linalg.solve(yielding.sum(0), np.einsum("tij,tj->i", yielding, spin))
        rate = np.einsum("tij,tj->ti", yielding, kept - spin)
        turned = turned + (np.cumsum(rate, axis=0) - 0.5 * rate) * dt
        q = balanced(puppet, _posture(puppet, score, turned), com, start=q)
    # Legs that stop short at take-off would make the trunk nod: let the momentum ripple there instead.
    return gaussian_filter1d(turned, RIPPLE / dt, axis=0)
