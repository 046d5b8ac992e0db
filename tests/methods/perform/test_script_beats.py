"""Beats as scripts tell them: by times, or by a tempo, 256 of them where no count is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from poise.errors import InputError
from poise.methods.perform.script.file import _beats

HERE = Path()


def test_a_tempo_is_long_enough_for_any_piece():
    beats = _beats({"tempo": 120}, HERE)
    assert (len(beats), beats.times[0], beats.times[1]) == (256, 0.0, 0.5)
    few = _beats({"tempo": 60, "count": 3, "start": 0.25}, HERE)
    assert list(few) == [0.25, 1.25, 2.25]


def test_times_are_times_and_nonsense_is_refused():
    assert list(_beats({"times": [1.0, 0.5]}, HERE)) == [0.5, 1.0]
    with pytest.raises(InputError, match="beats are"):
        _beats({"beats": 3}, HERE)
