"""Films of the project's motion, drawn as `poise render` draws them: exact, every frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.errors import CancelledError, InputError, UnknownNameError

if TYPE_CHECKING:
    from poise.operations.result import Result

FILMS = (".mp4", ".gif")
"""Extensions of films."""
SIZES = {"540p": (960, 540), "720p": (1280, 720), "1080p": (1920, 1080)}
"""Width and height by name [px]."""
OPTIONS = ("size", "fps", "view")
FASTEST = 240.0
"""Frames per second that a film may have."""


def is_film(path: Path) -> bool:
    """Whether a file of that name is a film."""
    return path.suffix.lower() in FILMS


def write_film(
    result: Result,
    path: Path,
    options: dict[str, Any],
    progress: Callable[[str, float], None],
    cancel: Callable[[], bool],
) -> Path:
    """Draw it; ``options``: a size by name, frames per second, a view."""
    from poise.pictures.video_file import video

    for name in options:
        if name not in OPTIONS:
            raise UnknownNameError("option", name, OPTIONS, where="a film")
    size, fps = str(options.get("size", "720p")), options.get("fps", 30)
    if size not in SIZES:
        raise UnknownNameError("size", size, SIZES, where="a film")
    if not isinstance(fps, int | float) or isinstance(fps, bool) or not 0 < fps <= FASTEST:
        raise InputError(f"frames per second of a film lie between 0 and {FASTEST:g}, not {fps!r}")

    def told(done: int, total: int) -> None:
        if cancel():
            raise CancelledError("the film was cancelled")
        progress(f"frame {done} of {total}", done / total)

    drawn = result.filmed()
    return video(
        result.shown,
        path,
        size=SIZES[size],
        fps=fps,
        view=str(options.get("view", "auto")),
        progress=told,
        meshes=drawn.get("meshes", ()),
    )
