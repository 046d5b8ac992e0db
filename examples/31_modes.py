"""Vibration modes of a standing figure: as the linear model has them, and warped.

Along a linear mode bones stretch; the warp turns them instead, and keeps the feet where they are.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.character import presets
from poise.dynamics.modal import Rayleigh
from poise.manifold import so3
from poise.methods.plan.model.exponential import rotations
from poise.methods.plan.model.linear_dynamics import Footing
from poise.methods.plan.model.warp import apart
from poise.methods.plan.scene.hold import Hold
from poise.methods.plan.scene.springs import stiffness

FEET = (Hold("LeftFoot"), Hold("RightFoot"))
AMPLITUDE = 0.9
"""Largest turn of a bone [rad]."""
APART = 1.05
"""Between figures [m]."""


def footing() -> Footing:
    character = presets.biped180()
    q0 = character.rest_pose()
    return Footing.at(character, q0, FEET, stiffness(character, q0), Rayleigh(0.5, 0.005), at_least=20)


def linear(found: Footing, mode: int) -> Array:
    """The pose 𝐖 (3, 1 + 3n) along a mode as the linear model has it: W_i = 1 + hat(θ_i)."""
    turns, size = _turns(found, mode)
    root = found.figure.reference[:, 0] + size * (
        found.figure.kin.point_jacobian("Hips")[0] @ _shape(found, mode)
    )
    matrices = np.eye(3) + so3.hat(turns)
    return np.concatenate([root[:, None], *matrices], axis=1)


def warped(found: Footing, mode: int) -> Array:
    """The same, warped."""
    return found.warp.pose(rotations(_turns(found, mode)[0][None]))[0]


def stretch(pose: Array) -> float:
    """How far bones are from rigid."""
    return float(np.abs(np.linalg.svd(apart(pose))[1] - 1).max())


def _shape(found: Footing, mode: int) -> Array:
    return found.modes.shapes[:, mode]


def _turns(found: Footing, mode: int) -> tuple[Array, float]:
    """Turns of the bones (n, 3), and the modal coordinate they belong to."""
    turns = found.turning[:, mode].reshape(-1, 3)
    size = AMPLITUDE / float(np.linalg.norm(turns, axis=1).max())
    return size * turns, size


def draw(folder: Path, count: int = 6) -> list[Path]:
    """The slowest modes beside the pose they swing about: linear above, warped below."""
    from poise import pictures

    found = footing()
    figure = found.figure
    look = pictures.figure(figure.character)
    columns = np.stack([figure.column(name) for name in figure.character.names], axis=1)
    azimuth = 40.0  # [deg] of the camera; the row goes along the picture
    along = np.array([-np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth)), 0.0])
    pictured = []
    for made in (linear, warped):
        scene = pictures.Scene()
        points = []
        for k, pose in enumerate([figure.reference, *(made(found, mode) for mode in range(count))]):
            places = (pose @ columns).T + APART * k * along
            look.put(scene.solid, places, apart(pose) @ figure.rotations)
            points.append(places)
        cloud = np.concatenate(points)
        cloud = np.concatenate([cloud, cloud * (1, 1, 0), cloud + (0, 0, 0.12)])
        camera = pictures.Camera.framing(
            cloud, azimuth=azimuth, elevation=6.0, size=(1600, 480), margin=0.03, orthographic=True
        )
        pictured.append(pictures.render(scene, camera))
    path = folder / "spacetime_modes.png"
    texts = ["linear: bones stretch", "warped: bones turn"]
    pictures.save_png(pictures.captioned(pictured, texts), path)
    return [path]


if __name__ == "__main__":
    at = footing()
    for number in range(6):
        ends = [100 * stretch(made(at, number)) for made in (linear, warped)]
        hertz = at.modes.frequencies[number]
        print(f"mode {number}: {hertz:5.2f} Hz, stretch {ends[0]:.0f} % linear, {ends[1]:.2f} % warped")
    print(*draw(Path("out")), sep="\n")
