"""Every stored clip is what its author makes: a number changed there is a clip to look at anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import clips
from poise.character import presets
from poise.clips.author.drum import drum
from poise.clips.author.gait import stride
from poise.clips.author.planar import flattened
from poise.clips.author.punch import punch
from poise.clips.author.puppet import Puppet
from poise.clips.author.reach import reach
from poise.clips.author.walk_run import WALK
from poise.clips.author.wave import wave

ACTED = {"wave": (wave, "open"), "reach": (reach, "open"), "punch": (punch, "fist"), "drum": (drum, "fist")}


@pytest.mark.parametrize("name", ACTED)
def test_stored_acting_is_what_the_code_makes(name):
    author, hands = ACTED[name]
    made, stored = author(Puppet(presets.humanoid(hands=hands))), clips.get(name)
    assert (made.rate, made.loop, made.name) == (stored.rate, stored.loop, stored.name)
    np.testing.assert_allclose(stored.q, made.q, atol=1e-7)


def test_the_stored_planar_walk_is_what_the_code_makes():
    """The walk in a plane: nothing turned or swayed out of it."""
    puppet, still = Puppet(presets.get("humanoid")), (0.0, ())
    apart = abs(float(puppet.offset["LeftUpLeg"][1]))
    turns = dict.fromkeys(
        ("hips_y", "hips_yaw", "hips_roll", "twist", "shoulder_abduct", "shoulder_turn"), still
    )
    walk = stride(replace(WALK, half_width=apart, toe_out=0.0, **turns), puppet)
    made = flattened(walk, presets.get("planar_humanoid"), "planar_walk")
    stored = clips.get("planar_walk")
    np.testing.assert_allclose(stored.q, made.q, atol=1e-7)
    np.testing.assert_allclose(stored.travel.translation, made.travel.translation, atol=1e-9)
