"""Captures in files: which are, and reading and writing them as they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from poise.errors import FileFormatError, InputError
from poise.formats.captures.c3d import is_c3d, read_c3d
from poise.formats.captures.plain import from_arrays, read_marker_json, write_json, write_npz
from poise.formats.captures.trc import is_trc, read_trc, write_trc
from poise.markers import Markers
from poise.reading import is_regular, read_arrays, read_bytes, read_head

CAPTURES = (".trc", ".c3d")
"""Extensions of files that hold markers and nothing else."""
_WRITERS: dict[str, Callable[[Markers, Path], None]] = {
    ".trc": write_trc,
    ".npz": write_npz,
    ".json": write_json,
}
HEAD = 4096
"""Bytes that tell what a file is."""
_MARKERS = re.compile(rb'"kind"\s*:\s*"markers"')
"""What JSON of markers says, however it is spaced."""


def is_capture(path: str | Path) -> bool:
    """Whether a file holds markers (a file that does not exist: by its extension)."""
    path = Path(path)
    if not is_regular(path):
        return path.suffix.lower() in CAPTURES
    head = read_head(path, HEAD)
    if path.suffix.lower() == ".json":
        return _MARKERS.search(head) is not None
    return is_trc(head) or path.suffix.lower() == ".c3d" or is_c3d(head) or b"marker_names.npy" in head


def load_markers(path: str | Path, *, up: str | None = None, scale: float | None = None) -> Markers:
    """Markers of a C3D, TRC, NPZ or JSON file as they were captured, in metres with z up.

    Args:
        path: The file.
        up: "y" or "z", where a C3D or TRC file does not say it, or says it wrongly.
        scale: The file's unit [m], likewise [1e-6 … 1e6].

    Returns:
        Markers: Names, places, gaps, and force plates where there are any.

    Raises:
        FileFormatError: The file cannot be understood; the message names it and what was expected.
        InputError: An option is out of range, or does not apply to files of that kind.

    Examples:
        >>> capture = poise.load_markers("captured.trc")
    """
    path = Path(path)
    if scale is not None and not 1e-6 <= scale <= 1e6:
        raise InputError(f"scale must be the length of the file's unit in metres, not {scale}")
    head = read_head(path, HEAD)
    try:
        if is_trc(head):
            return read_trc(path, up=up, scale=scale)
        if head.startswith(b"PK\x03\x04"):
            _refuse(path, up, scale)
            return from_arrays(dict(read_arrays(read_bytes(path), path)), path)
        if path.suffix.lower() == ".json":
            _refuse(path, up, scale)
            return read_marker_json(path)
        if path.suffix.lower() == ".c3d" or is_c3d(head):
            return read_c3d(path, up=up, scale=scale)
    except FileFormatError:
        raise
    except InputError as problem:
        raise FileFormatError(path, str(problem)) from None
    raise FileFormatError(path, "not a marker file; Poise reads C3D, TRC, and its own NPZ and JSON")


def _refuse(path: Path, up: str | None, scale: float | None) -> None:
    """Poise's own files of markers are in metres with z up."""
    wrong = "up" if up is not None else "scale" if scale is not None else None
    if wrong:
        raise InputError(
            f"{wrong} does not apply: markers in NPZ and JSON are in metres with z up; C3D and TRC take it"
        )


def writes_markers(path: str | Path) -> bool:
    """Whether markers can be written to a file of that name."""
    return Path(path).suffix.lower() in _WRITERS


def save_markers(markers: Markers, path: str | Path) -> Path:
    """Write markers as they are.

    Args:
        markers: What to write.
        path: The file; its extension decides: ``.trc``, ``.npz`` or ``.json``.

    Returns:
        Path: The file.

    Raises:
        InputError: Markers are not written to files with that extension.

    Examples:
        >>> poise.save_markers(poise.load_markers("captured.trc"), "captured.json")
    """
    path = Path(path)
    if not writes_markers(path):
        raise InputError(f"cannot write {path}: markers are written as {', '.join(_WRITERS)}")
    _WRITERS[path.suffix.lower()](markers, path)
    return path
