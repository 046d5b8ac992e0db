"""Fields that a file leaves out are what they would be if nobody had said anything."""

from __future__ import annotations

import json

import pytest

from poise import constraints as c
from poise.project.evaluation import _digest

PIN = c.pin("LeftToe", (0.1, 0.2, 0.0), 0.5)
PLANT = c.FootPlant({"LeftHeel": c.During(0.1, 0.2), "LeftBall": c.During(0.1, 0.3)})
MARKED = c.FootPlant({"LeftHeel": (0.1, 0.2)}, c.FootPlace(1.0, 2.0, 0.3), 0.05, "left", ((0.0, 0.1, 0.2),))


@pytest.mark.parametrize("field", sorted(set(PIN.to_dict()) - {"handle", "target", "when", "name"}))
def test_of_constraints(field):
    data = json.loads(json.dumps(PIN.to_dict()))
    whole = c.Constraint.from_dict(data)
    del data[field]
    assert c.Constraint.from_dict(data).to_dict() == whole.to_dict() == PIN.to_dict()
    assert whole.equality


@pytest.mark.parametrize("field", sorted(set(PLANT.to_dict()) - {"intervals"}))
def test_of_foot_plants(field):
    data = json.loads(json.dumps(PLANT.to_dict()))
    del data[field]
    assert c.FootPlant.from_dict(data).to_dict() == PLANT.to_dict()


def test_nothing_of_a_foot_plant_is_lost():
    again = c.FootPlant.from_dict(json.loads(json.dumps(MARKED.to_dict())))
    assert again.to_dict() == MARKED.to_dict()
    assert again.marks == ((0.0, 0.1, 0.2),)
    assert (again.place, again.height, again.name) == (MARKED.place, 0.05, "left")


def test_parts_of_a_digest_are_kept_apart():
    """What one part ends with is not what the next begins with."""
    assert len({_digest(parts) for parts in ([b"ab", b"c"], [b"a", b"bc"], [b"abc"], [b"", b"abc"])}) == 4
