"""A desk lamp jumps, and turns over."""

from __future__ import annotations

import numpy as np

from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.scene import Scene
from poise.methods.plan.scene.segment import Flight, Segment, Stance

OPTIONS = {
    "modes": 7,
    "rayleigh": (1.0, 0.003),
    "key_weight": 1e7,
    "stiffer": {"Shade": 4.0, "Knuckle": 4.0},  # arms throw the lamp, not its head
}


def jump() -> Scene:
    """Down, up and forwards."""
    take_off = PartialKey("com", velocity=(0.55, 0.0, 1.5), angular_velocity=(0.0, 0.0, 0.0))
    low = PartialKey("Bulb", at=0.6, position=(0.24, None, 0.20))  # before its foot, not through it
    segments: list[Segment] = [
        Stance(0.7, ["Base"], [take_off, low], nodes=2, least_push=0.7, name="prepare"),
        Flight(["Base"], nodes=2, above=["BaseFront", "BaseBack"], name="air"),
        # Its foot stops dead, its head does not: down, up again, and still.
        Stance(1.3, ["Base"], [_nod(-0.13, 0.16), _nod(0.03, 0.42)], nodes=2, rest=True, name="land"),
    ]
    return Scene("lamp", segments, options=OPTIONS, name="lamp jump")


def somersault() -> Scene:
    """Back, down, and over once forwards."""
    take_off = PartialKey("com", velocity=(1.0, 0.0, 2.0))
    spin = PartialKey("com", angular_momentum=(0.0, 1.0, 0.0))
    low = PartialKey("Elbow", at=0.83, position=(None, None, 0.034))
    segments: list[Segment] = [
        Stance(0.9, ["Base"], [take_off, spin, low], nodes=3, least_push=0.6, friction=0.8, name="prepare"),
        Flight(["Base"], turn=(0.0, 2 * np.pi, 0.0), nodes=3, above=["BaseBack"], name="air"),
        Stance(1.0, ["Base"], absorb=0.4, nodes=4, rest=True, name="land"),
    ]
    return Scene(
        "lamp", segments, options={**OPTIONS, "refine": 16, "key_weight": 2e7}, name="lamp somersault"
    )


def _nod(up: float, at: float) -> PartialKey:
    """How much higher than at rest the bulb is at a time."""
    return PartialKey("Bulb", at=at, position=(None, None, up), relative=True, weight=0.3)
