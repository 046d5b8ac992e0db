"""How sure a found surface is: steps taken in turn are surer than a body that was lifted."""

from __future__ import annotations

import pytest

from poise.contacts.evidence import AGAIN, IN_TURN, LOAD, ONCE, sure_of
from poise.contacts.support import Contact
from poise.world import step

DT = 0.01
STEP = step("step", (0, 0), (1, 1), 0.3, source="found")


def on(part: str, surface: str, start: int, end: int, load: float = 0.0) -> Contact:
    return Contact(part, surface, start, end, "stands", (), (0.0, 0.0, 0.0), 0.0, load, 0.0, 0.0, 0.0)


def test_nobody_there():
    assert sure_of(STEP, [on("left foot", "floor", 0, 50)], DT) == 0.0


def test_doubt_is_the_product_of_its_reasons():
    both = [on("left foot", "step", 100, 199), on("right foot", "step", 100, 199)]
    assert sure_of(STEP, both, DT) == pytest.approx(1 - ONCE)
    again = [*both, on("left foot", "step", 300, 399)]
    assert sure_of(STEP, again, DT) == pytest.approx(1 - ONCE * AGAIN)
    turn = [*both, on("right foot", "floor", 0, 150)]
    assert sure_of(STEP, turn, DT) == pytest.approx(1 - ONCE * IN_TURN)
    heavy = [on("left foot", "step", 100, 199, load=1.0)]  # one weight for one second
    assert sure_of(STEP, heavy, DT) == pytest.approx(1 - ONCE * 2.718281828459045 ** (-1.0 / LOAD))


def test_a_lift_is_not_taken_in_turn():
    """Both feet leave the floor as they come to the step: nothing carries clearly before and after."""
    lifted = [
        on("left foot", "floor", 0, 99),
        on("right foot", "floor", 0, 102),
        on("left foot", "step", 100, 199),
        on("right foot", "step", 100, 199),
    ]
    assert sure_of(STEP, lifted, DT) == pytest.approx(1 - ONCE)
