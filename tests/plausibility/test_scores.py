"""Scores fall straight from fine to absurd; strengths go with the body's mass and with what it has."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import presets
from poise.character.human_strength import is_human, joint_limits
from poise.plausibility.finding import score_between


@pytest.mark.parametrize(("fine", "absurd"), [(0.3, 1.0), (0.0, 2.0), (1.0, 1.5)])
def test_a_score_is_a_straight_line_between_its_ends(fine, absurd):
    for part in np.linspace(-1.0, 2.0, 31):
        amount = fine + part * (absurd - fine)
        assert score_between(amount, fine, absurd) == pytest.approx(np.clip(1 - part, 0, 1), abs=1e-12)


def test_joints_of_people_have_limits_by_their_kind():
    humanoid = presets.humanoid()
    limits = joint_limits(humanoid)
    kinds = {kind for kind, _ in limits.values()}
    assert kinds == {"hip", "knee", "ankle", "back", "neck", "shoulder", "elbow", "wrist"}
    by_name = {humanoid.bodies[i].name: told for i, told in limits.items()}
    for side in ("Left", "Right"):
        # Who stands on one leg and leans by a quarter of the stature needs that: m g 0.25 h ≈ 4 N·m/kg.
        for name, kind in (("UpLeg", "hip"), ("Leg", "knee"), ("Foot", "ankle"), ("ForeArm", "elbow")):
            found, limit = by_name[f"{side}{name}"]
            assert found == kind
            assert 1.0 < limit / humanoid.total_mass < 6.0
    per_kind = dict(limits.values())
    assert per_kind["hip"] > per_kind["ankle"] > per_kind["shoulder"] > per_kind["elbow"] > per_kind["wrist"]


def test_what_is_no_person_has_none():
    for make in (presets.camel,):
        assert not is_human(make())
        assert joint_limits(make()) == {}
    assert is_human(presets.humanoid())
