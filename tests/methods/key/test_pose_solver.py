"""Prioritised poses: exact where they can be, at rest where not, inside limits, the same in any batch."""

from __future__ import annotations

import numpy as np
import pytest
from pose_problems import Problem, planar, problem, spatial

from poise.character import Body, Character, Joint
from poise.character.presets.planar_humanoid import planar_humanoid
from poise.errors import InputError, UnknownNameError
from poise.handles import (
    BodyOrientation,
    CentreOfMass,
    JointValue,
    PointPosition,
    RotationalInertia,
    shape_of_radii,
)
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.key.pose.solver import PoseSolver
from poise.methods.key.pose.task import FIRMEST, Task, weight_of_gain
from poise.workers import on_threads
from random_trees import random_character


def overshoot(character: Character, q: np.ndarray) -> float:
    """How far exponential coordinates pass their limits [rad, m], over frames (F, nq)."""
    kin = Kinematics(character, q)
    worst = 0.0
    for body in character.bodies:
        if body.joint.nv and body.joint.limited:
            values, span = JointValue(body.name).value(kin), character.dofs(body.name)
            worst = max(worst, float((character.lower[span] - values).max()))
            worst = max(worst, float((values - character.upper[span]).max()))
    return worst


HARD_CASES = {
    "as it is": lambda p: p,
    "centre forward": lambda p: p.moved(0, [0.3] + [0.0] * (len(p.targets[0]) - 1)),
    "centre down": lambda p: p.moved(0, [0.0] * (len(p.targets[0]) - 1) + [-0.25]),
    "tuck": lambda p: p.scaled(1, 0.6),
    "pins out of reach": lambda p: p.moved(2, 3.0).moved(3, -3.0),
}


@pytest.mark.parametrize("gain", [0.1, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("case", HARD_CASES)
@pytest.mark.parametrize("make", [planar, spatial])
def test_strict_rows_are_met_whatever_the_soft_level_asks(make, case, gain):
    made: Problem = HARD_CASES[case](make())
    solved = made.solve(gain)
    assert solved.settled.all()
    assert made.worst_hard(solved) < 1e-9
    assert overshoot(made.character, solved.q) < 1e-9


@pytest.mark.parametrize("factor", [0.1, 0.35, 1.3, 1.6])
@pytest.mark.parametrize("make", [planar, spatial])
def test_impossible_tucks_and_stretches_settle_and_are_reported(make, factor):
    made = make().scaled(1, factor)
    solved = made.solve()
    assert solved.settled.all()
    assert overshoot(made.character, solved.q) < 1e-9
    assert np.abs(solved.errors[0]).max() < 1e-9, "the centre of mass does not pay for it"
    wanted, got = made.targets[1], RotationalInertia(made.tasks[1].handle.measure)
    value = got.value(Kinematics(made.character, solved.q))[0]
    np.testing.assert_allclose(solved.errors[1][0], value - wanted, atol=1e-12)


def test_a_possible_tuck_to_a_third_is_met():
    made = planar().scaled(1, 0.35)
    assert made.worst_hard(made.solve()) < 1e-9


@pytest.mark.parametrize("make", [planar, spatial])
def test_the_merit_never_rises_between_changes_of_weights(make):
    """Accepted steps lower the merit; it may rise only where weights or multipliers change, at rest."""
    solved = make().scaled(1, 0.7).moved(2, 3.0).solve(history=True)
    history = solved.history[solved.history[:, 3] > 0]  # accepted ones: merit, strict, soft, step
    rises = np.flatnonzero(np.diff(history[:, 0]) > 1e-9 * np.abs(history[:-1, 0]))
    assert len(history) > 8
    # The merit recorded after an evaluation is that of the weights to come: a rise belongs to a short step.
    assert (history[rises + 1, 3] < 0.03 + 1e-12).all()
    assert history[-1, 1] < 1e-9
    assert history[-1, 3] < 1e-7


@pytest.mark.parametrize("measure", ["gyration", "radii", "shape", "tensor"])
def test_random_reachable_inertia_is_met(measure):
    """36 targets of random poses within the limits, from rest, with pins that pull elsewhere."""
    made, frames = spatial(measure), 36
    character, rng = made.character, np.random.default_rng(5)
    rest = np.tile(character.rest_pose(), (frames, 1))
    elsewhere = character.manifold.plus(rest, 0.5 * rng.normal(size=(frames, character.nv)))
    elsewhere = PoseSolver(character, []).solve(elsewhere, elsewhere, []).q
    there, here = Kinematics(character, elsewhere), Kinematics(character, rest)
    targets = [t.handle.value(there if t.level == 0 else here) for t in made.tasks]
    solved = PoseSolver(character, made.tasks).solve(rest, rest, targets)
    assert solved.settled.all()
    assert np.abs(solved.errors[0]).max() < 1e-9
    scale = 1.0 if measure != "tensor" else np.abs(targets[1]).max()
    assert np.abs(solved.errors[1]).max() < 1e-8 * scale
    assert np.median(solved.iterations) < 80


def test_equal_principal_radii_do_not_stall():
    made = spatial("shape")
    radii = RotationalInertia("radii").value(Kinematics(made.character, made.q))[0]
    for wanted in ([radii[0], radii[1:].mean(), radii[1:].mean()], [0.2, 0.2, 0.2]):
        targets = [*made.targets[:1], shape_of_radii(wanted), *made.targets[2:]]
        solved = Problem(made.character, made.q, made.tasks, targets).solve()
        got = RotationalInertia("radii").value(Kinematics(made.character, solved.q))[0]
        np.testing.assert_allclose(got, wanted, atol=1e-6)


@pytest.mark.parametrize("wanted", [(0.6, 0.6, 0.1), (0.7, 0.7, 0.2), (0.45, 0.45, 0.45), (1.0, 1.0, 0.2)])
def test_a_shape_no_body_can_have_is_settled_for(wanted):
    """Two or three equal radii that are too long: at rest, and no pose nearby comes nearer."""
    made = spatial("shape")
    targets = [*made.targets[:1], shape_of_radii(wanted), *made.targets[2:]]
    solved = Problem(made.character, made.q, made.tasks, targets).solve()
    assert solved.settled.all()
    assert solved.iterations[0] < 400
    assert np.abs(solved.errors[0]).max() < 1e-9, "the centre of mass does not pay for it"
    miss = np.linalg.norm(solved.errors[1])
    assert miss > 0.1
    strict = PoseSolver(made.character, made.tasks[:2])
    again = strict.solve(solved.q, solved.q, targets[:2], warm=True)
    assert abs(np.linalg.norm(again.errors[1]) - miss) < 1e-6


def test_sweeping_a_pin_across_its_reach_moves_joints_continuously():
    """From within reach to out of it in steps of 3 mm: no joint jumps."""
    made, steps = planar(), 400
    character = made.character
    hand = PointPosition("LeftHand", "xz")
    tasks = [Task(CentreOfMass("xz"), 0), Task(PointPosition("LeftHeel", "xz"), 1), Task(hand)]
    kin = Kinematics(character, made.q)
    targets = [t.handle.value(kin) for t in tasks]
    path = targets[2] + np.linspace(0.0, 1.2, steps)[:, None] * np.array([[1.0, 0.5]])
    start = np.tile(made.q, (steps, 1))
    for gain in (0.5, 0.99):
        solver = PoseSolver(character, tasks)
        solved = solver.solve(start, start, [targets[0][0], targets[1][0], path], [1.0, 1.0, gain])
        assert solved.settled.all()
        assert np.abs(solved.errors[2]).max() > 0.01, "the sweep leaves reach"
        change = np.abs(character.manifold.minus(solved.q[1:], solved.q[:-1])).max(axis=1)
        assert change.max() < 0.06, change.max()
        assert change.max() < 25 * np.median(change)


def test_the_same_bits_in_any_order_batch_and_thread_count(rng):
    made = spatial()
    frames = 24
    start = np.tile(made.q, (frames, 1))
    targets = [np.tile(t, (frames, 1)) + 0.05 * rng.normal(size=(frames, len(t))) for t in made.targets]
    solver = PoseSolver(made.character, made.tasks)

    def solve(which):
        return solver.solve(start[which], start[which], [t[which] for t in targets])

    with on_threads(1):
        whole = solve(np.arange(frames))
    with on_threads(2):
        shared = solve(np.arange(frames))
    order = rng.permutation(frames)
    mixed = solve(order)
    split = [solve(np.arange(a, min(a + 7, frames))) for a in range(0, frames, 7)]
    assert np.array_equal(whole.q, shared.q)
    assert np.array_equal(whole.q[order], mixed.q)
    assert np.array_equal(whole.q, np.concatenate([s.q for s in split]))
    assert np.array_equal(whole.iterations[order], mixed.iterations)
    for k, e in enumerate(whole.errors):
        assert np.array_equal(e[order], mixed.errors[k])


@pytest.mark.parametrize("seed", range(6))
def test_limits_are_never_passed(seed):
    """Random trees with narrow limits on hinges, slides and balls, and pins that pull against them."""
    rng = np.random.default_rng(seed)
    tree = random_character(rng, 9)
    bodies = []
    for body in tree.bodies:
        kind, nv = body.joint.kind, body.joint.nv
        lower, upper = -rng.uniform(0.05, 0.5, nv), rng.uniform(0.05, 0.5, nv)
        if body.parent is None:
            lower, upper = np.full(nv, -np.inf), np.full(nv, np.inf)
        bodies.append(body.replaced(joint=Joint(kind, body.joint.axis, lower, upper)))
    character = Character("limited", bodies)
    frames = 20
    rest = np.tile(character.rest_pose(), (frames, 1))
    start = character.manifold.plus(
        rest, 0.8 * rng.normal(size=(frames, character.nv))
    )  # outside, most of it
    tasks = [Task(CentreOfMass(), 0), Task(PointPosition("b8")), Task(PointPosition("b5"))]
    targets = [rng.normal(size=(frames, 3)), rng.normal(size=(frames, 3)), rng.normal(size=(frames, 3))]
    for gain in (0.5, 1.0):
        solved = PoseSolver(character, tasks).solve(start, start, targets, [1, gain, gain])
        assert overshoot(character, solved.q) < 1e-9
        assert np.abs(solved.errors[0]).max() < 1e-9
        assert solved.settled.all()


def test_at_the_limits_the_pose_is_a_constrained_optimum():
    """KKT: the merit's gradient vanishes on free coordinates and pushes outwards on those at a limit."""
    made = planar().moved(2, [1.0, 0.8]).moved(3, [0.5, 1.2])
    solver = PoseSolver(made.character, made.tasks[2:])
    solved = solver.solve(made.q, made.q, made.targets[2:], iterations=500)
    q, character = solved.q[0], made.character
    kin = Kinematics(character, q)
    g = -0.1 * character.manifold.minus(made.q, q)
    for task, error in zip(made.tasks[2:], solved.errors):
        g = g + task.handle.jacobian(kin)[0].T @ error[0]
    at_lower, at_upper = (
        q <= character.lower + 1e-12,
        q >= character.upper - 1e-12,
    )  # planar: q are coordinates
    assert (at_lower | at_upper).sum() >= 2
    assert np.abs(g[~at_lower & ~at_upper]).max() < 1e-6
    assert (g[at_lower] > -1e-6).all()
    assert (g[at_upper] < 1e-6).all()


def test_only_what_is_free_moves():
    made = planar().moved(2, [0.2, 0.1])
    free = np.zeros(made.character.nv, dtype=bool)
    for name in ("LeftArm", "LeftForeArm", "LeftHand"):
        free[made.character.dofs(name)] = True
    solver = PoseSolver(made.character, [made.tasks[2]], free=free)
    solved = solver.solve(made.q, made.q, [made.targets[2]], [1.0])
    moved = made.character.manifold.minus(solved.q[0], made.q)
    assert (moved[~free] == 0).all()
    assert np.abs(moved[free]).max() > 0.05
    assert np.abs(solved.errors[0]).max() < 1e-3


def test_rows_that_cannot_move_are_no_burden():
    """All axes asked of a planar character: y counts only where something else is asked."""
    made = problem(planar_humanoid(), ["LeftHand", "RightHand", "LeftHeel"], "xyz", "planar")
    solved = made.moved(0, [0.1, 0.0, -0.1]).solve()
    assert solved.settled.all()
    assert np.abs(solved.errors[0]).max() < 1e-9
    asked = made.moved(0, [0.1, 0.5, -0.1]).solve()
    assert asked.settled.all()
    np.testing.assert_allclose(asked.errors[0][0], [0.0, -0.5, 0.0], atol=1e-9)
    assert np.array_equal(asked.q, solved.q)


def test_an_orientation_is_turned_to():
    made = spatial()
    target = so3.multiply(
        BodyOrientation("Head").value(Kinematics(made.character, made.q))[0], so3.exp([0.1, 0.3, 0.2])
    )
    tasks = [*made.tasks, Task(BodyOrientation("Head"), 1)]
    solved = PoseSolver(made.character, tasks).solve(made.q, made.q, [*made.targets, target])
    assert np.abs(solved.errors[-1]).max() < 1e-9
    assert np.abs(solved.errors[0]).max() < 1e-9


def test_gain_goes_from_absent_to_as_good_as_exact():
    np.testing.assert_allclose(weight_of_gain(np.array([0.0, 0.5, 0.9, 1.0])), [0, 1, 9, FIRMEST])
    made = planar()
    tasks, target = [Task(PointPosition("LeftHand", "xz"))], made.targets[2] + [0.15, 0.1]
    solver, far = PoseSolver(made.character, tasks), []
    for gain in np.linspace(0, 1, 41):
        solved = solver.solve(made.q, made.q, [target], [gain])
        far.append(np.linalg.norm(solved.errors[0]))
        if gain == 0:
            assert np.array_equal(solved.q[0], made.q)
    assert np.all(np.diff(far) < 0), "firmer is nearer"
    assert far[-1] < 1e-5
    assert np.abs(np.diff(far)).max() < 0.06, "fading is smooth"


def test_convergence_is_recorded_for_one_frame():
    """Figure 12: the error falls whatever the number of pins."""
    made = planar()
    for pins in range(1, 7):
        tasks, targets = made.tasks[: 2 + pins], made.targets[: 2 + pins]
        targets = [targets[0] + [0.1, -0.1], targets[1] * 0.9, *targets[2:]]
        solved = PoseSolver(made.character, tasks).solve(made.q, made.q, targets, history=True)
        assert len(solved.history) == solved.iterations[0] < 60
        steps = solved.history[solved.history[:, 3] > 0]
        assert steps[-1, 1] < 1e-9 < steps[0, 1]
    assert len(made.solve().history) == 0


def test_what_is_wrong_is_said():
    made = planar()
    solver = PoseSolver(made.character, made.tasks)
    with pytest.raises(UnknownNameError, match="LeftHnad"):
        PoseSolver(made.character, [Task(PointPosition("LeftHnad"))])
    with pytest.raises(InputError, match="undefined: no body has mass"):
        PoseSolver(Character("ghost", [Body("b", None, Joint.free())]), [Task(CentreOfMass(), 0)])
    broken = [np.array([np.nan, 0.0]), *made.targets[1:]]
    with pytest.raises(InputError, match="target of the centre of mass along x, z holds nan"):
        solver.solve(made.q, made.q, broken)
    with pytest.raises(InputError, match="8 tasks need as many targets, not 2"):
        solver.solve(made.q, made.q, made.targets[:2])
    with pytest.raises(InputError, match="pose holds nan"):
        solver.solve(made.q, np.full_like(made.q, np.nan), made.targets)
    with pytest.raises(
        InputError, match=r"gain of the position of LeftHand along x, z must lie in 0 … 1, not 1\.5"
    ):
        solver.solve(made.q, made.q, made.targets, [1, 1, 1.5, 1, 1, 1, 1, 1])
    with pytest.raises(InputError, match="a strict task is there"):
        solver.solve(made.q, made.q, made.targets, [0.5, 1, 1, 1, 1, 1, 1, 1])
    with pytest.raises(InputError, match="True or False for each of 22"):
        PoseSolver(made.character, [], free=np.ones(3))
    with pytest.raises(InputError, match="pose weights must be positive"):
        PoseSolver(made.character, [], pose_weight=0.0)
    upright = PoseSolver(made.character, [Task(BodyOrientation("Head"))])
    with pytest.raises(InputError, match="unit quaternion"):
        upright.solve(made.q, made.q, [[1.0, 1.0, 0.0, 0.0]])
