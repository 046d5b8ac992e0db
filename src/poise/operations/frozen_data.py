"""Plain data (what JSON can hold) that cannot be changed, and back.

A document hands out what it holds; were its lists and mappings ordinary ones, an edit of them would change
the past as well, and undo with it. Mappings become read-only views of private copies, lists become tuples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from poise.errors import InputError


def freeze(data: Any, where: str = "") -> Any:
    """A read-only copy; what JSON cannot hold is refused, with where it stands."""
    if data is None or isinstance(data, bool | int | str | msgspec.Struct):  # structs are frozen already
        return data
    if isinstance(data, float):
        if not math.isfinite(data):
            raise InputError(f"{where or 'a value'} must be a finite number, not {data}")
        return float(data)
    if isinstance(data, Mapping):
        for key in data:
            if not isinstance(key, str):
                raise InputError(f"{where or 'a mapping'} has a key that is not text: {key!r}")
        return MappingProxyType({k: freeze(v, f"{where}/{k}" if where else k) for k, v in data.items()})
    if isinstance(data, list | tuple):
        return tuple(freeze(v, f"{where}/{i}" if where else str(i)) for i, v in enumerate(data))
    if hasattr(data, "tolist"):  # arrays and numbers of numpy
        return freeze(data.tolist(), where)
    raise InputError(f"{where or 'a value'} is not plain data: {type(data).__name__}")


def is_plain(data: Any) -> bool:
    """Whether it is what JSON can hold."""
    if isinstance(data, Mapping):
        return all(isinstance(key, str) and is_plain(value) for key, value in data.items())
    if isinstance(data, list | tuple):
        return all(map(is_plain, data))
    return data is None or isinstance(data, bool | int | float | str)


def thaw(data: Any) -> Any:
    """An ordinary copy of frozen data: dicts and lists."""
    if isinstance(data, Mapping):
        return {k: thaw(v) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return [thaw(v) for v in data]
    return data


def finite(item: Any) -> Any:
    """Plain data in which what is not finite is None, as JSON wants it."""
    if isinstance(item, float):
        return item if math.isfinite(item) else None
    if isinstance(item, dict):
        return {key: finite(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [finite(part) for part in item]
    return item


def _unusual(value: Any) -> Any:
    if isinstance(value, MappingProxyType):
        return dict(value)
    if hasattr(value, "tolist"):  # arrays of callers
        return value.tolist()
    raise TypeError(type(value).__name__)


_ENCODER = msgspec.json.Encoder(enc_hook=_unusual)


def encoded(value: Any) -> bytes:
    """As JSON; the same value gives the same bytes. Order in mappings counts: later entries may win."""
    return _ENCODER.encode(value)


def as_plain(value: Any) -> Any:
    """Anything of a document as ordinary plain data; what has its default is left out."""
    return msgspec.to_builtins(value, enc_hook=_unusual)
