"""A root moved to what carries it: by the whole way from first frame to last, in clips of any length."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from poise import clips
from poise.contacts.patches import patches
from poise.kinematics import Kinematics
from poise.methods.adapt.retarget.touching import Touching, carried
from poise.motion import Clip


@pytest.mark.parametrize("frames", [3, 12, 20, 90])
def test_a_clip_carried_throughout_moves_by_what_it_lacks_at_its_ends_too(frames):
    reach = clips.get("reach")
    clip = Clip(reach.character, np.repeat(reach.q[:1], frames, axis=0), 60)
    own = patches(clip.character)
    lack = np.array([0.02, 0.0, 0.1])
    way = own.places(Kinematics(clip.character, clip.q))[:, 0] + lack
    made = carried(clip, [Touching(own.names[0], SimpleNamespace(load=1.0), (0, frames - 1), way)])
    np.testing.assert_allclose(made.q[:, :3] - clip.q[:, :3], np.tile(lack, (frames, 1)), atol=1e-9)
