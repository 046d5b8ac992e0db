"""Vibration modes of a standing figure: as the linear model has them, and warped.

Along a linear mode bones stretch; the warp turns them instead, and keeps the feet where they are.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.character import presets
from poise.dynamics.modal import Rayleigh
from poise.methods.spacetime import Hold
from poise.methods.spacetime.exponential import rotations
from poise.methods.spacetime.footing import Footing
from poise.methods.spacetime.projection import current_places, project
from poise.methods.spacetime.springs import stiffness
from poise.methods.spacetime.warp import apart, side_by_side
from poise.motion import Clip

FEET = (Hold("LeftFoot"), Hold("RightFoot"))
AMPLITUDE = 0.9
"""Largest turn of a bone [rad]."""


def footing() -> Footing:
    character = presets.biped180()
    q0 = character.rest_pose()
    return Footing.at(character, q0, FEET, stiffness(character, q0), Rayleigh(0.5, 0.005), at_least=20)


def stretch(found: Footing, mode: int) -> tuple[float, float]:
    """How far bones are from rigid along a mode: linear, and warped."""
    turns = _turns(found, mode)
    n = found.figure.bones
    hats = np.zeros((1, n, 3, 3))
    x, y, z = turns[0].T
    hats[0, :, 0, 1], hats[0, :, 0, 2], hats[0, :, 1, 2] = -z, y, -x
    hats[0] -= np.swapaxes(hats[0], 1, 2)
    linear = np.eye(3) + hats
    pose = np.concatenate([np.zeros((1, 3, 1)), side_by_side(rotations(turns))], axis=2)
    warped = apart(found.warp.pose(apart(pose)))
    return tuple(float(np.abs(np.linalg.svd(w)[1] - 1).max()) for w in (linear, warped))  # type: ignore[return-value]


def _turns(found: Footing, mode: int) -> Array:
    turns = found.turning[:, mode].reshape(1, -1, 3)
    return turns * AMPLITUDE / np.linalg.norm(turns, axis=2).max()


def draw(folder: Path, count: int = 6) -> list[Path]:
    """The slowest modes, warped, beside the pose they swing about."""
    from poise import pictures

    found = footing()
    character, q0 = found.figure.character, found.figure.q0
    places = current_places(character, q0, FEET)
    poses = [q0]
    for mode in range(count):
        poses.append(project(found.figure, found.warp.pose(rotations(_turns(found, mode))), places).q[0])
    clip = Clip(character, poses, 1)
    picture = pictures.strobe(
        clip, frames=range(count + 1), hero=0, style="solid", offset=0.95, size=(1600, 640)
    )
    path = folder / "spacetime_modes.png"
    pictures.save_png(picture, path)
    return [path]


if __name__ == "__main__":
    found = footing()
    for mode in range(6):
        linear, warped = stretch(found, mode)
        hertz = found.modes.frequencies[mode]
        stretched = f"{100 * linear:.0f} % linear, {100 * warped:.1f} % warped"
        print(f"mode {mode}: {hertz:5.2f} Hz, bones stretched by {stretched}")
    print(*draw(Path("out")), sep="\n")
