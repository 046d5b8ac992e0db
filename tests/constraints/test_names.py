"""Every maker names its constraint after what it is about, unless the caller gives a name."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import presets
from poise.constraints import (
    above,
    at_rest,
    balanced,
    constrain,
    joined,
    keep_distance,
    moving,
    on_plane,
    oriented,
    pin,
    pose,
)
from poise.handles import CentreOfMass

HUMANOID = presets.humanoid()
MAKERS = {
    "RightHand at its place": lambda **o: pin("RightHand", (0, 0, 1), 0.5, **o),
    "LeftHand at RightHand": lambda **o: joined("RightHand", "LeftHand", 0.5, **o),
    "distance of RightHand": lambda **o: keep_distance("RightHand", (0, 0, 0), 0.5, most=0.5, **o),
    "RightHand above 0.2 m": lambda **o: above("RightHand", 0.5, height=0.2, **o),
    "RightHand on the plane at 0.2 m": lambda **o: on_plane("RightHand", 0.5, height=0.2, **o),
    "velocity of RightHand": lambda **o: moving("RightHand", (0, 0, 1), 0.5, **o),
    "RightHand at rest": lambda **o: at_rest("RightHand", 0.5, **o),
    "orientation of Head": lambda **o: oriented("Head", (1, 0, 0, 0), 0.5, **o),
    "centre of mass": lambda **o: balanced((0, 0, 1), 0.5, **o),
    "pose": lambda **o: pose(HUMANOID, HUMANOID.rest_pose(), 0.5, **o),
    "pose of Head": lambda **o: pose(HUMANOID, HUMANOID.rest_pose(), 0.5, joints=("Head",), **o),
    "centre of mass at 0.5 s": lambda **o: constrain(CentreOfMass(), np.zeros(3), 0.5, **o),
}


@pytest.mark.parametrize("name", MAKERS)
def test_constraints_are_named_after_what_they_are_about(name):
    assert MAKERS[name]().name == name
    assert MAKERS[name](name="mine").name == "mine"
