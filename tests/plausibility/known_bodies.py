"""Characters and motions whose physics is known in closed form."""

from __future__ import annotations

import numpy as np

from poise import Character, Clip, characters
from poise.character import Body, Joint, Mass
from poise.manifold import so3

FPS = 120


def brick(mass: float = 4.0) -> Character:
    """A rigid box with corners that may touch."""
    half = np.array([0.3, 0.2, 0.1])
    moments = (
        mass
        / 3
        * np.array([half[1] ** 2 + half[2] ** 2, half[0] ** 2 + half[2] ** 2, half[0] ** 2 + half[1] ** 2])
    )
    corners = {f"corner{k}": half * [(-1) ** k, (-1) ** (k // 2), (-1) ** (k // 4)] for k in range(8)}
    return Character(
        "brick", [Body("Brick", None, Joint.free(), mass=Mass(mass, inertia=moments), points=corners)]
    )


def thrown(gravity: float = 9.81, *, spin: float = 0.0, seconds: float = 0.5, up: float = 2.0) -> Clip:
    """The brick on a parabola, turning steadily about its own y axis."""
    t = np.arange(round(seconds * FPS) + 1) / FPS
    q = np.zeros((len(t), 7))
    q[:, 0], q[:, 2] = 1.5 * t, 1.0 + up * t - 0.5 * gravity * t**2
    q[:, 3:] = so3.exp(np.outer(spin * t, [0.0, 1.0, 0.0]))
    return Clip(brick(), q, FPS, name="thrown")


def lever(angle: float, *, mass: float = 10.0, length: float = 0.8, seconds: float = 0.5) -> Clip:
    """A heavy rod, leaning by an angle on a weightless foot that stands flat; the rod's top is the root."""
    foot = {"Heel": (-0.15, 0.0, -0.05), "Toe": (0.25, 0.0, -0.05)}
    inertia = np.full(3, 1e-6)
    rod = Mass(mass, (0.0, 0.0, 0.0), inertia)
    character = Character(
        "lever",
        [
            Body("Rod", None, Joint.free(), mass=rod),
            Body(
                "Foot",
                "Rod",
                Joint.hinge((0.0, 1.0, 0.0)),
                offset=(0.0, 0.0, -length),
                mass=Mass(1e-9, inertia=inertia * 1e-6),
                points=foot,
                limb="foot",
            ),
        ],
    )
    pose = np.zeros(8)
    pose[:3] = length * np.sin(angle), 0.0, 0.05 + length * np.cos(angle)
    pose[3:7] = so3.exp([0.0, angle, 0.0])
    pose[7] = -angle
    return Clip(character, np.repeat(pose[None], round(seconds * FPS), axis=0), FPS, name="lever")


def standing(seconds: float = 1.0, fps: int = FPS) -> Clip:
    """The humanoid, upright and still."""
    from poise import clips

    wave = clips.get("wave")
    return Clip(wave.character, np.repeat(wave.q[:1], round(seconds * fps), axis=0), fps, name="standing")


def lifted(clip: Clip, heights: np.ndarray | float) -> Clip:
    """The same motion of a free root, each frame raised [m]."""
    q = np.array(clip.q)
    q[:, 2] += heights
    return clip.with_q(q)


def smoothstep(s: np.ndarray) -> np.ndarray:
    """0 … 1 with zero slope and curvature at the ends."""
    s = np.clip(s, 0.0, 1.0)
    return s**3 * (10 - 15 * s + 6 * s**2)


def flailing(rng: np.random.Generator, fps: int, seconds: float = 0.4) -> Clip:
    """The humanoid with every degree of freedom swinging smoothly."""
    character = characters.get("humanoid")
    t = np.arange(round(seconds * fps) + 1) / fps
    size, phase, beat = (rng.uniform(a, b, character.nv) for a, b in ((0.1, 0.5), (0, 6.28), (3.0, 9.0)))
    swing = size * np.sin(np.outer(t, beat) + phase)
    return Clip(character, character.manifold.plus(character.rest_pose(), swing), fps, name="flailing")


def piston(heights: np.ndarray) -> Clip:
    """A weight of 5 kg that slides above a weightless foot on the floor."""
    foot = {"Heel": (-0.1, 0.0, 0.0), "Toe": (0.2, 0.0, 0.0), "Side": (0.0, 0.1, 0.0)}
    light = Mass(1e-9, inertia=np.full(3, 1e-12))
    weight = Mass(5.0, inertia=np.full(3, 0.01))
    character = Character(
        "piston",
        [
            Body("Foot", None, Joint.free(), mass=light, points=foot, limb="foot"),
            Body("Weight", "Foot", Joint.slide((0.0, 0.0, 1.0)), mass=weight, limb="spine"),
        ],
    )
    q = np.zeros((len(heights), 8))
    q[:, 3], q[:, 7] = 1.0, heights
    return Clip(character, q, FPS, name="piston")
