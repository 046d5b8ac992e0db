"""What is meant where nothing is said: the numbers that guides and files rely on."""

from __future__ import annotations

import numpy as np

import poise
from poise import clips
from poise.constraints import pin
from poise.methods.loosen.face.material import Flesh
from poise.world import Ball, Surface


def test_flesh_rings_a_little():
    assert Flesh() == Flesh(frequency=3.0, damping=0.2, firmness=6.0)
    np.testing.assert_allclose(Flesh().omegas[0], 2 * np.pi * 3.0)


def test_a_surface_stands_at_the_origin_upright_and_hardly_bounces():
    ball = Surface("ball", Ball(0.1))
    assert (ball.place, ball.turn) == ((0, 0, 0), (0, 0, 0))
    assert (ball.friction, ball.bounce, ball.track) == (0.9, 0.1, None)


def test_corrections_last_a_second():
    punch = clips.get("punch")
    wanted = [pin("RightHandCentre", (0.6, 0.1, 1.4), 0.85)]
    usual, told = (poise.hit(punch, wanted, window=0.3, **given) for given in ({}, {"width": 1.0}))
    np.testing.assert_array_equal(usual.solution.x, told.solution.x)
