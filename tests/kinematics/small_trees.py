"""Random characters with every kind of joint, for kinematic tests."""

from __future__ import annotations

import numpy as np

from poise.character import Body, Character, Joint, JointKind, Mass
from poise.manifold import so3

ROOTS = (JointKind.FREE, JointKind.PLANAR, JointKind.FIXED, JointKind.BALL, JointKind.HINGE, JointKind.SLIDE)


def random_character(rng: np.random.Generator, n: int, root: JointKind = JointKind.FREE) -> Character:
    """n bodies hung at random, all joint kinds below the root, arbitrary masses and rest poses."""
    bodies = []
    for i in range(n):
        kind = root if i == 0 else JointKind(int(rng.integers(len(JointKind))))
        spread = rng.normal(size=(3, 4))
        covariance = 0.02 * spread @ spread.T
        inertia = np.trace(covariance) * np.eye(3) - covariance
        bodies.append(
            Body(
                name=f"b{i}",
                parent=None if i == 0 else f"b{int(rng.integers(max(0, i - 3), i))}",
                joint=Joint(kind, axis=rng.normal(size=3)),
                offset=0.3 * rng.normal(size=3),
                rest=so3.exp(rng.normal(size=3)) if rng.random() < 0.7 else so3.IDENTITY,
                mass=Mass(float(rng.uniform(0.3, 4.0)), 0.1 * rng.normal(size=3), inertia),
                points={f"tip{i}": 0.2 * rng.normal(size=3)},
            )
        )
    return Character(f"random {n} on {root.name.lower()}", bodies)
