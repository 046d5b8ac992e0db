"""A desk lamp that wants to jump: 6 bodies, 13 degrees of freedom, 3 kg, half a metre tall.

A heavy base stands on the ground; a post turns on it; two arms, a knuckle and the shade follow.
Arms and knuckle are hinges about +y (positive bends forward), the shade is a ball.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.arrays import Array
from poise.character.character import Character
from poise.character.joint import Joint
from poise.character.presets.rig import Bone, bodies
from poise.character.presets.stiffness import Spring, sprung
from poise.character.shape import Shape

ARM = 0.24
"""Length of each arm [m]."""
_HIP = np.array([0.0, 0.0, 0.075])
_ELBOW = _HIP + ARM * np.array([-np.sin(0.55), 0, np.cos(0.55)])
_WRIST = _ELBOW + ARM * np.array([np.sin(0.85), 0, np.cos(0.85)])
_KNUCKLE = _WRIST + np.array([0.035, 0, 0.012])
_BEAM = np.array([np.cos(0.6), 0, -np.sin(0.6)])  # where the light goes
_SPRINGS = {
    "Post": Spring(4.0),
    "LowerArm": Spring(2.0, 0.15),
    "UpperArm": Spring(2.5, 0.15),
    "Knuckle": Spring(4.0, 0.15),
    "Shade": Spring(5.0, 0.15),
}


@lru_cache
def lamp() -> Character:
    """The lamp at ease.

    Returns:
        Character: The same object every time.

    Examples:
        >>> lamp = poise.characters.lamp()
    """
    rim = {
        name: (0.1 * x, 0.1 * y, 0.0)
        for name, x, y in (("Front", 1, 0), ("Back", -1, 0), ("Left", 0, 1), ("Right", 0, -1))
    }
    bones = [
        Bone(
            "Base",
            None,
            (0, 0, 0.02),
            (
                Shape.cylinder((0, 0, 0), (0, 0, 0.014), 0.1, "joint"),
                Shape.ellipsoid((0, 0, 0.019), (0.096, 0.096, 0.018), "drum"),
                Shape.cylinder((0, 0, 0.02), (0, 0, 0.045), 0.022, "joint"),
            ),
            Joint.free(),
            {f"Base{n}": p for n, p in rim.items()},
            mass=2.0,
        ),
        Bone(
            "Post",
            "Base",
            (0, 0, 0.045),
            (
                Shape.cylinder((0, 0, 0.040), (0, 0, 0.070), 0.016, "metal"),
                Shape.cylinder(_HIP + (0, -0.026, 0), _HIP + (0, 0.026, 0), 0.020, "joint"),
            ),
            Joint.hinge((0, 0, 1), -2.5, 2.5),
            mass=0.12,
        ),
        Bone(
            "LowerArm",
            "Post",
            _HIP,
            _arm(_HIP, _ELBOW, 0.35),
            Joint.hinge((0, 1, 0), -0.8, 1.6),
            {"Elbow": _ELBOW},
            limb="arm",
            mass=0.25,
        ),
        Bone(
            "UpperArm",
            "LowerArm",
            _ELBOW,
            (*_arm(_ELBOW, _WRIST, 0.65), _pin(_ELBOW, 0.021)),
            Joint.hinge((0, 1, 0), -1.3, 1.5),
            limb="arm",
            mass=0.23,
        ),
        Bone(
            "Knuckle",
            "UpperArm",
            _WRIST,
            (_pin(_WRIST, 0.018), Shape.capsule(_WRIST, _KNUCKLE, 0.010, "metal")),
            Joint.hinge((0, 1, 0), -1.4, 1.4),
            mass=0.06,
        ),
        Bone(
            "Shade",
            "Knuckle",
            _KNUCKLE,
            _shade(),
            Joint.ball((-0.9, -1.0, -0.9), (0.9, 1.0, 0.9)),
            {"Bulb": _KNUCKLE + 0.13 * _BEAM, "Crown": _KNUCKLE - 0.04 * _BEAM},
            limb="head",
            mass=0.34,
        ),
    ]
    return sprung(Character("lamp", bodies(bones)), _SPRINGS)


def _pin(at: Array, radius: float) -> Shape:
    return Shape.cylinder(at + (0, -0.026, 0), at + (0, 0.026, 0), radius, "joint")


def _arm(start: Array, end: Array, lower_end: float) -> tuple[Shape, ...]:
    """Two rods side by side with a coil spring between them near one end."""
    way = end - start
    shapes = [Shape.capsule(start + (0, y, 0), end + (0, y, 0), 0.0072, "metal") for y in (-0.015, 0.015)]
    turns = np.linspace(lower_end - 0.22, lower_end + 0.22, 15)
    half = 0.003 * way / np.linalg.norm(way)
    shapes += [Shape.cylinder(start + t * way - half, start + t * way + half, 0.0085, "joint") for t in turns]
    return tuple(shapes)


def _shade() -> tuple[Shape, ...]:
    """A ribbed cone that opens along the beam, a cap behind and a bulb inside."""
    along = np.linspace(0.0, 0.115, 30)
    radius = 0.030 + 0.062 * (along / 0.115) ** 0.8
    step = 0.5 * (along[1] - along[0]) * _BEAM * 1.02
    cone = [
        Shape.cylinder(_KNUCKLE + s * _BEAM - step, _KNUCKLE + s * _BEAM + step, float(r), "drum")
        for s, r in zip(along, radius)
    ]
    lip = _KNUCKLE + 0.117 * _BEAM
    return (
        *cone,
        Shape.capsule(_KNUCKLE - 0.030 * _BEAM, _KNUCKLE, 0.026, "drum"),
        Shape.cylinder(lip - 0.004 * _BEAM, lip + 0.003 * _BEAM, 0.094, "joint"),
        Shape.cylinder(lip, lip + 0.0038 * _BEAM, 0.087, "paper"),
        Shape.sphere(_KNUCKLE + 0.112 * _BEAM, 0.036, "paper"),
    )
