"""A tap on a table: there at the right time, and not a millimetre further.

A place alone is met in passing, on the way through the table. With a second constraint, no velocity, the
relaxed hand arrives, touches and leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from acting import standing
from poise.arrays import Array
from poise.constraints import at_rest, pin
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hit import HitResult
from poise.motion import Clip

FINGER = "RightHandCentre"
TABLE = 0.98
"""Height [m]."""
PLACE = np.array([0.42, -0.22, TABLE])
TAP = 0.8
"""When [s]."""
DURATION = 1.6
WINDOW = 0.5
TENSION = "loose"
WIDTH = 1.0


@dataclass(frozen=True, eq=False)
class Tap:
    """The animation, its loose version, one that meets the place, and one that meets it at rest."""

    clip: Clip
    loose: Clip
    passing: HitResult
    touching: HitResult

    def height(self, clip: Clip) -> Array:
        """Of the hand above the table at 4 times per frame [m], (T,)."""
        times = np.linspace(0.0, clip.duration, 4 * (clip.frames - 1) + 1)
        return np.asarray(Kinematics(clip.character, clip.at(times)).point(FINGER)[:, 2] - TABLE)


def animated() -> Clip:
    """The hand comes down on the table and goes up again."""
    over = (0.34, -0.24, TABLE + 0.16)
    hand = [(0.0, over), (0.48, over), (TAP, tuple(PLACE)), (1.12, over), (DURATION, over)]
    keys = {"look_down": [(0, 20)], "right_palm": [(0, 0)]}
    return standing("tap", DURATION, keys, {"Right": hand}, rounding=0.025)


def scene(method: str = "newton") -> Tap:
    """Tap in passing, and at rest."""
    clip = animated()
    there, still = pin(FINGER, PLACE, TAP, name="place"), at_rest(FINGER, TAP, name="no velocity")
    return Tap(
        clip,
        poise.loosen(clip, TENSION, WINDOW).clip,
        poise.hit(clip, [there], TENSION, WINDOW, width=WIDTH, method=method),
        poise.hit(clip, [there, still], TENSION, WINDOW, width=WIDTH, method=method),
    )


def draw(folder: Path) -> list[Path]:
    """The hand's height over time, and the moment of the touch."""
    import panels
    from poise.pictures import View
    from poise.pictures.mesh import box

    found = scene()
    made, axes = panels.figure()
    times = np.linspace(0.0, found.clip.duration, 4 * (found.clip.frames - 1) + 1)
    for clip, label, style in (
        (found.clip, "animated", {"color": "0.6", "ls": "--"}),
        (found.loose, "loose", {"color": "tab:orange"}),
        (found.passing.clip, "place", {"color": "tab:green"}),
        (found.touching.clip, "place and no velocity", {"color": "tab:blue", "lw": 2.2}),
    ):
        axes.plot(times, 100 * found.height(clip), label=label, **style)
    axes.axhspan(axes.get_ylim()[0], 0, color="0.9", zorder=0)
    axes.plot([TAP], [0], "o", color="tab:red")
    axes.set(xlabel="time [s]", ylabel="hand above the table [cm]")
    axes.legend(frameon=False)
    curves = panels.save_figure(made, folder / "kd_tap_height.png")

    board = box((0.2, 0.35, 0.015)).placed([0.52, -0.18, TABLE - 0.045])
    frame = round(TAP * found.clip.fps)
    items = [
        panels.Panel(
            c, frame, title, note, targets=[PLACE], trails=[(c, FINGER, "trail")], span=(25, 80),
            meshes=[(board, "wood")],
        )
        for c, title, note in (
            (found.loose, "loose", "too late and through"),
            (found.touching.clip, "tap", "there, and at rest"),
        )
    ]  # fmt: skip
    around = [(-0.2, -0.5, 0.7), (0.75, 0.3, 1.75), (-0.2, 0.3, 0.7), (0.75, -0.5, 1.75)]
    still = panels.panels(
        items, folder / "kd_tap.png", panels.Framing(View(-70.0, 8.0), (480, 440), around, 0.02)
    )
    return [still, curves]


if __name__ == "__main__":
    found = scene()
    for clip, name in ((found.loose, "loose"), (found.passing.clip, "place"), (found.touching.clip, "tap")):
        print(f"{name:6s} lowest {100 * found.height(clip).min():6.2f} cm above the table")
    print(found.touching.report)
    print(*draw(Path("out")), sep="\n")
