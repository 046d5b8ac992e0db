"""Rotations against closed forms, SciPy and finite differences, with care at 0 and at π."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from poise.manifold import so3

vectors = arrays(np.float64, 3, elements=st.floats(-1.5, 1.5))
ANGLES = [0.0, 1e-300, 1e-12, 1e-8, 1e-4, 0.0316, 0.0317, 0.5, 2.0, np.pi - 1e-6, np.pi - 1e-12, np.pi]
AXES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0, 0.8], [-0.48, 0.6, 0.64]], dtype=float)


@pytest.mark.parametrize("angle", ANGLES)
def test_log_inverts_exp_to_rounding(angle):
    v = angle * AXES
    back = so3.log(so3.exp(v))
    if angle == np.pi:  # both signs are the same rotation
        back = np.where(np.sum(back * v, axis=1, keepdims=True) < 0, -back, back)
    np.testing.assert_allclose(back, v, rtol=1e-14, atol=1e-300)


@given(vectors)
def test_exp_is_the_matrix_exponential(v):
    np.testing.assert_allclose(so3.to_matrix(so3.exp(v)), expm(so3.hat(v)), atol=5e-15)


@given(vectors, vectors, vectors)
def test_group_axioms(a, b, c):
    p, q, r = so3.exp(a), so3.exp(b), so3.exp(c)
    np.testing.assert_allclose(
        so3.multiply(so3.multiply(p, q), r), so3.multiply(p, so3.multiply(q, r)), atol=1e-15
    )
    np.testing.assert_allclose(so3.multiply(p, so3.conjugate(p)), so3.IDENTITY, atol=1e-15)
    np.testing.assert_allclose(so3.rotate(so3.multiply(p, q), c), so3.rotate(p, so3.rotate(q, c)), atol=1e-14)
    np.testing.assert_allclose(so3.rotate(p, c), so3.to_matrix(p) @ c, atol=1e-14)


def test_matrix_round_trip_for_every_pivot(rng):
    # Half turns about each axis and random rotations exercise all four square roots.
    turns = np.concatenate([np.pi * AXES, rng.normal(size=(500, 3)) * 2])
    q = so3.exp(turns)
    ours = so3.from_matrix(so3.to_matrix(q))
    theirs = Rotation.from_matrix(so3.to_matrix(q)).as_quat()[:, [3, 0, 1, 2]]
    assert np.max(1 - np.abs(np.sum(ours * q, axis=1))) < 1e-15
    assert np.max(1 - np.abs(np.sum(theirs * q, axis=1))) < 1e-14
    assert (ours[:, 0] >= 0).all()


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.031, 0.032, 0.7, 2.5, np.pi - 1e-9, np.pi, 4.0])
def test_right_jacobian_is_the_derivative_of_exp(angle):
    for axis in AXES:
        v = angle * axis
        step = 1e-6
        numeric = np.stack(
            [so3.difference(so3.exp(v + step * e), so3.exp(v - step * e)) / (2 * step) for e in np.eye(3)],
            axis=-1,
        )
        np.testing.assert_allclose(so3.right_jacobian(v), numeric, atol=2e-9)
        np.testing.assert_allclose(
            so3.right_jacobian(v) @ so3.right_jacobian_inverse(v), np.eye(3), atol=1e-13
        )


def test_series_meet_closed_forms():
    # On both sides of the switch the Jacobians agree to rounding: no jump where the branch changes.
    for function in (so3.right_jacobian, so3.right_jacobian_inverse):
        below, above = (
            function(s * AXES[3]) for s in (np.sqrt(1e-3) * (1 - 1e-12), np.sqrt(1e-3) * (1 + 1e-12))
        )
        np.testing.assert_allclose(below, above, atol=1e-13)


def test_slerp_moves_at_constant_speed():
    a, b = so3.exp([0.3, -0.2, 0.9]), so3.exp([-1.0, 0.4, 0.2])
    s = np.linspace(0, 1, 11)
    q = so3.slerp(a, b, s)
    steps = np.linalg.norm(so3.difference(q[1:], q[:-1]), axis=1)
    np.testing.assert_allclose(steps, np.linalg.norm(so3.difference(b, a)) / 10, rtol=1e-12)


def test_between_turns_one_direction_into_the_other(rng):
    a, b = rng.normal(size=(2, 100, 3))
    b[0], a[1] = -a[0], [0, 0, 1]
    got = so3.rotate(so3.between(a, b), a / np.linalg.norm(a, axis=1, keepdims=True))
    np.testing.assert_allclose(got, b / np.linalg.norm(b, axis=1, keepdims=True), atol=1e-12)


def test_continuous_removes_sign_flips(rng):
    q = so3.exp(np.cumsum(rng.normal(size=(200, 3)) * 0.05, axis=0))
    flipped = q * rng.choice([-1.0, 1.0], size=(200, 1))
    smooth = so3.continuous(flipped)
    assert (np.sum(smooth[1:] * smooth[:-1], axis=1) > 0).all()
    np.testing.assert_array_equal(np.abs(smooth), np.abs(flipped))


@pytest.mark.parametrize("mirrored", [False, True])
def test_no_rotation_is_nearer_than_the_nearest(mirrored):
    rng = np.random.default_rng(5)
    matrices = rng.normal(size=(40, 3, 3))
    matrices[(np.linalg.det(matrices) < 0) != mirrored] *= -1.0
    found = so3.nearest(matrices)
    np.testing.assert_allclose(found @ np.swapaxes(found, 1, 2), np.tile(np.eye(3), (40, 1, 1)), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(found), 1.0)
    away = ((found - matrices) ** 2).sum(axis=(1, 2))
    for turn in so3.to_matrix(so3.exp(rng.normal(scale=1.0, size=(200, 3)))):
        assert (((found @ turn - matrices) ** 2).sum(axis=(1, 2)) >= away - 1e-12).all()
    np.testing.assert_allclose(so3.nearest(found), found, atol=1e-14)


def test_the_nearest_to_what_is_stretched_along_its_axes_is_unmoved():
    turn = so3.to_matrix(so3.exp([0.3, -0.2, 0.9]))
    np.testing.assert_allclose(so3.nearest(turn @ np.diag([0.1, 2.0, 5.0])), turn, atol=1e-14)
    np.testing.assert_allclose(
        so3.nearest(np.zeros((3, 3))) @ so3.nearest(np.zeros((3, 3))).T, np.eye(3), atol=1e-14
    )
