"""A two-humped camel: 49 bones, all balls, 150 degrees of freedom, 450 kg, 1.95 m at the humps.

Spine and neck of six bones each, a tail of four, jaw and ears, two humps that wobble, and legs
that end in two toes. Masses are those of its solids, scaled to the total.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.arrays import Array
from poise.character.character import Character
from poise.character.joint import Joint
from poise.character.presets.pairs import both
from poise.character.presets.rig import Bone, bodies, scaled_to
from poise.character.presets.stiffness import Spring, sprung
from poise.character.shape import Shape
from poise.manifold import so3

MASS = 450.0  # [kg]
_COAT, _DARK = "wood", "hair"

# Joints in the plane of symmetry (x, z) with the half axes of the flesh around each bone [m].
_SPINE = (
    (-0.48, 1.46, 0.380, 0.280, 0.290),
    (-0.31, 1.48, 0.280, 0.270, 0.300),
    (-0.12, 1.48, 0.420, 0.315, 0.355),
    (0.07, 1.47, 0.280, 0.285, 0.335),
    (0.25, 1.45, 0.360, 0.305, 0.375),
    (0.41, 1.42, 0.250, 0.225, 0.320),
)
_NECK = (
    (0.60, 1.28, 0.155),
    (0.79, 1.17, 0.128),
    (0.97, 1.20, 0.112),
    (1.10, 1.34, 0.102),
    (1.17, 1.53, 0.096),
    (1.21, 1.72, 0.092),
)
"""x and z of the neck's joints, and its radius there [m]."""
_HEAD = np.array([1.24, 0, 1.90])

_SPRINGS = {
    "Spine*": Spring(4.0),
    "Neck*": Spring(3.0),
    "Head": Spring(4.0),
    "Hump*": Spring(4.0, 0.1),
    "Tail*": Spring(8.0),
    "*Scapula": Spring(2.0, carries="above"),
    "*Humerus": Spring((1.5, 0.7, 1.5), carries="above"),
    "*Radius": Spring((1.5, 0.7, 1.5), carries="above"),
    "*Thigh": Spring((1.5, 0.5, 1.5), carries="above"),
    "*Shin": Spring((1.5, 0.45, 1.5), carries="above"),
    "*Cannon": Spring((1.5, 0.6, 1.5), carries="above"),
    "*Pastern": Spring((1.5, 0.8, 1.5), carries="above"),
    "*": Spring(25.0),
}


def _ball(x: float, y: float, z: float) -> Joint:
    return Joint.ball((-x, -y, -z), (x, y, z))


@lru_cache
def camel() -> Character:
    """The camel standing square.

    Returns:
        Character: The same object every time.

    Examples:
        >>> camel = poise.characters.camel()
    """
    core = [*_trunk(), *_neck_and_head(), *_humps(), *_tail()]
    left = [*_left_ear(), *_left_foreleg(), *_left_hindleg()]
    beast = Character("camel", [*bodies(core), *both(bodies(left, known=core))])
    return sprung(scaled_to(beast, MASS), _SPRINGS)


def _trunk() -> list[Bone]:
    hips = np.array([-0.62, 0, 1.40])
    bones = [
        Bone(
            "Hips",
            None,
            hips,
            (
                Shape.ellipsoid(hips + (0.02, 0, -0.06), (0.250, 0.215, 0.245), _COAT),
                Shape.ellipsoid(hips + (0.00, 0.11, -0.12), (0.195, 0.120, 0.245), _COAT),
                Shape.ellipsoid(hips + (0.00, -0.11, -0.12), (0.195, 0.120, 0.245), _COAT),
            ),
            Joint.free(),
            limb="spine",
        )
    ]
    up = "Hips"
    for i, (x, z, long, wide, deep) in enumerate(_SPINE, start=1):
        flesh = Shape.ellipsoid((x + 0.08, 0, z - deep + 0.11), (long, wide, deep), _COAT)
        bones.append(Bone(f"Spine{i}", up, (x, 0, z), (flesh,), _ball(0.25, 0.25, 0.25), limb="spine"))
        up = f"Spine{i}"
    return bones


def _neck_and_head() -> list[Bone]:
    bones = []
    up = "Spine6"
    line = [np.array([x, 0, z]) for x, z, _ in _NECK] + [_HEAD + (0.02, 0, 0.03)]
    for i, (start, end, (_, _, radius)) in enumerate(zip(line, line[1:], _NECK), start=1):
        shapes = [Shape.capsule(start, end, radius, _COAT)]
        if i <= 3:  # the woolly throat
            shapes.append(_muscle(start - (0.03, 0, 0.05), end - (0.0, 0, 0.07), 0.62 * radius, _DARK))
        bones.append(Bone(f"Neck{i}", up, start, tuple(shapes), _ball(0.4, 0.5, 0.5), limb="head"))
        up = f"Neck{i}"
    nose = _HEAD + (0.40, 0, -0.05)
    down = so3.exp(np.array([0, 0.16, 0]))
    return [
        *bones,
        Bone(
            "Head",
            up,
            _HEAD,
            (
                Shape.ellipsoid(_HEAD + (0.06, 0, 0.045), (0.150, 0.098, 0.108), _COAT),
                Shape.ellipsoid(_HEAD + (0.23, 0, 0.012), (0.190, 0.070, 0.072), _COAT, down),
                Shape.ellipsoid(_HEAD + (0.355, 0, -0.018), (0.072, 0.062, 0.058), _COAT),
                Shape.ellipsoid(_HEAD + (0.00, 0, 0.115), (0.095, 0.075, 0.055), _DARK),
                Shape.sphere(_HEAD + (0.125, 0.080, 0.065), 0.024, "face"),
                Shape.sphere(_HEAD + (0.125, -0.080, 0.065), 0.024, "face"),
                Shape.ellipsoid(_HEAD + (0.407, 0.028, 0.002), (0.018, 0.012, 0.008), "face"),
                Shape.ellipsoid(_HEAD + (0.407, -0.028, 0.002), (0.018, 0.012, 0.008), "face"),
            ),
            _ball(0.5, 0.7, 0.6),
            {"Nose": nose},
            limb="head",
        ),
        Bone(
            "Jaw",
            "Head",
            _HEAD + (0.10, 0, -0.045),
            (
                Shape.ellipsoid(_HEAD + (0.21, 0, -0.062), (0.150, 0.052, 0.036), _COAT, down),
                Shape.ellipsoid(_HEAD + (0.325, 0, -0.082), (0.055, 0.047, 0.034), _COAT),
            ),
            _ball(0.1, 0.5, 0.15),
            {"Chin": _HEAD + (0.36, 0, -0.11)},
            limb="head",
        ),
    ]


def _humps() -> list[Bone]:
    out = []
    for i, (up, x, z) in enumerate((("Spine2", -0.28, 1.56), ("Spine5", 0.20, 1.54)), start=1):
        base = np.array([x, 0, z])
        shapes = (
            Shape.ellipsoid(base + (0, 0, 0.06), (0.205, 0.150, 0.225), _COAT),
            Shape.ellipsoid(base + (-0.01, 0, 0.20), (0.120, 0.092, 0.190), _DARK),
        )
        tip = {f"HumpTip{i}": base + (-0.01, 0, 0.39)}
        out.append(Bone(f"Hump{i}", up, base, shapes, _ball(0.3, 0.3, 0.3), tip, limb="hump"))
    return out


def _tail() -> list[Bone]:
    line = [
        np.array(p)
        for p in ((-0.85, 0, 1.42), (-0.93, 0, 1.32), (-0.96, 0, 1.18), (-0.965, 0, 1.03), (-0.95, 0, 0.86))
    ]
    radii = (0.042, 0.032, 0.027, 0.046)
    out = []
    up = "Hips"
    for i, (start, end, radius) in enumerate(zip(line, line[1:], radii), start=1):
        last = i == 4
        shape = _muscle(start, end, radius, _DARK) if last else Shape.capsule(start, end, radius, _COAT)
        tip = {"TailTip": end} if last else {}
        out.append(Bone(f"Tail{i}", up, start, (shape,), _ball(0.7, 0.7, 0.4), tip, limb="tail"))
        up = f"Tail{i}"
    return out


def _left_ear() -> list[Bone]:
    root, tip = _HEAD + (0.0, 0.080, 0.095), _HEAD + (-0.045, 0.165, 0.165)
    shape = Shape.ellipsoid(
        0.45 * root + 0.55 * tip, (0.034, 0.016, 0.064), _COAT, so3.between((0, 0, 1), tip - root)
    )
    return [Bone("LeftEar", "Head", root, (shape,), _ball(0.5, 0.5, 0.5), {"LeftEarTip": tip}, limb="head")]


def _muscle(start: Array, end: Array, radius: float, material: str, slim: float = 1.0) -> Shape:
    """An ellipsoid that covers the way from ``start`` to ``end`` and a little beyond."""
    way = end - start
    half = 0.5 * float(np.linalg.norm(way)) + 0.75 * radius
    return Shape.ellipsoid(
        0.5 * (start + end), (radius, slim * radius, half), material, so3.between((0, 0, 1), way)
    )


def _left_foreleg() -> list[Bone]:
    withers, shoulder, elbow = (
        np.array([0.40, 0.15, 1.42]),
        np.array([0.56, 0.19, 1.13]),
        np.array([0.42, 0.20, 0.95]),
    )
    knee, fetlock = np.array([0.455, 0.20, 0.53]), np.array([0.45, 0.20, 0.145])
    return [
        Bone(
            "LeftScapula",
            "Spine6",
            withers,
            (_muscle(withers + (0.02, 0.02, -0.06), shoulder, 0.125, _COAT, slim=0.6),),
            _ball(0.3, 0.5, 0.2),
            limb="foreleg",
        ),
        Bone(
            "LeftHumerus",
            "LeftScapula",
            shoulder,
            (_muscle(shoulder, elbow, 0.115, _COAT, slim=0.8),),
            _ball(0.4, 1.0, 0.3),
            limb="foreleg",
        ),
        Bone(
            "LeftRadius",
            "LeftHumerus",
            elbow,
            (
                Shape.ellipsoid(0.68 * elbow + 0.32 * knee, (0.090, 0.078, 0.235), _COAT),
                Shape.capsule(elbow, knee, 0.048, _COAT),
            ),
            _ball(0.2, 1.2, 0.2),
            limb="foreleg",
        ),
        *_lower_leg("Fore", "LeftRadius", knee, fetlock, "foreleg"),
    ]


def _left_hindleg() -> list[Bone]:
    hip, stifle = np.array([-0.64, 0.16, 1.30]), np.array([-0.50, 0.20, 0.92])
    hock, fetlock = np.array([-0.73, 0.20, 0.58]), np.array([-0.69, 0.20, 0.145])
    return [
        Bone(
            "LeftThigh",
            "Hips",
            hip,
            (_muscle(hip, stifle, 0.150, _COAT, slim=0.72),),
            _ball(0.4, 1.0, 0.3),
            limb="leg",
        ),
        Bone(
            "LeftShin",
            "LeftThigh",
            stifle,
            (
                Shape.ellipsoid(
                    0.66 * stifle + 0.34 * hock,
                    (0.094, 0.078, 0.225),
                    _COAT,
                    so3.between((0, 0, 1), hock - stifle),
                ),
                Shape.capsule(stifle, hock, 0.046, _COAT),
            ),
            _ball(0.2, 1.2, 0.2),
            limb="leg",
        ),
        *_lower_leg("Hind", "LeftShin", hock, fetlock, "leg"),
    ]


def _lower_leg(which: str, up: str, knee: Array, fetlock: Array, limb: str) -> list[Bone]:
    """Cannon, pastern and two toes below a knee or hock."""
    pad = fetlock * (1, 1, 0) + (0.045, 0, 0.052)
    bones = [
        Bone(
            f"Left{which}Cannon",
            up,
            knee,
            (
                Shape.ellipsoid(knee, (0.064, 0.060, 0.076), _DARK if which == "Fore" else _COAT),
                Shape.capsule(knee, fetlock, 0.041, _COAT),
            ),
            _ball(0.2, 1.2, 0.2),
            limb=limb,
        ),
        Bone(
            f"Left{which}Pastern",
            f"Left{which}Cannon",
            fetlock,
            (Shape.sphere(fetlock, 0.053, _COAT), Shape.capsule(fetlock, pad, 0.045, _COAT)),
            _ball(0.2, 0.8, 0.2),
            {f"Left{which}Heel": pad * (1, 1, 0) - (0.06, 0, 0)},
            limb=limb,
        ),
    ]
    for name, y in (("Inner", -0.032), ("Outer", 0.032)):
        toe = pad + (0.0, y, 0.0)
        end = toe + (0.075, 0.25 * y, -0.012)
        bones.append(
            Bone(
                f"Left{which}Toe{name}",
                f"Left{which}Pastern",
                toe,
                (
                    Shape.capsule(toe + (-0.045, 0, -0.012), end, 0.040, _COAT),
                    Shape.ellipsoid(end + (0.022, 0, -0.008), (0.032, 0.024, 0.024), _DARK),
                ),
                _ball(0.2, 0.6, 0.2),
                {f"Left{which}Toe{name}Tip": (end[0] + 0.05, end[1], 0.0)},
                limb="foot",
            )
        )
    return bones
