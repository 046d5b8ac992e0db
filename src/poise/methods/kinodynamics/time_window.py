"""How long a window must be for what it leaves out not to be seen.

*One oscillator* (``oscillator_window``). m ẍ + c ẋ + k x = 0 set going with speed v₀: with γ = c/2m,

    c² < 4mk:   |x| ≤ v₀/ω e^{−γt},   ω = √(4mk − c²)/2m:    δ = ln(v₀/εω)/γ
    c² = 4mk:   x = v₀ t e^{−γt}:                             δ = −W₋₁(−γε/v₀)/γ
    c² > 4mk:   x = v₀/2w (e^{−(γ−w)t} − e^{−(γ+w)t}),  w = √(c² − 4mk)/2m,  δ ≈ ln(v₀/2wε)/(γ − w)

(Kry et al. 2012 print the critical case without its factor t and the last bound twice as high.)

*A character* (``impulse_window``, ``modal_window``). In deviations e = q ⊖ q_K its motion is, to first order,
M ë + Kd ė + Kp e = r(t), where −r is what the springs would have to provide for the animation to be followed
exactly: inverse dynamics of the clip with the accelerations of root *and* joints, and drag. Each mode i is an
oscillator driven by φᵢᵀr. The paper sets the slowest one going by a single impulse, the largest acceleration
times one step; that depends on the step and is too short for motions in time with the mode. A window forgets all
forces older than δ, so in truth

    |x_KD − x_full| ≤ Σᵢ ‖Jφᵢ‖/√N · max_t |φᵢᵀr| · ∫_δ^∞ |Gᵢ(s)| ds    (G: impulse response)

whatever the motion: sure, for small deviations, and long.

*Measured* (``auto``, ``adaptive``). Neither is needed where simulations are cheap: runs from a few starts are
compared with full dynamics (``truncation``), and the windows chosen by their errors, one for the whole clip or one
for each frame. A frame's window depends on the motion near it only, so states stay free of history.

The tolerance is ε = 0.001 d √N in Euclidean norm over N nodes, d being the character's diameter: a root mean square
of 0.1 % of d, 1.8 mm for a person.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.character import Point
from poise.dynamics import gravity_force, inverse_dynamics
from poise.dynamics.modal import Modes, modes
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.kinodynamics.simulator import Simulator
from poise.methods.kinodynamics.truncation import LONGEST, Nodes, Truncation

IN_HAND = 0.9
"""Share of the tolerance aimed at: errors are measured on a grid of frames and may be a little more between."""


def oscillator_window(mass: float, damping: float, stiffness: float, speed: float, tolerance: float) -> float:
    """Time after which |x| ≤ tolerance for good [s], started at rest position with ``speed`` [m/s].

    Exact for critical and stronger damping; below it a bound, by the envelope, at most half a swing longer.
    ``math.inf`` where it never settles, 0 where the tolerance is never exceeded.
    """
    for name, value, least in (
        ("mass", mass, "positive"), ("damping", damping, "0 or more"), ("stiffness", stiffness, "0 or more"),
        ("speed", speed, "finite"), ("tolerance", tolerance, "positive"),
    ):  # fmt: skip
        fine = value > 0 if least == "positive" else value >= 0 or least == "finite"
        if not (math.isfinite(value) and fine):
            raise InputError(f"an oscillator's {name} must be {least}, not {value}")
    gamma, rest = damping / (2 * mass), stiffness / mass
    v0, gap = abs(speed), gamma**2 - rest
    if v0 == 0.0:
        return 0.0
    # The argument of the oscillation at the first (highest) peak, then its height.
    root = math.sqrt(abs(gap))
    near = root < 1e-7 * gamma
    if near:
        peak = 1 / gamma
        highest = v0 / (gamma * math.e)
    elif gap < 0:
        peak = math.atan2(root, gamma) / root
        highest = v0 * math.exp(-gamma * peak) * math.sin(root * peak) / root
    elif root >= gamma * (1 - 1e-15):  # no spring: it comes to a stop at v₀/2γ
        return 0.0 if v0 <= 2 * gamma * tolerance else math.inf
    else:
        peak = math.atanh(root / gamma) / root
        highest = v0 / (2 * root) * (math.exp((root - gamma) * peak) - math.exp(-(root + gamma) * peak))
    if highest <= tolerance:
        return 0.0
    if gamma == 0.0:
        return math.inf
    if near:
        return _critical(gamma, v0, tolerance)
    if gap < 0:
        envelope = math.log(v0 / (tolerance * root)) / gamma
        # |sin ωt| ≤ ωt: the critical solution bounds it too, and the envelope's height is infinite at ω = 0.
        return min(envelope, _critical(gamma, v0, tolerance))
    from scipy.optimize import brentq

    # The slower exponential alone is above the solution: the root lies between the peak and where it crosses ε.
    latest = math.log(v0 / (2 * root * tolerance)) / (gamma - root)
    return float(
        brentq(
            lambda t: math.log(v0 / (2 * root * tolerance)) + (root - gamma) * t + math.log1p(-math.exp(-2 * root * t)),
            peak, max(latest, peak) * (1 + 1e-12) + 1e-15, xtol=1e-13, rtol=1e-14,
        )
    )  # fmt: skip


def _critical(gamma: float, speed: float, tolerance: float) -> float:
    """Larger root of v₀ t e^{−γt} = ε; the peak's time where ε is never reached."""
    from scipy.special import lambertw

    return float(-lambertw(max(-gamma * tolerance / speed, -1 / math.e), -1).real / gamma)


@dataclass(frozen=True, eq=False)
class Choice:
    """Windows for the frames of a clip and how good they are."""

    windows: Array
    """One for each frame [s], (F,)."""
    tolerance: float
    """Root mean square error of nodes asked for [m]."""
    error: float
    """Largest measured where windows were chosen [m]."""
    longest: float
    """The most a window may be [s]."""
    capped: IntArray
    """Frames that would need more than that."""

    @property
    def seconds(self) -> float:
        """One window that is enough for all frames [s]."""
        return float(self.windows.max())

    @property
    def sufficient(self) -> bool:
        """Whether every frame is within the tolerance."""
        return not len(self.capped)

    def __str__(self) -> str:
        text = (
            f"windows of {self.windows.min():.3g} to {self.seconds:.3g} s: within {1e3 * self.error:.3g} mm"
        )
        if self.sufficient:
            return text
        return (
            f"{text}; {len(self.capped)} frames, first {self.capped[0]}, need more than the longest window of "
            f"{self.longest:g} s for {1e3 * self.tolerance:.3g} mm"
        )


def choose(simulator: Simulator, *, tolerance: float | None = None, longest: float = LONGEST) -> Choice:
    """The shortest window for each frame that is enough, and remains so if lengthened.

    ``tolerance`` is a root mean square over nodes [m], 0.1 % of the character's diameter by default. No window is longer
    than ``longest`` [s]: what would need more is listed.
    """
    found = Truncation(simulator, tolerance=tolerance, longest=longest)
    with _one_thread():
        errors = found.errors()
    clip, stride = simulator.clip, found.stride
    aim = found.tolerance * (IN_HAND if stride > 1 else 1.0)
    failing = ~(errors <= aim)
    ages = errors.shape[1]
    # The longest window that fails, plus one; all that fail: none left to take.
    needed = np.where(failing.any(axis=1), ages - failing[:, ::-1].argmax(axis=1), 0) + 1
    capped = needed > ages
    needed = np.minimum(needed, ages)
    grid = np.arange(found.count)
    error = float(errors[grid, needed - 1].max())
    # A frame between grid points starts as early as either of its neighbours would.
    frames = np.arange(clip.frames)
    low, high = frames // stride, -(-frames // stride)
    start = np.minimum(low - needed[low], high - needed[high]) * stride
    windows = np.minimum((frames - start) * clip.dt, max(longest, clip.dt))
    return Choice(
        frozen(windows),
        found.tolerance,
        error,
        longest,
        np.flatnonzero(capped[low] | capped[high]).astype(np.int64),
    )


@contextmanager
def _one_thread() -> Iterator[None]:
    """Many small batches: waking a second thread for each would take longer than the work."""
    import numba

    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)


def auto(simulator: Simulator, *, tolerance: float | None = None, longest: float = LONGEST) -> float:
    """One window for the whole clip [s]: the longest that any of its frames needs."""
    return choose(simulator, tolerance=tolerance, longest=longest).seconds


def adaptive(simulator: Simulator, *, tolerance: float | None = None, longest: float = LONGEST) -> Array:
    """A window for each frame [s], (F,): short where little happens, long after jolts."""
    return np.array(choose(simulator, tolerance=tolerance, longest=longest).windows)


# Predictions from modes ----------------------------------------------------------------------------------


def excitation(simulator: Simulator) -> Array:
    """r: what drives a character away from its animation, per degree of freedom and frame [N·m or N], (F, nv)."""
    clip, options = simulator.clip, simulator.options
    character, times, dt = clip.character, np.asarray(clip.times), clip.dt
    q, v = simulator.reference.table(times)
    ahead, behind = (simulator.reference.table(times + s * dt)[1] for s in (0.5, -0.5))
    held = (0.0, 0.0, 0.0) if options.gravity == "off" else (0.0, 0.0, -9.81)
    force = -inverse_dynamics(character, q, v, (ahead - behind) / dt, gravity=held)
    if options.damping == "rest":
        force -= simulator.gains.damping * v
    if options.gravity == "compensated":
        force += gravity_force(character, q)
    return np.asarray(force)


def impulse_window(simulator: Simulator, *, tolerance: float | None = None) -> float:
    """The paper's prediction [s]: the slowest mode, set going by the largest acceleration times one step."""
    longest = 0.0
    epsilon = Nodes(simulator).tolerance(tolerance)
    for found, push, reach in _modes_of_clip(simulator, poses=8):
        speed = float(push[0] * reach[0]) * simulator.h
        longest = max(longest, oscillator_window(1.0, found.damping[0], found.eigenvalues[0], speed, epsilon))
    return longest


def modal_window(simulator: Simulator, *, tolerance: float | None = None, poses: int = 8) -> float:
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
        while left(high) > epsilon:
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
