"""Sheets and strands against closed forms, energy, order of the steps, and distances of the test's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import j0, jn_zeros

from poise.dynamics.cloth import Solid, sheet_of, strand_of
from poise.dynamics.cloth.solids import placed
from poise.dynamics.cloth.stepping import Carrier, Manner, Walls, advance
from poise.errors import InputError

ROW, G = 1 / 120, 9.81


def still(count, points, held):
    turn, zero = np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3))
    return Carrier(zero, turn, zero, zero, held, points[held])


def simulate(
    sheet, seconds, x=None, *, drag=0.0, finer=1.0, springs=None, solids=(), thickness=0.0, walls=None
):
    """Places (rows, V, 3) and velocities of a sheet whose bone stands still."""
    rows = round(seconds / ROW)
    springs = sheet.springs if springs is None else springs
    zero, turn = np.zeros((rows + 2, 1, 3)), np.tile(np.eye(3), (rows + 2, 1, 1, 1))
    around = placed(list(solids), zero, turn, zero, zero)
    steps = int(np.ceil(finer * ROW * sheet.fastest / 1.4))
    passes = np.zeros((len(sheet.points), len(solids)), dtype=bool)
    manner = Manner(np.array([0.0, 0.0, -G]), drag, 0.0, 0.3, 0.0, thickness, ROW, steps, passes)
    nothing = Walls(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)))
    x = np.array(sheet.points if x is None else x)
    v, out, rates = np.zeros_like(x), [x.copy()], [np.zeros_like(x)]
    carrier = still(rows + 2, sheet.points, sheet.held)
    for row in range(rows):
        advance(
            springs, sheet.points, carrier, around, walls or nothing, manner, np.array([row, row + 1]), x, v
        )
        out.append(x.copy())
        rates.append(v.copy())
    return np.array(out), np.array(rates)


def quiet(springs):
    return springs._replace(damp=np.zeros_like(springs.damp), slow=0.0)


def rope(count, length, direction=(0.0, 0.0, -1.0)):
    return np.linspace(0, length, count)[:, None] * np.array(direction)


def test_a_hanging_strand_swings_as_bessel_found():
    """The slowest mode of a hanging chain: ω = j₀,₁/2 √(g/L), its shape J₀(j √(z/L))."""
    length, j = 0.6, jn_zeros(0, 1)[0]
    points = rope(21, length)
    strand = strand_of(points, np.array([0]), bend=1e-4)
    x = points.copy()
    x[:, 0] = 0.012 * j0(j * np.sqrt(1 + points[:, 2] / length))
    tip = simulate(strand, 6.0, x)[0][:, -1, 0]
    at = np.flatnonzero((tip[:-1] > 0) & (tip[1:] <= 0))
    crossings = ROW * (at + tip[at] / (tip[at] - tip[at + 1]))
    assert 1 / np.diff(crossings).mean() == pytest.approx(
        0.5 * j * np.sqrt(G / length) / (2 * np.pi), rel=5e-3
    )


@pytest.mark.parametrize(("beads", "off"), [(11, 0.015), (41, 0.005)])
def test_a_strand_between_two_hooks_is_a_catenary(beads, off):
    length, span = 1.0, 0.6
    strand = strand_of(rope(beads, length, (1.0, 0.0, 0.0)), np.array([0, beads - 1]), bend=1e-4)
    x = strand.points.copy()
    x[:, 0] *= span / length
    strand.points[:] = x
    x[:, 2] = -0.3 * np.sin(np.pi * np.linspace(0, 1, beads))
    found = simulate(strand, 4.0, x, drag=6.0)[0][-1]
    a = brentq(lambda a: 2 * a * np.sinh(span / 2 / a) - length, 0.05, 5)
    assert -found[:, 2].min() == pytest.approx(a * (np.cosh(span / 2 / a) - 1), rel=off)
    assert found[:, 2] == pytest.approx(
        a * (np.cosh((found[:, 0] - span / 2) / a) - np.cosh(span / 2 / a)), abs=0.006
    )


@pytest.mark.parametrize(("beads", "off"), [(7, 0.4), (25, 0.09), (49, 0.05)])
def test_a_rod_sags_by_its_bending_length(beads, off):
    """A cantilever sags by L⁴ / 8 c³; the clamp's place is known to half a bead."""
    length = c = 0.1
    points = np.linspace(-length / (beads - 1), length, beads + 1)[:, None] * np.array([1.0, 0.0, 0.0])
    rod = strand_of(points, np.array([0, 1]), bend=c, quickest=1e6)
    found = simulate(rod, 1.0, drag=60.0)[0][-1]
    assert -found[-1, 2] == pytest.approx(length**4 / 8 / c**3, rel=off)


def strip(rows, length, width):
    columns = max(2, round(width / length * rows)) + 1
    x, y = np.meshgrid(
        np.linspace(-length / rows, length, rows + 2), np.linspace(0, width, columns), indexing="ij"
    )
    points = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    faces = []
    for r in range(rows + 1):
        for k in range(columns - 1):
            a, b = r * columns + k, r * columns + k + 1
            d, e = a + columns, b + columns
            faces += [[a, d, b], [b, d, e]] if (r + k) % 2 else [[a, d, e], [a, e, b]]
    return points, np.array(faces), np.arange(2 * columns), columns


@pytest.mark.parametrize("rows", [6, 12])
def test_a_strip_of_cloth_sags_by_its_bending_length(rows):
    length = c = 0.1
    points, faces, held, columns = strip(rows, length, 0.03)
    cloth = sheet_of(points, faces, held, bend=c, quickest=1e6)
    found = simulate(cloth, 1.0, drag=60.0)[0]
    assert np.abs(found[-1] - found[-12]).max() < 1e-6, "it is at rest"
    clamped = (1 + 0.5 / rows) ** 4  # the clamp's place is known to half a row
    assert -found[-1, -columns:, 2].mean() / clamped == pytest.approx(length**4 / 8 / c**3, rel=0.1)


def test_steps_are_of_second_order_and_keep_energy():
    strand = strand_of(rope(13, 0.5, (1.0, 0.0, 0.0)), np.array([0]), bend=0.03)
    s = quiet(strand.springs)

    def energy(x, v):
        long = np.linalg.norm(x[s.edge[:, 1]] - x[s.edge[:, 0]], axis=1)
        bent = np.einsum("hk,hki->hi", s.share, x[s.hinge])
        kinetic = 0.5 * (s.mass[~s.held, None] * v[~s.held] ** 2).sum()
        stored = 0.5 * (s.stiff * (long - s.length) ** 2).sum() + 0.5 * (s.bend[:, None] * bent**2).sum()
        return kinetic + stored + G * (s.mass * x[:, 2]).sum()

    fine = simulate(strand, 0.3, finer=16, springs=s)[0][-1]
    off = [np.abs(simulate(strand, 0.3, finer=k, springs=s)[0][-1] - fine).max() for k in (1, 2, 4)]
    assert off[0] / off[1] > 3.2
    assert off[1] / off[2] > 3.2
    fall = G * s.mass.sum() * 0.5
    kept = [[energy(a, b) for a, b in zip(*simulate(strand, 2.0, finer=k, springs=s))] for k in (1, 4)]
    assert np.ptp(kept[0]) < 0.01 * fall
    assert np.ptp(kept[1]) < 0.2 * np.ptp(kept[0])
    assert energy(*[a[-1] for a in simulate(strand, 2.0)]) < -0.001 * fall, "dampers take energy away"


def test_cloth_lies_on_a_ball_and_on_the_floor():
    """Distances are this test's own."""
    points, faces, _, _ = strip(20, 0.4, 0.4)
    points[:, :2] -= points[:, :2].mean(axis=0)
    points[:, 2] = 0.32
    cloth = sheet_of(points, faces, np.array([0]), bend=0.02)
    free = ~cloth.springs.held
    ball = Solid(0, np.array([0.0, 0.0, 0.2]), np.eye(3), np.zeros(3), 0.1)
    floor = Walls(
        np.tile([0.0, 0.0, 1.0], (len(points), 1)), np.full(len(points), 0.05), np.zeros((len(points), 3))
    )
    found = simulate(cloth, 1.5, drag=3.0, solids=[ball], thickness=0.01, walls=floor)[0]
    away = np.linalg.norm(found[:, free] - [0.0, 0.0, 0.2], axis=2)
    assert away.min() > 0.1 - 1e-9
    assert away[-1].min() < 0.1 + 1e-6, "it touches"
    assert found[:, free, 2].min() > 0.05 - 1e-9
    through = simulate(cloth, 0.5)[0]
    assert np.linalg.norm(through[:, free] - [0.0, 0.0, 0.2], axis=2).min() < 0.09


def test_a_strand_keeps_from_itself():
    """One that is laid double stays as thick as it is."""
    points = rope(30, 0.6, (1.0, 0.0, 0.0))
    strand = strand_of(points, np.array([0]), bend=1e-3)
    x = points.copy()
    x[15:, 0] = 2 * points[14, 0] + 0.01 - points[15:, 0]
    x[15:, 2] = 0.008
    both = [simulate(strand, 0.4, x, drag=4.0, thickness=t)[0][6:] for t in (0.015, 0.0)]

    def nearest(lines):
        gap = np.linalg.norm(lines[:, :, None] - lines[:, None], axis=3)
        apart = np.abs(np.subtract.outer(np.arange(30), np.arange(30))) > 3
        return gap[:, apart].min()

    assert nearest(both[0]) > 0.012
    assert nearest(both[1]) < 0.009


def test_what_cannot_be_sewn_is_refused():
    points, faces, held, _ = strip(4, 0.4, 0.2)
    with pytest.raises(InputError, match="no vertex is held"):
        sheet_of(points, faces, held[:0], bend=0.02)
    with pytest.raises(InputError, match="all vertices are held"):
        sheet_of(points, faces, np.arange(len(points)), bend=0.02)
    with pytest.raises(InputError, match="hangs on nothing"):
        sheet_of(
            np.concatenate([points, points + 1]),
            np.concatenate([faces, faces + len(points)]),
            held,
            bend=0.02,
        )
    sides = [{a, b} for a, b in zip(faces[0].tolist(), np.roll(faces[0], 1).tolist())]
    inner = next(side for side in sides if sum(side <= set(face) for face in faces.tolist()) == 2)
    fin = np.concatenate([faces, [[*inner, len(points)]]])
    with pytest.raises(InputError, match="3 triangles meet"):
        sheet_of(np.concatenate([points, [[0.0, 0.0, 1.0]]]), fin, held, bend=0.02)
    with pytest.raises(InputError, match="at least three"):
        strand_of(points[:2], np.array([0]), bend=0.02)
