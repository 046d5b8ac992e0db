"""Windows: closed forms against brute force, chosen windows against full dynamics, and only the near past."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from poise import clips
from poise.arrays import Array
from poise.character import Body, Character, Joint, Mass
from poise.dynamics import gravity_force
from poise.errors import InputError
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.window.from_modes import excitation, impulse_window, modal_window
from poise.methods.loosen.window.length import adaptive, auto, choose, oscillator_window
from poise.methods.loosen.window.truncation import Nodes, Truncation, rms
from poise.motion import Clip
from poise.operations.loosen import Simulation
from poise.operations.values.tension import Spring

# One oscillator ------------------------------------------------------------------------------------------

MASS, STIFFNESS, SPEED = 1.7, 260.0, 0.9


def settled_by_simulation(damping: float, tolerance: float, until: float) -> float:
    """The last instant at which |x| > ε, by stepping the exact transition matrix through 200 000 steps."""
    from scipy.linalg import expm

    h = until / 200_000
    step = expm(h * np.array([[0.0, 1.0], [-STIFFNESS / MASS, -damping / MASS]]))
    # States at 0, h, 2h … by doubling.
    states = np.array([[0.0, SPEED]])
    while len(states) < 200_001:
        states = np.concatenate([states, states @ np.linalg.matrix_power(step, len(states)).T])
    outside = np.flatnonzero(np.abs(states[:200_001, 0]) > tolerance)
    return float((outside[-1] + 1) * h) if len(outside) else 0.0


RATIOS = (0.05, 0.2, 0.5, 0.9, 0.99, 0.9999, 1.0, 1.0001, 1.01, 1.3, 3.0, 12.0)


@pytest.mark.parametrize("tolerance", [2e-2, 1e-3, 1e-5])
@pytest.mark.parametrize("ratio", RATIOS)
def test_oscillator_window_is_the_time_it_takes_to_settle(ratio, tolerance):
    omega_n = math.sqrt(STIFFNESS / MASS)
    damping = 2 * ratio * math.sqrt(STIFFNESS * MASS)
    window = oscillator_window(MASS, damping, STIFFNESS, SPEED, tolerance)
    until = 1.2 * window + 0.1
    brute = settled_by_simulation(damping, tolerance, until)
    grain = 2 * until / 200_000
    if ratio >= 1:
        assert abs(window - brute) <= grain
    else:
        half_a_swing = math.pi / (omega_n * math.sqrt(1 - ratio**2))
        assert brute - grain <= window <= brute + half_a_swing + grain
        # Close to critical damping there is hardly a swing, and the critical solution is the bound.
        assert window <= oscillator_window(MASS, 2 * math.sqrt(STIFFNESS * MASS) * ratio, (
            damping**2 / (4 * MASS)), SPEED, tolerance) + grain  # fmt: skip


def test_the_paper_s_closed_forms_with_their_errata():
    m, k, v0, eps = MASS, STIFFNESS, SPEED, 1e-4
    critical = 2 * math.sqrt(k * m)
    c = 0.3 * critical
    gamma, omega = -c / (2 * m), math.sqrt(4 * m * k - c * c) / (2 * m)
    assert oscillator_window(m, c, k, v0, eps) == pytest.approx(math.log(eps * omega / v0) / gamma, rel=1e-12)
    gamma = -critical / (2 * m)
    t = oscillator_window(m, critical, k, v0, eps)
    assert v0 * t * math.exp(gamma * t) == pytest.approx(eps, rel=1e-9)  # with the factor t
    assert t > -1 / gamma  # the larger root
    c = 4 * critical
    gamma, w = -c / (2 * m), math.sqrt(c * c - 4 * m * k) / (2 * m)
    bound = math.log(2 * w * eps / v0) / (gamma + w)
    printed = math.log(w * eps / v0) / (gamma + w)
    t = oscillator_window(m, c, k, v0, eps)
    assert t == pytest.approx(bound, rel=1e-9)  # 2w: the fast exponential is long gone
    assert printed - t == pytest.approx(math.log(2) / -(gamma + w), rel=1e-6)


def test_oscillator_window_is_continuous_at_critical_damping():
    critical = 2 * math.sqrt(STIFFNESS * MASS)
    at = oscillator_window(MASS, critical, STIFFNESS, SPEED, 1e-3)
    for nudge in (1e-4, 1e-6, 1e-8, 1e-10, 1e-13):
        for side in (-1, 1):
            beside = oscillator_window(MASS, critical * (1 + side * nudge), STIFFNESS, SPEED, 1e-3)
            assert abs(beside - at) < 40 * nudge * at + 1e-7 * at, (nudge, side)


def test_oscillator_window_at_the_limits():
    assert oscillator_window(1, 0, 100, 1, 0.01) == math.inf  # swings for ever …
    assert oscillator_window(1, 0, 100, 1, 0.2) == 0  # … within the tolerance
    assert oscillator_window(1, 2, 0, 1, 0.1) == math.inf  # no spring: it stays where it stops
    assert oscillator_window(1, 2, 0, 1, 0.6) == 0
    assert oscillator_window(1, 2, 100, 0, 0.1) == 0
    assert oscillator_window(1, 2, 100, -1, 1e-3) == oscillator_window(1, 2, 100, 1, 1e-3)


@pytest.mark.parametrize(
    "arguments",
    [(0, 1, 1, 1, 1), (1, -1, 1, 1, 1), (1, 1, -1, 1, 1), (1, 1, 1, math.nan, 1), (1, 1, 1, 1, 0)],
)
def test_impossible_oscillators_are_refused(arguments):
    with pytest.raises(InputError, match="oscillator's"):
        oscillator_window(*arguments)


# Characters ----------------------------------------------------------------------------------------------


def unrolled(clip: Clip, before: float) -> tuple[Clip, int]:
    """The clip with its past of so many seconds at least: earlier cycles of a loop, else the first pose held.

    Full dynamics from its first frame has forgotten how it began when the clip proper comes.
    """
    lead = math.ceil(before * clip.fps)
    if not clip.loop:
        return clip.replaced(q=np.concatenate([np.repeat(clip.q[:1], lead, axis=0), clip.q])), lead
    cycles = -(-lead // clip.frames)
    q = [clip.travel.apply(clip.character, clip.q, k - cycles) for k in range(cycles + 2)]
    return clip.replaced(q=np.concatenate(q), loop=False, travel=None), cycles * clip.frames


def full_dynamics(simulator: Simulator, before: float) -> Array:
    """Nodes by ordinary forward dynamics long begun, (F, N, 3): none of the code that chooses windows."""
    clip, lead = unrolled(simulator.clip, before)
    whole = Simulator(clip, simulator.tension, simulator.options).full()
    return Nodes(simulator).positions(whole[lead : lead + simulator.clip.frames])


def errors_of(simulator: Simulator, windows: float | Array, full: Array) -> Array:
    """Root mean square error of nodes at each frame [m], (F,)."""
    q, _ = simulator.states(simulator.clip.times, windows)
    return rms(Nodes(simulator).positions(q) - full)


CASES = [
    ("punch", "tense"), ("punch", "relaxed"), ("punch", "loose"), ("jump", "firm"), ("jump", "loose"),
    ("walk", "firm"), ("walk", "relaxed"), ("run", "tense"), ("run", "loose"), ("planar_jump", "relaxed"),
    ("drum", "relaxed"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "tension"), CASES)
def test_chosen_windows_are_enough_and_hardly_longer_than_need_be(name, tension):
    simulator = Simulator(clips.get(name), tension)
    choice = choose(simulator)
    full = full_dynamics(simulator, 3 * choice.seconds)
    assert choice.sufficient
    assert choice.tolerance == pytest.approx(0.001 * Nodes(simulator).diameter)
    assert errors_of(simulator, choice.seconds, full).max() <= choice.tolerance
    assert errors_of(simulator, np.array(choice.windows), full).max() <= choice.tolerance
    # A window up to a third shorter would not do.
    shorter = np.arange(choice.seconds / 1.5, choice.seconds, simulator.clip.dt)
    assert max(errors_of(simulator, w, full).max() for w in shorter) > choice.tolerance
    assert choice.windows.mean() <= choice.seconds


def test_loop_for_ever_is_what_the_windows_of_a_loop_tend_to():
    # Truncation's own full dynamics against plain forward dynamics, every frame of a loop with travel.
    simulator = Simulator(clips.get("walk"), "relaxed")
    found = Truncation(simulator, stride=1)
    assert rms(found.full - full_dynamics(simulator, 4.0)).max() < 0.1 * found.tolerance


def test_auto_and_adaptive_are_the_choice():
    simulator = Simulator(clips.get("punch"), "relaxed")
    choice = choose(simulator, tolerance=0.005)
    assert auto(simulator, tolerance=0.005) == choice.seconds == choice.windows.max()
    assert_array_equal(adaptive(simulator, tolerance=0.005), choice.windows)
    assert auto(simulator, tolerance=5e-4) > choice.seconds
    assert f"to {choice.seconds:.3g} s" in str(choice)


def test_windows_follow_what_happens():
    # Standing still, a fast punch, standing still: quiet frames need much less than the punch.
    clip = clips.get("punch")
    lead, calm = int(2 * clip.fps), Simulation(gravity="compensated")
    held = [np.repeat(clip.q[[k]], lead, axis=0) for k in (0, -1)]
    simulator = Simulator(clip.replaced(q=np.concatenate([held[0], clip.q, held[1]])), "relaxed", calm)
    windows = adaptive(simulator)
    during = windows[lead : lead + clip.frames].max()
    assert windows[: lead - 10].max() < 0.2 * during
    assert windows[-10:].max() < 0.2 * during


@pytest.mark.parametrize("tension", ["tense", "firm"])
def test_a_window_depends_on_the_motion_near_it_only(tension):
    clip = clips.get("reach")
    long = np.concatenate([clip.q, clip.q[::-1], clip.q])
    simulator = Simulator(clip.replaced(q=long), tension)
    windows = adaptive(simulator)
    past, future = long.copy(), long.copy()
    shake = 0.5 * np.sin(np.arange(60))[:, None] * np.ones(clip.character.nv)
    shake[:, :6] = 0
    past[100:160] = clip.character.manifold.plus(past[100:160], shake)
    future[400:460] = clip.character.manifold.plus(future[400:460], shake)
    reach = Truncation(simulator)
    frames = (reach.horizon + reach.horizon // 4 + 2) * reach.stride + int(5 / reach.decay * clip.fps)
    after = adaptive(Simulator(clip.replaced(q=past), tension))
    assert not np.array_equal(after, windows)
    assert 160 + frames < len(long) - 100
    assert_array_equal(after[160 + frames :], windows[160 + frames :])
    before = adaptive(Simulator(clip.replaced(q=future), tension))
    ahead = reach.stride + 2  # velocities at frames, and the next grid point
    assert_array_equal(before[: 400 - ahead], windows[: 400 - ahead])
    assert not np.array_equal(before, windows)
    # Not even the last bits of what they are compared with, nor the clip's length, carry far.
    cut = Truncation(Simulator(clip.replaced(q=past[:450]), tension)).full
    assert_array_equal(cut[-80:-4], reach.full[len(cut) - 80 : len(cut) - 4])


def test_what_swings_too_long_is_cut_off_and_said_so():
    simulator = Simulator(clips.get("planar_jump"), "drunk")
    choice = choose(simulator, longest=1.0)
    assert not choice.sufficient
    assert choice.windows.max() <= 1.0
    full = full_dynamics(simulator, 12.0)
    errors = errors_of(simulator, np.array(choice.windows), full)
    assert errors[choice.capped].max() > choice.tolerance
    spared = np.setdiff1d(np.arange(simulator.clip.frames), choice.capped)
    assert errors[spared].max(initial=0.0) <= choice.tolerance
    assert "would need more than 1 s" in str(choice)
    assert choice.error > choice.tolerance


@pytest.mark.parametrize(
    ("tension", "options"),
    [
        ([(0.0, "tense"), (1.0, "loose")], Simulation()),
        ("relaxed", Simulation(gravity="compensated", dampers="reference")),
        ("relaxed", Simulation(root="driven", gravity="off")),
        ({"*": "firm", "right arm": "loose"}, Simulation()),
    ],
)
def test_windows_for_every_kind_of_simulation(tension, options):
    simulator = Simulator(clips.get("punch"), tension, options)
    choice = choose(simulator)
    found = Truncation(simulator, stride=1, tolerance=0.1 * choice.tolerance)
    assert choice.sufficient
    assert errors_of(simulator, choice.seconds, found.full).max() <= choice.tolerance
    assert errors_of(simulator, np.array(choice.windows), found.full).max() <= choice.tolerance


def test_nothing_to_swing_needs_nothing():
    box = Character("box", [Body("box", None, Joint.free(), mass=Mass(1.0, (0, 0, 0), (0.1, 0.1, 0.1)))])
    q = np.tile(box.rest_pose(), (5, 1))
    assert auto(Simulator(Clip(box, q, 30), "relaxed"), tolerance=1e-3) == pytest.approx(1 / 30)
    with pytest.raises(InputError, match="single point"):
        auto(Simulator(Clip(box, q, 30), "relaxed"))


@pytest.mark.parametrize("bad", [{"tolerance": 0.0}, {"tolerance": math.nan}, {"longest": -1.0}])
def test_impossible_wishes_are_refused(bad):
    with pytest.raises(InputError, match="positive"):
        choose(Simulator(clips.get("punch"), "relaxed"), **bad)


# Predictions from modes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "tension"), [("punch", "firm"), ("jump", "relaxed"), ("walk", "relaxed")])
def test_modal_windows_are_enough_where_one_impulse_is_not(name, tension):
    simulator = Simulator(clips.get(name), tension)
    chosen = choose(simulator)
    modal = modal_window(simulator)
    assert chosen.seconds / 1.35 < modal < 3 * chosen.seconds
    full = full_dynamics(simulator, 3 * chosen.seconds)
    assert errors_of(simulator, modal, full).max() <= chosen.tolerance
    paper = max(impulse_window(simulator), simulator.clip.dt)
    assert errors_of(simulator, paper, full).max() > 3 * chosen.tolerance


def test_modal_window_of_one_mass_is_its_oscillator_s_tail():
    # A mass on a slide, pushed by at most a: what is left after δ is a ∫_δ^∞ |G|, here by the envelope.
    mass, k, c, eps = 2.0, 50.0, 4.0, 1e-3
    body = Body("m", None, Joint.slide((1, 0, 0)), mass=Mass(mass, (0, 0, 0), (1e-3,) * 3))
    clip = Clip(Character("mass", [body]), 0.05 * np.sin(9 * np.arange(0, 300) / 100)[:, None], 100)
    options = Simulation(root="driven", gravity="off", dampers="reference")
    simulator = Simulator(clip, Spring(stiffness=k, damping=c), options)
    force = excitation(simulator)
    inside = slice(2, -2)
    expected = mass * 0.05 * 81 * np.sin(9 * clip.times)
    assert_allclose(force[inside, 0], expected[inside], atol=0.01 * mass * 0.05 * 81)
    gamma, omega = c / (2 * mass), math.sqrt(k / mass - (c / (2 * mass)) ** 2)
    pushed = float(np.abs(force).max()) / mass
    assert modal_window(simulator, tolerance=eps) == pytest.approx(
        math.log(pushed / (eps * omega * gamma)) / gamma, rel=1e-6
    )
    # Dampers fixed to rest drag as well.
    dragged = Simulator(clip, Spring(stiffness=k, damping=c), Simulation(root="driven", gravity="off"))
    drag = -c * 0.05 * 9 * np.cos(9 * clip.times)
    assert_allclose((excitation(dragged) - force)[inside, 0], drag[inside], atol=0.01 * c * 0.45)
    limp = Simulator(clip, Spring(stiffness=k, damping=0.0), options)
    assert modal_window(limp, tolerance=eps) == math.inf


def test_excitation_of_a_still_pose_is_its_weight():
    clip = clips.get("punch")
    still = clip.replaced(q=np.repeat(clip.q[:1], 6, axis=0))
    assert_allclose(excitation(Simulator(still)), -gravity_force(clip.character, still.q), atol=1e-9)
    assert_allclose(excitation(Simulator(still, options=Simulation(gravity="compensated"))), 0, atol=1e-9)
    assert_allclose(excitation(Simulator(still, options=Simulation(gravity="off"))), 0, atol=1e-9)
