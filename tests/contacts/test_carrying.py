"""Forces that carry are those of least squares within friction cones, to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from poise.contacts.carrying import Carriers, carried

ARM = 0.3


def random_carriers(rng, frames, count):
    place = rng.normal(size=(frames, count, 3)) * [0.3, 0.3, 0.1] - [0.0, 0.0, 0.9]
    normal = rng.normal(size=(frames, count, 3)) + [0.0, 0.0, 3.0]
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    price = np.where(rng.random((frames, count)) < 0.6, 1e-3 * (1 + 9 * rng.random((frames, count))), np.inf)
    grip = (rng.random((frames, count)) < 0.15).astype(float)
    return Carriers(
        place, normal, rng.uniform(0.2, 1.2, (frames, count)), rng.uniform(0.0, 0.05, count), price, grip
    )


def columns(by, t):
    """Wrenches, prices and patches of all pushes of a frame, written anew."""
    found = []
    for k in np.flatnonzero(np.isfinite(by.price[t])):
        n = by.normal[t, k]
        a = np.array([1.0, 0, 0]) if abs(n[0]) < 0.9 else np.array([0, 1.0, 0])
        u = a - n * (a @ n)
        u /= np.linalg.norm(u)
        sides = (u, np.cross(n, u))
        zero = np.zeros(3)
        if by.grip[t, k]:
            pushes = [(s * e, zero) for e in (*sides, n) for s in (1, -1)]
        else:
            pushes = [(n + s * by.friction[t, k] * e, zero) for e in sides for s in (1, -1)]
            pushes += [(n, s * by.disc[k] * e) for e in sides for s in (1, -1)]
        for force, off in pushes:
            wrench = np.concatenate([force, np.cross(by.place[t, k] + off, force) / ARM])
            found.append((wrench, by.price[t, k], k))
    return found


def test_forces_are_those_of_non_negative_least_squares():
    rng = np.random.default_rng(11)
    by = random_carriers(rng, 60, 9)
    need = rng.normal(size=(60, 6)) * 0.3 + [0, 0, 1.0, 0, 0, 0]
    left, force = carried(need, by, ARM)
    for t in range(len(need)):
        cols = columns(by, t)
        expected, pushed = need[t], np.zeros((9, 3))
        if cols:
            a = np.array([c[0] for c in cols]).T
            x, _ = nnls(
                np.vstack([a, np.diag(np.sqrt([c[1] for c in cols]))]), np.r_[need[t], np.zeros(len(cols))]
            )
            expected = need[t] - a @ x
            for (wrench, _, k), size in zip(cols, x):
                pushed[k] += size * wrench[:3]
        np.testing.assert_allclose(left[t], expected, atol=1e-9)
        np.testing.assert_allclose(force[t], pushed, atol=1e-6)


def test_without_anyone_to_carry_all_is_left():
    by = random_carriers(np.random.default_rng(1), 3, 2)._replace(price=np.full((3, 2), np.inf))
    need = np.arange(18.0).reshape(3, 6)
    left, force = carried(need, by, ARM)
    assert np.array_equal(left, need)
    assert not force.any()


def test_two_feet_share_the_weight_and_nothing_is_left_but_the_price():
    place = np.array([[[0.0, 0.1, -0.9], [0.0, -0.1, -0.9]]])
    up = np.broadcast_to([0.0, 0.0, 1.0], place.shape).copy()
    by = Carriers(place, up, np.full((1, 2), 0.9), np.full(2, 0.02), np.full((1, 2), 1e-6), np.zeros((1, 2)))
    left, force = carried(np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]), by, ARM)
    assert np.abs(left).max() < 1e-6
    assert force[0, :, 2] == pytest.approx([0.5, 0.5], abs=1e-6)


def test_what_only_touches_cannot_pull_but_what_grips_can():
    place, up = np.array([[[0.0, 0.0, 0.5]]]), np.array([[[0.0, 0.0, 1.0]]])
    one = np.ones((1, 1))
    need = np.array([[0.0, 0.0, -1.0, 0.0, 0.0, 0.0]])
    by = Carriers(place, up, 0.9 * one, np.zeros(1), 1e-9 * one, 0.0 * one)
    assert carried(need, by, ARM)[0][0, 2] == pytest.approx(-1.0)
    assert carried(need, by._replace(grip=one), ARM)[0][0, 2] == pytest.approx(0.0, abs=1e-6)


def test_a_frame_does_not_depend_on_its_neighbours():
    rng = np.random.default_rng(5)
    by = random_carriers(rng, 20, 6)
    need = rng.normal(size=(20, 6))
    left, _ = carried(need, by, ARM)
    for t in (0, 7, 19):
        one = Carriers(*(a if a.ndim == 1 else a[t : t + 1] for a in by))
        assert np.array_equal(carried(need[t : t + 1], one, ARM)[0][0], left[t])
