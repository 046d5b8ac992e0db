"""Hints: what about a path is not as it could be, by how much, and what to do. It plays all the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class Hint:
    """One remark on one key."""

    TIMING: ClassVar[str] = "timing"
    """An arc needs another time than the keys leave; ``Path.fixed`` moves the key by ``amount`` [s]."""
    JUMP: ClassVar[str] = "velocity jump"
    """Two templates meet that both dictate the velocity, and not the same."""
    OVERRIDDEN: ClassVar[str] = "velocity overridden"
    """A neighbouring template sets the velocity, not the one given at the key."""
    ALONG_ARM: ClassVar[str] = "velocity along the arm"
    """Part of the velocity given to a pendulum points along its arm and is dropped."""

    key: int
    """Index of the key in the path."""
    time: float
    """Of that key [s]."""
    kind: str
    amount: float
    unit: str
    words: str

    @property
    def fixable(self) -> bool:
        """Whether ``Path.fixed`` removes it."""
        return self.kind == self.TIMING

    def __str__(self) -> str:
        return f"key {self.key} at {self.time:g} s: {self.words}"

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for a panel that shows it."""
        return {
            "key": self.key,
            "time": self.time,
            "kind": self.kind,
            "amount": self.amount,
            "unit": self.unit,
            "words": self.words,
            "fixable": self.fixable,
        }
