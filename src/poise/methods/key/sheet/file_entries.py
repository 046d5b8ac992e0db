"""Entries of a JSON document, checked: errors say where in the document they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from poise.errors import InputError, UnknownNameError


@contextmanager
def naming(where: str) -> Iterator[None]:
    """Errors inside say where they are."""
    try:
        yield
    except InputError as problem:
        text = str(problem)
        joint = "" if text.startswith(("[", ".")) else ": "
        raise InputError(f"{where}{joint}{text}") from None
    except (TypeError, ValueError) as problem:
        raise InputError(f"{where}: {problem}") from None


def require_fields(data: Any, what: str, fields: tuple[str, ...], *, needs: tuple[str, ...] = ()) -> None:
    """An object with only those fields, and with all it needs."""
    if not isinstance(data, Mapping):
        raise InputError(f"{what} must be an object with fields, not {data!r}")
    for name in data:
        if name not in fields:
            raise UnknownNameError("field", name, fields)
    for name in needs:
        if name not in data:
            raise InputError(f"field {name!r} is missing")


def as_list(data: Any, name: str) -> list[Any]:
    """A list."""
    if not isinstance(data, list | tuple):
        raise InputError(f"{name} must be a list, not {data!r}")
    return list(data)


def as_number(data: Any, name: str) -> float:
    """A number, no truth value and no text."""
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise InputError(f"{name} must be a number, not {data!r}")
    return float(data)


def as_text(data: Any, name: str) -> str:
    """Text."""
    if not isinstance(data, str):
        raise InputError(f"{name} must be text, not {data!r}")
    return data


def as_truth(data: Any) -> bool:
    """What says whether something is muted."""
    if not isinstance(data, bool):
        raise InputError(f"muted must be true or false, not {data!r}")
    return data
