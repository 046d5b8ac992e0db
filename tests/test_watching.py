"""Progress never goes back and ends at 1; cancelling says what was cancelled."""

from __future__ import annotations

import pytest

from poise.errors import CancelledError
from poise.watching import watcher


def test_progress_is_what_was_told_and_never_less():
    told: list[float] = []
    watch = watcher("the search", told.append, None)
    for part in (0.0, 0.2, 0.1, 0.6, 3.0):
        watch(part)
    assert told == [0.0, 0.2, 0.2, 0.6, 1.0]


def test_nobody_need_listen_and_anybody_may_stop_it():
    watcher("the search", None, None)(0.5)
    told: list[float] = []
    with pytest.raises(CancelledError, match="the search was cancelled"):
        watcher("the search", told.append, lambda: True)(0.5)
    assert told == []
