"""A humanoid in the vertical plane x–z: 22 degrees of freedom, 1.75 m, 75 kg, arms hanging.

The root slides along x and z and turns about y; every other joint is a hinge about +y, so that a
positive angle turns what points up forward and what points down backward. Seen from its right
(−y), the right limbs are near and the left ones far, and coloured accordingly.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.character.body import Body
from poise.character.character import Character
from poise.character.joint import Joint
from poise.character.masses import with_guessed_masses
from poise.character.presets import mannequin
from poise.character.presets.humanoid import (
    ANKLE,
    BALL,
    FOREARM,
    HAND,
    HEEL,
    HEIGHT,
    HIP,
    MASS,
    SHIN,
    SHOULDER,
    THIGH,
    TOE,
    UPPER_ARM,
)
from poise.character.presets.pairs import arm_body, both, foot_body, hand_body, leg_body
from poise.character.presets.stiffness import Spring, sprung
from poise.character.shape import Shape
from poise.manifold import so3

_HIPS, _SPINE, _SPINE1, _CHEST, _SHOULDER, _NECK, _HEAD = 0.97, 1.05, 1.15, 1.25, 1.43, 1.46, 1.54
"""Heights of joints above the ground [m]."""
_DOWN = so3.exp(np.array([-np.pi / 2, 0, 0]))  # an arm along +y hangs along −z
_SPRINGS = {
    "Spine*": Spring(2.0),
    "Chest": Spring(2.0),
    "Neck": Spring(3.0, 0.3),
    "Head": Spring(4.0, 0.3),
    "*Arm": Spring(2.0),
    "*Hand": Spring(6.0),
    "*UpLeg": Spring(0.5, carries="above"),
    "*Leg": Spring(0.4, carries="above"),
    "*Foot": Spring(0.7, carries="above"),
    "*ToeBase": Spring(25.0),
}


def _hinge(lower: float, upper: float) -> Joint:
    return Joint.hinge((0, 1, 0), lower, upper)


@lru_cache
def planar_humanoid() -> Character:
    """The standard figure in the plane.

    Returns:
        Character: The same object every time.

    Examples:
        >>> flat = poise.characters.planar_humanoid()
    """
    limbs = [_near(b) if b.side == "right" else b for b in both([*_left_arm(), *_left_leg()])]
    figure = Character("planar humanoid", [*_torso(), *limbs], mass_source="none")
    return sprung(with_guessed_masses(figure, total=MASS, method="table"), _SPRINGS)


def _near(body: Body) -> Body:
    return body.replaced(shapes=mannequin.turned(body.shapes, so3.IDENTITY, far="near"))


def _torso() -> list[Body]:
    chest = (
        Shape.ellipsoid((0.004, 0, 0.062), (0.114, 0.155, 0.160), "cloth"),
        Shape.ellipsoid((-0.006, 0, 0.122), (0.090, 0.172, 0.078), "cloth"),
        Shape.capsule((-0.012, -0.12, 0.178), (-0.012, 0.12, 0.178), 0.040),
    )
    head = tuple(mannequin.turned(mannequin.HEAD, so3.IDENTITY))
    return [
        Body("Hips", None, Joint.planar(), (0, 0, _HIPS), shapes=mannequin.HIPS, limb="spine"),
        Body(
            "Spine",
            "Hips",
            _hinge(-0.3, 0.5),
            (-0.01, 0, _SPINE - _HIPS),
            shapes=(Shape.ellipsoid((0.006, 0, 0.070), (0.096, 0.128, 0.150)),),
            limb="spine",
        ),
        Body(
            "Spine1",
            "Spine",
            _hinge(-0.3, 0.5),
            (0, 0, _SPINE1 - _SPINE),
            shapes=(Shape.ellipsoid((0.006, 0, 0.020), (0.093, 0.124, 0.110)),),
            limb="spine",
        ),
        Body("Chest", "Spine1", _hinge(-0.3, 0.5), (0, 0, _CHEST - _SPINE1), shapes=chest, limb="spine"),
        Body(
            "Neck",
            "Chest",
            _hinge(-0.5, 0.5),
            (-0.012, 0, _NECK - _CHEST),
            shapes=(Shape.capsule((-0.006, 0, -0.03), (0.012, 0, 0.09), 0.049),),
            limb="head",
        ),
        Body(
            "Head",
            "Neck",
            _hinge(-0.6, 0.6),
            (0.006, 0, _HEAD - _NECK),
            shapes=tuple(_lifted(s, (-0.006, 0, 1.47 - _HEAD)) for s in head),
            points={"HeadTop": (0.0, 0, HEIGHT - _HEAD), "Nose": (0.11, 0, 0.07)},
            limb="head",
        ),
    ]


def _lifted(shape: Shape, by: tuple[float, float, float]) -> Shape:
    return Shape(shape.kind, shape.size, np.asarray(shape.position) + by, shape.rotation, shape.material)


def _left_arm() -> list[Body]:
    # Hanging at the side with the palm turned in, the thumb forward.
    hand = mannequin.turned(mannequin.open_hand(), _DOWN, skin="far")
    return [
        arm_body(
            "LeftArm",
            "Chest",
            _hinge(-3.0, 1.0),
            (0, SHOULDER, _SHOULDER - _CHEST),
            shapes=mannequin.turned(mannequin.upper_arm(UPPER_ARM), _DOWN, skin="far"),
        ),
        arm_body(
            "LeftForeArm",
            "LeftArm",
            _hinge(-2.6, 0.05),
            (0, 0, -UPPER_ARM),
            shapes=mannequin.turned(mannequin.forearm(FOREARM), _DOWN, skin="far"),
            points={"LeftElbow": (0, 0, 0)},
        ),
        hand_body(
            "LeftHand",
            "LeftForeArm",
            _hinge(-0.6, 0.6),
            (0, 0, -FOREARM),
            shapes=hand,
            points={"LeftHandCentre": (0, 0, -HAND / 2), "LeftFingertips": (0, 0, -HAND)},
        ),
    ]


def _left_leg() -> list[Body]:
    return [
        leg_body(
            "LeftUpLeg",
            "Hips",
            _hinge(-2.3, 0.6),
            (0, HIP, ANKLE + SHIN + THIGH - _HIPS),
            shapes=mannequin.turned(mannequin.thigh(THIGH), so3.IDENTITY, skin="far"),
        ),
        leg_body(
            "LeftLeg",
            "LeftUpLeg",
            _hinge(-0.05, 2.6),
            (0, 0, -THIGH),
            shapes=mannequin.turned(mannequin.shin(SHIN), so3.IDENTITY, skin="far"),
            points={"LeftKnee": (0, 0, 0)},
        ),
        foot_body(
            "LeftFoot",
            "LeftLeg",
            _hinge(-0.6, 0.9),
            (0, 0, -SHIN),
            shapes=mannequin.FOOT,
            points={"LeftHeel": (HEEL, 0, -ANKLE)},
        ),
        foot_body(
            "LeftToeBase",
            "LeftFoot",
            _hinge(-1.2, 0.6),
            (BALL, 0, -ANKLE + 0.025),
            shapes=mannequin.TOES,
            # The ball is on the toes: it stays where it is while the heel rises.
            points={"LeftBall": (0, 0, -0.025), "LeftToe": (TOE, 0, -0.025)},
        ),
    ]
