# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations, places and 4 × 4 matrices over frames, with numpy alone."""

import numpy as np


def turns_of(matrices):
    """Unit quaternions w, x, y, z (…, 4) of matrices (…, 3, 3) whose columns have any length."""
    m = np.asarray(matrices, dtype=np.float64)
    m = m / np.linalg.norm(m, axis=-2, keepdims=True)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    four = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=-1)
    best = np.argmax(four, axis=-1)
    a, b, c = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    d, e, f = m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2]
    rows = [
        np.stack([four[..., 0], a, b, c], axis=-1),
        np.stack([a, four[..., 1], d, e], axis=-1),
        np.stack([b, d, four[..., 2], f], axis=-1),
        np.stack([c, e, f, four[..., 3]], axis=-1),
    ]
    q = np.take_along_axis(np.stack(rows, axis=-2), best[..., None, None], axis=-2)[..., 0, :]
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def matrices_of(turns):
    """Rotation matrices (…, 3, 3) of unit quaternions (…, 4)."""
    w, x, y, z = np.moveaxis(np.asarray(turns, dtype=np.float64), -1, 0)
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return np.stack(rows, axis=-1).reshape(*np.shape(w), 3, 3)


def continuous(turns):
    """The same rotations over frames (F, …, 4), with signs by which neighbours agree."""
    turns = np.array(turns)
    if len(turns) > 1:
        flips = np.sum(turns[1:] * turns[:-1], axis=-1, keepdims=True) < 0
        turns[1:] *= np.where(np.cumsum(flips, axis=0) % 2 == 1, -1.0, 1.0)
    return turns


def scales_of(matrices):
    """Lengths of columns (…, 3) of matrices (…, 4, 4)."""
    return np.linalg.norm(np.asarray(matrices)[..., :3, :3], axis=-2)


def rigid(matrices):
    """Matrices (…, 4, 4) without their scale."""
    out = np.array(matrices, dtype=np.float64)
    out[..., :3, :3] = matrices_of(turns_of(out[..., :3, :3]))
    return out


def built(places, rotations, scales=None):
    """Matrices (…, 4, 4) of places (…, 3), rotation matrices (…, 3, 3) and scales (…, 3)."""
    out = np.zeros((*np.shape(places)[:-1], 4, 4))
    out[..., :3, :3] = rotations if scales is None else rotations * np.asarray(scales)[..., None, :]
    out[..., :3, 3] = places
    out[..., 3, 3] = 1.0
    return out


def uniform_scales(matrices, tolerance=1e-4):
    """The one scale of each of matrices (…, 4, 4); NaN where one has several, is sheared or mirrored."""
    m = np.asarray(matrices, dtype=np.float64)[..., :3, :3]
    size = np.linalg.norm(m, axis=-2).mean(axis=-1)
    square = np.swapaxes(m, -1, -2) @ m
    with np.errstate(divide="ignore", invalid="ignore"):
        uneven = np.abs(square / (size**2)[..., None, None] - np.eye(3)).max(axis=(-2, -1))
    fit = (size > 0) & (np.linalg.det(m) > 0) & (uneven <= tolerance)
    return np.where(fit, size, np.nan)


def uniform_scale(matrix, tolerance=1e-4):
    """The same of one matrix; None where it has no single scale."""
    found = float(uniform_scales(matrix, tolerance))
    return None if np.isnan(found) else found


def inverse(matrices):
    """Of affine matrices (…, 4, 4): what numpy finds too, several times as fast for many small ones."""
    found = np.asarray(matrices, np.float64)
    a, b, c = (found[..., :3, k] for k in range(3))
    rows = np.stack([_crossed(b, c), _crossed(c, a), _crossed(a, b)], axis=-2)
    turned = rows / np.sum(a * rows[..., 0, :], axis=-1)[..., None, None]
    return built(-np.einsum("...ij,...j->...i", turned, found[..., :3, 3]), turned)


def _crossed(a, b):
    """a × b: of the first factor's axes y, z, x by the second's z, x, y, less the other way round."""
    return a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]
