"""The scales by which clips are judged are those that the theory tells."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from poise.plausibility import balance, flight_rules, ground_rules, penetration, skate, torque_rules
from poise.plausibility.finding import SERIOUS, score_between
from poise.plausibility.human_strength import PEAK
from poise.repair import blend

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "theory" / "plausibility.md").read_text()
CM = 100.0
SCALES = {
    "gravity": tuple(math.exp(x) for x in flight_rules.PACE),
    "drift": flight_rules.PUSH,
    "spin": flight_rules.SPIN,
    "skate": tuple(CM * x for x in skate.SLIDE),
    "penetration, hover": (CM * penetration.SINKS[0], CM * penetration.HOVERS[0], CM * penetration.SINKS[1]),
    "pull": ground_rules.PULL,
    "friction": ground_rules.FRICTION,
    "balance": tuple(CM * x for pair in zip(balance.LEANS, balance.TIPS) for x in pair),
    "torque": torque_rules.BEYOND,
}


def numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"\d+(?:\.\d+)?", text)]


@pytest.mark.parametrize("kind", SCALES)
def test_a_scale_is_the_one_of_the_page(kind):
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| {kind} |") and line.count("|") == 5]
    told = [x for part in row.split("|")[3:] for x in numbers(part)]
    assert told == pytest.approx(list(SCALES[kind]), rel=1e-12)
    assert penetration.SINKS[1] == penetration.HOVERS[1]


def test_joints_are_as_strong_as_the_page_says():
    (line,) = re.findall(r"maximal efforts: (.*)\.", PAGE)
    told = {part: float(number) for part, number in re.findall(r"(\w+) ([\d.]+)", line)}
    assert told == pytest.approx(dict(PEAK))


def test_scores_fall_straight_from_what_is_fine_to_what_is_absurd():
    assert [score_between(x, 0.2, 1.0) for x in (-1.0, 0.2, 0.6, 1.0, 9.0)] == pytest.approx(
        [1, 1, 0.5, 0, 0]
    )
    assert score_between(0.4, 0.2, 1.0) == pytest.approx(0.75)
    assert f"Below\n{SERIOUS} it is serious" in PAGE


def test_other_numbers_of_the_page():
    assert f"such a way counts no further than {CM * skate.DRAGGED:.0f} cm" in PAGE
    assert f"blend of {blend.SHORT} s" in PAGE
