"""Rotations inside kernels are those of ``so3``, near zero, where series serve, and up to half a turn."""

from __future__ import annotations

import numpy as np
import pytest

from poise.dynamics.elementary import quat_exp, quat_log
from poise.manifold import rotation_kernels, so3
from poise.manifold.symmetric_kernels import principal_axes
from poise.methods.loosen.simulate.reference import _right
from poise.methods.plan.model import exponential

ANGLES = (0.0, 1e-12, 1e-5, 9.9e-3, 0.0101, 0.0316, 0.0317, 0.3, 0.7, 0.72, 2.0, 3.1, 3.14159)


@pytest.fixture(params=ANGLES)
def v(request) -> np.ndarray:
    axis = np.random.default_rng(int(1e4 * request.param) % 97).normal(size=3)
    return request.param * axis / np.linalg.norm(axis)


def test_jacobians(v):
    u = np.array([0.3, -0.7, 0.5])
    t = tuple(v)
    jacobian, inverse = so3.right_jacobian(v), so3.right_jacobian_inverse(v)
    same = {"atol": 3e-15, "rtol": 1e-13}
    np.testing.assert_allclose(np.reshape(rotation_kernels.right_jacobian(t), (3, 3)), jacobian, **same)
    np.testing.assert_allclose(
        np.reshape(rotation_kernels.right_jacobian_inverse(t), (3, 3)), inverse, **same
    )
    np.testing.assert_allclose(rotation_kernels.turned(t, tuple(u)), jacobian @ u, **same)
    bent = rotation_kernels.bend(t)
    np.testing.assert_allclose(rotation_kernels.unturned(t, bent, tuple(u)), inverse @ u, **same)
    # Exact to the digits that (θ − sin θ) leaves near where series end.
    np.testing.assert_allclose(_right(t, tuple(so3.exp(v)), tuple(u)), jacobian @ u, atol=1e-13)
    np.testing.assert_allclose(jacobian @ inverse, np.eye(3), atol=1e-14)


def test_jacobians_are_the_derivative_of_the_exponential(v):
    if np.linalg.norm(v) > 3.0:
        pytest.skip("a difference would pass half a turn")
    h = 1e-6
    slopes = [
        (so3.difference(so3.exp(v + d), so3.exp(v)) - so3.difference(so3.exp(v - d), so3.exp(v))) / (2 * h)
        for d in h * np.eye(3)
    ]
    np.testing.assert_allclose(so3.right_jacobian(v), np.transpose(slopes), atol=1e-9)


def test_exponential_and_logarithm(v):
    q = so3.exp(v)
    np.testing.assert_allclose(quat_exp(tuple(v)), q, atol=2e-15)
    np.testing.assert_allclose(quat_log(tuple(q)), so3.log(q), atol=1e-14)
    back = np.array(rotation_kernels.mat_to_quat(tuple(so3.to_matrix(q).ravel())))
    np.testing.assert_allclose(back * np.sign(back @ q), q, atol=1e-14)


def test_rotations_of_plans(v):
    """R = exp θ and Ṙ = R hat(J_r θ̇)."""
    rate = np.array([0.2, 0.5, -0.4])
    turn = so3.to_matrix(so3.exp(v))
    value, moving = exponential.rotations(v[None], rate[None])[:, 0]
    np.testing.assert_allclose(value, turn, atol=1e-14)
    np.testing.assert_allclose(moving, turn @ so3.hat(so3.right_jacobian(v) @ rate), atol=1e-14)


def test_principal_axes(rng):
    for _ in range(20):
        a = rng.normal(size=(3, 3))
        s = a @ a.T
        values, axes = np.empty(3), np.empty((3, 3))
        principal_axes((s[0, 0], s[0, 1], s[0, 2], s[1, 1], s[1, 2], s[2, 2]), values, axes)
        assert (np.diff(values) <= 0).all()
        np.testing.assert_allclose((axes * values) @ axes.T, s, atol=1e-13)
