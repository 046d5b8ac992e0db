"""A jump: arms and crouch wind up, a push, free flight, a soft landing.

In flight the centre of mass is on a parabola and the angular momentum about it is constant: the
hips turn by whatever the swinging limbs demand.
"""

from __future__ import annotations

import numpy as np

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
CROUCH, RISE, SETTLE, ABSORB = -0.29, 0.115, 0.035, -0.235
"""Height of the centre of mass over standing: at the bottom, take-off, touch-down, lowest after [m]."""
HOP = 0.26
"""How far the feet travel [m]."""
OVERSAMPLE = 4
"""Samples per frame while solving, so that momentum is measured finely."""
STANCE = {"Left": (0.01, 0.105, 9.0), "Right": (-0.01, -0.105, -11.0)}
"""Ankles over the ground [m], and toes out [°]."""
BALANCE = 0.05
"""The centre of mass is this far before the ankles, standing [m]."""
SPEED = 0.42
"""Forward, in flight [m/s]."""
STRETCH, TUCK, REACH = (0.065, 0.07), (-0.05, 0.27), (0.0, 0.10)
"""How much farther the toes are from the centre of mass than at take-off [m], how long after it
or before touch-down [s]: legs shoot out, draw up a little, and reach for the ground."""

Knot = tuple[float, tuple[float, float, float]]
"""Time, and position, velocity, acceleration there."""

KEYS: dict[str, Keys] = {
    "yaw": [(0, 0)],
    "forward": [(0, 1), (0.36, 1), (0.83, 27), (0.97, 20), (1.16, 2), (1.40, 3), (1.62, 9), (1.83, 25), (2.42, 1)],
    "aside": [(0, 0)],
    "flex": [(0, 3), (0.33, 2), (0.80, 30), (0.95, 24), (1.18, -9), (1.42, 2), (1.62, 8), (1.87, 26), (2.5, 3)],
    "side": [(0, 0)],
    "twist": [(0, 0)],
    "look_aside": [(0, 0)],
    "look_down": [(0, 2), (0.25, 2), (0.60, 14), (0.86, 4), (1.10, -14), (1.30, -6), (1.52, 20), (1.78, 24), (2.3, 2)],
    "look_tilt": [(0, 0)],
    "pitch": [(0, 0), (0.93, 0), (1.06, -18), (1.15, -52), (1.20, -64), (1.42, -40), (1.633, -24), (1.715, 0), (2, 0)],
    "toes": [(0, 0), (1.085, 0), (1.15, -30), (1.20, -50), (1.40, -28), (1.60, 0), (2, 0)],
    "left_flex": [
        (0, 2), (0.22, 2), (0.44, 20), (0.80, -56), (0.90, -50), (1.15, 122), (1.31, 160),
        (1.44, 150), (1.63, 100), (1.86, 34), (2.14, -9), (2.40, 4), (2.6, 2),
    ],
    "left_abduct": [(0, 8), (0.44, 12), (0.84, 16), (1.05, 14), (1.28, 12), (1.50, 24), (1.72, 30), (2.12, 12), (2.5, 8)],
    "left_turn": [(0, -8), (0.8, -4), (1.2, -14), (1.6, -14), (2.3, -8)],
    "left_elbow": [
        (0, 18), (0.46, 30), (0.86, 14), (1.03, 42), (1.26, 20), (1.46, 34), (1.68, 48), (1.96, 34), (2.3, 20), (2.6, 18),
    ],
    "left_palm": [(0, 14), (0.8, 20), (1.2, 0), (1.7, 10), (2.4, 14)],
}

KEYS |= {name.replace("left", "right"): KEYS[name] for name in list(KEYS) if name.startswith("left_")}


def jump(puppet: Puppet) -> Clip:
    """Two-footed jump with a short hop forward, standing to standing."""
    times = seconds(DURATION, fps=FPS * OVERSAMPLE)
    score = Score(KEYS, times, rounding=0.022)
    turned = np.zeros((len(times), 3))
    posture = _posture(puppet, score, turned)
    com = _centre(times, _standing_height(puppet, posture))
    for _ in range(24):
        change = _conserving(puppet, balanced(puppet, posture, com), times)
        turned = turned + change
        posture = _posture(puppet, score, turned)
        if float(np.abs(change).max()) < 1e-6:
            break
    q = balanced(puppet, posture, com)[::OVERSAMPLE]
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
        path = spot + np.column_stack([HOP * smoothstep(u), np.zeros_like(u), height])
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
    away = BALANCE + HOP - SPEED * flight - 0.035
    x = _pieces(
        times,
        [
            (DIP, (BALANCE, 0.0, 0.0)),
            (BOTTOM, (BALANCE + 0.02, 0.0, 0.8)),
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
        (LAND, (SETTLE - RISE, down, -GRAVITY)),
    ]


def _pieces(times: Array, knots: list[Knot]) -> Array:
    """Quintics between knots (time, (position, velocity, acceleration)), held beyond the ends."""
    out = np.full(len(times), knots[0][1][0])
    for (start, before), (end, after) in zip(knots, knots[1:]):
        inside = times >= start
        out[inside] = quintic(np.minimum(times[inside], end) - start, end - start, before, after)
    return out


def _conserving(puppet: Puppet, q: Array, times: Array) -> Array:
    """What to turn the hips further so that the angular momentum is constant in flight, (T, 3) [rad].

    With a window w that is one in flight: change' = w I⁻¹ (L₀ − L), L₀ such that the turn ends at 0.
    """
    dt = float(times[1] - times[0])
    velocity = puppet.character.manifold.velocity(q, dt)
    body = Kinematics(puppet.character, q, velocity)
    ramp = 0.16
    window = smoothstep((times - LEAVE + ramp) / ramp) * (1 - smoothstep((times - LAND) / ramp))
    yielding = window[:, None, None] * np.linalg.inv(body.inertia)
    kept = np.linalg.solve(yielding.sum(0), np.einsum("tij,tj->i", yielding, body.momentum[:, 3:]))
    rate = np.einsum("tij,tj->ti", yielding, kept - body.momentum[:, 3:])
    return np.cumsum(rate, axis=0) * dt - 0.5 * rate * dt
