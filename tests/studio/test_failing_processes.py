"""What processes do: they are killed, stand still, are stopped or overtaken by newer edits."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from failing import AGAIN, Failure, Scene, judged_and_restored

import poise
from poise.studio.server import status_board

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


def killed_idle(s: Scene) -> None:
    s.kill(s.solver)
    s.said("notice", event="restarted")
    s.stands("exact")


def killed_solving(s: Scene) -> None:
    s.kill(s.solver, signal.SIGSTOP)
    revision = s.edit()["revision"]
    s.kill(s.solver)
    s.said("notice", event="restarted")
    s.stands("exact", shown=revision)
    assert not s.muted()


def killed_dragging(s: Scene) -> None:
    s.edit(live=True, gesture="drag")
    s.kill(s.solver)
    s.said("notice", event="restarted")
    s.tab.say("seal")
    s.stands("exact")
    assert not s.muted()


def killed_twice(s: Scene) -> None:
    for _ in range(2):
        s.kill(s.solver)
        s.said("notice", event="restarted")
    s.stands("exact")


def frozen(s: Scene) -> None:
    before = s.solver
    s.kill(before, signal.SIGSTOP)
    s.edit()
    told = s.stands("solving", quiet=0.0)
    while not told["quiet"]:
        told = s.stands("solving")
    assert told["quiet"] >= status_board.SILENCE
    s.said("notice", event="restarted")
    s.stands("exact")
    assert s.solver != before


def slow_and_well(s: Scene) -> None:
    """It stands still for a moment, and goes on by itself: nothing is restarted."""
    before = s.solver
    s.kill(before, signal.SIGSTOP)
    s.edit()
    told = s.stands("solving")
    while not told["quiet"]:
        told = s.stands("solving")
    s.kill(before, signal.SIGCONT)
    told = s.stands("exact")
    assert told["quiet"] == 0.0
    assert s.solver == before


def poser_killed(s: Scene) -> None:
    s.tab.say("grab", session=1, number=s.number())
    s.tab.until("grabbed", number=s.tab.number)
    q = poise.load(s.folder / "walk.bvh").q[0].tolist()
    s.tab.say("grab", session=2, q=q, point="RightHand", number=s.number())
    s.tab.until("grabbed", number=s.tab.number)
    s.kill(s.poser, signal.SIGSTOP)
    s.tab.say("pull", session=2, seq=1, place=[0.4, -0.3, 1.2], number=s.number())
    pulled = s.tab.number
    s.tab.ask("files")  # the server has heard it
    s.kill(s.poser)
    assert "grab it once more" in s.said("problem", number=pulled)["text"]
    s.tab.say("grab", session=3, q=q, point="RightHand", number=s.number())
    s.tab.until("grabbed", number=s.tab.number)
    s.edit()
    s.stands("exact")


def stopped_and_gone_on(s: Scene) -> None:
    s.kill(s.solver, signal.SIGSTOP)
    revision = s.edit()["revision"]
    s.tab.say("cancel", number=s.number())
    s.said("notice", event="stopped", number=s.tab.number)
    s.kill(s.solver, signal.SIGCONT)
    s.tab.say("seal", number=s.number())
    s.stands("exact", shown=revision)


def nothing_to_stop(s: Scene) -> None:
    s.tab.say("cancel", number=s.number())
    assert s.said("notice", number=s.tab.number)["event"] == "idle"
    s.edit()
    s.stands("exact")


def newer_edit(s: Scene) -> None:
    s.kill(s.solver, signal.SIGSTOP)
    s.edit(value=False)
    s.edit(value=True)
    revision = s.edit(value=False)["revision"]
    s.kill(s.solver, signal.SIGCONT)
    s.stands("exact", shown=revision)
    assert not s.muted()


def undone_meanwhile(s: Scene) -> None:
    s.kill(s.solver, signal.SIGSTOP)
    s.edit()
    s.tab.say("undo", number=s.number())
    revision = s.tab.until("state", number=s.tab.number)["revision"]
    s.kill(s.solver, signal.SIGCONT)
    s.stands("exact", shown=revision)
    assert s.muted()


def flooded(s: Scene) -> None:
    for k in range(200):
        s.tab.do(live=True, do="set", layer="other way", path="weight", value=k / 200, gesture="flood")
    revision = s.tab.until("state", number=s.tab.number)["revision"]
    s.tab.say("seal")
    s.stands("exact", shown=revision)


FAILURES = [
    Failure("the solver is killed while nobody wants anything", killed_idle, AGAIN),
    Failure("the solver is killed while it solves", killed_solving, AGAIN),
    Failure("the solver is killed in a drag", killed_dragging, ("draft", "solving", "exact")),
    Failure("the solver is killed again and again", killed_twice, AGAIN),
    Failure("the solver stands still", frozen, AGAIN),
    Failure("the solver stands still for a moment", slow_and_well, AGAIN),
    Failure("the poser is killed in a pull", poser_killed, AGAIN),
    Failure("solving is stopped, and gone on with", stopped_and_gone_on, ("solving", "stopped", "exact")),
    Failure("there is nothing to stop", nothing_to_stop, AGAIN),
    Failure("newer edits come while one is solved", newer_edit, AGAIN),
    Failure("it is undone while it is solved", undone_meanwhile, AGAIN),
    Failure("two hundred edits at once", flooded, ("draft", *AGAIN)),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda f: f.name)
def test_what_is_told_is_true_and_nothing_is_lost(failure: Failure, shared_scene: Scene):
    judged_and_restored(shared_scene, failure)
