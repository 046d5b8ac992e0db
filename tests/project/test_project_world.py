"""One world for a project: layers that name none run into it, edits of it are commands, files keep it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import poise
from poise import clips
from poise import project as projects
from poise.errors import InputError
from poise.project import Project
from poise.project.commands import DropSurface, PutSurface, SetWorld
from poise.world import Ball, Bar, Box, Cylinder, Field, Mesh, Rope, Stairs, Surface, Track, World, ground

WALL: dict[str, Any] = {
    "name": "wall",
    "shape": {"kind": "box", "half": [0.05, 0.3, 0.3]},
    "place": [0.75, 0.0, 1.35],
    "friction": 0.8,
}


def loosened(**more: Any) -> Project:
    project = Project().add_clip("punch", "punch").add("load", "take", clip="punch")
    return project.add("loosen", "loose", tension="loose", window=0.3, **more)


def test_layers_run_into_the_projects_world_unless_they_name_another():
    free = loosened().clip().q
    project = loosened()
    project.do(PutSurface(surface=WALL))
    hit = project.clip().q
    assert not np.array_equal(hit, free)
    alone = poise.loosen(clips.get("punch"), "loose", 0.3, world=World.from_dict({"surfaces": [WALL]}))
    assert np.array_equal(hit, alone.clip.q), "the same object, however it was said"
    project.set("loose", world="none")
    assert np.array_equal(project.clip().q, free)
    project.set("loose", world={"surfaces": [WALL]})
    assert np.array_equal(project.clip().q, hit)


def test_edits_of_the_world_are_undone_and_saved(tmp_path):
    project = loosened()
    free = project.document.digest
    project.do(SetWorld(world="ground height=-0.5"))
    typed = project.document.digest
    with pytest.raises(InputError, match="read it"):
        project.do(PutSurface(surface=WALL))
    project.undo()
    assert project.document.digest == free
    project.do(PutSurface(surface=WALL))
    project.do(PutSurface(surface={**WALL, "place": [2.0, 0.0, 1.0]}))
    assert [s["place"][0] for s in project.document.world["surfaces"]] == [2.0]
    path = project.save(tmp_path / "room.poise")
    assert projects.open(path).document.digest == project.document.digest
    with pytest.raises(InputError, match="floor"):
        project.do(DropSurface(name="floor"))
    project.do(DropSurface(name="wall"))
    assert project.document.digest == free != typed


@pytest.mark.parametrize(
    "world", [3, {"surfaces": [{"name": "x"}]}, {"surfaces": [WALL, WALL]}, {"roof": 1}, "box half=-1"]
)
def test_worlds_that_make_no_sense_are_refused_and_change_nothing(world):
    project = loosened()
    before = project.document
    with pytest.raises(InputError):
        project.do(SetWorld(world=world))
    assert project.document is before
    with pytest.raises(InputError, match="world"):
        project.set("loose", world=world)


def box_mesh(*half: float) -> Mesh:
    drawn = Box(half).mesh()
    return Mesh(drawn.vertices, drawn.triangles)


FLAT = {
    "box": Surface("it", Box((0.05, 0.3, 0.3)), (0.75, 0.0, 1.35)),
    "mesh": Surface("it", box_mesh(0.05, 0.3, 0.3), (0.75, 0.0, 1.35)),
    "stairs": Surface("it", Stairs(1, 2.0, 0.5, 1.0), (0.7, 0.0, 0.0)),
    "ground": Surface("it", ground().shape, (0.7, 0.0, 0.0), (0.0, -np.pi / 2, 0.0)),
    "turned": Surface("it", Box((0.3, 0.05, 0.3)), (0.75, 0.0, 1.35), (0.0, 0.0, np.pi / 2)),
    "on a track that turns": Surface(
        "it",
        Box((0.3, 0.05, 0.3)),
        track=Track([0.0, 1.0], [[0.75, 0.0, 1.35]] * 2, [[0.0, 0.0, np.pi / 2]] * 2),
    ),
}
"""Walls whose near side is the plane x = 0.7, said in other ways."""


def touched(surface: Surface) -> dict[str, Any]:
    made = poise.loosen(clips.get("punch"), "loose", 0.3, world=World((surface,)))
    assert made.report is not None
    return made.report.details["contacts"][0]


def test_the_same_wall_is_felt_the_same_whatever_it_is_made_of():
    first = touched(FLAT["box"])
    assert (first["body"], first["surface"]) == ("RightHand", "it")
    for name, surface in FLAT.items():
        found = touched(surface)
        assert found["body"] == "RightHand", name
        assert found["start"] == pytest.approx(first["start"], abs=2e-3), name
        assert found["end"] == pytest.approx(first["end"], abs=1e-2), name


@pytest.mark.parametrize(
    "shape", [Ball(0.1), Bar(0.6, 0.05), Cylinder(0.1, 0.6), Rope([[0.0, -0.3, 0.0], [0.0, 0.3, 0.0]], 0.05)]
)
def test_what_is_round_stops_the_fist_too(shape):
    free = poise.loosen(clips.get("punch"), "loose", 0.3).clip
    way = poise.kinematics.Kinematics(free.character, free.q).point("RightHandCentre")
    x, y, z = (float(v) for v in way[int(np.argmax(way[:, 0]))])
    turn = (0.0, 0.0, np.pi / 2 if shape.kind == "bar" else 0.0)
    assert touched(Surface("it", shape, (x, y, z), turn))["body"] == "RightHand"


def test_what_cannot_be_run_into_is_said_by_name():
    hollow = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 0.5]], [[0, 3, 1], [1, 3, 2]])
    world = World(
        (
            Surface("rock", hollow),
            Surface("hills", Field(np.zeros((3, 3)))),
            Surface("bag", Ball(), carried="Hips"),
            Surface("belt", Box(), (5.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0)),
        )
    )
    punch = clips.get("punch")
    made = poise.loosen(punch, "loose", 0.3, world=world)
    said = " ".join(made.report.warnings)
    for words in (
        "'rock' is a mesh with hollows",
        "'hills' is a field",
        "'bag' is carried by Hips",
        "'belt' runs",
    ):
        assert words in said
    assert np.array_equal(made.clip.q, poise.loosen(punch, "loose", 0.3).clip.q)
    alone = poise.loosen(punch, "loose", 0.3, world=world.without("belt"))
    assert "'rock'" in " ".join(alone.report.warnings), "said even where nothing is left to touch"


def test_a_world_in_a_file_counts_with_what_it_holds(tmp_path):
    (tmp_path / "room.json").write_text(json.dumps({"surfaces": [WALL]}))
    project = loosened()
    project.do(SetWorld(world="room.json"))
    path = project.save(tmp_path / "room.poise")
    with projects.open(path) as opened:
        hit = opened.clip().q
        (tmp_path / "room.json").write_text(json.dumps({"surfaces": [{**WALL, "place": [5.0, 0.0, 1.0]}]}))
        assert not np.array_equal(opened.clip().q, hit)
