"""Tables of numbers in text, as OpenSim writes them: rows of tabs, blanks where nothing was measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.errors import FileFormatError

WORDS = {"", "nan", "-nan", "inf", "-inf"}
"""What stands for a number that is not there."""


def numbers(path: Path, lines: Sequence[tuple[int, str]], columns: int) -> Array:
    """Rows of ``columns`` numbers, NaN where there is none; lines come with their numbers in the file.

    Blanks at the end of a row may be left out. Rows with more are refused.
    """
    tabs = any("\t" in line for _, line in lines[:2])
    out = np.full((len(lines), columns), np.nan)
    for k, (number, line) in enumerate(lines):
        cells = line.rstrip("\r\n").split("\t") if tabs else line.split()
        while len(cells) > columns and not cells[-1].strip():
            cells.pop()
        if len(cells) > columns:
            raise FileFormatError(path, f"{len(cells)} values where {columns} are expected", line=number)
        for at, cell in enumerate(cells):
            word = cell.strip()
            if word.lower() in WORDS:
                continue
            try:
                out[k, at] = float(word)
            except ValueError:
                raise FileFormatError(path, f"{word[:40]!r} is not a number", line=number) from None
    out[~np.isfinite(out)] = np.nan
    return out
