"""How long a floppy hat remembers: error of kinodynamics against full dynamics over window and frame.

Calm before the jump, long swings after: some frames need a fraction of the window that others need.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise import clips
from poise.arrays import Array
from poise.methods.loosen.wear.attachment import attach
from poise.methods.loosen.wear.hat import ON_HEAD, hat
from poise.methods.loosen.wear.sway import Sway
from poise.methods.loosen.wear.window import Choice, choose, error_map, impulse_window
from poise.operations.wear import Wear

WINDOWS = np.arange(1, 61) / 20
"""Up to 3 s."""


@dataclass(frozen=True, eq=False)
class Map:
    """Errors of windows, the windows chosen, and the paper's prediction."""

    motion: Sway
    errors: Array
    choice: Choice
    predicted: float


def scene(clip: str = "jump") -> Map:
    """The map of a bundled clip."""
    motion = clips.get(clip)
    worn = attach(motion, hat(), Wear(offset=ON_HEAD, young=3e4), "hat")
    sway = Sway(motion, worn)
    return Map(sway, error_map(sway, WINDOWS), choose(sway), impulse_window(sway))


def draw(folder: Path) -> list[Path]:
    """As in the paper's Fig. 10."""
    from poise.methods.loosen.window.error_map import plot_error_map

    found = scene()
    axes = plot_error_map(
        found.errors, WINDOWS, fps=found.motion.clip.fps, tolerance=found.choice.tolerance,
        chosen=found.choice.windows, title="A hat in a jump: error of each window at each frame",
    )  # fmt: skip
    axes.set_ylim(WINDOWS[0], WINDOWS[-1])
    path = folder / "kd_hat_windows.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    axes.figure.savefig(path)
    return [path]


if __name__ == "__main__":
    for name in ("jump", "walk", "run", "punch"):
        found = scene(name)
        print(
            f"{name}: windows {found.choice.windows.min():.2f} to {found.choice.seconds:.2f} s, "
            f"left out {1e3 * found.choice.error:.2f} mm of {1e3 * found.choice.tolerance:.2f} mm allowed; "
            f"one impulse predicts {found.predicted:.2f} s"
        )
    print(*draw(Path("out")), sep="\n")
