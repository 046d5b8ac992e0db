"""How far a unit of each degree of freedom moves what it carries: by moving it, for every kind of joint."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Body, Character, Joint, presets
from poise.motion.operators.loop import LEAST_REACH, lever_arms

CART = Character(
    "cart",
    [
        Body("root", None, Joint.free(), points={"nose": (0.5, 0.0, 0.0)}),
        Body("rail", "root", Joint.slide((1, 0, 0)), offset=(0, 0, 0.4)),
        Body("cart", "rail", Joint.planar(), offset=(0.1, 0, 0.2), points={"front": (0.7, 0.0, 0.1)}),
        Body("flag", "cart", Joint.hinge((0, 1, 0)), offset=(0, 0, 0.3), points={"tip": (0, 0, 0.9)}),
        Body("ball", "flag", Joint.ball(), offset=(0, 0, 0.9)),
    ],
)


@pytest.mark.parametrize("who", [CART, presets.get("humanoid"), presets.get("planar_humanoid")], ids=str)
def test_arms_are_how_far_things_move(who):
    """Slides by one metre each metre; turns by the distance of the farthest point they carry, but never less
    than a small share of the whole."""
    at, turn = who.rest_placement()
    arms = lever_arms(who)
    farthest = np.zeros(len(who.bodies))
    for i in range(len(who.bodies)):
        for k in who.subtree(i):
            body = who.bodies[k]
            places = [at[k], *(at[k] + turn[k] @ np.asarray(p) for p in body.points.values())]
            farthest[i] = max(farthest[i], *(np.linalg.norm(p - at[i]) for p in places), 0.0)
    least = LEAST_REACH * farthest.max()
    slides = {"free": 3, "planar": 2, "slide": 1}
    for i, body in enumerate(who.bodies):
        own = arms[who.dofs(i)]
        first = slides.get(body.joint.kind.name.lower(), 0)
        assert own[:first] == pytest.approx(np.ones(first)), body.name
        assert own[first:] == pytest.approx(np.full(len(own) - first, max(farthest[i], least))), body.name
