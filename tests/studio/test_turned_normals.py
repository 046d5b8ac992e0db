"""Expressions send the normals that they turn by more than a thousandth, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Body, Character, Joint, MorphTarget, Skin
from poise.pictures import figure
from poise.studio.looks import looks

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])


def lit(slope: float) -> int:
    """How many normals of a square are sent when one side of it is raised by a slope."""
    raised = MorphTarget("tilt", np.array([1, 2]), np.array([[0, 0, slope], [0, 0, slope]]))
    skin = Skin(CORNERS, FACES, np.zeros((4, 1), dtype=int), np.ones((4, 1)), np.eye(4)[None], (raised,))
    character = Character("square", [Body("square", None, Joint.free())], skin=skin)
    return len(looks(figure(character)).arrays["morph0.lit"])


@pytest.mark.parametrize(("slope", "sent"), [(0.0005, 0), (0.0015, 4), (0.1, 4)])
def test_a_thousandth_is_the_least(slope, sent):
    assert lit(slope) == sent
