"""A two-legged figure of 59 bones, all balls: 180 degrees of freedom, 1.75 m, 77 kg.

Six bones of spine, three of neck, jaw and ponytail, fingers of two bones and five toes: many more
degrees of freedom than any motion needs, as in the characters that modal methods are shown on. It
stands at ease with its knees a little bent and its arms beside it, soles on z = 0. Its legs are
sprung against the weight they carry, softly in flexion; fingers and toes are stiff.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np

from poise.arrays import Array
from poise.character.character import Character
from poise.character.joint import Joint
from poise.character.masses import with_guessed_masses
from poise.character.presets import mannequin
from poise.character.presets.pairs import both
from poise.character.presets.rig import Bone, bodies, moved
from poise.character.presets.stiffness import Spring, sprung
from poise.character.shape import Shape
from poise.manifold import so3

MASS = 77.0  # [kg]
HEIGHT = 1.75  # [m]

_HIPS = np.array([0.0, 0.0, 0.955])
_COLUMN = (
    (-0.012, 1.035),
    (-0.014, 1.105),
    (-0.014, 1.175),
    (-0.016, 1.245),
    (-0.020, 1.315),
    (-0.024, 1.385),
)
"""x and z of the spine's joints [m]."""
_NECK = ((-0.026, 1.445), (-0.018, 1.485), (-0.010, 1.525))
"""x and z of the neck's joints [m]."""
_HEAD = np.array([0.002, 0, 1.56])
_SHOULDER = np.array([-0.012, 0.185, 1.405])
_ELBOW = _SHOULDER + 0.29 * np.array([-0.08, 0.42, -0.90]) / np.linalg.norm([-0.08, 0.42, -0.90])
_WRIST = _ELBOW + 0.26 * np.array([0.34, 0.26, -0.90]) / np.linalg.norm([0.34, 0.26, -0.90])
_HIP, _KNEE, _ANKLE = (
    np.array([0, 0.09, 0.925]),
    np.array([0.075, 0.10, 0.506]),
    np.array([-0.01, 0.105, 0.085]),
)
_BALL = np.array([0.115, 0.108, 0.026])

_SPRINGS = {
    "Spine*": Spring(4.0),
    "Neck*": Spring(6.0, 0.3),
    "Head": Spring(5.0, 0.3),
    "Jaw": Spring(25.0),
    "Ponytail": Spring(8.0),
    "*Clavicle": Spring(5.0),
    "*UpperArm": Spring(2.5),
    "*Forearm": Spring(3.0),
    "*Hand": Spring(8.0),
    "*Thigh": Spring((1.2, 0.42, 1.2), carries="above"),
    "*Shin": Spring((1.2, 0.34, 1.2), carries="above"),
    "*Foot": Spring((1.2, 0.66, 1.2), carries="above"),
    "*": Spring(25.0),
}


def _ball(x: float, y: float, z: float) -> Joint:
    """A ball joint with the same limit both ways about each axis [rad]."""
    return Joint.ball((-x, -y, -z), (x, y, z))


@lru_cache
def biped180() -> Character:
    """The figure at ease.

    Returns:
        Character: The same object every time.

    Examples:
        >>> figure = poise.characters.biped180()
    """
    core = _core()
    left = [*_left_arm(), *_left_leg()]
    figure = Character("biped 180", [*bodies(core), *both(bodies(left, known=core))], mass_source="none")
    return sprung(with_guessed_masses(figure, total=MASS, method="table"), _SPRINGS)


def _core() -> list[Bone]:
    bones = [Bone("Hips", None, _HIPS, _at(mannequin.HIPS, _HIPS), Joint.free(), limb="spine")]
    looks = (
        (Shape.ellipsoid((0.002, 0, 1.12), (0.096, 0.127, 0.150)),),
        (),
        (),
        (Shape.ellipsoid((-0.004, 0, 1.315), (0.114, 0.155, 0.155), "cloth"),),
        (),
        (
            Shape.ellipsoid((-0.014, 0, 1.372), (0.090, 0.168, 0.074), "cloth"),
            Shape.capsule((-0.024, -0.05, 1.435), (-0.024, 0.05, 1.435), 0.043),
        ),
    )
    up = "Hips"
    for i, ((x, z), shapes) in enumerate(zip(_COLUMN, looks), start=1):
        bones.append(Bone(f"Spine{i}", up, (x, 0, z), shapes, _ball(0.25, 0.3, 0.3), limb="spine"))
        up = f"Spine{i}"
    ends = [np.array([x, 0, z]) for x, z in _NECK] + [_HEAD + (0.006, 0, 0.03)]
    for i, (start, end) in enumerate(pairwise(ends), start=1):
        throat = (Shape.capsule(start - (0, 0, 0.012), end, 0.049),)
        bones.append(Bone(f"Neck{i}", up, start, throat, _ball(0.35, 0.4, 0.5), limb="head"))
        up = f"Neck{i}"
    skull = _HEAD + (0.018, 0, 0.072)
    tilt = so3.exp(np.array([0, -0.12, 0]))
    bones += [
        Bone(
            "Head",
            up,
            _HEAD,
            (
                Shape.ellipsoid(skull, (0.093, 0.077, 0.118), "skin", tilt),
                Shape.ellipsoid(skull + (0.051, 0, 0.008), (0.046, 0.065, 0.028), "face", tilt),
                Shape.ellipsoid(skull + (-0.011, 0, 0.020), (0.0935, 0.0815, 0.1015), "hair", tilt),
            ),
            _ball(0.4, 0.6, 0.7),
            {"HeadTop": (0.0, 0, HEIGHT), "Nose": skull + (0.096, 0, -0.016)},
            limb="head",
        ),
        Bone(
            "Jaw",
            "Head",
            skull + (0.006, 0, -0.062),
            (Shape.ellipsoid(skull + (0.038, 0, -0.068), (0.049, 0.050, 0.050)),),
            _ball(0.1, 0.5, 0.1),
            {"Chin": skull + (0.075, 0, -0.098)},
            limb="head",
        ),
        Bone(
            "Ponytail",
            "Head",
            skull + (-0.094, 0, 0.036),
            (
                Shape.sphere(skull + (-0.094, 0, 0.036), 0.022, "joint"),
                Shape.ellipsoid(
                    skull + (-0.122, 0, -0.028),
                    (0.027, 0.029, 0.084),
                    "hair",
                    so3.exp(np.array([0, 0.30, 0])),
                ),
            ),
            _ball(0.9, 0.9, 0.6),
            {"PonytailTip": skull + (-0.147, 0, -0.108)},
            limb="head",
        ),
    ]
    return bones


def _at(shapes: tuple[Shape, ...], place: Array) -> tuple[Shape, ...]:
    return tuple(moved(s, place) for s in shapes)


def _along(
    shapes: tuple[Shape, ...], start: Array, end: Array, rest: tuple[float, float, float]
) -> tuple[Shape, ...]:
    """Solids made along ``rest`` laid along the way from ``start`` to ``end``."""
    return _at(mannequin.turned(shapes, so3.between(rest, end - start)), start)


def _left_arm() -> list[Bone]:
    y = (0.0, 1.0, 0.0)
    fingertips = _WRIST + 0.18 * (_WRIST - _ELBOW) / np.linalg.norm(_WRIST - _ELBOW)
    collar = np.array([-0.012, 0.03, 1.425])
    return [
        Bone(
            "LeftClavicle",
            "Spine6",
            collar,
            (Shape.capsule(collar + (0, 0.02, 0), _SHOULDER + (0, -0.03, 0.012), 0.042),),
            _ball(0.4, 0.2, 0.4),
            limb="arm",
        ),
        Bone(
            "LeftUpperArm",
            "LeftClavicle",
            _SHOULDER,
            _along(mannequin.upper_arm(0.29), _SHOULDER, _ELBOW, y),
            Joint.ball((-0.6, -2.6, -1.5), (2.6, 1.0, 1.5)),
            limb="arm",
        ),
        Bone(
            "LeftForearm",
            "LeftUpperArm",
            _ELBOW,
            _along(mannequin.forearm(0.26), _ELBOW, _WRIST, y),
            Joint.ball((-0.6, -2.3, -1.5), (0.6, 0.4, 1.5)),
            limb="arm",
        ),
        Bone(
            "LeftHand",
            "LeftForearm",
            _WRIST,
            _in_hand((*mannequin.WRIST, *mannequin.PALM)),
            _ball(0.8, 0.6, 0.6),
            {"LeftHandCentre": 0.5 * (_WRIST + fingertips)},
            limb="hand",
        ),
        *_fingers(),
    ]


def _hand_turn() -> Array:
    """From a hand along +y, palm down, to one along the forearm with the palm towards the thigh."""
    return so3.between((0, 1, 0), _WRIST - _ELBOW)


def _in_hand(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    return _at(mannequin.turned(shapes, _hand_turn()), _WRIST)


def _fingers() -> list[Bone]:
    rows = [("Thumb", (0.024, 0.032, -0.003), (0.047, 0.066, -0.010), (0.054, 0.098, -0.018), 0.0115)]
    for name, (x, end, radius) in zip(("Index", "Middle", "Ring", "Pinky"), mannequin.FINGERS):
        middle = 0.5 * (0.092 + end) + 0.004
        rows.append((name, (0.93 * x, 0.092, 0.0), (x, middle, -0.006), (x, end, -0.020), radius))
    out = []
    for name, base, knuckle, tip, radius in rows:
        a, b, c = (_WRIST + so3.rotate(_hand_turn(), p) for p in (base, knuckle, tip))
        for i, (start, stop, up) in enumerate(((a, b, "LeftHand"), (b, c, f"Left{name}1")), start=1):
            shapes = (Shape.capsule(start, stop, radius * (1.06 - 0.06 * i)),)
            points = {f"Left{name}Tip": c} if i == 2 else {}
            out.append(Bone(f"Left{name}{i}", up, start, shapes, _ball(1.2, 1.2, 0.4), points, limb="hand"))
    return out


def _left_leg() -> list[Bone]:
    z = (0.0, 0.0, -1.0)
    drop = _ANKLE - (0, 0, 0.085)
    bones = [
        Bone(
            "LeftThigh",
            "Hips",
            _HIP,
            _along(mannequin.thigh(float(np.linalg.norm(_KNEE - _HIP))), _HIP, _KNEE, z),
            Joint.ball((-0.55, -2.1, -0.8), (0.9, 0.7, 0.8)),
            limb="leg",
        ),
        Bone(
            "LeftShin",
            "LeftThigh",
            _KNEE,
            _along(mannequin.shin(float(np.linalg.norm(_ANKLE - _KNEE))), _KNEE, _ANKLE, z),
            Joint.ball((-0.2, -0.4, -0.3), (0.2, 2.2, 0.3)),
            limb="leg",
        ),
        Bone(
            "LeftFoot",
            "LeftShin",
            _ANKLE,
            (
                Shape.sphere(_ANKLE, 0.0415, "joint"),
                Shape.capsule(drop + (-0.018, 0, 0.038), drop + (0.015, 0, 0.038), 0.038),
                Shape.capsule(drop + (-0.010, 0, 0.045), drop + (0.085, 0, 0.036), 0.035),
            ),
            _ball(0.5, 0.8, 0.4),
            {"LeftHeel": drop + (-0.055, 0, 0)},
            limb="foot",
        ),
        Bone(
            "LeftMidfoot",
            "LeftFoot",
            _ANKLE + (0.065, 0.002, -0.045),
            (
                Shape.capsule(_ANKLE + (0.060, 0.010, -0.055), _BALL + (-0.008, 0.018, 0), 0.026),
                Shape.capsule(_ANKLE + (0.060, -0.008, -0.052), _BALL + (-0.004, -0.020, 0), 0.026),
            ),
            _ball(0.2, 0.3, 0.2),
            {"LeftBall": _BALL * (1, 1, 0)},
            limb="foot",
        ),
    ]
    toes = (
        (-0.030, 0.060, 0.0165),
        (-0.010, 0.056, 0.0135),
        (0.008, 0.050, 0.0125),
        (0.023, 0.043, 0.0120),
        (0.036, 0.034, 0.0115),
    )
    for i, (side, length, radius) in enumerate(toes, start=1):
        start = np.array([_BALL[0] + 0.012 - 0.25 * max(side, 0.0), _BALL[1] + side, radius + 0.003])
        end = start + (length - radius, 0.1 * side, -0.003)
        tip = {f"LeftToeTip{i}": (end[0] + radius, end[1], 0.0)}
        bones.append(
            Bone(
                f"LeftToe{i}",
                "LeftMidfoot",
                start,
                (Shape.capsule(start, end, radius),),
                _ball(0.2, 0.9, 0.2),
                tip,
                limb="foot",
            )
        )
    return bones
