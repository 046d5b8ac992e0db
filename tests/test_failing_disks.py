"""On a disk that is full or fails, what was there stays, nothing is half written, and one line says so."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import poise
from failing_disk import ERRORS, failing
from poise import project as projects
from poise.errors import InputError
from poise.project import SetField
from saved_things import BY_OTHERS, WRITERS, clip
from small_disk import fill, needs_mounting, small_disk

posix = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="calls are counted as on Linux")


def forget(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def outcomes(name: str, folder: Path) -> tuple[bytes, bytes]:
    """The file as it is before, and as it should be after."""
    found = []
    for kind in ("new", "old"):
        WRITERS[name](folder / name, kind)
        found.append((folder / name).read_bytes())
        forget(folder)
    new, old = found
    assert old != new
    return old, new


@posix
@pytest.mark.parametrize("error", ERRORS, ids=lambda e: errno.errorcode[e])
@pytest.mark.parametrize("name", WRITERS)
def test_whatever_call_fails_the_file_is_old_or_new(name, error, tmp_path):
    old, new = outcomes(name, tmp_path)
    path, number, failures = tmp_path / name, 0, 0
    while True:
        number += 1
        WRITERS[name](path, "old")
        names = set(os.listdir(tmp_path))
        refused = ""
        with failing(tmp_path, number, error) as disk:
            try:
                WRITERS[name](path, "new")
            except InputError as problem:
                refused = str(problem)
        data = path.read_bytes()
        if disk.count < number:  # there are no more calls
            assert data == new
            assert not refused
            break
        failures += 1
        failed = disk.asked[number - 1]
        assert data in (old, new), (number, failed)
        assert refused or data == new, (number, failed, "it failed, and nobody was told")
        assert "\n" not in refused
        assert not refused or os.strerror(error) in refused, refused
        left = {n for n in set(os.listdir(tmp_path)) - names if not n.endswith(".lock")}
        assert not left or failed == "os.unlink", (number, failed, left)
        forget(tmp_path)
    assert failures >= 4


def locked_project(path: Path) -> projects.Project:
    """One with a clip, saved and open for edits."""
    project = projects.Project()
    project.add_clip("walk", clip("old")).add("load", "take", clip="walk")
    project.save(path)
    project.lock()
    return project


@posix
def test_edits_on_a_full_disk_are_in_the_journal_with_the_next_that_fits(tmp_path):
    """Whichever call fails while edits are made: what was not told as lost is there after a crash."""
    path = tmp_path / "a.poise"
    number = 0
    while True:
        number += 1
        forget(tmp_path)
        project = locked_project(path)
        with failing(tmp_path, number) as disk:
            told = []
            for edit in range(1, 7):
                last = len(told)
                edits = [partial(project.do, SetField(field="name", value=f"edit {edit}"))]
                for step in [*edits, project.undo, project.redo] if edit == 4 else edits:
                    try:
                        step()
                    except InputError as problem:
                        told.append(str(problem))
        again = projects.open(path)  # as after a crash
        project.close()
        if disk.count < number:
            break
        assert len(told) <= 1
        assert all("No space left on device" in line for line in told)
        assert again.recovery is not None, disk.asked[number - 1]
        expected = "edit 6" if len(told) == last else "edit 5"  # the last one was told as not written
        assert again.recovery.document.name == expected, (told, disk.asked[number - 1])
    assert number > 5


@posix
def test_a_save_that_failed_can_be_made_good(tmp_path):
    path = tmp_path / "a.poise"
    number = 0
    while True:
        number += 1
        forget(tmp_path)
        project = locked_project(path)
        project.do(SetField(field="name", value="before"))
        failed = False
        with failing(tmp_path, number, errno.EIO) as disk:
            try:
                project.save()
            except InputError:
                failed = True
        kept = projects.open(path)
        known = kept.recovery.document if kept.recovery is not None else kept.document
        assert known.name == "before", "neither in the file nor in the journal"
        project.do(SetField(field="name", value="after"))
        crashed = projects.open(path)
        assert crashed.recovery is not None, (number, disk.asked)
        assert crashed.recovery.document.name == "after"
        project.save()
        assert projects.open(path).document.name == "after"
        project.close()
        if disk.count < number:
            assert not failed
            break


@posix
def test_a_ledger_that_could_not_be_written_says_so_and_goes_on_later(tmp_path):
    from poise.batch.ledger import Ledger
    from poise.batch.outcome import Outcome

    number = 0
    while True:
        number += 1
        forget(tmp_path)
        ledger, told = Ledger(tmp_path), []
        with failing(tmp_path, number) as disk:
            for name in ("a", "b", "c"):
                try:
                    ledger.add(Outcome(clip=name, state="done"))
                except InputError:
                    told.append(name)
        again = Ledger(tmp_path)
        assert set(again.outcomes) >= {"a", "b", "c"} - set(told), (number, disk.asked)
        again.add(Outcome(clip="d", state="done"))
        assert "d" in Ledger(tmp_path).outcomes
        if disk.count < number:
            break
    assert number > 3


@needs_mounting
@pytest.mark.parametrize("name", [*WRITERS, *BY_OTHERS])
def test_on_a_real_disk_that_is_full(name, tmp_path):
    """Room for the old file and for less than the new one, in a few steps."""
    write = {**WRITERS, **BY_OTHERS}[name]
    if name.endswith(".mp4"):
        pytest.importorskip("imageio_ffmpeg")
    if name.startswith("clip.usd"):
        pytest.importorskip("pxr")
    with small_disk(tmp_path / "small", 4096) as disk:
        path = disk / name
        write(path, "new")
        needed = path.stat().st_size
        write(path, "old")
        old, names = path.read_bytes(), set(os.listdir(disk))
        refusals = 0
        for room in sorted({0, 4096, needed // 2, max(needed - 4096, 0)}):
            fill(disk)
            filling = disk / "filling"
            os.truncate(filling, max(filling.stat().st_size - room // 4096 * 4096, 0))
            said = ""
            try:
                write(path, "new")
            except InputError as problem:
                said = str(problem)
            if said:
                refusals += 1
                assert "\n" not in said
                assert "No space left on device" in said or "the disk is full" in said
                assert path.read_bytes() == old
            filling.unlink()
            assert set(os.listdir(disk)) == names
            write(path, "old")
        assert refusals, "the disk was never full"


@needs_mounting
@pytest.mark.parametrize("film", ["film.mp4", "film.gif"])
def test_a_film_on_a_full_disk_is_one_line(film, tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    with small_disk(tmp_path / "small", 64) as disk:
        fill(disk)
        command = [sys.executable, "-c", "from poise.cli import main; main()", "render", "walk"]
        done = subprocess.run(
            [*command, "-o", str(disk / film), "--size", "64x64"], capture_output=True, text=True
        )
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith(f"poise: cannot write {disk / film}: No space left on device")
        assert os.listdir(disk) == ["filling"]


@needs_mounting
def test_a_batch_on_a_full_disk_stops_and_goes_on_when_there_is_room(tmp_path):
    from poise import batch

    clips = tmp_path / "clips"
    clips.mkdir()
    for k in range(3):
        poise.clips.get("walk").save(clips / f"{k}.bvh")
    recipe = {"output": ".npz", "steps": [{"do": "convert", "range": [0.0, 0.2]}]}
    with small_disk(tmp_path / "small", 512) as disk:
        fill(disk)
        with pytest.raises(InputError, match="No space left on device"):
            batch.run(recipe, clips, disk / "out", workers=1)
        assert not list(disk.rglob("*.npz"))
        (disk / "filling").unlink()
        summary = batch.run(recipe, clips, disk / "out", workers=1)
        assert summary.fine
        assert len(list(disk.rglob("*.npz"))) == 3


def test_a_limit_on_the_size_of_files_is_told_like_a_full_disk(tmp_path):
    resource = pytest.importorskip("resource")
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "from poise.cli import main; main()"
    )
    assert resource
    path = tmp_path / "walk.bvh"
    path.write_text("as it was")
    command = [sys.executable, "-B", "-c", code, "convert", "walk", "-o", str(path), "--force"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.strip() == f"poise: cannot write {path}: File too large"
    assert path.read_text() == "as it was"
    assert os.listdir(tmp_path) == ["walk.bvh"]


def test_plots_and_pages_are_written_whole(tmp_path):
    """The functions that users call, on a disk that takes nothing."""
    pytest.importorskip("matplotlib")
    report = poise.check(clip("new"))
    path = tmp_path / "page.svg"
    path.write_text("as it was")
    with failing(tmp_path, 2) as disk, pytest.raises(InputError, match="No space left"):
        report.plot(path)
    assert disk.count >= 2
    assert path.read_text() == "as it was"


def test_json_notes_beside_what_was_baked_are_whole(tmp_path):
    path = tmp_path / "baked.bvh"
    WRITERS["baked.bvh"](path, "old")
    notes = [p for p in tmp_path.iterdir() if p != path]
    assert notes
    for note in notes:
        assert json.loads(note.read_text(encoding="utf-8"))
    shutil.rmtree(tmp_path)
