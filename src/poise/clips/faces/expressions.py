"""Expressions of the sculpted head: how each moves its vertices [m]."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.clips.faces.sculpture import (
    CORNER,
    EYE,
    LID_OPEN,
    LID_RADIUS,
    LID_SHUT,
    MOUTH,
    PARTS,
    Head,
    bump,
    smooth,
)  # fmt: skip

_HINGE = np.array([0.005, 0.0, -0.012])
"""The jaw turns about the axis through this point, left to right."""


def expressions(head: Head) -> dict[str, Array]:
    """Displacements (N, 3) by name; names are those that face capture uses."""
    p, part = head.vertices, head.part
    y, z = p[:, 1], p[:, 2]
    facing = smooth(p[:, 0], 0.0, 0.045) * np.isin(part, [PARTS.index(n) for n in ("skin", "pocket")])
    brow = part == PARTS.index("brow")
    lid = part == PARTS.index("lid")

    def moved(amount: Array, way: tuple[float, float, float]) -> Array:
        return np.asarray(amount[:, None] * np.array(way))

    out: dict[str, Array] = {
        "jawOpen": _jaw(head, 0.26),
        "jawLeft": moved(head.lower, (0.0, 0.011, 0.0)),
        "jawRight": moved(head.lower, (0.0, -0.011, 0.0)),
    }
    near = np.exp(-0.5 * ((z - MOUTH) / 0.011) ** 2) * facing
    upper_lip = (1 - head.lower) * near * (z > MOUTH - 0.0015)
    lower_lip = head.lower * near
    width = np.clip(1 - (y / (CORNER + 0.006)) ** 2, 0, 1)
    out["mouthUpperUp"] = moved(upper_lip * width, (0.002, 0, 0.0075))
    out["mouthLowerDown"] = moved(lower_lip * width, (0.001, 0, -0.0085))
    ring = bump(y, z, (0.0, MOUTH), (0.021, 0.014)) * facing
    pucker = np.zeros_like(p)
    pucker[:, 0] = 0.011 * ring
    pucker[:, 1] = -0.42 * y * ring
    pucker[:, 2] = -0.10 * (z - MOUTH) * ring
    out["mouthPucker"] = pucker
    press = np.zeros_like(p)
    tight = np.exp(-0.5 * ((z - MOUTH) / 0.008) ** 2) * width * facing
    press[:, 0], press[:, 2] = -0.0035 * tight, -0.40 * (z - MOUTH) * tight
    out["mouthPress"] = press
    for name, side in (("Left", 1.0), ("Right", -1.0)):
        corner = bump(side * y, z, (CORNER, MOUTH), (0.013, 0.012)) * facing
        cheek = bump(side * y, z, (0.040, -0.016), (0.014, 0.013)) * facing
        fold = bump(side * y, z, (0.030, -0.030), (0.008, 0.011)) * facing
        out[f"mouthSmile{name}"] = (
            moved(corner, (-0.0075, side * 0.0105, 0.0120))
            + moved(cheek, (0.0055, side * 0.002, 0.0055))
            + moved(fold, (-0.001, side * 0.001, 0.002))
        )
        out[f"mouthFrown{name}"] = moved(corner, (-0.002, side * 0.002, -0.0105))
        puff = bump(side * y, z, (0.044, -0.038), (0.017, 0.016)) * facing
        out[f"cheekPuff{name}"] = moved(puff, (0.008, side * 0.012, 0.0))
        height = bump(side * y, z, (0.030, 0.049), (0.020, 0.011)) * facing
        own = brow & (side * y > 0)
        lift = np.where(own, 1.0 - 0.25 * np.abs(side * y - 0.028) / 0.02, height)
        out[f"browUp{name}"] = moved(lift, (-0.0012, 0, 0.0095))
        inner = np.where(own, np.exp(-0.5 * ((side * y - 0.014) / 0.016) ** 2), height)
        out[f"browDown{name}"] = moved(inner, (0.0012, -side * 0.003, -0.0075))
        out[f"eyeBlink{name}"] = _blink(p, lid & (side * y > 0), side)
        out[f"eyeSquint{name}"] = (
            0.45 * out[f"eyeBlink{name}"] + moved(cheek, (0.002, 0, 0.0045)) * (side * y > 0)[:, None]
        )
    return out


def _jaw(head: Head, angle: float) -> Array:
    """The jaw turned down by an angle [rad]."""
    arm = head.vertices - _HINGE
    turned = arm.copy()
    turned[:, 0] = arm[:, 0] * np.cos(angle) + arm[:, 2] * np.sin(angle)
    turned[:, 2] = arm[:, 2] * np.cos(angle) - arm[:, 0] * np.sin(angle)
    return np.asarray(head.lower[:, None] * (turned - arm))


def _blink(p: Array, own: Array, side: float) -> Array:
    """The upper lid turned over the eye; its far edge stays."""
    out = np.zeros_like(p)
    arm = p[own] - EYE * [1, side, 1]
    lift = np.arctan2(arm[:, 2], arm[:, 0])
    share = 1 - smooth(lift, LID_OPEN, np.radians(118.0))
    goal = lift + share * (LID_SHUT - LID_OPEN)
    reach = np.hypot(arm[:, 0], arm[:, 2])
    moved = np.stack([reach * np.cos(goal), arm[:, 1], reach * np.sin(goal)], axis=1)
    assert reach.max() < 1.001 * LID_RADIUS  # it lies on the lid's sphere
    out[own] = moved - arm
    return out
