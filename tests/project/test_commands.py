"""Commands: every edit can be undone, written down and done again, to the same document."""

from __future__ import annotations

import random

import pytest
from boxing import FIST, boxer

from poise.contacts.given import ClipContacts, GivenContact
from poise.errors import InputError, PoiseError
from poise.operations.values.camera import CameraKey, Cut, FilmCamera
from poise.project import (
    COMMANDS,
    AddLayer,
    Become,
    ClipEntry,
    Document,
    DropClip,
    DropSurface,
    Group,
    History,
    Insert,
    MoveLayer,
    PutClip,
    PutSurface,
    Remove,
    RemoveLayer,
    RenameLayer,
    Set,
    SetField,
    SetWorld,
    command_from,
)
from poise.project.camera_commands import DropCamera, PutCamera, RenameCamera, SetCuts
from poise.project.contact_commands import (
    AddContact,
    ConfirmSurface,
    PutContacts,
    RemoveContact,
    SetContact,
)
from poise.project.layer import layer

CONTACTS = ClipContacts(
    surfaces=[{"name": "floor", "shape": {"kind": "ground"}, "source": "found"}],
    contacts=(GivenContact(part="left foot", surface="floor", start=0, end=20),),
)
CAMERA = FilmCamera(keys=(CameraKey(eye=(3.0, -3.0, 1.5), target=(0.0, 0.0, 0.9)),))
EVERY = [
    SetField(field="name", value="boxer"),
    PutClip(name="walk", clip=ClipEntry(bundled="walk")),
    Group(commands=(PutClip(name="w", clip=ClipEntry(bundled="walk")), DropClip(name="w"))),
    AddLayer(layer=layer("adapt", "knees", plants=False, key_spacing=0.2), at=1),
    RemoveLayer(layer="feet"),
    MoveLayer(layer="loose", to=1),
    RenameLayer(layer="loose", name="drunk"),
    Set(layer="hit", path="constraints/0/target/value/2", value=1.2, gesture="drag 1"),
    Insert(layer="hit", path="constraints/1", value={**FIST, "name": "again"}),
    Insert(layer="feet", path="constraints/0", value=FIST),
    Remove(layer="loose", path="window"),
    Become(layer="loose", operation="hit", options={"constraints": [FIST]}),
    PutContacts(clip="punch", contacts=CONTACTS),
    Group(
        commands=(
            PutContacts(clip="punch", contacts=CONTACTS),
            AddContact(clip="punch", contact=GivenContact(part="right foot", start=3, end=9, manner="rolls")),
            SetContact(clip="punch", contact=0, values={"end": 12, "place": [0.1, 0.0, 0.0]}),
            RemoveContact(clip="punch", contact=1),
            ConfirmSurface(clip="punch", surface="floor"),
        )
    ),
    SetWorld(world="ground; stairs steps=4 place=1,0,0"),
    PutSurface(surface={"name": "wall", "shape": {"kind": "box"}, "place": [1.0, 0.0, 0.5]}),
    Group(
        commands=(
            PutSurface(surface={"name": "wall", "shape": {"kind": "box"}}),
            PutSurface(surface={"name": "wall", "shape": {"kind": "ball"}}),
            DropSurface(name="wall"),
        )
    ),
    PutCamera(name="wide", camera=CAMERA),
    Group(
        commands=(
            PutCamera(name="wide", camera=CAMERA),
            PutCamera(name="other", camera=CAMERA),
            SetCuts(cuts=(Cut(camera="wide"), Cut(time=0.5, camera="other"))),
            RenameCamera(camera="wide", name="far"),
            DropCamera(name="other"),
        )
    ),
]


@pytest.mark.parametrize("command", EVERY, ids=lambda c: type(c).__name__)
def test_a_command_survives_json_does_the_same_again_and_is_undone(command):
    history = History(boxer().document)
    before = history.document.digest
    again = command_from(command.to_json())
    assert again == command
    history.do(command)
    after = history.document.digest
    assert after != before or isinstance(command, Group)
    assert again.apply(boxer().document).digest == after
    assert history.undo()
    assert history.document.digest == before
    assert history.redo()
    assert history.document.digest == after


def test_every_command_is_tried_here():
    tried = {type(c) for c in EVERY} | {type(c) for g in EVERY if isinstance(g, Group) for c in g.commands}
    assert tried == set(COMMANDS.values())


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"do": "dance"}, "no command named 'dance'"),
        ({"do": "set", "layer": "loose"}, "command 'set': field 'path' is missing"),
        ({"do": "set", "layer": "lose", "path": "muted", "value": True}, "did you mean 'loose'"),
        ({"do": "set", "layer": "loose", "path": "muted", "value": 3}, "layer 2 ('loose'): field 'muted'"),
        ({"do": "set", "layer": "loose", "path": "name", "value": "x"}, "rename-layer"),
        ({"do": "set", "layer": "hit", "path": "constraints/4/name", "value": 1}, "'4' is not an index"),
        ({"do": "set", "layer": "hit", "path": "", "value": 1}, "a path is empty"),
        ({"do": "insert", "layer": "loose", "path": "tension", "value": 1}, "only lists take insertions"),
        ({"do": "remove", "layer": "loose", "path": "order"}, "there is nothing"),
        ({"do": "remove-layer", "layer": "take"}, "adapt changes a motion"),
        ({"do": "become", "layer": "loose", "operation": "hit"}, "field 'constraints' is missing"),
        ({"do": "become", "layer": "loose", "operation": "fly"}, "no operation named 'fly'"),
        ({"do": "move-layer", "layer": "hit", "to": 9}, "no place 9"),
        ({"do": "drop-clip", "name": "punch"}, "is used by take"),
        ({"do": "add-layer", "layer": {"do": "load", "name": "x"}}, "field 'clip' is missing"),
        ({"do": "set-project", "field": "version", "value": "1"}, "no field of the project named 'version'"),
        ([1], "a command is a mapping"),
        ("{", "not a command"),
        (b'{"do": "\xd3"}', "not a command"),
        ("[" * 100_000, "not a command"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_and_nothing_changes(data, words):
    project = boxer()
    before = project.document
    with pytest.raises(PoiseError) as caught:
        project.do(data)
    assert words in str(caught.value), str(caught.value)
    assert project.document is before
    assert project.history.undoable == 5


def test_one_drag_is_one_step():
    project = boxer()
    before, steps = project.document.digest, project.history.undoable
    for k in range(200):
        project.do(Set(layer="hit", path="constraints/0/target/value/0", value=k / 200, gesture="g"))
        project.do(Set(layer="hit", path="constraints/0/target/value/2", value=1 + k / 200, gesture="g"))
    assert project.history.undoable == steps + 1
    assert len(project.history.script()) == steps + 2, "only the last of each place is kept"
    dragged = project.document.digest
    project.do(Set(layer="hit", path="constraints/0/target/value/0", value=0.3, gesture="h"))
    assert project.history.undoable == steps + 2, "another drag is another step"
    project.undo()
    assert project.document.digest == dragged
    project.undo()
    assert project.document.digest == before
    replayed = boxer().run(project.history.script()[5:])
    assert replayed.document.digest == before


def test_keys_that_are_dragged_together_are_kept_once():
    project = boxer()
    before, steps = project.document.digest, project.history.undoable
    for k in range(50):
        moved = Set(layer="hit", path="constraints/0/target/value/0", value=k / 50)
        weighed = Set(layer="hit", path="constraints/0/weight", value=1 + k)
        project.do(Group(commands=(moved, weighed), gesture="g"))
    assert project.history.undoable == steps + 1
    assert len(project.history.script()) == steps + 1, "only the last of them is kept"
    after = project.document.digest
    assert boxer().run(project.history.script()[5:]).document.digest == after
    project.undo()
    assert project.document.digest == before


def test_a_group_is_all_or_nothing():
    project = boxer()
    before = project.document
    with pytest.raises(InputError):
        project.do(Group(commands=(Set(layer="loose", path="muted", value=True), RemoveLayer(layer="no"))))
    assert project.document is before


def test_renaming_and_removing_keep_references_whole():
    project = boxer()
    project.add("loosen", "other", input="feet", tension="firm")
    project.do(RenameLayer(layer="feet", name="soles")).do(SetField(field="output", value="other"))
    assert project.document.layer("other").input == "soles"
    project.do(RemoveLayer(layer="soles"))
    assert project.document.layer("other").input == "take"
    project.do(RemoveLayer(layer="other"))
    assert project.document.result == "hit"


def random_command(rng: random.Random, document: Document):
    """Any edit, sensible or not."""
    names = [layer.name for layer in document.layers] + ["nobody"]
    some, number = rng.choice(names), rng.randrange(6)
    fresh = f"layer {rng.randrange(40)}"
    gesture = rng.choice(["", "", "a", "b"])
    if len(names) > 12:
        return RemoveLayer(layer=some)
    return rng.choice(
        [
            SetField(field=rng.choice(["name", "output"]), value=rng.choice([*names, ""])),
            PutClip(name=f"clip {number}", clip=ClipEntry(bundled=rng.choice(["walk", "punch"]))),
            DropClip(name=f"clip {number}"),
            AddLayer(
                layer=layer("adapt", fresh, key_spacing=rng.uniform(0.01, 1)), at=rng.choice([None, number])
            ),
            AddLayer(layer=layer("loosen", fresh, tension=rng.choice(["firm", "drunk", 2.0]))),
            AddLayer(layer=layer("load", fresh, clip=f"clip {number}"), at=rng.choice([None, number])),
            RemoveLayer(layer=some),
            MoveLayer(layer=some, to=number, gesture=gesture),
            RenameLayer(layer=some, name=fresh),
            Set(layer=some, path="weight", value=rng.random(), gesture=gesture),
            Set(layer=some, path="muted", value=rng.random() < 0.5, gesture=gesture),
            Set(layer=some, path="tension", value={"*": "firm", "right arm": rng.random()}, gesture=gesture),
            Set(layer=some, path="tension/right arm", value=rng.random(), gesture=gesture),
            Set(layer=some, path="input", value=rng.choice([None, *names])),
            Insert(layer=some, path="constraints/0", value={**FIST, "weight": 1 + rng.random()}),
            Set(layer=some, path="constraints/0/weight", value=1 + rng.random(), gesture=gesture),
            Remove(layer=some, path=rng.choice(["constraints/0", "weight", "tension"])),
        ]
    )


def test_an_abandoned_gesture_leaves_no_trace():
    project = boxer()
    project.do(SetField(field="name", value="one")).do(SetField(field="name", value="two"))
    project.undo()
    project.undo()
    before, steps = project.document, project.history.undoable
    for hertz in (2.0, 3.0):
        project.set("loose", tension=hertz, gesture="drag")
    assert project.history.redoable == 0
    assert not project.abandon("another")
    assert not project.abandon("")
    project.history.seal()  # by a save, or another tab's drag
    with pytest.raises(InputError):
        project.set("loose", tension="no such", gesture="drag")
    assert project.abandon("drag")
    assert project.document is before
    assert (project.history.undoable, project.history.redoable) == (steps, 2)
    assert not project.abandon("drag"), "once"
    assert project.redo()
    assert project.redo()
    assert project.document.name == "two"

    project.undo()
    project.set("loose", tension=2.0, gesture="drag")
    project.undo()
    assert not project.abandon("drag"), "it is undone already"
    project.set("loose", tension=2.0, gesture="drag").do(SetField(field="name", value="three"))
    assert not project.abandon("drag"), "something else was done since"


def test_an_abandoned_gesture_gives_back_the_oldest_step():
    history = History(boxer().document, depth=3)
    for name in ("a", "b", "c"):
        history.do(SetField(field="name", value=name))
    position = history.position
    history.do(SetField(field="name", value="d", gesture="drag"))
    assert history.abandon("drag")
    assert (history.undoable, history.position, history.document.name) == (3, position, "c")
    assert [history.undo() for _ in range(4)] == [True, True, True, False]
    assert history.document.name == ""


def test_ten_thousand_random_edits_undos_redos_and_changes_of_mind():
    """Beside the history, a model of it: the digests that were. They agree at every step and at the end."""
    rng = random.Random(7)
    history = History(boxer().document, depth=20_000)
    base, past, future = history.document, [], []
    found: tuple[str, list[str], list[str]] | None = None  # what the gesture that was done last found
    done, abandoned = 0, 0
    for _ in range(10_000):
        chance = rng.random()
        now = history.document.digest
        if chance < 0.2:
            assert history.undo() == bool(past)
            if past:
                found = None
                future.append(now)
                assert history.document.digest == past.pop()
        elif chance < 0.35:
            assert history.redo() == bool(future)
            if future:
                found = None
                past.append(now)
                assert history.document.digest == future.pop()
        elif chance < (0.7 if found else 0.4):
            gesture = rng.choice(["", "a", "b", history.gesture])
            mine = found is not None and gesture == history.gesture
            assert history.abandon(gesture) == mine
            if found is not None and mine:
                digest, past, future = found
                assert history.document.digest == digest
                found, abandoned = None, abandoned + bool(future)
        elif chance < (0.73 if found else 0.43):
            history.seal()
        else:
            before = history.document
            command = random_command(rng, before)
            try:
                fresh = history.do(command)
            except PoiseError:
                assert history.document is before
                continue
            if fresh:
                found = (now, list(past), future) if command.gesture else None
                past.append(now)
            future, done = [], done + 1
        assert (history.undoable, history.redoable) == (len(past), len(future))
    assert done > 1000
    assert abandoned > 20
    end = history.document.digest
    replayed = History(base, depth=20_000)
    for command in history.script():
        replayed.do(command_from(command.to_json()))
    assert replayed.document.digest == end
    while history.undo():
        pass
    assert history.document is base
    while history.redo():
        pass
    for _ in range(len(future)):
        history.undo()
    assert history.document.digest == end
