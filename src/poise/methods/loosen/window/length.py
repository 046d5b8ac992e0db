"""How long a window must be for what it leaves out not to be seen.

*One oscillator* (``oscillator_window``). m ẍ + c ẋ + k x = 0 set going with speed v₀: with γ = c/2m,

    c² < 4mk:   |x| ≤ v₀/ω e^{−γt},   ω = √(4mk − c²)/2m:    δ = ln(v₀/εω)/γ
    c² = 4mk:   x = v₀ t e^{−γt}:                             δ = −W₋₁(−γε/v₀)/γ
    c² > 4mk:   x = v₀/2w (e^{−(γ−w)t} − e^{−(γ+w)t}),  w = √(c² − 4mk)/2m,  δ ≈ ln(v₀/2wε)/(γ − w)

(Kry et al. 2012 print the critical case without its factor t and the last bound twice as high.)

*A character* (``auto``, ``adaptive``). Runs from a few starts are compared with full dynamics
(``truncation``) and windows chosen by their errors: one for the whole clip, or one for each frame. A frame's
window depends on the motion near it only, so states stay free of history. (``modal_window`` predicts windows
from vibration modes instead.)

The tolerance is the paper's ε = 0.001 d √N in Euclidean norm over N nodes, d being the character's diameter:
a root mean square of 0.1 % of d, 1.8 mm for a person.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.errors import InputError
from poise.methods.loosen.simulate.simulator import RunawayError, Simulator
from poise.methods.loosen.window.truncation import LONGEST, Truncation, one_thread

IN_HAND = 0.8
"""Share of the tolerance aimed at: errors are measured at some frames, and may be more between these."""


def oscillator_window(mass: float, damping: float, stiffness: float, speed: float, tolerance: float) -> float:
    """Time after which |x| ≤ tolerance for good [s], started at rest position with ``speed`` [m/s].

    Exact for critical and stronger damping; below it a bound, by the envelope, at most half a swing longer.
    ``math.inf`` where it never settles, 0 where the tolerance is never exceeded.
    """
    for name, value, fine, need in (
        ("mass", mass, mass > 0, "positive"),
        ("damping", damping, damping >= 0, "0 or more"),
        ("stiffness", stiffness, stiffness >= 0, "0 or more"),
        ("speed", speed, True, "finite"),
        ("tolerance", tolerance, tolerance > 0, "positive"),
    ):
        if not (math.isfinite(value) and fine):
            raise InputError(f"an oscillator's {name} must be {need}, not {value}")
    v0, gamma, rest = abs(speed), damping / (2 * mass), stiffness / mass
    gap = gamma**2 - rest
    if v0 == 0.0:
        return 0.0
    if rest == 0.0:  # no spring: it stops at v₀/2γ and stays there
        return 0.0 if v0 <= 2 * gamma * tolerance else math.inf
    root = math.sqrt(abs(gap))
    if root < 1e-7 * gamma:
        return _critical(gamma, v0, tolerance)
    return (_swinging if gap < 0 else _creeping)(gamma, root, rest, v0, tolerance)


def _swinging(gamma: float, omega: float, rest: float, speed: float, tolerance: float) -> float:
    """Underdamped: v₀/ω e^{−γt} sin ωt."""
    peak = math.atan2(omega, gamma) / omega
    if speed * math.exp(-gamma * peak) / math.sqrt(rest) <= tolerance:
        return 0.0
    if gamma == 0.0:
        return math.inf
    # |sin ωt| ≤ ωt, so the critical solution is a bound too, where the envelope is none: at ω → 0.
    envelope = math.log(speed / (tolerance * omega)) / gamma
    return min(envelope, _critical(gamma, speed, tolerance))


def _creeping(gamma: float, w: float, rest: float, speed: float, tolerance: float) -> float:
    """Overdamped: the later time at which v₀/2w (e^{−(γ−w)t} − e^{−(γ+w)t}) = ε."""
    from scipy.optimize import brentq

    fast = gamma + w
    slow = rest / fast  # γ − w without cancellation
    height = math.log(speed / (2 * w * tolerance))
    peak = math.log(fast / slow) / (2 * w)

    def above(t: float) -> float:
        return height - slow * t + math.log1p(-math.exp(-2 * w * t))

    if above(peak) <= 0:
        return 0.0
    # The slower exponential alone is above the solution.
    return float(brentq(above, peak, height / slow * (1 + 1e-12), xtol=1e-14, rtol=1e-14))


def _critical(gamma: float, speed: float, tolerance: float) -> float:
    """Critical: the later time at which v₀ t e^{−γt} = ε; its peak is v₀/γe."""
    from scipy.special import lambertw

    if speed <= gamma * math.e * tolerance:
        return 0.0
    return float(-lambertw(-gamma * tolerance / speed, -1).real / gamma)


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
        least, most, off = self.windows.min(), self.seconds, 1e3 * self.error
        text = f"windows of {least:.3g} to {most:.3g} s: within {off:.3g} mm of full dynamics"
        if self.sufficient:
            return text
        return (
            f"{text}; {len(self.capped)} frames, the first {self.capped[0]}, would need more than "
            f"{self.longest:g} s for {1e3 * self.tolerance:.3g} mm"
        )


def choose(simulator: Simulator, *, tolerance: float | None = None, longest: float = LONGEST) -> Choice:
    """The shortest window for each frame that is enough, and remains so if lengthened.

    ``tolerance`` is a root mean square over nodes [m], 0.1 % of the character's diameter by default. No
    window is longer than ``longest`` [s]: frames that would need more are listed.
    """
    found = Truncation(simulator, tolerance=tolerance, longest=longest)
    clip, stride = simulator.clip, found.stride
    aim = found.tolerance * (IN_HAND if stride > 1 else 1.0)
    try:
        with one_thread():
            errors = found.errors(aim)
    except RunawayError as lost:
        return choose(simulator.finer(lost.time), tolerance=tolerance, longest=longest)
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
    windows, most = (frames - start) * clip.dt, max(longest, clip.dt)
    short = np.flatnonzero(capped[low] | capped[high] | (windows > most * (1 + 1e-9))).astype(np.int64)
    windows = np.minimum(windows, most)
    return Choice(frozen(windows), found.tolerance, error, longest, short)


def auto(simulator: Simulator, *, tolerance: float | None = None, longest: float = LONGEST) -> float:
    """One window for the whole clip [s]: the longest that any of its frames needs."""
    return choose(simulator, tolerance=tolerance, longest=longest).seconds


def adaptive(simulator: Simulator, *, tolerance: float | None = None, longest: float = LONGEST) -> Array:
    """A window for each frame [s], (F,): short where little happens, long after jolts."""
    return np.array(choose(simulator, tolerance=tolerance, longest=longest).windows)
