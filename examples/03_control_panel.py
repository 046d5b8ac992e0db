"""A control panel: five buttons in two seconds, pressed by a relaxed arm.

The buttons are so close in time that the correction for one disturbs its neighbours: all are solved together.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from acting import standing
from poise.arrays import Array
from poise.constraints import pin
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hit import HitResult
from poise.motion import Clip

FINGER = "RightHandCentre"
WINDOW = 0.5
WIDTH = 0.6
PRESSES = (0.60, 1.00, 1.35, 1.75, 2.15)
"""When [s]."""
BUTTONS = np.array(
    [
        [0.50, -0.30, 1.30],
        [0.50, -0.08, 1.36],
        [0.50, -0.20, 1.15],
        [0.50, 0.06, 1.20],
        [0.50, -0.28, 1.06],
    ]
)
"""Where [m]."""
DURATION = 2.8
BACK = np.array([-0.14, 0.0, 0.0])
"""Between presses the hand draws back from the panel [m]."""


@dataclass(frozen=True, eq=False)
class Panel:
    """The animation, its relaxed version, and the corrected one."""

    clip: Clip
    relaxed: Clip
    result: HitResult

    def miss(self, clip: Clip) -> Array:
        """Distance from each button at its time [m], (5,)."""
        at = Kinematics(clip.character, clip.at(np.array(PRESSES))).point(FINGER)
        return np.asarray(np.linalg.norm(at - BUTTONS, axis=1))


def animated() -> Clip:
    """Press every button in turn, as a key-frame animator would."""
    rest = (0.16, -0.27, 1.0)
    hand = [(0.0, rest), (0.15, rest)]
    for k, (t, button) in enumerate(zip(PRESSES, BUTTONS)):
        if k:
            hand.append((0.5 * (t + PRESSES[k - 1]), tuple(0.5 * (button + BUTTONS[k - 1]) + BACK)))
        hand.append((t, tuple(button)))
    hand += [(2.6, rest), (DURATION, rest)]
    look = [(0, 8), (0.4, 12), (1.0, 8), (2.15, 18), (2.7, 8)]
    aside = [(0, 0), (0.45, -14), (1.0, -6), (1.75, 4), (2.15, -12), (2.7, 0)]
    return standing(
        "panel", DURATION, {"look_down": look, "look_aside": aside}, {"Right": hand}, rounding=0.02
    )


def scene(method: str = "newton") -> Panel:
    """Loosen the animation, then press the buttons all the same."""
    clip = animated()
    aims = [
        pin(FINGER, button, t, name=f"button {k + 1}")
        for k, (t, button) in enumerate(zip(PRESSES, BUTTONS))
    ]  # fmt: skip
    result = poise.hit(clip, aims, "loose", WINDOW, width=WIDTH, method=method)
    return Panel(clip, poise.loosen(clip, "loose", WINDOW).clip, result)


def draw(folder: Path) -> list[Path]:
    """The third press, relaxed and corrected, with the hand's way from the first button to the last."""
    import panels
    from poise.pictures import View
    from poise.pictures.mesh import box

    found = scene()
    worst = found.miss(found.relaxed).max()
    board = box((0.012, 0.25, 0.24)).placed([0.545, -0.12, 1.21])
    frame = round(PRESSES[3] * found.clip.fps)
    span = (round(PRESSES[0] * found.clip.fps), round(PRESSES[-1] * found.clip.fps))
    items = [
        panels.Panel(
            clip, frame, title, note, targets=list(BUTTONS), trails=[(clip, FINGER, colour)], span=span,
            meshes=[(board, "stone")],
        )
        for clip, title, note, colour in (
            (found.relaxed, "loose", f"off by up to {100 * worst:.0f} cm", "trail2"),
            (found.result.clip, "hit", "five buttons", "trail"),
        )
    ]  # fmt: skip
    around = [(-0.15, -0.5, 0.75), (0.62, 0.35, 1.8), (-0.15, 0.35, 0.75), (0.62, -0.5, 1.8)]
    look = panels.Framing(View(-128.0, 14.0), (620, 480), around, 0.02)
    return [panels.panels(items, folder / "kd_control_panel.png", look)]


if __name__ == "__main__":
    found = scene()
    print("loose:", ", ".join(f"{100 * m:.1f}" for m in found.miss(found.relaxed)), "cm off")
    print(found.result.report)
    print(*draw(Path("out")), sep="\n")
