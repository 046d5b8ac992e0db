"""Keeps the one state of the studio and tells it: at every change, and each second while somebody is at work.

A solver that shows no life is told of after a while, and replaced after a while longer. One that is only busy
lives: its process beats, or at least has time on a processor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from poise.studio.server.solver import Solver
from poise.studio.server.standing import Event, Quiet, Standing, after

TICK = 1.0
"""How often the state is told while somebody is at work [s]."""
SILENCE = 3.0
"""A solver that shows no life for so long is told of [s]."""
FROZEN = 10.0
"""And after so long another one takes its place [s]."""


class StatusBoard:
    """What everybody is told of the motion on the stage."""

    def __init__(self, solver: Solver, tell: Callable[[Standing], None]) -> None:
        self.standing = Standing()
        self._solver, self._tell = solver, tell
        self._timer: asyncio.TimerHandle | None = None
        self._life: object = None
        self._since = 0.0  # when it last changed

    def happened(self, event: Event) -> None:
        """Something that may change how things stand."""
        before, self.standing = self.standing, after(self.standing, event)
        if self.standing != before:
            self._tell(self.standing)
        self._watch()

    def close(self) -> None:
        """Nobody listens any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _watch(self) -> None:
        """Look every second, as long as somebody works."""
        if not self.standing.works or self._timer is not None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # before the server is alive
            return
        self._life, self._since = self._solver.life, loop.time()
        self._timer = loop.call_later(TICK, self._look)

    def _look(self) -> None:
        self._timer = None
        if not self.standing.works:
            return
        loop = asyncio.get_running_loop()
        life, now = self._solver.life, loop.time()
        if life is None or life != self._life:
            self._life, self._since = life, now
        quiet = now - self._since
        if quiet >= FROZEN:
            self._since = now
            self._solver.replace_frozen(quiet)
        elif quiet >= SILENCE:
            self.standing = after(self.standing, Quiet(seconds=round(quiet, 1)))
        elif self.standing.quiet:
            self.standing = after(self.standing, Quiet(seconds=0.0))
        self._tell(self.standing)
        self._timer = loop.call_later(TICK, self._look)
