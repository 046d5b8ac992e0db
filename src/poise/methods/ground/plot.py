"""One page of curves about a motion on the ground: forces, friction, what nothing carries, what changed."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.contacts.held_patches import FRICTION
from poise.gravity import EARTH
from poise.kinematics import Kinematics
from poise.methods.ground.measured import FORCE, MOMENT
from poise.plausibility.plot import (
    ACCENT,
    COLOURS,
    FAINT,
    INK,
    OTHERS,
    QUESTION,
    SIDES,
    blank_page,
    write_page,
)

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.methods.ground.result import GroundResult

PRESSING = 0.2
"""Friction is drawn where so much of the weight is carried: of less it says nothing."""
WIDE = 170
"""Letters to a line."""


def plot(result: GroundResult, path: str | Path) -> Path:
    """Draw the page and write it: PNG, PDF or SVG, by the extension."""
    path, figure = blank_page(path, 14, 10)
    lines = [part for line in str(result).split("\n")[1:] for part in wrap(line.strip(), WIDE)]
    foot = 0.06 + 0.02 * len(lines)
    grid = figure.add_gridspec(
        5,
        1,
        height_ratios=(2.2, 1, 1, 1, 1),
        left=0.07,
        right=0.98,
        top=0.93,
        bottom=foot + 0.02,
        hspace=0.22,
    )
    axes = [figure.add_subplot(grid[k]) for k in range(5)]
    for draw, ax in zip((_pushes, _friction, _missing_force, _missing_moment, _change), axes):
        draw(ax, result)
        _phases(ax, result)
        ax.set_xlim(0.0, max(result.clip.duration, 1e-3))
        ax.tick_params(labelbottom=ax is axes[-1], labelsize=8)
        ax.grid(alpha=0.25)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[-1].set_xlabel("seconds", fontsize=9)
    colour = INK if result.met else ACCENT
    figure.text(0.07, 0.967, result.summary, fontsize=14, color=colour, weight="bold", va="center")
    for k, line in enumerate(lines):
        figure.text(0.07, foot - 0.035 - 0.02 * k, line, fontsize=9, color=INK, va="center")
    return write_page(figure, path, dpi=110)


def _phases(ax: Any, result: GroundResult) -> None:
    """Flights, and stretches that something unseen carries."""
    dt = result.support.need.clip.dt
    for flight in result.support.flights:
        ax.axvspan(flight.start * dt, flight.end * dt, color=COLOURS["flight"], alpha=0.45, lw=0, zorder=0)
    for a, b in result.released:
        ax.axvspan(a, b, color=COLOURS["unexplained"], alpha=0.6, lw=0, zorder=0)


def _weights(result: GroundResult) -> float:
    return float(result.forces.character.total_mass * EARTH)


def _pushes(ax: Any, result: GroundResult) -> None:
    """Vertical force of every part, and of all."""
    forces, weight, others = result.forces, _weights(result), iter(OTHERS * 4)
    for part, push in forces.by_part.items():
        if push.any():
            colour = SIDES.get(part) or next(others)
            ax.plot(forces.times, push[:, 2] / weight, color=colour, lw=1.3, label=part)
    ax.plot(forces.times, forces.total[:, 2] / weight, color=INK, lw=1.8, label="all")
    ax.axhline(1.0, color=FAINT, lw=0.8, ls=":")
    ax.set_ylabel("vertical force\n[body weights]", fontsize=9)
    ax.legend(fontsize=8, ncol=5, loc="upper right", frameon=False)


def _friction(ax: Any, result: GroundResult) -> None:
    """Along the ground over across it."""
    total, weight = result.forces.total, _weights(result)
    on = total[:, 2] > PRESSING * weight
    used = np.where(on, np.hypot(total[:, 0], total[:, 1]) / np.where(on, total[:, 2], 1.0), np.nan)
    ax.plot(result.forces.times, used, color=INK, lw=1.3)
    ax.axhline(FRICTION, color=ACCENT, lw=0.9, ls="--")
    ax.set_ylim(0.0, 1.25 * FRICTION)
    ax.set_ylabel("friction\nused", fontsize=9)


def _missing(ax: Any, result: GroundResult, row: int, most: float) -> None:
    before, after = result.before.curves, result.left.curves
    if result.changed:
        ax.plot(before[0], before[row], color=QUESTION, lw=1.0, label="as it was")
    ax.plot(after[0], after[row], color=INK, lw=1.3, label="now" if result.changed else "as it is")
    ax.axhline(most, color=ACCENT, lw=0.9, ls="--")
    ax.set_ylim(bottom=0.0)


def _missing_force(ax: Any, result: GroundResult) -> None:
    _missing(ax, result, 1, FORCE)
    ax.set_ylabel("force uncarried\n[body weights]", fontsize=9)
    ax.legend(fontsize=8, ncol=2, loc="upper right", frameon=False)


def _missing_moment(ax: Any, result: GroundResult) -> None:
    _missing(ax, result, 2, MOMENT)
    ax.set_ylabel("moment uncarried\n[body weights·m]", fontsize=9)


def _change(ax: Any, result: GroundResult) -> None:
    """Way of joints, root mean square and furthest."""
    times, way = result.clip.times, np.zeros((result.clip.frames, 1))
    if (was := result.as_it_was) is not None:
        way = _ways(was.q, result)
    ax.plot(times, 100 * way.max(axis=1), color=FAINT, lw=1.2, label="furthest joint")
    ax.plot(times, 100 * np.sqrt((way**2).mean(axis=1)), color=INK, lw=1.5, label="rms of joints")
    ax.set_ylim(bottom=0.0)
    ax.set_ylabel("change [cm]", fontsize=9)
    ax.legend(fontsize=8, ncol=2, loc="upper right", frameon=False)


def _ways(was: Array, result: GroundResult) -> Array:
    """Between joints before and after (F, n) [m]."""
    before, after = (Kinematics(result.clip.character, q).positions for q in (was, result.clip.q))
    return np.asarray(np.linalg.norm(after - before, axis=2))
