"""Results by content, the least recently used given up first, within so many bytes."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poise.operations.result import Result

MEMORY = 512 * 2**20
"""Bytes, unless said otherwise."""
PER_ENTRY = 1 << 16
"""What a result takes beside its arrays, roughly."""


class Cache:
    """A mapping from keys (which say everything that went into a result) to results."""

    def __init__(self, memory: int = MEMORY) -> None:
        self.memory = memory
        self.used = 0
        self._entries: OrderedDict[str, tuple[Result, int]] = OrderedDict()

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> Result | None:
        """The result, which then is the most recent one."""
        found = self._entries.get(key)
        if found is None:
            return None
        self._entries.move_to_end(key)
        return found[0]

    def put(self, key: str, made: Result) -> None:
        """Keep a result; one larger than all memory is not kept."""
        size = size_of(made)
        if key in self._entries or size > self.memory:
            return
        self._entries[key] = (made, size)
        self.used += size
        while self.used > self.memory:
            _, (_, freed) = self._entries.popitem(last=False)
            self.used -= freed

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
        self.used = 0


def size_of(made: Result) -> int:
    """Bytes that a result holds, about: its frames, and as much again for times, velocities and samples."""
    clip = made.clip
    morphs = clip.morphs.nbytes if clip.morphs is not None else 0
    attached = sum(worn.nbytes for worn in made.attached)
    props = sum(prop.track.nbytes for prop in made.props if prop.track is not None)
    return PER_ENTRY + 3 * clip.q.nbytes + morphs + attached + props
