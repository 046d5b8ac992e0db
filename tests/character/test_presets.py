"""Presets: what each promises, and what all of them must keep."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.character import JointKind, ShapeKind, presets
from poise.character.labels import roles
from poise.character.presets.pairs import mirrored
from poise.character.presets.stiffness import carried_inertia
from poise.errors import UnknownNameError
from poise.manifold import so3

ALL = presets.names()
SIZES = {  # degrees of freedom, bodies, mass [kg], height [m]
    "humanoid": (39, 20, 75.0, 1.75),
    "planar_humanoid": (22, 20, 75.0, 1.75),
    "lamp": (13, 6, 3.0, 0.493),
    "camel": (150, 49, 450.0, 2.07),
    "biped180": (180, 59, 77.0, 1.75),
    "face_hugger": (30, 28, 1.5, 0.322),
}


def support(shape, direction):
    """How far a solid reaches along a direction of its body's frame."""
    d = so3.rotate(so3.conjugate(shape.rotation), direction)
    a, b, c = np.asarray(shape.size)
    match shape.kind:
        case ShapeKind.SPHERE:
            own = a
        case ShapeKind.CAPSULE:
            own = a + b * abs(d[2])
        case ShapeKind.CYLINDER:
            own = a * np.hypot(d[0], d[1]) + b * abs(d[2])
        case ShapeKind.ELLIPSOID:
            own = np.linalg.norm(np.array([a, b, c]) * d)
        case ShapeKind.BOX:
            own = np.abs([a, b, c]) @ np.abs(d)
    return np.asarray(shape.position) @ direction + own


def extent(character):
    """Lowest and highest point of all solids at rest."""
    at, _ = character.rest_placement()
    up = np.array([0, 0, 1.0])
    low = min(p[2] - support(s, -up) for b, p in zip(character.bodies, at) for s in b.shapes)
    high = max(p[2] + support(s, up) for b, p in zip(character.bodies, at) for s in b.shapes)
    return low, high


@pytest.mark.parametrize("name", ALL)
def test_sizes(name):
    character = presets.get(name)
    nv, count, mass, height = SIZES[name]
    assert (character.nv, len(character.bodies)) == (nv, count)
    assert character.total_mass == pytest.approx(mass, rel=1e-12)
    low, high = extent(character)
    assert high == pytest.approx(height, abs=0.005)
    assert low == pytest.approx(0.0, abs=0.003)


@pytest.mark.parametrize("name", ALL)
def test_feet_are_on_the_ground(name):
    character = presets.get(name)
    at, turn = character.rest_placement()
    assert np.allclose(turn, np.eye(3))
    places = {n: at[p.body] + p.position for n, p in character.points.items()}
    soles = [n for n in places if abs(places[n][2]) < 1e-9]
    assert len(soles) >= 4
    assert min(p[2] for p in places.values()) > -1e-9
    if name == "biped180":
        assert {"LeftHeel", "LeftBall", "RightHeel", "RightToeTip5"} <= set(soles)
    if "humanoid" in name:
        assert set(soles) == {f"{s}{p}" for s in ("Left", "Right") for p in ("Heel", "Ball", "Toe")}
        assert places["HeadTop"][2] == pytest.approx(1.75)


@pytest.mark.parametrize("name", ALL)
def test_inertias_limits_and_leaves(name):
    character = presets.get(name)
    parents = set(character.parents.tolist())
    for i, body in enumerate(character.bodies):
        moments = np.linalg.eigvalsh(body.mass.inertia)
        if i not in parents:
            assert body.mass.mass > 0, body.name
        if body.mass.mass > 0:
            assert moments[0] > 0
            assert moments[0] + moments[1] >= moments[2] * (1 - 1e-9)
        if i:
            assert body.joint.kind in (JointKind.HINGE, JointKind.BALL)
            assert body.joint.limited
    assert (character.lower <= 0).all()
    assert (character.upper >= 0).all()
    inner = character.dof_body > 0
    assert (character.stiffness[inner] > 0).all()
    assert (character.damping[inner] > 0).all()
    assert (character.stiffness[~inner] == 0).all()


@pytest.mark.parametrize("name", ALL)
def test_left_mirrors_right(name):
    character = presets.get(name)
    for body in character.bodies:
        if body.side != "left":
            continue
        other, twin = character.bodies[character.index(body.name.replace("Left", "Right"))], mirrored(body)
        assert (twin.name, twin.parent, twin.side, twin.limb) == (
            other.name,
            other.parent,
            other.side,
            other.limb,
        )
        for field in ("lower", "upper", "stiffness", "damping", "axis"):
            if field == "axis" and body.joint.kind is not JointKind.HINGE:
                continue
            a, b = getattr(twin.joint, field), getattr(other.joint, field)
            assert a == pytest.approx(b, rel=1e-9, abs=1e-12), (body.name, field)
        assert np.asarray(twin.offset) == pytest.approx(np.asarray(other.offset), abs=1e-12)
        assert twin.mass.mass == pytest.approx(other.mass.mass, rel=1e-12)
        assert np.asarray(twin.mass.centre) == pytest.approx(np.asarray(other.mass.centre), abs=1e-12)
        assert np.asarray(twin.mass.inertia) == pytest.approx(np.asarray(other.mass.inertia), abs=1e-12)
        assert len(twin.shapes) == len(other.shapes)
        assert set(twin.points) == set(other.points)


@pytest.mark.parametrize("name", ALL)
def test_the_whole_is_balanced(name):
    """The centre of mass is in the plane of symmetry and above the feet (the lamp leans a little)."""
    character = presets.get(name)
    at, _ = character.rest_placement()
    centre = (
        sum(b.mass.mass * (p + b.mass.centre) for b, p in zip(character.bodies, at)) / character.total_mass
    )
    ground = np.array([at[p.body] + p.position for p in character.points.values()])
    ground = ground[ground[:, 2] < 1e-6]
    assert centre[1] == pytest.approx(0, abs=1e-9)
    assert ground[:, 0].min() < centre[0] < ground[:, 0].max()


def test_mirroring_is_a_reflection(rng):
    """Moving a mirrored joint by the same angle gives the mirrored movement."""
    flip = np.diag([1.0, -1.0, 1.0])
    for body in presets.humanoid().bodies:
        if body.side == "left" and body.joint.kind is JointKind.HINGE:
            angle = rng.normal()
            turn = so3.to_matrix(so3.exp(angle * np.asarray(body.joint.axis)))
            other = so3.to_matrix(so3.exp(angle * np.asarray(mirrored(body).joint.axis)))
            assert other == pytest.approx(flip @ turn @ flip, abs=1e-12)


def moved_point(character, point, **angles):
    """A named point in the world with some hinges turned."""
    at, turn = np.zeros((len(character.bodies), 3)), np.zeros((len(character.bodies), 3, 3))
    for i, body in enumerate(character.bodies):
        up = int(character.parents[i])
        base, frame = (at[up], turn[up]) if up >= 0 else (np.zeros(3), np.eye(3))
        at[i] = base + frame @ np.asarray(body.offset)
        angle = angles.get(body.name, 0.0)
        turn[i] = frame @ so3.to_matrix(so3.exp(angle * np.asarray(body.joint.axis)))
    where = character.point(point)
    return at[where.body] + turn[where.body] @ where.position


def test_humanoid_signs():
    body = presets.humanoid()
    for side, s in (("Left", 1), ("Right", -1)):
        assert moved_point(body, f"{side}Heel", **{f"{side}Leg": 0.5})[0] < -0.1  # knee: foot goes back
        assert (
            moved_point(body, f"{side}Fingertips", **{f"{side}ForeArm": 1.0})[0] > 0.3
        )  # elbow: hand forward
        assert moved_point(body, f"{side}Toe", **{f"{side}Ankle": 0.3})[2] > 0.03  # toes up
        assert moved_point(body, f"{side}Toe", **{f"{side}ToeBase": 0.5})[2] > 0.02
        # Inversion turns the sole inward: the ball of the foot swings towards the middle.
        assert s * (moved_point(body, f"{side}Ball", **{f"{side}Foot": 0.3})[1] - s * 0.09) < -0.01
    # Pronation turns the forward-pointing thumb down on both sides.
    thumb = np.array([1.0, 0, 0])
    for side in ("Left", "Right"):
        axis = np.asarray(body.bodies[body.index(f"{side}Hand")].joint.axis)
        assert so3.rotate(so3.exp(0.5 * axis), thumb)[2] < -0.4


def test_humanoid_is_as_specified():
    body = presets.humanoid()
    at, _ = body.rest_placement()
    gap = lambda a, b: float(np.linalg.norm(at[body.index(a)] - at[body.index(b)]))  # noqa: E731
    assert gap("LeftUpLeg", "LeftLeg") == pytest.approx(0.43)
    assert gap("LeftLeg", "LeftFoot") == pytest.approx(0.425)
    assert gap("LeftArm", "LeftForeArm") == pytest.approx(0.29)
    assert gap("LeftForeArm", "LeftHand") == pytest.approx(0.26)
    assert gap("LeftUpLeg", "RightUpLeg") == pytest.approx(0.18)
    assert body.bodies[body.index("LeftAnkle")].mass.mass == 0
    assert body.mass_source == "anthropometric table"
    assert body.bodies[body.index("LeftUpLeg")].mass.mass == pytest.approx(0.1416 * 75, rel=1e-9)
    assert {"LeftHeel", "LeftBall", "LeftToe", "LeftHandCentre", "LeftFingertips", "HeadTop", "Nose"} <= set(
        body.points
    )
    assert len(roles(body)) >= 17


def test_humanoid_hands_change_looks_only():
    a, b = presets.humanoid(), presets.humanoid(hands="fist")
    assert a.names == b.names
    for x, y in zip(a.bodies, b.bodies):
        assert np.array_equal(x.mass.inertia, y.mass.inertia)
        assert np.array_equal(x.joint.stiffness, y.joint.stiffness)
    hand = a.index("LeftHand")
    assert len(a.bodies[hand].shapes) != len(b.bodies[hand].shapes)
    with pytest.raises(UnknownNameError, match="open, fist"):
        presets.humanoid(hands="claw")


@pytest.mark.parametrize("name", ["planar_humanoid", "face_hugger"])
def test_planar_characters_stay_in_the_plane(name):
    character = presets.get(name)
    assert character.bodies[0].joint.kind is JointKind.PLANAR
    for body in character.bodies[1:]:
        assert body.joint.kind is JointKind.HINGE
        assert np.asarray(body.joint.axis) == pytest.approx([0, 1, 0])
    used = {s.material for b in character.bodies for s in b.shapes}
    assert {"near", "far"} <= used
    for body in character.bodies:
        shades = {s.material for s in body.shapes} & {"near", "far"}
        assert shades <= {{"left": "far", "right": "near"}.get(body.side)}


@pytest.mark.parametrize("name", ["camel", "biped180"])
def test_many_balls(name):
    character = presets.get(name)
    assert [b.joint.kind for b in character.bodies] == [JointKind.FREE] + [JointKind.BALL] * (
        len(character.bodies) - 1
    )


def test_stiffness_is_the_frequency_asked_for():
    body = presets.humanoid()
    arm = body.index("LeftArm")
    inertia = carried_inertia(body, arm)
    hertz = np.sqrt(np.asarray(body.bodies[arm].joint.stiffness) / inertia) / (2 * np.pi)
    assert hertz == pytest.approx([2.0, 6.0, 2.0], rel=1e-12)
    knee = body.index("LeftLeg")
    above, below = carried_inertia(body, knee, above=True), carried_inertia(body, knee)
    at, _ = body.rest_placement()
    spread = sum(  # parallel axes about y through the knee, by hand
        b.mass.inertia[1, 1] + b.mass.mass * np.sum((p + b.mass.centre - at[knee])[[0, 2]] ** 2)
        for b, p in zip(body.bodies, at)
    )
    assert above[0] + below[0] == pytest.approx(spread, rel=1e-12)


def test_soft_tissue_is_stiff_enough():
    """Fingers and toes at 25 Hz, tails at 8, so that they do not fill the low modes."""
    biped, camel = presets.biped180(), presets.camel()
    for character, pattern, least in (
        (biped, "*Index2", 25),
        (biped, "*Toe3", 25),
        (camel, "Tail2", 8),
        (camel, "*Ear", 25),
    ):
        for i in character.select(pattern):
            stiffness = np.asarray(character.bodies[i].joint.stiffness)
            hertz = np.sqrt(stiffness / carried_inertia(character, i)) / (2 * np.pi)
            assert (hertz > least * 0.999).all()


def test_access():
    assert set(presets.all()) == set(ALL)
    assert presets.get("lamp") is presets.lamp()
    assert poise.characters.humanoid() is presets.humanoid()
    assert presets.get("humanoid", hands="fist") is presets.humanoid(hands="fist")
    with pytest.raises(UnknownNameError, match="no option named 'hands'"):
        presets.get("lamp", hands="fist")
    with pytest.raises(UnknownNameError, match="did you mean 'camel'"):
        presets.get("cammel")
