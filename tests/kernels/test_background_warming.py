"""The first command of an install has the rest compiled in the background: once, never two, heard of once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from poise.cli import background_warming as background

fcntl = pytest.importorskip("fcntl", reason="locks on files")


@pytest.fixture
def started(tmp_path, monkeypatch):
    """What would have been started; locks that it would hold are kept."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv(background.VARIABLE, "on")
    made: list[dict] = []

    def popen(command, *, pass_fds, **options):
        made.append({"command": command, "lock": [os.dup(fd) for fd in pass_fds], **options})

    monkeypatch.setattr(background.subprocess, "Popen", popen)
    yield made
    for each in made:
        end(each)


def end(process: dict) -> None:
    """The process is gone, and its lock with it."""
    while process["lock"]:
        os.close(process["lock"].pop())


def test_there_are_never_two_and_an_end_is_an_end(started, capsys):
    assert background.start("loosen")
    assert capsys.readouterr().err.count("\n") == 1
    assert not background.start("loosen"), "one is at it"
    assert capsys.readouterr().err == ""
    (first,) = started
    assert first["stdin"] == first["stdout"] == first["stderr"] == subprocess.DEVNULL
    assert first["start_new_session"]
    end(first)  # before it was done
    assert background.start("hit")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(background._LOCK, str(started[-1]["lock"][0]))
        background.finished()
    end(started[-1])
    assert not background.start("hit"), "it is done"
    assert len(started) == 2


def test_it_is_not_tried_for_ever(started):
    for _ in range(background.ATTEMPTS):
        assert background.start("loosen")
        end(started[-1])
    assert not background.start("loosen")


@pytest.mark.parametrize("name", ["warm", "doctor"])
def test_verbs_about_kernels_start_nothing(started, name):
    assert not background.start(name)
    assert not started


def test_where_nothing_can_be_kept_nothing_is_started(started, tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    assert not background.start("loosen")
    assert not started
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, True),
        ({"POISE_WARM": "off"}, False),
        ({"CI": "true"}, False),
        ({"PYTEST_VERSION": "9"}, False),
        ({"CI": "true", "POISE_WARM": "on"}, True),
    ],
)
def test_installs_warm_and_tests_do_not(monkeypatch, environment, expected):
    for name in ("CI", "PYTEST_VERSION", "PYTEST_CURRENT_TEST", "POISE_WARM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(background, "__file__", "/usr/lib/python3/site-packages/poise/cli/x.py")
    monkeypatch.setattr(background, "_shipped", lambda: False)
    assert background.wanted() == expected
    monkeypatch.setattr(background, "_shipped", lambda: True)
    assert background.wanted() == (environment.get("POISE_WARM") == "on"), "kernels came with it"


def test_a_checkout_is_not_warmed_behind_its_back(monkeypatch):
    for name in ("CI", "PYTEST_VERSION", "PYTEST_CURRENT_TEST", "POISE_WARM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(background, "__file__", "/home/me/poise/src/poise/cli/x.py")
    assert not background.wanted()


def test_helps_and_versions_start_nothing(tmp_path):
    environment = {**os.environ, "POISE_WARM": "on", "NUMBA_CACHE_DIR": str(tmp_path)}
    for words in (["--version"], ["--help"], ["loosen", "--help"]):
        command = [sys.executable, "-c", background.PROGRAM, *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0
        assert done.stderr == ""
    assert not list(tmp_path.iterdir())


PROGRAM = """
from poise.cli import background_warming, main
background_warming.PROGRAM = "import os, time; open({told!r}, 'w').write(str(os.getpid())); time.sleep(600)"
main(["info", "walk"])
"""


def test_the_command_ends_while_the_background_goes_on(tmp_path):
    """Whoever reads its output sees the end of it: nothing is held open."""
    told = tmp_path / "pid"
    environment = {**os.environ, "POISE_WARM": "on", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", PROGRAM.format(told=str(told))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    assert "frames" in done.stdout
    assert done.stderr.strip() == background.SENTENCE
    pid = _told(told)
    assert _alive(pid), "it was there all the while"
    assert os.getsid(pid) == pid, "no terminal that closes ends it"
    os.kill(pid, signal.SIGKILL)


def _told(path: Path) -> int:
    """The number of the process, once it has said it."""
    while not (path.exists() and path.read_text()):
        time.sleep(0.05)
    return int(path.read_text())


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
