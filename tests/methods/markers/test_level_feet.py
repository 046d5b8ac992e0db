"""Feet whose markers sit askew still stand flat; contacts begin and end as force plates say."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.character.labels import roles
from poise.manifold import so3
from poise.methods.markers.level_feet import level_feet
from poise.motion import Clip

TILT = np.radians(20.0)


@pytest.fixture(scope="module")
def walk():
    clip = poise.clips.get("walk")
    return Clip(clip.character, clip.at(np.arange(128) / 60.0), 60)


def test_markers_that_tell_a_tilted_foot_are_turned_back(walk):
    """A fit in which a foot is pitched by 20°, and its markers sit as much askew, is as good: the ground
    tells."""
    character = walk.character
    q = np.array(walk.q)
    for side in ("Left", "Right"):
        q[:, character.coordinates(f"{side}Ankle")] -= TILT
    foot = roles(character)["left foot"]
    places = np.array([[0.1, 0.03, 0.0], [-0.06, 0.0, -0.04], [0.15, 0.0, 0.02]])
    tilted = walk.with_q(q)
    turned = level_feet(tilted, np.array([foot] * 3), places)
    turn = so3.exp(np.array([0.0, -TILT, 0.0]))
    wanted = so3.rotate(turn, places), so3.rotate(so3.conjugate(turn), places)
    assert min(np.abs(turned - w).max() for w in wanted) < 0.012
    assert np.abs(turned - places).max() > 0.02
    # Markers of other bodies stay, and so do those of feet that stand flat.
    assert np.array_equal(level_feet(tilted, np.array([0, 0, 0]), places), places)
    assert np.abs(level_feet(walk, np.array([foot] * 3), places) - places).max() < 0.01


@pytest.mark.parametrize("name", ["walking2", "walking3", "DJ4"])
def test_contacts_are_those_of_the_plates(shared_data, name):
    plates = pytest.importorskip("benchmarks.force_plates")
    if not plates.FOLDER.is_dir():
        pytest.skip("shared/data/opencap_forces is not beside the checkout")
    row = plates.judged(name)
    assert max(map(abs, [*row.onsets, *row.ends])) <= 0.0301
    if name.startswith("walking"):
        assert row.force < 0.08
    else:
        assert abs(row.box) < 0.03
