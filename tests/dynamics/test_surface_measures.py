"""Sizes of closed surfaces against closed forms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from poise.dynamics.elastic.surface import FLAT, Surface
from poise.errors import InputError

CORNERS = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
TRIANGLES = np.array([t for a, b, c, d in SIDES for t in ((a, b, c), (a, c, d))])


def box(a: float, b: float, c: float, *, inside_out: bool = False) -> Surface:
    return Surface(CORNERS * [a, b, c], TRIANGLES[:, ::-1] if inside_out else TRIANGLES)


@pytest.mark.parametrize("inside_out", [False, True])
@pytest.mark.parametrize("sides", [(1.0, 1.0, 1.0), (0.2, 0.5, 1.3)])
def test_a_box(sides, inside_out, rng):
    a, b, c = sides
    found = box(a, b, c, inside_out=inside_out)
    assert found.area == pytest.approx(2 * (a * b + b * c + c * a), rel=1e-12)
    assert found.volume == pytest.approx(a * b * c, rel=1e-12)
    # The largest extent is the diagonal, seen along one of a few dozen directions.
    diagonal = float(np.linalg.norm(sides))
    assert 0.93 * diagonal <= found.diameter <= diagonal * (1 + 1e-12)
    moved = Surface(np.asarray(found.vertices) + rng.normal(size=3), found.triangles)
    assert moved.volume == pytest.approx(a * b * c, rel=1e-9)


def test_a_sheet_is_no_body():
    """Volume over area of a plate of thickness h is h / 2: flat below ``FLAT`` of its size."""
    size = float(np.hypot(1.0, 1.0))
    with pytest.raises(InputError, match=r"flat|thick|volume"):
        box(1.0, 1.0, 1.2 * FLAT * size)
    assert box(1.0, 1.0, 3.0 * FLAT * size).volume > 0.0
