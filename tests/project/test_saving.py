"""Files: nothing saved is lost, nothing half written is taken for whole, two writers notice each other."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import zipfile
import zlib
from hashlib import blake2b, sha256
from pathlib import Path

import numpy as np
import pytest
from boxing import FIST, boxer

import poise
from poise import clips
from poise import project as projects
from poise.errors import FileFormatError, InputError
from poise.project import LockedError, Project, Set, SetField
from poise.project.journal import journal_path
from poise.project.lock import Lock

HERE = Path(__file__).parent


def names(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir()}


@pytest.fixture
def path(tmp_path) -> Path:
    return boxer().save(tmp_path / "boxer.poise")


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
def test_killed_at_any_instant_nothing_is_lost():
    done = subprocess.run(
        [sys.executable, str(HERE / "killing.py"), "--kills", "40"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["kills"] == 40
    assert found["edits"] >= 40
    assert found["in_a_save"] > 5
    assert found["recovered"] > 5


def test_there_and_back(path):
    again = projects.open(path)
    assert again.document.digest == boxer().document.digest
    assert not again.modified
    assert json.loads(path.read_text())["version"] == projects.VERSION
    assert poise.Project is Project


def test_a_clip_in_memory_is_kept_inside_to_the_bit(tmp_path):
    clip = clips.get("wave")
    project = Project().add_clip("wave", clip).add("load", "wave", clip="wave")
    path = project.save(tmp_path / "wave.poise")
    assert zipfile.is_zipfile(path)
    again = projects.open(path)
    assert np.array_equal(again.clip().q, clip.q)
    assert again.clip().rate == clip.rate
    assert path.read_bytes() == again.save(tmp_path / "copy.poise").read_bytes(), "the same bytes every time"
    again.do({"do": "remove-layer", "layer": "wave"}).do({"do": "drop-clip", "name": "wave"})
    again.save()
    assert not zipfile.is_zipfile(again.path), "what is not used is not kept"
    again.undo()
    again.undo()
    assert np.array_equal(projects.open(again.save()).clip().q, clip.q), "but undo has it still"


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.999])
def test_truncated_files_are_refused(tmp_path, keep):
    project = Project().add_clip("wave", clips.get("wave")).add("load", "wave", clip="wave")
    whole = project.save(tmp_path / "whole.poise").read_bytes()
    part = tmp_path / "part.poise"
    part.write_bytes(whole[: int(keep * len(whole))])
    with pytest.raises(FileFormatError, match=r"part.poise: a damaged or incomplete archive"):
        projects.open(part)
    text = boxer().save(tmp_path / "text.poise").read_bytes()
    part.write_bytes(text[: int(keep * len(text)) - 3])
    with pytest.raises(FileFormatError, match=r"part.poise:\d+: not a project of Poise's"):
        projects.open(part)


def test_damage_inside_an_archive_is_noticed(tmp_path):
    project = Project().add_clip("wave", clips.get("wave")).add("load", "wave", clip="wave")
    path = project.save(tmp_path / "wave.poise")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(FileFormatError):
        projects.open(path)


def test_edits_survive_without_a_save(path):
    """The journal of a writer that went away: replayed, it can be undone; a torn last line does not hurt."""
    writer = projects.open(path, writing=True)
    for k in range(20):
        writer.do(Set(layer="hit", path="constraints/0/target/value/0", value=0.5 + k / 100, gesture="drag"))
    writer.do(SetField(field="name", value="dragged"))
    writer.undo()
    writer.redo()
    writer.add_clip("kept", clips.get("reach"))
    expected = writer.document.digest
    writer._lock.release()  # as the system does when a process dies
    journal = journal_path(path)
    torn = journal.read_bytes() + b'0badc0de {"do": {"do": "se'
    journal.write_bytes(torn)

    reader = projects.open(path)
    assert reader.document.digest == boxer().document.digest, "not taken in unasked"
    assert reader.recovery.document.digest == expected
    assert "24 edits not saved" in str(reader.recovery)
    assert reader.recovery.torn
    again = projects.open(path, writing=True)
    with pytest.raises(InputError, match=r"recover\(\) or discard\(\)"):
        again.do(SetField(field="name", value="x"))
    again.recover()
    assert again.document.digest == expected
    assert np.array_equal(
        again.assets.load("kept", again.document.clips["kept"]).clip.q, clips.get("reach").q
    )
    again.undo()
    again.undo()
    assert again.document.name == ""
    again.undo()
    assert again.document.digest == boxer().document.digest, "the drag was one step"
    again.redo()
    after = again.document.digest
    again._lock.release()
    assert projects.open(path, recover_edits=True).document.digest == after, "the journal went on"
    last = projects.open(path, writing=True, recover_edits=True)
    last.save()
    last.close()
    assert projects.open(path).document.digest == after
    assert names(path.parent) == {"boxer.poise"}


def test_a_crash_at_any_time_loses_nothing(path):
    """Edits, drags, changes of mind and saves in any order: what a crash leaves is the document as it was."""
    rng = random.Random(1)
    writer = projects.open(path, writing=True)
    done = set()
    for k in range(800):
        gesture = rng.choice(["", "a", "a"])
        match rng.choice(
            ["do", "do", "do", "undo", "undo", "redo", "redo", "abandon", "abandon", "seal", "save"]
        ):
            case "do":
                writer.do(SetField(field="name", value=str(k), gesture=gesture))
            case "undo":
                writer.undo()
            case "redo":
                writer.redo()
            case "abandon":
                redoable = writer.history.redoable
                if writer.abandon(rng.choice([gesture, writer.history.gesture])):
                    done.add("redo restored" if writer.history.redoable > redoable else "abandoned")
            case "seal":
                writer.history.seal()
            case "save" if rng.random() < 0.5:
                writer.save()
        found = projects.open(path, recover_edits=True)
        assert found.document.digest == writer.document.digest
        if rng.random() < 0.05:  # it crashes, and somebody goes on
            writer._lock.release()
            writer = projects.open(path, writing=True, recover_edits=True)
    assert done == {"redo restored", "abandoned"}
    writer.close()


def test_journals_that_do_not_say_where_steps_begin_are_read(path):
    writer = projects.open(path, writing=True)
    writer.do(SetField(field="name", value="one", gesture="drag"))
    writer.do(SetField(field="name", value="two", gesture="drag"))
    writer._lock.release()
    journal = journal_path(path)
    lines = [json.loads(line.split(b" ", 1)[1]) for line in journal.read_bytes().splitlines()]
    assert [line.pop("step", None) for line in lines] == [None, 1, None]
    journal.write_bytes(journal_of(*lines))
    again = projects.open(path, recover_edits=True)
    assert (again.document.name, again.history.undoable) == ("two", 1)


def test_undo_of_what_was_saved_is_journalled_too(path):
    writer = projects.open(path, writing=True)
    writer.do(SetField(field="name", value="one"))
    writer.do(SetField(field="name", value="two"))
    writer.save()
    expected = []
    for step in (writer.undo, writer.undo, writer.redo, writer.undo, writer.redo, writer.redo):
        assert step()
        expected.append(writer.document.name)
        found = projects.open(path).recovery
        assert (found.document.name if found else "two") == expected[-1]
    assert expected == ["one", "", "one", "", "one", "two"]
    writer.undo()
    writer.do(SetField(field="name", value="three"))
    writer.undo()
    assert projects.open(path, recover_edits=True).document.name == "one"
    writer.close()
    assert journal_path(path).exists(), "unsaved edits stay in the journal"
    projects.open(path).discard()
    assert projects.open(path).recovery is None


def test_a_journal_of_another_document_is_no_recovery(path):
    writer = projects.open(path, writing=True)
    writer.do(SetField(field="name", value="mine"))
    writer._lock.release()
    other = boxer().do(SetField(field="name", value="another"))
    path.write_text(json.dumps(other.document.to_dict()))
    kept = journal_path(path).read_bytes()
    assert projects.open(path).recovery is None
    assert journal_path(path).read_bytes() == kept
    for number in (1, 2):  # not even a second time is it replaced
        journal_path(path).write_bytes(kept)
        with pytest.warns(UserWarning, match=f"kept in boxer.poise.journal-{number}"):
            writer = projects.open(path, writing=True)
        assert writer.aside == path.with_name(f"boxer.poise.journal-{number}")
        assert writer.aside.read_bytes() == kept
        writer.close()
    journal_path(path).write_bytes(kept.splitlines(keepends=True)[0])
    projects.open(path, writing=True).close()  # without edits, it is nobody's work


def test_a_journal_that_began_since_the_file_was_read_is_kept(path):
    reader = projects.open(path)
    writer = projects.open(path, writing=True)
    writer.do(SetField(field="name", value="theirs"))
    writer._lock.release()
    kept = journal_path(path).read_bytes()
    with pytest.warns(UserWarning, match="kept in"):
        reader.lock()
    assert reader.aside is not None
    assert reader.aside.read_bytes() == kept
    reader.close()


def journal_of(*events: dict) -> bytes:
    texts = [json.dumps(event).encode() for event in events]
    return b"".join(b"%08x %s\n" % (zlib.crc32(text), text) for text in texts)


def older(path: Path, version: int, clips: dict, *edits: dict) -> None:
    """A project as an older Poise left it, its journal naming only a digest."""
    layers = [{"kind": "source", "name": "s", "clip": "p"}, {"kind": "kinodynamics", "name": "loose"}]
    plain = {"clips": {"p": {"bundled": "punch"}, **clips}, "layers": layers}
    digest = blake2b(json.dumps(plain, separators=(",", ":")).encode(), digest_size=16).hexdigest()
    assert clips or digest == "442fccb1113078322e39717f42597438"  # what version 3 wrote into its journal
    path.write_text(json.dumps({"poise": "project", "version": version, **plain}, indent=1))
    journal_path(path).write_bytes(journal_of({"poise": "journal", "base": digest}, *edits))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("own", [{}, {"own": {"file": "punch.bvh"}}], ids=["no file yet", "a file already"])
def test_edits_of_an_older_version_are_recovered_in_the_present_one(tmp_path, version, own):
    clips.get("punch").save(tmp_path / "punch.bvh")
    path = tmp_path / "x.poise"
    older(
        path, version, own,
        {"do": {"do": "set", "layer": "loose", "path": "weight", "value": 0.5}},
        {"do": {"do": "put-clip", "name": "q", "clip": {"file": "punch.bvh"}}},
        {"do": {"do": "group", "commands": [{"do": "put-clip", "name": "r", "clip": {"file": "punch.bvh"}}]}},
    )  # fmt: skip
    found = projects.open(path, writing=True)
    assert str(found.recovery) == "3 edits not saved"
    with pytest.raises(InputError, match="recover"):
        found.save()
    found.recover()
    for name in ["q", "r", *own]:
        assert found.document.clips[name].read == ({"front": "kept"} if version == 2 else None)
    assert found.document.layer("loose").weight == 0.5
    assert (found.history.undoable, found.aside) == (3, None)
    found.do(SetField(field="name", value="later"))
    found._lock.release()
    again = projects.open(path, writing=True, recover_edits=True)
    assert again.document.digest == found.document.digest
    again.save()
    again.close()
    assert projects.open(path).recovery is None
    assert not journal_path(path).exists()


def test_documents_in_older_journals_are_brought_up_to_date_too(tmp_path):
    clips.get("punch").save(tmp_path / "punch.bvh")
    path = tmp_path / "x.poise"
    layers = [{"kind": "source", "name": "s", "clip": "q"}]
    older(path, 2, {}, {"document": {"clips": {"q": {"file": "punch.bvh"}}, "layers": layers}})
    found = projects.open(path, recover_edits=True)
    assert found.document.clips["q"].read == {"front": "kept"}
    assert found.clip().frames == clips.get("punch").frames


def test_what_is_not_understood_of_a_journal_is_kept_when_the_rest_is_taken_in(path):
    writer = projects.open(path, writing=True)
    writer.do(SetField(field="name", value="mine"))
    writer._lock.release()
    with journal_path(path).open("ab") as file:
        file.write(journal_of({"sing": 1}, {"do": {"do": "set-project", "field": "name", "value": "last"}}))
    kept = journal_path(path).read_bytes()
    with pytest.warns(UserWarning, match="kept in"):
        again = projects.open(path, writing=True, recover_edits=True)
    assert again.aside.read_bytes() == kept
    again.do(SetField(field="name", value="and on"))
    again._lock.release()
    assert projects.open(path, recover_edits=True).document.name == "and on"


def test_two_writers_notice_each_other(path):
    first = projects.open(path, writing=True)
    with pytest.raises(LockedError, match=r"open for writing elsewhere \(process \d+ of .* on .*\)"):
        projects.open(path, writing=True)
    reader = projects.open(path).do(SetField(field="name", value="r"))
    with pytest.raises(LockedError):
        reader.save()
    first.do(SetField(field="name", value="first"))
    first.save()
    first.close()
    with pytest.raises(InputError, match="changed by another program"):
        reader.save()
    assert projects.open(path).document.name == "first"
    reader.save(force=True)
    assert projects.open(path).document.name == "r"


def test_a_failed_save_leaves_the_old_file(path, monkeypatch):
    before = path.read_bytes()
    project = projects.open(path, writing=True)
    project.do(SetField(field="name", value="new"))

    monkeypatch.setattr("poise.files.os.fsync", full)
    with pytest.raises((InputError, OSError), match="No space left"):
        project.save()
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert names(path.parent) == {"boxer.poise", ".boxer.poise.lock", ".boxer.poise.journal"}
    project.save()
    project.close()
    assert projects.open(path).document.name == "new"


def test_references_follow_when_saved_elsewhere(tmp_path):
    (tmp_path / "a/sub").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    clips.get("punch").save(tmp_path / "a/sub/punch.bvh")
    project = Project().add_clip("p", tmp_path / "a/sub/punch.bvh").add("load", "s", clip="p")
    project.save(tmp_path / "a/x.poise")
    assert project.document.clips["p"].file == "sub/punch.bvh"
    project.save(tmp_path / "b/x.poise")
    assert project.document.clips["p"].file == "../a/sub/punch.bvh"
    for folder in "ab":
        assert projects.open(tmp_path / folder / "x.poise").clip().frames == clips.get("punch").frames
    (tmp_path / "a").rename(tmp_path / "moved")
    assert projects.open(tmp_path / "moved/x.poise").clip().frames == clips.get("punch").frames


@pytest.mark.parametrize("why", ["another is writing there", "the disk is full"])
def test_a_save_elsewhere_that_fails_moves_nothing(tmp_path, monkeypatch, why):
    (tmp_path / "sub").mkdir()
    clips.get("punch").save(tmp_path / "punch.bvh")
    project = Project().add_clip("p", tmp_path / "punch.bvh").add("load", "s", clip="p")
    path, other = project.save(tmp_path / "x.poise"), tmp_path / "sub/y.poise"
    project.lock()
    before, steps = project.document, project.history.undoable
    if why == "the disk is full":
        monkeypatch.setattr("poise.project.project.write_bytes", full)
        with pytest.raises(OSError, match="No space left"):
            project.save(other)
        monkeypatch.undo()
    else:
        monkeypatch.setattr("poise.project.project.PATIENCE", 0.0)
        with Lock(other), pytest.raises(LockedError):
            project.save(other)
    assert (project.document, project.history.undoable, project.modified) == (before, steps, False)
    assert project.clip().frames == clips.get("punch").frames
    project.save()
    project.close()
    again = projects.open(path)
    assert again.recovery is None
    assert again.clip().frames == clips.get("punch").frames


def full(*_, **__):
    raise OSError(28, "No space left on device")


def test_an_edit_that_was_done_is_said_to_be_done_where_the_journal_is_gone(path):
    writer = projects.open(path, writing=True)
    writer._journal.broken = True  # as a full disk leaves it
    journal_path(path).unlink()
    with pytest.raises(InputError, match=r"^the edit is done, but .*journal cannot be opened"):
        writer.do(SetField(field="name", value="new"))
    assert writer.document.name == "new"
    with pytest.raises(InputError, match=r"^(?!the edit is done).*journal cannot be opened"):
        writer.save()
    writer.close()


def test_a_project_in_memory_has_no_file():
    with pytest.raises(InputError, match="give a path"):
        boxer().save()
    with pytest.raises(InputError, match="save it first"):
        boxer().lock()
    with pytest.raises(InputError, match="there is no folder"):
        boxer().save("/nowhere/at/all/x.poise")
    assert FIST["name"] == "fist"


def lasting(path: Path) -> Project:
    """A writer that takes what a journal has, and saves it."""
    writer = projects.open(path, writing=True)
    if writer.recovery:
        writer.recover()
        writer.save()
    return writer


ROOM = {"surfaces": [{"name": "floor", "shape": {"kind": "box", "half": [2, 2, 0.1]}, "place": [0, 0, -0.1]}]}
BALL = {"name": "b", "radius": 0.1, "position": [0.5, 0.0, 1.0]}


@pytest.mark.parametrize(
    ("layer", "edits"),
    [
        ({"world": "room.json"}, [{"do": "set", "path": "obstacles", "value": [BALL]}]),
        (
            {"world": ROOM, "obstacles": [BALL]},
            [{"do": "set", "path": "obstacles/0/position", "value": [9, 9, 9]}],
        ),
        ({"obstacles": [BALL]}, [{"do": "set", "path": "world", "value": ROOM}]),
        (
            {"world": ROOM},
            [
                {"do": "rename-layer", "name": "soft"},
                {"do": "set", "layer": "soft", "path": "obstacles", "value": []},
            ],
        ),
    ],
)  # fmt: skip
def test_edits_of_obstacles_beside_a_world_are_put_aside(tmp_path, layer, edits):
    """Obstacles came after the world's own surfaces: neither their numbers nor the whole are the same."""
    path = tmp_path / "x.poise"
    (tmp_path / "room.json").write_text(json.dumps(ROOM))
    loose = {"do": "loosen", "name": "loose", **layer}
    plain = {
        "clips": {"p": {"bundled": "punch"}},
        "layers": [{"do": "load", "name": "s", "clip": "p"}, loose],
    }
    path.write_text(json.dumps({"poise": "project", "version": 5, **plain}))
    mark = sha256(path.read_bytes()).hexdigest()
    events = [{"do": {"layer": "loose", **edit}} for edit in edits]
    kept = journal_of({"poise": "journal", "version": 5, "file": mark}, *events)
    journal_path(path).write_bytes(kept)
    before = projects.open(path)
    assert before.recovery is None or before.recovery.events == len(edits) - 1
    with pytest.warns(UserWarning, match="kept in"):
        writer = lasting(path)
    assert writer.aside is not None
    assert writer.aside.read_bytes() == kept
    assert writer.document.layers[1].world == before.document.layers[1].world
    writer.close()
