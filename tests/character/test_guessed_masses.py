"""Masses guessed from the table and from capsules."""

from __future__ import annotations

import numpy as np
import pytest
from skeletons import from_bvh, from_glb, human, skeleton

from poise.character import Body, Character, Joint, Mass
from poise.character.anthropometry import ONCE, TABLES
from poise.character.capsule_masses import DENSITY, bone_shapes
from poise.character.masses import with_guessed_masses
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3


def whole(character, names):
    """Mass, world centre and inertia of some bodies in the rest pose."""
    at, turn = character.rest_placement()
    parts = [
        character.bodies[i].mass.moved(at[i], so3.from_matrix(turn[i])) for i in map(character.index, names)
    ]
    return Mass.combined(parts)


def check_sound(character):
    parents = set(character.parents.tolist())
    for i, body in enumerate(character.bodies):
        moments = np.linalg.eigvalsh(body.mass.inertia)
        if body.mass.mass > 0 or i not in parents:
            assert body.mass.mass > 0, body.name
            assert moments[0] > 0, body.name
            assert moments[0] + moments[1] >= moments[2] * (1 - 1e-9), body.name


@pytest.mark.parametrize("sex", TABLES)
def test_table_masses_of_a_plain_human(sex):
    character = with_guessed_masses(human(), total=70.0, sex=sex)
    assert character.mass_source == "anthropometric table"
    assert character.total_mass == pytest.approx(70.0, rel=1e-13)
    check_sound(character)
    table = TABLES[sex]
    norm = sum(s.fraction * (1 if n in ONCE else 2) for n, s in table.items())
    for segment, names in {
        "upper arm": ["LeftArm"],
        "forearm": ["RightForeArm"],
        "hand": ["LeftHand"],
        "thigh": ["LeftUpLeg"],
        "shank": ["RightLeg"],
        "foot": ["LeftFoot", "LeftToe"],
        "head": ["Neck", "Head"],
    }.items():
        assert whole(character, names).mass == pytest.approx(70 * table[segment].fraction / norm), segment
    trunk = whole(character, ["Hips", "Spine", "Spine1", "Chest", "LeftShoulder", "RightShoulder"])
    assert trunk.mass == pytest.approx(70 * sum(table[n].fraction for n in ONCE[:3]) / norm)


def test_centre_and_inertia_along_a_limb():
    character = with_guessed_masses(human(), total=70.0)
    thigh = TABLES["male"]["thigh"]
    own = character.bodies[character.index("LeftUpLeg")].mass
    assert np.asarray(own.centre) == pytest.approx([0, 0, -0.43 * thigh.centre], abs=1e-12)
    radii = np.sqrt(np.diag(own.inertia) / own.mass) / 0.43
    assert radii == pytest.approx([thigh.sagittal, thigh.transverse, thigh.longitudinal], abs=1e-12)
    # An arm along y: its long axis is y.
    arm, row = character.bodies[character.index("RightArm")].mass, TABLES["male"]["upper arm"]
    assert np.asarray(arm.centre) == pytest.approx([0, -0.29 * row.centre, 0], abs=1e-12)
    radii = np.sqrt(np.diag(arm.inertia) / arm.mass) / 0.29
    assert radii == pytest.approx([row.sagittal, row.longitudinal, row.transverse], abs=1e-12)


def test_more_bones_share_what_fewer_bones_have():
    """A thigh cut in three and a trunk of five pieces weigh and turn as the undivided ones."""
    plain = human()
    bodies = []
    for body in plain.bodies:
        if body.name == "LeftLeg":
            for k, (name, up) in enumerate(
                (("LeftUpLeg2", "LeftUpLeg"), ("LeftUpLeg3", "LeftUpLeg2")), start=1
            ):
                bodies.append(Body(name, up, Joint.ball(), (0, 0, -0.1 * k)))
            body = body.replaced(parent="LeftUpLeg3", offset=(0, 0, -0.13))
        bodies.append(body)
    finer = with_guessed_masses(Character("finer", bodies, mass_source="none"), total=70.0)
    coarse = with_guessed_masses(plain, total=70.0)
    one = whole(coarse, ["LeftUpLeg"])
    three = whole(finer, ["LeftUpLeg", "LeftUpLeg2", "LeftUpLeg3"])
    assert three.mass == pytest.approx(one.mass, rel=1e-12)
    assert np.asarray(three.centre) == pytest.approx(np.asarray(one.centre), abs=1e-12)
    assert np.asarray(three.inertia) == pytest.approx(np.asarray(one.inertia), abs=1e-12)
    assert min(b.mass.mass for b in finer.bodies if b.name.startswith("LeftUpLeg")) > 1.0


def test_fewer_bones_carry_what_is_missing():
    bare = with_guessed_masses(human(hands=False), total=70.0)
    table = TABLES["male"]
    forearm = bare.bodies[bare.index("LeftForeArm")].mass
    assert forearm.mass == pytest.approx(70 * (table["forearm"].fraction + table["hand"].fraction), rel=1e-9)
    assert bare.total_mass == pytest.approx(70.0)


def test_mass_follows_from_stature_and_scales():
    small, large = with_guessed_masses(human(scale=0.5)), with_guessed_masses(human())
    # Thigh, shin and hip to shoulder of the figure over those of a mean man of 1.741 m.
    stature = 1.741 * (0.43 + 0.42 + 0.51) / (0.4222 + 0.4403 + 0.5155)
    assert large.total_mass == pytest.approx(22.5 * stature**2, rel=1e-9)
    assert stature == pytest.approx(1.75, rel=0.02)
    assert large.total_mass == pytest.approx(4 * small.total_mass, rel=1e-9)
    assert any("body mass index" in n for n in large.notes)


def test_left_and_right_weigh_the_same():
    character = with_guessed_masses(human(), total=70.0)
    for name in character.names:
        if name.startswith("Left"):
            a = character.bodies[character.index(name)].mass
            b = character.bodies[character.index("Right" + name[4:])].mass
            assert a.mass == pytest.approx(b.mass, rel=1e-12)
            assert np.asarray(a.centre) * [1, -1, 1] == pytest.approx(np.asarray(b.centre), abs=1e-12)


def test_a_turned_rest_pose_has_the_same_physics():
    """Body frames are a matter of convention: turning them changes nothing in the world."""
    plain = human()
    turn = so3.exp(np.array([0.3, -0.7, 1.1]))
    bodies = []
    for body in plain.bodies:
        if body.name == "LeftUpLeg":
            body = body.replaced(rest=turn)
        elif body.name == "LeftLeg":
            back = so3.conjugate(turn)
            body = body.replaced(offset=so3.rotate(back, body.offset), rest=back)
        bodies.append(body)
    turned = with_guessed_masses(Character("turned", bodies, mass_source="none"), total=70.0)
    plain = with_guessed_masses(plain, total=70.0)
    one, other = whole(plain, plain.names), whole(turned, turned.names)
    assert np.asarray(other.centre) == pytest.approx(np.asarray(one.centre), abs=1e-12)
    assert np.asarray(other.inertia) == pytest.approx(np.asarray(one.inertia), abs=1e-11)


def test_capsules_by_hand():
    chain = skeleton([("a", None, (0, 0, 1)), ("b", "a", (1, 0, 0)), ("c", "b", (0, 0, 0.5), (0, 0, 0.25))])
    character = with_guessed_masses(chain)
    assert character.mass_source == "capsules"
    assert any("not taken for a human figure" in n for n in character.notes)
    check_sound(character)
    size = 2 * 1.75
    radius = 0.05 * size  # a fifth of 1 m would be thicker than allowed
    length = 1 - 2 * radius
    volume = np.pi * radius**2 * length + 4 / 3 * np.pi * radius**3
    assert character.bodies[0].mass.mass == pytest.approx(DENSITY * volume)
    assert np.asarray(character.bodies[0].mass.centre) == pytest.approx([0.5, 0, 0])
    assert with_guessed_masses(chain, total=12.0).total_mass == pytest.approx(12.0, rel=1e-13)
    assert [len(s) for s in bone_shapes(chain)] == [1, 1, 1]


def test_zero_length_bones_and_bare_leaves():
    odd = skeleton(
        [("a", None, (0, 0, 0)), ("b", "a", (0, 0, 0)), ("c", "b", (0, 0, 0)), ("d", "b", (0, 0, 0.3))]
    )
    character = with_guessed_masses(odd)
    check_sound(character)
    assert character.bodies[0].mass.mass == 0
    lonely = with_guessed_masses(skeleton([("only", None, (0, 0, 0))]), total=2.0)
    assert lonely.total_mass == pytest.approx(2.0)
    check_sound(lonely)


def test_given_masses_are_kept():
    given = Character("given", [Body("a", None, Joint.free(), mass=Mass(3.0, (0, 0, 0), (1, 1, 1)))])
    assert with_guessed_masses(given).bodies[0].mass is given.bodies[0].mass
    assert with_guessed_masses(given).mass_source == "given"
    scaled = with_guessed_masses(given, total=6.0)
    assert scaled.total_mass == pytest.approx(6.0)
    assert np.asarray(scaled.bodies[0].mass.inertia) == pytest.approx(2 * np.eye(3))


def test_given_masses_with_a_massless_tip_are_completed():
    bodies = [
        Body("a", None, Joint.free(), mass=Mass(3.0, (0, 0, 0), (1, 1, 1))),
        Body("tip", "a", Joint.ball(), (0, 0, 0.2)),
    ]
    character = with_guessed_masses(Character("given", bodies))
    check_sound(character)
    assert character.total_mass == pytest.approx(3.0, rel=1e-12)
    assert any("tip" in n for n in character.notes)


def test_bad_requests_are_named():
    with pytest.raises(UnknownNameError, match="auto, table, skin, capsules"):
        with_guessed_masses(human(), method="magic")
    with pytest.raises(UnknownNameError, match="male, female"):
        with_guessed_masses(human(), sex="robot")
    for total in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="total mass"):
            with_guessed_masses(human(), total=total)
    with pytest.raises(InputError, match="no left thigh"):
        with_guessed_masses(skeleton([("a", None, (0, 0, 0)), ("b", "a", (0, 0, 1))]), method="table")


def test_a_quadruped_is_no_human(shared_data):
    fox = with_guessed_masses(from_glb(shared_data / "khronos_gltf/Fox.glb"), total=6.0)
    assert fox.mass_source == "capsules"
    assert any("tail" in n for n in fox.notes)
    check_sound(fox)


@pytest.mark.parametrize(
    ("path", "scale", "z_up", "height"),
    [
        ("cmu_cgspeed_bvh/02_01.bvh", 0.0564, False, 1.5),
        ("threejs/pirouette.bvh", 0.01, False, 1.65),
        ("makehuman/benchmark.bvh", 0.1, True, 1.6),
        ("makehuman/walk1.bvh", 0.1, True, 1.6),
        ("bvh_python/test_freebvh.bvh", 0.01, False, 1.7),
        ("bvh_toolbox/walk01.bvh", 0.01, False, 1.8),
        ("pybvh/bvh_test1.bvh", 0.0254, True, 1.75),
    ],
)
def test_real_humans(shared_data, path, scale, z_up, height):
    character = with_guessed_masses(from_bvh(shared_data / path, scale, z_up=z_up))
    assert character.mass_source == "anthropometric table"
    assert character.total_mass == pytest.approx(22.5 * height**2, rel=0.12)
    check_sound(character)
