"""One joint after another: how the bodies of a target follow those of a source, as kernels read and do it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel

FIXED, HINGE, SLIDE, BALL, PLANAR, FREE = range(6)
"""Kinds of joints (``JointKind``), as kernels read them."""


class Plan(NamedTuple):
    """How a target's bodies follow those of a source."""

    parents: IntArray
    kind: IntArray
    axis: Array
    """Of hinges, in the joint's frame (n, 3)."""
    rest: Array
    """Parent from joint (n, 3, 3); the unit matrix where coordinates hold it."""
    coordinates: IntArray
    """First of each body in q (n,)."""
    lower: Array
    upper: Array
    """Of the angles of hinges and the rotation vectors of balls (n, 3)."""
    first: IntArray
    second: IntArray
    """Counterparts: the body's rotation lies between those of two (n,); −1: none."""
    share: Array
    """How far towards the second (n,)."""
    by_first: Array
    by_second: Array
    """Wanted rotation = source's · this (n, 3, 3)."""
    starts: IntArray
    links: IntArray
    """Bodies of chains that are fitted: chain c is links[starts[c] : starts[c + 1]]."""
    chain: IntArray
    """To which each body belongs (n,); −1: none."""
    directions: Array
    """b_k as rows, in the body's frame (n, 3, 3)."""
    weight: Array
    """w_k (n, 3)."""


@kernel(inline=True)
def product(a: Array, b: Array, out: Array) -> None:
    """a b."""
    for r in range(3):
        for c in range(3):
            out[r, c] = a[r, 0] * b[0, c] + a[r, 1] * b[1, c] + a[r, 2] * b[2, c]


@kernel(inline=True)
def base_turn(plan: Plan, i: int, turns: Array, out: Array) -> None:
    """Rotation of a body's joint frame before the joint turns it."""
    if plan.parents[i] < 0:
        out[:] = plan.rest[i]
    else:
        product(turns[plan.parents[i]], plan.rest[i], out)


@kernel(inline=True)
def wanted_turn(plan: Plan, source: Array, i: int, out: Array) -> None:
    """W of one body."""
    product(source[plan.first[i]], plan.by_first[i], out)
    if plan.share[i] > 0.0 and plan.second[i] >= 0:
        other, between = np.empty((3, 3)), np.empty((3, 3))
        product(source[plan.second[i]], plan.by_second[i], other)
        product(out.T, other, between)
        v = np.empty(3)
        vector_of(between, v)
        for k in range(3):
            v[k] *= plan.share[i]
        matrix_of(v, between)
        product(out.copy(), between, other)
        out[:] = other


@kernel(inline=True)
def quaternion_of(m: Array, out: Array) -> None:
    """Unit quaternion of a rotation matrix, by the largest pivot, w ≥ 0."""
    xx, yy, zz = m[0, 0], m[1, 1], m[2, 2]
    w, x, y, z = 1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz
    if w >= x and w >= y and w >= z:
        out[0], out[1], out[2], out[3] = w, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    elif x >= y and x >= z:
        out[0], out[1], out[2], out[3] = m[2, 1] - m[1, 2], x, m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]
    elif y >= z:
        out[0], out[1], out[2], out[3] = m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], y, m[2, 1] + m[1, 2]
    else:
        out[0], out[1], out[2], out[3] = m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], z
    k = 1.0 / math.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2 + out[3] ** 2)
    if out[0] < 0.0:
        k = -k
    for j in range(4):
        out[j] *= k


@kernel(inline=True)
def vector_of(m: Array, out: Array) -> None:
    """Rotation vector of a matrix."""
    quaternion = np.empty(4)
    quaternion_of(m, quaternion)
    size = math.sqrt(quaternion[1] ** 2 + quaternion[2] ** 2 + quaternion[3] ** 2)
    k = 2.0 * math.atan2(size, quaternion[0]) / size if size > 1e-12 else 2.0
    for j in range(3):
        out[j] = k * quaternion[j + 1]


@kernel(inline=True)
def matrix_of(v: Array, out: Array) -> None:
    """Rotation matrix of a vector."""
    angle = math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
    a = math.sin(angle) / angle if angle > 1e-9 else 1.0
    b = (1.0 - math.cos(angle)) / (angle * angle) if angle > 1e-5 else 0.5
    c = math.cos(angle)
    for r in range(3):
        for k in range(3):
            out[r, k] = b * v[r] * v[k] + (c if r == k else 0.0)
    out[0, 1] -= a * v[2]
    out[1, 0] += a * v[2]
    out[0, 2] += a * v[1]
    out[2, 0] -= a * v[1]
    out[1, 2] -= a * v[0]
    out[2, 1] += a * v[0]


@kernel(inline=True)
def set_ball(local: Array, before: Array, at: int, q: Array) -> None:
    """A rotation as the quaternion nearer to the last frame's."""
    quaternion = np.empty(4)
    quaternion_of(local, quaternion)
    along = 0.0
    for j in range(4):
        along += quaternion[j] * before[at + j]
    for j in range(4):
        q[at + j] = quaternion[j] if along >= 0.0 else -quaternion[j]


@kernel(inline=True)
def turn_joint(plan: Plan, i: int, base: Array, wanted: Array, before: Array, q: Array, out: Array) -> None:
    """One joint by itself."""
    kind, at = plan.kind[i], plan.coordinates[i]
    local, v = np.zeros((3, 3)), np.zeros(3)
    asked = plan.first[i] >= 0
    if asked:
        product(base.T, wanted, local)
    if kind == FREE and asked:
        set_ball(local, before, at + 3, q)
        out[:] = wanted
    elif kind == BALL and asked:
        vector_of(local, v)
        beyond = False
        for k in range(3):
            kept = min(max(v[k], plan.lower[i, k]), plan.upper[i, k])
            beyond = beyond or kept != v[k]
            v[k] = kept
        if beyond:
            matrix_of(v, local)
        set_ball(local, before, at, q)
        product(base, local, out)
    elif kind in (HINGE, PLANAR) and asked:
        j = at if kind == HINGE else at + 2
        quaternion = np.empty(4)
        quaternion_of(local, quaternion)
        along = quaternion[1] * plan.axis[i, 0] + quaternion[2] * plan.axis[i, 1]
        angle = 2.0 * math.atan2(along + quaternion[3] * plan.axis[i, 2], quaternion[0])
        angle -= 2.0 * math.pi * round((angle - before[j]) / (2.0 * math.pi))
        q[j] = min(max(angle, plan.lower[i, 0]), plan.upper[i, 0])
        for k in range(3):
            v[k] = q[j] * plan.axis[i, k]
        matrix_of(v, local)
        product(base, local, out)
    else:
        stay(plan, i, base, q, out)


@kernel(inline=True)
def stay(plan: Plan, i: int, base: Array, q: Array, out: Array) -> None:
    """A joint of which nothing is wanted, as its coordinates have it."""
    kind, at = plan.kind[i], plan.coordinates[i]
    local, v = np.zeros((3, 3)), np.zeros(3)
    if kind in (HINGE, PLANAR):
        for k in range(3):
            v[k] = q[at if kind == HINGE else at + 2] * plan.axis[i, k]
        matrix_of(v, local)
        product(base, local, out)
    elif kind in (BALL, FREE):
        j = at if kind == BALL else at + 3
        size = math.sqrt(q[j + 1] ** 2 + q[j + 2] ** 2 + q[j + 3] ** 2)
        k2 = 2.0 * math.atan2(size, q[j]) / size if size > 1e-12 else 2.0
        for k in range(3):
            v[k] = k2 * q[j + 1 + k]
        matrix_of(v, local)
        product(base, local, out)
    else:
        out[:] = base
