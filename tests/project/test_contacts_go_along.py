"""Feet go along with what they stand on when the project's world has it elsewhere than the take."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.character.labels import roles
from poise.character.placement import placed
from poise.contacts.find import find
from poise.contacts.given import contacts_of
from poise.contacts.moved import carried_along, moved
from poise.operations.frozen_data import as_plain
from poise.project import Project
from poise.world import Ball, Box, Ground, Stairs, Surface, World, ground

UP = 0.25
STANDS = slice(112, 154)


def world(by=(0.0, 0.0, 0.0), *, half: float = UP / 2, turn: float = 0.0) -> World:
    box = Surface("box", Box((0.3, 0.4, half)), (0.58 + by[0], by[1], UP / 2 + by[2]), (0.0, 0.0, turn))
    return World((ground(), box))


@pytest.fixture(scope="module")
def onto(tmp_path_factory) -> Project:
    """A jump onto a box, whose contacts are the project's, with a layer that keeps feet."""
    folder = tmp_path_factory.mktemp("onto")
    lifts = [{"plant": k, "by": [0, 0], "lift": UP} for k in (3, 4)]
    poise.adapt(poise.clips.get("jump"), move=lifts).clip.save(folder / "onto.bvh")
    project = Project()
    project.do({"do": "put-clip", "name": "onto", "clip": {"file": "onto.bvh"}})
    project.evaluator.assets.folder = folder
    project.add("load", "take", clip="onto")
    project.do({"do": "set-world", "world": world().to_dict()})
    contacts = contacts_of(find(project.clip(), world()))
    project.do({"do": "put-contacts", "clip": "onto", "contacts": as_plain(contacts)})
    return project.add("adapt", "stand")


def ankles(clip) -> np.ndarray:
    """By plain placement (F, 2, 3)."""
    who, found = roles(clip.character), placed(clip.character.tree, clip.q).positions
    return np.stack([found[:, who[f"{side} foot"]] for side in ("left", "right")], axis=1)


def along(project: Project, to: World) -> np.ndarray:
    """How far ankles are from where they were (F, 2, 3)."""
    before = ankles(project.clip())
    project.do({"do": "set-world", "world": to.to_dict()})
    after = ankles(project.clip())
    project.undo()
    return after - before


@pytest.mark.parametrize("by", [(0.1, 0.0, 0.0), (0.06, 0.08, 0.0), (0.0, 0.0, 0.1), (0.0, 0.0, -0.1)])
def test_feet_go_along_with_a_box_that_is_moved_and_only_then(onto, by):
    shift = along(onto, world(by))
    assert np.abs(shift[STANDS] - by).max() < 1e-3
    assert np.abs(shift[:40]).max() < 1e-3, "the take-off is on the floor"


def test_feet_stay_on_a_box_that_grows_and_turn_with_one_that_is_turned(onto):
    shift = along(onto, world(half=UP / 2 + 0.05))
    assert np.abs(shift[STANDS] - [0.0, 0.0, 0.05]).max() < 1e-3
    before, turn = ankles(onto.clip())[STANDS], 0.2
    shift = along(onto, world(turn=turn))[STANDS]
    c, s = np.cos(turn), np.sin(turn)
    arm = before - [0.58, 0.0, UP / 2]
    wanted = arm @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T - arm
    assert np.abs(shift - wanted).max() < 2e-3


def test_contacts_of_the_result_are_where_the_box_is(onto):
    project = Project(onto.document)
    project.evaluator.assets.folder = onto.evaluator.assets.folder
    project.do({"do": "set-world", "world": world((0.1, 0.0, 0.0)).to_dict()})
    said = project.document.contacts["onto"]
    now = project.evaluator.contacts_moved(project.document, said, project.clip())
    pairs = [(a, b) for a, b in zip(said.contacts, now.contacts) if a.surface == "box"]
    assert pairs
    for a, b in pairs:
        assert np.allclose(np.subtract(b.place, a.place), [0.1, 0.0, 0.0], atol=1e-6)
    found = find(project.clip(), now.world)
    on_box = [c for c in found.contacts if c.surface == "box"]
    assert on_box
    assert max(c.sunk for c in on_box) < max(c.sunk for c in find(onto.clip(), world()).contacts) + 2e-3


def test_without_contacts_of_its_own_nothing_is_known_to_have_moved(onto):
    project = Project(onto.document)
    project.evaluator.assets.folder = onto.evaluator.assets.folder
    project.do({"do": "put-contacts", "clip": "onto", "contacts": None})
    assert np.abs(along(project, world((0.1, 0.0, 0.0)))).max() == 0.0


def test_places_keep_their_gap_whatever_becomes_of_the_surface():
    here = np.array([[0.1, 0.05, 0.0]])
    cases = [
        (Surface("a", Ground(0.0)), Surface("a", Ground(0.3)), [0.1, 0.05, 0.3]),
        (
            Surface("a", Ball(0.1), (0.1, 0.05, -0.1)),
            Surface("a", Ball(0.3), (0.1, 0.05, -0.1)),
            [0.1, 0.05, 0.2],
        ),
        (
            Surface("a", Stairs(3, 0.1, 0.3, 1.0), (0.0, 0.0, -0.1)),
            Surface("a", Stairs(3, 0.2, 0.3, 1.0), (0.0, 0.0, -0.1)),
            [0.1, 0.05, 0.1],
        ),
    ]
    for before, after, wanted in cases:
        assert carried_along(before, after, here)[0] == pytest.approx(wanted, abs=1e-9)
        assert after.gap(carried_along(before, after, here))[0] == pytest.approx(
            before.gap(here)[0], abs=1e-9
        )


def test_surfaces_that_the_project_does_not_name_stay(onto):
    said = onto.document.contacts["onto"]
    now = moved(said, World((Surface("shelf", Box(), (5.0, 0.0, 0.0)),)))
    assert [s.name for s in now.world.surfaces] == ["floor", "box", "shelf"]
    assert now.contacts == said.contacts
