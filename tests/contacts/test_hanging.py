"""Who hangs by the hands: from a bar that is there, or from something unseen."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.character.labels import roles
from poise.contacts.find import find
from poise.gravity import EARTH
from poise.manifold import so3
from poise.world import Bar, Surface, World, ground

UP = 0.6
"""Feet above the ground [m]."""


def hanging() -> tuple[poise.Clip, Surface]:
    """A figure that swings about a bar as a rigid pendulum does,  θ'' = −g d θ / (d² + k²)."""
    clip = poise.clips.get("wave")
    body = clip.character
    own = roles(body)
    q = np.array(clip.q[0])
    q[2] += UP
    for side in ("left", "right"):  # arms straight up
        span, hand = body.coordinates(own[f"{side} upper_arm"]), own[f"{side} hand"]
        turns = [so3.exp(axis * angle) for axis in np.eye(3) for angle in np.linspace(-np.pi, np.pi, 25)]
        tried = np.repeat(q[None], len(turns), axis=0)
        tried[:, span] = turns
        q = tried[body.placement(tried)[0][:, hand, 2].argmax()]
    at = body.placement(q[None])[0][0]
    bar = 0.5 * (at[own["left hand"]] + at[own["right hand"]])
    d = bar[2] - at[own["hips"], 2]
    times = np.arange(150) / 60
    angle = 0.25 * np.cos(np.sqrt(EARTH * d / (d**2 + 0.4**2)) * times)
    turn = so3.exp(angle[:, None] * [0.0, 1.0, 0.0])
    frames = np.repeat(q[None], len(times), axis=0)
    frames[:, :3] = bar + so3.rotate(turn, q[:3] - bar)
    frames[:, 3:7] = so3.multiply(turn, np.broadcast_to(q[3:7], turn.shape))
    surface = Surface("bar", Bar(3.0, 0.02), place=tuple(bar), turn=(0.0, 0.0, 0.5 * np.pi))
    return clip.with_frames(frames, None, rate=60), surface


@pytest.fixture(scope="module")
def swing():
    return hanging()


def hands_of(support):
    return {c.part: c for c in support.contacts if c.part.endswith("hand")}


def test_hands_hang_from_a_bar_that_is_given(swing):
    clip, bar = swing
    report = poise.check(clip, world=World((ground(0.0), bar))).report
    assert report.plausible, str(report)
    assert not report.questions
    hands = hands_of(report.support)
    assert {c.manner for c in hands.values()} == {"hangs"}
    assert {c.surface for c in hands.values()} == {"bar"}
    assert sum(c.load for c in hands.values()) == pytest.approx(1.0, abs=0.15)
    assert {c.part for c in report.contacts} == set(hands)
    assert np.median(report.support.unexplained) < 0.15


def test_without_the_bar_nothing_carries_it(swing):
    report = poise.check(swing[0], world=World((ground(0.0),))).report
    assert not report.plausible
    assert report.of("support")


def test_what_nobody_sees_is_asked_about(swing):
    support = find(swing[0])
    assert {c.manner for c in hands_of(support).values()} == {"hangs"}
    words = " ".join(q.words for q in poise.check(swing[0]).report.questions)
    assert "something unseen is held by the left hand" in words


def test_hands_that_hold_a_rail_beside_standing_feet_grip_it(swing):
    _, bar = swing
    clip = poise.clips.get("wave")
    body = clip.character
    hand = body.placement(clip.q)[0][0, roles(body)["left hand"]]
    rail = Surface("rail", Bar(3.0, 0.02), place=(hand[0] + 0.04, hand[1], hand[2]), turn=bar.turn)
    still = clip.with_frames(np.repeat(clip.q[:1], 60, axis=0), None)
    held = hands_of(find(still, World((ground(0.0), rail))))
    assert all(c.manner == "grips" for c in held.values())


def test_a_hand_holds_on_by_what_is_nearest(swing):
    """Palm and fingers do not wring the bar: each hand carries its half, not many times it to and fro."""
    clip, bar = swing
    found = find(clip, World((ground(0.0), bar)))
    for part in hands_of(found):
        ks = found.need.patches.of_part(part)
        assert len(ks) > 1
        assert (np.linalg.norm(found.force[:, ks], axis=2) > 1e-9).sum(axis=1).max() == 1
    assert found.load.sum(axis=1).max() < 1.5
