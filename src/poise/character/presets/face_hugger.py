"""A many-legged creature in the vertical plane: 28 bodies, 30 degrees of freedom, 1.5 kg.

A low body (planar root) on eight legs of three hinges each, and a tail of three. Legs come in
mirrored pairs: seen from the creature's right (−y), right legs are near and left legs far.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.arrays import Array
from poise.character.character import Character
from poise.character.joint import Joint
from poise.character.presets import mannequin
from poise.character.presets.pairs import both
from poise.character.presets.rig import Bone, bodies, scaled_to
from poise.character.presets.stiffness import Spring, sprung
from poise.character.shape import Shape
from poise.manifold import so3

MASS = 1.5  # [kg]
_BODY = np.array([0.0, 0.0, 0.12])
# Hip, knee and foot of each left leg: x of all three, height of the knee [m].
_LEGS = (
    (0.105, 0.215, 0.300, 0.205),
    (0.045, 0.115, 0.150, 0.235),
    (-0.045, -0.115, -0.150, 0.235),
    (-0.105, -0.215, -0.300, 0.205),
)
_SPRINGS = {"Tail*": Spring(8.0), "*Coxa*": Spring(6.0), "*Femur*": Spring(6.0), "*Tibia*": Spring(10.0)}


def _hinge(reach: float) -> Joint:
    return Joint.hinge((0, 1, 0), -reach, reach)


@lru_cache
def face_hugger() -> Character:
    """The creature standing on its toes.

    Returns:
        Character: The same object every time.

    Examples:
        >>> creature = poise.characters.face_hugger()
    """
    core = [
        Bone(
            "Body",
            None,
            _BODY,
            (
                Shape.ellipsoid(_BODY + (0, 0, 0.006), (0.130, 0.075, 0.048), "skin"),
                Shape.ellipsoid(_BODY + (0.095, 0, -0.004), (0.055, 0.052, 0.038), "skin"),
                Shape.ellipsoid(_BODY + (-0.02, 0, 0.030), (0.085, 0.045, 0.036), "cloth"),
                Shape.sphere(_BODY + (0.128, 0.027, 0.014), 0.012, "face"),
                Shape.sphere(_BODY + (0.128, -0.027, 0.014), 0.012, "face"),
            ),
            Joint.planar(),
            {"Nose": _BODY + (0.150, 0, -0.004)},
            limb="spine",
        ),
        *_tail(),
    ]
    legs = [bone for i, row in enumerate(_LEGS, start=1) for bone in _leg(i, *row)]
    pairs = [
        b.replaced(shapes=mannequin.turned(b.shapes, so3.IDENTITY, far="near")) if b.side == "right" else b
        for b in both(bodies(legs, known=core))
    ]
    return sprung(scaled_to(Character("face hugger", [*bodies(core), *pairs]), MASS), _SPRINGS)


def _leg(number: int, hip: float, knee: float, foot: float, height: float) -> list[Bone]:
    y = 0.055
    a = np.array([0.8 * hip, y * 0.8, 0.125])
    b = np.array([0.5 * (hip + 0.85 * knee), y * 1.25, 0.155])
    c = np.array([knee, y * 1.6, height])
    d = np.array([foot, y * 1.7, 0.0])
    tip = 0.0085
    reach, lean = float(np.linalg.norm(d - c)), so3.between((0, 0, 1), d - c)
    return [
        Bone(
            f"LeftCoxa{number}",
            "Body",
            a,
            (Shape.capsule(a, b, 0.019, "far"),),
            _hinge(0.9),
            limb="leg",
        ),
        Bone(
            f"LeftFemur{number}",
            f"LeftCoxa{number}",
            b,
            (Shape.sphere(b, 0.0195, "joint"), Shape.capsule(b, c, 0.0145, "far")),
            _hinge(1.3),
            limb="leg",
        ),
        Bone(
            f"LeftTibia{number}",
            f"LeftFemur{number}",
            c,
            (
                Shape.sphere(c, 0.0165, "joint"),
                Shape.ellipsoid(0.58 * c + 0.42 * d, (0.0145, 0.0145, 0.45 * reach), "far", lean),
                Shape.capsule(c, d + (0, 0, tip), 0.0078, "far"),
                Shape.capsule(0.12 * c + 0.88 * d, d + (0, 0, tip), tip, "joint"),
            ),
            _hinge(1.5),
            {f"LeftToe{number}": d},
            limb="foot",
        ),
    ]


def _tapered(start: Array, end: Array, radius: float) -> Shape:
    """A long ellipsoid from ``start`` to a little beyond ``end``."""
    way = end - start
    half = 0.55 * float(np.linalg.norm(way))
    return Shape.ellipsoid(start + 0.52 * way, (radius, radius, half), "skin", so3.between((0, 0, 1), way))


def _tail() -> list[Bone]:
    line = [
        np.array(p) for p in ((-0.125, 0, 0.135), (-0.215, 0, 0.165), (-0.300, 0, 0.225), (-0.345, 0, 0.315))
    ]
    radii = (0.025, 0.020, 0.015)
    out = []
    for i, (start, end, r) in enumerate(zip(line, line[1:], radii), start=1):
        out.append(
            Bone(
                f"Tail{i}",
                "Body" if i == 1 else f"Tail{i - 1}",
                start,
                (Shape.sphere(start, 1.2 * r, "joint"), _tapered(start, end, r)),
                _hinge(0.8),
                {"TailTip": end} if i == 3 else {},
                limb="tail",
            )
        )
    return out
