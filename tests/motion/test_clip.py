"""Clips: exact time, frames bit for bit, C¹ between them, loops that travel."""

from __future__ import annotations

import gc
import weakref
from fractions import Fraction

import numpy as np
import pytest

from poise import clips
from poise.character import Body, Character, Joint
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3
from poise.motion import Clip, Sampler, Travel


@pytest.fixture
def figure() -> Character:
    return Character(
        "figure",
        [
            Body("hips", None, Joint.free(), (0, 0, 1)),
            Body("arm", "hips", Joint.ball(), (0, 0.2, 0.4)),
            Body("forearm", "arm", Joint.hinge((0, 0, 1)), (0, 0.3, 0)),
        ],
    )


def analytic(figure: Character, t: np.ndarray) -> np.ndarray:
    v = np.stack([np.sin((1 + 0.3 * k) * 3 * t + k) for k in range(figure.nv)], axis=-1)
    return figure.manifold.plus(figure.rest_pose(), 0.6 * v)


def test_frames_are_met_bit_for_bit(figure):
    clip = Clip(figure, analytic(figure, np.arange(40) / 30), "30000/1001")
    assert clip.rate == Fraction(30000, 1001)
    np.testing.assert_array_equal(clip.at(clip.times), clip.q)
    np.testing.assert_array_equal(clip.at(clip.times[7]), clip.q[7])


def test_velocity_is_continuous_and_is_the_derivative(figure):
    clip = Clip(figure, analytic(figure, np.arange(40) / 30), 30)
    t = np.linspace(0.05, 1.2, 321) + 1e-3
    step = 1e-6
    numeric = figure.manifold.minus(clip.at(t + step), clip.at(t - step)) / (2 * step)
    np.testing.assert_allclose(clip.sampler.velocity(t), numeric, atol=1e-7)
    frame = clip.times[5]
    before, after = clip.sampler.velocity(frame - 1e-9), clip.sampler.velocity(frame + 1e-9)
    np.testing.assert_allclose(before, after, atol=1e-5)
    np.testing.assert_allclose(clip.sampler.velocity(clip.times), clip.velocity, atol=1e-12)


def test_cubic_evaluation_converges_with_third_order(figure):
    errors = []
    for rate in (15, 30, 60):
        clip = Clip(figure, analytic(figure, np.arange(2 * rate + 1) / rate), rate)
        t = np.linspace(0.5, 1.5, 257)
        errors.append(np.abs(figure.manifold.minus(clip.at(t), analytic(figure, t))).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 2.8).all(), orders


def test_linear_and_step_methods(figure):
    clip = Clip(figure, analytic(figure, np.arange(10) / 30), 30)
    half = Sampler(clip, "linear").configuration(0.5 / 30)
    expected = figure.manifold.interpolate(clip.q[0], clip.q[1], 0.5)
    np.testing.assert_allclose(half, expected, atol=1e-15)
    np.testing.assert_array_equal(Sampler(clip, "step").configuration(1.9 / 30), clip.q[1])
    with pytest.raises(UnknownNameError, match="cubic"):
        Sampler(clip, "qubic")


def test_ends_are_held(figure):
    clip = Clip(figure, analytic(figure, np.arange(10) / 30), 30)
    np.testing.assert_array_equal(clip.at([-1.0, 9.0]), clip.q[[0, -1]])
    np.testing.assert_array_equal(clip.sampler.velocity([-1.0, 9.0]), 0)
    one = Clip(figure, [figure.rest_pose()], 30)
    np.testing.assert_array_equal(one.at([0.0, 5.0]), one.q[[0, 0]])
    assert one.duration == 0


def test_a_loop_that_turns_walks_in_a_circle(figure):
    # One cycle goes forward 1 m and turns 60°: after six the figure is back where it began.
    frames = 20
    t = np.arange(frames) / frames
    q = np.tile(figure.rest_pose(), (frames, 1))
    yaw = np.radians(60) * t
    radius = 1.0
    q[:, 0], q[:, 1] = radius * np.sin(yaw), radius * (1 - np.cos(yaw))
    q[:, 3:7] = so3.exp(np.stack([0 * yaw, 0 * yaw, yaw], axis=-1))
    turn = np.radians(60)
    travel = Travel((radius * np.sin(turn), radius * (1 - np.cos(turn)), 0.0), turn)
    loop = Clip(figure, q, frames, loop=True, travel=travel)
    assert loop.duration == 1.0
    times = np.linspace(-3, 9, 193)
    got, angle = loop.at(times), turn * times
    np.testing.assert_allclose(got[:, 0], radius * np.sin(angle), atol=5e-6)
    np.testing.assert_allclose(got[:, 1], radius * (1 - np.cos(angle)), atol=5e-6)
    np.testing.assert_allclose(figure.manifold.minus(loop.at(6.25), loop.at(0.25)), 0, atol=1e-12)
    speed = np.linalg.norm(loop.sampler.velocity(times)[:, :3], axis=1)
    np.testing.assert_allclose(speed, radius * turn, rtol=1e-3)
    step = 1e-6
    for seam in (0.0, 1.0, 4.0):  # velocity turns with the path across every seam
        numeric = figure.manifold.minus(loop.at(seam + step), loop.at(seam - step)) / (2 * step)
        np.testing.assert_allclose(loop.sampler.velocity(seam), numeric, atol=1e-5)


@pytest.mark.parametrize(
    ("q", "rate", "message"),
    [
        (np.zeros((0, 12)), 30, "at least one frame"),
        (np.zeros((3, 5)), 30, "shape"),
        (np.full((2, 12), np.nan), 30, "finite"),
        (np.zeros((2, 12)), 30, "frame 0: rotation 0"),
        (None, 0, "positive"),
        (None, "fast", "positive number"),
    ],
)
def test_bad_clips_are_refused_with_a_reason(figure, q, rate, message):
    q = [figure.rest_pose()] if q is None else q
    with pytest.raises(InputError, match=message):
        Clip(figure, q, rate)


def test_clips_are_frozen(figure):
    clip = Clip(figure, [figure.rest_pose()] * 3, 30)
    with pytest.raises(ValueError, match="read-only"):
        clip.q[0, 0] = 1
    with pytest.raises(InputError, match="finite"):
        clip.at(np.nan)


def test_a_frame_that_is_not_unit_changes_no_other(figure):
    """Frames that are unit to rounding keep their bits, whatever stands beside them."""
    q = np.tile(figure.rest_pose(), (9, 1))
    q[:, 3] = 1 + 1e-15
    q[4, 3] = 1.01
    kept = Clip(figure, q, 30).q
    assert (np.delete(kept, 4, axis=0)[:, 3] == 1 + 1e-15).all()
    assert kept[4, 3] == 1.0


def test_a_forgotten_clip_is_gone_at_once():
    clip = clips.get("walk").with_q(np.array(clips.get("walk").q))
    clip.at(0.1)
    gone = weakref.ref(clip)
    gc.disable()  # a circle would wait for the collector, with all its frames
    try:
        del clip
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("far", [1e20, -1e300])
def test_nobody_walks_so_far_away(figure, far):
    """Where a metre is less than rounding there is nothing to see, to check or to solve."""
    q = np.tile(figure.rest_pose(), (5, 1))
    q[3, 0] = far
    with pytest.raises(InputError, match=r"q holds .* at index \(3, 0\)"):
        Clip(figure, q, 30)
