"""The operators on captured motion."""

from __future__ import annotations

import numpy as np
import pytest
from motion_cases import apart, forward

from poise.formats import load
from poise.motion.operators import despike, loop, mirror, mirror_pairs, resample, smooth, trim, unroll

CLIPS = ["02_01", "143_01", "16_01"]


@pytest.fixture(params=CLIPS)
def clip(request, shared_data):
    found = sorted((shared_data / "cmu_cgspeed_bvh").glob(f"{request.param}*.bvh"))
    if not found:
        pytest.skip(f"no clip {request.param}")
    return load(found[0])


def test_the_pose_before_the_first_frame_is_found(clip):
    """These files begin with a T-pose that is no motion: mended, the first two frames are neighbours."""
    if clip.name.startswith("143"):
        pytest.skip(
            "a run at full speed from the first frame: too fast to tell all joints' T-pose from motion"
        )
    step = np.abs(clip.character.manifold.minus(clip.q[1], clip.q[0])).max()
    mended = despike(clip)
    after = np.abs(clip.character.manifold.minus(mended.q[1], mended.q[0])).max()
    assert step > 1.0
    assert after < 0.2
    changed = np.mean(np.any(mended.q != clip.q, axis=1))
    assert changed < 0.3  # hands and toes shake a little here and there


def test_mirroring_a_performer(clip):
    """Real limbs differ by a few centimetres, and so may the mirror image, no more."""
    character = clip.character
    partner = mirror_pairs(character)
    assert np.count_nonzero(partner != np.arange(len(partner))) == 24
    mirrored = mirror(clip)
    assert apart(character, mirror(mirrored).q, clip.q) < 1e-14
    x, _ = forward(character, clip.q[:60])
    y, _ = forward(character, mirrored.q[:60])
    assert np.abs(y - x[:, partner] * [1, -1, 1]).max() < 0.03


def test_a_loop_bakes_and_comes_back(clip):
    moving = trim(clip, frames=(1, clip.frames - 1))
    cycle = loop(moving, search=0.3, shortest=0.4)
    again = loop(unroll(cycle))
    assert again.frames == cycle.frames
    assert apart(clip.character, again.at(0.0), cycle.at(0.0)) < 0.05
    v = unroll(cycle, 2).velocity
    seam = slice(cycle.frames - 3, cycle.frames + 4)
    jerk = np.abs(np.diff(v, axis=0)).max(axis=1)
    assert jerk[seam].max() < 3 * np.quantile(jerk, 0.95)


def test_smoothing_spares_the_motion(clip):
    moving = trim(clip, frames=(1, clip.frames - 1))
    out = smooth(moving, cutoff=12.0)
    x, _ = forward(clip.character, moving.q)
    y, _ = forward(clip.character, out.q)
    assert np.abs(x - y).mean() < 2e-3
    fast = [np.abs(np.diff(q, n=2, axis=0)).mean() for q in (x, y)]
    assert fast[1] < fast[0]
    assert resample(out, "24000/1001").frames > 10
