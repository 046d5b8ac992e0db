"""Pushes from nowhere at take-off are told where feet were drawn exactly; wrong units are diagnosed."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise.contacts.find import find
from poise.contacts.patches import FOOT, patches
from poise.operations.check import Check
from poise.plausibility.judge import judge
from poise.world import World


def test_drawn_feet_touch_to_the_frame():
    """The bundled run stands in frames 0 … 15 and 20 … 35 of its 40, and flies in between."""
    run = clips.get("run")
    found = find(run)
    feet = found.need.patches.kind == FOOT
    assert (found.need.patches.give[feet] < 0.4 * patches(run.character).give[feet]).all()
    assert found.need.doubt < 0.5
    assert [(c.part, c.start % 40, c.end - c.start) for c in found.contacts] == [
        ("left foot", 0, 15),
        ("right foot", 20, 15),
    ]
    assert [(f.start, f.end) for f in found.flights] == [(15, 19), (35, 39)]


def test_take_offs_that_nothing_gives_are_told():
    report = judge(clips.get("planar_jump"), Check())
    assert report.plausible
    for kind in ("impact", "nowhere"):
        told = report.of(kind)
        assert told
        assert all(0.5 <= f.score < 0.95 and f.amount > 10.0 for f in told)
    assert len(report.flights) == 1


@pytest.mark.parametrize(("name", "flights"), [("run", 2), ("jump", 1)])
def test_clips_that_the_ground_carries_have_no_findings(name, flights):
    report = judge(clips.get(name), Check())
    assert not report.findings, str(report)
    assert len(report.flights) == flights


@pytest.mark.parametrize("name", ["run", "jump", "walk"])
def test_pushes_from_nowhere_are_what_inverse_dynamics_misses(name):
    """What the wrench of MuJoCo lacks, by the contacts found and least squares of SciPy."""
    from benchmarks.ground import judge as outsider

    clip = clips.get(name)
    left = outsider(clip, World.flat(0.0)).judged(np.asarray(clip.q))
    told = judge(clip, Check()).of("nowhere")
    assert bool(told) == (left.force > 0.1), (left.force, told)
    assert left.bad < (3.0 if not told else 100.0)


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


@pytest.mark.parametrize("scale", [2.5, 0.4])
def test_who_falls_as_a_person_would_is_said_to_be_of_another_size(tmp_path, scale):
    """All lengths of the bundled jump so many times as large; gravity knows nothing of it."""
    poise.save(clips.get("jump"), tmp_path / "jump.glb")
    giant = poise.load(tmp_path / "jump.glb", scale=scale)
    report = judge(giant, Check())
    assert report.pace is not None
    assert report.pace.gravity == pytest.approx(9.81 * scale, rel=0.03)
    [said] = [note for note in report.notes if "tall" in note]
    assert "(with scale=1)" in said
    [alone] = [note for note in judge(giant.replaced(source=None), Check()).notes if "tall" in note]
    assert f"(at {1 / scale:.2g} times its size)" in alone
    assert not [note for note in judge(clips.get("jump"), Check()).notes if "tall" in note]
