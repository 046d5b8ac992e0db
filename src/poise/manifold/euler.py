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
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    proper = third == i
    parts = _parts(np.asarray(q, dtype=np.float64), i, j, proper)
    plus, minus = np.arctan2(parts.b, parts.a), np.arctan2(parts.d, parts.c)
    near = None if reference is None else np.asarray(reference, dtype=np.float64)
    if near is None:
        # Last angle 0 at lock: half sum = half difference.
        plus = np.where(parts.free_plus, minus, plus)
        minus = np.where(parts.free_minus, plus, minus)
        angles = _assembled(plus, minus, parts, proper)
        ends = angles[..., ::2]
        angles[..., ::2] = ends - TURN * np.rint(ends / TURN)
        return angles
    # The half sum and half difference that the arc tangents stand for, of the angles before.
    last = near[..., 2] if proper else -parts.parity * near[..., 2]
    plus = np.where(parts.free_plus, 0.5 * (near[..., 0] + last), plus)
    minus = np.where(parts.free_minus, 0.5 * (near[..., 0] - last), minus)
    return _nearest(_assembled(plus, minus, parts, proper), near, proper)


class _Parts(NamedTuple):
    """Numbers whose arc tangents are half sums and half differences of the outer angles."""

    a: Array
    b: Array
    c: Array
    d: Array
    middle: Array
    """Twice the arc tangent of their sizes."""
    free_plus: NDArray[np.bool_]
    """Where the half sum, or the half difference, is free: gimbal lock."""
    free_minus: NDArray[np.bool_]
    parity: float


def _parts(q: Array, i: int, j: int, proper: bool) -> _Parts:
    k = 3 - i - j
    parity = 1.0 if (i - j) % 3 == 2 else -1.0  # +1 for cyclic i → j
    w, qi, qj, qk = q[..., 0], q[..., 1 + i], q[..., 1 + j], q[..., 1 + k] * parity
    if proper:
        a, b, c, d = w, qi, qj, qk
    else:
        # R_i(a₀) R_j(a₁) R_k(a₂) R_j(π/2) = R_i(a₀) R_j(a₁ + π/2) R_i(−e a₂); the factor √2 drops out.
        a, b, c, d = w - qj, qi - qk, qj + w, qk + qi
    first_second, third_fourth = np.hypot(a, b), np.hypot(c, d)
    size = np.maximum(first_second, third_fourth)
    middle = 2.0 * np.arctan2(third_fourth, first_second)
    return _Parts(a, b, c, d, middle, first_second < _LOCKED * size, third_fourth < _LOCKED * size, parity)


def _assembled(plus: Array, minus: Array, parts: _Parts, proper: bool) -> Array:
    """The three angles (…, 3) of half sum, half difference and the middle one."""
    first, last, middle = plus + minus, plus - minus, parts.middle
    if not proper:
        last, middle = -parts.parity * last, middle - 0.5 * np.pi
    return np.stack([first, middle, last], axis=-1)


def _other(angles: Array, proper: bool) -> Array:
    """The other way to write the same rotations."""
    middle = -angles[..., 1] if proper else np.pi - angles[..., 1]
    return np.stack([angles[..., 0] + np.pi, middle, angles[..., 2] + np.pi], axis=-1)


def _nearest(angles: Array, near: Array, proper: bool) -> Array:
    """Of all solutions that mean the same rotation, the one nearest to ``near``."""
    found = [c + TURN * np.rint((near - c) / TURN) for c in (angles, _other(angles, proper))]
    distance = [np.sum((c - near) ** 2, axis=-1, keepdims=True) for c in found]
    return np.where(distance[1] < distance[0], found[1], found[0])


def continuous_euler(q: ArrayLike, axes: str, *, start: ArrayLike | None = None) -> Array:
    """Angles (F, …, 3) over time that never jump: each frame nearest to the one before.

    The first frame is nearest to ``start`` (…, 3), or the principal solution. Which of the two ways to
    write a rotation is nearer depends only on how the frame before was written, not on its winding: all
    frames are compared at once, and only those where the way may change are gone through one by one.
    """
    q = np.asarray(q, dtype=np.float64)
    out = np.empty((*q.shape[:-1], 3))
    if not len(q):
        return out
    out[0] = to_euler(q[0], axes, reference=start)
    members, found = q.reshape(len(q), -1, 4), out.reshape(len(q), -1, 3)
    i, _, third = _axes(axes, full=True)
    for n in range(members.shape[1]):
        angles, free = _unreduced(members[:, n], axes)
        if free.any():  # the frame before says what is free: one after the other
            for frame in range(1, len(q)):
                found[frame, n] = to_euler(members[frame, n], axes, reference=found[frame - 1, n])
        else:
            _follow(angles, third == i, found[:, n])
    return out


def _unreduced(q: Array, axes: str) -> tuple[Array, NDArray[np.bool_]]:
    """One way to write rotations (F, 4), whatever its winding (F, 3), and where an angle is free (F,)."""
    i, j, third = _axes(axes, full=True)
    parts = _parts(q, i, j, third == i)
    plus, minus = np.arctan2(parts.b, parts.a), np.arctan2(parts.d, parts.c)
    return _assembled(plus, minus, parts, third == i), parts.free_plus | parts.free_minus


def _follow(angles: Array, proper: bool, out: Array) -> None:
    """Frames (F, 3) after the first, which is given: each the nearest of all that mean the same."""
    both = np.stack([angles, _other(angles, proper)])  # (2, F, 3)
    step = both[:, None, 1:] - both[None, :, :-1]  # [to, from]
    step = ((step - TURN * np.rint(step / TURN)) ** 2).sum(axis=-1)  # (2, 2, F − 1)
    nearer = step[1] < step[0]  # [from]: whether the other way is nearer
    way = np.empty(len(angles), dtype=np.int64)
    ends = both[:, 0] - out[0]
    way[0] = int(np.abs(np.sin(ends / 2)).sum(axis=1).argmin())
    changes = np.flatnonzero(nearer[0] | ~nearer[1])  # elsewhere it stays as it is
    now, since = int(way[0]), 0
    for frame in changes:
        way[since : frame + 1] = now
        now, since = int(nearer[now, frame]), int(frame) + 1
    way[since:] = now
    chosen = both[way, np.arange(len(angles))]
    turns = np.rint((chosen[:-1] - chosen[1:]) / TURN)
    first = np.rint((out[0] - chosen[0]) / TURN)
    out[1:] = chosen[1:] + TURN * (first + np.cumsum(turns, axis=0))
