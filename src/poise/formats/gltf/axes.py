"""glTF's axes and ours: a cyclic permutation, so every conversion and its inverse are exact.

glTF is right-handed with y up, +z to the front and +x to the left; Poise has z up, x to the front
and y to the left:

    ours (x, y, z) = glTF (z, x, y)

Every local frame of a node is turned the same way, so rotations and matrices keep their numbers and
only change places. Quaternions are (x, y, z, w) there and (w, x, y, z) here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_VECTOR_IN, _VECTOR_OUT = [2, 0, 1], [1, 2, 0]
_TURN_IN, _TURN_OUT = [3, 2, 0, 1], [2, 3, 1, 0]


def vector_from_gltf(v: NDArray[Any]) -> NDArray[Any]:
    """Positions, directions or scales (…, 3) in our axes."""
    return v[..., _VECTOR_IN]


def vector_to_gltf(v: NDArray[Any]) -> NDArray[Any]:
    """Positions, directions or scales (…, 3) in glTF's axes."""
    return v[..., _VECTOR_OUT]


def turn_from_gltf(q: NDArray[Any]) -> NDArray[Any]:
    """Quaternions (…, 4), xyzw in glTF's axes → wxyz in ours."""
    return q[..., _TURN_IN]


def turn_to_gltf(q: NDArray[Any]) -> NDArray[Any]:
    """Quaternions (…, 4), wxyz in our axes → xyzw in glTF's."""
    return q[..., _TURN_OUT]


def matrix_from_gltf(m: NDArray[Any]) -> NDArray[Any]:
    """Transforms (…, 3, 3) or (…, 4, 4), acting on columns, in our axes."""
    return _permuted(m, _VECTOR_IN)


def matrix_to_gltf(m: NDArray[Any]) -> NDArray[Any]:
    """Transforms (…, 3, 3) or (…, 4, 4), acting on columns, in glTF's axes."""
    return _permuted(m, _VECTOR_OUT)


def _permuted(m: NDArray[Any], order: list[int]) -> NDArray[Any]:
    index = np.array([*order, 3][: m.shape[-1]])
    return m[..., index[:, None], index[None, :]]
