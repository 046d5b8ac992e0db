"""What is done when a clip is loaded, trimmed, resampled, mirrored or repeated."""

from __future__ import annotations

from poise.motion import operators
from poise.operations.load import Load
from poise.operations.mirror import Mirror
from poise.operations.repeat import Repeat
from poise.operations.resample import Resample
from poise.operations.result import Result
from poise.operations.situation import Situation
from poise.operations.trim import Trim


def load(asked: Load, at: Situation) -> Result:
    """A clip as it is."""
    return Result(at.clip(asked.clip))


def trim(asked: Trim, at: Situation) -> Result:
    """A part of the motion."""
    clip, end = at.motion, asked.end
    if asked.fit and end is not None and not clip.loop:
        end = min(end, float(clip.times[-1]))
    return Result(operators.trim(clip, asked.start, end, frames=asked.frames))


def resample(asked: Resample, at: Situation) -> Result:
    """The motion at another frame rate."""
    clip = operators.resample(at.motion, asked.fps, asked.interpolation, keep=asked.keep, cover=asked.cover)
    return Result(clip)


def mirror(asked: Mirror, at: Situation) -> Result:
    """The mirror image of the motion."""
    return Result(operators.mirror(at.motion, asked.plane, tolerance=asked.asymmetry))


def repeat(asked: Repeat, at: Situation) -> Result:
    """A loop, round after round."""
    return Result(operators.unroll(at.motion, asked.cycles, closing=asked.closing))
