"""The humanoid: 39 degrees of freedom, 1.75 m, 75 kg, standing in a T-pose with its soles on z = 0.

| joint            | degrees of freedom, positive sense                                     |
|------------------|------------------------------------------------------------------------|
| Hips             | 6, free                                                                |
| Spine, Chest, Head | 3 each, ball: about x lean right, about y bend forward, about z turn left |
| …Arm             | 3, ball at the shoulder                                                |
| …ForeArm, …Hand  | 1 each: flexion of the elbow, pronation about the forearm              |
| …UpLeg           | 3, ball at the hip                                                     |
| …Leg             | 1: flexion of the knee (about +y)                                      |
| …Ankle, …Foot, …ToeBase | 1 each: dorsiflexion, inversion, extension of the toes           |

All body frames are aligned with the world at rest: x forward, y left, z up; the arms lie along ±y,
palms down, thumbs forward. The ankle is a massless body between shin and foot. Masses are de Leva's.
"""

from __future__ import annotations

from functools import lru_cache

from poise.character.body import Body
from poise.character.character import Character
from poise.character.joint import Joint
from poise.character.masses import with_guessed_masses
from poise.character.presets.pairs import both
from poise.character.presets.stiffness import Spring, sprung
from poise.character.shape import Shape
from poise.errors import UnknownNameError

HEIGHT = 1.75  # [m]
MASS = 75.0  # [kg]
THIGH, SHIN, ANKLE = 0.43, 0.425, 0.085  # lengths, and height of the ankle above the sole [m]
HIP = 0.09  # half the distance between the hip joints [m]
UPPER_ARM, FOREARM, HAND = 0.29, 0.26, 0.18  # [m]
SHOULDER = 0.185  # half the distance between the shoulder joints [m]
BALL, TOE = 0.125, 0.07  # ankle to ball of the foot, ball to tip of the toes [m]
HANDS = ("open", "fist")

_HIPS_HEIGHT = ANKLE + SHIN + THIGH + 0.03
_SPINE, _CHEST, _NECK, _SHOULDER_HEIGHT = 1.06, 1.21, 1.47, 1.43  # heights of joints [m]

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
    """The standard figure; ``hands`` ("open" or "fist") changes only how the hands look."""
    if hands not in HANDS:
        raise UnknownNameError("hand shape", hands, HANDS)
    bodies = [*_torso(), *both(_left_arm(hands)), *both(_left_leg())]
    figure = Character("humanoid", bodies, mass_source="none")
    return sprung(with_guessed_masses(figure, total=MASS, method="table"), _SPRINGS)


def _torso() -> list[Body]:
    return [
        Body(
            "Hips",
            None,
            Joint.free(),
            (0, 0, _HIPS_HEIGHT),
            shapes=(
                Shape.ellipsoid((-0.006, 0, 0.020), (0.104, 0.146, 0.100), "cloth"),
                Shape.ellipsoid((-0.026, 0.058, -0.046), (0.084, 0.083, 0.082), "cloth"),
                Shape.ellipsoid((-0.026, -0.058, -0.046), (0.084, 0.083, 0.082), "cloth"),
                Shape.ellipsoid((0, 0, -0.035), (0.082, 0.120, 0.070), "cloth"),
            ),
            points={"Pelvis": (0.09, 0, 0)},
            limb="spine",
        ),
        Body(
            "Spine",
            "Hips",
            Joint.ball((-0.45, -0.45, -0.6), (0.45, 0.9, 0.6)),
            (-0.01, 0, _SPINE - _HIPS_HEIGHT),
            shapes=(Shape.ellipsoid((0.006, 0, 0.070), (0.096, 0.128, 0.150)),),
            limb="spine",
        ),
        Body(
            "Chest",
            "Spine",
            Joint.ball((-0.4, -0.35, -0.7), (0.4, 0.7, 0.7)),
            (0, 0, _CHEST - _SPINE),
            shapes=(
                Shape.ellipsoid((0.004, 0, 0.078), (0.108, 0.146, 0.140), "cloth"),
                Shape.ellipsoid((0.012, 0, 0.130), (0.110, 0.160, 0.108), "cloth"),
                Shape.ellipsoid((-0.006, 0, 0.178), (0.092, 0.172, 0.072), "cloth"),
                Shape.capsule((-0.012, 0.040, 0.226), (-0.006, 0.125, 0.208), 0.042),
                Shape.capsule((-0.012, -0.040, 0.226), (-0.006, -0.125, 0.208), 0.042),
            ),
            points={"Sternum": (0.105, 0, 0.12)},
            limb="spine",
        ),
        Body(
            "Head",
            "Chest",
            Joint.ball((-0.7, -0.9, -1.3), (0.7, 0.9, 1.3)),
            (-0.012, 0, _NECK - _CHEST),
            shapes=(
                Shape.capsule((-0.006, 0, -0.035), (0.012, 0, 0.085), 0.050),
                Shape.ellipsoid((0.016, 0, 0.168), (0.096, 0.077, 0.112)),
                Shape.ellipsoid((0.030, 0, 0.134), (0.078, 0.065, 0.088)),
                Shape.ellipsoid((0.070, 0, 0.172), (0.046, 0.0640, 0.030), "face"),
            ),
            points={
                "HeadTop": (0.018, 0, HEIGHT - _NECK),
                "Nose": (0.116, 0, 0.140),
                "LeftEye": (0.106, 0.032, 0.170),
                "RightEye": (0.106, -0.032, 0.170),
            },
            limb="head",
        ),
    ]


def _left_arm(hands: str) -> list[Body]:
    return [
        Body(
            "LeftArm",
            "Chest",
            Joint.ball((-2.0, -1.8, -2.3), (1.9, 1.8, 0.9)),
            (0, SHOULDER, _SHOULDER_HEIGHT - _CHEST),
            shapes=(
                Shape.ellipsoid((0, 0.008, 0.002), (0.060, 0.068, 0.060)),
                Shape.capsule((0, 0.03, 0), (0, UPPER_ARM - 0.015, 0), 0.0385),
                Shape.ellipsoid((0.002, 0.120, 0), (0.043, 0.170, 0.042)),
                Shape.ellipsoid((0.004, 0.130, 0), (0.048, 0.100, 0.046)),
            ),
            side="left",
            limb="arm",
        ),
        Body(
            "LeftForeArm",
            "LeftArm",
            Joint.hinge((0, 0, -1), -0.05, 2.6),
            (0, UPPER_ARM, 0),
            shapes=(
                Shape.sphere((0, 0, 0), 0.0405, "joint"),
                Shape.capsule((0, 0.035, 0), (0, FOREARM - 0.01, 0), 0.0285),
                Shape.ellipsoid((0, 0.100, 0), (0.036, 0.150, 0.034)),
                Shape.ellipsoid((0, 0.085, 0), (0.041, 0.085, 0.038)),
            ),
            points={"LeftElbow": (0, 0, 0)},
            side="left",
            limb="arm",
        ),
        Body(
            "LeftHand",
            "LeftForeArm",
            Joint.hinge((0, 1, 0), -2.6, 0.5),
            (0, FOREARM, 0),
            shapes=(Shape.sphere((0, 0, 0), 0.0295, "joint"), *(_open() if hands == "open" else _fist())),
            points={
                "LeftWrist": (0, 0, 0),
                "LeftHandCentre": (0, HAND / 2, 0),
                "LeftFingertips": (0, HAND, 0),
            },
            side="left",
            limb="hand",
        ),
    ]


def _open() -> tuple[Shape, ...]:
    """Left palm facing down with straight fingers and the thumb forward."""
    fingers = (
        (0.029, 0.163, 0.0092),
        (0.010, 0.171, 0.0094),
        (-0.009, 0.166, 0.0092),
        (-0.027, 0.150, 0.0082),
    )
    return (
        Shape.ellipsoid((0.001, 0.055, 0), (0.042, 0.054, 0.0185)),
        *(Shape.capsule((0.92 * x, 0.085, 0), (x, tip, -0.004), r) for x, tip, r in fingers),
        Shape.capsule((0.022, 0.030, -0.003), (0.047, 0.066, -0.008), 0.0125),
        Shape.capsule((0.047, 0.066, -0.008), (0.054, 0.094, -0.010), 0.0105),
    )


def _fist() -> tuple[Shape, ...]:
    """Left fist, knuckles outward, the thumb laid across the fingers."""
    rows = (0.027, 0.009, -0.009, -0.026)
    return (
        Shape.ellipsoid((0, 0.050, -0.004), (0.042, 0.044, 0.030)),
        *(
            Shape.capsule((x, 0.090 - 0.15 * abs(x), 0.006), (x, 0.088 - 0.15 * abs(x), -0.026), 0.0125)
            for x in rows
        ),
        *(Shape.capsule((x, 0.086 - 0.15 * abs(x), -0.030), (x, 0.052, -0.033), 0.0115) for x in rows),
        Shape.capsule((0.040, 0.040, -0.012), (0.040, 0.072, -0.036), 0.0130),
        Shape.capsule((0.040, 0.072, -0.036), (0.006, 0.078, -0.044), 0.0118),
    )


def _left_leg() -> list[Body]:
    return [
        Body(
            "LeftUpLeg",
            "Hips",
            Joint.ball((-0.55, -2.3, -0.8), (0.9, 0.6, 0.8)),
            (0, HIP, -0.03),
            shapes=(
                Shape.capsule((0, 0, -0.04), (0, 0, -THIGH + 0.01), 0.0525),
                Shape.ellipsoid((0.004, 0.002, -0.170), (0.068, 0.066, 0.270)),
                Shape.ellipsoid((0.006, 0.004, -0.130), (0.081, 0.079, 0.185)),
            ),
            side="left",
            limb="leg",
        ),
        Body(
            "LeftLeg",
            "LeftUpLeg",
            Joint.hinge((0, 1, 0), -0.05, 2.6),
            (0, 0, -THIGH),
            shapes=(
                Shape.sphere((0.002, 0, 0), 0.0545, "joint"),
                Shape.capsule((0, 0, -0.045), (0, 0, -SHIN + 0.015), 0.0370),
                Shape.ellipsoid((-0.006, 0, -0.150), (0.045, 0.044, 0.210)),
                Shape.ellipsoid((-0.014, 0.002, -0.128), (0.054, 0.050, 0.122)),
            ),
            points={"LeftKnee": (0, 0, 0)},
            side="left",
            limb="leg",
        ),
        Body(
            "LeftAnkle",
            "LeftLeg",
            Joint.hinge((0, -1, 0), -0.9, 0.6),
            (0, 0, -SHIN),
            side="left",
            limb="foot",
        ),
        Body(
            "LeftFoot",
            "LeftAnkle",
            Joint.hinge((-1, 0, 0), -0.4, 0.6),
            (0, 0, 0),
            shapes=(
                Shape.sphere((0, 0, 0), 0.0415, "joint"),
                Shape.capsule((-0.020, 0, -0.047), (0.015, 0, -0.047), 0.038, "shoe"),
                Shape.capsule((-0.015, 0.003, -0.052), (0.110, 0.012, -0.057), 0.030, "shoe"),
                Shape.capsule((-0.015, -0.003, -0.052), (0.112, -0.014, -0.057), 0.030, "shoe"),
                Shape.capsule((0.004, 0, -0.026), (0.100, -0.002, -0.054), 0.033, "shoe"),
            ),
            points={"LeftHeel": (-0.055, 0, -ANKLE), "LeftBall": (BALL, 0, -ANKLE)},
            side="left",
            limb="foot",
        ),
        Body(
            "LeftToeBase",
            "LeftFoot",
            Joint.hinge((0, -1, 0), -0.6, 1.2),
            (BALL, 0, -ANKLE + 0.025),
            shapes=(
                Shape.ellipsoid((0.012, -0.002, 0.003), (0.058, 0.043, 0.028), "shoe"),
                Shape.capsule((-0.004, -0.020, -0.002), (0.040, -0.015, -0.005), 0.023, "shoe"),
                Shape.capsule((-0.004, 0.018, -0.002), (0.032, 0.014, -0.005), 0.023, "shoe"),
            ),
            points={"LeftToe": (TOE, 0, -0.025)},
            side="left",
            limb="foot",
        ),
    ]
