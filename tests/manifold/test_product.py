"""The product manifold: ⊕ and ⊖ are inverse, geodesics are geodesic, velocities converge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poise.errors import InputError
from poise.manifold import ProductManifold, so3
from poise.manifold.product import ROTATION

blocks = st.lists(st.sampled_from([ROTATION, 1, 2, 3]), max_size=8)


@given(blocks, st.integers(0, 2**32 - 1))
def test_plus_and_minus_are_inverse(sizes, seed):
    m, rng = ProductManifold(sizes), np.random.default_rng(seed)
    a = m.random(rng, 5)
    v = rng.uniform(-1, 1, size=(5, m.nv))  # |rotation| < √3 < π
    np.testing.assert_allclose(m.minus(m.plus(a, v), a), v, atol=1e-12)
    b = m.random(rng, 5)
    back = m.plus(a, m.minus(b, a))
    np.testing.assert_allclose(m.minus(back, b), 0, atol=1e-7)
    np.testing.assert_allclose(m.plus(a, np.zeros(m.nv)), a, atol=1e-15)


def test_layout_is_positions_first_as_in_mujoco():
    m = ProductManifold([3, ROTATION, 1])
    assert (m.nq, m.nv) == (8, 7)
    np.testing.assert_array_equal(m.neutral(), [0, 0, 0, 1, 0, 0, 0, 0])
    q = m.plus(m.neutral(), [1, 2, 3, 0, 0, np.pi / 2, 4])
    np.testing.assert_allclose(q, [1, 2, 3, np.sqrt(0.5), 0, 0, np.sqrt(0.5), 4], atol=1e-15)


def test_interpolation_reaches_both_ends_and_is_geodesic(rng):
    m = ProductManifold([2, ROTATION])
    a, b = m.random(rng), m.random(rng)
    np.testing.assert_array_equal(m.interpolate(a, b, 0.0)[:2], a[:2])
    np.testing.assert_allclose(m.minus(m.interpolate(a, b, 1.0), b), 0, atol=1e-12)
    third = m.interpolate(a, b, 1 / 3)
    np.testing.assert_allclose(m.minus(third, a) * 3, m.minus(b, a), atol=1e-12)


def test_velocity_converges_with_second_order():
    m = ProductManifold([1, ROTATION])
    errors = []
    for frames in (41, 81, 161):
        t, dt = np.linspace(0, 1, frames, retstep=True)
        f = np.stack([np.sin(3 * t), 0.4 * np.cos(2 * t), 0.7 * t**2], axis=1)
        rate = np.stack([3 * np.cos(3 * t), -0.8 * np.sin(2 * t), 1.4 * t], axis=1)
        q = np.concatenate([t[:, None] ** 3, so3.exp(f)], axis=1)
        truth = np.concatenate(
            [3 * t[:, None] ** 2, np.einsum("tij,tj->ti", so3.right_jacobian(f), rate)], axis=1
        )
        errors.append(np.abs(m.velocity(q, dt) - truth).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 1.8).all(), orders


def test_loop_velocity_wraps():
    m = ProductManifold([1])
    t = np.arange(32) / 32
    q = np.sin(2 * np.pi * t)[:, None]
    v = m.velocity(q, 1 / 32, loop=True)
    scale = np.sin(2 * np.pi / 32) * 32  # central differences of a sine, exactly
    np.testing.assert_allclose(v[:, 0], scale * np.cos(2 * np.pi * t), atol=1e-12)


def test_zero_quaternion_is_refused_by_name():
    m = ProductManifold([ROTATION])
    with pytest.raises(InputError, match="zero quaternion"):
        m.normalise([[0.0, 0, 0, 0]])


def test_one_frame_has_no_velocity():
    m = ProductManifold([ROTATION, 2])
    np.testing.assert_array_equal(m.velocity(m.neutral()[None], 0.1), np.zeros((1, 5)))
