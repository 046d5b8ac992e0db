"""Fix a jump: a clip with three things wrong, mended with the smallest change.

The body sinks into the floor before it jumps, tips forward and back in the air with nothing to push against,
and flies a third too fast.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import poise
from poise import clips
from poise.manifold import so3
from poise.methods.key.spin.spin import rotated
from poise.motion import Clip
from poise.repair.result import FixResult

FLIGHT = (69, 98)
"""Frames of the jump between which it flies."""
RATIO = 1.33


def broken() -> Clip:
    """The bundled jump with its faults."""
    clip = clips.get("jump")
    frames = np.arange(clip.frames)
    q = np.array(clip.q)
    q[:, 2] -= 0.06 * _bump(frames, 12, 44, 8)
    air = slice(FLIGHT[0] + 3, FLIGHT[1] - 1)
    tip = 0.3 * _bump(frames, FLIGHT[0] + 3, FLIGHT[1] - 2, 12)
    q[air] = rotated(clip.character, q[air], so3.exp(tip[air, None] * np.array([0.0, 1.0, 0.0])))
    first, last = FLIGHT
    fewer = round((last - first) * (1 - 1 / RATIO))
    hurried = first + np.arange(last - first - fewer + 1) * (last - first) / (last - first - fewer)
    played = np.concatenate([frames[:first], hurried, frames[last + 1 :]])
    return clip.with_q(clip.with_q(q).at(played / clip.fps), name="broken jump")


def scene() -> FixResult:
    """Mend it."""
    return poise.fix(broken(), floor=0.0)


def draw(folder: Path) -> list[Path]:
    """The curves of the check, before and after."""
    result = scene()
    print(result)
    return [result.plot(folder / "fix_jump.png")]


def _bump(frames: np.ndarray, first: int, last: int, edge: int) -> np.ndarray:
    """1 within frames, 0 outside, with smooth flanks."""
    rise, fall = np.clip((frames - first) / edge, 0, 1), np.clip((last - frames) / edge, 0, 1)
    return (rise**2 * (3 - 2 * rise)) * (fall**2 * (3 - 2 * fall))


if __name__ == "__main__":
    draw(Path())
