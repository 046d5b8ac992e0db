"""Places in a text file held as bytes: line numbers for messages, comments blanked out."""

from __future__ import annotations

import re

# Only where a comment can begin: at the start of a line or after a blank. Names may hold a "#".
_COMMENT = re.compile(rb"(?:(?<=[\s{}])|^)(?:#|//)[^\r\n]*")


def line_of(data: bytes, offset: int) -> int:
    """The line (from 1) of a byte, for any mixture of LF, CRLF and CR line ends."""
    ends = data.count(b"\n", 0, offset) + data.count(b"\r", 0, offset) - data.count(b"\r\n", 0, offset)
    # A byte right between CR and LF belongs to the line they end.
    split = 0 < offset < len(data) and data[offset - 1 : offset + 1] == b"\r\n"
    return ends + 1 - int(split)


def without_comments(data: bytes) -> bytes:
    """The same bytes with comments (``# …``, ``// …``) turned into blanks, so that places stay."""
    if b"#" not in data and b"//" not in data:
        return data
    return _COMMENT.sub(lambda found: b" " * len(found[0]), data)


def newline_of(data: bytes) -> bytes:
    """The line end that the file uses most."""
    pairs = data.count(b"\r\n")
    counts = {b"\r\n": pairs, b"\n": data.count(b"\n") - pairs, b"\r": data.count(b"\r") - pairs}
    return max(counts, key=lambda end: counts[end]) if any(counts.values()) else b"\n"
