"""Euler angles of any order, to and from unit quaternions, vectorised and safe at gimbal lock.

``axes`` is written as the product is: ``"zxy"`` means R = R_z(a₀) R_x(a₁) R_y(a₂), rotations about
moving axes in that order (the order of the channels of a BVH file). Fixed axes are the reverse.
Six Tait–Bryan orders (all axes differ) and six proper Euler orders (first = last) go both ways;
one or two axes can be read only.

With e = ±1 for even or odd orders, a proper order satisfies, for q = (w, …) along its axes,

    tan((a₀ + a₂)/2) = q_i / w,   tan((a₀ − a₂)/2) = e q_k / q_j,   tan(a₁/2) = |(q_j, q_k)| / |(w, q_i)|

and a Tait–Bryan order becomes a proper one by a quarter turn about its middle axis. The other
solution is (a₀ + π, −a₁, a₂ + π) or, Tait–Bryan, (a₀ + π, π − a₁, a₂ + π), up to whole turns.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import InputError

TURN = 2.0 * np.pi
# Where both arguments of an arc tangent are below this, its angle is free: the rotation does not
# depend on it beyond rounding.
_LOCKED = 1e-13


def _axes(axes: str, *, full: bool) -> tuple[int, ...]:
    """Axes as numbers, or an error that says which orders there are."""
    found = tuple("xyz".find(a) for a in axes.lower())
    wrong = not found or -1 in found or any(a == b for a, b in pairwise(found)) or len(found) > 3
    if wrong or (full and len(found) != 3):
        wanted = "three" if full else "one to three"
        raise InputError(
            f"an Euler order is {wanted} of x, y, z, no two neighbours the same (such as 'zxy'), not {axes!r}"
        )
    return found


def from_euler(angles: ArrayLike, axes: str) -> Array:
    """Unit quaternions (…, 4) of angles (…, k) [rad] about ``axes`` (k letters)."""
    order = _axes(axes, full=False)
    angles = np.asarray(angles, dtype=np.float64)
    if angles.shape[-1:] != (len(order),):
        raise InputError(f"order {axes!r} takes {len(order)} angles, not an array of shape {angles.shape}")
    half = 0.5 * angles
    sine, cosine = np.sin(half), np.cos(half)
    out = np.zeros((4, *angles.shape[:-1]))
    out[0] = cosine[..., 0]
    out[1 + order[0]] = sine[..., 0]
    for n, axis in enumerate(order[1:], start=1):
        s, c = sine[..., n], cosine[..., n]
        # (w + q) (c + s e_axis), written out: two planar rotations by the half angle.
        j, k, l = 1 + axis, 1 + (axis + 1) % 3, 1 + (axis + 2) % 3
        out[0], out[j] = out[0] * c - out[j] * s, out[j] * c + out[0] * s
        out[k], out[l] = out[k] * c + out[l] * s, out[l] * c - out[k] * s
    return np.ascontiguousarray(np.moveaxis(out, 0, -1))


def to_euler(q: ArrayLike, axes: str, *, reference: ArrayLike | None = None) -> Array:
    """Angles (…, 3) [rad] of unit quaternions (…, 4).

    Without a ``reference`` the first and last angle lie in [−π, π], the middle one in [−π/2, π/2]
    (Tait–Bryan) or [0, π] (proper), and at gimbal lock the last is 0. With a reference (…, 3) the
    solution nearest to it is returned: same branch, same winding, same free angle at gimbal lock.
    """
    i, j, third = _axes(axes, full=True)
    q = np.asarray(q, dtype=np.float64)
    proper = third == i
    k = 3 - i - j
    parity = 1.0 if (i - j) % 3 == 2 else -1.0  # +1 for cyclic i → j
    w, qi, qj, qk = q[..., 0], q[..., 1 + i], q[..., 1 + j], q[..., 1 + k] * parity
    if proper:
        a, b, c, d = w, qi, qj, qk
    else:
        # R_i(a₀) R_j(a₁) R_k(a₂) R_j(π/2) = R_i(a₀) R_j(a₁ + π/2) R_i(−e a₂); the factor √2 drops out.
        a, b, c, d = w - qj, qi - qk, qj + w, qk + qi
    first_second, third_fourth = np.hypot(a, b), np.hypot(c, d)
    middle = 2.0 * np.arctan2(third_fourth, first_second)
    plus, minus = np.arctan2(b, a), np.arctan2(d, c)
    size = np.maximum(first_second, third_fourth)
    free_plus, free_minus = first_second < _LOCKED * size, third_fourth < _LOCKED * size
    near = None if reference is None else np.asarray(reference, dtype=np.float64)

    def halves(first: Array, last: Array) -> tuple[Array, Array]:
        """The half sum and half difference that the arc tangents stand for, of given angles."""
        last = last if proper else -parity * last
        return 0.5 * (first + last), 0.5 * (first - last)

    if near is None:
        # Last angle 0 at lock: half sum = half difference.
        plus, minus = np.where(free_plus, minus, plus), np.where(free_minus, plus, minus)
    else:
        sum_near, difference_near = halves(near[..., 0], near[..., 2])
        plus = np.where(free_plus, sum_near, plus)
        minus = np.where(free_minus, difference_near, minus)
    first, last = plus + minus, plus - minus
    if not proper:
        last, middle = -parity * last, middle - 0.5 * np.pi
    angles = np.stack([first, middle, last], axis=-1)
    if near is None:
        ends = angles[..., ::2]
        angles[..., ::2] = ends - TURN * np.rint(ends / TURN)
        return angles
    return _nearest(angles, near, proper)


def _nearest(angles: Array, near: Array, proper: bool) -> Array:
    """Of all solutions that mean the same rotation, the one nearest to ``near``."""
    middle = -angles[..., 1] if proper else np.pi - angles[..., 1]
    other = np.stack([angles[..., 0] + np.pi, middle, angles[..., 2] + np.pi], axis=-1)
    found = [c + TURN * np.rint((near - c) / TURN) for c in (angles, other)]
    distance = [np.sum((c - near) ** 2, axis=-1, keepdims=True) for c in found]
    return np.where(distance[1] < distance[0], found[1], found[0])


def continuous_euler(q: ArrayLike, axes: str, *, start: ArrayLike | None = None) -> Array:
    """Angles (F, …, 3) over time that never jump: each frame nearest to the one before.

    The first frame is nearest to ``start`` (…, 3), or the principal solution.
    """
    q = np.asarray(q, dtype=np.float64)
    out = np.empty((*q.shape[:-1], 3))
    before = start
    for frame in range(len(q)):
        before = out[frame] = to_euler(q[frame], axes, reference=before)
    return out
