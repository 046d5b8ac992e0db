"""Steps of a sheet: leapfrog, explicit, with solids, walls and the sheet itself in the way.

    x ← x + h/2 v,    v ← ((1 − αh/2) v + h (g + α u + f(x, v)/m)) / (1 + αh/2),    x ← x + h/2 v

α is the drag of the air, which the wearer drags along in part (u). Of second order in h, and without drag it
keeps energy as leapfrog does. What is held follows its bone by cubics through rows of a table; solids go
evenly between rows. After a step whatever is in a solid is put on its skin and stops going in; sliding there
is slowed by Coulomb's friction.

What may touch is looked up once a row: pairs of vertices and solids, and pairs of vertices, that are near
enough to meet before the next.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.compilation import kernel
from poise.dynamics.cloth.sheet import Springs
from poise.dynamics.cloth.solids import Placed, outside

TOUCHING = 16
"""Others that a vertex may be near to at most; what is more than that is in the way already."""


class Carrier(NamedTuple):
    """The bone that holds a sheet, at R rows."""

    at: Any
    """(R, 3)"""
    turn: Any
    """(R, 3, 3)"""
    velocity: Any
    """(R, 3)"""
    spin: Any
    """World axes, (R, 3)."""
    pinned: Any
    """Vertices that are held, (P,)."""
    place: Any
    """Where, in its frame, (P, 3)."""


class Walls(NamedTuple):
    """The plane that each vertex must stay above: n · x ≥ o."""

    normal: Any
    """(V, 3)"""
    offset: Any
    """(V,); −inf: none."""
    velocity: Any
    """Of what is there, (V, 3)."""


class Manner(NamedTuple):
    """How it moves."""

    gravity: Any
    """(3,)"""
    drag: float
    """[1/s]"""
    slip: float
    """Part of the bone's level velocity that the air around it has."""
    friction: float
    skin: float
    """Distance kept from solids and walls [m]."""
    thickness: float
    """Distance kept from itself [m]; 0: it goes through itself."""
    row: float
    """Time between rows [s]."""
    steps: int
    """In a row."""
    passes: Any
    """Vertices that go through a solid because they are modelled in it, (V, S) bool."""


@kernel(inline=True, allocates=False)
def _forces(s: Springs, x: Any, v: Any, f: Any) -> None:
    """Forces of edges and hinges (V, 3)."""
    for i in range(f.shape[0]):
        f[i, 0] = f[i, 1] = f[i, 2] = 0.0
    for k in range(s.edge.shape[0]):
        i, j = s.edge[k, 0], s.edge[k, 1]
        d0, d1, d2 = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
        long = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2) + 1e-15
        along = ((v[j, 0] - v[i, 0]) * d0 + (v[j, 1] - v[i, 1]) * d1 + (v[j, 2] - v[i, 2]) * d2) / long
        pull = (s.stiff[k] * (long - s.length[k]) + s.damp[k] * along) / long
        for c, d in ((0, d0), (1, d1), (2, d2)):
            f[i, c] += pull * d
            f[j, c] -= pull * d
    for k in range(s.hinge.shape[0]):
        a, b, c, d = s.hinge[k, 0], s.hinge[k, 1], s.hinge[k, 2], s.hinge[k, 3]
        ka, kb, kc, kd = s.share[k, 0], s.share[k, 1], s.share[k, 2], s.share[k, 3]
        n0 = n1 = n2 = 0.0
        if s.curl[k] != 0.0:
            e0, e1, e2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
            w0 = (x[c, 0] - x[a, 0]) - (x[d, 0] - x[a, 0])
            w1 = (x[c, 1] - x[a, 1]) - (x[d, 1] - x[a, 1])
            w2 = (x[c, 2] - x[a, 2]) - (x[d, 2] - x[a, 2])
            n0, n1, n2 = e1 * w2 - e2 * w1, e2 * w0 - e0 * w2, e0 * w1 - e1 * w0
            size = s.curl[k] / (math.sqrt(n0 * n0 + n1 * n1 + n2 * n2) + 1e-15)
            n0, n1, n2 = size * n0, size * n1, size * n2
        for r, n in ((0, n0), (1, n1), (2, n2)):
            bent = ka * x[a, r] + kb * x[b, r] + kc * x[c, r] + kd * x[d, r] - n
            rate = ka * v[a, r] + kb * v[b, r] + kc * v[c, r] + kd * v[d, r]
            push = -s.bend[k] * (bent + s.slow * rate)
            f[a, r] += ka * push
            f[b, r] += kb * push
            f[c, r] += kc * push
            f[d, r] += kd * push


@kernel(inline=True, allocates=False)
def _hold(c: Carrier, row: int, part: float, span: float, x: Any, v: Any) -> None:
    """Put what is held where the bone has it, ``part`` of the way to the next row."""
    t = part
    h00, h10 = (1 + 2 * t) * (1 - t) * (1 - t), t * (1 - t) * (1 - t) * span
    h01, h11 = t * t * (3 - 2 * t), t * t * (t - 1) * span
    d0 = 6 * t * (t - 1) / span
    g0, g1 = (1 - t) * (1 - 3 * t), t * (3 * t - 2)
    for k in range(c.pinned.shape[0]):
        i = c.pinned[k]
        for axis in range(3):
            one, two = (axis + 1) % 3, (axis + 2) % 3
            place = way = 0.0
            for end in range(2):
                r = row + end
                arm = b1 = b2 = 0.0
                for m in range(3):
                    arm += c.turn[r, axis, m] * c.place[k, m]
                    b1 += c.turn[r, one, m] * c.place[k, m]
                    b2 += c.turn[r, two, m] * c.place[k, m]
                p = c.at[r, axis] + arm
                u = c.velocity[r, axis] + c.spin[r, one] * b2 - c.spin[r, two] * b1
                if end == 0:
                    place += h00 * p + h10 * u
                    way += d0 * p + g0 * u
                else:
                    place += h01 * p + h11 * u
                    way += -d0 * p + g1 * u
            x[i, axis] = place
            v[i, axis] = way


@kernel(inline=True, allocates=False)
def _stop(x: Any, v: Any, i: int, depth: float, n: Any, moving: Any, friction: float) -> None:
    """Vertex i is ``depth`` too deep in what moves so: put it out, and let it go in no further."""
    inward = 0.0
    for c in range(3):
        x[i, c] += depth * n[c]
        inward += (v[i, c] - moving[c]) * n[c]
    if inward >= 0.0:
        return
    slide = 0.0
    for c in range(3):
        v[i, c] -= inward * n[c]
        slide += (v[i, c] - moving[c]) ** 2
    slide = math.sqrt(slide)
    if slide > 1e-12:
        kept = max(0.0, 1.0 + friction * inward / slide)  # inward is negative
        for c in range(3):
            v[i, c] = moving[c] + kept * (v[i, c] - moving[c])


@kernel(inline=True, allocates=False)
def _near_solids(s: Springs, p: Placed, row: int, span: float, m: Manner, x: Any, v: Any, pairs: Any) -> int:
    """Pairs (vertex, solid) that may touch before the next row."""
    count = 0
    for i in range(x.shape[0]):
        if s.held[i]:
            continue
        speed = math.sqrt(v[i, 0] ** 2 + v[i, 1] ** 2 + v[i, 2] ** 2)
        for k in range(p.radius.shape[0]):
            if m.passes[i, k]:
                continue
            own, away = 0.0, 0.0
            for c in range(3):
                own += p.velocity[row, k, c] ** 2
                away += (x[i, c] - p.at[row, k, c]) ** 2
            reach = p.reach[k] + m.skin + 0.01 + 1.5 * span * (speed + math.sqrt(own))
            if away < reach * reach and count < pairs.shape[0]:
                pairs[count, 0], pairs[count, 1] = i, k
                count += 1
    return count


@kernel(inline=True, allocates=False)
def _collide(
    p: Placed, row: int, part: float, m: Manner, pairs: Any, count: int, x: Any, v: Any, own: Any
) -> None:
    """Put vertices out of solids; ``own`` (3, 3) is scratch."""
    local, normal, moving = own[0], own[1], own[2]
    for q in range(count):
        i, k = pairs[q, 0], pairs[q, 1]
        d0 = x[i, 0] - (1 - part) * p.at[row, k, 0] - part * p.at[row + 1, k, 0]
        d1 = x[i, 1] - (1 - part) * p.at[row, k, 1] - part * p.at[row + 1, k, 1]
        d2 = x[i, 2] - (1 - part) * p.at[row, k, 2] - part * p.at[row + 1, k, 2]
        near = p.reach[k] + m.skin
        if d0 * d0 + d1 * d1 + d2 * d2 > near * near:
            continue
        for c in range(3):
            one, two = p.turn[row, k], p.turn[row + 1, k]
            local[c] = (
                ((1 - part) * one[0, c] + part * two[0, c]) * d0
                + ((1 - part) * one[1, c] + part * two[1, c]) * d1
                + ((1 - part) * one[2, c] + part * two[2, c]) * d2
            )
        gap = outside(local, p.core[k], p.radius[k], normal) - m.skin
        if gap >= 0.0:
            continue
        n0 = n1 = n2 = 0.0
        for c in range(3):
            one, two = p.turn[row, k], p.turn[row + 1, k]
            n0 += ((1 - part) * one[0, c] + part * two[0, c]) * normal[c]
            n1 += ((1 - part) * one[1, c] + part * two[1, c]) * normal[c]
            n2 += ((1 - part) * one[2, c] + part * two[2, c]) * normal[c]
        w0, w1, w2 = p.spin[row, k, 0], p.spin[row, k, 1], p.spin[row, k, 2]
        moving[0] = p.velocity[row, k, 0] + w1 * d2 - w2 * d1
        moving[1] = p.velocity[row, k, 1] + w2 * d0 - w0 * d2
        moving[2] = p.velocity[row, k, 2] + w0 * d1 - w1 * d0
        normal[0], normal[1], normal[2] = n0, n1, n2
        _stop(x, v, i, -gap, normal, moving, m.friction)


@kernel(inline=True, allocates=False)
def _near_itself(s: Springs, rest: Any, x: Any, v: Any, m: Manner, others: Any, counts: Any) -> None:
    """For each vertex up to TOUCHING others, of a higher number, that are not its neighbours at rest."""
    order = counts[1]
    for i in range(x.shape[0]):
        counts[0, i] = 0
        order[i] = i
    for i in range(1, x.shape[0]):  # by height: nearly sorted from row to row in a sheet
        key = order[i]
        j = i - 1
        while j >= 0 and x[order[j], 2] > x[key, 2]:
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = key
    near = 1.5 * m.thickness + 0.004
    apart = 2.25 * m.thickness * m.thickness
    for a in range(x.shape[0]):
        i = order[a]
        for b in range(a + 1, x.shape[0]):
            j = order[b]
            if x[j, 2] - x[i, 2] > near:
                break
            if (x[j, 0] - x[i, 0]) ** 2 + (x[j, 1] - x[i, 1]) ** 2 + (x[j, 2] - x[i, 2]) ** 2 > near * near:
                continue
            r = (
                (rest[j, 0] - rest[i, 0]) ** 2
                + (rest[j, 1] - rest[i, 1]) ** 2
                + (rest[j, 2] - rest[i, 2]) ** 2
            )
            low, high = min(i, j), max(i, j)
            if r > apart and counts[0, low] < others.shape[1]:
                others[low, counts[0, low]] = high
                counts[0, low] += 1


@kernel(inline=True, allocates=False)
def _apart(s: Springs, m: Manner, others: Any, counts: Any, x: Any, v: Any) -> None:
    """Push vertices of one sheet apart to its thickness, by their masses; they come no nearer."""
    for i in range(x.shape[0]):
        for q in range(counts[0, i]):
            j = others[i, q]
            d0, d1, d2 = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            square = d0 * d0 + d1 * d1 + d2 * d2
            if square >= m.thickness * m.thickness or square < 1e-20:
                continue
            wi = 0.0 if s.held[i] else 1 / s.mass[i]
            wj = 0.0 if s.held[j] else 1 / s.mass[j]
            if wi + wj == 0.0:
                continue
            long = math.sqrt(square)
            d0, d1, d2 = d0 / long, d1 / long, d2 / long
            way = 0.5 * (m.thickness - long) / (wi + wj)  # in two steps: soft, so that piles settle
            closing = (v[j, 0] - v[i, 0]) * d0 + (v[j, 1] - v[i, 1]) * d1 + (v[j, 2] - v[i, 2]) * d2
            brake = min(closing, 0.0) / (wi + wj)
            for c, d in ((0, d0), (1, d1), (2, d2)):
                x[i, c] -= wi * way * d
                x[j, c] += wj * way * d
                v[i, c] += wi * brake * d
                v[j, c] -= wj * brake * d


@kernel()
def advance(
    s: Springs, rest: Any, carrier: Carrier, p: Placed, walls: Walls, m: Manner, rows: Any, x: Any, v: Any
) -> None:
    """Places and velocities (V, 3) from row rows[0] to row rows[1]."""
    count = x.shape[0]
    f = np.empty((count, 3))
    scratch, moving, pull = np.empty((3, 3)), np.empty(3), np.empty(3)
    pairs = np.empty((min(count * p.radius.shape[0], 12 * count) + 1, 2), dtype=np.int64)
    others = np.empty((count, TOUCHING), dtype=np.int64)
    counts = np.zeros((2, count), dtype=np.int64)
    h = m.row / m.steps
    half = 0.5 * h
    before, after = 1 - 0.5 * m.drag * h, 1 / (1 + 0.5 * m.drag * h)
    for row in range(rows[0], rows[1]):
        near = _near_solids(s, p, row, m.row, m, x, v, pairs)
        if m.thickness > 0.0:
            _near_itself(s, rest, x, v, m, others, counts)
        for c in range(3):
            pull[c] = m.drag * m.slip * carrier.velocity[row, c] if c < 2 else 0.0
        for step in range(m.steps):
            for i in range(count):
                if not s.held[i]:
                    for c in range(3):
                        x[i, c] += half * v[i, c]
            _hold(carrier, row, (step + 0.5) / m.steps, m.row, x, v)
            _forces(s, x, v, f)
            for i in range(count):
                if not s.held[i]:
                    for c in range(3):
                        own = m.gravity[c] * s.weight[i] + pull[c] + f[i, c] / s.mass[i]
                        v[i, c] = (before * v[i, c] + h * own) * after
                        x[i, c] += half * v[i, c]
            part = (step + 1) / m.steps
            _hold(carrier, row, part, m.row, x, v)
            if m.thickness > 0.0:
                _apart(s, m, others, counts, x, v)
            _collide(p, row, part, m, pairs, near, x, v, scratch)
            _stay_above(s, walls, m, x, v, moving)


@kernel(inline=True, allocates=False)
def _stay_above(s: Springs, walls: Walls, m: Manner, x: Any, v: Any, moving: Any) -> None:
    for i in range(walls.offset.shape[0]):
        if s.held[i]:
            continue
        n = walls.normal[i]
        gap = n[0] * x[i, 0] + n[1] * x[i, 1] + n[2] * x[i, 2] - walls.offset[i] - m.skin
        if gap < 0.0:
            for c in range(3):
                moving[c] = walls.velocity[i, c]
            _stop(x, v, i, -gap, n, moving, m.friction)


@kernel()
def tidy(s: Springs, carrier: Carrier, p: Placed, walls: Walls, m: Manner, most: float, frames: Any) -> None:
    """Frames (F, V, 3) that were mixed: stretched by ``most`` at most, and out of solids at row f.

    Cloth that is pulled over a limb lies closer to it than it usually does before it stretches more.
    """
    count = frames.shape[1]
    scratch, moving, v = np.empty((3, 3)), np.empty(3), np.zeros((count, 3))
    pairs = np.empty((min(count * p.radius.shape[0], 12 * count) + 1, 2), dtype=np.int64)
    for f in range(frames.shape[0]):
        x = frames[f]
        _hold(carrier, f, 0.0, 1.0, x, v)
        near = _near_solids(s, p, f, 0.0, m, x, v, pairs)
        for _ in range(40):
            over = 0.0
            for k in range(s.edge.shape[0]):
                i, j = s.edge[k, 0], s.edge[k, 1]
                wi = 0.0 if s.held[i] else 1 / s.mass[i]
                wj = 0.0 if s.held[j] else 1 / s.mass[j]
                d0, d1, d2 = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                long = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
                allowed = (1 + most) * s.length[k]
                if long <= allowed or wi + wj == 0.0:
                    continue
                over = max(over, long / allowed - 1)
                way = (long - allowed) / (long * (wi + wj))
                for c, d in ((0, d0), (1, d1), (2, d2)):
                    x[i, c] += wi * way * d
                    x[j, c] -= wj * way * d
            _collide(p, f, 0.0, m, pairs, near, x, v, scratch)
            _stay_above(s, walls, m, x, v, moving)
            if over < 1e-3:
                break
