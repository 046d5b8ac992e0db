"""Pages of curves: a blank one, how it is written, and the colours that all of them share."""

from __future__ import annotations

import logging
from io import BytesIO
from pathlib import Path
from typing import Any

from poise.errors import InputError, MissingDependencyError
from poise.files import write_bytes

COLOURS = {"support": "#dfe6ee", "flight": "#ffd9a8", "unexplained": "#dcc8ee"}
INK, ACCENT, FAINT, QUESTION = "#22384f", "#c8402b", "#8a97a6", "#8a5ab0"
SIDES = {"left foot": "#2b62c8", "right foot": "#c8402b"}
OTHERS = ("#3d8b5a", "#8a5ab0", "#b08a2b", "#4f9db0", "#7a7a7a")
FORMATS = (".png", ".pdf", ".svg")


def blank_page(path: str | Path, width: float, height: float) -> tuple[Path, Any]:
    """A figure [inches] for a file that can be written; anything else is told before it is drawn."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"a plot can be written as {', '.join(FORMATS)}, not {path.name!r}")
    log = logging.getLogger("matplotlib")
    before = log.level
    log.setLevel(logging.ERROR)  # without a home to write to it finds another place, and says so at length
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError("matplotlib", "a plot", "pip install 'poise[plots]'") from None
    finally:
        log.setLevel(before)
    return path, Figure(figsize=(width, height), facecolor="white")


def write_page(figure: Any, path: Path, *, dpi: int) -> Path:
    """Write a figure; the extension decides the format."""
    drawn = BytesIO()
    figure.savefig(drawn, format=path.suffix.lower().removeprefix("."), dpi=dpi)
    return write_bytes(path, drawn.getbuffer())
