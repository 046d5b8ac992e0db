"""A head has mass wherever its joint is: no cut of the table's segment leaves the last body without."""

from __future__ import annotations

import numpy as np
import pytest
from skeletons import skeleton

from poise.character.anthropometry import TABLES
from poise.character.masses import with_guessed_masses


def figure(neck: float):
    """A human whose head joint is ``neck`` above that of the neck [m]."""
    rows = [
        ("Hips", None, (0, 0, 0.95)),
        ("Chest", "Hips", (0, 0, 0.36)),
        ("Neck", "Chest", (0, 0, 0.2)),
        ("Head", "Neck", (0, 0, neck), (0, 0, 0.1)),
    ]
    for side, s in (("Left", 1), ("Right", -1)):
        rows += [
            (f"{side}Arm", "Chest", (0, 0.185 * s, 0.12)),
            (f"{side}ForeArm", f"{side}Arm", (0, 0.29 * s, 0)),
            (f"{side}Hand", f"{side}ForeArm", (0, 0.26 * s, 0), (0, 0.18 * s, 0)),
            (f"{side}UpLeg", "Hips", (0, 0.09 * s, -0.03)),
            (f"{side}Leg", f"{side}UpLeg", (0, 0, -0.43)),
            (f"{side}Foot", f"{side}Leg", (0, 0, -0.42), (0.2, 0, -0.05)),
        ]
    return skeleton(rows)


@pytest.mark.parametrize("neck", [0.0, 0.1, 0.2, 0.3, 1.0, 5.0])
def test_the_head_has_at_least_its_upper_half(neck):
    """Neck and head together weigh what the table says; a giraffe's neck gets no more than half of that."""
    table = TABLES["male"]
    character = with_guessed_masses(figure(neck), total=70.0)
    mass = {b.name: b.mass.mass for b in character.bodies}
    whole = mass["Neck"] + mass["Head"]
    twice = ("upper arm", "forearm", "hand", "thigh", "shank", "foot")
    norm = sum(s.fraction * (2 if name in twice else 1) for name, s in table.items())
    assert whole == pytest.approx(70 * table["head"].fraction / norm)
    least, _, _ = table["head"].slab(0.5, np.inf)
    assert mass["Head"] >= least * whole * (1 - 1e-9)
    assert least > 0.2


def test_a_far_head_gets_exactly_its_upper_half():
    character = with_guessed_masses(figure(5.0), total=70.0)
    mass = {b.name: b.mass.mass for b in character.bodies}
    least, _, _ = TABLES["male"]["head"].slab(0.5, np.inf)
    assert mass["Head"] / (mass["Neck"] + mass["Head"]) == pytest.approx(least)
