"""Clip ⊕ curve: the group law, velocities against differences, loops, untouched bits."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Body, Character, Joint, JointKind
from poise.curves import BSpline, CompactBells, GaussianBells, Linear, TangentCurve
from poise.errors import InputError
from poise.manifold import so3
from poise.motion import Clip, Travel
from poise.motion.edit import apply, configuration, displacement, velocity

RATE = 30
FRAMES = 60


def character(root: JointKind) -> Character:
    return Character(
        "two limbs",
        [
            Body("root", None, Joint(root)),
            Body("shoulder", "root", Joint(JointKind.BALL)),
            Body("elbow", "shoulder", Joint(JointKind.HINGE)),
            Body("wrist", "elbow", Joint(JointKind.BALL)),
        ],
    )


def smooth_clip(root: JointKind, *, loop: bool = False) -> Clip:
    figure = character(root)
    phase = 2 * np.pi * np.arange(FRAMES) / FRAMES
    wave = np.stack([np.sin((1 + d % 2) * phase + d) for d in range(figure.nv)], axis=1)
    q = figure.manifold.plus(figure.manifold.neutral(), 0.9 * wave)
    travel = Travel((0.7, 0.1, 0.0), 0.4) if loop else None
    return Clip(figure, q, RATE, loop=loop, travel=travel)


def big_curve(clip: Clip, rng: np.random.Generator) -> TangentCurve:
    basis = BSpline.uniform(0.0, clip.duration, 0.3, ends="periodic" if clip.loop else "free")
    return TangentCurve(basis, rng.normal(size=(basis.size, clip.character.nv)))


CASES = [(JointKind.FREE, False), (JointKind.FREE, True), (JointKind.PLANAR, False), (JointKind.BALL, False)]
every_case = pytest.mark.parametrize("root, loop", CASES)


@every_case
def test_the_edit_is_what_minus_measures(root: JointKind, loop: bool, rng: np.random.Generator) -> None:
    clip = smooth_clip(root, loop=loop)
    curve = 0.5 * big_curve(clip, rng)
    edited = apply(curve, clip)
    measured = clip.character.manifold.minus(edited.q, clip.q)
    np.testing.assert_allclose(measured, curve.evaluate(clip.times), atol=1e-12)
    assert edited.rate == clip.rate
    assert edited.loop == clip.loop


@every_case
def test_velocity_agrees_with_differences(root: JointKind, loop: bool, rng: np.random.Generator) -> None:
    clip = smooth_clip(root, loop=loop)
    curve = big_curve(clip, rng)
    manifold = clip.character.manifold
    times = rng.uniform(0.1, clip.duration - 0.1, 50)
    if loop:
        times = np.concatenate([times, times - 2 * clip.duration, times + 3 * clip.duration])
    h = 1e-5
    here = configuration(curve, clip, times)
    ahead = manifold.minus(configuration(curve, clip, times + h), here)
    behind = manifold.minus(configuration(curve, clip, times - h), here)
    exact = velocity(curve, clip, times)
    np.testing.assert_allclose(exact, (ahead - behind) / (2 * h), atol=2e-7 * np.abs(exact).max())
    # Neither of the two easy mistakes would pass: adding rates, or forgetting to turn ω.
    naive = clip.sampler.velocity(times) + displacement(curve, clip, times, 1)
    assert np.abs(naive - exact).max() > 0.1


@every_case
def test_velocity_at_frames_is_that_at_their_times(
    root: JointKind, loop: bool, rng: np.random.Generator
) -> None:
    clip = smooth_clip(root, loop=loop)
    curve = big_curve(clip, rng)
    np.testing.assert_allclose(velocity(curve, clip), velocity(curve, clip, clip.times), atol=1e-10)
    np.testing.assert_allclose(configuration(curve, clip, clip.times), apply(curve, clip).q, atol=1e-14)


def test_a_constant_turn_turns_the_body_axes() -> None:
    """exp(−f) alone: a body spinning about its x axis, re-labelled by a quarter turn about z."""
    figure = Character("ball", [Body("root", None, Joint(JointKind.BALL))])
    times = np.arange(30) / 30
    spin = so3.exp(np.stack([2.0 * times, 0 * times, 0 * times], axis=1))
    clip = Clip(figure, spin, 30)
    quarter = TangentCurve(Linear([0.0, 1.0]), np.tile([0.0, 0.0, np.pi / 2], (2, 1)))
    np.testing.assert_allclose(velocity(quarter, clip), np.tile([0.0, -2.0, 0.0], (30, 1)), atol=1e-10)


def test_what_is_not_moved_keeps_its_bits(rng: np.random.Generator) -> None:
    clip = smooth_clip(JointKind.FREE)
    nv = clip.character.nv
    mask = np.zeros(nv, dtype=bool)
    mask[6:9] = True  # the shoulder
    curve = TangentCurve(CompactBells([1.0], 0.5), rng.normal(size=(1, nv)), mask)
    edited = apply(curve, clip)
    assert np.array_equal(edited.q[:, :7], clip.q[:, :7])
    assert np.array_equal(edited.q[:, 11:], clip.q[:, 11:])
    outside = (clip.times <= 0.75) | (clip.times >= 1.25)
    assert edited.q[outside].tobytes() == clip.q[outside].tobytes()
    assert (edited.q[~outside, 7:11] != clip.q[~outside, 7:11]).any(axis=1).all()
    assert np.array_equal(apply(TangentCurve.zero(curve.basis, nv), clip).q, clip.q)


def test_loops_repeat_their_edit_and_travel_on(rng: np.random.Generator) -> None:
    clip = smooth_clip(JointKind.FREE, loop=True)
    curve = big_curve(clip, rng)
    edited = apply(curve, clip)
    for cycle in (-1, 1, 4):
        times = clip.times + cycle * clip.duration
        difference = clip.character.manifold.minus(configuration(curve, clip, times), edited.at(times))
        np.testing.assert_allclose(difference, 0.0, atol=1e-12)


def test_the_start_of_a_cycle_is_not_lost_to_rounding() -> None:
    clip = smooth_clip(JointKind.FREE, loop=True)
    ramp = TangentCurve(Linear([0.0, clip.duration]), np.outer([1.0, 5.0], np.ones(clip.character.nv)))
    just_before = np.nextafter(3 * clip.duration, 0.0)
    np.testing.assert_allclose(displacement(ramp, clip, [just_before]), 1.0)


def test_a_bell_at_the_seam_wraps_when_asked() -> None:
    clip = smooth_clip(JointKind.FREE, loop=True)
    bell = TangentCurve(GaussianBells([0.0], 0.8), np.full((1, clip.character.nv), 0.3))
    wrapped = displacement(bell, clip, clip.times, wrap=True)
    np.testing.assert_allclose(wrapped[1:], wrapped[:0:-1], atol=1e-12)  # even about the seam
    assert wrapped[-1].min() > 0.25
    assert not displacement(bell, clip, clip.times)[-1].any()
    rate = displacement(bell, clip, clip.times, 1, wrap=True)
    np.testing.assert_allclose(rate[1:], -rate[:0:-1], atol=1e-12)
    edited = apply(bell, clip, wrap=True)
    np.testing.assert_allclose(clip.character.manifold.minus(edited.q, clip.q), wrapped, atol=1e-12)
    wide = TangentCurve(GaussianBells([0.0], 6.0), np.ones((1, clip.character.nv)))  # four cycles and more
    times = clip.times[:5]
    images = sum(wide.evaluate(times + k * clip.duration) for k in range(-6, 7))
    np.testing.assert_allclose(displacement(wide, clip, times, wrap=True), images, atol=1e-12)


def test_a_held_end_can_still_be_edited() -> None:
    clip = smooth_clip(JointKind.PLANAR)
    bell = TangentCurve(CompactBells([clip.duration + 1.0], 1.0), np.full((1, clip.character.nv), 0.2))
    after = np.array([clip.duration + 0.9])
    moved = clip.character.manifold.minus(configuration(bell, clip, after), clip.q[-1:])
    np.testing.assert_allclose(moved, bell.evaluate(after), atol=1e-14)


def test_curves_that_do_not_fit_are_refused() -> None:
    clip = smooth_clip(JointKind.FREE, loop=True)
    with pytest.raises(InputError, match="the curve moves 3 degrees of freedom, 'two limbs' has 13"):
        apply(TangentCurve.zero(Linear([0.0, 1.0]), 3), clip)
    with pytest.raises(InputError, match="whole number of periods"):
        apply(TangentCurve.zero(Linear([0.0, 1.5], ends="periodic"), 13), clip)
    apply(TangentCurve.zero(Linear([0.0, 0.5], ends="periodic"), 13), clip)
