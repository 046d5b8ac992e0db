"""Plans that begin on the ground stand on it unasked: keys and holds stay, or the plan does, and says so."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.methods.plan.scene.hold import Hold
from poise.methods.plan.solve.projection import current_places, hold_exactly, places_along

FEET = [Hold("LeftFoot"), Hold("RightFoot")]


def test_punches_are_carried_with_feet_where_they_are_held():
    bare, made = poise.plan("four punches", grounded=False), poise.plan("four punches")
    assert made.met
    assert made.ground.changed
    assert made.ground.met
    assert all(o.met for o in made.report.outcomes)
    assert not any("outside what is held" in w for w in made.report.warnings)
    assert any("outside what is held" in w for w in bare.report.warnings)
    first = current_places(bare.character, bare.clip.q[0], FEET)
    between = made.at(np.linspace(0.0, made.clip.duration - 0.1, 37) + 0.003)  # not at frames
    for q in (*made.clip.q[::9], *between):
        now = current_places(made.character, q, FEET)
        assert np.abs(now.positions - first.positions).max() < 1e-9
        assert np.abs(now.rotations - first.rotations).max() < 1e-9


def test_a_lamp_that_the_ground_cannot_carry_stays_as_planned_and_says_so():
    bare, made = poise.plan("lamp jump", grounded=False), poise.plan("lamp jump")
    np.testing.assert_array_equal(made.clip.q, bare.clip.q)
    assert made.met == bare.met
    assert any(w.startswith("ground: ") for w in made.report.warnings)
    asked = poise.plan("lamp jump", grounded=True)
    assert not asked.met


def test_poses_are_brought_back_to_places_that_move():
    made = poise.plan("lamp jump", grounded=False)
    piece, who = made.pieces[0], made.character
    q = piece.pose(np.linspace(0.0, piece.duration, 7))
    v = np.zeros((7, who.nv))
    v[:, 6:] = 0.05 * np.sin(np.arange(7.0))[:, None]
    places = places_along(who, q, piece.footing.holds)
    back, _, left = hold_exactly(piece.footing.figure, who.manifold.plus(q, v), places)
    assert left < 1e-11
    now = places_along(who, back, piece.footing.holds)
    assert now.positions == pytest.approx(places.positions, abs=1e-11)
