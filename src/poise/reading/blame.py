"""Whatever is wrong with the content of a file becomes one line that names the file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from poise.errors import FileFormatError, InputError, PoiseError

MALFORMED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    EOFError,
    struct.error,
)
"""What code that takes data apart raises where they are not what they should be."""


@contextmanager
def blaming(path: str | Path, what: str) -> Iterator[None]:
    """While a file's content is made sense of; ``what`` it should be: "a script", "glTF"."""
    try:
        yield
    except FileFormatError:
        raise
    except InputError as problem:
        if str(path) in str(problem):
            raise
        raise FileFormatError(path, str(problem)) from problem
    except PoiseError:
        raise
    except RecursionError:
        raise FileFormatError(path, f"not {what}: it is nested too deeply") from None
    except MALFORMED as problem:
        said = f"{type(problem).__name__}: {problem}"[:200]
        raise FileFormatError(path, f"not {what}, or damaged ({said})") from problem
