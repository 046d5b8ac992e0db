"""One page about a fix: the curves of the check before and after, and what was done."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from poise.plausibility.plot import ACCENT, FAINT, INK, blank_page, curves, write_page

if TYPE_CHECKING:
    from poise.repair.result import FixResult

WIDE = 210
"""Letters to a line."""
LINE = 0.019
"""Height of a line of words, of the page."""


def plot(result: FixResult, path: str | Path) -> Path:
    """Draw the page and write it: PNG, PDF or SVG, by the extension."""
    path, figure = blank_page(path, 19, 11)
    lines = _lines(result)
    foot = 0.075 + LINE * len(lines)
    grid = figure.add_gridspec(1, 2, left=0.045, right=0.985, top=0.905, bottom=foot, wspace=0.1)
    pages = [curves(figure, grid[k], report) for k, report in enumerate((result.before, result.after))]
    for old, new in zip(*pages):  # one scale for both
        low, high = (f(ax.get_ylim()[k] for ax in (old, new)) for k, f in enumerate((min, max)))
        for ax in (old, new):
            ax.set_ylim(low, high)
    colour = INK if result.after.plausible else ACCENT
    figure.text(0.045, 0.972, result.summary, fontsize=15, color=colour, weight="bold", va="center")
    for x, word, report in ((0.045, "before", result.before), (0.53, "after", result.after)):
        text = f"{word}: {report.verdict.partition(': ')[2]}, score {report.score:.2f}"
        own = INK if report.plausible else ACCENT
        figure.text(x, 0.944, text, fontsize=11, color=own, va="center")
    for k, (line, colour) in enumerate(lines):
        figure.text(0.045, foot - 0.06 - LINE * k, line, fontsize=9.5, color=colour, va="center")
    return write_page(figure, path, dpi=100)


def _lines(result: FixResult) -> list[tuple[str, str]]:
    """What every repair did, wrapped, with its colour."""
    found: list[tuple[str, str]] = []
    for outcome in result.outcomes:
        colour = ACCENT if not outcome.mended else INK if outcome.done else FAINT
        for part in str(outcome).split("\n"):
            found += [(line, colour) for line in wrap(part.strip(), WIDE, subsequent_indent="        ")]
    return found or [("nothing to fix", INK)]
