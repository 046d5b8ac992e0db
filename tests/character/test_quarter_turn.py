"""Quarter turns: everything turns alike, and back again bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Body, Character, Joint, JointKind, MorphTarget, Shape, Skin
from poise.character.quarter_turn import turned, turned_configurations, turned_matrix, turned_vector
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from random_trees import random_character, random_state

KINDS = (JointKind.FREE, JointKind.BALL, JointKind.HINGE, JointKind.SLIDE, JointKind.FIXED)


def figure(rng: np.random.Generator) -> tuple[Character, np.ndarray]:
    """A random tree of every joint that can be turned, with solids, points, limits and a skin; and poses."""
    plain = random_character(rng, 9, kinds=KINDS)
    bodies = []
    for b in plain.bodies:
        box = Shape.box(rng.normal(size=3), (0.1, 0.2, 0.3), rotation=so3.normalise(rng.normal(size=4)))
        joint = b.joint
        if joint.kind is JointKind.BALL:
            lower = -rng.uniform(0.5, 1.0, size=3)
            joint = Joint.ball(lower, [np.inf, 0.7, 0.9], stiffness=[1, 2, 3], damping=[4, 5, 6])
        bodies.append(b.replaced(joint=joint, shapes=(box,), points={f"{b.name} tip": rng.normal(size=3)}))
    n = len(bodies)
    bind = np.tile(np.eye(4), (n, 1, 1))
    bind[:, :3] = rng.normal(size=(n, 3, 4))
    weights = rng.uniform(0.1, 1, size=(7, 2))
    morph = MorphTarget("m", [1, 4], rng.normal(size=(2, 3)))
    vertices, normals = rng.normal(size=(2, 7, 3))
    skin = Skin(vertices, [[0, 1, 2]], rng.integers(n, size=(7, 2)), weights, bind, (morph,), normals)
    character = Character("random", bodies, skin=skin)
    q, _, _ = random_state(rng, character, 4)
    return character, q


@pytest.mark.parametrize("quarters", [1, 2, 3, -1])
def test_bodies_points_masses_and_skin_are_where_they_were_but_turned(rng, quarters):
    character, q = figure(rng)
    other = turned(character, quarters)
    p = turned_configurations(character, q, quarters)
    turn = so3.to_matrix(so3.exp([0, 0, quarters * np.pi / 2])).round()
    a, b = Kinematics(character, q), Kinematics(other, p)
    np.testing.assert_allclose(b.positions, a.positions @ turn.T, atol=1e-12)
    np.testing.assert_allclose(b.rotations, turn @ a.rotations @ turn.T, atol=1e-12)
    for k in range(len(q)):
        skins = character.skin.deformed(a.positions[k], a.rotations[k], [0.3])
        np.testing.assert_allclose(
            other.skin.deformed(b.positions[k], b.rotations[k], [0.3]), skins @ turn.T, atol=1e-12
        )
    for one, two in zip(character.bodies, other.bodies):
        np.testing.assert_allclose(two.mass.centre, turn @ one.mass.centre, atol=1e-14)
        np.testing.assert_allclose(two.mass.inertia, turn @ one.mass.inertia @ turn.T, atol=1e-14)
        np.testing.assert_allclose(
            two.shapes[0].unit_inertia(), turn @ one.shapes[0].unit_inertia() @ turn.T, atol=1e-14
        )
        for name, point in one.points.items():
            np.testing.assert_array_equal(two.points[name], turn @ point)


def test_limits_and_springs_turn_with_their_axes():
    lower, upper = [-0.1, -0.2, -0.3], [0.4, np.inf, 0.6]
    joint = Joint.ball(lower, upper, stiffness=[1, 2, 3])
    ball = turned(Character("c", [Body("a", None, joint)]), 1).bodies[0].joint
    np.testing.assert_array_equal(ball.lower, [-np.inf, -0.1, -0.3])  # −y, x, z
    np.testing.assert_array_equal(ball.upper, [0.2, 0.4, 0.6])
    np.testing.assert_array_equal(ball.stiffness, [2, 1, 3])
    hinge = turned(Character("c", [Body("a", None, Joint.hinge((0, 1, 0), -0.1, 0.5))]), 1).bodies[0].joint
    np.testing.assert_array_equal(hinge.axis, [-1, 0, 0])
    assert (hinge.lower, hinge.upper) == (-0.1, 0.5)


def exact(character: Character, q: np.ndarray) -> list[bytes]:
    """All numbers of a character and its poses."""
    out = [q.tobytes()]
    for b in character.bodies:
        j, m = b.joint, b.mass
        rows = [
            b.offset,
            b.rest,
            j.axis,
            j.lower,
            j.upper,
            j.stiffness,
            j.damping,
            j.armature,
            m.centre,
            m.inertia,
        ]
        rows += [v for s in b.shapes for v in (s.size, s.position, s.rotation)] + list(b.points.values())
        out += [np.asarray(v).tobytes() for v in rows]
    s = character.skin
    return [
        *out,
        *(
            np.asarray(v).tobytes()
            for v in (s.vertices, s.normals, s.weights, s.inverse_bind, s.morphs[0].deltas)
        ),
    ]


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_turned_back_every_bit_is_as_it_was(rng, quarters):
    for _ in range(5):
        character, q = figure(rng)
        other, p = turned(character, quarters), turned_configurations(character, q, quarters)
        back = turned(other, -quarters), turned_configurations(other, p, -quarters)
        assert exact(*back) == exact(character, q)


def test_vectors_and_tensors(rng):
    v, m = rng.normal(size=(4, 3)), rng.normal(size=(4, 3, 3))
    np.testing.assert_array_equal(turned_vector([1.0, 2.0, 3.0], 1), [-2, 1, 3])
    np.testing.assert_allclose(
        np.einsum("kij,kj->ki", turned_matrix(m, 1), turned_vector(v, 1)),
        turned_vector(np.einsum("kij,kj->ki", m, v), 1),
        atol=1e-14,
    )


def test_what_is_bound_to_a_plane_is_not_turned():
    planar = Character("flat", [Body("hips", None, Joint.planar())])
    with pytest.raises(InputError, match="'hips' moves in the x–z plane"):
        turned(planar, 1)
    assert turned(planar, 4) is planar
