"""What tabs do: two at a time, reloads, torn connections, what is not understood or not allowed."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from failing import AGAIN, Failure, Scene, judged_and_restored
from websockets.exceptions import InvalidStatus

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


def two_tabs(s: Scene) -> None:
    with s.studio.tab() as other:
        other.until("state")
        revision = s.edit()["revision"]
        assert other.until("state", revision=revision)["document"]
        s.stands("exact", shown=revision)
        while (told := other.until("status")["standing"])["state"] != "exact":
            pass
        assert told["shown"] == revision


def reload_in_a_drag(s: Scene) -> None:
    undoable = s.edit(live=True, gesture="drag")["undoable"]
    s.tab.close()
    s.again()
    s.stands("exact")
    state = next(t for t in s.tab.told if t["told"] == "state")
    assert state["undoable"] == undoable
    assert not s.muted()
    assert s.edit(value=True, gesture="drag")["undoable"] == undoable + 1  # a step of its own
    s.stands("exact")


def torn_connection(s: Scene) -> None:
    """As where a network goes: nobody says farewell."""
    undoable = s.edit(live=True, gesture="drag")["undoable"]
    s.tab.socket.socket.shutdown(2)
    with contextlib.suppress(Exception):
        s.tab.close()
    s.again()
    state = s.tab.until("state")
    while state["undoable"] != undoable:  # until the server finds out
        state = s.tab.until("state")
    s.edit(value=True)
    s.stands("exact")


def deaf_tab(s: Scene) -> None:
    """Somebody who does not read holds nobody up."""
    sleepy = s.studio.tab(read=False)
    s.edit()
    s.stands("exact")
    sleepy.close()


def not_understood(s: Scene) -> None:
    for text in ("{", "[]", '{"say":"fly"}', '{"say":"do"}', '{"say":"look","frame":"x"}'):
        s.tab.socket.send(text)
        assert "not understood" in s.said("problem")["text"]
    s.edit()
    s.stands("exact")


def refused_command(s: Scene) -> None:
    s.tab.do(do="set", layer="nobody", path="muted", value=True)
    assert "nobody" in s.said("problem", number=s.tab.number)["text"]
    s.edit()
    s.stands("exact")


def outside(s: Scene) -> None:
    for say in ({"say": "open", "path": "../walk.poise"}, {"say": "export", "path": "../out.bvh"}):
        s.tab.say(**{"what": say.pop("say"), **say}, number=s.number())
        assert s.said("problem", number=s.tab.number)["text"]
    s.tab.do(do="put-clip", name="x", clip={"file": "../walk.bvh"})
    assert s.said("problem", number=s.tab.number)["text"]
    s.edit()
    s.stands("exact")


def stranger(s: Scene) -> None:
    cookie, s.studio.cookie = s.studio.cookie, "poise=wrong"
    with pytest.raises(InvalidStatus):
        s.studio.tab()
    s.studio.cookie = cookie
    s.edit()
    s.stands("exact")


FAILURES = [
    Failure("two tabs", two_tabs, AGAIN),
    Failure("a reload in a drag", reload_in_a_drag, ("draft", "exact")),
    Failure("the connection is torn in a drag", torn_connection, ("exact",)),
    Failure("a tab that does not read", deaf_tab, AGAIN),
    Failure("what is not understood", not_understood, AGAIN),
    Failure("a command that cannot be", refused_command, AGAIN),
    Failure("paths that lead outside", outside, AGAIN),
    Failure("somebody without the token", stranger, AGAIN),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda f: f.name)
def test_what_is_told_is_true_and_nothing_is_lost(failure: Failure, shared_scene: Scene):
    judged_and_restored(shared_scene, failure)
