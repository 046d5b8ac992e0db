"""A character without any freedom has one pose: it is handed out, and what it misses is told."""

from __future__ import annotations

import numpy as np

import poise
from poise.character import Body, Character, Joint, JointKind, Mass
from poise.constraints import pin
from poise.methods.key.pose.solve import solve
from poise.methods.key.sheet.keyframes import Keyframes
from poise.operations.pose import Pose

STICK = Character(
    "stick",
    [Body("stick", None, Joint(JointKind.FIXED), mass=Mass(1.0), points={"tip": (0.0, 0.0, 1.0)})],
)


def test_one_pose() -> None:
    for strict in (0, 1):
        done = solve(STICK, [pin("tip", (0.0, 0.0, 1.5), 0.0, name="tip")], Pose(strict=strict))
        assert done.q.shape == (0,)
        assert not done.report.met
        assert abs(done.report.outcomes[0].error - 0.5) < 1e-12


def test_a_document() -> None:
    baked = poise.key(
        Keyframes(STICK, np.empty(0)).pin("tip", at=(0.0, 0.1), to=(0.0, 0.0, 1.0), name="tip"), fps=30
    )
    assert baked.clip.q.shape[1] == 0
    assert baked.report.met
