"""Joints that spin as no body's do: named with joint and frame, and mended where that is asked."""

import numpy as np
import pytest

import poise
from poise import clips
from poise.manifold import so3
from poise.methods.loosen.glitches import FASTEST, cleaned, spins


def spoiled(first: int, last: int, joint: str = "RightHand", angle: float = np.pi):
    """A clip whose joint is turned over from one frame to another, both included."""
    clip = clips.get("reach")
    q, here = np.array(clip.q), clip.character.coordinates(joint)
    assert here.stop - here.start == 4
    turn = so3.exp(np.array([angle, 0.0, 0.0]))
    q[first : last + 1, here] = so3.multiply(q[first : last + 1, here], turn)
    return clip, clip.with_q(q)


@pytest.fixture(name="ball")
def _ball():
    character = clips.get("reach").character
    return next(b.name for b in character.bodies if b.joint.nv == 3)


def test_flips_are_named(ball):
    clip, bad = spoiled(40, 42, ball)
    assert not spins(clip)
    (found,) = spins(bad)
    assert (found.joint, found.frame, found.last, found.flips) == (ball, 39, 43, True)
    assert found.speed == pytest.approx(np.pi * clip.fps, rel=0.1)
    warning = poise.loosen(bad, "relaxed", 0.3).report.warnings[0]
    assert f"{ball} flips at frames 39 to 43" in warning
    assert "clean" in warning


def test_fast_turns_that_are_no_flips_spin(ball):
    clip, bad = spoiled(40, 40, ball, angle=70.0 / 60)
    (found,) = spins(bad)
    assert not found.flips
    assert FASTEST < found.speed < 80
    assert clip.fps == 60


@pytest.mark.parametrize(("first", "last"), [(40, 40), (40, 43), (40, 70), (60, 10**6), (0, 2)])
def test_clean_mends(ball, first, last):
    clip, bad = spoiled(first, min(last, clips.get("reach").frames - 1), ball)
    mended = cleaned(bad)
    assert not spins(mended)
    here = clip.character.coordinates(ball)
    others = np.ones(clip.character.nq, dtype=bool)
    others[here] = False
    np.testing.assert_array_equal(mended.q[:, others], bad.q[:, others])
    far = np.abs(np.arange(clip.frames)[:, None] - [first, min(last, clip.frames)]).min(axis=1) > 20
    np.testing.assert_array_equal(mended.q[far], bad.q[far])
    loose = poise.loosen(bad, "relaxed", 0.3, clean=True)
    assert loose.report is None
    np.testing.assert_array_equal(loose.clip.q, poise.loosen(mended, "relaxed", 0.3).clip.q)


def test_what_is_sound_keeps_its_bits():
    clip = clips.get("run")
    assert cleaned(clip) is clip


def test_hits_tell_of_spins_too(ball):
    from poise.constraints import pin

    _, bad = spoiled(40, 41, ball)
    report = poise.hit(bad, pin("LeftHand", (0.3, 0.4, 1.2), 1.2), "relaxed", 0.3).report
    assert any("flips" in warning for warning in report.warnings)
