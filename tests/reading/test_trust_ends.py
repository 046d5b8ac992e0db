"""Trust in a folder ends with the block in which it was given, also where that fails."""

from __future__ import annotations

import pytest

from poise.errors import InputError
from poise.reading.reference import beside, trusting


def test_trust_ends_where_it_was_given(tmp_path):
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    with trusting(other):
        assert beside(home, "../other/a.bvh", "the clip") == other / "a.bvh"
    with pytest.raises(InputError, match="the clip"):
        beside(home, "../other/a.bvh", "the clip")
    with pytest.raises(ZeroDivisionError), trusting(other):
        raise ZeroDivisionError
    with pytest.raises(InputError, match="the clip"):
        beside(home, "../other/a.bvh", "the clip")
