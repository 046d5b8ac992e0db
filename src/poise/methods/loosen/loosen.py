"""Loosen a clip: its dynamic version, frame by frame without history."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import InputError, UnknownNameError
from poise.looseness import Keyed, Options, Spec
from poise.methods.loosen.simulate.simulator import Simulator
from poise.motion import Clip

Window = float | str | ArrayLike
"""Seconds, one for each frame, "auto" (one for the clip) or "adaptive" (as each frame needs)."""


def windows_of(simulator: Simulator, window: Window) -> Array:
    """Window of each frame of the simulator's clip [s], (F,)."""
    frames = simulator.clip.frames
    if isinstance(window, str):
        from poise.methods.loosen.window import length as time_window

        if window == "auto":
            return np.full(frames, time_window.auto(simulator))
        if window == "adaptive":
            return time_window.adaptive(simulator)
        raise UnknownNameError("window", window, ("auto", "adaptive"))
    seconds = np.asarray(window, dtype=np.float64)
    if seconds.ndim > 1 or (seconds.ndim == 1 and len(seconds) != frames):
        raise InputError(
            f"windows must be one number or one for each of {frames} frames, not {seconds.shape}"
        )
    bad = ~(np.isfinite(seconds) & (seconds > 0))
    if np.any(bad):
        raise InputError(f"a window must be positive and finite, not {np.atleast_1d(seconds[bad])[0]:g} s")
    return np.array(np.broadcast_to(seconds, (frames,)))


def loosen(clip: Clip, tension: Spec | Keyed = "relaxed", window: Window = "auto", **options: Any) -> Clip:
    """The clip with secondary dynamics; a loosened loop is a loop.

    ``options`` are those of ``Options``: gravity, root, damping, step, order.
    """
    simulator = Simulator(clip, tension, Options(**options))
    q, _ = simulator.states(clip.times, windows_of(simulator, window))
    return clip.with_q(q)


def state(
    clip: Clip, time: float, tension: Spec | Keyed = "relaxed", window: float = 0.3, **options: Any
) -> Array:
    """The dynamic configuration at one time, (nq,): what scrubbing shows."""
    return Simulator(clip, tension, Options(**options)).states([time], window)[0][0]
