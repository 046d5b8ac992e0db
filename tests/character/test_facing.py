"""Which way figures face; masses that turn with them; quarter turns that lose nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skeletons import from_bvh, human, skeleton

from poise.character import Body, Character, Joint, presets
from poise.character.facing import ahead, quarter_heading
from poise.character.labels import roles
from poise.character.masses import with_guessed_masses
from poise.character.symmetry import FEW, nearest, symmetry
from poise.manifold import so3

ANGLES = st.floats(-180.0, 180.0)


def about_z(degrees: float) -> np.ndarray:
    return so3.to_matrix(so3.exp([0.0, 0.0, np.radians(degrees)]))


def standing_at(character: Character, turn: np.ndarray) -> Character:
    """The same figure at rest in another direction: offsets and points turned, frames as the world's."""
    bodies = [
        b.replaced(offset=turn @ b.offset, points={n: turn @ np.asarray(p) for n, p in b.points.items()})
        for b in character.bodies
    ]
    return Character(character.name, bodies, mass_source="none")


def assert_turned(one: Character, other: Character, turn: np.ndarray, within: float = 1e-9) -> None:
    """The masses of ``other`` are those of ``one``, turned."""
    assert other.mass_source == one.mass_source
    scale = max(np.abs(b.mass.inertia).max() for b in one.bodies)
    for a, b in zip(one.bodies, other.bodies):
        assert b.mass.mass == pytest.approx(a.mass.mass, rel=1e-9)
        np.testing.assert_allclose(b.mass.centre, turn @ a.mass.centre, atol=1e-9)
        np.testing.assert_allclose(b.mass.inertia, turn @ a.mass.inertia @ turn.T, atol=within * scale)


@settings(max_examples=25, deadline=None)
@given(ANGLES)
def test_masses_turn_with_the_figure(degrees):
    figure = with_guessed_masses(human(), total=70.0)
    turn = about_z(degrees)
    assert_turned(figure, with_guessed_masses(standing_at(human(), turn), total=70.0), turn)


@settings(max_examples=25, deadline=None)
@given(ANGLES)
def test_masses_turn_with_a_figure_without_names(degrees):
    blank = human({n: f"bone{i}" for i, n in enumerate(human().names)})
    figure = with_guessed_masses(blank, total=70.0)
    assert figure.mass_source == "anthropometric table"
    turn = about_z(degrees)
    assert_turned(figure, with_guessed_masses(standing_at(blank, turn), total=70.0), turn)


def test_masses_turn_with_a_figure_that_lies(rng):
    """A named figure may rest in any direction: ahead is then square to its leaning trunk."""
    figure, lying = with_guessed_masses(human(), total=70.0), None
    turns = so3.to_matrix(so3.normalise(rng.normal(size=(20, 4))))
    for turn in turns[turns[:, 2, 2] < 0.7]:  # not upright
        found = with_guessed_masses(standing_at(human(), turn), total=70.0)
        assert_turned(figure, found, turn, within=0.02)
        if lying is not None:
            assert_turned(lying[0], found, turn @ lying[1].T)
        lying = (found, turn)


def test_masses_do_not_know_how_the_root_frame_stands(rng):
    figure = with_guessed_masses(human(), total=70.0)
    root, *others = human().bodies
    turned = Character("t", [root.replaced(rest=so3.exp(rng.normal(size=3))), *others])
    for a, b in zip(figure.bodies, with_guessed_masses(turned, total=70.0).bodies):
        np.testing.assert_allclose(b.mass.inertia, a.mass.inertia, atol=1e-12)


@pytest.mark.parametrize("name", ["makehuman/walk1.bvh", "pybvh/bvh_test1.bvh", "cmu_cgspeed_bvh/02_01.bvh"])
def test_masses_of_real_figures_turn_with_them(shared_data, name):
    plain = from_bvh(shared_data / name, 0.01)
    turn = about_z(77.0)
    assert_turned(with_guessed_masses(plain), with_guessed_masses(standing_at(plain, turn)), turn)


def test_a_chest_is_broad_from_side_to_side():
    """Whichever way the figure faces: harder to turn about its forward axis than about its sideways one."""
    for degrees in (0.0, 90.0, 200.0):
        figure = with_guessed_masses(standing_at(human(), about_z(degrees)), total=70.0)
        inertia = about_z(-degrees) @ figure.bodies[figure.index("Chest")].mass.inertia @ about_z(degrees)
        assert inertia[0, 0] > 1.3 * inertia[1, 1]  # about x, from side to side; about y, from front to back


def test_a_figure_without_breadth_faces_its_feet():
    rows = [("Hips", None, (0, 0, 1)), ("Chest", "Hips", (0, 0, 0.5)), ("Head", "Chest", (0, 0, 0.2))]
    for side in ("Left", "Right"):
        rows += [(f"{side}Arm", "Chest", (0, 0, 0.1)), (f"{side}ForeArm", f"{side}Arm", (0, 0, -0.3))]
        rows += [(f"{side}UpLeg", "Hips", (0, 0, 0)), (f"{side}Leg", f"{side}UpLeg", (0, 0, -0.45))]
        rows += [(f"{side}Foot", f"{side}Leg", (0, 0, -0.45), (0.1, 0.1, -0.05))]
    flat = skeleton(rows)
    np.testing.assert_allclose(
        ahead(flat, np.array([0.0, 0.0, 1.0])), [np.sqrt(0.5), np.sqrt(0.5), 0], atol=1e-12
    )
    lamp = skeleton([("a", None, (0, 0, 0)), ("b", "a", (0, 0, 1))])
    np.testing.assert_allclose(ahead(lamp, np.array([0.0, 0.0, 1.0])), [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(ahead(lamp, np.array([1.0, 0.0, 0.0])), [0, 1, 0], atol=1e-12)


@pytest.mark.parametrize("quarters", range(4))
@pytest.mark.parametrize("off", [0.0, 15.0, -15.0])
def test_headings_are_seen_in_quarters(quarters, off):
    for who in (human(), presets.get("camel")):
        root, *others = who.bodies
        turn = so3.exp([0, 0, np.radians(90 * quarters + off)])
        rest = so3.multiply(turn, root.rest)
        assert quarter_heading(Character("t", [root.replaced(rest=rest), *others])) == quarters


def without_toes() -> Character:
    """A figure whose feet do not tell where it faces."""
    return human().with_bodies([b for b in human().bodies if "Toe" not in b.name])


def mirrored_names() -> Character:
    """Left and right exchanged, as someone labels a figure seen from the front."""
    swap = {n: n.replace("Left", "_").replace("Right", "Left").replace("_", "Right") for n in human().names}
    return human(swap)


@pytest.mark.parametrize(
    "figure",
    [
        pytest.param(standing_at(human(), about_z(30.0)), id="at an odd heading"),
        pytest.param(standing_at(human(), about_z(60.0)), id="at another"),
        pytest.param(
            standing_at(without_toes(), so3.to_matrix(so3.exp([0, np.pi / 2, 0]))), id="lying without toes"
        ),
        pytest.param(standing_at(human(), so3.to_matrix(so3.exp([0, np.pi / 2, 0]))), id="lying on its face"),
        pytest.param(standing_at(human(), so3.to_matrix(so3.exp([np.pi, 0, 0]))), id="on its head"),
        pytest.param(mirrored_names(), id="feet say the opposite"),
        pytest.param(presets.get("lamp"), id="a lamp"),
        pytest.param(skeleton([("a", None, (0, 0, 1))]), id="one bone"),
        pytest.param(
            skeleton([("a", None, (0, 0, 1)), ("b", "a", (0, 1, 0)), ("c", "b", (0, 1, 0))]), id="a snake"
        ),
    ],
)
def test_what_does_not_clearly_face_one_way_has_no_heading(figure):
    assert quarter_heading(figure) is None


def test_hips_and_shoulders_have_to_agree():
    twisted = [
        b.replaced(offset=about_z(90.0) @ b.offset)
        if b.parent in ("Chest", "LeftShoulder", "RightShoulder")
        else b
        for b in human().bodies
    ]
    assert quarter_heading(Character("twisted", twisted)) is None


def test_left_follows_from_names_else_from_the_shape():
    turn = about_z(70.0)
    for names in (None, {n: f"bone{i}" for i, n in enumerate(human().names)}):
        figure = standing_at(human(names), turn)
        assert abs(symmetry(figure).left @ turn[:, 1]) == pytest.approx(1.0, abs=1e-6)
        assert set(roles(figure)) >= {"hips", "head", "left thigh", "right forearm", "chest"}


@pytest.mark.parametrize("count", [FEW - 1, FEW + 1])
def test_nearest_neighbours_of_few_and_of_many(rng, count):
    points, among = rng.normal(size=(2, count, 3))
    index, far = nearest(points, among)
    want = np.linalg.norm(points[:, None] - among, axis=2)
    np.testing.assert_array_equal(index, want.argmin(axis=1))
    np.testing.assert_allclose(far, want.min(axis=1), rtol=1e-12)


def test_no_masses_are_none_whatever_is_said():
    root = Body("root", None, Joint.free())
    assert Character("by hand", [root]).mass_source == "none"
    assert Character("by hand", [root], mass_source="given").mass_source == "none"
    guessed = with_guessed_masses(human())
    bare = guessed.with_masses([b.mass.scaled(0.0) for b in guessed.bodies], "given")
    assert bare.mass_source == "none"
    assert guessed.with_bodies(guessed.bodies).mass_source == "anthropometric table"
