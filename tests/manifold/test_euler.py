"""Euler angles: against products of plain rotation matrices, for every order."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from poise.errors import InputError
from poise.manifold import so3
from poise.manifold.euler import continuous_euler, from_euler, to_euler

ORDERS = ["".join(p) for p in product("xyz", repeat=3) if p[0] != p[1] and p[1] != p[2]]


def about(axis: str, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def same_rotation(a, b) -> float:
    return float(np.minimum(np.abs(a - b).max(axis=-1), np.abs(a + b).max(axis=-1)).max())


def test_there_are_twelve_orders():
    assert len(ORDERS) == 12


@pytest.mark.parametrize("axes", [*ORDERS, "x", "y", "z", "xy", "zy", "yx"])
def test_from_euler_is_the_product_of_the_turns_in_the_order_written(axes, rng):
    angles = rng.uniform(-7, 7, size=(20, len(axes)))
    matrices = so3.to_matrix(from_euler(angles, axes))
    for row, got in zip(angles, matrices):
        want = np.eye(3)
        for axis, angle in zip(axes, row):
            want = want @ about(axis, angle)
        np.testing.assert_allclose(got, want, atol=1e-14)


@pytest.mark.parametrize("axes", ORDERS)
def test_to_euler_inverts_from_euler_with_angles_in_range(axes, rng):
    q = so3.normalise(rng.normal(size=(7, 300, 4)))
    angles = to_euler(q, axes)
    assert angles.shape == (7, 300, 3)
    assert same_rotation(from_euler(angles, axes), q) < 1e-14
    assert np.abs(angles[..., ::2]).max() <= np.pi + 1e-15
    low, high = (0, np.pi) if axes[0] == axes[2] else (-np.pi / 2, np.pi / 2)
    assert low - 1e-15 <= angles[..., 1].min()
    assert angles[..., 1].max() <= high + 1e-15


@pytest.mark.parametrize("axes", ORDERS)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_reference_keeps_branch_and_winding(axes, sign, rng):
    angles = rng.uniform(-20, 20, size=(500, 3))
    q = sign * from_euler(angles, axes)
    near = angles + 0.01 * rng.normal(size=angles.shape)
    found = to_euler(q, axes, reference=near)
    # Close to gimbal lock the two branches meet; elsewhere the very angles come back.
    proper = axes[0] == axes[2]
    lock = np.abs(np.sin(angles[:, 1]) if proper else np.cos(angles[:, 1]))
    np.testing.assert_allclose(found[lock > 0.05], angles[lock > 0.05], atol=1e-12)
    assert same_rotation(from_euler(found, axes), q) < 1e-13


@pytest.mark.parametrize("axes", ORDERS)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("which", [0, 1])
def test_gimbal_lock_is_exact_and_keeps_the_reference(axes, sign, which, rng):
    angles = rng.uniform(-9, 9, size=(200, 3))
    angles[:, 1] = [0, np.pi][which] if axes[0] == axes[2] else [np.pi / 2, -np.pi / 2][which]
    q = sign * from_euler(angles, axes)
    free = to_euler(q, axes)
    assert same_rotation(from_euler(free, axes), q) < 1e-14
    np.testing.assert_allclose(free[:, 2], 0, atol=1e-12)
    kept = to_euler(q, axes, reference=angles)
    np.testing.assert_allclose(kept, angles, atol=1e-12)


@pytest.mark.parametrize("distance", [1e-4, 1e-7, 1e-10, 1e-13, 1e-16])
@pytest.mark.parametrize("axes", ["zxy", "xyz", "zxz"])
def test_nothing_is_lost_on_the_way_into_gimbal_lock(axes, distance, rng):
    angles = rng.uniform(-3, 3, size=(300, 3))
    angles[:, 1] = (0 if axes == "zxz" else np.pi / 2) - distance
    q = from_euler(angles, axes)
    for reference in (None, angles, angles + 0.3):
        back = from_euler(to_euler(q, axes, reference=reference), axes)
        assert same_rotation(back, q) < 2e-13


@pytest.mark.parametrize("axes", ORDERS)
def test_continuous_angles_follow_several_whole_turns(axes):
    t = np.linspace(0, 1, 400)
    angles = np.stack([15 * t, 0.9 + 0.3 * np.sin(9 * t), -11 * t], axis=-1)
    q = from_euler(np.stack([angles, angles[:, ::1] * [1, 1, 0.5]], axis=1), axes)  # (F, 2, 4)
    found = continuous_euler(q * np.where(np.arange(400) % 3 == 0, -1, 1)[:, None, None], axes)
    assert np.abs(np.diff(found, axis=0)).max() < 0.2
    np.testing.assert_allclose(found[:, 0], angles, atol=1e-9)


@pytest.mark.parametrize("axes", ["", "xxy", "abc", "xyzx", "zz"])
def test_orders_that_are_none(axes):
    with pytest.raises(InputError, match="Euler order"):
        from_euler(np.zeros(len(axes)), axes)


def test_to_euler_needs_three_axes_and_from_euler_matching_angles():
    with pytest.raises(InputError, match="three of x, y, z"):
        to_euler(so3.IDENTITY, "xy")
    with pytest.raises(InputError, match="takes 3 angles"):
        from_euler(np.zeros(2), "xyz")
