"""Axes of friction cones: square to the normal and to each other, the same by kernel and by numpy."""

from __future__ import annotations

import numpy as np

from poise.contacts.friction_cone import across, tangents


def test_axes_lie_across_the_normal_and_turn_the_right_way(rng):
    normals = rng.normal(size=(200, 3))
    normals = np.concatenate([normals, np.eye(3), -np.eye(3)])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    first, second = across(normals)
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.sum(first * normals, axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.cross(first, second), normals, atol=1e-12)


def test_the_kernel_finds_the_same_axes(rng):
    normals = rng.normal(size=(50, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    one_by_one = np.array([tangents.py_func(*n) for n in normals])
    np.testing.assert_allclose(np.hstack(across(normals)), one_by_one, atol=1e-14)
