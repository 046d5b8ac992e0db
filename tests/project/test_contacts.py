"""Contacts that a project keeps: edited by commands with undo, stored, and read by what layers do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise import clips
from poise import project as projects
from poise.contacts.find import find
from poise.contacts.given import ClipContacts, GivenContact, contacts_of, supported_by
from poise.errors import InputError
from poise.operations.check import Check
from poise.plausibility.judge import judge
from poise.project import Project
from poise.project.commands import command_from
from poise.project.document import VERSION
from poise.world import World, ground, step

HERE = Path(__file__).parent


def jumping() -> Project:
    project = Project()
    project.do({"do": "put-clip", "name": "jump", "clip": {"bundled": "jump"}})
    project.do({"do": "add-layer", "layer": {"do": "load", "name": "take", "clip": "jump"}})
    project.do({"do": "add-layer", "layer": {"do": "fix", "name": "mended", "may": ["feet"]}})
    return project


@pytest.fixture(scope="module")
def found() -> ClipContacts:
    return contacts_of(find(clips.get("jump")))


def put(project: Project, contacts: ClipContacts) -> None:
    project.do({"do": "put-contacts", "clip": "jump", "contacts": plain(contacts)})


def plain(contacts: ClipContacts) -> dict:
    from poise.operations.frozen_data import as_plain

    return as_plain(contacts)


def test_what_is_found_becomes_what_is_owned(found):
    assert [c.part for c in found.contacts] == ["left foot", "right foot"] * 2
    assert {c.source for c in found.contacts} == {"found"}
    assert found.world is not None
    assert found.world.floor is not None


def test_edits_are_commands_and_each_can_be_undone(found, tmp_path):
    project = jumping()
    put(project, found)
    before = project.document.digest
    edits = [
        {"do": "set-contact", "clip": "jump", "contact": 0, "values": {"end": 60, "manner": "slides"}},
        {"do": "set-contact", "clip": "jump", "contact": 1, "values": {"locked": True}},
        {"do": "add-contact", "clip": "jump",
         "contact": {"part": "right hand", "start": 70, "end": 80, "manner": "grips"}},
        {"do": "remove-contact", "clip": "jump", "contact": 3},
        {"do": "confirm-surface", "clip": "jump", "surface": "floor"},
    ]  # fmt: skip
    digests = [before]
    for edit in edits:
        assert command_from(command_from(edit).to_json()).to_dict() == command_from(edit).to_dict()
        project.do(edit)
        digests.append(project.document.digest)
    assert len(set(digests)) == len(digests)
    said = project.document.contacts["jump"]
    assert [(c.part, c.start, c.end, c.manner, c.locked, c.source) for c in said.contacts[:2]] == [
        ("left foot", 0, 60, "slides", False, "given"),
        ("right foot", 0, found.contacts[1].end, found.contacts[1].manner, True, "found"),
    ]
    assert said.world.floor.source == "confirmed"
    project.save(tmp_path / "jump.poise")
    with projects.open(tmp_path / "jump.poise") as again:
        assert again.document.contacts == project.document.contacts
    for digest in reversed(digests[:-1]):
        project.undo()
        assert project.document.digest == digest
    project.redo()
    assert project.document.digest == digests[1]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"do": "set-contact", "clip": "jump", "contact": 0, "values": {"end": -3}}, ["contact 0", "before"]),
        ({"do": "set-contact", "clip": "jump", "contact": 9, "values": {"end": 3}}, ["no contact 9", "4"]),
        ({"do": "set-contact", "clip": "jump", "contact": 0, "values": {"manner": "flies"}}, ["manner"]),
        ({"do": "set-contact", "clip": "jump", "contact": 0, "values": {"surface": "roof"}}, ["roof"]),
        ({"do": "set-contact", "clip": "walk", "contact": 0, "values": {}}, ["walk", "put-contacts"]),
        ({"do": "confirm-surface", "clip": "jump", "surface": "roof"}, ["roof"]),
        ({"do": "put-contacts", "clip": "walk", "contacts": {}}, ["contacts of 'walk'", "jump"]),
        ({"do": "add-contact", "clip": "jump", "contact": {"part": "", "start": 0, "end": 1}}, ["part"]),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_by_name(found, edit, words):
    project = jumping()
    put(project, found)
    before = project.document
    with pytest.raises(InputError) as told:
        project.do(edit)
    assert all(word in str(told.value) for word in words)
    assert project.document is before


def test_a_locked_contact_stays(found):
    project = jumping()
    put(project, found)
    project.do({"do": "set-contact", "clip": "jump", "contact": 0, "values": {"locked": True}})
    for edit in ({"do": "set-contact", "values": {"end": 3}}, {"do": "remove-contact"}):
        with pytest.raises(InputError, match="locked"):
            project.do({**edit, "clip": "jump", "contact": 0})
    project.do({"do": "set-contact", "clip": "jump", "contact": 0, "values": {"locked": False}})
    project.do({"do": "remove-contact", "clip": "jump", "contact": 0})
    assert len(project.document.contacts["jump"].contacts) == len(found.contacts) - 1


def test_contacts_go_with_their_clip(found):
    project = jumping()
    put(project, found)
    for name in ("mended", "take"):
        project.do({"do": "remove-layer", "layer": name})
    project.do({"do": "drop-clip", "name": "jump"})
    assert not project.document.contacts


def test_layers_take_given_contacts_in_place_of_their_own(found):
    """A foot that the user says stands for longer than it does, slides then: fix finds it and mends it."""
    project = jumping()
    plain_result = project.evaluator.made(project.document)
    assert not plain_result.changed  # as it is there is nothing to fix
    put(project, found)
    key = project.evaluator.plan(project.document)[-1].key
    take = project.evaluator.plan(project.document)[0].key
    project.do({"do": "set-contact", "clip": "jump", "contact": 0, "values": {"manner": "slides"}})
    steps = project.evaluator.plan(project.document)
    assert steps[-1].key != key  # what is worked on has changed …
    assert steps[0].key == take  # … and the clip has not
    made = project.evaluator.made(project.document)
    left = next(c for c in made.before.contacts if c.part == "left foot")
    assert left.manner == "slides"
    project.do({"do": "set-contact", "clip": "jump", "contact": 0, "values": {"end": 40}})
    made = project.evaluator.made(project.document)
    assert next(c.end for c in made.before.contacts if c.part == "left foot") == 40


def test_contacts_of_another_length_are_not_handed_on(found):
    project = jumping()
    put(project, found)
    project.do({"do": "set-contact", "clip": "jump", "contact": 0, "values": {"manner": "slides"}})
    project.do({"do": "add-layer", "at": 1, "layer": {"do": "resample", "name": "slow", "fps": 30.0}})
    made = project.evaluator.made(project.document)
    assert next(c for c in made.before.contacts if c.part == "left foot").manner != "slides"


def test_a_found_surface_stays_a_question_until_it_is_confirmed():
    clip = clips.get("jump")
    up = clip.with_q(clip.q + np.eye(clip.character.nq)[2] * 0.4)
    box = step("box", (-1, -1), (2, 1), 0.4, source="found", sure=0.5)
    said = ClipContacts(surfaces=World((ground(source="found"), box)).to_dict()["surfaces"])
    said = said.with_contacts([*contacts_of(find(up, said.world)).contacts])
    asked = judge(up, Check(), contacts=said)
    assert "plausible if" in asked.verdict
    assert [q.name for q in asked.questions] == ["box"]
    sure = judge(up, Check(), contacts=said.confirmed("box"))
    assert not sure.questions
    assert sure.plausible


def test_touches_follow_the_ends_of_their_contact():
    support = find(clips.get("jump"))
    own = support.contacts[0]
    given = GivenContact(part=own.part, surface="floor", start=own.start + 4, end=own.end - 6)
    made = supported_by(support, ClipContacts(contacts=(given,))).contacts
    assert len(made) == 1
    assert {t.start for t in made[0].touches} >= {own.start + 4}
    assert all(given.start <= t.start <= t.end <= given.end for t in made[0].touches)
    new = GivenContact(part="right hand", start=75, end=85, manner="grips")
    hand = supported_by(support, ClipContacts(contacts=(new,))).contacts[0]
    row = 80 + support.need.lead
    near = support.need.places[row][support.need.patches.of_part("right hand")]
    assert np.abs(near[0] - hand.place).max() < 0.05  # where the hand is then
    with pytest.raises(InputError, match="tail"):
        supported_by(support, ClipContacts(contacts=(GivenContact(part="tail", start=0, end=1),)))


def test_files_without_contacts_still_open(tmp_path):
    path = tmp_path / "old.poise"
    path.write_bytes((HERE / "fixtures/version_4.poise").read_bytes())
    with projects.open(path) as project:
        assert project.document.contacts == {}
        assert project.document.to_dict()["version"] == VERSION
        assert project.evaluator.made(project.document).clip.frames == clips.get("jump").frames


def test_loosening_plants_what_the_user_says_touches(found):
    project = jumping()
    project.do({"do": "remove-layer", "layer": "mended"})
    project.do({"do": "add-layer", "layer": {"do": "loosen", "name": "loose", "window": 0.2}})
    free = project.made().clip
    put(project, found)
    assert np.array_equal(project.made().clip.q, free.q), "as found"
    while project.document.contacts["jump"].contacts:
        project.do({"do": "remove-contact", "clip": "jump", "contact": 0})
    moved = np.abs(free.character.manifold.minus(project.made().clip.q, free.q))
    assert moved.max() > 1e-3, "nothing is planted any more"
