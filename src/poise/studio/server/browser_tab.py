"""One tab of a browser and what waits to be sent to it.

A slow tab holds nobody up. Text is never dropped. Packets are, once too many wait: each holds only what
changed, so the tab then gets all of the stage anew as soon as it has caught up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

PACKETS = 24 * 2**20
"""Bytes of packets that may wait."""
TEXTS = 4000
"""Messages that may wait: a tab that reads nothing at all is let go, and will come again."""


class Tab:
    """Messages in order, sent by ``run``."""

    def __init__(self, late: Callable[[Tab], None]) -> None:
        self.ready = False
        """Whether it has the whole stage: only then do changes mean something to it."""
        self.closed = False
        self.drags = False
        """Whether something is dragged in it: edits were made that are not sealed yet."""
        self._late = late
        self._queue: deque[str | bytes] = deque()
        self._waiting = 0  # bytes of packets
        self._behind = False
        self._more = asyncio.Event()

    def __len__(self) -> int:
        return len(self._queue)

    def tell(self, message: str | bytes) -> None:
        """Send it when its turn comes."""
        if isinstance(message, bytes):
            self._waiting += len(message)
        self._queue.append(message)
        if self._waiting > PACKETS:
            self._queue = deque(m for m in self._queue if isinstance(m, str))
            self._waiting, self.ready, self._behind = 0, False, True
        if len(self._queue) > TEXTS:
            self.closed = True
        self._more.set()

    def catch_up(self) -> None:
        """It has been sent the whole stage, if there is one yet: from now on it gets every change."""
        self.ready = not self._behind

    def leave(self) -> None:
        """Nobody is there any more, or nobody serves it."""
        self.closed = True
        self._more.set()

    def change(self, packet: bytes) -> None:
        """Send a packet that says what changed, if it has what that changes."""
        if self.ready:
            self.tell(packet)

    async def next(self) -> str | bytes | None:
        """The next message; None where the tab has to go."""
        while not self._queue and not self.closed:
            self._more.clear()
            if self._behind:
                self._behind = False
                self._late(self)  # which may bring something at once
            else:
                await self._more.wait()
        if self.closed:
            return None
        message = self._queue.popleft()
        if isinstance(message, bytes):
            self._waiting -= len(message)
        return message
