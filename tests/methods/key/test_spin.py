"""Angular momentum in flight: constant by measurement, closed forms, landings, order of convergence."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from poise.character import Body, Character, Joint, JointKind, Mass, presets
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.key.spin import landing
from poise.methods.key.spin.free_rotation import spatial
from poise.methods.key.spin.inertia_history import inertia_history
from poise.methods.key.spin.spin import Spin, rotated, rotation
from poise.motion import Clip

START, END = 0.1, 0.9


def rigid(moments=(1.0, 2.0, 2.8)):
    """One free body with principal axes along its own."""
    mass = Mass(2.0, (0.1, -0.2, 0.3), np.diag(moments))
    return Character("rigid", [Body("b", None, Joint(JointKind.FREE), (0, 0, 0), (1, 0, 0, 0), mass)])


def hold(character):
    return lambda times: np.tile(character.rest_pose(), (len(times), 1))


def two_links(root=JointKind.PLANAR):
    """A planar rod with a second one hinged about y at its end."""
    masses = (
        Mass(3.0, (0, 0, 0), np.diag([0.2, 0.25, 0.1])),
        Mass(1.5, (0, 0, -0.4), np.diag([0.1, 0.12, 0.05])),
    )
    ends = (0.0, 0.0, 1.0), (0.0, 0.0, -0.5)
    upright = (1.0, 0.0, 0.0, 0.0)
    return Character(
        "two links",
        [
            Body("a", None, Joint(root), ends[0], upright, masses[0]),
            Body("b", "a", Joint(JointKind.HINGE, axis=(0, 1, 0)), ends[1], upright, masses[1]),
        ],
    )


def bend(t):
    return 1.8 * np.sin(2.5 * t) ** 2


def bending(character):
    """The second link tucks up and opens again, the root as at rest."""

    def motion(times):
        q = np.tile(character.rest_pose(), (len(times), 1))
        q[:, -1] = bend(np.asarray(times))
        return q

    return motion


def tucking(character, *, wild=0.0, seed=4):
    """A symmetric tuck of a humanoid; ``wild`` adds what is not symmetric."""
    rest = character.rest_pose()
    names = character.dof_names
    bent = np.zeros(character.nv)
    for name, angle in (("UpLeg.ry", -1.8), ("Leg", 2.0), ("Spine.ry", 0.4), ("Chest.ry", 0.4)):
        bent[[k for k, dof in enumerate(names) if dof.removeprefix("Left").removeprefix("Right") == name]] = (
            angle
        )
    loose = wild * np.random.default_rng(seed).normal(size=character.nv)

    def motion(times):
        times = np.asarray(times)
        s = np.sin(np.pi * (times - START) / (END - START)) ** 2
        offset = s[:, None] * bent + np.sin(4 * times)[:, None] * loose
        return character.manifold.plus(rest, offset)

    return motion


def velocity(manifold, motion, times, d=2e-3):
    """Sixth-order differences on the manifold."""
    here, weights = motion(times), np.array([45, -9, 1]) / (60 * d)
    ahead = [manifold.minus(motion(times + k * d), here) for k in (1, 2, 3)]
    behind = [manifold.minus(motion(times - k * d), here) for k in (1, 2, 3)]
    return sum(w * (a - b) for w, a, b in zip(weights, ahead, behind))


def momentum(character, motion, times, d=2e-3):
    return Kinematics(character, motion(times), velocity(character.manifold, motion, times, d)).momentum


# The equation ------------------------------------------------------------------------------------


@pytest.mark.parametrize("about", [0, 1, 2])
def test_a_principal_axis_turns_evenly(about):
    character, moments = rigid(), np.array([1.0, 2.0, 2.8])
    h = np.zeros(3)
    h[about] = 5.0
    turn = rotation(character, hold(character), 0.0, 3.0, momentum=h)
    t = np.linspace(0, 3, 17)
    np.testing.assert_allclose(turn.at(t), so3.exp(t[:, None] * h / moments), atol=1e-12)


def test_asymmetric_top_against_an_integrator():
    from scipy.integrate import solve_ivp

    character, moments, h = rigid(), np.array([1.0, 2.0, 2.8]), np.array([0.3, 6.0, -0.5])
    t = np.linspace(0, 4, 33)
    turn = rotation(character, hold(character), 0.0, 4.0, momentum=h)
    r = turn.at(t)

    def rates(_, q):
        rate = so3.rotate(so3.conjugate(so3.normalise(q)), h) / moments
        return 0.5 * so3.multiply(q, np.concatenate([[0.0], rate]))

    found = solve_ivp(rates, (0, 4), so3.IDENTITY, method="DOP853", rtol=1e-13, atol=1e-14, t_eval=t)
    np.testing.assert_allclose(r, found.y.T, atol=1e-9)  # signs too: whole turns are counted
    body = so3.rotate(so3.conjugate(r), h)
    energy = 0.5 * np.sum(body**2 / moments, axis=1)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-12)
    assert turn.error < 1e-10


def test_symmetric_top_precesses():
    moments, h = np.array([1.5, 1.5, 0.6]), np.array([1.0, 0.5, 2.0])
    turn = rotation(rigid(moments), hold(rigid(moments)), 0.0, 5.0, momentum=h)
    t = np.linspace(0, 5, 21)[:, None]
    spin = h[2] / moments[2] - h[2] / moments[0]  # about its own axis, beside the precession H/I₁
    exact = so3.multiply(so3.exp(t * h / moments[0]), so3.exp(t * spin * np.array([0, 0, 1.0])))
    np.testing.assert_allclose(turn.at(t[:, 0]), exact, atol=1e-11)


@pytest.mark.parametrize("stages", [2, 3])
def test_order_of_convergence(stages):
    character = two_links(JointKind.FREE)
    history = inertia_history(character, bending(character), 0.0, 1.0, breaks=np.linspace(0, 1, 5))
    h = np.array([[0.5, 3.0, 0.8]])
    exact = spatial(history, h, so3.IDENTITY, refine=8).turns[-1, 0]
    errors = []
    for refine in (1, 2, 4):
        coarse = spatial(history, h, so3.IDENTITY, stages=stages, refine=refine)
        errors.append(np.linalg.norm(so3.difference(coarse.turns[-1, 0], exact)))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, 2 * stages, atol=0.5)


# Shapes that change ------------------------------------------------------------------------------


def planar_inertia(t):
    """I and h/θ̇ of the two links about their common centre, by hand (both about y)."""
    a, b = 3.0, 1.5
    reduced = a * b / (a + b)
    # centre of the second link relative to the first's, turned by the bend about +y
    x, z = -0.4 * np.sin(bend(t)), -0.5 - 0.4 * np.cos(bend(t))
    inertia = 0.25 + 0.12 + reduced * (x * x + z * z)
    # r × ṙ about y is z ẋ − x ż
    dx, dz = -0.4 * np.cos(bend(t)), 0.4 * np.sin(bend(t))
    return inertia, 0.12 + reduced * (z * dx - x * dz)


def test_planar_tuck_is_an_integral():
    from scipy.integrate import quad

    character, h = two_links(), 2.5
    turn = rotation(character, bending(character), START, END, momentum=(0, h, 0))

    def rate(t):
        inertia, own = planar_inertia(t)
        return (h - own * 1.8 * 2.5 * np.sin(5 * t)) / inertia

    for t in (0.3, 0.62, END):
        assert turn.at([t])[0] == pytest.approx(
            quad(rate, START, t, epsabs=1e-13, epsrel=1e-13)[0], abs=1e-10
        )
    np.testing.assert_array_equal(turn.at([0.0, 2.0]), turn.at([START, END]))  # held outside


def test_planar_and_spatial_agree():
    flat, free = two_links(), two_links(JointKind.FREE)
    h = (0.0, 2.5, 0.0)
    t = np.linspace(START, END, 15)
    angle = rotation(flat, bending(flat), START, END, momentum=h).at(t)
    turn = rotation(free, bending(free), START, END, momentum=h).at(t)
    np.testing.assert_allclose(turn, so3.exp(angle[:, None] * np.array([0, 1.0, 0])), atol=1e-10)


def test_a_tuck_spins_faster():
    character = presets.get("humanoid")
    motion = tucking(character)
    turn = rotation(character, motion, START, END, momentum=(0, 40, 0))
    inertia = Kinematics(character, motion(np.array([START, 0.5]))).inertia[:, 1, 1]
    assert inertia[1] < 0.8 * inertia[0]
    first, middle = (np.linalg.norm(so3.difference(*turn.at([t + 0.01, t]))) / 0.01 for t in (START, 0.495))
    assert middle > 1.2 * first


@pytest.mark.parametrize("wild", [0.0, 0.3])
@pytest.mark.parametrize("h", [(0.0, 45.0, 0.0), (4.0, 30.0, -6.0), (0.0, 0.0, 8.0)])
def test_momentum_is_constant_on_a_tucking_humanoid(wild, h):
    character = presets.get("humanoid")
    motion = tucking(character, wild=wild)
    turn = rotation(character, motion, START, END, momentum=h)
    t = np.linspace(START + 0.01, END - 0.01, 40)
    found = momentum(character, lambda s: turn.applied(s, motion(s)), t)
    np.testing.assert_allclose(found[:, 3:], np.tile(h, (40, 1)), atol=1e-6 * np.linalg.norm(h))
    # its centre of mass moves as before
    np.testing.assert_allclose(found[:, :3], momentum(character, motion, t)[:, :3], atol=1e-7)


def test_the_answer_has_no_frame_rate():
    """A subset of times, a denser one, one at a time: the same bits."""
    character = two_links(JointKind.FREE)
    turn = rotation(character, bending(character), START, END, momentum=(0.3, 2, 0.1))
    dense, sparse = np.linspace(START, END, 97), np.linspace(START, END, 25)
    np.testing.assert_array_equal(turn.at(dense)[::4], turn.at(dense[::4]))
    np.testing.assert_allclose(turn.at(sparse), np.concatenate([turn.at([t]) for t in sparse]), atol=1e-15)


def test_breaks_keep_corners_out_of_the_polynomials():
    """A motion with a corner: told of it or not, the answer is the same to the accuracy asked for."""
    character = two_links()

    def corner(times):
        q = np.tile(character.rest_pose(), (len(times), 1))
        q[:, -1] = np.where(times < 0.437, times**2, 0.437**2 + 3 * (times - 0.437))
        return q

    asked = []

    def counted(times):
        asked.append(len(times))
        return corner(times)

    told = rotation(character, counted, START, END, momentum=(0, 2, 0), breaks=[0.437])
    cheap = sum(asked)
    found = rotation(character, counted, START, END, momentum=(0, 2, 0))
    assert cheap < sum(asked) - cheap
    assert told.at([END])[0] == pytest.approx(found.at([END])[0], abs=1e-4)
    assert told.error < 1e-10
    assert found.error > 1e-8


def test_a_clip_is_a_motion():
    character = two_links(JointKind.FREE)
    frames = np.arange(49) / 48
    clip = Clip(character, bending(character)(frames), 48)
    t = np.linspace(0.2, 0.8, 7)
    from_clip = rotation(character, clip, 0.2, 0.8, momentum=(0, 2, 0)).at(t)
    exact = rotation(character, bending(character), 0.2, 0.8, momentum=(0, 2, 0)).at(t)
    np.testing.assert_allclose(from_clip, exact, atol=1e-3)
    assert np.abs(from_clip - exact).max() > 0


def test_noise_does_not_lead_to_endless_refinement():
    character = two_links(JointKind.FREE)
    rng, asked = np.random.default_rng(1), []

    def noisy(times):
        asked.append(len(times))
        q = bending(character)(times)
        q[:, -1] += 1e-8 * rng.normal(size=len(times))
        return q

    turn = rotation(character, noisy, START, END, momentum=(0, 2, 0))
    exact = rotation(character, bending(character), START, END, momentum=(0, 2, 0))
    assert sum(asked) < 2000
    np.testing.assert_allclose(turn.at([END]), exact.at([END]), atol=1e-6)


# Landing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [-2, 0, 1, 3])
def test_planar_landing_is_exact(turns):
    character, motion = two_links(), bending(two_links())
    turn = rotation(character, motion, START, END, turns=turns)
    assert turn.at([END])[0] == pytest.approx(2 * math.pi * turns, abs=1e-11)
    assert turn.met
    assert turn.turns == pytest.approx(turns, abs=1e-12)
    aimed = rotation(
        character, motion, START, END, turns=turns, orientation_end=tuple(so3.exp([0.0, -0.7, 0.0]))
    )
    assert aimed.at([END])[0] == pytest.approx(2 * math.pi * turns - 0.7, abs=1e-11)


@pytest.mark.parametrize(("turns", "wild"), [(-1, 0.0), (1, 0.0), (2, 0.0), (-1, 0.15), (1, 0.15)])
def test_a_humanoid_lands_as_posed(turns, wild):
    character = presets.get("humanoid")
    motion = tucking(character, wild=wild)
    turn = rotation(character, motion, START, END, turns=turns)
    assert turn.met, (turn.missed, turn.turns)
    end = motion(np.array([END]))
    landed = turn.applied([END], end)
    np.testing.assert_allclose(character.manifold.minus(landed, end), 0, atol=1e-9)
    assert turn.turns == pytest.approx(turns, abs=0.2)
    if not wild:
        np.testing.assert_allclose(turn.momentum[[0, 2]], 0, atol=1e-6)  # symmetric: a pure somersault
        assert turn.turns == pytest.approx(turns, abs=1e-9)


def test_landing_in_a_given_orientation_from_a_given_one():
    character = presets.get("humanoid")
    start, end = so3.exp([0.0, -0.3, 0.1]), so3.exp([0.1, 0.5, -0.2])
    turn = rotation(
        character, tucking(character, wild=0.1), START, END, orientation_start=start, orientation_end=end
    )
    assert turn.met
    np.testing.assert_allclose(turn.at([START])[0], start, atol=1e-12)
    np.testing.assert_allclose(so3.difference(turn.at([END])[0], end), 0, atol=1e-9)


def test_a_miss_is_reported(monkeypatch):
    """Cut short, the search says how far it got."""
    whole = landing._Shooting.solved
    monkeypatch.setattr(landing._Shooting, "solved", lambda self, first, iterations=1: whole(self, first, 1))
    character = presets.get("humanoid")
    turn = rotation(character, tucking(character, wild=0.3), START, END, turns=1)
    error = float(np.linalg.norm(so3.difference(turn.at([END])[0], so3.IDENTITY)))
    assert turn.missed == pytest.approx(error, abs=1e-9)
    assert error > 1e-6
    assert not turn.met


def test_a_falling_cat_turns_without_momentum():
    """H = 0, the shape goes round a loop and is what it was, the body is not where it was."""
    upright = (1.0, 0.0, 0.0, 0.0)
    halves = (
        Mass(1.5, (0.2, 0, 0), np.diag([0.01, 0.05, 0.05])),
        Mass(1.5, (-0.2, 0, 0), np.diag([0.01, 0.05, 0.05])),
    )
    cat = Character(
        "cat",
        [
            Body("front", None, Joint(JointKind.FREE), (0, 0, 1), upright, halves[0]),
            Body("back", "front", Joint(JointKind.BALL), (0, 0, 0), upright, halves[1]),
        ],
    )

    def circling(times):
        phase = 2 * np.pi * (np.asarray(times) - START) / (END - START)
        q = np.tile(cat.rest_pose(), (len(phase), 1))
        q[:, 7:11] = so3.exp(0.7 * np.stack([0 * phase, np.cos(phase), np.sin(phase)], axis=1))
        return q

    np.testing.assert_allclose(*circling(np.array([START, END])), atol=1e-12)
    turn = rotation(cat, circling, START, END, momentum=(0, 0, 0))
    turned = so3.log(turn.at([END])[0])
    # Seen from the middle of its back it turned about its own length and about nothing else.
    assert np.linalg.norm(turned) > 1.0
    np.testing.assert_allclose(
        turned / np.linalg.norm(turned), (-math.cos(0.35), 0, math.sin(0.35)), atol=1e-9
    )
    t = np.linspace(START + 0.01, END - 0.01, 20)
    found = momentum(cat, lambda s: turn.applied(s, circling(s)), t)
    np.testing.assert_allclose(found[:, 3:], 0, atol=1e-9)
    still = rotation(cat, circling, START, END)  # what momentum would keep it from turning?
    assert still.met
    assert np.linalg.norm(still.momentum) > 1e-3


# Turning configurations --------------------------------------------------------------------------


@pytest.mark.parametrize("root", [JointKind.PLANAR, JointKind.FREE])
def test_rotated_turns_every_point_about_the_centre_of_mass(root, rng):
    character = two_links(root)
    q = character.manifold.plus(character.rest_pose(), rng.normal(size=(5, character.nv)))
    angle = rng.normal(size=5)
    quaternion = so3.exp(angle[:, None] * np.array([0, 1.0, 0]))
    turned = rotated(character, q, angle if root == JointKind.PLANAR else quaternion)
    before, after = Kinematics(character, q), Kinematics(character, turned)
    np.testing.assert_allclose(after.com, before.com, atol=1e-14)
    matrices = so3.to_matrix(quaternion)
    arms = np.einsum("fij,fnj->fni", matrices, before.positions - before.com[:, None])
    np.testing.assert_allclose(after.positions - after.com[:, None], arms, atol=1e-14)
    np.testing.assert_allclose(after.rotations, matrices[:, None] @ before.rotations, atol=1e-14)


# Documents and errors ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spin",
    [
        Spin(0, 1, momentum=(0, 3, 0)),
        Spin(0.2, 0.9, turns=2),
        Spin(0.2, 0.9, orientation_end=(0.6, 0, 0.8, 0), turns=-1, axis=(0, 0, 2.0)),
        Spin(0.2, 0.9, orientation_end=(0.1, 0.3, 0.8, 0.2), orientation_start=(1, 1, 0, 0)),
    ],
)
def test_json_round_trip(spin):
    assert Spin.from_dict(json.loads(json.dumps(spin.to_dict()))) == spin


def fixed_root():
    return Character(
        "lamp", [Body("b", None, Joint(JointKind.FIXED), (0, 0, 0), (1, 0, 0, 0), Mass(1.0, (0, 0, 1)))]
    )


def point():
    return Character(
        "point", [Body("b", None, Joint(JointKind.FREE), (0, 0, 0), (1, 0, 0, 0), Mass(1.0, (0, 0, 0)))]
    )


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Spin(1, 1), "end after it starts"),
        (lambda: Spin(math.nan, 1), "time"),
        (lambda: Spin(0, 1, momentum=(1, 2)), "momentum"),
        (lambda: Spin(0, 1, momentum=(1, 2, math.nan)), "momentum"),
        (lambda: Spin(0, 1, momentum=(1, 2, 3), turns=1), "not both"),
        (lambda: Spin(0, 1, turns=0.5), "whole number"),
        (lambda: Spin(0, 1, orientation_end=(0, 0, 0, 0)), "orientation_end"),
        (lambda: Spin(0, 1, axis=(0, 0, 0)), "axis"),
        (lambda: Spin.from_dict([]), "mapping"),
        (lambda: Spin.from_dict({"start": 0}), "end"),
        (lambda: Spin.from_dict({"start": 0, "end": 1, "spin": 2}), "spin"),
        (lambda: rotation(fixed_root(), hold(fixed_root()), 0, 1, momentum=(0, 1, 0)), "'lamp' .*fixed"),
        (lambda: rotated(fixed_root(), np.zeros(0), (1, 0, 0, 0)), "'lamp' .*fixed"),
        (lambda: rotation(point(), hold(point()), 0, 1, momentum=(0, 1, 0)), "no inertia about some axis"),
        (lambda: rotation(two_links(), bending(two_links()), 0, 1, momentum=(1, 0, 0)), "about y only"),
        (lambda: rotation(two_links(), bending(two_links()), 0, 1, turns=1, axis=(1, 0, 0)), "about y only"),
        (
            lambda: rotation(two_links(), bending(two_links()), 0, 1, orientation_end=(0.6, 0.8, 0, 0)),
            "orientation_end",
        ),
        (lambda: rotation(rigid(), lambda t: np.zeros((1, 7)), 0, 1, momentum=(0, 1, 0)), "configurations"),
        (lambda: rotation(rigid(), lambda t: np.full((len(t), 7), np.nan), 0, 1), "configurations"),
        (lambda: rotated(rigid(), np.tile(rigid().rest_pose(), (3, 1)), np.ones((2, 4))), "turn"),
    ],
)
def test_errors_say_what_is_wrong(make, says):
    with pytest.raises(InputError, match=says):
        make()
