"""Error of kinodynamics against full dynamics, over window and frame: a number for each and a picture.

    E(δ, t) = rms over nodes of |x_KD(t; δ) − x_full(t)|

Windows that start at the same instant are parts of one run, so the whole map costs about what its longest
window costs alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked
from poise.errors import InputError, MissingDependencyError
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.window.truncation import LONGEST, Nodes, Truncation, one_thread, rms


def error_map(simulator: Simulator, windows: ArrayLike) -> Array:
    """Errors [m] of windows [s] (W,) at every frame, (W, F).

    Full dynamics is free of start-up here: before its first frame a clip holds its pose, a loop goes on.
    """
    seconds = checked(np.atleast_1d(np.asarray(windows, dtype=np.float64)), "windows", (None,))
    steps = np.asarray(simulator.steps(seconds, len(seconds)), dtype=np.int64)
    if not len(seconds):
        raise InputError("an error map needs at least one window")
    # Full dynamics to a thousandth of what is seen, so that small errors are right too.
    fine = 1e-6 * (Nodes(simulator).diameter or 1.0)
    found = Truncation(simulator, tolerance=fine, stride=1, longest=max(LONGEST, float(seconds.max())))
    out = np.empty((len(seconds), simulator.clip.frames))
    with one_thread():
        _fill(found, steps, out)
    return out


def _fill(found: Truncation, steps: IntArray, out: Array) -> None:
    frames, n, full = out.shape[1], found.simulator.per_frame, found.full
    # Windows that differ by whole frames share their starts.
    for residue in np.unique(steps % n):
        lengths = np.unique(steps[steps % n == residue])
        first, longest = int(lengths[0]), int(lengths[-1])
        starts = np.arange(first - longest, (frames - 1) * n + 1, n) - first
        advances = np.diff(lengths, prepend=0)
        for length, (_, q) in zip(lengths, found.march(starts, (int(a) for a in advances))):
            ends = starts + length
            inside = (ends >= 0) & (ends <= (frames - 1) * n)
            errors = rms(found.nodes.positions(q[inside]) - full[ends[inside] // n])
            out[steps == length] = errors


def plot_error_map(
    errors: ArrayLike,
    windows: ArrayLike,
    *,
    fps: float | None = None,
    tolerance: float | None = None,
    chosen: ArrayLike | None = None,
    title: str = "Error of kinodynamics against full dynamics",
    axes: Any = None,
) -> Any:
    """Draw a map of errors (W, F) on a logarithmic colour scale and return its axes.

    With ``fps`` frames also have times. ``tolerance`` [m] adds the line where it is met, ``chosen`` (F,) a
    line of windows [s]. ``axes`` are Matplotlib's, new ones by default: ``axes.figure.savefig(path)``.
    """
    seconds = checked(windows, "windows", (None,))
    values = checked(errors, "errors", (len(seconds), None))
    if len(seconds) < 2 or values.shape[1] < 2 or (np.diff(seconds) <= 0).any():
        raise InputError("a picture needs at least two frames and two windows, in increasing order")
    colors, ticker, new_axes = _drawing()
    if axes is None:
        axes = new_axes()
    millimetres = 1e3 * values
    top = float(millimetres.max())
    top = top if top > 0 else 1.0
    bottom = max(float(millimetres.min()), 1e-4 * top)
    frames = np.arange(values.shape[1])
    picture = axes.pcolormesh(
        frames, seconds, np.maximum(millimetres, bottom), shading="gouraud", cmap="magma",
        norm=colors.LogNorm(bottom, top), rasterized=True,
    )  # fmt: skip
    bar = axes.figure.colorbar(picture, ax=axes, pad=0.02)
    bar.set_label("error: root mean square over nodes [mm]")
    bar.ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{x:g}"))
    label, pale = [], "white"
    if tolerance is not None and bottom < 1e3 * tolerance < top:
        axes.contour(frames, seconds, millimetres, levels=[1e3 * tolerance], colors=pale, linewidths=1.2)
        label.append(f"white: {1e3 * tolerance:.3g} mm")
    if chosen is not None:
        line = checked(chosen, "chosen windows", (values.shape[1],))
        axes.plot(frames, line, color="#35d0ff", linewidth=1.6)
        label.append("blue: windows chosen")
    if label:
        axes.text(
            0.985, 0.97, "\n".join(label), transform=axes.transAxes, color=pale, fontsize=9,
            va="top", ha="right",
            bbox={"facecolor": "black", "alpha": 0.55, "edgecolor": "none", "boxstyle": "round,pad=0.35"},
        )  # fmt: skip
    axes.set_xlabel("frame")
    axes.set_ylabel("window [s]")
    axes.set_title(title, pad=8)
    if fps:
        above = axes.secondary_xaxis("top", functions=(lambda f: f / fps, lambda t: t * fps))
        above.set_xlabel("time [s]", labelpad=3)
    return axes


def _drawing() -> tuple[Any, Any, Any]:
    """Matplotlib's colour scales and tickers, and a maker of axes that opens no window."""
    try:
        from matplotlib import colors, ticker
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError(
            "Matplotlib", "the picture of an error map", 'pip install "poise[plots]"'
        ) from None

    def new_axes() -> Any:
        figure = Figure(figsize=(8.4, 4.6), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        return figure.add_subplot()

    return colors, ticker, new_axes
