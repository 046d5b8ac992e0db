"""Kinodynamic states: against MuJoCo, closed forms and themselves (any order, batch, thread count)."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise.character import Body, Character, Joint, Mass, presets
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Kinematics
from poise.methods.loosen.simulate.gains import inertia_of, resolve
from poise.methods.loosen.simulate.simulator import Simulator
from poise.motion import Clip, operators
from poise.operations.loosen import Loosen, Simulation
from poise.operations.values.tension import TENSIONS, Spring
from poise.workers import on_threads


@pytest.fixture(scope="module")
def punch() -> Clip:
    return operators.trim(clips.get("punch"), 0.4, 1.2)


def test_first_order_states_are_mujocos(punch):
    mujoco = pytest.importorskip("mujoco")
    from poise.dynamics.mujoco_model import model

    clip = operators.resample(punch, 50)
    character = clip.character
    simulator = Simulator(clip, "relaxed", Simulation(root="driven", order=1, step=0.01))
    times, window, h = clip.times[[20, 27]], 0.3, 0.01
    ours, _ = simulator.states(times, window)
    kp, kd = (g[0] for g in simulator.gains)
    engine = model(character)
    engine.opt.timestep, engine.opt.integrator = h, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    engine.dof_damping[:] = kd + h * kp
    engine.jnt_stiffness[:] = 0.0
    engine.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data, error = mujoco.MjData(engine), np.zeros(character.nv)
    for t, mine in zip(times, ours):
        grid = t + np.arange(-30, 1) * h
        q, v = simulator.reference.table(grid)
        data.qpos[:], data.qvel[:] = q[0], v[0]
        for k in range(30):
            mujoco.mj_differentiatePos(engine, error, 1.0, data.qpos, q[k + 1])
            data.qfrc_applied[:] = kp * error
            mujoco.mj_step(engine, data)
        np.testing.assert_allclose(character.manifold.minus(mine, data.qpos), 0, atol=1e-10)


def oscillator(stiffness: float, damping: float, mass: float, drive) -> tuple[Clip, Spring]:
    """A mass on a slide whose reference moves as ``drive(t)``."""
    character = Character(
        "mass", [Body("m", None, Joint.slide((1, 0, 0)), mass=Mass(mass, (0, 0, 0), (1e-3,) * 3))]
    )
    t = np.arange(0, 601) / 200
    return Clip(character, drive(t)[:, None], 200), Spring(stiffness=stiffness, damping=damping)


@pytest.mark.parametrize(("order", "expected"), [(1, 1.0), (2, 2.0)])
def test_order_of_the_integrators_against_the_closed_form(order, expected):
    # Reference at rest after a ramp: x'' + 2ζω x' + ω² x = ω² x_K with x_K = sin(3t); steady state known.
    mass, omega, zeta, w = 2.0, 9.0, 0.4, 3.0
    clip, tension = oscillator(mass * omega**2, 2 * zeta * omega * mass, mass, lambda t: np.sin(w * t))
    at, window = 2.5, 2.0  # decayed by exp(−ζω·2) from the start's difference, accounted for below
    start = at - window
    # Exact solution: particular plus homogeneous from x_K's own state at the window's start.
    response = omega**2 / (omega**2 - w**2 + 2j * zeta * omega * w)
    steady = lambda t: (response * np.exp(1j * w * t)).imag  # noqa: E731
    slope = lambda t: (1j * w * response * np.exp(1j * w * t)).imag  # noqa: E731
    a, b = np.sin(w * start) - steady(start), w * np.cos(w * start) - slope(start)
    damped = omega * np.sqrt(1 - zeta**2)
    decay = np.exp(-zeta * omega * window)
    phase = damped * window
    truth = steady(at) + decay * (a * np.cos(phase) + (b + zeta * omega * a) / damped * np.sin(phase))
    errors = []
    for step in (0.0025, 0.00125, 0.000625):
        options = Simulation(gravity="off", root="driven", order=order, step=step)
        errors.append(abs(Simulator(clip, tension, options).states([at], window)[0][0, 0] - truth))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > expected - 0.25).all(), (errors, orders)


def test_keyed_tension_keeps_the_second_order(punch):
    # Against a very fine run: halving the step quarters the error although the gains change on the way.
    keyed, at = [(0.2, 9.0), (0.6, 2.0)], 0.65
    errors = []
    fine = Simulator(punch, keyed, Simulation(step=0.0005)).states([at], 0.4)[0][0]
    for step in (0.00834, 0.00417, 0.00209):
        state = Simulator(punch, keyed, Simulation(step=step)).states([at], 0.4)[0][0]
        errors.append(np.abs(punch.character.manifold.minus(state, fine)).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 1.6).all(), (errors, orders)


def test_stiff_springs_follow_whatever_the_step(punch):
    for order in (1, 2):
        stiff = poise.loosen(punch, 200.0, 0.2, order=order, gravity="off", dampers="reference").clip
        before, after = (Kinematics(c.character, c.q).positions for c in (punch, stiff))
        assert np.abs(after - before).max() < 0.02
        assert np.isfinite(stiff.q).all()


def test_states_do_not_depend_on_company_order_or_threads(punch):
    simulator = Simulator(punch, "relaxed")
    windows = np.linspace(0.1, 0.4, punch.frames)
    together, _ = simulator.states(punch.times, windows)
    backwards, _ = simulator.states(punch.times[::-1], windows[::-1])
    np.testing.assert_array_equal(together, backwards[::-1])
    alone = np.concatenate([simulator.states([t], w)[0] for t, w in zip(punch.times, windows)])
    np.testing.assert_array_equal(together, alone)
    some = [3, 17, 4, 30]
    np.testing.assert_array_equal(simulator.states(punch.times[some], windows[some])[0], together[some])
    for count in (1, 3):
        with on_threads(count):
            np.testing.assert_array_equal(simulator.states(punch.times, windows)[0], together)


def test_nothing_before_the_window_matters(punch):
    window, at = 0.3, 36
    changed = np.array(punch.q)
    first = at - round(window * punch.fps) - 3  # cubic evaluation reaches one frame further
    changed[:first] = punch.q[0]
    other = punch.with_q(changed)
    one, two = (Simulator(c, "loose").states([punch.times[at]], window)[0] for c in (punch, other))
    np.testing.assert_array_equal(one, two)


def test_longer_windows_approach_full_dynamics(punch):
    simulator = Simulator(punch, "firm")
    full = simulator.full()
    hand = lambda q: Kinematics(punch.character, q).point("RightHandCentre")[25:]  # noqa: E731
    errors = [np.abs(hand(simulator.states(punch.times, w)[0]) - hand(full)).max() for w in (0.1, 0.2, 0.4)]
    assert errors[0] > 2 * errors[1] > 4 * errors[2]
    assert errors[2] < 1e-3


def test_gravity_sags_unless_off_or_compensated():
    clip = Clip(clips.get("wave").character, [clips.get("wave").q[100]] * 60, 60)
    height = lambda c: Kinematics(c.character, c.q).point("RightHandCentre")[-1, 2]  # noqa: E731
    kinematic = height(clip)
    sagged = height(poise.loosen(clip, "relaxed", 0.8, gravity="on").clip)
    assert sagged < kinematic - 0.01
    assert height(poise.loosen(clip, "relaxed", 0.8, gravity="off").clip) == pytest.approx(
        kinematic, abs=1e-6
    )
    held = height(poise.loosen(clip, "relaxed", 0.8, gravity="compensated").clip)
    assert held == pytest.approx(kinematic, abs=1e-6)


def test_a_prescribed_root_is_where_it_was_and_a_driven_one_lags(punch):
    held = poise.loosen(punch, "relaxed", 0.3).clip
    np.testing.assert_array_equal(held.q[:, :7], punch.q[:, :7])
    driven = poise.loosen(punch, "relaxed", 0.3, root="driven", gravity="off").clip
    assert np.abs(driven.q[:, :3] - punch.q[:, :3]).max() > 0.005


def test_a_loosened_loop_is_a_loop():
    walk = clips.get("walk")
    loose = poise.loosen(walk, "relaxed", 0.4).clip
    assert loose.loop
    # The same frames of the unrolled walk, in its middle, are the same motion.
    long = poise.loosen(operators.unroll(walk, 3), "relaxed", 0.4).clip
    middle = long.q[walk.frames : 2 * walk.frames].copy()
    middle[:, 0] -= walk.travel.translation[0]
    np.testing.assert_allclose(walk.character.manifold.minus(middle, loose.q), 0, atol=1e-9)


@pytest.mark.parametrize("name", ["jump", "punch", "walk"])
def test_the_look_does_not_change_with_the_frame_rate(name):
    # Versions of one motion at 30, 60 and 120 fps agree within 1 % of the deviation that KD adds. (What a
    # capture loses by being thinned out is another matter: a walk thinned to 30 fps has itself moved 1 cm.)
    source = clips.get(name)
    base = operators.resample(operators.unroll(source, 2) if source.loop else source, 30)
    shown = {}
    for rate in (30, 60, 120):
        clip = operators.resample(base, rate)
        # Of springs: contacts begin and end at frames.
        loose = poise.loosen(clip, "relaxed", 0.4, contacts=False, step=0.0042).clip
        shown[rate] = [Kinematics(c.character, c.q[:: rate // 30]).positions for c in (clip, loose)]
    added = np.abs(shown[120][1] - shown[120][0]).max()
    assert added > 0.02
    for rate in (30, 60):
        assert np.abs(shown[rate][1] - shown[120][1]).max() < 0.01 * added


def test_tension_by_limb_and_over_time(punch):
    character = punch.character
    gains = resolve(character, {"*": "firm", "right arm": 2.0, "Head": Spring(stiffness=30.0)})
    kp = gains.stiffness[0]
    firm = resolve(character, "firm").stiffness[0]
    arm, head, left = character.dofs("RightArm"), character.dofs("Head"), character.dofs("LeftArm")
    np.testing.assert_allclose(kp[left], firm[left])
    np.testing.assert_allclose(kp[arm], firm[arm] * (2.0 / TENSIONS["firm"].frequency) ** 2)
    np.testing.assert_allclose(kp[head], 30.0)
    keyed = [(0.0, 8.0), (0.8, 2.0)]
    over = resolve(character, keyed, np.array([0.0, 0.4, 0.8]))
    np.testing.assert_allclose(over.stiffness[1] / over.stiffness[0], 0.25)  # half way down in octaves
    loose = poise.loosen(punch, keyed, 0.3).clip
    late = np.abs(loose.q - poise.loosen(punch, 8.0, 0.3).clip.q).max(axis=1)
    assert late[0] < 1e-6 < 0.05 < late[-5:].max()


def test_one_spring_serves_all_joints_alone_and_in_keys(punch):
    spring, other = Spring(3.0, 0.4), Spring(stiffness=40.0, damping=2.0)
    for short, long in (
        (spring, {"*": spring}),
        ([(0.1, spring), (0.5, other)], [(0.1, {"*": spring}), (0.5, {"*": other})]),
    ):
        one, two = (poise.loosen(punch, tension, 0.3).clip.q for tension in (short, long))
        np.testing.assert_array_equal(one, two)
        assert np.abs(one - poise.loosen(punch, "relaxed", 0.3).clip.q).max() > 1e-2


def test_frequency_is_the_frequency_one_sees():
    # A single hinge: the spring swings at the frequency asked for and decays at the ratio asked for.
    rod = Mass(2.0, (0, 0, -0.3), (0.06, 0.06, 1e-3))
    character = Character("rod", [Body("rod", None, Joint.hinge((0, 1, 0)), mass=rod)])
    inertia = inertia_of(character)[0]
    assert inertia == pytest.approx(0.06 + 2.0 * 0.09)
    kp, kd = (g[0, 0] for g in resolve(character, Spring(3.0, 0.2)))
    assert np.sqrt(kp / inertia) / (2 * np.pi) == pytest.approx(3.0)
    assert kd / (2 * np.sqrt(kp * inertia)) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tension": "floppy"}, "no tension named 'floppy'"),
        ({"tension": {"left wing": 2.0}}, "left wing"),
        ({"tension": -1.0}, "not negative"),
        ({"tension": float("nan")}, "finite"),
        ({"window": -0.1}, "'window'.* > 0"),
        ({"window": float("inf")}, "window must be a finite number"),
        ({"window": "forever"}, "'forever'.* auto or adaptive"),
        ({"window": [0.1, 0.2]}, "one for each"),
        ({"gravity": "up"}, "'up'.* on, off or compensated"),
        ({"root": "loose"}, "'loose'.* prescribed or driven"),
        ({"step": 0.0}, "'step'.* > 0"),
        ({"order": 3}, "'order'.* 1 or 2"),
        ({"tension": [(1.0, 2.0), (0.5, 3.0)]}, "increasing"),
    ],
)
def test_bad_input_is_named(punch, arguments, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        poise.loosen(punch, **{"window": 0.2, **arguments})


def test_a_limb_without_mass_is_named():
    character = Character(
        "ghost",
        [Body("a", None, Joint.ball(), mass=Mass(1, (0, 0, 0), (1, 1, 1))), Body("b", "a", Joint.ball())],
    )
    clip = Clip(character, [character.rest_pose()] * 5, 30)
    with pytest.raises(InputError, match=r"b\.rx of 'ghost' moves no mass"):
        poise.loosen(clip, "relaxed", 0.1)


def test_one_state_on_demand_is_the_frames(punch):
    loose = poise.loosen(punch, "loose", 0.3).clip
    simulator = Simulator(punch, "loose", Loosen())
    np.testing.assert_array_equal(simulator.states([punch.times[20]], 0.3)[0][0], loose.q[20])
    between, _ = simulator.states([punch.times[20] + 0.004], 0.3)
    assert np.isfinite(between).all()


def test_keyed_tension_repeats_with_a_loop():
    walk = clips.get("walk")
    keyed = [(0.0, "tense"), (0.5 * walk.duration, "loose"), (walk.duration, "tense")]
    simulator = Simulator(walk, keyed)
    times = walk.times[[3, 20, 45, 60]]
    one, two = (simulator.states(times + k * walk.duration, 0.3)[0] for k in (0, 1))
    two[:, 0] -= walk.travel.translation[0]
    np.testing.assert_allclose(walk.character.manifold.minus(two, one), 0, atol=1e-9)


def test_the_automatic_window_copes_with_light_fingers():
    biped = Clip(presets.get("biped180"), [presets.get("biped180").rest_pose()] * 8, 30)
    assert np.isfinite(poise.loosen(biped, "relaxed").clip.q).all()


def test_real_captures_are_loosened_with_the_automatic_window(shared_data):
    from poise import formats

    for name in ("143_01", "02_01"):
        clip = formats.load(shared_data / "cmu_cgspeed_bvh" / f"{name}.bvh")
        if clip.frames > 120:
            clip = operators.trim(clip, frames=(0, 119))
        loose = poise.loosen(clip, "relaxed").clip
        assert np.isfinite(loose.q).all()


@pytest.mark.parametrize(
    "tension", [None, [1, 2, 3], [("a", "firm")], (0, "firm", 3), True, {"*": None}], ids=str
)
def test_tensions_that_are_none_are_refused(punch, tension):
    with pytest.raises(InputError, match="tension"):
        poise.loosen(punch, tension, 0.2)


def test_absurd_windows_are_refused(punch):
    with pytest.raises(InputError, match="too long"):
        poise.loosen(punch, "relaxed", 1e6)
    assert np.isfinite(poise.loosen(punch, np.int64(3), 0.2).clip.q).all()


def test_a_leg_thrown_round_within_a_frame_does_not_run_away(punch):
    """At the usual step such windows grow to 1e20 and more, all of it finite: they are simulated finer."""
    q = np.array(punch.q)
    hip = punch.character.dofs(punch.character.index("LeftUpLeg"))
    throw = np.zeros((len(q) - 10, punch.character.nv))
    throw[:, hip] = [0.3, -2.2, 1.4]
    q[10:] = punch.character.manifold.plus(q[10:], throw)
    thrown = punch.with_q(q)
    usual = Simulator(thrown, "relaxed")._states(np.asarray(thrown.times), 0.5)
    assert Simulator(thrown, "relaxed").runaway(*usual).any()  # the case is one
    springs = {"contacts": False, "joint_limits": False}
    loose = poise.loosen(thrown, "relaxed", 0.5, **springs).clip
    assert np.abs(loose.q).max() < 15  # a shin may whirl round
    fine = poise.loosen(thrown, "relaxed", 0.5, step=0.0005, **springs).clip
    late = slice(44, None)  # when it has swung out
    away = punch.character.manifold.minus(loose.q[late], fine.q[late])
    assert np.abs(away).max() < 0.05
