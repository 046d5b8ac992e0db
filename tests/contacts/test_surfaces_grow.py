"""Steps that are found reach under everything that rests on them; belts and flesh of other rigs."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.contacts.find import find
from poise.contacts.patches import patches


def eased(x):
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3 - 2 * x)


def stepped_down(height=0.3, ahead=0.8):
    """Who stands on a box with both feet and is then, in one fall, on the floor ahead of it."""
    jump = poise.clips.get("jump")
    q = np.array(jump.q)
    (flight,) = find(jump).flights
    before = np.arange(len(q)) <= flight.start
    q[before, 2] += height
    middle = slice(flight.start + 1, flight.end + 1)
    way = eased(np.linspace(0, 1, flight.end - flight.start))
    q[middle, 2] += height * (1 - way)
    q[middle, 0] += ahead * way
    q[flight.end + 1 :, 0] += ahead
    return jump.with_q(q), flight


def test_a_step_reaches_under_both_feet():
    clip, flight = stepped_down()
    support = find(clip, pace=1.0)
    steps = [s for s in support.world.surfaces if s.name.startswith("step")]
    assert len(steps) == 1
    box = steps[0]
    assert box.place[2] + box.shape.half[2] == pytest.approx(0.3, abs=0.02)
    feet = [c for c in support.contacts if c.surface == "step" and c.end <= flight.start + 6]
    assert {c.part for c in feet} == {"left foot", "right foot"}
    early = support.load[10 + support.need.lead]
    for side in ("left", "right"):
        assert early[support.need.patches.of_part(f"{side} foot")].sum() > 0.2


def test_a_drawn_gallop_goes_over_a_belt(shared_data):
    """The fox's feet come down at speeds of their own, all one way; nothing is invented to carry it."""
    path = shared_data / "khronos_gltf" / "Fox.glb"
    for animation in ("Walk", "Run"):
        support = find(poise.load(path, animation=animation, scale=0.01))
        assert support.world.floor.velocity[0] < -0.5
        assert not support.world.questions


def test_flesh_reaches_to_the_skin(shared_data):
    """A robot whose foot joint is on the ground has no ankle's flesh below it, and a barrel of a trunk."""
    clip = poise.load(shared_data / "threejs" / "RobotExpressive.glb", animation="Death")
    found = patches(clip.character)
    heel = found.names.index("left heel")
    assert found.rest[heel, 2] - found.radius[heel] == pytest.approx(0.0, abs=0.03)
    assert not [s for s in find(clip).world.questions if s.name.startswith("seat")]
