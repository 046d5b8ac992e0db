"""How fast the error falls: the published iteration, the same with updates scaled by 0.8, and ours.

The published one corrects along one direction per iteration and converges by a constant factor; ours measures
all directions once and then learns from every step, so that the number of right digits grows ever faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from poise import clips
from poise.constraints import pin
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.published import iterate

FIST = "RightHandCentre"
CONTACT = 51
WINDOW = 0.5
WIDTHS = (1.0, 0.5)
METHODS = ("paper", "scaled", "newton")
FLOOR = 1e-12
"""Errors below this [m] are noise of double precision."""


@dataclass(frozen=True)
class Convergence:
    """Errors [m] after each iteration, the first before any, by method and width."""

    history: dict[tuple[str, float], tuple[float, ...]]

    def needed(self, method: str, width: float, error: float) -> int:
        """Iterations until the error [m] is reached; a large number where it never is."""
        for k, value in enumerate(self.history[method, width]):
            if value <= error:
                return k
        return 999


def scene(tension: str = "relaxed", iterations: int = 16) -> Convergence:
    """Aim the punch with each method and width."""
    clip = clips.get("punch")
    target = Kinematics(clip.character, clip.q[CONTACT]).point(FIST)[0]
    aim = [pin(FIST, target, CONTACT * clip.dt)]
    history = {}
    for width in WIDTHS:
        for method in METHODS:
            known = "newton" if method == "newton" else "paper"
            result = poise.hit(
                clip, aim, tension, WINDOW, width=width, method=known, iterations=iterations, accuracy=FLOOR
            )
            solution = result.solution
            if method == "scaled":
                solution = iterate(result.problem, iterations=iterations, accuracy=FLOOR, scale=0.8)
            history[method, width] = solution.history
    return Convergence(history)


def draw(folder: Path) -> list[Path]:
    """As in the paper's Fig. 8, further down."""
    from panels import figure, save_figure

    found = scene()
    made, axes = figure()
    colours = {"paper": "tab:orange", "scaled": "tab:green", "newton": "tab:blue"}
    for (method, width), errors in found.history.items():
        style = "-" if width == WIDTHS[0] else "--"
        label = f"{method.replace('scaled', 'paper × 0.8')}, width {width:g} s"
        axes.semilogy(
            100 * np.maximum(errors, FLOOR / 10),
            style,
            marker="o",
            ms=3.5,
            color=colours[method],
            label=label,
        )
    axes.axhline(1e-2, color="0.6", lw=0.8)
    axes.text(12.2, 1.4e-2, "the paper's threshold", ha="right", color="0.4", fontsize=8)
    axes.set(xlabel="iteration", ylabel="distance from the target [cm]")
    axes.legend(frameon=False, fontsize=8)
    return [save_figure(made, folder / "kd_convergence.png")]


if __name__ == "__main__":
    found = scene()
    for (method, width), errors in found.history.items():
        print(f"{method:7s} width {width:g} s:", " ".join(f"{100 * e:.0e}" for e in errors), "cm")
    print(*draw(Path("out")), sep="\n")
