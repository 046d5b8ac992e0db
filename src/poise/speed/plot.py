"""A comparison as one picture: how many times faster Poise is than each peer, on a logarithmic scale."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from poise.errors import InputError
from poise.plot_page import ACCENT, FAINT, INK, blank_page, write_page
from poise.speed.machine import words
from poise.speed.result import Benchmark, Row, spoken, times

BAR = "#3d8b5a"
"""Of rows where Poise is faster; the others are drawn in the accent."""
WIDTH, HEAD, EACH = 10.0, 1.5, 0.46
"""Of the page, of what is above and below the bars, and of each bar [inches]."""


def checked(path: Path) -> None:
    """Refuse a plot that cannot be drawn before a minute is spent on measuring."""
    blank_page(path, 1, 1)


def plot(found: Benchmark, path: str | Path) -> Path:
    """Draw the measured rows and write them: PNG, PDF or SVG, by the extension."""
    rows = found.of("measured")
    if not rows:
        raise InputError("there is nothing to plot: no comparison was measured")
    height = HEAD + EACH * len(rows)
    path, figure = blank_page(path, WIDTH, height)
    axes = figure.add_axes((0.36, 0.62 / height, 0.6, (height - HEAD) / height))
    _bars(axes, rows)
    top = 1 - 0.32 / height
    title = "Poise beside its peers on this machine: how many times faster"
    figure.text(0.02, top, title, fontsize=14, color=INK, weight="bold", va="center")
    line = f"{words(found.machine)}; Poise {found.machine['versions']['poise']}"
    figure.text(0.02, top - 0.3 / height, line, fontsize=9, color=FAINT, va="center")
    return write_page(figure, path, dpi=130)


def _bars(axes: Any, rows: list[Row]) -> None:
    ratios = [row.ratio or 1.0 for row in rows]
    left, right = min(0.8, 0.7 * min(ratios)), 6 * max(2.0, *ratios)
    for k, (row, ratio) in enumerate(zip(rows, ratios)):
        start, end = sorted((1.0, ratio))
        axes.barh(k, end - start, left=start, height=0.62, color=BAR if ratio >= 1 else ACCENT, lw=0)
        label = axes.text(end * 1.06, k, times(ratio), va="center", fontsize=10, color=INK, weight="bold")
        label.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # over the grid
        axes.text(
            right / 1.04,
            k,
            f"{spoken(row.ours or 0.0)} : {spoken(row.theirs or 0.0)}",
            va="center",
            ha="right",
            fontsize=8,
            color=FAINT,
        )
    axes.text(right / 1.04, -0.75, "Poise : peer", ha="right", fontsize=8, color=FAINT)
    axes.set_xscale("log")
    axes.set_xlim(left, right)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.axvline(1.0, color=INK, lw=1)
    marks = [10.0**k for k in range(-2, 7) if left <= 10.0**k <= right / 5]
    axes.set_xticks(marks, [f"{mark:g}×" for mark in marks])
    axes.minorticks_off()
    axes.set_yticks(range(len(rows)), [f"{row.name}\nbeside {row.peer}" for row in rows], fontsize=9)
    axes.set_xlabel("the peer's time over ours", color=FAINT, fontsize=9)
    axes.tick_params(colors=INK, length=0)
    axes.grid(axis="x", color="#e4e8ec", lw=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "bottom", "left"):
        axes.spines[side].set_visible(False)
