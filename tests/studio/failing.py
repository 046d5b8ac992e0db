"""Something goes wrong with a running studio: what everybody is told is true, in the order it becomes so, and
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
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from running import LONG, Studio, TabClient, children, command_line

from poise import clips
from poise.project import Project
from poise.studio.server import status_board

TRUE_WITHIN = 2.0
"""So long after something happened what is told of it is true [s]."""
QUICK = 2
"""So many ticks at most tell of how things were before something happened."""
AGAIN = ("solving", "exact")
TOLD_AT_ONCE = {"solving", "draft", "stopped"}
"""States that tell of what has just happened. The others come of the work, which takes as long as it takes:
until a layer was tried, that it is solved is what is true."""


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


def lasting(folder: Path) -> Iterator[Scene]:
    """For a fixture: a studio in which one thing after the other goes wrong."""
    scene = Scene(folder)
    yield scene
    scene.close()


@dataclass(frozen=True)
class Failure:
    """Something that goes wrong, and the order of states that must be seen from then on."""

    name: str
    happens: Callable[[Scene], None]
    states: tuple[str, ...]


def judged(scene: Scene, failure: Failure) -> None:
    """It happens; then everything that was told is looked at."""
    scene.begin()
    with _shared_processor() as slower:
        failure.happens(scene)
    _in_order(scene.seen, failure.states)
    _true(scene.seen)
    for state in TOLD_AT_ONCE.intersection(failure.states):
        if (delay := scene.delay(state)) is not None:
            times = mean(slower)
            print(f"{failure.name}: {state} after {delay:.2f} s, {times:.1f} times slower than alone")
            assert delay < TRUE_WITHIN * times, state


def judged_and_restored(scene: Scene, failure: Failure) -> None:
    """For a scene that serves many."""
    try:
        judged(scene, failure)
    finally:
        as_it_was(scene)


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


def as_it_was(scene: Scene) -> None:
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
