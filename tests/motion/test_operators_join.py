"""Joining: continuity of pose and velocity, alignment on the ground, what stays untouched."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from motion_cases import (
    CHARACTERS,
    analytic,
    apart,
    biped,
    crane,
    left_velocity,
    polynomial,
    right_velocity,
    sampled,
    walker,
)

from poise import clips
from poise.character import Body, Character, Joint
from poise.errors import InputError
from poise.kinematics import forward
from poise.manifold import so3
from poise.motion import Clip, Travel
from poise.motion.operators import join, unroll
from poise.motion.operators.join import _smoothest_above, lowest
from poise.motion.operators.offset import decaying, departing_rate
from poise.motion.operators.spots import spots

operators_join = import_module("poise.motion.operators.join")  # the name itself is the function's


class TestContinuity:
    @pytest.mark.parametrize("name", CHARACTERS)
    @pytest.mark.parametrize("align", [True, False])
    def test_no_jump_in_velocity_where_frames_say_it_exactly(self, name, align):
        """Quadratics: differences over frames are exact, and so must be the junction."""
        character = CHARACTERS[name]()
        manifold = character.manifold
        a = sampled(character, polynomial(character, 1), 240, 121)
        b = sampled(character, polynomial(character, 2), 240, 121)
        joined = join(a, b, 0.25, align=align)
        np.testing.assert_array_equal(joined.q[:121], a.q)
        before = left_velocity(manifold, joined.q[:121], joined.dt)
        after = right_velocity(manifold, joined.q[120:], joined.dt)
        lines = manifold.line_slots[1]
        assert np.abs(before - after)[lines].max() < 1e-9
        # Turned by an offset about another axis is no polynomial: what is left is the differences' error.
        assert np.abs(before - after).max() < 1e-6

    def test_the_jump_vanishes_with_the_frame_rate(self):
        character = biped()
        first, second = analytic(character, 1), analytic(character, 2)
        jumps = []
        for rate in (60, 120, 240):
            a, b = (sampled(character, m, rate, rate + 1) for m in (first, second))
            q = join(a, b, 0.4).q
            v = [
                left_velocity(character.manifold, q[: rate + 1], 1 / rate),
                right_velocity(character.manifold, q[rate:], 1 / rate),
            ]
            jumps.append(np.abs(v[1] - v[0]).max())
        assert jumps[1] < jumps[0] / 3
        assert jumps[2] < jumps[1] / 3

    def test_the_offset_has_the_promised_derivatives(self, rng):
        value, rate = rng.normal(size=(2, 4))
        span = 0.3
        t = np.linspace(0, span, 6)
        quintic = [np.polynomial.Polynomial.fit(t, w, 5) for w in decaying(value, rate, span, t).T]  # exact
        for k, w in enumerate(quintic):
            ends = np.array([[w.deriv(d)(at) if d else w(at) for d in range(3)] for at in (0.0, span)])
            np.testing.assert_allclose(ends, [[value[k], rate[k], 0], [0, 0, 0]], atol=1e-9)
        assert np.all(decaying(value, rate, span, np.array([span, 5.0])) == 0)

    def test_the_departing_rate_gives_the_wanted_velocity(self, rng):
        """Against central differences of q(t) ⊕ w(t)."""
        manifold = biped().manifold
        q, w, v, wanted = manifold.random(rng), *rng.normal(size=(3, manifold.nv))
        rate = departing_rate(manifold, w, v, wanted)
        h = 1e-5
        steps = [manifold.plus(manifold.plus(q, s * h * v), w + s * h * rate) for s in (-1, 1)]
        here = manifold.plus(q, w)
        got = (manifold.minus(steps[1], here) - manifold.minus(steps[0], here)) / (2 * h)
        np.testing.assert_allclose(got, wanted, atol=1e-8)


class TestAlignment:
    def test_b_starts_where_a_ends_facing_the_same_way(self):
        """A straight walk, turned and far away, continues the walk exactly."""
        character = biped()
        walk = np.tile(character.rest_pose(), (61, 1))
        walk[:, 0] = np.arange(61) / 60
        a = Clip(character, walk, 60)
        elsewhere = Travel((5, -7, 0), 2.2).apply(character, walk, 1)
        joined = join(a, Clip(character, elsewhere, 60), 0.3)
        assert joined.frames == 121
        assert joined.duration == 2.0
        expected = np.tile(character.rest_pose(), (121, 1))
        expected[:, 0] = np.arange(121) / 60
        assert apart(character, joined.q, expected) < 1e-12

    def test_heights_and_leaning_are_blended_not_carried_along(self):
        character = biped()
        a = Clip(character, np.tile(character.rest_pose(), (31, 1)), 30)
        pose = character.rest_pose()
        pose[2] += 0.5
        pose[3:7] = so3.multiply(so3.exp([0, 0, 1.0]), so3.exp([0.0, 0.4, 0]))
        b = Clip(character, np.tile(pose, (31, 1)), 30)
        joined = join(a, b, 0.5)
        assert joined.q[-1, 2] == pytest.approx(pose[2])
        # What is left of b's rotation after the best turn about the vertical is the lean.
        np.testing.assert_allclose(so3.log(joined.q[-1, 3:7]), [0, 0.4, 0], atol=1e-12)
        np.testing.assert_allclose(joined.q[-1, :2], 0, atol=1e-12)
        rising = np.diff(joined.q[:, 2])
        assert (rising > -1e-15).all()

    def test_planar_roots_move_along_x_only(self):
        character = walker()
        a, b = (sampled(character, analytic(character, s), 30, 31) for s in (1, 2))
        joined = join(a, b, 0.3)
        np.testing.assert_allclose(joined.q[45:, 1:], b.q[15:, 1:], atol=1e-14)
        offset = joined.q[45:, 0] - b.q[15:, 0]
        np.testing.assert_allclose(offset, a.q[-1, 0] - b.q[0, 0], atol=1e-12)


class TestWhatStays:
    def test_frames_after_the_transition_are_bs_own(self):
        character = crane()
        a, b = (sampled(character, analytic(character, s), 30, 31) for s in (1, 2))
        joined = join(a, b, 0.3)
        np.testing.assert_array_equal(joined.q[30 + 9 :], b.q[9:])
        assert apart(character, joined.q[38], b.q[8]) > 1e-6

    def test_a_continued_motion_is_not_changed(self):
        character = biped()
        whole = sampled(character, polynomial(character, 4), 60, 121)
        joined = join(whole.with_q(whole.q[:61]), whole.with_q(whole.q[60:]), 0.5)
        assert apart(character, joined.q, whole.q) < 1e-9

    def test_a_hard_cut(self):
        character = crane()
        a, b = (sampled(character, analytic(character, s), 30, 31) for s in (1, 2))
        np.testing.assert_array_equal(join(a, b, 0).q, np.concatenate([a.q, b.q[1:]]))

    def test_a_transition_longer_than_b_ends_with_b(self):
        character = crane()
        a, b = (sampled(character, analytic(character, s), 30, 7) for s in (1, 2))
        joined = join(a, b, 5.0)
        assert joined.frames == 13
        np.testing.assert_array_equal(joined.q[-1], b.q[-1])

    def test_one_frame_is_a_pose_to_reach(self):
        character = crane()
        a = sampled(character, analytic(character, 1), 30, 31)
        pose = Clip(character, character.rest_pose()[None], 30)
        joined = join(a, pose, 0.4)
        assert joined.frames == 31 + 12
        np.testing.assert_array_equal(joined.q[-1], pose.q[0])
        both = join(pose, pose, 0.1)
        assert apart(character, both.q, pose.q) < 1e-15

    def test_names_rates_and_loops(self):
        character = biped()
        a = sampled(
            character, analytic(character, 1), 30, 30, loop=True, name="walk", travel=Travel((1, 0, 0), 0.3)
        )
        b = sampled(character, analytic(character, 2), 60, 61, name="jump")
        joined = join(a, b, 0.3)
        assert (joined.name, joined.rate, joined.loop, joined.frames) == ("walk + jump", 30, False, 61)
        assert apart(character, joined.q[:31], unroll(a).q) < 1e-14
        assert joined.travel.still


def test_errors():
    character = crane()
    clip = sampled(character, analytic(character), 30, 9)
    other = Character("other", [Body("base", None, Joint.fixed()), Body("boom", "base", Joint.ball())])
    with pytest.raises(InputError, match="'other' has no 'hook'"):
        join(clip, sampled(other, analytic(other), 30, 3))
    hinged = Character(
        "hinged", [*character.bodies[:2], character.bodies[2].replaced(joint=Joint.slide((0, 1, 0)))]
    )
    with pytest.raises(InputError, match="'hook' differ"):
        join(clip, sampled(hinged, analytic(hinged), 30, 3))
    with pytest.raises(InputError, match="transition"):
        join(clip, clip, -0.1)


class TestFloor:
    """Legs half-way between two poses are not as long as in either: the root is raised in their place."""

    @pytest.mark.parametrize(
        ("first", "second", "transition"),
        [("walk", "wave", 0.4), ("walk", "wave", 1.0), ("walk", "run", 0.3), ("jump", "walk", 0.3)],
    )
    def test_feet_stay_above_the_floor(self, first, second, transition, monkeypatch):
        a, b = (clips.get(n) for n in (first, second))
        a, b = (unroll(c, 2) if c.loop else c for c in (a, b))
        joined = join(a, b, transition)
        monkeypatch.setattr(operators_join, "lifted", lambda character, q, level, dt: q)
        plain = join(a, b, transition)
        level = min(lowest(c.character, c.q).min() for c in (a, b))
        before, after = (level - lowest(c.character, c.q).min() for c in (plain, joined))
        assert before > 0.02, "there is something to mend"
        assert after < 0.01
        # Only the height of the root differs, only in the transition, and without a jerk.
        differs = np.flatnonzero(np.any(plain.q != joined.q, axis=0))
        assert differs.tolist() == [2]
        changed = np.flatnonzero(plain.q[:, 2] != joined.q[:, 2])
        assert changed.min() >= a.frames
        assert changed.max() < a.frames - 1 + transition * a.fps
        lift = (joined.q - plain.q)[:, 2]
        assert (lift >= 0).all()
        assert np.abs(np.diff(lift, 2)).max() * a.fps**2 < 20.0

    def test_what_does_not_sink_keeps_its_bits(self, monkeypatch):
        wave = clips.get("wave")  # stands all the time
        joined = join(wave, wave, 0.3)
        monkeypatch.setattr(operators_join, "lifted", lambda character, q, level, dt: q)
        np.testing.assert_array_equal(joined.q, join(wave, wave, 0.3).q)

    @pytest.mark.parametrize("name", CHARACTERS)
    def test_spots_are_where_kinematics_has_them(self, name, rng):
        character = CHARACTERS[name]()
        q = character.manifold.random(rng, 5)
        names, places = spots(character, q)
        positions, rotations, _ = forward(character, q)
        for i, point in enumerate(names):
            body, at = character.point(point)
            wanted = positions[:, body] + rotations[:, body] @ at
            np.testing.assert_allclose(places[:, i], wanted, atol=1e-12)

    def test_the_lift_is_the_least_bent(self, rng):
        """Against a general solver of the same problem."""
        from scipy.optimize import LinearConstraint, minimize

        least = np.maximum(0.0, 0.03 * rng.normal(size=12))
        ours = _smoothest_above(least)
        bend = np.diff(np.eye(12, 16, k=2), n=2, axis=1).T
        found = minimize(
            lambda x: 0.5 * np.sum((bend @ x) ** 2) * 1e4,
            least + 0.01,
            jac=lambda x: bend.T @ bend @ x * 1e4,
            constraints=LinearConstraint(np.eye(12), least, np.inf),
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-14},
        )
        assert (ours >= least).all()
        assert np.sum((bend @ ours) ** 2) <= np.sum((bend @ found.x) ** 2) * (1 + 1e-6) + 1e-14
