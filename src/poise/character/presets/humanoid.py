"""The humanoid: 39 degrees of freedom, 1.75 m, 75 kg, standing in a T-pose with its soles on z = 0.

| joint                   | degrees of freedom and their positive sense                          |
|-------------------------|----------------------------------------------------------------------|
| Hips                    | 6, free                                                              |
| Spine, Chest, Head      | 3 each, ball: about x lean right, about y bow, about z turn left     |
| …Arm                    | 3, ball at the shoulder                                              |
| …ForeArm, …Hand         | 1 each: flexion of the elbow, pronation about the forearm            |
| …UpLeg                  | 3, ball at the hip                                                   |
| …Leg                    | 1: flexion of the knee (about +y)                                    |
| …Ankle, …Foot, …ToeBase | 1 each: dorsiflexion, inversion, extension of the toes               |

All body frames are aligned with the world at rest: x forward, y left, z up; the arms lie along ±y,
palms down, thumbs forward. The ankle is a massless body between shin and foot. Masses are de Leva's.
"""

from __future__ import annotations

from functools import lru_cache

from poise.character.body import Body
from poise.character.character import Character
from poise.character.joint import Joint
from poise.character.masses import with_guessed_masses
from poise.character.presets import mannequin
from poise.character.presets.pairs import arm_body, both, foot_body, hand_body, leg_body
from poise.character.presets.stiffness import Spring, sprung
from poise.errors import UnknownNameError

HEIGHT = 1.75  # [m]
MASS = 75.0  # [kg]
THIGH, SHIN, ANKLE = 0.43, 0.425, 0.085  # lengths, and height of the ankle above the sole [m]
HIP = 0.09  # half the distance between the hip joints [m]
UPPER_ARM, FOREARM, HAND = 0.29, 0.26, 0.18  # [m]
SHOULDER = 0.185  # half the distance between the shoulder joints [m]
HEEL, BALL, TOE = -0.055, 0.125, 0.07  # heel and ball ahead of the ankle, toe tip ahead of the ball [m]
HANDS = ("open", "fist")

# Heights of joints above the ground [m].
_HIPS, _SPINE, _CHEST, _SHOULDER, _NECK = ANKLE + SHIN + THIGH + 0.03, 1.06, 1.21, 1.43, 1.47

# Legs are sprung against the body they carry; flexion is left soft, so that crouching comes easily.
_SPRINGS = {
    "Spine": Spring(1.6),
    "Chest": Spring(1.8),
    "Head": Spring(2.5, 0.3),
    "*ForeArm": Spring(2.5),
    "*Arm": Spring((2.0, 6.0, 2.0)),
    "*Hand": Spring(6.0),
    "*UpLeg": Spring((1.1, 0.5, 1.1), carries="above"),
    "*Leg": Spring(0.4, carries="above"),
    "*Ankle": Spring(0.7, carries="above"),
    "*Foot": Spring(0.7, carries="above"),
    "*ToeBase": Spring(25.0),
}


@lru_cache
def humanoid(*, hands: str = "open") -> Character:
    """The standard figure; ``hands`` ("open" or "fist") changes only how the hands look.

    Args:
        hands: "open" or "fist".

    Returns:
        Character: The same object every time.

    Raises:
        UnknownNameError: There are no such hands.

    Examples:
        >>> boxer = poise.characters.humanoid(hands="fist")
    """
    if hands not in HANDS:
        raise UnknownNameError("hand shape", hands, HANDS)
    bodies = [*_torso(), *both(_left_arm(hands)), *both(_left_leg())]
    figure = Character("humanoid", bodies, mass_source="none")
    return sprung(with_guessed_masses(figure, total=MASS, method="table"), _SPRINGS)


def _torso() -> list[Body]:
    face = {
        "HeadTop": (0.0, 0, HEIGHT - _NECK),
        "Nose": (0.116, 0, 0.140),
        "LeftEye": (0.112, 0.032, 0.168),
        "RightEye": (0.112, -0.032, 0.168),
    }
    return [
        Body(
            "Hips",
            None,
            Joint.free(),
            (0, 0, _HIPS),
            shapes=mannequin.HIPS,
            limb="spine",
        ),
        Body(
            "Spine",
            "Hips",
            Joint.ball((-0.45, -0.45, -0.6), (0.45, 0.9, 0.6)),
            (-0.01, 0, _SPINE - _HIPS),
            shapes=mannequin.SPINE,
            limb="spine",
        ),
        Body(
            "Chest",
            "Spine",
            Joint.ball((-0.4, -0.35, -0.7), (0.4, 0.7, 0.7)),
            (0, 0, _CHEST - _SPINE),
            shapes=mannequin.CHEST,
            points={"Sternum": (0.115, 0, 0.12)},
            limb="spine",
        ),
        Body(
            "Head",
            "Chest",
            Joint.ball((-0.7, -0.9, -1.3), (0.7, 0.9, 1.3)),
            (-0.012, 0, _NECK - _CHEST),
            shapes=(*mannequin.NECK, *mannequin.HEAD),
            points=face,
            limb="head",
        ),
    ]


def _left_arm(hands: str) -> list[Body]:
    grip = {"LeftWrist": (0, 0, 0), "LeftHandCentre": (0, HAND / 2, 0), "LeftFingertips": (0, HAND, 0)}
    return [
        arm_body(
            "LeftArm",
            "Chest",
            Joint.ball((-2.0, -1.8, -2.3), (1.9, 1.8, 0.9)),
            (0, SHOULDER, _SHOULDER - _CHEST),
            shapes=mannequin.upper_arm(UPPER_ARM),
        ),
        arm_body(
            "LeftForeArm",
            "LeftArm",
            Joint.hinge((0, 0, -1), -0.05, 2.6),
            (0, UPPER_ARM, 0),
            shapes=mannequin.forearm(FOREARM),
            points={"LeftElbow": (0, 0, 0)},
        ),
        hand_body(
            "LeftHand",
            "LeftForeArm",
            Joint.hinge((0, 1, 0), -1.6, 1.4),
            (0, FOREARM, 0),
            shapes=mannequin.open_hand() if hands == "open" else mannequin.fist(),
            points=grip,
        ),
    ]


def _left_leg() -> list[Body]:
    return [
        leg_body(
            "LeftUpLeg",
            "Hips",
            Joint.ball((-0.55, -2.3, -0.8), (0.9, 0.6, 0.8)),
            (0, HIP, ANKLE + SHIN + THIGH - _HIPS),
            shapes=mannequin.thigh(THIGH),
        ),
        leg_body(
            "LeftLeg",
            "LeftUpLeg",
            Joint.hinge((0, 1, 0), -0.05, 2.6),
            (0, 0, -THIGH),
            shapes=mannequin.shin(SHIN),
            points={"LeftKnee": (0, 0, 0)},
        ),
        foot_body("LeftAnkle", "LeftLeg", Joint.hinge((0, -1, 0), -0.9, 0.6), (0, 0, -SHIN)),
        foot_body(
            "LeftFoot",
            "LeftAnkle",
            Joint.hinge((-1, 0, 0), -0.4, 0.6),
            (0, 0, 0),
            shapes=mannequin.FOOT,
            points={"LeftHeel": (HEEL, 0, -ANKLE)},
        ),
        foot_body(
            "LeftToeBase",
            "LeftFoot",
            Joint.hinge((0, -1, 0), -0.6, 1.2),
            (BALL, 0, -ANKLE + 0.025),
            shapes=mannequin.TOES,
            # The ball is on the toes: it stays where it is while the heel rises.
            points={"LeftBall": (0, 0, -0.025), "LeftToe": (TOE, 0, -0.025)},
        ),
    ]
