"""Things that go wrong, one table of them: what everybody is told is true, in the order it becomes so, and
nothing that was answered is lost.

Judged by the order of states and by ticks of the studio's own clock (it tells how things stand once a second
while somebody is at work), so that a busy machine changes nothing; and by how long it takes until the first
true state is told, in as many times as long as others on this machine make work take. What goes wrong in
a browser (offline, edits that wait, a reload) is in ``web/tests/browser/crash.browser.ts``.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from running import LONG, Studio, TabClient, children, command_line
from websockets.exceptions import InvalidStatus

import poise
from poise import clips
from poise.project import Project
from poise.studio.server import status_board

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
NOBODY: dict[str, Any] = {"do": "wear", "name": "hat", "to": "Nobody"}
TRUE_WITHIN = 2.0
"""So long after something happened what is told of it is true [s]."""
QUICK = 2
"""So many ticks at most tell of how things were before something happened."""


class Scene:
    """A studio with a project of a walk from a file, and a tab that sees its motion."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        clips.get("walk").save(folder / "walk.bvh")
        project = Project()
        project.do({"do": "put-clip", "name": "walk", "clip": {"file": "walk.bvh"}})
        project.evaluator.assets.folder = folder
        project.add("load", "walk", clip="walk").add("mirror", "other way", muted=True)
        self.path = project.save(folder / "walk.poise")
        self.studio = Studio(folder, self.path)
        self.past: list[dict[str, Any]] = []
        """What tabs were told that are closed by now, since the last failure."""
        self.done_at: list[float] = []
        """When something was done to it, since the last failure [s]."""
        self.tab = self.joined()
        self.since = len(self.tab.told)

    @property
    def seen(self) -> list[dict[str, Any]]:
        """How things stood since, one after the other."""
        told = [*self.past, *self.tab.told[self.since :]]
        return [message["standing"] for message in told if message["told"] == "status"]

    def begin(self) -> None:
        """From here on it counts what is told."""
        self.past, self.since = [], len(self.tab.told)
        self.done_at = []

    def delay(self, state: str) -> float | None:
        """How long after the last thing that was done a state was first told [s]; None: not in this tab."""
        for told, at in zip(self.tab.told[self.since :], self.tab.heard_at[self.since :], strict=True):
            if told["told"] == "status" and told["standing"]["state"] == state:
                return min((at - done for done in self.done_at if done <= at), default=None)
        return None

    def again(self) -> None:
        """Another tab in place of the one there was."""
        self.past += self.tab.told[self.since :]
        self.tab, self.since = self.studio.tab(), 0

    def restart(self) -> None:
        """Another server in place of one that was killed."""
        self.studio.kill()
        self.studio.__exit__()
        with contextlib.suppress(Exception):
            self.tab.close()
        self.studio = Studio(self.folder, self.path)
        self.again()

    def joined(self) -> TabClient:
        tab = self.studio.tab()
        while tab.until("status")["standing"]["state"] != "exact":
            pass
        return tab

    @property
    def solver(self) -> int:
        """Its process: the oldest that the server started."""
        return min(p for p in children(self.studio.process.pid) if "spawn_main" in command_line(p))

    @property
    def poser(self) -> int:
        found = [p for p in children(self.studio.process.pid) if "spawn_main" in command_line(p)]
        assert len(found) == 2, found
        return max(found)

    def kill(self, pid: int, how: signal.Signals = signal.SIGKILL) -> None:
        self.done_at.append(time.monotonic())
        os.kill(pid, how)

    def edit(self, value: bool = False, *, live: bool = False, gesture: str = "") -> dict[str, Any]:
        """Mute a layer or not; the state that answers."""
        more = {"gesture": gesture} if gesture else {}
        self.done_at.append(time.monotonic())
        self.tab.do(live=live, do="set", layer="other way", path="muted", value=value, **more)
        return self.tab.until("state", number=self.tab.number)

    def add(self, layer: dict[str, Any]) -> None:
        self.done_at.append(time.monotonic())
        self.tab.do(do="add-layer", layer=layer)
        self.tab.until("state", number=self.tab.number)

    def stands(self, state: str, **fields: Any) -> dict[str, Any]:
        """How things stand as soon as they stand so."""
        while True:
            told = self.tab.until("status")["standing"]
            if told["state"] == state and all(told[k] == v for k, v in fields.items()):
                return told

    def said(self, what: str, **fields: Any) -> dict[str, Any]:
        """The next message of a kind."""
        return self.tab.until(what, **fields)

    def seal(self) -> None:
        """Ask for the motion in full."""
        self.done_at.append(time.monotonic())
        self.tab.say("seal")

    def number(self) -> int:
        self.tab.number += 1
        return self.tab.number

    def full(self, room: int = 0) -> None:
        """The disk: no file of the server's may be longer from now on."""
        resource.prlimit(self.studio.process.pid, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    def roomy(self) -> None:
        endless = resource.RLIM_INFINITY
        resource.prlimit(self.studio.process.pid, resource.RLIMIT_FSIZE, (endless, endless))

    def muted(self) -> bool:
        """Whether the layer is, as the newest state has it."""
        state = next(t for t in reversed(self.tab.told) if t["told"] == "state")
        return next(bool(x.get("muted")) for x in state["document"]["layers"] if x["name"] == "other way")

    def close(self) -> None:
        self.tab.close()
        self.studio.__exit__()


@dataclass(frozen=True)
class Failure:
    """Something that goes wrong, and the order of states that must be seen from then on."""

    name: str
    happens: Callable[[Scene], None]
    states: tuple[str, ...]
    alone: bool = False
    """Whether it leaves a studio that nobody can go on with."""


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


def unreadable_file(s: Scene) -> None:
    (s.folder / "broken.bvh").write_text("nothing")
    s.tab.say("open", path="broken.bvh", number=s.number())
    assert "broken.bvh" in s.said("problem", number=s.tab.number)["text"]
    (s.folder / "broken.bvh").unlink()
    s.edit()
    s.stands("exact")


def stranger(s: Scene) -> None:
    cookie, s.studio.cookie = s.studio.cookie, "poise=wrong"
    with pytest.raises(InvalidStatus):
        s.studio.tab()
    s.studio.cookie = cookie
    s.edit()
    s.stands("exact")


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


def _mute(value: bool) -> dict[str, Any]:
    return {"do": "set", "layer": "other way", "path": "muted", "value": value}


AGAIN = ("solving", "exact")
TOLD_AT_ONCE = {"solving", "draft", "stopped"}
"""States that tell of what has just happened. The others come of the work, which takes as long as it takes:
until a layer was tried, that it is solved is what is true."""
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
    Failure("a layer fails", torn_layer, ("solving", "partial", *AGAIN)),
    Failure("two layers fail", two_torn_layers, ("solving", "partial")),
    Failure("the source is gone", source_gone, ("solving", "failed", *AGAIN)),
    Failure("the source is garbage", source_garbage, ("solving", "failed", *AGAIN)),
    Failure("the source is a folder", source_a_folder, ("solving", "failed", *AGAIN)),
    Failure("the disk is full on saving", full_on_saving, AGAIN),
    Failure("the disk is full on editing", full_on_editing, AGAIN),
    Failure("the disk is full on exporting", full_on_exporting, AGAIN),
    Failure("the project's file is gone", project_file_gone, AGAIN),
    Failure("two tabs", two_tabs, AGAIN),
    Failure("a reload in a drag", reload_in_a_drag, ("draft", "exact")),
    Failure("the connection is torn in a drag", torn_connection, ("exact",)),
    Failure("a tab that does not read", deaf_tab, AGAIN),
    Failure("what is not understood", not_understood, AGAIN),
    Failure("a command that cannot be", refused_command, AGAIN),
    Failure("paths that lead outside", outside, AGAIN),
    Failure("a file that cannot be read", unreadable_file, AGAIN),
    Failure("somebody without the token", stranger, AGAIN),
    Failure("the server is killed", server_killed, ("exact",), alone=True),
    Failure("the server is killed in a drag", server_killed_in_a_drag, ("exact",), alone=True),
    Failure("the journal is torn", journal_torn, ("exact",), alone=True),
    Failure("the folder is moved away", workspace_gone, ("exact",), alone=True),
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    scene = Scene(tmp_path_factory.mktemp("shared"))
    yield scene
    scene.close()


@pytest.mark.parametrize("failure", FAILURES, ids=lambda f: f.name)
def test_what_is_told_is_true_and_nothing_is_lost(failure: Failure, request, tmp_path):
    scene: Scene = Scene(tmp_path) if failure.alone else request.getfixturevalue("shared")
    try:
        scene.begin()
        with _shared_processor() as slower:
            failure.happens(scene)
        _in_order(scene.seen, failure.states)
        _true(scene.seen)
        for state in TOLD_AT_ONCE.intersection(failure.states):
            if (delay := scene.delay(state)) is not None:
                print(
                    f"{failure.name}: {state} after {delay:.2f} s, {mean(slower):.1f} times slower than alone"
                )
                assert delay < TRUE_WITHIN * mean(slower), state
    finally:
        if failure.alone:
            scene.close()
        else:
            _as_it_was(scene)


@contextlib.contextmanager
def _shared_processor() -> Iterator[list[float]]:
    """How many times as long as on a quiet machine work takes here: wall over processor time, often."""
    times, over = [1.0], threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            wall, own = time.monotonic(), time.thread_time()
            while time.thread_time() < own + 0.01:
                pass
            times.append((time.monotonic() - wall) / 0.01)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield times
    finally:
        over.set()
        thread.join()


def test_there_are_thirty_of_them():
    assert len(FAILURES) >= 30
    assert len({f.name for f in FAILURES}) == len(FAILURES)


def _in_order(seen: list[dict[str, Any]], wanted: tuple[str, ...]) -> None:
    """The states are seen one after the other; between them others may be, as long as they are no lie."""
    left = list(wanted)
    for told in seen:
        if left and told["state"] == left[0]:
            left.pop(0)
    assert not left, f"{left} of {wanted} was not seen in {[t['state'] for t in seen]}"


def _true(seen: list[dict[str, Any]]) -> None:
    """What is said to be exact is the document, and silence is told of in time, by the studio's own clock."""
    for told in seen:
        if told["state"] in ("exact", "partial"):
            assert told["shown"] == told["revision"], told
        if told["state"] == "partial":
            assert told["bypassed"], told
        if told["state"] == "failed":
            assert told["why"], told
    silent = [told["quiet"] for told in seen if told["quiet"]]
    if silent:
        assert min(silent) <= status_board.SILENCE + QUICK * status_board.TICK + 1.0, silent


def _as_it_was(scene: Scene) -> None:
    """Everything undone, solved in full, for the next one."""
    tab = scene.tab
    tab.say("seal", number=scene.number())
    state = tab.until("state", number=tab.number)
    while state["undoable"]:
        tab.say("undo", number=scene.number())
        state = tab.until("state", number=tab.number)
    while True:
        told = tab.until("status", timeout=LONG)["standing"]
        if told["state"] == "exact" and told["shown"] == told["revision"] >= state["revision"]:
            break
    kept = [k for k, t in enumerate(tab.told) if t["told"] == "state"][-1:]
    tab.told[:], tab.heard_at[:] = [tab.told[k] for k in kept], [tab.heard_at[k] for k in kept]
    scene.begin()
    tab.packets.clear()
