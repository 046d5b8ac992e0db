"""What stood at a path before is replaced whole or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from contextlib import suppress

import pytest

from poise.errors import InputError
from poise.files import forget_remains, replacing, write_bytes, write_text


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = write_text(tmp_path / "a.json", "old")

    def fail_halfway():
        with replacing(path) as temporary:
            temporary.write_text("half of the new")
            raise RuntimeError("the disk was pulled out")

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("durable", [False, True])
def test_success_replaces_it_and_keeps_its_permissions(tmp_path, durable):
    path = write_text(tmp_path / "a.json", "old")
    path.chmod(0o640)
    write_text(path, "new", durable=durable)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_link_stays_a_link(tmp_path):
    real = write_text(tmp_path / "real.txt", "old")
    link = tmp_path / "link.txt"
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_folders_are_refused_by_name(tmp_path):
    with pytest.raises(InputError, match="this is a folder"):
        write_text(tmp_path, "x")
    with pytest.raises(InputError, match="there is no folder"):
        write_text(tmp_path / "no" / "a.txt", "x")


def test_a_problem_of_the_disk_is_told_in_one_line(tmp_path):
    with pytest.raises(InputError, match=r"cannot write .*a\.txt"), replacing(tmp_path / "a.txt"):
        raise OSError(28, "No space left on device")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_handed_the_whole_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="nobody reads from it"):
        write_text(pipe, "x")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replacing(pipe) as outer:
        assert outer.suffix == ".json"
        write_text(outer, "who")
        write_text(outer, "whole")
        assert os.read(reader, 100) == b"", "nothing has come yet"
    assert os.read(reader, 100) == b"whole"

    def fail_halfway():
        with replacing(pipe) as temporary:
            temporary.write_text("half of the new")
            raise RuntimeError("it went wrong")

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert os.read(reader, 100) == b""
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe.json"]


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs /dev/stdout")
def test_standard_output_can_be_written_to():
    code = "from poise.files import write_text; write_text('/dev/stdout', 'whole')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("whole", "")


@pytest.mark.skipif(not hasattr(os, "mknod"), reason="needs devices")
@pytest.mark.parametrize("kind", [stat.S_IFCHR, stat.S_IFBLK], ids=["nowhere", "a disk"])
def test_devices_stay_what_they_are(tmp_path, kind):
    device = tmp_path / "device.txt"
    number = os.makedev(1, 3) if kind == stat.S_IFCHR else os.makedev(7, 250)
    try:
        os.mknod(device, 0o666 | kind, number)
    except PermissionError:
        pytest.skip("only root makes devices")
    if kind == stat.S_IFBLK:
        with pytest.raises(InputError, match="this is a device"):
            write_text(device, "x")
    else:
        with suppress(InputError):  # as on disks without devices
            write_text(device, "x")
    assert (stat.S_IFMT(device.stat().st_mode), device.stat().st_rdev) == (kind, number)


def kill_while_writing(path) -> None:
    """A writer of this file is killed half-way."""
    child = os.fork()
    if child == 0:
        with replacing(path) as temporary:
            temporary.write_bytes(b"half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_what_killed_writers_left_is_forgotten_and_nothing_else(tmp_path):
    path = write_bytes(tmp_path / "take.poise", b"whole")
    kill_while_writing(path)
    others = {
        "take.poise",
        ".take-2.poise",
        ".take-0123abcd.bvh",
        ".take two-0123abcd.poise",
        "take-0123abcd.poise",
        ".take-20240131.poise",
        ".take-0123456789abcdef.poise",
    }
    for name in others - {"take.poise"}:
        (tmp_path / name).touch()
    assert len(os.listdir(tmp_path)) == len(others) + 1
    forget_remains(path)
    assert set(os.listdir(tmp_path)) == others
    assert path.read_bytes() == b"whole"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_the_next_writer_removes_what_a_killed_one_left_and_leaves_others_at_work(tmp_path):
    path = write_bytes(tmp_path / "take.glb", b"whole")
    kill_while_writing(path)
    assert len(os.listdir(tmp_path)) == 2
    with replacing(path) as mine:
        assert set(os.listdir(tmp_path)) == {path.name, mine.name}, "the killed one's is gone"
        mine.write_bytes(b"mine")
        write_bytes(path, b"another's")
        assert mine.exists(), "one at work is not to be disturbed"
    assert path.read_bytes() == b"mine"
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("name", ["界" * 80 + ".bvh", "x" * 250 + ".bvh", ".hidden", "no extension"])
def test_names_as_long_as_systems_allow(tmp_path, name):
    path = write_text(tmp_path / name, "contents")
    assert path.read_text() == "contents"
    assert os.listdir(tmp_path) == [name]


def test_what_is_written_within_has_no_temporary_file_of_its_own(tmp_path):
    """Its name would tell nobody whose remains it is, once its writer is killed."""
    path = tmp_path / "x.txt"
    with replacing(path) as outer:
        write_text(outer, "whole")
        with replacing(outer) as inner:
            assert inner == outer
        assert [p.name for p in tmp_path.iterdir()] == [outer.name]
        assert outer.read_text() == "whole"
    assert [p.name for p in tmp_path.iterdir()] == ["x.txt"]
    with pytest.raises(InputError, match="no folder"), replacing(tmp_path / "gone" / outer.name):
        pass
