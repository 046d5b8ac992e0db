"""What the machine code of a kernel is made of: its code, that of its helpers, constants and layouts.

numba freezes the values of the globals and cells that a kernel names, and those of the helpers compiled into
it; fields of named tuples become positions. So kernels are marked by the code and the values themselves, and
a change elsewhere, in the same file or another, leaves them as they are. Other things that a kernel may name
(libraries, intrinsics) are told by their versions, or by their sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)


def constants(function: Callable[..., Any]) -> Iterator[tuple[str, str, bytes]]:
    """Code and constants that a kernel and its helpers freeze: (the function's module, name, value)."""
    todo, seen = [function], {function}
    while todo:
        each: Any = todo.pop()
        file = each.__module__
        yield file, each.__qualname__, repr((_code(each.__code__), each.__defaults__)).encode()
        for name, value in _named(each):
            for part in _parts(value):
                if isinstance(part, bytes):
                    yield file, name, part
                elif part not in seen:
                    seen.add(part)
                    todo.append(part)


def layouts(kind: Any) -> Iterator[tuple[str, ...]]:
    """Names of fields, in their order, of all named tuples within numba's types of arguments."""
    if isinstance(kind, tuple):
        for each in kind:
            yield from layouts(each)
    elif hasattr(kind, "instance_class"):
        yield tuple(kind.fields)
    for inside in ("args", "types", "dtype"):
        if hasattr(kind, inside):
            yield from layouts(getattr(kind, inside))


def _named(function: Any) -> Iterator[tuple[str, Any]]:
    """Globals, cells and attributes of the package's modules that a function names."""
    names = sorted(_names(function.__code__))
    known = function.__globals__
    for name in names:
        value = known.get(name)
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == "poise":
            for attribute in names:
                yield f"{name}.{attribute}", getattr(value, attribute, None)
        elif name in known:
            yield name, value
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def _code(code: CodeType) -> tuple[Any, ...]:
    """What a function does, wherever it stands: no file, no lines."""
    values = tuple(_code(x) if isinstance(x, CodeType) else (type(x), x) for x in code.co_consts)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    shape = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return code.co_code, code.co_exceptiontable, shape, names, values


def _names(code: CodeType) -> set[str]:
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _parts(value: Any) -> Iterator[Any]:
    """A value as bytes, and as functions to look into."""
    if isinstance(value, tuple):
        yield repr((type(value).__name__, len(value), getattr(value, "_fields", ()))).encode()
        for each in value:
            yield from _parts(each)
    elif isinstance(value, np.ndarray):
        yield repr((value.dtype.str, value.shape, value.flags.f_contiguous)).encode() + value.tobytes()
    elif isinstance(value, Enum):
        yield from _parts(value.value)
    elif isinstance(value, _PLAIN):
        yield repr(value).encode()
    elif isinstance(value, type):
        members = tuple(value) if issubclass(value, Enum) else ()
        yield repr((value.__qualname__, getattr(value, "_fields", ()), members)).encode()
    elif isinstance(inside := getattr(value, "py_func", value), FunctionType):
        yield repr(sorted((k, sorted(v) if isinstance(v, set) else v) for k, v in _options(value))).encode()
        yield inside


def _options(dispatcher: Any) -> Iterator[tuple[str, Any]]:
    """How a helper is compiled: its decorator's options."""
    yield from getattr(dispatcher, "targetoptions", {}).items()
