"""Windows predicted from a character's vibration modes and the forces in a clip, without simulating.

In deviations e = q ⊖ q_K a character's motion is, to first order,

    M ë + Kd ė + Kp e = r(t),

where −r is what springs would have to provide for the animation to be followed exactly: inverse dynamics of
the clip with the accelerations of root *and* joints, and drag. Each vibration mode is an oscillator driven by
φᵢᵀr.

``impulse_window`` is Kry et al.'s (2012): the slowest mode, set going by one impulse, the largest
acceleration times one step. It depends on the step, and is too short for motions that keep pushing.

``modal_window`` is sure for small deviations. A window forgets all forces older than δ, so with the impulse
responses G and N nodes (Jacobian J)

    rms |x_KD − x_full| ≤ Σᵢ ‖Jφᵢ‖/√N · max_t |φᵢᵀr(t)| · ∫_δ^∞ |Gᵢ(s)| ds

whatever the motion does. It is longer than need be: no clip pushes all modes in time at once.
"""

from __future__ import annotations

import math

import numpy as np

from poise.arrays import Array
from poise.character import Point
from poise.dynamics import GRAVITY, gravity_force, inverse_dynamics
from poise.dynamics.modal import Modes, modes
from poise.kinematics import Kinematics
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.window.length import oscillator_window
from poise.methods.loosen.window.truncation import Nodes

POSES = 8
"""Poses of a clip at which modes are computed, unless told otherwise."""


def excitation(simulator: Simulator) -> Array:
    """r: what drives a character away from its animation at each frame [N·m or N], (F, nv)."""
    clip, options = simulator.clip, simulator.options
    character, times, dt = clip.character, np.asarray(clip.times), clip.dt
    q, v = simulator.reference.table(times)
    ahead, behind = (simulator.reference.table(times + s * dt)[1] for s in (0.5, -0.5))
    pull = (0.0, 0.0, 0.0) if options.gravity == "off" else GRAVITY
    force = -inverse_dynamics(character, q, v, (ahead - behind) / dt, gravity=pull)
    if options.dampers == "rest":
        force -= simulator.gains.damping * v
    if options.gravity == "compensated":
        force += gravity_force(character, q)
    return np.asarray(force)


def impulse_window(simulator: Simulator, *, tolerance: float | None = None) -> float:
    """The paper's prediction [s]: the slowest mode, set going by the largest acceleration times one step."""
    longest = 0.0
    epsilon = Nodes(simulator).tolerance(tolerance)
    for found, push, reach in _modes_of_clip(simulator, poses=POSES):
        speed = float(push[0] * reach[0]) * simulator.h
        longest = max(longest, oscillator_window(1.0, found.damping[0], found.eigenvalues[0], speed, epsilon))
    return longest


def modal_window(simulator: Simulator, *, tolerance: float | None = None, poses: int = POSES) -> float:
    """A window [s] enough for any motion with forces like the clip's, by all modes at some of its poses.

    ``math.inf`` where a mode does not die out.
    """
    epsilon, longest = Nodes(simulator).tolerance(tolerance), 0.0
    for found, push, reach in _modes_of_clip(simulator, poses=poses):
        if not (found.decay > 0).all():
            return math.inf

        def left(seconds: float, found: Modes = found, size: Array = push * reach) -> float:
            return float(size @ _tail(found, seconds))

        low, high = 0.0, 1.0 / float(found.decay.min())
        for _ in range(64):
            if not left(high) > epsilon:
                break
            low, high = high, 2 * high
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if left(middle) > epsilon else (low, middle)
        longest = max(longest, high)
    return longest


def _modes_of_clip(simulator: Simulator, *, poses: int) -> list[tuple[Modes, Array, Array]]:
    """At some poses: modes, their largest excitation over the clip (m,), node displacement per unit (m,)."""
    clip, nodes, force = simulator.clip, Nodes(simulator), excitation(simulator)
    character, gains = clip.character, simulator.gains
    held = range(character.bodies[0].joint.nv if simulator.options.root == "prescribed" else 0)
    frames = np.unique(np.linspace(0, clip.frames - 1, poses).round().astype(np.int64))
    q = simulator.reference.table(np.asarray(clip.times)[frames])[0]
    points: list[str | Point] = [Point(int(b), p) for b, p in zip(nodes.bodies, nodes.places)]
    jacobians = np.stack(Kinematics(character, q).point_jacobians(points), axis=1)  # (P, N, 3, nv)
    out = []
    for k, frame in enumerate(frames):
        row = min(int(frame), len(gains.stiffness) - 1)
        found = modes(character, q[k], gains.stiffness[row], damping=gains.damping[row], fixed=held)
        moved = jacobians[k] @ found.shapes  # (N, 3, m)
        reach = np.sqrt(np.square(moved).sum(axis=1).mean(axis=0))
        out.append((found, np.abs(found.excitation(force)).max(axis=0), reach))
    return out


def _tail(found: Modes, seconds: float) -> Array:
    """A bound on ∫_δ^∞ |G(s)| ds of each mode's impulse response [s²], (m,)."""
    gamma = 0.5 * found.damping
    gap = gamma**2 - found.eigenvalues
    root = np.sqrt(np.abs(gap)) + 1e-12
    # Swinging: by the envelope 1/ω or, close to critical damping, by |sin ωs| ≤ ωs.
    fade = np.exp(-gamma * seconds)
    swinging = fade * np.minimum(1 / (root * gamma), seconds / gamma + 1 / gamma**2)
    slow, fast = found.decay, gamma + root
    creeping = (np.exp(-slow * seconds) / slow - np.exp(-fast * seconds) / fast) / (2 * root)
    return np.where(gap < 0, swinging, creeping)
