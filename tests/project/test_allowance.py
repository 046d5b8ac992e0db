"""What a user lets a project read is remembered for this user and this project, and for nobody else."""

from __future__ import annotations

import shutil

import pytest

import poise
from poise import project as projects
from poise.errors import InputError
from poise.project import LockedError, allowance
from poise.project.lock import Lock

OUTSIDE = "outside the folder"


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """A project beside a folder of captures, one of which it uses."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("captures", "work", "post"):
        (tmp_path / name).mkdir()
    poise.clips.get("walk").save(tmp_path / "captures" / "walk.bvh")
    poise.clips.get("run").save(tmp_path / "captures" / "run.bvh")
    project = poise.Project().add_clip("walk", tmp_path / "captures" / "walk.bvh").add("load", clip="walk")
    return project.save(tmp_path / "work" / "mine.poise")


def test_who_added_a_clip_opens_the_project_again(saved):
    assert projects.open(saved).clip().frames > 1


def test_a_clip_added_to_an_open_project_outlives_a_crash(saved, tmp_path):
    project = projects.open(saved, writing=True)
    project.add_clip("run", tmp_path / "captures" / "run.bvh").set("load", clip="run")
    project._lock.release()  # as a crash leaves it: neither saved nor closed
    again = projects.open(saved, writing=True, recover_edits=True)
    assert again.clip().frames == poise.clips.get("run").frames
    again.close()


def test_the_same_document_from_somebody_else_may_read_nothing(saved, tmp_path):
    received = shutil.copy(saved, tmp_path / "post" / "mine.poise")
    with pytest.raises(InputError, match=OUTSIDE):
        projects.open(received).clip()


def test_a_document_of_somebody_elses_saved_over_ones_own_may_read_nothing(saved, tmp_path):
    saved.write_text(saved.read_text() + "\n")
    with pytest.raises(InputError, match=OUTSIDE):
        projects.open(saved).clip()
    received = projects.open(saved)
    received.do({"do": "set-project", "field": "name", "value": "not mine"})
    received.save()  # nor where the user goes on with it
    with pytest.raises(InputError, match=OUTSIDE):
        projects.open(saved).clip()


def test_a_file_that_was_saved_before_may_come_back(saved):
    own = saved.read_bytes()
    project = projects.open(saved)
    for name in "abc":
        project.do({"do": "set-project", "field": "name", "value": name}).save()
        assert projects.open(saved).clip().frames > 1
    saved.write_bytes(own)
    assert projects.open(saved).clip().frames > 1


def test_who_allows_something_keeps_others_waiting(saved, tmp_path, monkeypatch):
    """From reading what is remembered to writing it: nobody's is forgotten."""
    write, (kept,) = allowance.write_bytes, (tmp_path / "state" / "poise" / "allowances").iterdir()
    digest = projects.open(saved)._disk.file
    tried = []

    def held(path, data):
        tried.append(path)
        with pytest.raises(LockedError):
            Lock(kept).take()
        return write(path, data)

    monkeypatch.setattr(allowance, "write_bytes", held)
    allowance.allow(saved, [tmp_path / "captures" / "run.bvh"], digest, digest)
    assert tried == [kept]
    assert {path.name for path in allowance.allowed(saved, digest)} == {"walk.bvh", "run.bvh"}


def test_another_user_is_asked(saved, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    with pytest.raises(InputError, match=OUTSIDE):
        projects.open(saved).clip()


def test_no_other_file_may_be_read(saved):
    saved.write_text(saved.read_text().replace("walk.bvh", "run.bvh"))
    with pytest.raises(InputError, match=OUTSIDE):
        projects.open(saved).clip()


def test_a_project_saved_elsewhere_goes_on_with_its_clips(saved, tmp_path):
    copy = projects.open(saved).save(tmp_path / "post" / "second.poise")
    assert projects.open(copy).clip().frames > 1


@pytest.mark.parametrize("content", ["", "[]", '{"project": 1}', "\0\1"])
def test_what_is_damaged_allows_nothing(saved, tmp_path, content):
    (kept,) = (tmp_path / "state" / "poise" / "allowances").iterdir()
    kept.write_text(content)
    with pytest.raises(InputError, match=OUTSIDE):
        projects.open(saved).clip()


def test_where_nothing_can_be_kept_saving_works(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/none")
    (tmp_path / "work").mkdir()
    poise.clips.get("walk").save(tmp_path / "walk.bvh")
    project = poise.Project().add_clip("walk", tmp_path / "walk.bvh").add("load", clip="walk")
    assert project.save(tmp_path / "work" / "x.poise").exists()
