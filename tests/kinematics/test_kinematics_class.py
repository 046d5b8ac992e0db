"""The lazy bundle: shapes, caching, determinism, errors."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from poise.character import Body, Character, Joint, JointKind, Mass, Point
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Bundle, Kinematics, forward, point_jacobians
from poise.workers import on_threads
from tipped_trees import random_character

EVERYTHING = (
    "positions",
    "rotations",
    "velocities",
    "com",
    "com_jacobian",
    "inertia",
    "inertia_jacobian",
    "momentum",
    "momentum_matrix",
    "momentum_jacobian",
)


@pytest.fixture(scope="module")
def scene():
    rng = np.random.default_rng(11)
    character = random_character(rng, 14)
    return character, character.manifold.random(rng, 300), rng.normal(size=(300, character.nv))


def collect(kin: Kinematics) -> dict[str, np.ndarray]:
    found = {name: getattr(kin, name) for name in EVERYTHING}
    found["point"] = kin.point_jacobian("tip13")
    found["angular"] = kin.angular_jacobian("b13")
    return found


@pytest.mark.parametrize("size", [1, 7, 53, 300])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_same_bits_for_any_batch_and_thread_count(scene, size, threads):
    character, q, v = scene
    with on_threads(1):
        whole = collect(Kinematics(character, q, v))
    with on_threads(threads):
        parts = [
            collect(Kinematics(character, q[k : k + size], v[k : k + size])) for k in range(0, len(q), size)
        ]
    for name, expected in whole.items():
        assert np.array_equal(expected, np.concatenate([p[name] for p in parts])), name


def test_bundle_agrees_and_reuses_its_buffers(scene):
    character, q, v = scene
    bundle = Bundle(character, len(q), ("tip3", Point(7, np.array([0.1, 0.2, 0.3]))))
    bundle.update(q[::-1], v)
    buffer = bundle.point_jacobians
    bundle.update(q, v)
    assert bundle.point_jacobians is buffer
    kin = Kinematics(character, q, v)
    second = Point(7, np.array([0.1, 0.2, 0.3]))
    pairs = [
        (bundle.positions, kin.positions),
        (bundle.rotations, kin.rotations),
        (bundle.points[:, 1], kin.point(second)),
        (bundle.point_jacobians[:, 0], kin.point_jacobian("tip3")),
        (bundle.point_jacobians[:, 1], kin.point_jacobian(second)),
        (bundle.com, kin.com),
        (bundle.com_jacobian, kin.com_jacobian),
        (bundle.momentum, kin.momentum),
    ]
    for ours, reference in pairs:
        np.testing.assert_allclose(ours, reference, rtol=0, atol=1e-12)


def test_one_configuration_is_one_frame(scene):
    character, q, v = scene
    kin = Kinematics(character, q[3], v[3])
    n, nv = len(character.bodies), character.nv
    assert kin.frames == 1
    assert kin.positions.shape == (1, n, 3)
    assert kin.rotations.shape == (1, n, 3, 3)
    assert kin.point("tip2").shape == (1, 3)
    assert kin.point_jacobian("tip2").shape == (1, 3, nv)
    assert kin.momentum_matrix.shape == kin.momentum_jacobian.shape == (1, 6, nv)


def test_results_are_cached_and_read_only(scene):
    character, q, v = scene
    kin = Kinematics(character, q, v)
    assert kin.momentum is kin.momentum
    assert kin.point_jacobian("tip2") is kin.point_jacobian(character.point("tip2"))
    for name, array in collect(kin).items():
        assert not array.flags.writeable, name


def test_input_may_be_any_layout_of_numbers(scene):
    character, q, _ = scene
    strided = np.asfortranarray(q)
    assert np.array_equal(Kinematics(character, strided).com, Kinematics(character, q.tolist()).com)


def test_rest_pose_is_the_rest_placement():
    rng = np.random.default_rng(3)
    for root in (JointKind.FREE, JointKind.FIXED, JointKind.HINGE):
        # Planar joints take no rest rotation, and rest_placement describes none.
        character = random_character(rng, 10, root)
        bodies = [
            b.replaced(joint=Joint.ball()) if b.joint.kind is JointKind.PLANAR else b
            for b in character.bodies
        ]
        character = Character("rest", bodies)
        positions, rotations, _ = forward(character, character.rest_pose())
        expected = character.rest_placement()
        np.testing.assert_allclose(positions[0], expected[0], atol=1e-14)
        np.testing.assert_allclose(rotations[0], expected[1], atol=1e-14)


def test_errors_name_the_culprit(scene):
    character, q, v = scene
    with pytest.raises(InputError, match=r"q must have shape"):
        Kinematics(character, q[:, :-1])
    with pytest.raises(InputError, match=r"v must have shape"):
        Kinematics(character, q, v[:5])
    with pytest.raises(InputError, match="q holds nan"):
        Kinematics(character, np.where(q > 1, np.nan, q))
    with pytest.raises(InputError, match="velocities"):
        _ = Kinematics(character, q).momentum
    with pytest.raises(UnknownNameError, match="tip99"):
        Kinematics(character, q).point("tip99")
    with pytest.raises(InputError, match="body indices"):
        point_jacobians(character, forward(character, q), [99], np.zeros((1, 3)))
    weightless = Character("ghost", [Body("a", None, Joint.free())])
    with pytest.raises(InputError, match="no body has mass"):
        _ = Kinematics(weightless, weightless.rest_pose()).com


def test_a_character_that_cannot_move():
    stone = Character("stone", [Body("a", None, Joint.fixed(), mass=Mass(2.0, (0.1, 0, 0), (1, 1, 1)))])
    kin = Kinematics(stone, np.zeros((3, 0)), np.zeros((3, 0)))
    np.testing.assert_allclose(kin.com, [[0.1, 0, 0]] * 3)
    assert kin.com_jacobian.shape == (3, 3, 0)
    assert kin.momentum_jacobian.shape == (3, 6, 0)
    np.testing.assert_allclose(kin.momentum, 0)


def test_importing_poise_does_not_import_the_compiler():
    code = "import sys, poise; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
