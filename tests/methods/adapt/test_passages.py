"""Where feet begin to stand as the next part has them."""

from __future__ import annotations

import pytest

from poise.methods.adapt.assembly.track import Passage


@pytest.mark.parametrize(
    ("first", "last", "kind", "middle"),
    [(10, 14, "overlap", 12), (10, 15, "gap", 13), (3, 3, "overlap", 3), (10, 14, "touch", 10)],
)
def test_the_middle_of_a_passage(first, last, kind, middle):
    assert Passage(0, first, last, kind).middle == middle
