"""What each handle means: closed forms, degenerate places, errors that say what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Body, Character, Joint, JointKind, Mass
from poise.errors import InputError, UnknownNameError
from poise.handles import (
    Angle,
    BodyOrientation,
    CentreOfMass,
    Direction,
    Distance,
    JointValue,
    LinearMomentum,
    LookAt,
    On,
    PairDistance,
    PlaneDistance,
    PointDifference,
    PointPosition,
    PointToPoint,
    Pose,
    RotationalInertia,
    handle_from_dict,
    shape_of_radii,
)
from poise.kinematics import Kinematics
from poise.manifold import so3
from tipped_trees import random_character


@pytest.fixture(scope="module")
def character() -> Character:
    return random_character(np.random.default_rng(4), 12)


@pytest.fixture(scope="module")
def kin(character) -> Kinematics:
    rng = np.random.default_rng(5)
    q = character.manifold.random(rng, 3)
    return Kinematics(character, q, rng.normal(size=(3, character.nv)))


def free_body(*, mass: Mass | None = None) -> Character:
    points = {"tip": (1.0, 0.0, 0.0), "side": (0.0, 0.5, 0.0)}
    return Character("brick", [Body("brick", None, Joint.free(), mass=mass or Mass(2.0), points=points)])


def turned(axis, angle, place=(0.0, 0.0, 0.0)) -> np.ndarray:
    return np.concatenate([place, so3.exp(angle * np.asarray(axis, dtype=float))])


# Angles and looks -----------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.3, np.pi / 2, 3.0, np.pi - 1e-9, np.pi])
def test_angle_keeps_its_digits_everywhere(angle):
    brick = free_body()
    kin = Kinematics(brick, turned((0, 0, 1), angle))
    handle = Angle(Direction.of_body("brick", (1, 0, 0)), Direction.world((2, 0, 0)))
    assert handle.value(kin)[0, 0] == pytest.approx(angle, rel=1e-6, abs=1e-15)
    jacobian = handle.jacobian(kin)[0, 0]
    assert np.isfinite(jacobian).all()
    wanted = 0.0 if angle in (0.0,) else 1.0
    if angle < np.pi:
        np.testing.assert_allclose(jacobian, [0, 0, 0, 0, 0, wanted], atol=1e-6)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.2, 2.0, 3.1])
def test_look_has_the_angle_as_its_length_and_points_along_the_turn(angle):
    brick = free_body()
    place = np.array([1.0, 2.0, 3.0])
    kin = Kinematics(brick, turned((0, 1, 0), angle, place))
    handle = LookAt("brick", axis=(1, 0, 0), at=place + [5.0, 0, 0])
    np.testing.assert_allclose(handle.value(kin)[0], [0, -angle, 0], atol=1e-14, rtol=1e-9)


def test_look_is_smooth_where_it_is_met():
    brick = free_body()
    handle = LookAt(On("brick", (0.1, 0.2, 0.0)), axis=(1, 0, 0), at=(4.0, 0.2, 0.0))
    q = turned((0, 0, 1), 0.0)
    step = 1e-6
    exact = handle.jacobian(Kinematics(brick, q))[0]
    for j in range(6):
        move = step * np.eye(6)[j]
        ahead = handle.value(Kinematics(brick, brick.manifold.plus(q, move)))
        behind = handle.value(Kinematics(brick, brick.manifold.plus(q, -move)))
        np.testing.assert_allclose(exact[:, j], (ahead - behind)[0] / (2 * step), atol=1e-9)
    assert np.linalg.matrix_rank(exact, tol=1e-9) == 2


def test_look_series_meets_the_closed_form():
    from poise.handles.look_at import _SMALL, _factors

    for s in np.sqrt(_SMALL) * np.array([1 - 1e-7, 1 + 1e-7]):
        n, c = np.array([[s, 0.0, 0.0]]), np.array([[np.sqrt(1 - s * s)]])
        f, h = _factors(n, c)
        assert f[0, 0] == pytest.approx(np.arcsin(s) / s, rel=1e-14)
        assert h[0, 0] == pytest.approx(-2 / 3 - s**2 / 5 - 3 * s**4 / 28, rel=1e-9)


def test_orientation_error_is_the_turn_from_the_target():
    brick = free_body()
    kin = Kinematics(brick, turned((0, 0, 1), 0.7))
    handle = BodyOrientation("brick")
    np.testing.assert_allclose(handle.error(handle.value(kin), so3.IDENTITY), [[0, 0, 0.7]], atol=1e-15)
    flipped = -so3.exp([0, 0, 0.7])
    np.testing.assert_allclose(handle.error(handle.value(kin), flipped), 0, atol=1e-15)
    with pytest.raises(InputError, match="unit quaternion"):
        handle.error(handle.value(kin), [0.5, 0, 0, 0])


# Places ---------------------------------------------------------------------------------------


def test_distance_to_where_it_is_has_no_direction():
    brick = free_body()
    kin = Kinematics(brick, turned((0, 0, 1), 0.4))
    handle = Distance("tip", tuple(kin.point("tip")[0]))
    assert handle.value(kin)[0, 0] < 1e-15
    np.testing.assert_array_equal(handle.jacobian(kin), 0)


def test_places_may_be_points_offsets_world_places_and_paths(character, kin):
    name = character.names[-1]
    path = np.arange(9.0).reshape(3, 3)
    way = PointDifference(path, On(name, (0.1, 0.2, 0.3)))
    body = character.index(name)
    expected = kin.positions[:, body] + kin.rotations[:, body] @ [0.1, 0.2, 0.3] - path
    np.testing.assert_allclose(way.value(kin), expected, atol=1e-14)
    assert PointDifference((0, 0, 0), (1, 2, 2)).value(kin).shape == (3, 3)
    assert np.all(Distance((0, 0, 0), (1, 2, 2)).value(kin) == 3.0)
    with pytest.raises(InputError, match="path of 2 places"):
        Distance(name, path[:2]).value(kin)


def test_plane_distance_is_height_over_the_floor(character, kin):
    point = "tip3"
    np.testing.assert_allclose(PlaneDistance(point).value(kin)[:, 0], kin.point(point)[:, 2])
    tilted = PlaneDistance(point, normal=(0, 3, 4), through=(0, 0, 1))
    np.testing.assert_allclose(tilted.value(kin)[:, 0], (kin.point(point) - [0, 0, 1]) @ [0, 0.6, 0.8])


def test_axes_choose_rows(kin):
    whole = CentreOfMass().value(kin)
    np.testing.assert_array_equal(CentreOfMass("zx").value(kin), whole[:, [2, 0]])
    with pytest.raises(InputError, match="axes"):
        CentreOfMass("xw")
    with pytest.raises(InputError, match="axes"):
        PointPosition("a", axes="xx")


# Joints and poses -----------------------------------------------------------------------------


def test_joint_values_are_exponential_coordinates():
    rng = np.random.default_rng(9)
    for root in (JointKind.FREE, JointKind.PLANAR, JointKind.BALL, JointKind.HINGE, JointKind.SLIDE):
        character = Character("one", [Body("a", None, Joint(root), mass=Mass(1.0))])
        w = 0.5 * rng.normal(size=character.nv)
        kin = Kinematics(character, character.manifold.plus(character.manifold.neutral(), w))
        handle = JointValue("a").bind(character)
        np.testing.assert_allclose(handle.value(kin)[0], w, atol=1e-14)
        assert handle.dim == root.nv


def test_dimensions_of_joints_and_poses_are_known_once_bound(character):
    with pytest.raises(InputError, match="bind"):
        _ = JointValue(character.names[0]).dim
    with pytest.raises(InputError, match="bind"):
        _ = Pose().dim
    bound = Pose().bind(character)
    assert (bound.dim, bound.size) == (character.nv, character.nq)
    assert JointValue(character.names[0]).bind(character).unit == "m, rad"


def test_pose_error_is_the_manifolds(character, kin):
    handle = Pose().bind(character)
    target = character.manifold.random(np.random.default_rng(1))
    expected = character.manifold.minus(kin.q, target)
    np.testing.assert_array_equal(handle.error(handle.value(kin), target), expected)


def test_joints_that_cannot_be_valued():
    two = Character("two", [Body("a", None, Joint.free()), Body("b", "a", Joint.fixed())])
    with pytest.raises(InputError, match="fixed"):
        JointValue("b").bind(two)
    with pytest.raises(InputError, match="degrees of freedom 0 … 5"):
        JointValue("a", components=[6]).bind(two)
    with pytest.raises(InputError, match="all fixed"):
        Pose("b").bind(two)


# Inertia --------------------------------------------------------------------------------------


def test_inertia_measures_of_a_brick():
    # Uniform brick of sides 2a, 2b, 2c: mass covariance m (a², b², c²)/3 in its own axes.
    sides, m = np.array([0.9, 0.6, 0.3]), 3.0
    square = m / 3 * sides**2
    brick = free_body(mass=Mass(m, (0.2, 0.1, 0.0), np.diag(square.sum() - square)))
    kin = Kinematics(brick, turned((0.3, -0.8, 0.5), 1.1, (4, 5, 6)))
    radii = RotationalInertia("radii").value(kin)[0]
    np.testing.assert_allclose(radii, sides / np.sqrt(3), rtol=1e-12)
    gyration = RotationalInertia("gyration").value(kin)[0, 0]
    assert gyration == pytest.approx(np.linalg.norm(radii))
    tensor = RotationalInertia("tensor").value(kin)[0]
    np.testing.assert_allclose(tensor, kin.inertia[0][np.triu_indices(3)])
    assert RotationalInertia("planar").value(kin)[0, 0] == kin.inertia[0, 1, 1]
    shape = RotationalInertia("shape")
    error = shape.error(shape.value(kin), shape_of_radii([0.5, 0.4, 0.2]))
    assert np.linalg.norm(error) == pytest.approx(np.linalg.norm(radii - [0.5, 0.4, 0.2]))
    np.testing.assert_allclose(shape.error(shape.value(kin), shape_of_radii(radii)), 0, atol=1e-15)
    np.testing.assert_allclose(shape.jacobian(kin), 0, atol=1e-12)  # a rigid body keeps its shape


def solve(character: Character, q, handle, target, iterations: int) -> list[float]:
    """Levenberg–Marquardt; the length of the error after each iteration."""
    kin, damping = Kinematics(character, q), 1e-4
    error = handle.error(handle.value(kin), target)[0]
    history = []
    for _ in range(iterations):
        j = handle.error_jacobian(kin, target)[0]
        step = -np.linalg.solve(j.T @ j + damping * np.eye(len(j.T)), j.T @ error)
        trial = Kinematics(character, character.manifold.plus(kin.q[0], step))
        new = handle.error(handle.value(trial), target)[0]
        if new @ new < error @ error:
            kin, error, damping = trial, new, max(damping / 5, 1e-12)
        else:
            damping *= 8
        history.append(float(np.linalg.norm(error)))
    return history


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ratios", [(1, 1, 0.7), (1, 0.7, 0.7), (1, 1, 1), (1, 0.85, 0.7)])
def test_shape_reaches_equal_and_distinct_radii(seed, ratios):
    rng = np.random.default_rng(seed)
    character = limbs()
    q = character.manifold.plus(character.rest_pose(), 0.4 * rng.normal(size=character.nv))
    now = RotationalInertia("gyration").value(Kinematics(character, q))[0, 0]
    radii = now * np.array(ratios) / np.linalg.norm(ratios)
    history = solve(character, q, RotationalInertia("shape"), shape_of_radii(radii), 10)
    assert history[-1] < 1e-9, history[-1]


def limbs() -> Character:
    """A trunk with six two-piece limbs on balls: can stretch its mass along any axis."""
    part = Mass(1.0, (0.2, 0, 0), np.diag([0.001, 0.01, 0.01]))
    bodies = [Body("trunk", None, Joint.free(), mass=Mass(2.0, (0, 0, 0), np.diag([0.05, 0.05, 0.05])))]
    for k, way in enumerate(np.vstack([np.eye(3), -np.eye(3)])):
        rest = so3.between((1.0, 0, 0), way)
        bodies.append(Body(f"upper{k}", "trunk", Joint.ball(), 0.2 * way, rest, part))
        bodies.append(Body(f"lower{k}", f"upper{k}", Joint.ball(), (0.4, 0, 0), mass=part))
    return Character("six limbs", bodies)


def test_inertia_rejects_what_no_body_has(kin):
    with pytest.raises(UnknownNameError, match="gyration"):
        RotationalInertia("girth")
    shape = RotationalInertia("shape")
    with pytest.raises(InputError, match="negative radius"):
        shape.error(shape.value(kin), shape_of_radii([0.5, 0.4, -0.2]))


# Two characters -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "handle", [PointToPoint("tip3", "tip5"), PairDistance("tip3", On("tip5", (0.1, 0, 0)))]
)
def test_pairs_have_a_jacobian_for_each_character(character, handle):
    rng = np.random.default_rng(3)
    other = random_character(rng, 8, JointKind.PLANAR)
    handle.check(character, other)
    first, second = character.manifold.random(rng), other.manifold.random(rng)
    jacobian = handle.jacobian(Kinematics(character, first), Kinematics(other, second))
    step = 1e-5
    for who, q, exact in ((character, first, jacobian.first), (other, second, jacobian.second)):
        found = np.zeros(exact.shape[1:])
        for j in range(who.nv):
            sides = []
            for sign in (1, -1):
                moved = Kinematics(who, who.manifold.plus(q, sign * step * np.eye(who.nv)[j]))
                pair = (
                    (moved, Kinematics(other, second))
                    if who is character
                    else (Kinematics(character, first), moved)
                )
                sides.append(handle.value(*pair)[0])
            found[:, j] = (sides[0] - sides[1]) / (2 * step)
        np.testing.assert_allclose(exact[0], found, atol=1e-8)
    assert len(handle.value(Kinematics(character, first), Kinematics(other, second))[0]) == handle.dim


def test_pairs_need_the_same_frames(character, kin):
    with pytest.raises(InputError, match="same frames"):
        PointToPoint("b0", "b0").value(kin, Kinematics(character, kin.q[:2]))
    with pytest.raises(UnknownNameError, match="nose"):
        PointToPoint("b0", "nose").check(character, character)


# Files and targets ----------------------------------------------------------------------------


def test_bad_files_are_explained():
    with pytest.raises(UnknownNameError, match="point_position"):
        handle_from_dict({"kind": "point_positon"})
    with pytest.raises(UnknownNameError, match="'pont'"):
        handle_from_dict({"kind": "point_position", "pont": "a"})
    with pytest.raises(InputError, match="missing"):
        handle_from_dict({"kind": "point_position"})
    with pytest.raises(InputError, match="written"):
        handle_from_dict({"kind": "point_position", "point": {"body": "a"}})
    with pytest.raises(InputError, match="point of the character"):
        handle_from_dict({"kind": "point_position", "point": [1, 2, 3]})
    with pytest.raises(InputError, match="place"):
        handle_from_dict({"kind": "distance", "a": "a", "b": [1, 2]})
    with pytest.raises(InputError, match="must not be zero"):
        handle_from_dict({"kind": "look_at", "eye": "a", "axis": [0, 0, 0], "at": [1, 2, 3]})
    with pytest.raises(InputError, match="direction"):
        handle_from_dict({"kind": "angle", "a": {"body": "x"}, "b": [0, 0, 1]})


def test_targets_must_fit(kin):
    handle = CentreOfMass()
    value = handle.value(kin)
    assert handle.error(value, np.zeros((3, 3))).shape == (3, 3)
    assert CentreOfMass("z").error(value[:, 2:], 1.0).shape == (3, 1)
    with pytest.raises(InputError, match="must have 3 numbers"):
        handle.error(value, [1.0, 2.0])
    with pytest.raises(InputError, match="must have 3 numbers"):
        handle.error(value, np.zeros((2, 3)))


def test_momentum_without_velocity_or_mass():
    brick = free_body()
    with pytest.raises(InputError, match="velocities"):
        LinearMomentum().value(Kinematics(brick, turned((0, 0, 1), 0.1)))
    ghost = Character("ghost", [Body("a", None, Joint.free())])
    for handle in (LinearMomentum(), CentreOfMass(), RotationalInertia()):
        with pytest.raises(InputError, match="no body has mass"):
            handle.bind(ghost)


@pytest.mark.parametrize(
    ("joints", "label"), [("*", "pose"), ("right arm", "pose of right arm"), (("a", "b"), "pose of a, b")]
)
def test_a_pose_is_called_by_its_joints(joints, label):
    assert Pose(joints).label == label
    assert Pose().label == "pose"
