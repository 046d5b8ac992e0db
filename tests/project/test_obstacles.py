"""Obstacles in projects: who is hit is pushed back, who is not is as before, targets say who was hit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from boxing import FIST, boxer

import poise
from poise import clips
from poise import project as projects
from poise.errors import CancelledError, InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.project import Project

WALL: dict[str, Any] = {"name": "wall", "half": [0.05, 0.3, 0.3], "position": [0.75, 0.0, 1.35]}


def loosened(*obstacles: dict[str, Any], **more: Any) -> Project:
    project = Project().add_clip("punch", "punch").add("load", "take", clip="punch")
    return project.add("loosen", "loose", tension="loose", window=0.3, obstacles=list(obstacles), **more)


def test_a_layer_does_what_the_method_does():
    made = loosened(WALL).made()
    wall = poise.Obstacle.box("wall", WALL["position"], WALL["half"])
    wanted = poise.loosen(clips.get("punch"), "loose", 0.3, obstacles=[wall])
    assert np.array_equal(made.clip.q, wanted.clip.q)
    assert made.report is not None
    assert "RightHand on 'wall'" in made.report.message
    contact = made.report.details["contacts"][0]
    assert (contact["body"], contact["obstacle"]) == ("RightHand", "wall")
    hand = Kinematics(made.clip.character, made.clip.q).point("RightHandCentre")
    free = Kinematics(made.clip.character, loosened().clip().q).point("RightHandCentre")
    assert free[:, 0].max() > 0.75 > hand[:, 0].max(), "it does not get through"


def test_what_is_not_in_the_way_changes_no_bit():
    free = loosened().clip()
    for away in (
        {**WALL, "position": [5.0, 0.0, 1.0]},
        {**WALL, "muted": True},
        {"name": "ball", "radius": 0.1, "path": [{"time": 0.0, "position": [5.0, 0.0, 1.0]}]},
    ):
        assert np.array_equal(loosened(away).clip().q, free.q), away
    through = loosened(WALL, touching="* leg")
    assert np.array_equal(through.clip().q, free.q), "only legs touch"


def test_one_that_is_turned_and_one_that_moves():
    turned = {**WALL, "half": [0.3, 0.05, 0.3], "turn": [0.0, 0.0, np.pi / 2]}
    assert np.abs(loosened(turned).clip().q - loosened(WALL).clip().q).max() < 1e-6
    # Keys in any order: it comes from the side and pushes the hand at rest.
    keys = [{"time": 1.6, "position": [0.15, 0.3, 1.33]}, {"time": 1.2, "position": [0.15, -1.0, 1.33]}]
    made = loosened({"name": "ball", "radius": 0.12, "path": keys}).made()
    assert made.report is not None
    contacts = made.report.details["contacts"]
    assert contacts
    assert all(1.2 < c["start"] < 1.9 for c in contacts)


def test_targets_are_aimed_at_as_if_nothing_was_there_and_say_what_was():
    project = boxer()
    aimed = project.made()
    project.set("hit", obstacles=[{**WALL, "position": [5.0, 0.0, 1.35]}])
    assert np.array_equal(project.made().clip.q, aimed.clip.q)
    assert project.made().met
    project.set("hit", obstacles=[WALL])
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
    ("obstacle", "words"),
    [
        ({"name": "w"}, "either half edges (a box) or a radius (a ball)"),
        ({"name": "w", "radius": 1.0, "half": [1.0, 1.0, 1.0]}, "either half edges"),
        ({"name": "w", "radius": -1.0}, "radius"),
        ({"name": "", "radius": 1.0}, "needs a name"),
        ({"name": "w", "radius": 1.0, "bounce": 2.0}, "bounce"),
        ({"name": "w", "radius": 1.0, "path": [{"time": 0.0, "position": [0, 0, 0]}] * 2}, "must differ"),
        ({"name": "w", "radius": 1.0, "colour": "red"}, "colour"),
    ],
)
def test_mistakes_are_said_by_layer_field_and_obstacle(obstacle, words):
    project = loosened()
    before = project.document
    with pytest.raises(InputError) as caught:
        project.set("loose", obstacles=[obstacle])
    assert words in str(caught.value)
    assert "obstacles" in str(caught.value)
    assert project.document is before


def test_they_survive_files_and_two_of_one_name_are_refused(tmp_path):
    project = loosened(WALL, {"name": "ball", "radius": 0.1, "friction": 0.2, "turn": [0.1, 0.0, 0.0]})
    path = project.save(tmp_path / "wall.poise")
    assert projects.open(path).document.digest == project.document.digest
    with pytest.raises(InputError, match="two obstacles are called 'wall'"):
        project.set("loose", obstacles=[WALL, WALL])


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
    from poise.methods.loosen.contact.surfaces import surface_of

    made = surface_of(poise.Obstacle("box", half=(1.0, 1.0, 1.0), turn=(0.0, 0.0, 0.5)))
    assert np.allclose(so3.log(so3.from_matrix(made.pose().turn)), (0.0, 0.0, 0.5))
