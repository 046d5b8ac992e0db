"""The humanoid of the dynamics benchmarks: 17 bodies, free root, 46 degrees of freedom."""

from __future__ import annotations

import numpy as np

from poise.character import Body, Character, Joint, Mass

Triple = tuple[float, float, float]


def humanoid46() -> Character:
    """Pelvis, spine, chest, neck, head, two arms, two legs; elbows and knees are hinges."""
    bodies: list[Body] = []

    def put(
        name: str, parent: str | None, joint: Joint, offset: Triple, mass: float, centre: Triple, half: Triple
    ) -> None:
        x, y, z = np.square(half)
        moments = mass / 3 * np.array([y + z, x + z, x + y])  # a box
        bodies.append(Body(name, parent, joint, offset, mass=Mass(mass, centre, moments)))

    ball = Joint.ball
    put("pelvis", None, Joint.free(), (0, 0, 0.95), 11, (0, 0, 0.02), (0.08, 0.12, 0.08))
    put("spine", "pelvis", ball(), (0, 0, 0.1), 10, (0.01, 0, 0.08), (0.08, 0.12, 0.08))
    put("chest", "spine", ball(), (0, 0, 0.17), 16, (0, 0, 0.12), (0.09, 0.15, 0.13))
    put("neck", "chest", ball(), (0, 0, 0.27), 1.5, (0.01, 0, 0.04), (0.04, 0.04, 0.05))
    put("head", "neck", ball(), (0.01, 0, 0.08), 5, (0.02, 0, 0.1), (0.08, 0.07, 0.11))
    for side, y in (("L", 1.0), ("R", -1.0)):
        arm, forearm, hand = f"upper_arm{side}", f"forearm{side}", f"hand{side}"
        elbow = Joint.hinge((0, 0, 1))
        put(arm, "chest", ball(), (0, 0.18 * y, 0.22), 2.2, (0, 0.14 * y, 0), (0.04, 0.14, 0.04))
        put(forearm, arm, elbow, (0, 0.28 * y, 0), 1.3, (0, 0.11 * y, 0), (0.03, 0.12, 0.03))
        put(hand, forearm, ball(), (0, 0.25 * y, 0), 0.5, (0, 0.07 * y, 0.003), (0.04, 0.08, 0.015))
    for side, y in (("L", 1.0), ("R", -1.0)):
        thigh, shin, foot = f"thigh{side}", f"shin{side}", f"foot{side}"
        knee = Joint.hinge((0, 1, 0))
        put(thigh, "pelvis", ball(), (0, 0.09 * y, -0.04), 8.5, (0, 0, -0.2), (0.07, 0.07, 0.2))
        put(shin, thigh, knee, (0, 0, -0.42), 3.7, (0, 0, -0.18), (0.05, 0.05, 0.2))
        put(foot, shin, ball(), (0, 0, -0.42), 1.1, (0.06, 0, -0.04), (0.12, 0.04, 0.03))
    return Character("humanoid46", bodies)
