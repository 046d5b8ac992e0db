"""A tab that cannot be answered any more is let go, so that it comes again: it must not wait for ever."""

from __future__ import annotations

import asyncio
from typing import Any

from poise.studio.server import app


class Door:
    """A socket that is open, whose library fails when the second message is sent."""

    def __init__(self) -> None:
        self.closed: int | None = None
        self.sent: list[str] = []

    async def accept(self) -> None: ...

    async def receive_text(self) -> str:
        await asyncio.Event().wait()
        raise AssertionError("nothing is ever said")

    async def send_text(self, text: str) -> None:
        if self.sent:
            raise AssertionError("as websockets fails where two wait to send")
        self.sent.append(text)

    async def close(self, code: int) -> None:
        self.closed = code


class Session:
    """Tells who comes two things."""

    def __init__(self) -> None:
        self.left: list[Any] = []

    def join(self, tab: Any) -> None:
        tab.tell("one")
        tab.tell("two")

    def late(self, tab: Any) -> None: ...

    def leave(self, tab: Any) -> None:
        self.left.append(tab)


def test_a_tab_that_cannot_be_told_anything_is_closed_and_left(capsys):
    house, door, session = app._House(lambda: None, lambda problem: None), Door(), Session()

    async def there() -> Session:
        return session

    house.there = there  # type: ignore[method-assign]
    asyncio.run(asyncio.wait_for(house.socket(door), 5.0))
    assert door.sent == ["one"]
    assert door.closed == 1013
    assert len(session.left) == 1
    assert session.left[0].closed
    assert "as websockets fails" in capsys.readouterr().err  # it is no secret
