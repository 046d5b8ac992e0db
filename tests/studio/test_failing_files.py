"""What documents and disks do: layers that fail, sources that are gone or garbage, disks that are full."""

from __future__ import annotations

import resource
import shutil
from pathlib import Path
from typing import Any

import pytest
from failing import AGAIN, Failure, Scene, judged, judged_and_restored

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
NOBODY: dict[str, Any] = {"do": "wear", "name": "hat", "to": "Nobody"}


def torn_layer(s: Scene) -> None:
    s.add(NOBODY)
    assert "Nobody" in s.stands("partial")["bypassed"]["hat"]
    s.tab.do(do="remove-layer", layer="hat")
    assert s.stands("exact")["bypassed"] == {}


def two_torn_layers(s: Scene) -> None:
    s.add(NOBODY)
    s.tab.do(do="add-layer", layer={**NOBODY, "name": "cap"})
    revision = s.tab.until("state", number=s.tab.number)["revision"]
    assert set(s.stands("partial", shown=revision)["bypassed"]) == {"hat", "cap"}


def source_gone(s: Scene) -> None:
    there = s.folder / "walk.bvh"
    there.rename(s.folder / "elsewhere")
    s.seal()
    told = s.stands("failed")
    assert "walk.bvh is missing" in told["why"]
    (s.folder / "elsewhere").rename(there)
    s.tab.say("seal")
    s.stands("exact")


def source_garbage(s: Scene) -> None:
    there, kept = s.folder / "walk.bvh", (s.folder / "walk.bvh").read_bytes()
    there.write_bytes(b"HIERARCHY\nnothing of the kind\n")
    s.seal()
    told = s.stands("failed")
    assert told["layer"] == "walk"
    assert told["why"]
    there.write_bytes(kept)
    s.tab.say("seal")
    s.stands("exact")


def source_a_folder(s: Scene) -> None:
    there, kept = s.folder / "walk.bvh", (s.folder / "walk.bvh").read_bytes()
    there.unlink()
    there.mkdir()
    s.seal()
    assert s.stands("failed")["why"]
    there.rmdir()
    there.write_bytes(kept)
    s.tab.say("seal")
    s.stands("exact")


def full_on_saving(s: Scene) -> None:
    before = s.path.read_bytes()
    s.edit()
    s.stands("exact")
    s.full()
    s.tab.say("save", number=s.number())
    assert s.said("problem", number=s.tab.number)["text"]
    assert s.path.read_bytes() == before
    s.roomy()
    s.tab.say("save", number=s.number())
    s.said("notice", event="saved", number=s.tab.number)
    assert s.path.read_bytes() != before
    s.edit(value=True)
    s.stands("exact")


def full_on_editing(s: Scene) -> None:
    """The edit is made and seen; that it is not in the journal is said."""
    s.full(1)
    s.tab.do(do="set", layer="other way", path="muted", value=False)
    told = s.said("problem", number=s.tab.number)
    assert "the edit is done, but" in told["text"]
    s.roomy()
    s.stands("exact")
    assert not s.muted()
    s.tab.say("save", number=s.number())
    s.said("notice", event="saved", number=s.tab.number)


def full_on_exporting(s: Scene) -> None:
    resource.prlimit(s.solver, resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
    s.tab.say("export", path="out.bvh", number=s.number())
    assert s.said("problem", number=s.tab.number)["text"]
    assert not [p.name for p in s.folder.iterdir() if "out" in p.name]
    resource.prlimit(s.solver, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    s.tab.say("export", path="out.bvh", number=s.number())
    s.said("answer", number=s.tab.number)
    (s.folder / "out.bvh").unlink()
    s.edit()
    s.stands("exact")


def project_file_gone(s: Scene) -> None:
    s.path.unlink()
    s.edit()
    s.stands("exact")
    s.tab.say("save", number=s.number())
    s.said("notice", event="saved", number=s.tab.number)
    assert s.path.exists()


def unreadable_file(s: Scene) -> None:
    (s.folder / "broken.bvh").write_text("nothing")
    s.tab.say("open", path="broken.bvh", number=s.number())
    assert "broken.bvh" in s.said("problem", number=s.tab.number)["text"]
    (s.folder / "broken.bvh").unlink()
    s.edit()
    s.stands("exact")


def workspace_gone(s: Scene) -> None:
    """The folder is moved away under the studio: nothing more can be kept, and that is said."""
    away = s.folder.with_name("away")
    shutil.move(s.folder, away)
    s.tab.say("save", number=s.number())
    assert s.said("problem", number=s.tab.number)["text"]
    shutil.move(away, s.folder)
    s.tab.say("seal")
    s.stands("exact")
    s.tab.say("save", number=s.number())
    s.said("notice", event="saved", number=s.tab.number)


FAILURES = [
    Failure("a layer fails", torn_layer, ("solving", "partial", *AGAIN)),
    Failure("two layers fail", two_torn_layers, ("solving", "partial")),
    Failure("the source is gone", source_gone, ("solving", "failed", *AGAIN)),
    Failure("the source is garbage", source_garbage, ("solving", "failed", *AGAIN)),
    Failure("the source is a folder", source_a_folder, ("solving", "failed", *AGAIN)),
    Failure("the disk is full on saving", full_on_saving, AGAIN),
    Failure("the disk is full on editing", full_on_editing, AGAIN),
    Failure("the disk is full on exporting", full_on_exporting, AGAIN),
    Failure("the project's file is gone", project_file_gone, AGAIN),
    Failure("a file that cannot be read", unreadable_file, AGAIN),
]
LAST = Failure("the folder is moved away", workspace_gone, ("exact",))
"""Nobody can go on with a studio after it."""


@pytest.mark.parametrize("failure", FAILURES, ids=lambda f: f.name)
def test_what_is_told_is_true_and_nothing_is_lost(failure: Failure, shared_scene: Scene):
    judged_and_restored(shared_scene, failure)


def test_what_is_told_of_a_folder_that_is_moved_is_true(tmp_path):
    scene = Scene(tmp_path)
    try:
        judged(scene, LAST)
    finally:
        scene.close()
