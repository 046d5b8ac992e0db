"""The window of each frame of a loosened clip."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import InputError, UnknownNameError
from poise.methods.loosen.simulate.simulator import Simulator

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
