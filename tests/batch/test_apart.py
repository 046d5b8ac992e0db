"""A job in a process of its own: its result, or why there is none."""

from __future__ import annotations

import math
import os
import time

import pytest

from poise.batch.cluster import apart
from poise.batch.local import Lost


@pytest.mark.parametrize("limit", [math.inf, 600.0])
def test_a_job_that_ends_is_done_whatever_its_limit(limit):
    assert apart(limit, math.hypot, 3.0, 4.0) == 5.0


def test_a_job_that_takes_too_long_is_given_up():
    """It would return None in the end: nothing here waits for that."""
    assert isinstance(apart(0.5, time.sleep, 120.0), Lost)


def test_a_job_that_dies_is_lost_and_says_how():
    lost = apart(math.inf, os._exit, 7)
    assert isinstance(lost, Lost)
    assert "7" in str(lost)
