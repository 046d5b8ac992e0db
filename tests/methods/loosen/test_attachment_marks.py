"""Marks for soft things: hit in three iterations, with velocities, several at once; missed by little."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.constraints import constrain, pin
from poise.handles import AttachmentPoint
from poise.kinematics import Dressed, Kinematics
from poise.methods.loosen.wear.attachment import attach
from poise.methods.loosen.wear.hat import ON_HEAD, hat
from poise.methods.loosen.wear.hit import hit_attached
from poise.methods.loosen.wear.sway import Sway, sway
from poise.operations.wear import Wear

WINDOW = 1.5
NEAR = 1e-5
"""A thousandth of a centimetre [m]."""


@pytest.fixture(scope="module")
def worn():
    return attach(clips.get("punch"), hat(), Wear(offset=ON_HEAD), "hat")


def tip_of(worn, mesh):
    place = np.array(worn.point("tip").place)
    return mesh.vertices[:, int(np.argmin(np.linalg.norm(worn.surface.points - place, axis=1)))]


# Within reach: sideways, back and forth, and down; a standing figure can hardly lift the tip of its hat.
WAYS = [
    0.15 * np.array([np.cos(a) * np.cos(down), np.sin(a) * np.cos(down), -np.sin(down)]) * size
    for a, down, size in zip(np.arange(6) * np.pi / 3 + 0.4, (0.2, 0.5, 0.8, 0.6, 0.4, 0.7), (1, 0.5) * 3)
]


@pytest.mark.parametrize(
    ("name", "frame"), [("punch", 51), ("walk", 20), ("jump", 70), ("run", 15), ("wave", 90)]
)
def test_three_iterations_or_so_reach_a_thousandth_of_a_centimetre(worn, name, frame):
    clip = clips.get(name)
    tip = tip_of(worn, sway(clip, worn, WINDOW))[frame]
    found = []
    for way in WAYS:
        ask = constrain(worn.point(), tip + way, frame * clip.dt, name="tip")
        result = hit_attached(clip, [ask], [worn], Wear(window=WINDOW))
        found.append((result.report.iterations, result.report.outcomes[0].error))
        if way is WAYS[0]:
            got = tip_of(worn, result.mesh())[frame]
            assert np.linalg.norm(got - tip - way) < NEAR
    assert max(error for _, error in found) <= NEAR, found
    counts = [count for count, _ in found]
    assert np.median(counts) <= 3, found
    assert max(counts) <= 4, found  # where a run's knees are almost straight


def seen_velocity(path, frame, dt):
    return (path[frame + 1] - path[frame - 1]) / (2 * dt)


def test_a_place_and_a_velocity_at_once(worn):
    clip, frame = clips.get("punch"), 51
    path = tip_of(worn, sway(clip, worn, WINDOW))
    place = path[frame] + [0.04, 0.05, -0.02]
    before, wanted = seen_velocity(path, frame, clip.dt), np.array([0.0, 0.4, 0.0])
    assert np.linalg.norm(before - wanted) > 0.3
    t = frame * clip.dt
    asks = [
        constrain(worn.point(), place, t, name="place"),
        constrain(worn.point(), wanted, t, rate=True, name="pace"),
    ]
    result = hit_attached(clip, asks, [worn], Wear(window=WINDOW))
    assert result.report.met, result.report
    assert result.report.iterations <= 3
    after = tip_of(worn, result.mesh())
    np.testing.assert_allclose(after[frame], place, atol=NEAR)
    np.testing.assert_allclose(seen_velocity(after, frame, clip.dt), wanted, atol=1e-4)


def test_a_velocity_is_that_of_the_motion_between_frames_too(worn):
    """Where the motion is smooth, differences over two frames and over thousandths of a second agree."""
    clip, frame = clips.get("wave"), 90
    ask = constrain(worn.point(), [0.0, 0.3, 0.0], frame * clip.dt, rate=True, name="pace")
    result = hit_attached(clip, [ask], [worn], Wear(window=WINDOW))
    assert result.report.met, result.report
    motion, t, e = Sway(result.clip, worn), frame * clip.dt, 2e-3
    point = motion.embedded(np.array([worn.point().place]))
    ahead, back = motion.world(np.array([t + e, t - e]), WINDOW, point)[:, 0]
    assert np.linalg.norm((ahead - back) / (2 * e) - [0.0, 0.3, 0.0]) < 0.03


def test_the_first_and_the_last_frame_have_velocities_too(worn):
    clip = clips.get("punch")
    for frame, stencil in ((0, (-1.5, 2.0, -0.5)), (clip.frames - 1, (0.5, -2.0, 1.5))):
        ask = constrain(worn.point(axes="y"), 0.2, frame * clip.dt, rate=True, name="pace")
        result = hit_attached(clip, [ask], [worn], Wear(window=WINDOW))
        assert result.report.met, result.report
        y = tip_of(worn, result.mesh())[:, 1]
        three = y[:3] if frame == 0 else y[-3:]
        assert float(np.dot(stencil, three)) / clip.dt == pytest.approx(0.2, abs=1e-3)


def test_several_marks_on_a_loop_beside_a_fist_that_rests(worn):
    clip = clips.get("walk")
    path = tip_of(worn, sway(clip, worn, WINDOW))
    hand = Kinematics(clip.character, clip.q).point("RightHandCentre")
    asks = [
        constrain(worn.point(), path[10] + [0.03, 0.05, -0.02], 10 * clip.dt, name="first"),
        constrain(worn.point(), path[40] + [0.02, -0.06, -0.03], 40 * clip.dt, name="second"),
        constrain(worn.point(), np.zeros(3), 40 * clip.dt, rate=True, name="at rest", tolerance=1e-3),
        pin("RightHandCentre", hand[40] + [0.05, 0.0, 0.05], 40 * clip.dt, name="fist"),
    ]
    result = hit_attached(clip, asks, [worn], Wear(window=WINDOW, width=0.6))
    assert result.report.met, result.report
    after = tip_of(worn, result.mesh())
    np.testing.assert_allclose(after[10], path[10] + [0.03, 0.05, -0.02], atol=NEAR)
    assert np.linalg.norm(seen_velocity(after, 40, clip.dt)) < 1e-3


def test_out_of_reach_it_comes_as_near_as_it_can(worn):
    clip, frame = clips.get("punch"), 51
    tip = tip_of(worn, sway(clip, worn, WINDOW))[frame]
    ask = constrain(worn.point(), tip + [0.0, 0.0, 0.5], frame * clip.dt, name="tip")
    result = hit_attached(clip, [ask], [worn], Wear(window=WINDOW))
    assert not result.report.met
    assert result.report.outcomes[0].error < 0.5
    assert np.isfinite(result.clip.q).all()


def test_a_soft_point_is_as_fast_as_poses_know():
    character = clips.get("punch").character
    rng = np.random.default_rng(2)
    q = np.tile(character.rest_pose(), (4, 1))
    v = rng.normal(size=(4, character.nv))
    key = ("hat", (0.0, 0.1, 0.4))
    handle = AttachmentPoint("hat", "Head", key[1], axes="zx")
    known = rng.normal(size=(4, 3))
    kin = Dressed(character, q, v, displacements={}, point_velocities={key: known})
    np.testing.assert_array_equal(handle.rate(kin), known[:, [2, 0]])
    # Where they do not, it is fixed to its bone: the velocity of a point there.
    e = 1e-6
    ahead, back = (Kinematics(character, character.manifold.plus(q, s * v)) for s in (e, -e))
    slope = (handle.value(ahead) - handle.value(back)) / (2 * e)
    np.testing.assert_allclose(handle.rate(Kinematics(character, q, v)), slope, atol=1e-7)
