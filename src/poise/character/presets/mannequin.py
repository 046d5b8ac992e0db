"""How a human figure looks: a wooden mannequin in sports clothes, solids per body.

Muscles are long ellipsoids over thin capsules, so that limbs taper without creases; joints are dark
balls. Everything is in body frames that are aligned with the world in a T-pose (x forward, y left,
z up), for the left side; see ``pairs`` for the right. Lengths are those of a figure of 1.75 m.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character.shape import Shape
from poise.manifold import so3

_TILT = so3.exp(np.array([0.0, -0.2, 0.0]))

HIPS = (
    Shape.ellipsoid((-0.006, 0, 0.010), (0.106, 0.150, 0.108), "cloth"),
    Shape.ellipsoid((-0.034, 0.062, -0.042), (0.080, 0.082, 0.080), "cloth"),
    Shape.ellipsoid((-0.034, -0.062, -0.042), (0.080, 0.082, 0.080), "cloth"),
)
SPINE = (Shape.ellipsoid((0.006, 0, 0.070), (0.096, 0.127, 0.160)),)
CHEST = (
    Shape.ellipsoid((0.004, 0, 0.102), (0.114, 0.155, 0.160), "cloth"),
    Shape.ellipsoid((-0.006, 0, 0.162), (0.090, 0.172, 0.078), "cloth"),
    Shape.capsule((-0.012, 0.030, 0.232), (-0.004, 0.150, 0.214), 0.040),
    Shape.capsule((-0.012, -0.030, 0.232), (-0.004, -0.150, 0.214), 0.040),
)
NECK = (Shape.capsule((-0.006, 0, -0.035), (0.012, 0, 0.085), 0.049),)
HEAD = (
    Shape.ellipsoid((0.020, 0, 0.1615), (0.091, 0.076, 0.119), "skin", _TILT),
    Shape.ellipsoid((0.069, 0, 0.168), (0.048, 0.065, 0.029), "face", _TILT),
)


def upper_arm(length: float = 0.29) -> tuple[Shape, ...]:
    """Along +y from the shoulder."""
    return (
        Shape.ellipsoid((0, 0.006, 0.002), (0.060, 0.068, 0.060)),
        Shape.capsule((0, 0.03, 0), (0, length - 0.015, 0), 0.0345),
        Shape.ellipsoid((0.002, 0.45 * length, 0), (0.047, 0.57 * length, 0.045)),
    )


def forearm(length: float = 0.26) -> tuple[Shape, ...]:
    """Along +y from the elbow."""
    return (
        Shape.sphere((0, 0, 0), 0.0405, "joint"),
        Shape.capsule((0, 0.035, 0), (0, length - 0.01, 0), 0.0265),
        Shape.ellipsoid((0, 0.40 * length, 0), (0.0405, 0.5 * length, 0.038)),
    )


WRIST = (Shape.sphere((0, 0, 0), 0.0295, "joint"),)
PALM = (Shape.ellipsoid((0.001, 0.055, 0), (0.042, 0.054, 0.0185)),)
FINGERS = ((0.029, 0.163, 0.0092), (0.010, 0.171, 0.0094), (-0.009, 0.166, 0.0092), (-0.027, 0.150, 0.0082))
"""Of an open hand, from the index finger on: forward position, distance of the tip, radius [m]."""


def open_hand() -> tuple[Shape, ...]:
    """Palm facing down, straight fingers along +y, the thumb forward."""
    return (
        *WRIST,
        *PALM,
        *(Shape.capsule((0.92 * x, 0.085, 0), (x, tip, -0.004), r) for x, tip, r in FINGERS),
        Shape.capsule((0.022, 0.030, -0.003), (0.047, 0.066, -0.008), 0.0125),
        Shape.capsule((0.047, 0.066, -0.008), (0.054, 0.094, -0.010), 0.0105),
    )


def fist() -> tuple[Shape, ...]:
    """Knuckles outward along +y, fingers curled under, the thumb laid across them."""
    rows = (0.0265, 0.009, -0.0085, -0.0255)
    ends = [0.090 - 0.15 * abs(x) for x in rows]
    return (
        *WRIST,
        Shape.ellipsoid((0, 0.050, -0.004), (0.042, 0.046, 0.031)),
        *(Shape.capsule((x, y, 0.006), (x, y - 0.002, -0.026), 0.0128) for x, y in zip(rows, ends)),
        *(Shape.capsule((x, y - 0.004, -0.029), (x, 0.050, -0.031), 0.0118) for x, y in zip(rows, ends)),
        Shape.capsule((0.038, 0.040, -0.010), (0.038, 0.070, -0.034), 0.0130),
        Shape.capsule((0.038, 0.070, -0.034), (0.004, 0.078, -0.042), 0.0118),
    )


def thigh(length: float = 0.43) -> tuple[Shape, ...]:
    """Along −z from the hip."""
    return (
        Shape.capsule((0, 0, -0.04), (0, 0, -length + 0.01), 0.0465),
        Shape.ellipsoid((0.006, 0.002, -0.41 * length), (0.081, 0.078, 0.59 * length)),
    )


def shin(length: float = 0.425) -> tuple[Shape, ...]:
    """Along −z from the knee."""
    return (
        Shape.sphere((0, 0, 0), 0.0545, "joint"),
        Shape.capsule((0, 0, -0.045), (0, 0, -length + 0.015), 0.0345),
        Shape.ellipsoid((-0.009, 0, -0.38 * length), (0.055, 0.051, 0.45 * length)),
    )


FOOT = (
    Shape.sphere((0, 0, 0), 0.0415, "joint"),
    Shape.capsule((-0.018, 0, -0.047), (0.015, 0, -0.047), 0.038, "shoe"),
    Shape.capsule((-0.015, 0.003, -0.053), (0.108, 0.012, -0.055), 0.030, "shoe"),
    Shape.capsule((-0.015, -0.003, -0.053), (0.110, -0.014, -0.055), 0.030, "shoe"),
    Shape.capsule((0.004, 0, -0.026), (0.096, -0.002, -0.052), 0.033, "shoe"),
)
"""From an ankle 0.085 m above the sole."""
TOES = (
    Shape.ellipsoid((0.010, -0.001, 0.002), (0.058, 0.044, 0.027), "shoe"),
    Shape.capsule((-0.004, -0.020, -0.002), (0.042, -0.015, -0.002), 0.023, "shoe"),
    Shape.capsule((-0.004, 0.018, -0.002), (0.034, 0.014, -0.002), 0.023, "shoe"),
)
"""From a toe joint 0.025 m above the sole."""


def turned(shapes: tuple[Shape, ...], rotation: Array, **recoloured: str) -> tuple[Shape, ...]:
    """Solids rotated about the body's origin, some materials exchanged (``skin="near"``)."""
    return tuple(
        Shape(
            s.kind,
            s.size,
            so3.rotate(rotation, s.position),
            so3.multiply(rotation, s.rotation),
            recoloured.get(s.material, s.material),
        )
        for s in shapes
    )
