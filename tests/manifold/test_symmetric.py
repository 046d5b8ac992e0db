"""Six numbers of a symmetric tensor."""

from __future__ import annotations

import numpy as np

from poise.manifold.symmetric import ENTRIES, INDEX, as_matrix, inertia_of_covariance


def test_numbers_stand_where_the_index_says():
    for k, (i, j) in enumerate(ENTRIES):
        assert INDEX[i, j] == INDEX[j, i] == k


def test_inertia_of_a_cloud_of_points():
    points = np.random.default_rng(2).normal(size=(40, 3))
    covariance = points.T @ points
    inertia = sum((p @ p) * np.eye(3) - np.outer(p, p) for p in points)
    six = np.array([[covariance[i, j] for i, j in ENTRIES]])
    np.testing.assert_allclose(as_matrix(six)[0], covariance, atol=1e-12)
    np.testing.assert_allclose(as_matrix(inertia_of_covariance(six))[0], inertia, atol=1e-12)
