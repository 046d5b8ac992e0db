"""A desk lamp jumps, and turns over."""

from __future__ import annotations

import numpy as np

from poise.methods.spacetime.key import Key
from poise.methods.spacetime.scene import Scene
from poise.methods.spacetime.segment import Flight, Segment, Stance

OPTIONS = {"modes": 7, "damping": (1.0, 0.003), "gamma": 1e7, "refine": 4}


def jump() -> Scene:
    """Down, up and forwards."""
    take_off = Key("com", velocity=(0.55, 0.0, 1.5), angular_velocity=(0.0, 0.0, 0.0))
    segments: list[Segment] = [
        Stance(0.7, ["Base"], [take_off], nodes=2, least_push=0.4, name="prepare"),
        Flight(["Base"], name="air"),
        Stance(0.9, ["Base"], nodes=2, rest=True, name="land"),
    ]
    return Scene("lamp", segments, options=OPTIONS, name="lamp jump")


def somersault() -> Scene:
    """Over once, forwards."""
    take_off = Key("com", velocity=(0.35, 0.0, 2.5), angular_velocity=(0.0, 12.0, 0.0))
    segments: list[Segment] = [
        Stance(0.8, ["Base"], [take_off], nodes=2, name="prepare"),
        Flight(["Base"], turn=(0.0, 2 * np.pi, 0.0), name="air"),
        Stance(1.0, ["Base"], rest=True, name="land"),
    ]
    return Scene("lamp", segments, options=OPTIONS, name="lamp somersault")
