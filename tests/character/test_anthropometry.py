"""The segment table and the density that it implies."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from poise.character.anthropometry import ONCE, TABLES, placed

SEGMENTS = [(sex, name) for sex, table in TABLES.items() for name in table]


@pytest.mark.parametrize("sex", TABLES)
def test_fractions_sum_to_one(sex):
    total = sum(s.fraction * (1 if n in ONCE else 2) for n, s in TABLES[sex].items())
    # The printed female column sums to 99.99 %.
    assert total == pytest.approx(1.0, abs=1.5e-4)


@pytest.mark.parametrize("sex", TABLES)
def test_trunk_parts_agree_with_the_whole_trunk_of_the_table(sex):
    """The table also gives the undivided trunk (C7 to mid-hip): centre 51.38 / 49.64 % from the top."""
    parts = [TABLES[sex][n] for n in ONCE[:3]]
    ends = np.cumsum([0.0] + [p.length for p in parts])
    mass = sum(p.fraction for p in parts)
    centre = sum(p.fraction * (a + p.centre * p.length) for p, a in zip(parts, ends)) / mass
    from_top = 1 - centre / ends[-1]
    assert mass == pytest.approx({"male": 0.4346, "female": 0.4257}[sex], abs=1e-6)
    assert from_top == pytest.approx({"male": 0.5138, "female": 0.4964}[sex], abs=0.006)


@pytest.mark.parametrize(("sex", "name"), SEGMENTS)
def test_whole_slab_is_the_table(sex, name):
    segment = TABLES[sex][name]
    share, centre, spread = segment.slab(-1.0, 2.0)
    assert share == pytest.approx(1.0, abs=1e-12)
    assert centre == pytest.approx(segment.centre, abs=1e-12)
    x, y, z = spread
    radii = np.sqrt([y + z, x + z, x + y])
    assert radii == pytest.approx([segment.sagittal, segment.transverse, segment.longitudinal], abs=1e-12)


@pytest.mark.parametrize(("sex", "name"), SEGMENTS)
@pytest.mark.parametrize("cuts", [[0.5], [0.2, 0.21, 0.7], [0.0, 0.33, 1.0]])
def test_slabs_add_up(sex, name, cuts):
    segment = TABLES[sex][name]
    ends = [-np.inf, *cuts, np.inf]
    slabs = [segment.slab(a, b) for a, b in pairwise(ends)]
    assert sum(s for s, _, _ in slabs) == pytest.approx(1.0, abs=1e-12)
    centre = sum(s * c for s, c, _ in slabs)
    assert centre == pytest.approx(segment.centre, abs=1e-12)
    second = sum(s * (v[2] + (c - centre) ** 2) for s, c, v in slabs)
    assert second == pytest.approx(segment.spread[2], abs=1e-12)
    for (share, c, v), a, b in zip(slabs, ends, ends[1:]):
        if share:
            assert max(a, 0) <= c <= min(b, 1)
            assert (v[:2] > 0).all()
            assert v[2] <= 0.25 * (min(b, 1) - max(a, 0)) ** 2 + 1e-12


def test_slab_against_a_sampled_density(rng):
    segment = TABLES["male"]["shank"]
    mean, var = segment.centre, segment.spread[2]
    weight = mean * (1 - mean) / var - 1
    x = rng.beta(mean * weight, (1 - mean) * weight, size=400_000)
    inside = x[(x > 0.25) & (x < 0.6)]
    share, centre, spread = segment.slab(0.25, 0.6)
    assert share == pytest.approx(len(inside) / len(x), abs=4e-3)
    assert centre == pytest.approx(inside.mean(), abs=2e-3)
    assert spread[2] == pytest.approx(inside.var(), rel=2e-2)


def test_placed_is_a_rotated_tensor():
    spread = np.array([0.01, 0.04, 0.09])
    along, forward = np.array([0, 2.0, 0]), np.array([1.0, 0, 0])
    mass = placed(0.5, spread, 0.4, 3.0, np.array([1.0, 2, 3]), along, forward)
    assert mass.mass == pytest.approx(1.5)
    kx, ky, kz = spread * 0.16
    # z of the segment is world y; its sideways axis y = z × x is world −z: swaps the last two.
    assert np.asarray(mass.inertia) == pytest.approx(1.5 * np.diag([ky + kz, kx + ky, kx + kz]), abs=1e-15)
