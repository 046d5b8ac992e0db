"""Velocities from neighbouring states: second order everywhere, also where a clip begins and ends."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.constraints import at_rest
from poise.manifold import ProductManifold, so3
from poise.manifold.product import ROTATION
from poise.methods.kinodynamics.faces.target import Target
from poise.methods.kinodynamics.residuals import Rows, stencil, velocity

CLIP = clips.get("wave")
MANIFOLD = ProductManifold([1, ROTATION])


def state(t):
    """A curve on the manifold, (T, 5)."""
    f = np.stack([np.sin(3 * t), 0.4 * np.cos(2 * t), 0.7 * t**2], axis=-1)
    return np.concatenate([(t**3)[:, None], so3.exp(f)], axis=1)


def rate(t):
    """Its velocity, (T, 4)."""
    f = np.stack([np.sin(3 * t), 0.4 * np.cos(2 * t), 0.7 * t**2], axis=-1)
    df = np.stack([3 * np.cos(3 * t), -0.8 * np.sin(2 * t), 1.4 * t], axis=-1)
    return np.concatenate([3 * t[:, None] ** 2, np.einsum("tij,tj->ti", so3.right_jacobian(f), df)], axis=1)


def at_ends(rate_of_clip: int) -> tuple[np.ndarray, float]:
    """Errors of velocities at the first, an inner and the last frame of a clip, and its frame time."""
    clip = CLIP.replaced(rate=rate_of_clip)
    times = np.array([0.0, float(clip.times[40]), clip.duration])
    around = np.array([stencil(clip, t) for t in times])  # (3, 3)
    states = state(around.ravel())[None]
    index = np.arange(9).reshape(3, 3)
    own = index[np.arange(3), np.argmin(np.abs(around - times[:, None]), axis=1)]
    rows = Rows(at_rest("Head", 0.0), times, own, index, 1.0)
    found = velocity(MANIFOLD, clip.dt, states, rows)[0]
    return np.abs(found - rate(times)).max(axis=1), clip.dt


def test_stencils_are_within_the_clip_and_around_the_time():
    dt, last = CLIP.dt, CLIP.duration
    assert stencil(CLIP, 0.0) == pytest.approx((0, dt, 2 * dt))
    assert stencil(CLIP, last) == pytest.approx((last - 2 * dt, last - dt, last))
    assert stencil(CLIP, 10 * dt) == pytest.approx((9 * dt, 10 * dt, 11 * dt))
    walk = clips.get("walk")
    assert walk.loop
    assert stencil(walk, 0.0) == pytest.approx((-walk.dt, 0, walk.dt)), "a loop has neighbours everywhere"


def test_velocities_of_states_are_of_second_order_at_either_end():
    """Half the frame time, a quarter of the error: of the same curve at the same times."""
    coarse, fine = [], []
    for factor, errors in ((1, coarse), (2, fine)):
        dt = 0.01 / factor
        times = np.array([0.3])
        for around in ([0, 1, 2], [-1, 0, 1], [-2, -1, 0]):
            states = state(times[0] + dt * np.array(around, dtype=float))[None]
            rows = Rows(at_rest("Head", 0.0), times, np.array([around.index(0)]), np.array([[0, 1, 2]]), 1.0)
            errors.append(np.abs(velocity(MANIFOLD, dt, states, rows)[0] - rate(times)).max())
    orders = np.log2(np.array(coarse) / np.array(fine))
    assert (orders > 1.8).all(), orders


def test_ends_of_a_clip_are_as_good_as_its_middle():
    errors, dt = at_ends(60)
    assert (errors < 40 * dt**2).all(), errors


@pytest.mark.parametrize("where", ["first", "inner", "last"])
def test_factors_of_faces_are_exact_for_parabolas(where):
    """Three factors of second order: exact up to t², and for nothing more by accident."""
    time = {"first": 0.0, "inner": float(CLIP.times[9]), "last": CLIP.duration}[where]
    times, factors = map(np.array, zip(*Target(time, rate=True).stencil(CLIP)))
    assert (times > -1e-9).all()
    assert (times < CLIP.duration + 1e-9).all()
    for power, truth in ((0, 0.0), (1, 1.0), (2, 2 * time)):
        assert factors @ times**power == pytest.approx(truth, abs=1e-9), power
