"""Mirroring: reflected world positions, involution, partners, rejection of what is not symmetric."""

from __future__ import annotations

import numpy as np
import pytest
from motion_cases import analytic, apart, biped, crane, forward, sampled, walker

from poise.character import Body, Character, Joint
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3
from poise.motion import Clip, Travel
from poise.motion.operators import mirror, mirror_pairs, place, unroll
from poise.motion.operators.symmetry import find_symmetry


def reflected(character, q, plane):
    """Positions of the partners reflected: what mirrored positions must be."""
    partner = mirror_pairs(character)
    x, _ = forward(character, q)
    return x[:, partner] * (1.0 - 2.0 * np.eye(3)["xyz".index(plane)])


class TestReflection:
    @pytest.mark.parametrize("plane", ["x", "y"])
    def test_joints_are_where_the_mirror_shows_them(self, plane):
        """All joint kinds, on frames of left and right that are not mirror images of one another."""
        character = biped()
        clip = sampled(character, analytic(character, 21, size=0.8), 30, 31)
        x, r = forward(character, mirror(clip, plane).q)
        np.testing.assert_allclose(x, reflected(character, clip.q, plane), atol=1e-12)
        assert np.abs(np.linalg.det(r) - 1).max() < 1e-12

    def test_bodies_look_mirrored(self):
        """A point fixed to a body, and its counterpart on the partner, stay mirror images of one another."""
        character = biped()
        clip = sampled(character, analytic(character, 22), 30, 11)
        x, r = forward(character, clip.q)
        y, s = forward(character, mirror(clip).q)
        rest_x, rest_r = character.rest_placement()
        flip = np.diag([1.0, -1.0, 1.0])
        for i, k in enumerate(mirror_pairs(character)):
            point = np.array([0.1, 0.2, -0.3])
            rest_point = flip @ (rest_x[i] + rest_r[i] @ point)
            other = rest_r[k].T @ (rest_point - rest_x[k])  # the counterpart, in the partner's frame
            np.testing.assert_allclose(
                y[:, k] + s[:, k] @ other, (x[:, i] + r[:, i] @ point) @ flip, atol=1e-12
            )

    def test_twice_is_the_clip(self):
        for character in (biped(), walker()):
            clip = sampled(character, analytic(character, 23), 30, 21)
            assert apart(character, mirror(mirror(clip)).q, clip.q) < 1e-13
        np.testing.assert_array_equal(mirror(mirror(clip)).q, clip.q)  # no frames to relate: the bits

    def test_a_character_that_faces_elsewhere_at_rest(self):
        """Its plane of symmetry is found, whatever the way it faces."""
        turn = so3.exp([0.0, 0.0, 0.6])
        bodies = list(biped().bodies)
        bodies[0] = bodies[0].replaced(rest=turn, offset=(3.0, 1.0, 1.0))
        character = Character("turned", bodies)
        clip = sampled(character, analytic(character, 24), 30, 11)
        np.testing.assert_allclose(
            forward(character, mirror(clip).q)[0], reflected(character, clip.q, "y"), atol=1e-12
        )
        np.testing.assert_allclose(
            np.abs(find_symmetry(character).normal), [np.sin(0.6), np.cos(0.6), 0], atol=1e-12
        )

    def test_loops_keep_on_travelling_on_the_other_side(self):
        character = biped()
        clip = sampled(
            character, analytic(character, 25), 30, 10, loop=True, travel=Travel((0.5, 0.2, 0.0), 0.4)
        )
        a, b = unroll(mirror(clip), 4), mirror(unroll(clip, 4))
        assert apart(character, a.q, b.q) < 1e-12

    def test_planar_characters_swap_legs_and_keep_their_way(self):
        character = walker()
        clip = sampled(character, analytic(character, 26), 30, 10)
        mirrored = mirror(clip)
        np.testing.assert_array_equal(mirrored.q[:, :3], clip.q[:, :3])
        np.testing.assert_array_equal(mirrored.q[:, 3:5], clip.q[:, 5:7])
        np.testing.assert_allclose(
            forward(character, mirrored.q)[0], reflected(character, clip.q, "y"), atol=1e-13
        )
        with pytest.raises(InputError, match=r'planar.*mirror it in plane="y"'):
            mirror(clip, "x")

    def test_fixed_roots_are_mirrored_in_their_own_plane(self):
        character = crane()  # stands at y = 0.25
        clip = sampled(character, analytic(character, 27), 30, 10)
        x = forward(character, mirror(clip).q)[0]
        expected = forward(character, clip.q)[0] * [1, -1, 1] + [0, 0.5, 0]
        np.testing.assert_allclose(x, expected, atol=1e-13)
        with pytest.raises(InputError, match="fixed in place"):
            mirror(clip, "x")

    def test_a_planar_joint_away_from_the_root(self):
        bodies = [
            Body("root", None, Joint.free(), offset=(0, 0, 1)),
            Body("cart", "root", Joint.planar(), offset=(0.2, 0, 0.1)),
        ]
        character = Character("carrier", [*bodies, Body("mast", "cart", Joint.ball(), offset=(0, 0, 0.5))])
        clip = sampled(character, analytic(character, 28), 30, 10)
        np.testing.assert_allclose(
            forward(character, mirror(clip).q)[0], reflected(character, clip.q, "y"), atol=1e-12
        )

    def test_mirror_commutes_with_placing_the_mirrored_way(self):
        character = biped()
        clip = sampled(character, analytic(character, 29), 30, 5)
        a = mirror(place(clip, (1, 2, 0), 0.7))
        b = place(mirror(clip), (1, -2, 0), -0.7)
        assert apart(character, a.q, b.q) < 1e-12


class TestPartners:
    def named(self, pairs, *, sides=False):
        bodies = [Body("root", None, Joint.free())]
        for left, right in pairs:
            for name, y in ((left, 0.1), (right, -0.1)):
                side = ("left" if y > 0 else "right") if sides else "centre"
                bodies.append(Body(name, "root", Joint.ball(), offset=(0, y, len(bodies)), side=side))
        return Character("named", bodies)

    @pytest.mark.parametrize(
        "pair",
        [
            ("LeftArm", "RightArm"),
            ("mixamorig:LeftUpLeg", "mixamorig:RightUpLeg"),
            ("arm_l", "arm_r"),
            ("upperarm.L", "upperarm.R"),
            ("upperarm.L.001", "upperarm.R.001"),
            ("L_Thigh", "R_Thigh"),
            ("LHipJoint", "RHipJoint"),
            ("lfemur", "rfemur"),
            ("handL", "handR"),
            ("left_toe_left", "right_toe_right"),
            ("LEFT HAND", "RIGHT HAND"),
            ("b_l_calf", "b_r_calf"),
        ],
    )
    def test_names(self, pair):
        assert list(mirror_pairs(self.named([pair]))) == [0, 2, 1]

    def test_middle_bodies_are_their_own(self):
        character = Character(
            "spine",
            [
                Body("root", None, Joint.free()),
                Body("lower_back", "root", Joint.ball()),
                Body("collar", "lower_back", Joint.ball()),
                Body("rib", "collar", Joint.ball()),
            ],
        )
        assert list(mirror_pairs(character)) == [0, 1, 2, 3]

    def test_labels_without_names_go_by_the_tree(self):
        assert list(mirror_pairs(self.named([("foo", "bar")], sides=True))) == [0, 2, 1]

    def test_a_lost_partner_is_named(self):
        character = Character(
            "hook", [Body("root", None, Joint.free()), Body("hook", "root", Joint.ball(), side="left")]
        )
        with pytest.raises(InputError, match="no body is the mirror partner of 'hook'"):
            mirror_pairs(character)

    def test_other_joints_or_parents_are_named(self):
        bodies = [
            Body("root", None, Joint.free()),
            Body("arm_l", "root", Joint.ball(), offset=(0, 1, 0)),
            Body("arm_r", "root", Joint.hinge((0, 1, 0)), offset=(0, -1, 0)),
        ]
        with pytest.raises(InputError, match=r"'arm_l' and 'arm_r'.*ball and hinge"):
            mirror_pairs(Character("c", bodies))
        bodies[2] = Body("arm_r", "arm_l", Joint.ball(), offset=(0, -1, 0))
        with pytest.raises(InputError, match="hang from 'root' and 'arm_l'"):
            mirror_pairs(Character("c", bodies))


class TestRejection:
    def test_limbs_of_unequal_length(self):
        character = biped(lopsided=0.1)
        clip = Clip(character, character.rest_pose()[None], 30)
        with pytest.raises(InputError, match=r"not symmetric: .*'LeftForeArm'.* cm off 'RightForeArm'"):
            mirror(clip)
        mirror(clip, tolerance=0.2)

    def test_axes_that_do_not_match(self):
        character = biped(lame_axis=True)
        clip = Clip(character, character.rest_pose()[None], 30)
        with pytest.raises(InputError, match=r"'LeftForeArm' and 'RightForeArm'.*axes of their hinge"):
            mirror(clip)

    def test_planes(self):
        character = crane()
        with pytest.raises(UnknownNameError, match="x, y"):
            mirror(Clip(character, character.rest_pose()[None], 30), "z")
