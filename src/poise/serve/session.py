"""What a server remembers between requests: figures, motions, and what solvers found, newest longest."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from poise.arrays import Array
from poise.errors import InputError, UnknownNameError
from poise.motion import Clip
from poise.serve.figure import Figure, Performance

MOST_KEPT = 32
"""Figures, motions and solutions of each kind that are kept; the one longest unused goes first."""
LONGEST_NAME = 256
"""Letters of a name that a host may choose."""
Kept = TypeVar("Kept")


class Shelf(Generic[Kept]):
    """Things by name, of which only the last ones used are kept."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._held: OrderedDict[str, Kept] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, name: str, thing: Kept) -> None:
        """Keep it, in place of what had its name."""
        with self._lock:
            self._held[name] = thing
            self._held.move_to_end(name)
            while len(self._held) > MOST_KEPT:
                self._held.popitem(last=False)

    def get(self, name: Any) -> Kept:
        """The thing of that name."""
        with self._lock:
            if not isinstance(name, str) or name not in self._held:
                raise UnknownNameError(self.kind, name, self._held, where="this session; send it again")
            self._held.move_to_end(name)
            return self._held[name]

    def find(self, name: str) -> Kept | None:
        """The thing of that name, if it is there."""
        with self._lock:
            return self._held.get(name)

    def drop(self, name: str) -> bool:
        """Forget it; whether it was there."""
        with self._lock:
            return self._held.pop(name, None) is not None


@dataclass(eq=False)
class Session:
    """Everything that requests share."""

    figures: Shelf[Figure] = field(default_factory=lambda: Shelf("character"))
    performances: Shelf[Performance] = field(default_factory=lambda: Shelf("clip"))
    solved: Shelf[Any] = field(default_factory=lambda: Shelf("solution"))
    """What solvers found last for a clip, by clip and operation: where a quick answer goes on from."""

    def shifts(self, name: str) -> dict[tuple[str, float], Array]:
        """By how much targets on a clip were last shifted [m] (``aiming``); whoever asks goes on from it."""
        known: dict[tuple[str, float], Array] | None = self.solved.find(f"{name}/shifts")
        if known is None:
            known = {}
            self.solved.put(f"{name}/shifts", known)
        return known

    def clip(self, name: str) -> Clip:
        """A motion that an operation names: one of this session, a character at rest, or a file."""
        performance, figure = self.performances.find(name), self.figures.find(name)
        if performance is not None:
            return performance.clip
        if figure is not None:
            return figure.at_rest()
        from poise.clips.named import clip_named

        return clip_named(name)


def name_in(head: dict[str, Any], field_name: str) -> str:
    """A name that a host chose."""
    name = head.get(field_name)
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        raise InputError(
            f"field {field_name!r} must be a name of 1 to {LONGEST_NAME} letters, not {name!r:.40}"
        )
    return name
