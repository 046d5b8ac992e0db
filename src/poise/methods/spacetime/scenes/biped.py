"""A two-legged figure of 180 degrees of freedom punches, walks, jumps aside and turns over."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.methods.spacetime.key import Key
from poise.methods.spacetime.scene import Scene
from poise.methods.spacetime.segment import Flight, Segment, Stance

FEET = ("LeftFoot", "RightFoot")
TIPS = {f"*{part}*": 10.0 for part in ("Hand", "Thumb", "Index", "Middle", "Ring", "Pinky", "Toe")}
"""Hands and toes that do not flap."""
CALM = {"*UpperArm": 4.0, "*Forearm": 4.0, **TIPS}
"""Arms stiff enough to leave the jumping to the legs."""


def four_punches() -> Scene:
    """Right, left, right, left, and back: each punch ends in a blow that stops the fist."""
    segments: list[Segment] = []
    stopped: list[str] = []
    for k, side in enumerate(("Right", "Left", "Right", "Left"), start=1):
        fist, y = f"{side}HandCentre", -0.08 if side == "Right" else 0.08
        key = Key(fist, position=(0.58, y, 1.30), velocity=(5.0, 0.0, 0.0))
        segments.append(Stance(0.38, FEET, [key], stop=stopped, name=f"punch {k}"))
        stopped = [fist]
    segments.append(Stance(0.7, FEET, stop=stopped, rest=True, name="back"))
    return Scene(
        "biped180",
        segments,
        FEET,
        0.06,
        {"modes": 15, "damping": (3.0, 0.005), "joints": TIPS},
        "four punches",
    )


def side_jump() -> Scene:
    """A jump to the left, from a crouch into a crouch."""
    return jump((0.0, 1.0, 2.4), name="side jump")


def jump(
    velocity: Sequence[float],
    *,
    name: str,
    character: str = "biped180",
    feet: Sequence[str] = FEET,
    lower: float = 0.18,
) -> Scene:
    """A jump with a velocity at take-off [m/s], and no spin."""
    take_off = Key("com", velocity=velocity, position=(None, None, 0.04), relative=True)
    no_spin = Key("com", angular_momentum=(0.0, 0.0, 0.0))
    segments: list[Segment] = [
        Stance(0.9, feet, [take_off, no_spin], nodes=2, name="prepare"),
        Flight(feet, name="air"),
        Stance(1.1, feet, absorb=0.6, nodes=3, rest=True, name="land"),
    ]
    return Scene(
        character, segments, feet, lower, {"modes": 20, "damping": (1.5, 0.005), "joints": CALM}, name
    )


def somersault() -> Scene:
    """Forwards and over: the spin is too slow for an open body, so it tucks."""
    take_off = Key("com", velocity=(0.5, 0.0, 3.8), position=(None, None, 0.06), relative=True)
    spin = Key("com", angular_momentum=(0.0, 58.0, 0.0))
    crouch = [
        Key("com", at=0.6, position=(None, None, -0.17), relative=True),
        Key("Spine5", at=0.6, orientation=_lean(0.45), relative=True),
    ]
    # It opens before it lands, feet ahead, and turns on as one body.
    opened = Key(
        "Spine5", orientation=_lean(-0.1), angular_velocity=(0.0, 4.5, 0.0), relative=True, weight=0.3
    )
    segments: list[Segment] = [
        Stance(1.1, FEET, [take_off, spin, *crouch], least_push=0.5, name="prepare"),
        Flight(FEET, turn=(0.0, 2 * np.pi, 0.0), keys=[opened], offset=(0.1, 0.0, 0.0), nodes=2, name="air"),
        Stance(1.3, FEET, absorb=0.7, nodes=4, rest=True, name="land"),
    ]
    joints = {**CALM, "Neck*": 4.0, "Head": 3.0}
    options = {"modes": 20, "damping": (1.5, 0.005), "joints": joints}
    return Scene("biped180", segments, FEET, 0.18, options, "somersault")


def _lean(angle: float) -> tuple[float, float, float, float]:
    """A turn forwards [rad]."""
    return (float(np.cos(angle / 2)), 0.0, float(np.sin(angle / 2)), 0.0)


def walk() -> Scene:
    """Four steps: weight over one foot, the other swings."""
    pace, wide = 0.34, 0.105
    segments: list[Segment] = [
        Stance(
            0.6,
            FEET,
            [Key("com", velocity=(0.45, 0.1, 0.0), position=(0.02, 0.05, None), relative=True)],
            name="lean",
        )
    ]
    stride = pace
    sides = ("Right", "Left", "Right", "Left")
    for k, side in enumerate(sides, start=1):
        other = "Left" if side == "Right" else "Right"
        y = wide if side == "Left" else -wide
        x = -0.01 + stride
        foot = f"{side}Foot"
        last = k == len(sides)
        keys = [
            Key(foot, position=(x, y, 0.085), orientation=(1.0, 0.0, 0.0, 0.0), velocity=(0.0, 0.0, -0.1)),
            Key(foot, at=0.22, position=(None, None, 0.155)),
            Key("Spine5", orientation=_lean(0.05), relative=True, weight=0.3),
            Key(
                "com",
                position=(x - (0.0 if last else 0.5 * pace) + 0.02, None, None),
                velocity=(0.1 if last else 0.75, None, 0.0),
            ),
        ]
        swings = [f"{side}Ball", f"{side}Heel"]
        segments.append(Stance(0.44, [f"{other}Foot"], keys, above=swings, least_push=0.5, name=f"step {k}"))
        stride += 0.0 if k == len(sides) - 1 else pace
    segments.append(Stance(0.7, FEET, rest=True, name="stand"))
    calmer = {**CALM, "*UpperArm": 8.0, "*Forearm": 8.0, "Neck*": 4.0, "Head": 4.0, "Ponytail": 4.0}
    return Scene(
        "biped180", segments, FEET, 0.05, {"modes": 20, "damping": (2.0, 0.005), "joints": calmer}, "walk"
    )
