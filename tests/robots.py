"""A small humanoid robot of motors: every joint a hinge, motors beside each other where limbs join."""

from __future__ import annotations

import numpy as np

from poise.character import Body, Character, Joint, Mass

X, Y, Z = np.eye(3)
Row = tuple[str, np.ndarray, tuple[float, float, float], float, float]
"""Name, axis, offset (y to the left), lower and upper limit."""
LEG: list[Row] = [
    ("hip_pitch", Y, (0, 0.065, -0.10), -2.5, 2.9),
    ("hip_roll", X, (0, 0.05, -0.03), -1.5, 1.5),
    ("hip_yaw", Z, (0.02, 0, -0.12), -2.7, 2.7),
    ("knee", Y, (-0.02, 0, -0.18), -0.09, 2.9),
    ("ankle_pitch", Y, (0, 0, -0.30), -0.9, 0.6),
    ("ankle_roll", X, (0, 0, -0.02), -0.3, 0.3),
]
ARM: list[Row] = [
    ("shoulder_pitch", Y, (0, 0.10, 0.24), -3.1, 2.7),
    ("shoulder_roll", X, (0, 0.04, -0.01), -2.2, 2.2),
    ("shoulder_yaw", Z, (0, 0.005, -0.10), -2.6, 2.6),
    ("elbow", Y, (0.015, 0, -0.08), -1.0, 2.1),
    ("wrist_roll", X, (0.10, 0, -0.01), -2.0, 2.0),
    ("wrist_pitch", Y, (0.04, 0, 0), -1.6, 1.6),
    ("wrist_yaw", Z, (0.04, 0, 0), -1.6, 1.6),
]
SPEED, EFFORT = 20.0, 80.0
"""Of every motor [rad/s], [N·m]."""


def motor_humanoid(*, speed: float | None = None, effort: float | None = None) -> Character:
    """Twenty-nine motors, 1.2 m, about 30 kg; forearms point forward at rest, arms hang."""
    more = {k: v for k, v in (("speed", speed), ("effort", effort)) if v is not None}

    def piece(name, parent, joint, offset, mass, points=None):
        weight = Mass(mass, (0, 0, 0), (0.002 * mass,) * 3)
        return Body(name, parent, joint, offset, mass=weight, points=points or {})

    def motor(axis, lower, upper):
        return Joint.hinge(axis, lower, upper, **more)

    bodies = [piece("pelvis", None, Joint.free(), (0, 0, 0.80), 4.0)]
    bodies.append(piece("waist_yaw_link", "pelvis", motor(Z, -2.6, 2.6), (0, 0, 0), 0.2))
    bodies.append(piece("waist_roll_link", "waist_yaw_link", motor(X, -0.5, 0.5), (0, 0, 0.04), 0.1))
    bodies.append(piece("torso_link", "waist_roll_link", motor(Y, -0.5, 0.5), (0, 0, 0), 8.0))
    bodies.append(piece("head_link", "torso_link", Joint.fixed(), (0, 0, 0.40), 1.0, {"crown": (0, 0, 0.1)}))
    for side, s in (("left", 1.0), ("right", -1.0)):
        for rows, first in ((LEG, "pelvis"), (ARM, "torso_link")):
            parent = first
            for name, axis, (x, y, z), lower, upper in rows:
                points = None
                if name == "ankle_roll":
                    points = {f"{side}_heel": (-0.05, 0, -0.035), f"{side}_toe": (0.12, 0, -0.035)}
                if name == "wrist_yaw":
                    points = {f"{side}_fingertips": (0.10, 0, 0)}
                mirrored = axis is X and s < 0
                low, high = (-upper, -lower) if mirrored else (lower, upper)
                joint = motor(axis, low, high)
                bodies.append(piece(f"{side}_{name}_link", parent, joint, (x, s * y, z), 0.7, points))
                parent = f"{side}_{name}_link"
    return Character("motors", bodies)
