"""Every limit that the page on plausibility tells is the one that the code judges by."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from poise.contacts.patches import FOOT
from poise.contacts.supported import NOTICED
from poise.plausibility import (
    depth,
    flight_rules,
    impact,
    joint_range,
    jumps,
    motor_rules,
    overlap,
    physics,
    rate_rules,
    skate,
    torque_rules,
    unexplained,
    unit,
)
from poise.plausibility.finding import KINDS, SERIOUS, score_between

PAGE = (Path(__file__).parents[2] / "docs" / "theory" / "plausibility.md").read_text(encoding="utf-8")
UNITS = {"%": 0.01, "cm": 0.01, "mm": 0.001, "°": 1.0, "": 1.0, "m": 1.0}
LIMITS = {
    "rate": (rate_rules.GAINED, None),
    "gravity": (tuple(float(np.exp(x)) for x in flight_rules.PACE), None),
    "drift": (flight_rules.PUSH, None),
    "spin": (flight_rules.SPIN, None),
    "impact": (impact.LEFT, None),
    "support, pull, push, balance": (unexplained.MISSING[False], unexplained.MISSING[True]),
    "nowhere": (unexplained.NOWHERE, None),
    "balance": (unexplained.LEANS, None),
    "penetration": (depth.SINKS[False], depth.SINKS[True]),
    "hover": (depth.HOVERS[FOOT][False], depth.HOVERS[FOOT][True]),
    "skate": (skate.SLIDE[False], skate.SLIDE[True]),
    "pop": (jumps.POPS, None),
    "jitter": (jumps.TREMBLES, None),
    "bend": (joint_range.BACKWARDS, None),
    "overlap": (overlap.DEEP, None),
    "torque": (torque_rules.BEYOND, None),
    "speed": (motor_rules.BEYOND, None),
    "unit": ((unit.LARGEST, unit.LARGEST), None),
}
"""(fine, absurd) where the world is found, and where it is given."""


def rows() -> dict[str, tuple[str, str]]:
    """Of the table of limits: kind → fine, condemned from."""
    table = PAGE[PAGE.index("| kind | amount | fine") :].split("\n\n")[0]
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return {kind: (fine, from_) for kind, _, fine, from_ in cells}


def numbers(cell: str) -> list[float]:
    """Of "10 cm (5.3 cm)": both, in the units of the code."""
    return [float(n) * UNITS[u] for n, u in re.findall(r"([\d.]+)\s*(%|cm|mm|°|m|)", cell)]


def half(fine: float, absurd: float, kind: str) -> float:
    """The amount from which on it is condemned."""
    if kind == "gravity":  # judged by its logarithm
        fine, absurd = np.log(fine), np.log(absurd)
    if fine == absurd:
        return absurd
    middle = absurd - SERIOUS * (absurd - fine)
    assert score_between(middle, fine, absurd) == pytest.approx(SERIOUS)
    return float(np.exp(middle)) if kind == "gravity" else middle


@pytest.mark.parametrize("kind", LIMITS)
def test_limits_are_those_of_the_code(kind):
    fine, condemned = (numbers(cell) for cell in rows()[kind])
    for k, limits in enumerate(LIMITS[kind]):
        if limits is None:
            continue
        told = fine[min(k, len(fine) - 1)], condemned[min(k, len(condemned) - 1)]
        assert told[0] == pytest.approx(limits[0], rel=0.02)
        assert told[1] == pytest.approx(half(*limits, kind), rel=0.03)


def test_all_kinds_are_in_the_table():
    told = {kind for row in rows() for kind in row.split(", ")}
    assert told == set(KINDS)
    assert set(rows()) == set(LIMITS)


def test_times_are_those_of_the_code():
    assert f"Flights of up to {physics.SHORT:g} s are" in PAGE
    assert f"within {impact.AROUND:g} s of take-off" in PAGE
    assert f"for {NOTICED:g} s or more" in PAGE
    assert f"below {jumps.STEADY:g} Hz" in PAGE
    assert f"backs, which rigs put too deep, from {100 * half(*depth.LIES, 'penetration'):.0f} cm on" in PAGE
    fine, from_ = impact.TWIST[0], half(*impact.TWIST, "impact")
    assert f"fine up to {fine:g} rad/s, condemned from {from_:g}" in PAGE
    assert unexplained.SURELY == 1.0, "the page says: condemned from a second on"
    assert skate.SECONDS == 1.0, "the page says: within a second"
    assert unexplained.LONG == jumps.LASTING == 0.5, "the page says: half a second"
