"""Films of the project's motion, drawn as `poise render` draws them: exact, every frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.errors import CancelledError, InputError, UnknownNameError

if TYPE_CHECKING:
    from poise.operations.result import Result
    from poise.pictures.shots import Shots
    from poise.pictures.views import View
    from poise.project.document import Document

FILMS = (".mp4", ".webm", ".gif", ".zip")
"""Extensions of films."""
SIZES = {
    "180p": (320, 180),
    "360p": (640, 360),
    "540p": (960, 540),
    "720p": (1280, 720),
    "1080p": (1920, 1080),
}
"""Width and height by name [px]."""
OPTIONS = ("size", "fps", "view", "camera", "follow", "background", "azimuth", "elevation")
FASTEST = 240.0
"""Frames per second that a film may have."""


def is_film(path: Path) -> bool:
    """Whether a file of that name is a film."""
    return path.suffix.lower() in FILMS


def _camera(options: dict[str, Any], document: Document) -> str | View | Shots:
    from poise.pictures.views import View

    named = str(options.get("view", "auto"))
    if "camera" in options:
        from poise.pictures.shots import Shots

        return Shots(document.cameras, document.cuts).only(str(options["camera"]))
    if named == "orbit":
        return View(_number(options, "azimuth"), _number(options, "elevation"), in_world=True)
    return named


def _number(options: dict[str, Any], name: str) -> float:
    value = options.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < 1e6:
        raise InputError(f"field {name!r} of a camera must be a number, not {value!r:.40}")
    return float(value)


def _follow(value: Any) -> bool | None:
    words = {None: None, "auto": None, "on": True, "off": False, True: True, False: False}
    if isinstance(value, str | bool | None) and value in words:
        return words[value]
    raise InputError(f"field 'follow' is on, off or auto, not {value!r:.40}")


def write_film(
    result: Result,
    document: Document,
    path: Path,
    options: dict[str, Any],
    progress: Callable[[str, float], None],
    cancel: Callable[[], bool],
) -> Path:
    """Draw it; ``options``: a size by name, frames per second, a camera, a background.

    The camera is one of the document's (``camera``: its name, or ``cuts``); or a ``view`` by name; or the
    view ``orbit``, as the stage has it (``azimuth`` and ``elevation`` in the world [deg]). ``follow``:
    whether a view goes along.
    """
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
        view=_camera(options, document),
        follow=_follow(options.get("follow")),
        background=str(options.get("background", "stage")),
        progress=told,
        meshes=drawn.get("meshes", ()),
    )
