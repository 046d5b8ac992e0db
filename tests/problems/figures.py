"""Characters and short clips for random problems: bundled ones, a lamp, and bodies nobody would build."""

from __future__ import annotations

from functools import cache

import numpy as np

from poise import characters, clips
from poise.character import Body, Character, Joint, JointKind, Mass
from poise.motion import Clip

CLIPS = ("planar_walk", "planar_jump", "walk", "punch", "run", "reach")
ODD = ("lamp", "pendulum", "stick", "rail", "dot")


@cache
def character(name: str) -> Character:
    """By name."""
    ball = Mass(1.0, (0.0, 0.0, 0.0), 1e-3 * np.eye(3))
    match name:
        case "pendulum":  # two hinges about one axis, the second of no length
            swing = Joint(JointKind.HINGE, axis=(0.0, 1.0, 0.0))
            return Character(
                name,
                [
                    Body("arm", None, swing, mass=ball, points={"tip": (0.0, 0.0, -0.5)}),
                    Body("hand", "arm", swing, mass=ball),
                ],
            )
        case "stick":  # nothing moves
            return Character(
                name, [Body("stick", None, Joint(JointKind.FIXED), mass=ball, points={"tip": (0, 0, 1.0)})]
            )
        case "rail":  # slides only
            slide = Joint(JointKind.SLIDE, axis=(1.0, 0.0, 0.0))
            lift = Joint(JointKind.SLIDE, axis=(0.0, 0.0, 1.0), lower=(-0.2,), upper=(0.3,))
            return Character(
                name, [Body("cart", None, slide, mass=ball), Body("hook", "cart", lift, mass=ball)]
            )
        case "dot":
            return Character(name, [Body("dot", None, Joint(JointKind.FREE), mass=ball)])
    return characters.get(name)


@cache
def _whole(name: str) -> Clip:
    if name in CLIPS:
        return clips.get(name)
    body, frames = character(name), 40
    rng = np.random.default_rng(len(name))
    phase, size = rng.uniform(0, 6, size=body.nv), rng.uniform(0, 0.3, size=body.nv)
    sway = size * np.sin(phase + 0.15 * np.arange(frames)[:, None])
    return Clip(body, body.manifold.plus(np.tile(body.rest_pose(), (frames, 1)), sway), 30, name=name)


def short_clip(rng: np.random.Generator, *, odd: float = 0.25) -> Clip:
    """A stretch of a clip, a loop now and then, most often of ten to thirty frames."""
    whole = _whole(str(rng.choice(ODD if rng.uniform() < odd else CLIPS)))
    if whole.loop and rng.uniform() < 0.15:
        return whole
    count = int(rng.choice([1, 2, 3, rng.integers(10, 31)], p=[0.01, 0.02, 0.02, 0.95]))
    first = int(rng.integers(0, whole.frames - count + 1))
    return Clip(whole.character, whole.q[first : first + count], whole.rate, name=whole.name)


def some_time(rng: np.random.Generator, clip: Clip, *, held: float = 0.3) -> float | tuple[float, float]:
    """A frame's time, one between frames, or (with the chance ``held``) an interval of up to eight frames."""
    frame = int(rng.integers(clip.frames))
    if rng.uniform() < held:
        last = min(frame + int(rng.integers(0, 8)), clip.frames - 1)
        return frame / clip.fps, last / clip.fps
    if rng.uniform() < 0.3:
        return float(rng.uniform(0, (clip.frames - 1) / clip.fps))
    return frame / clip.fps
