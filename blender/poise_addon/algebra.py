# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations, places and 4 × 4 matrices over frames, with numpy alone."""

import numpy as np

BLOCK = 1024
"""Entries that are worked on at a time: what they take stays where the processor has it at hand."""


def _worked(work, values, count, made):
    """``work`` on entries (…, count): it takes their numbers as arrays of their own, and gives ``made``."""
    flat = np.reshape(np.asarray(values, np.float64), (-1, count))
    out = np.empty((len(flat), made))
    for k in range(0, len(flat), BLOCK):
        out[k : k + BLOCK] = np.array(work(*np.ascontiguousarray(flat[k : k + BLOCK].T))).T
    return out


def turns_of(matrices):
    """Unit quaternions w, x, y, z (…, 4) of matrices (…, 3, 3) whose columns have any length."""
    return _worked(_turn, matrices, 9, 4).reshape(*np.shape(matrices)[:-2], 4)


def _turn(a, b, c, d, e, f, g, h, i):
    first, second, third = (np.sqrt(x * x + y * y + z * z) for x, y, z in ((a, d, g), (b, e, h), (c, f, i)))
    a, d, g, b, e, h, c, f, i = (
        a / first, d / first, g / first, b / second, e / second, h / second, c / third, f / third, i / third,
    )  # fmt: skip
    w, x, y, z = 1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i
    wx, wy, wz, xy, xz, yz = h - f, c - g, d - b, b + d, c + g, f + h
    best = np.argmax([w, x, y, z], axis=0)
    rows = (w, wx, wy, wz), (wx, x, xy, xz), (wy, xy, y, yz), (wz, xz, yz, z)
    q = np.array([np.choose(best, row) for row in rows])
    return q / np.sqrt(np.sum(q * q, axis=0))


def matrices_of(turns):
    """Rotation matrices (…, 3, 3) of unit quaternions (…, 4)."""
    return _worked(_matrix, turns, 4, 9).reshape(*np.shape(turns)[:-1], 3, 3)


def _matrix(w, x, y, z):
    return (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip


def continuous(turns):
    """The same rotations over frames (F, …, 4), with signs by which neighbours agree."""
    turns = np.array(turns)
    if len(turns) > 1:
        flips = np.sum(turns[1:] * turns[:-1], axis=-1, keepdims=True) < 0
        turns[1:] *= np.where(np.cumsum(flips, axis=0) % 2 == 1, -1.0, 1.0)
    return turns


def scales_of(matrices):
    """Lengths of columns (…, 3) of matrices (…, 4, 4)."""
    m = np.asarray(matrices)[..., :3, :3]
    return np.sqrt(np.einsum("...ij,...ij->...j", m, m))


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
    """Of affine matrices (…, 4, 4): what numpy finds too, many times as fast for many small ones."""
    found = np.asarray(matrices, np.float64)
    return _worked(_inverse, found[..., :3, :], 12, 16).reshape(found.shape)


def _inverse(a, b, c, x, d, e, f, y, g, h, i, z):
    first, second, third = e * i - f * h, f * g - d * i, d * h - e * g
    size = a * first + b * second + c * third
    out = np.zeros((4, 4, len(a)))
    out[:3, :3] = (
        (first, c * h - b * i, b * f - c * e),
        (second, a * i - c * g, c * d - a * f),
        (third, b * g - a * h, a * e - b * d),
    ) / size
    out[:3, 3] = -(out[:3, 0] * x + out[:3, 1] * y + out[:3, 2] * z)
    out[3, 3] = 1.0
    return out.reshape(16, -1)
