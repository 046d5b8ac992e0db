"""Undo and redo: the documents that were, each with the commands that led on from it.

Documents share what they have in common, so a step costs what it changed. Commands of one gesture make one
step; of two that change the same thing only the later is kept, which is what a drag means. A gesture that is
abandoned before anything else is done was never there: what could be redone before it can be again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from poise.project.command import Command
from poise.project.document import Document

DEPTH = 1000
"""Steps that can be undone."""
REMEMBERED = 10_000
"""Names of edits that are remembered: far more than can be on their way."""


@dataclass(frozen=True, eq=False)
class Step:
    """One step of undo."""

    before: Document
    after: Document
    commands: tuple[Command, ...]

    @property
    def gesture(self) -> str:
        return self.commands[-1].gesture if self.commands else ""


class History:
    """A document and how it came to be."""

    def __init__(self, document: Document, *, depth: int = DEPTH) -> None:
        self.depth = depth
        self._steps: list[Step] = []
        self._at = 0
        self._first = 0  # steps given up at the beginning
        self._sealed = True
        self._before: tuple[list[Step], int] | None = None  # the steps that a gesture found
        self._document = document
        self.edits: deque[str] = deque(maxlen=REMEMBERED)
        """Names of the edits that were made, where they had one: also of those that were undone since, or
        replaced by a later one of their gesture."""

    @property
    def document(self) -> Document:
        """As it is now."""
        return self._document

    @property
    def position(self) -> int:
        """How many steps lie behind, counted from the very beginning."""
        return self._first + self._at

    @property
    def undoable(self) -> int:
        """How many steps can be undone."""
        return self._at

    @property
    def gesture(self) -> str:
        """Of the last step; empty where there is none."""
        return self._steps[self._at - 1].gesture if self._at else ""

    @property
    def redoable(self) -> int:
        """How many can be done again."""
        return len(self._steps) - self._at

    def do(self, command: Command, edit: str = "") -> bool:
        """Apply a command; what was undone before is forgotten. False if it became part of the last step.

        ``edit`` is the name of whoever's edit it is, by which he can learn that it was made.
        """
        after = command.apply(self._document)
        if edit:
            self.edits.append(edit)
        last = self._steps[self._at - 1] if self._at else None
        joins = (
            last is not None
            and not self._sealed
            and bool(command.gesture)
            and last.gesture == command.gesture
            and self._at == len(self._steps)
        )
        if joins and last is not None:
            self._steps[-1] = replace(last, after=after, commands=_merged(last.commands, command))
        else:
            self._before = (list(self._steps), self._first) if command.gesture else None
            del self._steps[self._at :]
            self._steps.append(Step(self._document, after, (command,)))
            self._at += 1
            if len(self._steps) > self.depth:
                del self._steps[0]
                self._at -= 1
                self._first += 1
        self._document, self._sealed = after, False
        return not joins

    def seal(self) -> None:
        """End the gesture: whatever comes next is a step of its own."""
        self._sealed = True

    def abandon(self, gesture: str) -> bool:
        """As if a gesture had never begun; False unless it is the last that was done."""
        if self._before is None or gesture != self.gesture:
            return False
        began, position = self._steps[-1].before, self.position - 1
        self._steps, self._first = self._before
        self._at = position - self._first
        self._document, self._sealed, self._before = began, True, None
        return True

    def undo(self) -> bool:
        """One step back; False if there is none."""
        if not self._at:
            return False
        self._at -= 1
        self._document, self._sealed, self._before = self._steps[self._at].before, True, None
        return True

    def redo(self) -> bool:
        """One step forward again; False if there is none."""
        if self._at == len(self._steps):
            return False
        self._at += 1
        self._document, self._sealed, self._before = self._steps[self._at - 1].after, True, None
        return True

    def script(self) -> list[Command]:
        """The commands that lead from the oldest document still known to the present one."""
        return [command for step in self._steps[: self._at] for command in step.commands]


def _merged(commands: Sequence[Command], new: Command) -> tuple[Command, ...]:
    """With a command added, in place of an earlier one for the same target if nothing is in between."""
    for k in range(len(commands) - 1, -1, -1):
        if not new.target or not commands[k].target:
            break
        if commands[k].target == new.target:
            return (*commands[:k], new, *commands[k + 1 :])
        if not _apart(commands[k].target, new.target):
            break
    return (*commands, new)


def _apart(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether two edits of values leave each other alone: neither place lies within the other."""
    if a[0] != "layer" or b[0] != "layer":
        return False
    if a[1] != b[1]:
        return True
    one, other = f"{a[2]}/", f"{b[2]}/"
    return not (one.startswith(other) or other.startswith(one))
