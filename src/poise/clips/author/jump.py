"""A jump: arms and crouch wind up, a push, free flight, a soft landing. A ``Leap`` in numbers."""

from __future__ import annotations

from poise.character import Character, JointKind
from poise.clips.author.acting import FPS
from poise.clips.author.leap import Leap, sheet
from poise.clips.author.weight import weighted
from poise.methods.key.frames.bake import bake
from poise.motion import Clip

DURATION = 2.6
"""[s]: the jump with time to crouch before and to recover after."""
LEAVE, LAND = 1.15, 1.6
"""Take-off, and about when it should land [s]."""
HOP = 0.36
"""[m]"""
# fmt: off
SHEET = [
    #        lean  flex  look   arm  abd.  turn   elb. palm   hip  knee  sole  toes
    ( 0.00,    1,    3,    2,    2,    8,   -8,   18,   14,    4, 10.8,    0,    0),
    ( 0.20,    1,    2,    2,    4,    8,   -8,   18,   14,  4.2,   11,    0,    0),
    ( 0.42,    4,    5,   10,   20,   12,   -8,   28,   14, 13.6,   19,    0,    0),
    ( 0.55, 15.5,   15,   16,  -18,   13,   -7,   21,   17, 38.6, 38.6,    0,    0),
    ( 0.70,   28,   27,   17,  -54,   15,   -6,   15,   20, 75.2,   72,    0,    0),
    ( 0.84,   27,   28,   12,  -20,   16,  -14,   26,   20,   88, 91.2,    0,    0),
    ( 0.92, 18.6,   22,  4.6,   27,   16,  -24,   37,   13, 80.3, 94.5,    0,    0),
    ( 0.98,   10, 13.6,   -3,   65,   15,  -31,   44,    8, 67.3, 92.5,  0.8,    0),
    ( 1.03,  4.2,  6.2, -8.5,   95,   14,  -35,   41,    6, 55.2, 88.2, 11.4,    0),
    ( 1.08,  0.2,    0,  -12,  120,   13,  -38,   35,    4, 39.4, 73.2, 24.6,    0),
    ( 1.12, -1.4, -3.8,  -13,  134, 12.4,  -40,   29,    3, 27.8, 56.3, 37.4,   13),
    (LEAVE,   -2,   -6,  -13, 144.5,   12,  -41,   24,    2, 19.5, 40.3,   48,   28),
    ( 1.22,   -1,   -8,  -10,  160,   12,  -42,   20,    1,    8,   17,   54,   43),
    ( 1.40,    7,   -2,    8,  153,   20,  -41,   30,    4,   34,   46,   40,   27),
    ( 1.56,   11,    2,   20,  134,   27,  -26,   44,    8,   34,   22,   28,    1),
    ( LAND,   13,    4,   22,  120,   28,  -22,   47,    9, 44.2, 39.7, 23.2,    0),
    ( 1.63, 14.4,  6.2, 22.7,  111, 28.5,  -20,   47,   10,   55, 59.6, 11.8,    0),
    ( 1.66,   16,    9,   23,  101,   29,  -19,   47,   10, 62.8, 72.4,    2,    0),
    ( 1.71,   20,   15,   24,   84,   29,  -16,   45,   10,   75, 85.5,    0,    0),
    ( 1.76,   23,   20,   24,   68,   28,  -14,   42,   11, 79.8,   89,    0,    0),
    ( 1.95,   20,   25,   16,   12,   18,  -10,   32,   13, 63.2,   72,    0,    0),
    ( 2.12,   11,   16,    7,   -8,   11,   -8,   24,   14, 37.6, 48.3,    0,    0),
    ( 2.34,    2,    6,    2,    3,    8,   -8,   19,   14,  7.5, 14.4,    0,    0),
    ( 2.52,    1,    3,    2,    2,    8,   -8,   18,   14,  4.2, 10.9,    0,    0),
]
# fmt: on

JUMP = Leap(
    poses=sheet(SHEET),
    leave=LEAVE,
    land=LAND,
    apex=0.362,
    push=[
        (0.00, (0.000, 0.000), (0.0, 0.0)),
        (0.30, (0.000, 0.000), (0.0, 0.0)),
        (0.50, (-0.0025, -0.0248), (-0.037, -0.371)),
        (0.64, (-0.0110, -0.1078), (-0.086, -0.780)),
        (0.80, (-0.0252, -0.2333), (-0.068, -0.623)),
        (0.94, (-0.0238, -0.2509), (0.129, 0.583)),
        (1.06, (0.0089, -0.0893), (0.423, 2.090)),
    ],
    take_off=(0.054, 0.118),
    touch_down=(0.315, 0.03),
    cushion=[
        (0.057, (0.3440, -0.1130), (0.461, -2.175)),
        (0.147, (0.3742, -0.2274), (0.197, -0.476)),
        (0.267, (0.3812, -0.2098), (-0.031, 0.488)),
        (0.417, (0.3722, -0.1258), (-0.069, 0.597)),
        (0.617, (0.3622, -0.0254), (-0.027, 0.322)),
        (0.847, (0.36, 0.0), (0.0, 0.0)),
    ],
    hold={"Heel": (0.95, 0.08), "Ball": (1.075, 0.07), "Toe": (LEAVE, 0.0)},  # rolls off over the toes
    down={"Toe": (0.0, 0.0), "Ball": (0.0, 0.0), "Heel": (0.08, 0.08)},  # ball first
    hop=HOP,
    until=DURATION,
)


def jump(character: Character, name: str = "jump") -> Clip:
    """Two-footed jump with a short hop forward, standing to standing, of either humanoid.

    The ground carries the one that moves in space; arms that swing in one plane would swing into its face.
    """
    made = bake(JUMP.tracks(character).replaced(name=name), FPS, end=DURATION).clip
    return made if character.bodies[0].joint.kind is JointKind.PLANAR else weighted(made)
