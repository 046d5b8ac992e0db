"""A key is put over another only where that is said."""

from __future__ import annotations

import pytest

from poise.errors import InputError
from poise.methods.key.sheet.key import TrackKey
from poise.methods.key.sheet.pin import NUMBER
from poise.methods.key.sheet.track import Track

TRACK = Track(NUMBER, (TrackKey(0.0, (0.1,)), TrackKey(1.0, (0.9,))))


@pytest.mark.parametrize("edit", [TRACK.copy, TRACK.move])
def test_over_another_only_if_said(edit):
    with pytest.raises(InputError):
        edit(0, 1.0)
    assert [k.value for k in edit(0, 1.0, over=True).keys][-1] == (0.1,)


def test_copies_keep_the_original_and_moves_do_not():
    assert [k.time for k in TRACK.copy(0, 0.5).keys] == [0.0, 0.5, 1.0]
    assert [k.time for k in TRACK.move(0, 0.5).keys] == [0.5, 1.0]
