"""Pushes from nowhere at take-off are told where feet were drawn exactly; wrong units are diagnosed."""

from __future__ import annotations

import pytest

import poise
from poise import clips
from poise.contacts.find import find
from poise.contacts.patches import FOOT, patches
from poise.operations.check import Check
from poise.plausibility.judge import judge


def test_drawn_feet_touch_to_the_frame():
    """The bundled run stands in frames 0 … 13 and 20 … 33 of its 40, and flies in between."""
    run = clips.get("run")
    found = find(run)
    feet = found.need.patches.kind == FOOT
    assert (found.need.patches.give[feet] < 0.4 * patches(run.character).give[feet]).all()
    assert found.need.doubt < 0.5
    assert [(c.part, c.start % 40, c.end - c.start) for c in found.contacts] == [
        ("left foot", 0, 13),
        ("right foot", 20, 13),
    ]
    assert [(f.start, f.end) for f in found.flights] == [(14, 19), (34, 39)]


@pytest.mark.parametrize(("name", "flights"), [("run", 2), ("jump", 1)])
def test_take_offs_that_nothing_gives_are_told(name, flights):
    report = judge(clips.get(name), Check())
    assert report.plausible
    told = report.of("impact")
    assert told
    assert all(0.5 <= f.score < 0.95 and f.amount > 10.0 for f in told)
    assert len(report.flights) == flights


def test_a_wrong_unit_is_all_that_is_said(shared_data):
    fox = poise.load(shared_data / "khronos_gltf" / "Fox.glb", animation="Survey")
    report = judge(fox, Check())
    assert [f.kind for f in report.findings] == ["unit"]
    assert "scale of 0.01" in report.findings[0].words
    assert "the recording is wrong (unit)" in report.verdict
    assert not report.questions


def test_a_fox_stands_on_four_feet(shared_data):
    fox = poise.load(shared_data / "khronos_gltf" / "Fox.glb", animation="Survey", scale=0.01)
    report = judge(fox, Check())
    assert {c.part for c in report.contacts if c.end - c.start == fox.frames - 1} == {
        "left foot",
        "right foot",
        "left front foot",
        "right front foot",
    }
    assert report.plausible
    assert not report.questions


def test_a_fox_that_walks_in_place_walks_on_a_belt(shared_data):
    fox = poise.load(shared_data / "khronos_gltf" / "Fox.glb", animation="Walk", scale=0.01)
    found = find(fox)
    assert [s.name for s in found.world.surfaces] == ["floor"]
    assert found.world.floor.velocity[0] < -0.8


def test_a_robot_that_stands_needs_no_seat_and_a_pirouette_keeps_its_rate(shared_data):
    robot = judge(poise.load(shared_data / "threejs" / "RobotExpressive.glb"), Check())
    assert {question.kind for question in robot.questions} <= {"hold"}  # quick hands, no seat
    turn = judge(poise.load(shared_data / "threejs" / "pirouette.bvh"), Check())
    assert turn.support.pace == 1.0
    assert turn.plausible
