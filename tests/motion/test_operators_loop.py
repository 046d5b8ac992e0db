"""Making loops: C¹ at the seam, travel, the search for the seam, bits of authored cycles."""

from __future__ import annotations

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
)

from poise import clips, formats
from poise.character import Body, Character, Joint
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3
from poise.motion import Clip, Travel
from poise.motion.operators import loop, trim, unroll


def seam_velocities(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Velocity at the seam from the left and from the right, by differences over six frames each."""
    long = trim(clip, frames=(-10, 10)).q
    manifold = clip.character.manifold
    return left_velocity(manifold, long[:11], clip.dt), right_velocity(manifold, long[10:], clip.dt)


class TestSeam:
    @pytest.mark.parametrize("name", CHARACTERS)
    def test_velocity_agrees_where_frames_say_it_exactly(self, name):
        """Quadratics with a large gap: one-sided differences at the ends are exact, the quintic too."""
        character = CHARACTERS[name]()
        clip = sampled(character, polynomial(character, 3), 120, 121)
        cycle = loop(clip, span=0.4, force=True)
        assert cycle.loop
        assert cycle.frames == 120
        left, right = seam_velocities(cycle)
        lines = character.manifold.line_slots[1]
        assert np.abs(left - right)[lines].max() < 1e-9
        # Offset and motion turn about different axes: the differences themselves err at this rate.
        assert np.abs(left - right).max() < 1e-4

    def test_rotations_about_one_axis_agree_to_rounding(self):
        character = crane()
        angle = np.linspace(0, 1, 121)
        q = np.tile(character.rest_pose(), (121, 1))
        q[:, :4] = so3.exp(np.multiply.outer(0.8 * angle - 0.3 * angle**2, [0.6, 0.0, 0.8]))
        cycle = loop(Clip(character, q, 120), span=0.5, force=True)
        left, right = seam_velocities(cycle)
        assert np.abs(left - right).max() < 1e-9

    def test_pose_closes_and_the_middle_is_untouched(self):
        character = biped()
        clip = sampled(character, analytic(character, 5, base=0.7), 60, 121)
        cycle = loop(clip, span=0.3, force=True)
        closing = cycle.at(cycle.duration)
        start = cycle.travel.apply(character, cycle.q[0], 1)
        assert apart(character, closing, start) < 1e-14
        np.testing.assert_array_equal(cycle.q[18:103], clip.q[18:103])
        # Half of the gap on either side, neither more.
        gap = character.manifold.minus(cycle.travel.apply(character, clip.q[0], 1), clip.q[-1])
        moved = character.manifold.minus(cycle.q[0], clip.q[0])
        joints = slice(6, None)
        np.testing.assert_allclose(moved[joints], -0.5 * gap[joints], atol=1e-12)

    def test_the_jump_in_velocity_vanishes_with_the_frame_rate(self):
        character = biped()
        motion = analytic(character, 5, base=0.7)
        jumps = []
        for rate in (30, 60, 120):
            left, right = seam_velocities(loop(sampled(character, motion, rate, 2 * rate + 1), force=True))
            jumps.append(np.abs(left - right).max())
        assert jumps[1] < jumps[0] / 3
        assert jumps[2] < jumps[1] / 3

    def test_the_unrolled_loop_has_no_step_larger_than_before(self):
        """In discrete terms: no acceleration at the seam beyond what the span has to take up."""
        character = crane()
        clip = sampled(character, analytic(character, 8, base=0.8, harmonics=1), 60, 91)
        naive = clip.replaced(q=clip.q[:-1], loop=True)
        accelerations = []
        for cycle in (naive, loop(clip, force=True)):
            v = cycle.velocity
            accelerations.append(np.abs(np.roll(v, -1, axis=0) - v).max() * cycle.fps)
        assert accelerations[1] < accelerations[0] / 5


class TestTravel:
    def test_a_walk_on_a_circle_is_found_again(self):
        """Root on a circle, periodic otherwise: the travel is the circle's, the frames keep their bits."""
        character = biped()
        turn, radius, frames = 0.7, 2.0, 40
        clip = sampled(character, analytic(character, 2, base=1.0), 40, frames + 1)
        q = clip.q.copy()
        q[:, :3] *= [0, 0, 1]
        yaw = turn * np.arange(frames + 1) / frames
        circle = radius * np.stack([np.sin(yaw), 1 - np.cos(yaw), 0 * yaw], axis=1)
        about = so3.exp(np.stack([0 * yaw, 0 * yaw, yaw], axis=1))
        q[:, :3] += circle
        q[:, 3:7] = so3.multiply(about, q[0, 3:7])
        cycle = loop(Clip(character, q, 40))
        assert cycle.travel.yaw == pytest.approx(turn, abs=1e-12)
        np.testing.assert_allclose(
            cycle.travel.translation, circle[-1] - so3.rotate(about[-1], circle[0]), atol=1e-12
        )
        np.testing.assert_array_equal(cycle.q, q[:-1])
        far = unroll(cycle, 20).q[:, :2]
        np.testing.assert_allclose(np.linalg.norm(far - [0, radius], axis=1), radius, atol=1e-10)

    def test_heights_close_unless_asked_to_climb(self):
        character = biped()
        q = np.tile(character.rest_pose(), (61, 1))
        q[:, 0] = np.arange(61) / 60
        q[:, 2] += 0.3 * np.arange(61) / 60
        clip = Clip(character, q, 60)
        flat = loop(clip, force=True)
        np.testing.assert_allclose(flat.travel.translation, [1, 0, 0], atol=1e-14)
        assert abs(flat.at(flat.duration)[2] - flat.q[0, 2]) < 1e-14
        stairs = loop(clip, travel="all", force=True)
        np.testing.assert_allclose(stairs.travel.translation, [1, 0, 0.3], atol=1e-14)
        np.testing.assert_array_equal(stairs.q, q[:-1])
        still = loop(clip, travel="none", force=True)
        assert still.travel.still
        left, right = seam_velocities(still)
        assert np.abs(left - right).max() < 1e-9

    def test_planar_and_fixed_roots(self):
        walker = CHARACTERS["walker"]()
        clip = sampled(walker, analytic(walker, 3, base=0.8), 60, 61)
        cycle = loop(clip, force=True)
        assert cycle.travel.yaw == 0
        np.testing.assert_allclose(cycle.travel.translation, [clip.q[-1, 0] - clip.q[0, 0], 0, 0], atol=1e-14)
        crane = CHARACTERS["crane"]()
        assert loop(sampled(crane, analytic(crane, 3, base=0.8), 60, 61), force=True).travel.still


class TestBits:
    @pytest.mark.parametrize("name", CHARACTERS)
    @pytest.mark.parametrize("rate", [24, 120])
    def test_an_unrolled_loop_comes_back_as_it_was(self, name, rate):
        character = CHARACTERS[name]()
        drift = Travel((0.5, 0, 0))
        q = drift.apply(
            character, analytic(character, 9, harmonics=3)(np.arange(rate) / rate), np.arange(rate) / rate
        )
        cycle = Clip(character, q, rate, loop=True, travel=drift)
        again = loop(unroll(cycle))
        np.testing.assert_array_equal(again.q, cycle.q)
        if name != "crane":
            np.testing.assert_allclose(again.travel.translation, cycle.travel.translation, atol=1e-12)

    def test_but_a_kink_does_not(self):
        """A bouncing ball closes in pose, not in velocity: that is mended."""
        character = crane()
        s = np.linspace(0, 1, 61)
        q = np.tile(character.rest_pose(), (61, 1))
        q[:, 4] = 4 * s * (1 - s)
        cycle = loop(Clip(character, q, 60), span=0.25)
        left, right = seam_velocities(cycle)
        assert abs(left - right).max() < 1e-9
        assert abs(left[3]) < 1e-9  # by symmetry the mean velocity is zero

    def test_loops_and_single_frames(self):
        character = crane()
        one = Clip(character, character.rest_pose()[None], 30)
        assert loop(one).loop
        assert loop(loop(one)) is not one
        cycle = loop(one)
        assert loop(cycle) is cycle
        two = loop(Clip(character, np.tile(character.rest_pose(), (2, 1)), 30))
        assert two.frames == 1


class TestSearch:
    def test_a_cycle_is_found_in_a_longer_clip(self):
        character = biped()
        motion = analytic(character, 6, base=1.0)
        drift = Travel((0.9, 0.2, 0.0), 0.25)
        q = motion(np.arange(76) / 60)
        q = drift.apply(character, q, np.arange(76) / 60)  # periodic but for the travel
        cycle = loop(Clip(character, q, 60), search=0.25, shortest=0.8)
        assert cycle.frames == 60
        assert cycle.travel.yaw == pytest.approx(0.25, abs=1e-9)

    def test_velocity_counts(self):
        """Half a swing later the pose is the same and the velocity opposite: that is no seam."""
        character = crane()
        t = np.arange(61) / 60
        q = np.tile(character.rest_pose(), (61, 1))
        q[:, 4] = np.sin(2 * np.pi * t) + 0.02 * t
        assert loop(Clip(character, q, 60), search=0.5, shortest=0.5).frames == 60

    def test_the_shortest_period_is_respected(self):
        character = crane()
        clip = sampled(character, analytic(character, 6, base=2.0), 60, 121)
        assert loop(clip, search=2.0, shortest=0.7).frames in (60, 90, 120)
        with pytest.raises(InputError, match="no period of 3 s fits"):
            loop(clip, search=0.1, shortest=3)


def test_errors():
    character = crane()
    clip = sampled(character, analytic(character), 30, 31)
    with pytest.raises(InputError, match="at most the period, 1 s"):
        loop(clip, span=2)
    with pytest.raises(InputError, match="span"):
        loop(clip, span=0)
    with pytest.raises(InputError, match="search"):
        loop(clip, search=-1)
    with pytest.raises(UnknownNameError, match="ground, all, none"):
        loop(clip, travel="up")


class TestHonesty:
    """How large the gap was is said, and what does not repeat is refused."""

    def swing(self, gap: float, yaw: float = 0.0, height: float = 0.0) -> Clip:
        """A pendulum on a free root 1 m long that goes on by 2 m and ends ``gap`` [rad] off."""
        character = Character(
            "swing",
            [
                Body("root", None, Joint.free(), points={"mast": (0, 0, height)}),
                Body("arm", "root", Joint.hinge((0, 1, 0)), points={"tip": (0, 0, -1.0)}),
            ],
        )
        s = np.linspace(0, 1, 61)
        q = np.zeros((61, 8))
        q[:, 0], q[:, 3:7] = 2 * s, so3.exp(s[:, None] * [0, 0, yaw])
        q[:, 7] = 0.3 * np.sin(2 * np.pi * s) + gap * s
        return Clip(character, q, 60, name="swing")

    def test_the_note_says_where_and_how_much(self):
        note = loop(self.swing(0.1, yaw=0.3)).source.notes[-1]
        assert f"{200 * np.sin(0.05):.1f} cm at tip" in note
        assert "and 6° at most" in note
        assert "goes on by 2 m and turns by 17.2°" in note

    @pytest.mark.parametrize(("gap", "height"), [(0.4, 0.0), (np.radians(70), 9.0)])
    def test_what_does_not_repeat_is_refused_unless_forced(self, gap, height):
        """0.4 m of 1 m is too far; of 10 m it is not, but 70° are too many."""
        assert loop(self.swing(0.4, height=9.0)).loop
        clip = self.swing(gap, height=height)
        with pytest.raises(InputError, match=r"swing does not repeat: the end misses .* at tip .*search="):
            loop(clip)
        forced = loop(clip, force=True)
        assert forced.loop
        assert "at tip" in forced.source.notes[-1]

    def test_a_closed_cycle_needs_no_note(self):
        walk = clips.get("walk")
        assert loop(unroll(walk)).source is walk.source

    def test_a_real_walk_is_refused_whole_and_closes_where_it_meets_itself(self, shared_data):
        walk = formats.load(shared_data / "cmu_cgspeed_bvh/02_01.bvh", drop_tpose=True, mass=False)
        with pytest.raises(InputError, match="does not repeat"):
            loop(walk)
        assert "cm at" in loop(walk, search=0.4).source.notes[-1]
