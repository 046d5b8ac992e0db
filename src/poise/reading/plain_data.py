"""JSON and TOML from files: of bounded depth, with numbers that are finite, and letters that can be written.

What Python's own parsers let through or fall over is caught here: nesting that exhausts the stack, whole
numbers of more digits than Python converts (or than a float can hold), NaN and infinity, halves of surrogate
pairs.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import FileFormatError
from poise.reading.regular_file import read_bytes

DEEPEST = 64
"""Lists and objects within one another."""
LARGEST = 1 << 28
"""Bytes of a text that holds plain data."""
_DIGITS = 300
"""Of a whole number: fewer than Python converts, and than a float can hold."""
# One that does not end goes on to the end of the text: what is searched for then begins nowhere else.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_SUSPECT = re.compile(rb"[0-9]{19}|[eE][+-]?[0-9]{3}")
_CONSTANT = re.compile(rb"NaN|-?Infinity")
_STEPS = np.zeros(256, dtype=np.int8)
_STEPS[[ord("["), ord("{")]] = 1
_STEPS[[ord("]"), ord("}")]] = -1


def read_json(path: str | Path, *, what: str = "JSON") -> Any:
    """The content of a JSON file."""
    return json_from(read_bytes(path, largest=LARGEST), path, what=what)


def json_from(data: bytes, path: str | Path, *, what: str = "JSON") -> Any:
    """The value of a JSON text in UTF-8; ``path`` is for complaints, ``what`` it should have been."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise FileFormatError(
            path, f"not {what}: the text is not UTF-8 (byte {problem.start}: {problem.reason})"
        ) from None
    bare = _STRING.sub(b"", data)
    if _depth(bare) > DEEPEST:
        raise FileFormatError(path, f"not {what}: lists and objects are nested deeper than {DEEPEST}")
    checks: dict[str, Any] = {"parse_int": _whole, "parse_float": _decimal} if _SUSPECT.search(bare) else {}
    try:
        value = json.loads(text, parse_constant=_no_number, **checks)
    except json.JSONDecodeError as problem:
        raise FileFormatError(path, f"not {what}: broken JSON, {problem.msg}", line=problem.lineno) from None
    except _NotANumberError as problem:
        raise FileFormatError(path, f"not {what}: {problem}", line=_line_of_constant(data)) from None
    except (ValueError, RecursionError) as problem:
        raise FileFormatError(path, f"not {what}: broken JSON, {problem}") from None
    if rb"\u" in data and not _writable(value):
        raise FileFormatError(path, f"not {what}: a text in it is damaged (a lone surrogate)")
    return value


def read_toml(path: str | Path, *, what: str = "TOML") -> Any:
    """The content of a TOML file."""
    data = read_bytes(path, largest=LARGEST)
    try:
        value = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as problem:
        raise FileFormatError(path, f"not {what}: the text is not UTF-8 ({problem.reason})") from None
    except tomllib.TOMLDecodeError as problem:
        raise FileFormatError(path, f"not {what}: broken TOML, {problem}") from None
    except (ValueError, RecursionError, ArithmeticError) as problem:
        raise FileFormatError(path, f"not {what}: broken TOML, {problem}"[:300]) from None
    if nesting(value) > DEEPEST:
        raise FileFormatError(path, f"not {what}: lists and tables are nested deeper than {DEEPEST}")
    return value


def nesting(value: Any) -> int:
    """How deep lists and mappings stand within one another."""
    deep, level = 0, [value]
    while level:
        level = [v for v in level if isinstance(v, (dict, list))]
        deep += bool(level)
        level = [inner for v in level for inner in (v.values() if isinstance(v, dict) else v)]
        if deep > DEEPEST:
            break
    return deep


def _depth(bare: bytes) -> int:
    """Of brackets in a JSON text whose strings were taken out."""
    steps = _STEPS[np.frombuffer(bare, dtype=np.uint8)]
    return int(np.cumsum(steps[steps != 0], dtype=np.int64).max(initial=0))


class _NotANumberError(ValueError):
    pass


def _no_number(word: str) -> float:
    raise _NotANumberError(f"{word} is not a number")


def _whole(text: str) -> int:
    if len(text) > _DIGITS:
        raise _too_large(text)
    return int(text)


def _decimal(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _too_large(text)
    return value


def _too_large(text: str) -> ValueError:
    shown = text if len(text) < 40 else f"{text[:20]}… ({len(text)} digits)"
    return ValueError(f"the number {shown} is too large")


def _line_of_constant(data: bytes) -> int | None:
    blank = _STRING.sub(lambda found: re.sub(rb"[^\n]", b" ", found[0]), data)
    found = _CONSTANT.search(blank)
    return data.count(b"\n", 0, found.start()) + 1 if found else None


def _writable(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
