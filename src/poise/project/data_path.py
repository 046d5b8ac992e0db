"""Places in plain data: ``constraints/2/target/value``; ``/`` and ``~`` in names are written ``~1``, ``~0``.

Changes copy what they touch and share the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from poise.errors import InputError

MISSING = object()


def parts(path: str) -> list[str]:
    """The names along a path."""
    if not path:
        raise InputError("a path is empty: it names a field, or a place within one (constraints/0/weight)")
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")]


def put(data: Any, path: str, value: Any) -> Any:
    """With the value at a place; a field that was left out may be set."""

    def set_(holder: Any, name: str) -> Any:
        if isinstance(holder, dict):
            return {**holder, name: value}
        k = _index(holder, name, path, len(holder))
        return [*holder[:k], value, *holder[k + 1 :]]

    return _changed(data, parts(path), set_, path)


def insert(data: Any, path: str, value: Any) -> Any:
    """With the value put into a list before a place (its length: at the end); one left out begins empty."""

    def insert_(holder: Any, name: str) -> Any:
        if isinstance(holder, dict):
            raise InputError(f"{path!r}: only lists take insertions; set the field instead")
        k = _index(holder, name, path, len(holder) + 1)
        return [*holder[:k], value, *holder[k:]]

    return _changed(data, parts(path), insert_, path)


def remove(data: Any, path: str) -> Any:
    """Without what is at a place; a field of a struct then has its default."""

    def remove_(holder: Any, name: str) -> Any:
        if isinstance(holder, dict):
            if name not in holder:
                raise InputError(f"{path!r}: there is nothing (available: {', '.join(holder) or 'none'})")
            return {k: v for k, v in holder.items() if k != name}
        k = _index(holder, name, path, len(holder))
        return [*holder[:k], *holder[k + 1 :]]

    return _changed(data, parts(path), remove_, path)


def _changed(data: Any, names: list[str], change: Callable[[Any, str], Any], path: str) -> Any:
    name = names[0]
    if not isinstance(data, dict | list | tuple):
        raise InputError(f"{path!r}: there is nothing under {name!r} there")
    data = list(data) if isinstance(data, tuple) else data
    if len(names) == 1:
        return change(data, name)
    if isinstance(data, dict):
        inner = data.get(name, [] if names[1:] == ["0"] else MISSING)
        if inner is MISSING:
            raise InputError(f"{path!r}: no {name!r} there (available: {', '.join(data) or 'none'})")
        return {**data, name: _changed(inner, names[1:], change, path)}
    k = _index(data, name, path, len(data))
    return [*data[:k], _changed(data[k], names[1:], change, path), *data[k + 1 :]]


def _index(holder: list[Any], name: str, path: str, end: int) -> int:
    if not name.isdecimal() or int(name) >= end:
        raise InputError(f"{path!r}: {name!r} is not an index into a list of {len(holder)} (0 to {end - 1})")
    return int(name)
