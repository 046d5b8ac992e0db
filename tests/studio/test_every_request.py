"""Whatever a tab says, whenever it says it, is answered: exactly one message bears its number.

A real session with a real solver, which is held (SIGSTOP) and killed at will: nothing here waits for a time.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from running import Studio

import poise
from poise.studio.server import messages as m
from poise.studio.server import worker
from poise.studio.server.browser_tab import Tab
from poise.studio.server.open_project import OpenProject, opened
from poise.studio.server.session import Session
from poise.studio.server.workspace import Workspace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="holds processes")
ANSWERS = ("state", "notice", "answer", "problem", "welcome")
LAST = 999
"""The number of a question that is answered after everything else."""


def requests() -> list[dict[str, Any]]:
    """Every kind of message: what can be done, what cannot, what is nonsense."""
    named = {"do": "set-project", "field": "name"}
    return [
        {"say": "hello"},
        {"say": "hello", "waiting": ["a tab:1", ""]},
        {"say": "hello", "waiting": [{"do": "fly"}]},
        {"say": "do", "command": {**named, "value": "mine"}},
        {"say": "do", "command": {**named, "value": "mine"}},
        {"say": "do", "edit": "a tab:1", "command": {**named, "value": "mine"}},
        {"say": "do", "live": True, "command": {**named, "value": "dragged", "gesture": "drag"}},
        {"say": "do", "command": {"do": "set", "layer": "nobody", "path": "muted", "value": True}},
        {"say": "do", "command": {"do": "fly"}},
        {"say": "seal"},
        {"say": "undo"},
        {"say": "undo", "gesture": "no such drag"},
        {"say": "redo"},
        {"say": "redo"},
        {"say": "cancel"},
        {"say": "look", "frame": "nonsense"},
        {"say": "grab", "q": "nonsense"},  # others are answered by the poser: see test_poser
        {"say": "ask", "question": "files"},
        {"say": "ask", "question": "vocabulary"},
        {"say": "ask", "question": "physics"},
        {"say": "ask", "question": "nothing"},
        {"say": "ask", "question": "export"},
        {"say": "export", "path": "out.bvh", "force": True},
        {"say": "export", "path": "../out.bvh"},
        {"say": "export", "path": "out.exe"},
        {"say": "cancel"},
        {"say": "save"},
        {"say": "save", "path": "other.poise", "force": True},
        {"say": "save", "path": "walk.poise"},
        {"say": "open", "path": "wave.poise"},
        {"say": "open", "path": "nothing.bvh"},
        {"say": "open", "path": "broken.bvh"},
        {"say": "recover", "keep": True},
        {"say": "recover", "keep": False},
        {"say": "fly"},
        {"say": "undo", "extra": 1},
        {"say": "cancel"},
    ]


def test_the_table_has_every_kind_of_message():
    kinds = {kind.__struct_config__.tag for kind in m.SAID.__args__}
    # Of pulls only the newest is answered, by a packet; a look says what comes first, and asks for nothing.
    assert kinds - {"pull", "look"} <= {each["say"] for each in requests()}


class Watcher(Tab):
    """A tab that keeps the texts it is told."""

    def __init__(self) -> None:
        super().__init__(lambda tab: None)
        self.told: list[dict[str, Any]] = []
        self.heard = asyncio.Event()

    def tell(self, message: str | bytes) -> None:
        if isinstance(message, str):
            self.told.append(json.loads(message))
            self.heard.set()

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> None:
        while not any(map(wanted, self.told)):
            self.heard.clear()
            await self.heard.wait()

    @property
    def answered(self) -> Counter[int]:
        """How often each number came back."""
        return Counter(t["number"] for t in self.told if t["told"] in ANSWERS and t["number"])


def workspace(folder: Path) -> Path:
    for name in ("walk", "wave"):
        poise.Project().add_clip(name, name).add("load", name, clip=name).save(folder / f"{name}.poise")
    (folder / "broken.bvh").write_text("HIERARCHY\nnonsense")
    return folder / "walk.poise"


def numbered(order: random.Random | None = None) -> list[str]:
    said = requests()
    if order is not None:
        order.shuffle(said)
    return [json.dumps({**each, "number": k}) for k, each in enumerate(said, 1)]


State = Callable[[Session, Watcher], Awaitable[Callable[[], None]]]


async def solved(session: Session, tab: Watcher) -> Callable[[], None]:
    await tab.until(lambda t: t["told"] == "solved")
    return lambda: None


async def getting_ready(session: Session, tab: Watcher) -> Callable[[], None]:
    os.kill(session.solver.pid, signal.SIGSTOP)
    return lambda: os.kill(session.solver.pid, signal.SIGCONT)


async def solving(session: Session, tab: Watcher) -> Callable[[], None]:
    await solved(session, tab)
    release = await getting_ready(session, tab)
    session.solve()
    return release


async def answering(session: Session, tab: Watcher) -> Callable[[], None]:
    await solved(session, tab)
    release = await getting_ready(session, tab)
    session.hear(json.dumps({"say": "ask", "question": "check", "number": 500}), tab)
    return release


async def dying(session: Session, tab: Watcher) -> Callable[[], None]:
    """It dies with all that waits for it."""
    await solving(session, tab)
    return lambda: os.kill(session.solver.pid, signal.SIGKILL)


async def dying_as_it_begins(session: Session, tab: Watcher) -> Callable[[], None]:
    await getting_ready(session, tab)
    return lambda: os.kill(session.solver.pid, signal.SIGKILL)


def perform(folder: Path, state: State, order: random.Random | None = None) -> None:
    """Say everything in a state, and see what comes back; two tabs use the same numbers."""

    async def run() -> None:
        session = Session(OpenProject(Workspace(folder), opened(workspace(folder))))
        session.start()
        tab, other = Watcher(), Watcher()
        try:
            session.join(tab)
            release = await state(session, tab)
            session.join(other)
            said = numbered(order)
            for text in said:
                for each in (tab, other):
                    session.hear(text, each)
            release()
            for each in (tab, other):
                session.hear(json.dumps({"say": "ask", "question": "vocabulary", "number": LAST}), each)
            for each in (tab, other):
                await each.until(lambda t: t["told"] in ANSWERS and t["number"] == LAST)
                wrong = {
                    said[k - 1]: [t for t in each.told if t.get("number") == k]
                    for k in range(1, len(said) + 1)
                    if each.answered[k] != 1
                }
                assert not wrong, wrong
            assert tab.answered[500] == (1 if state is answering else 0)
            assert other.answered[500] == 0
        finally:
            session.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    "state", [solved, getting_ready, solving, answering, dying, dying_as_it_begins], ids=lambda s: s.__name__
)
def test_every_request_is_answered_once(state, tmp_path):
    perform(tmp_path, state)


@pytest.mark.parametrize("seed", range(4))
def test_in_any_order(seed, tmp_path):
    perform(tmp_path, solving, random.Random(seed))


def stillborn(pipe: Any, stop: Any) -> None:
    os._exit(1)


async def not_yet(session: Session, tab: Watcher) -> Callable[[], None]:
    return lambda: None


def test_also_where_no_solver_can_live(tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "main", stillborn)
    perform(tmp_path, not_yet)


def test_also_before_the_project_is_open(tmp_path):
    with Studio(tmp_path, workspace(tmp_path), wait=False) as studio, studio.tab() as tab:
        said = numbered()
        for text in said:
            tab.socket.send(text)
        tab.say("ask", question="vocabulary", number=LAST)
        while not any(t["told"] in ANSWERS and t["number"] == LAST for t in tab.told):
            tab.hear()
        found = Counter(t["number"] for t in tab.told if t["told"] in ANSWERS and t["number"])
        assert found == Counter([*range(1, len(said) + 1), LAST])


def notice(event: str, text: str, number: int) -> dict[str, object]:
    return {"told": "notice", "event": event, "text": text, "path": "", "number": number}


def test_a_stop_that_finds_nothing_to_stop_says_so_to_who_said_it(tmp_path):
    async def run() -> None:
        session = Session(OpenProject(Workspace(tmp_path), opened(workspace(tmp_path))))
        session.start()
        tab, other = Watcher(), Watcher()
        try:
            for each in (tab, other):
                session.join(each)
            await solved(session, tab)
            while session.solver.busy is not None:
                await asyncio.sleep(0)
            session.hear('{"say": "cancel", "number": 7}', tab)
            assert tab.told[-1] == notice("idle", "nothing to stop", 7)
            release = await solving(session, tab)
            session.hear('{"say": "cancel", "number": 8}', tab)
            assert tab.told[-1] == notice("stopped", "stopped", 8)
            assert other.told[-1] == notice("stopped", "stopped", 0)
            release()
        finally:
            session.close()

    asyncio.run(run())
