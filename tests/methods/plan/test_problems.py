"""Splines, keys and searches: Jacobians by differences, states by simulation, optima by SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

from poise.character import presets
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.plan.limits import turn_limit
from poise.methods.plan.limits.above_ground import AboveGround
from poise.methods.plan.limits.floor import Floor
from poise.methods.plan.limits.ground_push import GroundPush
from poise.methods.plan.limits.joint_limits import LimitRows
from poise.methods.plan.limits.soles import Soles
from poise.methods.plan.limits.turn_limit import TurnLimit
from poise.methods.plan.model.free_rotation import STAGES, spun, spun_finely
from poise.methods.plan.model.ground_frame import GroundFrame
from poise.methods.plan.model.modal_spline import ModalSpline
from poise.methods.plan.model.start_state import StartState, Stretch, at_rest, from_motion
from poise.methods.plan.plan import settings_for
from poise.methods.plan.scene.hold import Hold
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.reference_pose import ready_pose
from poise.methods.plan.scene.segment import Flight, Stance
from poise.methods.plan.solve import flight_problem, gauss_newton
from poise.methods.plan.solve.flight import solve_flight
from poise.methods.plan.solve.flight_problem import Ballistics, FlightProblem
from poise.methods.plan.solve.rows import RowBuilder
from poise.methods.plan.solve.stance import landing_rows, solve_stance
from poise.methods.plan.solve.stance_problem import StanceProblem
from poise.operations.plan import Planning
from poise.world import World

LAMP = presets.lamp()


def splines(hard: bool = False, pieces: int = 2) -> tuple[ModalSpline, np.ndarray]:
    rng = np.random.default_rng(3)
    lam, delta = np.array([3.0, 40.0, 400.0, 3000.0]), np.array([0.3, 0.5, 2.0, 9.0])
    nodes = np.linspace(0, 0.7, pieces + 1)
    spline = ModalSpline(lam, delta, nodes, rng.normal(size=(4, 2)), 2, hard_end=hard)
    return spline, rng.normal(size=spline.size)


@pytest.mark.parametrize("hard", [False, True])
def test_states_are_what_the_forces_make_of_the_oscillators(hard):
    spline, y = splines(hard)
    lam, delta = spline.stiffness, spline.damping
    times = np.linspace(0, 0.7, 29)

    def slope(t, x):
        w, v = x.reshape(4, 2).T
        f = spline.forces(np.array([t]), y)[0]
        return np.stack([v, f - 2 * delta * v - lam * w], axis=1).ravel()

    found = spline.states(times, y)
    assert_allclose(found[0], spline.start, atol=1e-12)
    states = [spline.start.ravel()]
    for a, b in ((0.0, 0.35), (0.35, 0.7)):  # forces jump at nodes
        run = solve_ivp(
            slope,
            (a + 1e-12, b),
            states[-1],
            rtol=1e-10,
            atol=1e-12,
            t_eval=times[(times > a) & (times <= b)],
        )
        states += list(run.y.T)
    assert_allclose(found.reshape(29, -1), states, atol=1e-6 * np.abs(found).max())
    if hard:
        assert np.abs(found[-1]).max() < 1e-9
    fine = np.linspace(0, 0.7, 4001)
    effort = 0.5 * np.trapezoid((spline.forces(fine, y) ** 2).sum(axis=1), fine)
    assert_allclose(0.5 * y @ y + spline.given_effort, effort, rtol=2e-3)


def differences(rows, y, h=1e-6):
    columns = []
    for k in range(y.size):
        step = np.zeros_like(y)
        step[k] = h
        columns.append((rows(y + step)[0] - rows(y - step)[0]) / (2 * h))
    return np.stack(columns, axis=1)


def stance_problem() -> StanceProblem:
    settings = settings_for(LAMP, Planning(modes=5))
    footing = settings.footing(settings.reference, (Hold("Base"),))
    rng = np.random.default_rng(1)
    start = StartState(
        0.1 * rng.normal(size=(len(footing.modes), 2)),
        0.1 * rng.normal(size=(6, 3)),
        rng.normal(size=(6, 3)),
        np.eye(3),
    )
    spline = ModalSpline(
        footing.modes.eigenvalues,
        footing.half_damping,
        np.array([0, 0.2, 0.5]),
        start.modal,
        5,
        hard_end=False,
    )
    frame = GroundFrame(np.array([0.3, -0.2, 0.0]), 0.7)
    asked = []
    for time in (0.2, 0.5):
        builder = RowBuilder(footing.figure, frame, time)
        builder.add(PartialKey("Bulb", position=(1, None, 0.2), velocity=(None, 0.3, 1)))
        builder.add(PartialKey("Shade", orientation=(0.9, 0.1, 0.3, 0.2), angular_velocity=(0.1, 0.2, 0.3)))
        builder.add(
            PartialKey("com", position=(0, 0, 0.3), velocity=(0, 0, 1), angular_velocity=(0, 1, None))
        )
        asked.append(builder.done())
    builder = RowBuilder(footing.figure, frame, 0.35)
    builder.add(PartialKey("com", angular_momentum=(0.1, 0, 0)))
    asked.append(builder.done())
    stretch = Stretch(footing, spline, start, 0.5)
    bounds = [
        LimitRows(footing, spline, np.array([0.1, 0.4])),
        GroundPush(stretch, 5.0, friction=0.2),
        TurnLimit(stretch),
        AboveGround(stretch, Floor(footing.figure, ["Bulb", "LowerArm"], 0.5, World.flat()), -0.3),
    ]
    v = rng.normal(size=LAMP.nv)
    guides = landing_rows(footing.figure, settings.reference, v, 0.4)
    return StanceProblem(stretch, asked, bounds, guides)


def test_jacobian_of_a_stance(monkeypatch):
    monkeypatch.setattr(turn_limit, "MOST", 0.2)
    problem = stance_problem()
    y = 0.3 * np.random.default_rng(2).normal(size=problem.spline.size)
    c, j = problem.rows(y)
    assert (c != 0).sum() > 40
    assert_allclose(problem.values(y), c, atol=1e-13 * np.abs(c).max())
    assert_allclose(j, differences(problem.rows, y), atol=1e-7 * max(1.0, np.abs(j).max()))


def test_jacobian_of_a_flight(monkeypatch):
    # The turn's derivative takes R for a rotation, which it is up to the integrator's error.
    monkeypatch.setattr(flight_problem, "STEPS_PER_SECOND", 400.0)
    settings = settings_for(LAMP, Planning(modes=4))
    footing = settings.footing(settings.reference, ())
    rng = np.random.default_rng(6)
    start = StartState(
        0.05 * rng.normal(size=(len(footing.modes), 2)),
        0.1 * rng.normal(size=(6, 3)),
        0.2 * rng.normal(size=(6, 3)),
        so3.to_matrix(so3.exp(np.array([0.2, 0.5, -0.3]))),
    )
    spline = ModalSpline(
        footing.modes.eigenvalues,
        footing.half_damping,
        np.array([0, 0.25, 0.6]),
        start.modal,
        4,
        hard_end=False,
    )
    asked = []
    for time in (0.25, 0.6):
        builder = RowBuilder(footing.figure, GroundFrame(), time)
        builder.add(PartialKey("Base", position=(0, 0, 0.1), velocity=(0, 0, 0), orientation=(1, 0, 0, 0)))
        builder.add(PartialKey("Shade", angular_velocity=(0.1, 2.0, 0.3)))
        asked.append(builder.done())
    ballistics = Ballistics(
        np.array([0, 0, 0.4]), np.array([0.3, 0, 2.0]), np.array([0.01, 0.08, -0.03]), np.array([0, 0, -9.81])
    )
    turn = np.array([0.3, 2.0, 0.1])
    floor = Floor(footing.figure, ["BaseBack", "Shade"], 0.6, World.flat())
    floor.aim += 0.5
    problem = FlightProblem(Stretch(footing, spline, start, 0.6), ballistics, asked, floor, turn=turn)
    y = 0.1 * rng.normal(size=spline.size)
    c, j = problem.rows(y)
    assert_allclose(problem.values(y), c, atol=1e-13 * np.abs(c).max())
    assert_allclose(j, differences(problem.rows, y), atol=1e-7 * max(1.0, np.abs(j).max()))


def test_spin_keeps_momentum_and_has_fourth_order():
    total = np.array([0.3, 2.0, -0.4])

    def course(count):
        t = np.linspace(0, 1, 2 * count + 1)
        a = np.eye(3) * 0.5 + 0.1 * np.cos(3 * t)[:, None, None] * np.diag([1.0, 2.0, 3.0])
        l = 0.2 * np.stack([np.sin(4 * t), np.cos(2 * t), t], axis=1)
        return spun(np.full(count, 1 / count), a, l, total, np.eye(3)), a[::2], l[::2]

    fine = course(512)[0].rotations[-1]
    errors = [np.abs(course(n)[0].rotations[-1] - fine).max() for n in (16, 32, 64)]
    assert np.log2(errors[0] / errors[1]) > 3.7
    assert np.log2(errors[1] / errors[2]) > 3.7
    found, inertia, own = course(64)
    kept = np.einsum("tab,tb->ta", found.rotations, np.einsum("tab,tb->ta", inertia, found.rates) + own)
    assert_allclose(kept, np.broadcast_to(total, kept.shape), atol=1e-5)


def test_exported_spin_is_a_rotation_of_sixth_order():
    total, start = np.array([0.3, 2.0, -0.4]), so3.to_matrix(so3.exp(np.array([0.2, -0.1, 0.4])))

    def shape(t):
        j = np.eye(3) * 0.5 + 0.1 * np.cos(3 * t)[..., None, None] * np.diag([1.0, 2.0, 3.0])
        return j, 0.2 * np.stack([np.sin(4 * t), np.cos(2 * t), t], axis=-1)

    def end(count):
        steps = np.full(count, 1 / count)
        times = (np.arange(count)[:, None] + STAGES) / count
        return spun_finely(steps, *shape(times), total, start)[-1]

    fine = end(128)
    errors = [np.abs(end(n) - fine).max() for n in (4, 8, 16)]
    assert np.log2(errors[0] / errors[1]) > 5.5
    assert np.log2(errors[1] / errors[2]) > 5.5
    assert_allclose(end(16) @ end(16).T, np.eye(3), atol=1e-14)
    half = np.linspace(0, 1, 801)
    other = spun(np.full(400, 1 / 400), *shape(half), total, start).rotations[-1]
    assert_allclose(fine, other, atol=1e-9)


def test_search_agrees_with_scipy():
    problem = stance_problem()
    problem = StanceProblem(problem.stretch, problem.asked)
    gamma = 100.0
    found = gauss_newton.solve(
        problem, np.zeros(problem.spline.size), (1.0, gamma), tolerance=1e-13, most=200
    )
    assert found.converged

    def objective(y):
        c, j = problem.rows(y)
        return 0.5 * y @ y + gamma * c @ c, y + 2 * gamma * c @ j

    other = minimize(objective, found.y, jac=True, method="BFGS", options={"gtol": 1e-8, "maxiter": 2000})
    assert_allclose(found.objective, other.fun, rtol=1e-6)
    assert np.linalg.norm(objective(found.y)[1]) < 1e-2 * max(1.0, np.linalg.norm(found.y))


@pytest.mark.parametrize("make", [presets.biped180, presets.lamp])
def test_any_pose_and_velocity_is_where_a_flight_starts(make):
    character = make()
    settings = settings_for(character, Planning())
    rng = np.random.default_rng(3)
    q = character.manifold.plus(character.rest_pose(), 0.3 * rng.normal(size=character.nv))
    v = rng.normal(size=character.nv)
    footing = settings.footing(settings.reference, ())
    start = from_motion(footing, q, v)
    motion = solve_flight(Flight(duration=0.4, name="air"), settings, (q, v), 0.0)
    again, speed = motion.state(0.0)
    assert np.abs(character.manifold.minus(again, q)).max() < 1e-9
    if character.name == "biped 180":  # all balls: every velocity can be told
        assert np.abs(speed - v).max() < 1e-2 * np.abs(v).max()
    assert np.abs(start.spin @ start.spin.T - np.eye(3)).max() < 1e-12


def test_a_stance_starts_where_the_last_ended():
    settings = settings_for(LAMP, Planning(modes=4))
    first = solve_stance(
        Stance(0.4, ["Base"], [PartialKey("Bulb", velocity=(1.5, 0, 0))], name="a"), settings, None
    )
    q, v = first.end
    second = solve_stance(
        Stance(0.4, ["Base"], [PartialKey("com", velocity=(0, 0, 0))], name="b"), settings, (q, v)
    )
    again, speed = second.state(0.0)
    assert np.abs(LAMP.manifold.minus(again, q)).max() < 1e-9
    assert np.abs(speed - v).max() < 1e-3 * np.abs(v).max()
    assert second.facts["velocity jump at the start"] < 1e-6


def test_a_landing_is_guided_from_its_own_motion_to_rest():
    """c and L of the path at its ends: the pose and velocity it starts with, then the reference at rest."""
    settings = settings_for(LAMP, Planning(modes=5))
    figure = settings.footing(settings.reference, (Hold("Base"),)).figure
    rng = np.random.default_rng(5)
    q = LAMP.manifold.plus(settings.reference, 0.1 * rng.normal(size=LAMP.nv))
    v = rng.normal(size=LAMP.nv)
    now = Kinematics(LAMP, q, v)
    speed = now.momentum[0, :3] / LAMP.total_mass
    rows = landing_rows(figure, q, v, 0.4)
    weight = rows[0].groups[0].scale
    first, last = rows[0], rows[-1]
    t, s = first.time, first.time / 0.4
    straight = now.com[0] + t * speed  # up to second order in t
    assert_allclose(first.target[:3] / weight, straight, atol=10 * s**2 * (0.4 * np.abs(speed).max() + 0.2))
    assert_allclose(last.target[:3] / weight, figure.reference @ figure.centre, atol=1e-12)
    assert_allclose(last.target[3:], 0, atol=1e-12)
    assert last.time == pytest.approx(0.4)


def test_at_rest_stays_in_the_reference_pose():
    settings = settings_for(LAMP, Planning())
    assert not at_rest(settings.footing(settings.reference, (Hold("Base"),))).modal.any()
    still = solve_stance(Stance(0.5, ["Base"], name="still"), settings, None)
    q = still.pose(np.linspace(0, 0.5, 5))
    assert np.abs(LAMP.manifold.minus(q, settings.reference)).max() < 1e-12


def test_a_crouch_keeps_the_feet():
    character = presets.biped180()
    q = ready_pose(character, ["LeftFoot", "RightFoot"], lower=0.12)
    before, after = Kinematics(character, character.rest_pose()), Kinematics(character, q)
    for foot in ("LeftFoot", "RightHeel", "LeftToeTip1"):
        assert_allclose(after.point(foot), before.point(foot), atol=5e-4 if "Toe" in foot else 1e-9)
    assert_allclose(before.positions[0, 0, 2] - after.positions[0, 0, 2], 0.12, atol=1e-9)
    assert after.point("LeftShin")[0, 0] > before.point("LeftShin")[0, 0]  # knees forward


def test_soles_are_as_low_as_the_solids():
    """Against points spread over the surfaces, of a foot turned every way it may tilt."""
    character = presets.biped180()
    settings = settings_for(character, Planning())
    soles = Soles.of(settings.figure, ["LeftFoot"])
    rng = np.random.default_rng(8)
    for _ in range(20):
        q = character.rest_pose()
        q[2] = 1.2
        q[3:7] = so3.exp(rng.uniform(-0.6, 0.6, 3))
        kin = Kinematics(character, q)
        lowest = np.inf
        for part in character.subtree(character.point("LeftFoot").body):
            for shape in character.bodies[part].shapes:
                radius, half, _ = np.asarray(shape.size)
                along = so3.to_matrix(shape.rotation)[:, 2] * (half if shape.kind.value == "capsule" else 0.0)
                for end in (-along, along):
                    place = kin.rotations[0, part] @ (np.asarray(shape.position) + end)
                    lowest = min(lowest, float(kin.positions[0, part, 2] + place[2] - radius))
            for name in character.bodies[part].points:
                lowest = min(lowest, float(kin.point(name)[0, 2]))
        assert soles.clearance(kin, World.flat(), np.zeros(1)).min() == pytest.approx(lowest, abs=1e-3)


def test_the_floor_is_kept_by_the_exported_motion():
    """A bulb that is drawn through the table on its way stays above it, and says so."""
    down = [
        PartialKey("Bulb", at=0.3, velocity=(0.0, 0.0, -1.5)),
        PartialKey("Bulb", position=(0.25, 0.0, 0.03)),
    ]
    settings = settings_for(LAMP, Planning(modes=7))
    free, kept = (
        solve_stance(Stance(0.6, ["Base"], down, above=above, name="dip"), settings, None)
        for above in ((), ["Bulb"])
    )
    times = np.linspace(0, 0.6, 200)
    lows = [Kinematics(LAMP, m.pose(times)).point("Bulb")[:, 2].min() for m in (free, kept)]
    assert lows[1] > -1.2e-3
    assert lows[1] > lows[0] - 1e-9
    said = [o for o in kept.outcomes(0.0) if "above the ground" in o.name]
    assert len(said) == 1
    assert said[0].met
