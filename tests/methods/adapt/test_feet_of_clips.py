"""Feet that stand are found where there are feet, and free plants know which rows are theirs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import clips
from poise import constraints as c
from poise.character import Body, Character, Joint, Mass
from poise.methods.adapt.plants.detect import detect, feet_that_stand
from poise.methods.adapt.problem.requirements import requirements
from poise.motion import Clip

JUMP = clips.get("jump")


def test_who_has_no_feet_stands_on_none():
    ball = Character("ball", [Body("ball", None, Joint.free(), mass=Mass(1.0, (0, 0, 0), np.eye(3)))])
    assert feet_that_stand(Clip(ball, np.array([ball.rest_pose()] * 5), 30)) == []
    assert [p.name for p in feet_that_stand(JUMP)] == [p.name for p in detect(JUMP)]


def test_free_plants_know_their_rows_among_all():
    """Blocks are counted through all items in their order: one of a pin, one for each point of a plant."""
    first, second = detect(JUMP)[:2]
    hand = c.pin("RightHandCentre", (0.3, 0, 1), 0.5)
    items = [replace(first, place=None), hand, second, replace(second, place=None)]
    asked = requirements(JUMP, items, floor=None, limits=False, free=[0], tolerance=2e-3)
    free = asked.free_places()
    points = [len(first.intervals), 1, len(second.intervals), len(second.intervals)]
    starts = np.cumsum([0, *points])
    wanted = [*range(starts[0], starts[1]), *range(starts[3], starts[4])]
    assert [row.block for row in free.rows] == wanted
    assert [row.plant for row in free.rows] == [0] * points[0] + [1] * points[3]
    assert free.count == 2
    for row in free.rows:
        assert (
            asked.blocks[row.block].constraint.handle.point in (first.intervals, second.intervals)[row.plant]
        )
