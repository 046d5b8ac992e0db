"""Velocities from neighbouring states: second order everywhere, also where a clip begins and ends."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.manifold import ProductManifold, so3
from poise.manifold.product import ROTATION
from poise.methods.loosen.face.target import Target
from poise.methods.loosen.hit.seen import sight
from poise.motion import Clip

WAVE = clips.get("wave")
MANIFOLD = ProductManifold([1, ROTATION])
TIMES = np.array([0.0, 0.4, 1.0])
"""The first, an inner and the last frame of a clip of one second."""


def state(t):
    """A curve on the manifold, (T, 5)."""
    f = np.stack([np.sin(3 * t), 0.4 * np.cos(2 * t), 0.7 * t**2], axis=-1)
    return np.concatenate([(t**3)[:, None], so3.exp(f)], axis=1)


def rate(t):
    """Its velocity, (T, 4)."""
    f = np.stack([np.sin(3 * t), 0.4 * np.cos(2 * t), 0.7 * t**2], axis=-1)
    df = np.stack([3 * np.cos(3 * t), -0.8 * np.sin(2 * t), 1.4 * t], axis=-1)
    return np.concatenate([3 * t[:, None] ** 2, np.einsum("tij,tj->ti", so3.right_jacobian(f), df)], axis=1)


def seen(clip: Clip, times: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Velocities that are seen of the curve at times (T, 4), and the frames that are looked at."""
    frames: dict[int, int] = {}
    look = sight(clip, times, lambda t: frames.setdefault(round(t * clip.fps), len(frames)), moving=True)
    states = state(np.array(list(frames)) / clip.fps)[None]
    return look(MANIFOLD, clip.dt, states, moving=True)[1][0], sorted(frames)


def still(fps: int) -> Clip:
    """A second, with both ends."""
    return Clip(WAVE.character, np.repeat(WAVE.q[:1], fps + 1, axis=0), fps)


def test_velocities_are_of_second_order_at_either_end():
    """Half the frame time, a quarter of the error: of the same curve at the same times."""
    coarse, fine = (np.abs(seen(still(fps), TIMES)[0] - rate(TIMES)).max(axis=1) for fps in (50, 100))
    orders = np.log2(coarse / fine)
    assert (orders > 1.8).all(), orders


def test_only_frames_of_the_clip_are_looked_at():
    assert seen(still(50), TIMES)[1] == [0, 1, 2, 19, 20, 21, 48, 49, 50]
    walk = clips.get("walk")
    assert walk.loop
    assert seen(walk, np.array([0.0]))[1] == [-1, 0, 1], "a loop has neighbours everywhere"


@pytest.mark.parametrize("where", ["first", "inner", "last"])
def test_factors_of_faces_are_exact_for_parabolas(where):
    """Three factors of second order: exact up to t²."""
    time = {"first": 0.0, "inner": float(WAVE.times[9]), "last": WAVE.duration}[where]
    times, factors = map(np.array, zip(*Target(time, rate=True).stencil(WAVE)))
    assert (times > -1e-9).all()
    assert (times < WAVE.duration + 1e-9).all()
    for power, truth in ((0, 0.0), (1, 1.0), (2, 2 * time)):
        assert factors @ times**power == pytest.approx(truth, abs=1e-9), power
