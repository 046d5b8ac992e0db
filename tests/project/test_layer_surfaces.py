"""Surfaces of layers: who is hit is pushed back, who is not is as before, targets say who was hit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boxing import FIST, boxer

import poise
from poise import clips
from poise import project as projects
from poise.batch.recipe import recipe_from
from poise.errors import CancelledError, InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.operations.frozen_data import thaw
from poise.project import Project
from poise.project.commands import PutSurface
from poise.project.migration import migrated_event
from poise.world import Ball, Box, Surface, Track, World

HERE = Path(__file__).parent

WALL: dict[str, Any] = {
    "name": "wall",
    "shape": {"kind": "box", "half": [0.05, 0.3, 0.3]},
    "place": [0.75, 0.0, 1.35],
}
BALL: dict[str, Any] = {"name": "ball", "shape": {"kind": "ball", "radius": 0.1}}


def loosened(*surfaces: dict[str, Any], **more: Any) -> Project:
    project = Project().add_clip("punch", "punch").add("load", "take", clip="punch")
    world = {"surfaces": list(surfaces)}
    return project.add("loosen", "loose", tension="loose", window=0.3, world=world, **more)


def test_a_layer_does_what_the_method_does():
    made = loosened(WALL).made()
    wall = Surface("wall", Box(WALL["shape"]["half"]), WALL["place"])
    wanted = poise.loosen(clips.get("punch"), "loose", 0.3, world=World((wall,)))
    assert np.array_equal(made.clip.q, wanted.clip.q)
    assert made.report is not None
    assert "RightHand on 'wall'" in made.report.message
    contact = made.report.details["contacts"][0]
    assert (contact["body"], contact["surface"]) == ("RightHand", "wall")
    hand = Kinematics(made.clip.character, made.clip.q).point("RightHandCentre")
    free = Kinematics(made.clip.character, loosened().clip().q).point("RightHandCentre")
    assert free[:, 0].max() > 0.75 > hand[:, 0].max(), "it does not get through"


def test_what_is_not_in_the_way_changes_no_bit():
    free = loosened().clip()
    for away in (
        {**WALL, "place": [5.0, 0.0, 1.0]},
        {**WALL, "muted": True},
        {**BALL, "track": [{"time": 0.0, "place": [5.0, 0.0, 1.0]}]},
    ):
        assert np.array_equal(loosened(away).clip().q, free.q), away
    through = loosened(WALL, touching="* leg")
    assert np.array_equal(through.clip().q, free.q), "only legs touch"


def test_one_that_is_turned_and_one_that_moves():
    turned = {**WALL, "shape": {"kind": "box", "half": [0.3, 0.05, 0.3]}, "turn": [0.0, 0.0, np.pi / 2]}
    assert np.abs(loosened(turned).clip().q - loosened(WALL).clip().q).max() < 1e-6
    # Keys in any order: it comes from the side and pushes the hand at rest.
    keys = [{"time": 1.6, "place": [0.15, 0.3, 1.33]}, {"time": 1.2, "place": [0.15, -1.0, 1.33]}]
    made = loosened({"name": "ball", "shape": {"kind": "ball", "radius": 0.12}, "track": keys}).made()
    assert made.report is not None
    contacts = made.report.details["contacts"]
    assert contacts
    assert all(1.2 < c["start"] < 1.9 for c in contacts)


def test_targets_are_aimed_at_as_if_nothing_was_there_and_say_what_was():
    project = boxer()
    aimed = project.made()
    project.set("hit", world={"surfaces": [{**WALL, "place": [5.0, 0.0, 1.35]}]})
    assert np.array_equal(project.made().clip.q, aimed.clip.q)
    assert project.made().met
    project.set("hit", world={"surfaces": [WALL]})
    made = project.made()
    assert made.report is not None
    assert not made.met
    (fist,) = made.report.outcomes
    assert "in the way: RightHand on 'wall'" in fist.reason
    hand = Kinematics(made.clip.character, made.clip.at(0.85)).point("RightHandCentre")[0]
    assert np.linalg.norm(hand - FIST["target"]["value"]) == pytest.approx(fist.error, abs=1e-6)
    before = int(0.4 * made.clip.fps)
    assert np.array_equal(made.clip.q[:before], aimed.clip.q[:before]), "nothing was touched yet"


@pytest.mark.parametrize(
    ("surface", "words"),
    [
        ({"name": "w"}, "its name and shape"),
        ({"name": "w", "shape": {"kind": "ball", "radius": -1.0}}, "radius"),
        ({**BALL, "name": ""}, "needs a name"),
        ({**BALL, "bounce": 2.0}, "bounce"),
        ({**BALL, "track": [{"time": 0.0, "place": [0, 0, 0]}] * 2}, "must increase"),
        ({**BALL, "track": [{"time": 0.0}]}, "its time and place"),
        ({**BALL, "track": [{"time": 0.0, "place": [0, 0, 0], "colour": 1}]}, "colour"),
        ({**BALL, "track": [{"time": "noon", "place": [0, 0, 0]}]}, "time"),
        ({**BALL, "colour": "red"}, "colour"),
    ],
)
def test_mistakes_are_said_by_layer_and_field(surface, words):
    project = loosened()
    before = project.document
    with pytest.raises(InputError) as caught:
        project.set("loose", world={"surfaces": [surface]})
    assert words in str(caught.value)
    assert "world" in str(caught.value)
    assert project.document is before


def test_they_survive_files_and_two_of_one_name_are_refused(tmp_path):
    project = loosened(WALL, {**BALL, "friction": 0.2, "turn": [0.1, 0.0, 0.0]})
    path = project.save(tmp_path / "wall.poise")
    assert projects.open(path).document.digest == project.document.digest
    with pytest.raises(InputError, match="wall"):
        project.set("loose", world={"surfaces": [WALL, WALL]})


def test_they_stand_beside_the_projects_world_and_count_for_those_of_their_name():
    free, struck = loosened().clip().q, loosened(WALL).clip().q
    project = loosened(BALL | {"place": [5.0, 0.0, 1.0]})
    project.do(PutSurface(surface=WALL))
    assert np.array_equal(project.clip().q, struck), "the project's wall is there, too"
    project.set("loose", world={"surfaces": [{**WALL, "place": [5.0, 0.0, 1.0]}]})
    assert np.array_equal(project.clip().q, free), "the layer's wall, far away, counts for the project's"
    project.set("loose", world={"beside": "none", "surfaces": [BALL | {"place": [5.0, 0.0, 1.0]}]})
    assert np.array_equal(project.clip().q, free), "nothing of the project's"


def test_files_and_typed_surfaces_may_stand_beside(tmp_path):
    typed = "box wall half=0.05,0.3,0.3 place=0.75,0,1.35"
    away = {**BALL, "place": [5.0, 0.0, 1.0]}
    project = loosened()
    project.set("loose", world={"beside": typed, "surfaces": [away]})
    assert np.array_equal(project.clip().q, loosened(WALL).clip().q)
    (tmp_path / "room.json").write_text(json.dumps(World.from_dict({"surfaces": [WALL]}).to_dict()))
    made = poise.loosen(
        clips.get("punch"), "loose", 0.3, world={"beside": str(tmp_path / "room.json"), "surfaces": [away]}
    )
    assert np.array_equal(made.clip.q, loosened(WALL).clip().q)


def test_obstacles_of_older_projects_are_surfaces(tmp_path):
    path = tmp_path / "old.poise"
    path.write_bytes((HERE / "fixtures/version_5_obstacles.poise").read_bytes())
    project = projects.open(path)
    layer = project.document.layers[1]
    assert [s["name"] for s in layer.world["surfaces"]] == ["wall", "ball", "gone"]
    wall = Surface("wall", Box((0.05, 0.3, 0.3)), (0.75, 0.0, 1.35), friction=0.8)
    keys = Track([1.2, 1.6], [(0.15, -1.0, 1.33), (0.15, 0.3, 1.33)])
    ball = Surface("ball", Ball(0.12), friction=0.8, bounce=0.3, track=keys)
    wanted = poise.loosen(clips.get("punch"), "loose", 0.3, world=World((wall, ball)))
    assert np.array_equal(project.clip().q, wanted.clip.q), "the muted one and the far table change nothing"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            {"do": "set", "layer": "l", "path": "obstacles/0/position", "value": [1, 2, 3]},
            {"path": "world/surfaces/0/place", "value": [1, 2, 3]},
        ),
        (
            {"do": "set", "layer": "l", "path": "obstacles/1/half/0", "value": 2},
            {"path": "world/surfaces/1/shape/half/0"},
        ),
        (
            {
                "do": "insert",
                "layer": "l",
                "path": "obstacles/1/path/0",
                "value": {"time": 1, "position": [0, 0, 1]},
            },
            {"path": "world/surfaces/1/track/0", "value": {"time": 1, "place": [0, 0, 1]}},
        ),
        (
            {"do": "set", "layer": "l", "path": "obstacles/1/path/0/position", "value": [0, 0, 1]},
            {"path": "world/surfaces/1/track/0/place"},
        ),
        (
            {"do": "set", "layer": "l", "path": "obstacles", "value": [{"name": "b", "radius": 0.1}]},
            {
                "path": "world",
                "value": {
                    "surfaces": [{"name": "b", "shape": {"kind": "ball", "radius": 0.1}, "friction": 0.8}]
                },
            },
        ),
        ({"do": "remove", "layer": "l", "path": "obstacles/2"}, {"path": "world/surfaces/2"}),
    ],
)
def test_edits_of_obstacles_in_older_journals_are_those_of_surfaces(old, new):
    found = migrated_event({"do": old}, 5)["do"]
    assert {k: found[k] for k in new} == new


def test_recipes_with_obstacles_still_run():
    step = {"do": "loosen", "window": 0.3, "obstacles": [{"name": "b", "radius": 0.1, "position": [0, 0, 1]}]}
    recipe = recipe_from({"poise": "recipe", "version": 2, "output": ".bvh", "steps": [step]}, ".")
    (made,) = recipe.steps
    assert World.from_dict(thaw(made.world)).surfaces[0].place == (0.0, 0.0, 1.0)


def test_the_search_for_contacts_can_be_stopped():
    project = loosened(WALL)
    asked = 0

    def enough() -> bool:
        nonlocal asked
        asked += 1
        return asked == 60

    with pytest.raises(CancelledError):
        project.made(cancel=enough)
    parts: list[float] = []
    project.made(progress=lambda layer, part: parts.append(part))
    assert parts == sorted(parts)
    assert len(parts) > 50


def test_a_turn_is_a_rotation_vector():
    made = Surface("box", Box((1.0, 1.0, 1.0)), turn=(0.0, 0.0, 0.5))
    assert np.allclose(so3.log(so3.from_matrix(made.pose().turn)), (0.0, 0.0, 0.5))
