"""Frames that pop and limbs thrown where they cannot go are made anew; what jumps and stays is not."""

from __future__ import annotations

import numpy as np
import pytest
from faults import bump

import poise
from poise import clips
from poise.character.labels import roles
from poise.manifold import so3
from poise.repair.infill import infilled

CLIP = clips.get("punch")


def places(clip: poise.Clip) -> np.ndarray:
    return clip.character.placement(clip.q).positions


def popped(role: str, frames: slice, angle: float = 20.0) -> poise.Clip:
    q, span = np.array(CLIP.q), CLIP.character.coordinates(roles(CLIP.character)[role])
    q[frames, span] = so3.multiply(q[frames, span], so3.exp(np.radians([angle, 0.0, 0.0])))
    return CLIP.with_q(q)


def test_infill_meets_a_cubic_and_touches_nothing_else():
    """Coordinates that follow a cubic are found again, other joints keep their bits."""
    q = np.array(CLIP.q)
    t = np.arange(CLIP.frames) / 30.0
    q[:, 0] = 0.3 * t + 0.05 * t**2
    made = infilled(CLIP.character, q, [0], 40, 43, CLIP.dt)
    np.testing.assert_allclose(made[40:44, 0], q[40:44, 0], atol=5e-4)
    own = CLIP.character.coordinates(0)
    others = np.ones(q.shape[1], bool)
    others[own] = False
    np.testing.assert_array_equal(made[:, others], q[:, others])
    np.testing.assert_array_equal(np.delete(made, range(40, 44), axis=0), np.delete(q, range(40, 44), axis=0))
    with pytest.raises(ValueError, match="neighbours"):
        infilled(CLIP.character, q, [0], 0, 3, CLIP.dt)


@pytest.mark.parametrize("role", ["left upper_arm", "spine", "right thigh"])
def test_a_joint_that_pops_is_put_back(role):
    wrong = popped(role, slice(50, 51))
    result = poise.fix(wrong, floor=0.0)
    assert any(o.repair == "pops" and o.done for o in result.outcomes), str(result)
    assert np.abs(places(result.clip) - places(CLIP)).max() < 0.01
    changed = np.flatnonzero((result.clip.q != wrong.q).any(axis=1))
    assert 50 in changed
    assert changed.min() >= 49
    assert changed.max() <= 51


def test_a_body_that_pops_is_put_back():
    q = np.array(CLIP.q)
    q[50, :3] += [0.0, 0.03, 0.0]
    result = poise.fix(CLIP.with_q(q), floor=0.0)
    assert np.abs(places(result.clip) - places(CLIP))[50].max() < 0.006


def test_a_joint_that_jumps_and_stays_is_left_alone():
    wrong = popped("left upper_arm", slice(50, None))
    result = poise.fix(wrong, ["pops"], floor=0.0)
    assert result.before.of("pop")
    assert result.clip is wrong
    assert not result.met


def test_an_elbow_bent_backwards_for_a_moment_is_made_anew():
    clip = CLIP
    own = roles(clip.character)
    upper, lower, hand = (own[f"left {p}"] for p in ("upper_arm", "forearm", "hand"))
    x, turns = clip.character.placement(clip.q)
    a, b = x[:, lower] - x[:, upper], x[:, hand] - x[:, lower]
    cross = np.einsum("fji,fj->fi", turns[:, lower], np.cross(a, b))
    angle = np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), (a * b).sum(axis=1))
    axis = np.median(cross, axis=0) / np.linalg.norm(np.median(cross, axis=0))
    d = np.zeros((clip.frames, clip.character.nv))
    dofs = np.arange(clip.character.nv)[clip.character.dofs(lower)]
    back = bump(clip.frames, 20, 50, 8) * (angle + np.radians(60))
    for way in (-1.0, 1.0):
        d[:, dofs] = way * back[:, None] * (axis if len(dofs) == 3 else 1.0)
        wrong = clip.with_q(clip.character.manifold.plus(clip.q, d))
        if any(f.serious for f in poise.check(wrong, floor=0.0).report.of("bend")):
            break
    else:
        pytest.fail("neither way is backwards")
    result = poise.fix(wrong, floor=0.0)
    assert any(o.repair == "limits" and o.done and o.mended for o in result.outcomes), str(result)
    off = [np.sqrt(((places(c) - places(clip)) ** 2).sum(axis=2)[20:51].mean()) for c in (wrong, result.clip)]
    assert off[1] < 0.02
    assert off[1] < 0.3 * off[0]
