"""Nobody means a place a million kilometres away: the numbers of handles end there."""

from __future__ import annotations

import pytest

from poise.errors import InputError
from poise.handles import PlaneDistance


@pytest.mark.parametrize("sign", [1, -1])
def test_places_end_at_a_million_kilometres(sign):
    PlaneDistance("Head", through=(0.0, 0.0, sign * 0.99e9))
    with pytest.raises(InputError, match=r"from -1e\+09 to 1e\+09"):
        PlaneDistance("Head", through=(0.0, 0.0, sign * 1.01e9))
