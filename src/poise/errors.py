"""Everything that can go wrong for a user, as one tree of exceptions.

A message names the culprit (file, line, joint, frame, constraint) and says what to do or which
names are valid. The command line prints the message alone and exits with status 2.

Examples:
    >>> try:
    ...     poise.clips.get("wlak")
    ... except poise.errors.UnknownNameError as problem:
    ...     print(problem)
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class PoiseError(Exception):
    """Any problem that Poise recognises and can explain.

    Examples:
        >>> try:
        ...     poise.loosen(poise.clips.get("walk"), "wobbly")
        ... except poise.errors.PoiseError as problem:
        ...     print(problem)
    """


class InputError(PoiseError):
    """A value given by the caller cannot be used.

    Examples:
        >>> try:
        ...     poise.constraints.During(0.6, 0.2)
        ... except poise.errors.InputError as problem:
        ...     print(problem)
    """


class UnknownNameError(InputError):
    """A name (joint, point, preset, format …) that does not exist; lists those that do.

    Examples:
        >>> try:
        ...     poise.clips.get("wlak")
        ... except poise.errors.UnknownNameError as problem:
        ...     print(problem, problem.valid)
    """

    def __init__(self, kind: str, name: Any, valid: Iterable[Any], *, where: str = "") -> None:
        # What a caller gave for a name may be anything, a number or None: the message must still be made.
        self.kind, self.name, self.valid = kind, name, tuple(map(str, valid))
        close = get_close_matches(name, self.valid, n=3, cutoff=0.6) if isinstance(name, str) else ()
        hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
        shown = ", ".join(self.valid[:24]) + (" …" if len(self.valid) > 24 else "")
        place = f" in {where}" if where else ""
        super().__init__(f"no {kind} named {name!r}{place}{hint} (available: {shown or 'none'})")


class FileFormatError(InputError):
    """A file that cannot be read; says which file, which line and what was expected.

    Examples:
        >>> path = poise.clips.get("walk").save("walk.bvh")
        >>> size = path.write_text("HIERARCHY nothing else")
        >>> try:
        ...     poise.load(path)
        ... except poise.errors.FileFormatError as problem:
        ...     print(problem, problem.line)
    """

    def __init__(self, path: str | Path, problem: str, *, line: int | None = None) -> None:
        self.path, self.problem, self.line = Path(path), problem, line
        place = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{place}: {problem}")


class MissingDependencyError(PoiseError):
    """An optional library or system program is not installed; says how to get it.

    Examples:
        >>> remedy = "pip install 'poise[contact]'"
        >>> print(poise.errors.MissingDependencyError("mujoco", "Writing MJCF", remedy))
    """

    def __init__(self, what: str, purpose: str, remedy: str) -> None:
        super().__init__(f"{purpose} needs {what}, which is not installed: {remedy}")


class CancelledError(PoiseError):
    """The caller asked for long work to stop; nothing was written.

    Examples:
        >>> try:
        ...     poise.adapt(poise.clips.get("walk"), cancel=lambda: True)
        ... except poise.errors.CancelledError as problem:
        ...     print(problem)
    """
