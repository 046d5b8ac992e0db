"""A document as a clip: evaluated at every frame, all frames alike, with passages over its folds."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from poise.errors import InputError
from poise.methods.key.frames.evaluate import Evaluated, Progress
from poise.methods.key.frames.jumps import Recalled, jumps
from poise.methods.key.frames.smoothed import over_folds
from poise.methods.key.frames.transition import told
from poise.methods.key.result import KeyResult
from poise.methods.key.sheet.key import TICK, as_time
from poise.motion import Clip
from poise.motion.frame_times import affordable, exact_rate
from poise.workers import algebra_on_one_thread

if TYPE_CHECKING:
    from poise.methods.key.sheet.keyframes import Keyframes


@algebra_on_one_thread()
def bake(
    keyframes: Keyframes,
    fps: Fraction | float | str,
    *,
    start: float | None = None,
    end: float | None = None,
    progress: Progress | None = None,
) -> KeyResult:
    """Frame k is the document at start + k / fps; the last frame is at or just before the end.

    It starts with the first key and ends with the last, where nothing else is said.
    """
    rate = exact_rate(fps)
    first, last = keyframes.span
    first = first if start is None else as_time(start)
    last = last if end is None else as_time(end)
    if last < first:
        raise InputError(f"nothing to bake: the end, {last:g} s, lies before the start, {first:g} s")
    count = affordable(math.floor((last - first + TICK) * float(rate)) + 1, "bake")
    times = np.array([first + float(k / rate) for k in range(count)])
    found = at_frames(keyframes, times, progress=progress)
    clip = Clip(keyframes.character, found.q, rate, name=keyframes.name)
    return KeyResult(keyframes, clip, found.report, found.again)


def at_frames(keyframes: Keyframes, times: ArrayLike, *, progress: Progress | None = None) -> Evaluated:
    """The document at successive frames [s] with passages over its folds; its report names them, and jumps.

    Where there is a fold, progress is made twice.
    """
    found = keyframes.at(times, progress=progress)
    motion = Recalled(keyframes.evaluation.poses, found.times, found.q)
    over = over_folds(keyframes, motion, found.times)
    if over.passages:
        found = over.at(times, progress=progress)
        motion = Recalled(over.poses, found.times, found.q)
    said = (*told(over, found.times), *jumps(over, motion, found.times))
    return replace(found, report=replace(found.report, warnings=(*found.report.warnings, *said)))
