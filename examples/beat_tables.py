"""What the examples on timing share: a table of arrivals, curves of gains, rows of panels, sounds of keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from panels import Framing, Panel, figure, panels, reduced, save_figure
from poise.methods.perform.result import PerformResult
from poise.methods.perform.script import sound
from poise.methods.perform.script.script import Script
from poise.motion import Clip
from poise.pictures import View, save_png

BEHIND = 0.08
"""How far behind the figure a ghost stands [m], so that it shows only where the two differ."""


def table(results: Mapping[str, PerformResult]) -> str:
    """Error [°] and speed error [rad/s] of every key, a column for each performance."""
    names = list(results)
    lines = [f"{'key':>12} {'time':>7} " + " ".join(f"{n:>20}" for n in names)]
    for k, first in enumerate(next(iter(results.values())).arrivals):
        cells = [results[n].arrivals[k] for n in names]
        row = " ".join(f"{a.error:10.4f}° {a.speed_error:7.4f}/s" for a in cells)
        lines.append(f"{first.key:>12} {first.time:6.3f}s {row}")
    worst = [results[n].arrivals for n in names]
    row = " ".join(f"{max(x.error for x in a):10.4f}° {max(x.speed_error for x in a):7.4f}/s" for a in worst)
    lines.append(f"{'worst':>12} {'':>7} {row}")
    return "\n".join(lines)


def gain_curves(
    curves: Mapping[str, tuple[PerformResult, str, int]], path: Path, *, title: str, log: bool = True
) -> Path:
    """k_s(t) of joints: a label, and the performance, joint and axis it stands for."""
    made, axes = figure(7.4, 3.4)
    dues: set[float] = set()
    for label, (result, joint, axis) in curves.items():
        axes.plot(result.gains.times, np.maximum(result.gains.of(joint)[:, axis], 1e-3), label=label, lw=1.5)
        dues |= {a.time for a in result.arrivals}
    for t in sorted(dues):
        axes.axvline(t, color="#999999", lw=0.7, ls=":")
    if log:
        axes.set_yscale("log")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("k_s [N·m/rad]")
    axes.set_title(title, fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    return save_figure(made, path)


def rows(items: Sequence[Sequence[Panel]], path: Path, framing: Framing) -> Path:
    """Several rows of panels in one picture."""
    from PIL import Image

    with TemporaryDirectory() as folder:
        parts = [
            np.asarray(Image.open(panels(row, Path(folder) / f"{k}.png", framing)).convert("RGB"))
            for k, row in enumerate(items)
        ]
    gap = np.full((4, parts[0].shape[1], 3), 244, dtype=np.uint8)
    stacked = [part for row in parts for part in (row, gap)][:-1]
    path.parent.mkdir(parents=True, exist_ok=True)
    save_png(reduced(np.concatenate(stacked)), path)
    return path


def box(low: Sequence[float], high: Sequence[float]) -> list[tuple[float, ...]]:
    """Corners of a box to frame [m]."""
    return [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]


def ghosts(script: Script, view: View) -> Clip:
    """A script's keys as frames of a clip, a little behind where the figure stands."""
    character = script.character
    first = script.start.on(character, character.rest_pose()) if script.start else character.rest_pose()
    q = np.array([k.pose.on(character, first) for k in script.keys])  # type: ignore[union-attr]
    turn = np.radians(view.azimuth)
    q[:, :2] -= BEHIND * np.array([np.cos(turn), np.sin(turn)])
    return Clip(character, q, 1, name="keys")


def off(degrees: float) -> str:
    """An error for a caption."""
    return "on time" if degrees < 0.1 else f"{degrees:.0f}° off"


def heard(script: Script, path: Path, duration: float) -> Path:
    """The sound of a script's keys as a WAV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return sound.write(path, sound.render(sound.of_keys(script.keys), duration))
