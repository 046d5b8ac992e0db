"""Fig. 3 and 7: the dance by four controllers, with a backpack, and struck on the way."""

from __future__ import annotations

import pytest
from scenes import example


@pytest.fixture(scope="module")
def dance():
    return example("21_beat_ymca")


def worst(result):
    return max(a.error for a in result.arrivals)


def test_four_controllers(dance):
    errors = {c: worst(dance.scene(c)) for c in ("full", "composite", "local", "manual")}
    assert errors["full"] < 0.01
    assert errors["composite"] < 0.1
    assert errors["local"] > 30
    assert errors["manual"] > 30


def test_manual_gains_suit_the_first_letter_best(dance):
    """Tuned for the Y, late for what follows."""
    first, *rest = [a.error for a in dance.scene("manual").arrivals]
    assert first < min(rest)


def test_a_backpack_changes_nothing(dance):
    for control, bar in (("full", 0.01), ("composite", 0.1)):
        assert worst(dance.scene(control, packed=True)) < bar


@pytest.mark.parametrize(("before", "impulse", "bar"), [(0.2, 4.0, 0.1), (0.2, 8.0, 0.1), (0.1, 8.0, 0.5)])
def test_struck_on_the_way(dance, before, impulse, bar):
    assert worst(dance.struck(before=before, impulse=impulse)) < bar


def test_gains_differ_from_letter_to_letter(dance):
    gains = dance.scene("composite").gains
    k = gains.of("RightArm")[:, 0]
    moments = [a.time - 0.3 for a in dance.scene("composite").arrivals[:4]]
    at = [float(k[abs(gains.times - t).argmin()]) for t in moments]
    assert max(at) > 1.3 * min(at)
