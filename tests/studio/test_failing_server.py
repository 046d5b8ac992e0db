"""The server itself is killed, and its journal torn: what was answered is there when it starts again."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from failing import Failure, Scene, judged

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


def server_killed(s: Scene) -> None:
    s.tab.say("hello", number=s.number())
    session = s.tab.until("welcome", number=s.tab.number)["session"]
    s.tab.say("do", command=_mute(False), edit="mine:1", number=s.number())
    s.tab.until("state", number=s.tab.number)
    s.restart()
    assert "not saved" in s.tab.until("state")["recovery"]
    s.tab.say("hello", waiting=["mine:1", "mine:2"], number=1)
    welcome = s.tab.until("welcome", number=1)
    assert (welcome["done"], welcome["session"] != session) == ([0], True)
    s.tab.say("recover", keep=True, number=2)
    s.tab.until("state", number=2)
    s.stands("exact")
    assert not s.muted()


def server_killed_in_a_drag(s: Scene) -> None:
    s.edit(live=True, gesture="drag")
    s.restart()
    assert s.tab.until("state")["recovery"]
    s.tab.say("recover", keep=True, number=2)
    assert s.tab.until("state", number=2)["undoable"] == 1
    s.stands("exact")
    assert not s.muted()


def journal_torn(s: Scene) -> None:
    """The last line of the journal was cut by a crash: everything before it counts."""
    s.edit(value=False)
    s.edit(value=True)
    s.studio.kill()
    (journal,) = s.folder.glob(".walk.poise.journal")
    journal.write_bytes(journal.read_bytes()[:-9])
    s.restart()
    s.tab.until("state")
    s.tab.say("recover", keep=True, number=2)
    s.tab.until("state", number=2)
    s.stands("exact")
    assert not s.muted()


def _mute(value: bool) -> dict[str, Any]:
    return {"do": "set", "layer": "other way", "path": "muted", "value": value}


FAILURES = [
    Failure("the server is killed", server_killed, ("exact",)),
    Failure("the server is killed in a drag", server_killed_in_a_drag, ("exact",)),
    Failure("the journal is torn", journal_torn, ("exact",)),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda f: f.name)
def test_what_is_told_is_true_and_nothing_is_lost(failure: Failure, tmp_path):
    scene = Scene(tmp_path)
    try:
        judged(scene, failure)
    finally:
        scene.close()


def test_there_are_thirty_of_them():
    files = [import_module(f"test_failing_{what}") for what in ("files", "processes", "server", "tabs")]
    names = [failure.name for file in files for failure in file.FAILURES]
    assert len(names) >= 30
    assert len(set(names)) == len(names)
