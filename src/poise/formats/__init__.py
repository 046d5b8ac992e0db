"""Files: reading and writing clips. Most callers need only :func:`load` and :func:`save`.

Examples:
    >>> print([each.name for each in poise.formats.every_format()])
"""

from poise.formats.registry import (
    FORMATS,
    Format,
    every_format,
    extensions,
    format_of,
    format_to_write,
    load,
    losses,
    save,
)

__all__ = [
    "FORMATS",
    "Format",
    "every_format",
    "extensions",
    "format_of",
    "format_to_write",
    "load",
    "losses",
    "save",
]
