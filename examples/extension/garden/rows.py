"""A format: a preset's name and a rate in the first line, then a line of numbers for every frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.character import presets
from poise.errors import FileFormatError
from poise.files import write_text
from poise.formats import Format
from poise.motion import Clip
from poise.reading import read_text

MARK = "garden rows,"
ROWS = Format("rows", "Rows", (".rows",), lambda head: head.startswith(MARK.encode()), "garden.rows")


def load(path: Path) -> Clip:
    """Read a file."""
    head, *lines = read_text(path).splitlines()
    _, name, rate = head.split(",")
    try:
        q = [[float(word) for word in line.split(",")] for line in lines]
    except ValueError as problem:
        raise FileFormatError(path, str(problem)) from None
    return Clip(presets.get(name), np.array(q), rate, name=path.stem)


def save(clip: Clip, path: Path) -> None:
    """Write a file, whole or not at all."""
    lines = [",".join(map(repr, row)) for row in clip.q.tolist()]
    write_text(path, "\n".join([f"{MARK}{clip.character.name},{clip.rate}", *lines]))


def losses(clip: Clip) -> tuple[str, ...]:
    """What a file cannot hold."""
    return ("that it is a loop",) if clip.loop else ()
