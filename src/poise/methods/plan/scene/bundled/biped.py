"""A two-legged figure of 180 degrees of freedom punches, walks, jumps aside and turns over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.gravity import EARTH
from poise.manifold import so3
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.scene import Scene
from poise.methods.plan.scene.segment import Flight, Segment, Stance

FEET = ("LeftFoot", "RightFoot")
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")
TIPS = {
    **{f"*{part}*": 10.0 for part in ("Hand", *FINGERS)},
    **{f"*{part}*": 300.0 for part in ("Midfoot", "Toe")},
}
"""Hands that do not flap, and feet that land as one."""
CALM = {"*UpperArm": 2.0, "*Forearm": 2.0, "Neck*": 4.0, "Head": 4.0, "Jaw": 10.0, "Ponytail": 4.0, **TIPS}
"""Arms stiff enough to leave the jumping to the legs, and a head that is carried."""
LOOSE = {"*Foot": (0.02, 0.005, 0.5), "*Midfoot": 3000.0, "*Toe*": 3000.0}
"""Springs of legs are made to carry the body; a foot in the air carries nothing, and its ankle is loose."""
FIRM_ARMS = {"*UpperArm": 4.0, "*Forearm": 4.0}
GRIP = 0.6
"""Friction of the ground."""
Quaternion = tuple[float, float, float, float]


def four_punches() -> Scene:
    """Right, left, right, left, and back: each punch ends in a blow that stops the fist."""
    segments: list[Segment] = []
    stopped: list[str] = []
    # A blow throws the chest forwards; between blows it comes up again, or the head would nod.
    upright = PartialKey("Spine6", at=0.16, orientation=_turned(0.0, 0.1, 0.0), relative=True, weight=0.1)
    for k, side in enumerate(("Right", "Left", "Right", "Left"), start=1):
        other, out = ("Left", -1.0) if side == "Right" else ("Right", 1.0)
        fist = f"{side}HandCentre"
        keys = [
            PartialKey(fist, position=(0.72, 0.06 * out, 1.36), velocity=(5.0, 0.0, 0.0)),
            # The shoulder goes with the fist, the other fist stays on guard.
            PartialKey("Spine6", orientation=_turned(0.0, 0.1, -0.7 * out), relative=True, weight=0.3),
            PartialKey(f"{other}HandCentre", position=(0.05, 0.0, 0.0), relative=True, weight=0.3),
        ]
        between = [upright] if stopped else []
        segments.append(Stance(0.38, FEET, [*between, *keys], stop=stopped, name=f"punch {k}"))
        stopped = [fist]
    segments.append(Stance(0.7, FEET, [upright], stop=stopped, rest=True, name="back"))
    return Scene(
        "biped180",
        segments,
        FEET,
        0.07,
        {"modes": 15, "rayleigh": (3.0, 0.005), "stiffer": CALM},
        "four punches",
        turns={**_arms((0.25, 0.40, -0.87), (0.80, -0.10, 0.55)), **_fists()},
        apart={"LeftFoot": (0.14, 0.02), "RightFoot": (-0.14, -0.02)},
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
    """A jump with a velocity at take-off [m/s], and no spin: down with the arms back, up with the arms."""
    crouch = [
        PartialKey("com", at=0.45, position=(None, None, -0.1), relative=True),
        PartialKey("Spine5", at=0.45, orientation=_turned(0.0, 0.45, 0.0), relative=True, weight=0.3),
        *_hands(-0.35, 0.02, None, at=0.45),
    ]
    take_off = [
        PartialKey("com", velocity=velocity, position=(None, None, 0.06), relative=True),
        PartialKey("com", angular_momentum=(0.0, 0.0, 0.0)),
        PartialKey("Spine5", orientation=_turned(0.0, 0.1, 0.0), relative=True, weight=0.3),
        *_hands(0.1, -0.05, 0.35),
    ]
    upright = PartialKey("Spine5", orientation=_turned(0.0, 0.2, 0.0), relative=True, weight=0.3)
    # Legs fly side by side, a little behind, and come down flat.
    behind = velocity[0] * 0.25 - 0.12
    beside = [
        PartialKey(foot, at=0.25, position=(behind, None, None), relative=True, weight=0.3) for foot in feet
    ]
    flat = [PartialKey(foot, velocity=(None, None, -0.3), angular_velocity=(0.0, 0.0, 0.0)) for foot in feet]
    segments: list[Segment] = [
        Stance(0.85, feet, [*crouch, *take_off], least_push=0.3, friction=GRIP, name="prepare"),
        Flight(feet, keys=[upright, *beside, *flat], name="air"),
        Stance(1.1, feet, absorb=0.6, nodes=3, rest=True, name="land"),
    ]
    options = {"modes": 20, "rayleigh": (1.5, 0.005), "stiffer": {**CALM, **LOOSE, **FIRM_ARMS}}
    apart = {foot: (0.0, side) for foot, side in zip(feet, (0.05, -0.05))}
    return Scene(character, segments, feet, lower, options, name, turns=READY, apart=apart)


def somersault() -> Scene:
    """Forwards and over: the spin is too slow for an open body, so it tucks."""
    crouch = [
        PartialKey("com", at=0.6, position=(None, None, -0.14), relative=True),
        PartialKey("Spine5", at=0.6, orientation=_turned(0.0, 0.45, 0.0), relative=True),
        *_hands(-0.35, 0.08, None, at=0.6),
        # The trunk stays over the feet while the legs push.
        PartialKey("Spine5", at=0.85, orientation=_turned(0.0, 0.3, 0.0), relative=True, weight=0.3),
        PartialKey("Spine5", at=1.0, orientation=_turned(0.0, 0.15, 0.0), relative=True, weight=0.3),
    ]
    take_off = [
        PartialKey("com", velocity=(0.8, 0.0, 3.6), position=(None, None, 0.06), relative=True),
        PartialKey("com", angular_momentum=(0.0, 65.0, 0.0)),
        PartialKey("Spine5", orientation=_turned(0.0, 0.1, 0.0), relative=True, weight=0.3),
        *_hands(0.1, 0.06, None),
    ]
    # It opens before it lands, feet ahead and flat, and turns on as one body.
    opened = [
        PartialKey(
            "Spine5",
            orientation=_turned(0.0, -0.1, 0.0),
            angular_velocity=(0.0, 4.5, 0.0),
            relative=True,
            weight=0.3,
        ),
        *(PartialKey(foot, angular_velocity=(0.0, 0.0, 0.0)) for foot in FEET),
    ]
    beside = _hands(None, 0.12, None, at=0.25)  # the knees, not through them
    segments: list[Segment] = [
        Stance(1.1, FEET, [*crouch, *take_off], least_push=0.5, friction=0.5, name="prepare"),
        Flight(FEET, turn=(0.0, 2 * np.pi, 0.0), keys=opened, offset=(0.1, 0.0, 0.0), nodes=2, name="air"),
        Stance(1.3, FEET, beside, absorb=0.7, nodes=4, friction=GRIP, rest=True, name="land"),
    ]
    joints = {**CALM, **LOOSE, "*UpperArm": 8.0, "*Forearm": 8.0, "*Shin": (1.0, 0.5, 1.0)}
    options = {"modes": 20, "rayleigh": (1.5, 0.005), "stiffer": joints}
    return Scene("biped180", segments, FEET, 0.18, options, "somersault", turns=READY)


def four_steps() -> Scene:
    """Four steps: weight over one foot, the other rolls off and swings, arms against the legs."""
    pace, wide, time, speed = 0.4, 0.105, 0.5, 0.8
    aside, across = _inverted_pendulum(wide, time)
    upright = _turned(0.0, 0.05, 0.0)
    trunk = PartialKey("Spine5", orientation=upright, relative=True, weight=0.3)
    lean = PartialKey("com", velocity=(0.5 * speed, 0.1, 0.0), position=(0.02, 0.05, None), relative=True)
    segments: list[Segment] = [Stance(0.6, FEET, [lean, trunk], name="lean")]
    sides = ("Right", "Left", "Right", "Left")
    for k, side in enumerate(sides, start=1):
        other, out = ("Left", -1.0) if side == "Right" else ("Right", 1.0)
        last = k == len(sides)  # beside the other foot
        step, swing = (0.0, 0.0) if last else (0.5 * pace, 0.25)
        time = 0.6 if last else time
        x = pace * min(k, len(sides) - 1) - 0.01
        above = x - step + 0.02  # where the centre of mass is when the foot comes down
        keys = [
            # The heel rises first, toes last; toes come up before the heel comes down. It keeps to its lane.
            *_foot(side, 0.2 * time, 0.065, 0.02, wide * out),
            *_foot(side, 0.5 * time, 0.08, 0.05, wide * out),
            *_foot(side, 0.8 * time, 0.03, 0.04, wide * out),
            PartialKey(
                f"{side}Foot",
                position=(x, wide * out, 0.085),
                orientation=_turned(0.0, 0.0, 0.0),
                velocity=(0.0, 0.0, -0.03),
                angular_velocity=(0.0, 0.0, 0.0),
            ),
            PartialKey("com", at=0.5 * time, position=(None, -aside * out, 0.005), relative=True),
            PartialKey("com", position=(None, None, 0.0 if last else -0.015), relative=True),
            PartialKey("com", position=(above, None, None), velocity=(0.1, None, 0.0))
            if last
            else PartialKey("com", position=(above, 0.0, None), velocity=(speed, across * out, 0.0)),
            replace(trunk, at=0.5 * time),
            trunk,
            PartialKey(
                f"{side}HandCentre", position=(step + 0.02 - swing, None, None), relative=True, weight=0.3
            ),
            PartialKey(
                f"{other}HandCentre", position=(step + 0.02 + swing, None, None), relative=True, weight=0.3
            ),
        ]
        foot = [f"{side}Foot"]
        segments.append(Stance(time, [f"{other}Foot"], keys, above=foot, least_push=0.5, name=f"step {k}"))
    segments.append(Stance(0.7, FEET, rest=True, name="stand"))
    joints = {**CALM, **LOOSE, "*UpperArm": 4.0, "*Forearm": 10.0, "*Shin": (1.0, 0.3, 1.0)}
    options = {"modes": 20, "rayleigh": (2.0, 0.005), "stiffer": joints}
    return Scene("biped180", segments, FEET, 0.03, options, "four steps")


def _inverted_pendulum(wide: float, time: float, height: float = 0.95) -> tuple[float, float]:
    """Sideways, over a foot that stands ``wide`` from the middle: how far it gets from there, and how fast it
    comes back, when it begins and ends a step of so long in the middle.
    """
    pace = np.sqrt(EARTH / height)
    least = wide / np.cosh(0.5 * pace * time)
    return float(wide - least), float(least * pace * np.sinh(0.5 * pace * time))


def _foot(side: str, at: float, heel: float, ball: float, y: float) -> list[PartialKey]:
    """Heights of heel and ball in a swing [m]."""
    return [
        PartialKey(f"{side}Heel", at=at, position=(None, None, heel)),
        PartialKey(f"{side}Ball", at=at, position=(None, 1.1 * y, ball)),
    ]


def _turned(x: float, y: float, z: float) -> Quaternion:
    """A turn by a rotation vector [rad]: to the right, forwards, to the left."""
    w, *vector = so3.exp(np.array([x, y, z])).tolist()
    return (w, vector[0], vector[1], vector[2])


def _hands(x: float | None, y: float, z: float | None, *, at: float | None = None) -> list[PartialKey]:
    """Both so far ahead, out and up [m]; None leaves an axis free."""
    signs = {"Left": 1.0, "Right": -1.0}
    return [
        PartialKey(f"{side}HandCentre", at=at, position=(x, sign * y, z), relative=True, weight=0.3)
        for side, sign in signs.items()
    ]


def _arms(upper: Sequence[float], fore: Sequence[float]) -> dict[str, list[float]]:
    """Turns that make the left arm point these ways, and the right arm likewise."""
    rest_upper, rest_fore = (-0.08, 0.42, -0.90), (0.34, 0.26, -0.90)
    shoulder = so3.between(rest_upper, upper)
    elbow = so3.multiply(so3.conjugate(shoulder), so3.between(rest_fore, fore))
    return _both({"UpperArm": so3.log(shoulder).tolist(), "Forearm": so3.log(elbow).tolist()})


def _fists() -> dict[str, list[float]]:
    """Curled fingers."""
    curl = so3.rotate(so3.between((0, 1, 0), (0.34, 0.26, -0.90)), np.array([-1.0, 0.0, 0.0]))
    turns = {f"{finger}{k}": (1.5 * curl).tolist() for finger in FINGERS[1:] for k in (1, 2)}
    return _both({**turns, "Thumb1": (0.6 * curl).tolist()})


def _both(left: dict[str, list[float]]) -> dict[str, list[float]]:
    """Turns of parts of the left side, and those of the right side in the mirror."""
    out = {f"Left{part}": turn for part, turn in left.items()}
    return out | {f"Right{part}": [-x, y, -z] for part, (x, y, z) in left.items()}


READY = _arms((0.0, 0.40, -0.90), (0.70, 0.25, -0.65))
"""Arms a little bent, hands before the hips."""
