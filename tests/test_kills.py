"""A slice of the kills (``make kills`` does a thousand): each kind of file survives two."""

from __future__ import annotations

import os
import random

import pytest

from kills import Target
from saved_things import WRITERS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked and killed")


@pytest.mark.parametrize("name", WRITERS)
def test_a_killed_writer_leaves_the_old_file_or_the_new_one(name, tmp_path):
    target, rng = Target(tmp_path, name, WRITERS[name]), random.Random(name)
    killed = sum(target.round(rng)["kills"] for _ in range(2))
    assert killed == 2
