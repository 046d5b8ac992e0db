"""A long jump: the hint for its timing, the automatic fix, and a pose edited in flight. Figs. 5, 6 and 9."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenes import example

import poise
from poise.kinematics import Kinematics
from poise.methods.key.path.hint import Hint

G = 9.81
FEET = [f"{side}{point}" for side in ("Left", "Right") for point in ("Heel", "Ball", "Toe")]


@pytest.fixture(scope="module")
def jump():
    return example("11_long_jump").scene()


@pytest.fixture(scope="module")
def module():
    return example("11_long_jump")


@pytest.fixture(scope="module")
def baked(jump, module):
    return poise.key(jump.fixed, fps=module.FPS, end=module.END)


def due(path, arc):
    """When the arc ends: t_s + √(2 (H − z_s)/g) + √(2 (H − z_e)/g)."""
    start, end = path.keys[arc], path.keys[arc + 1]
    height = start.template.height
    return start.time + sum(math.sqrt(2 * (height - key.position[2]) / G) for key in (start, end))


def parabola(tracks, count=50):
    """Times in the air, the centre of mass there, and where it should be by the keys alone."""
    spin = tracks.spins[0]
    start, end = (next(k for k in tracks.path.keys if k.time == t) for t in (spin.start, spin.end))
    t = np.linspace(spin.start, spin.end, count)
    a, b = np.asarray(start.position), np.asarray(end.position)
    lasts, since = spin.end - spin.start, (t - spin.start)[:, None]
    fall = np.array([0.0, 0.0, 0.5 * G])
    arc = a + since * ((b - a) / lasts + fall * lasts) - fall * since**2
    return t, Kinematics(tracks.character, tracks.at(t).q).com, arc


def test_the_draft_is_well_timed(jump):
    assert jump.draft.path.hints == ()


def test_a_higher_apex_makes_a_hint(jump, module):
    (hint,) = jump.raised.path.hints
    late = due(jump.raised.path, module.ARC) - jump.raised.path.keys[module.ARC + 1].time
    assert hint.kind == Hint.TIMING
    assert hint.key == module.ARC + 1
    assert hint.amount == pytest.approx(late, abs=1e-12)
    assert hint.words == (
        "the arc to 1.20 m takes 0.50 s, the keys leave 0.42 s: move the landing 0.082 s later"
    )


def test_until_it_is_fixed_the_arc_is_too_low(jump):
    _, com, arc = parabola(jump.raised)
    np.testing.assert_allclose(com, arc, atol=1e-9)
    assert jump.height - com[:, 2].max() > 0.05


def test_the_fix_moves_the_landing_and_all_after_it(jump, module):
    before, after = jump.raised.path.keys, jump.fixed.path.keys
    assert jump.fixed.path.hints == ()
    assert after[module.ARC + 1].time == pytest.approx(due(jump.raised.path, module.ARC), abs=1e-12)
    moved = np.array([b.time - a.time for a, b in zip(before, after)])
    np.testing.assert_array_equal(moved[: module.ARC + 1], 0.0)
    np.testing.assert_allclose(moved[module.ARC + 1 :], moved[-1], atol=1e-12)
    pins = [(t.pin_named("LeftHeel 2").gains.keys[1].time) for t in (jump.raised, jump.fixed)]
    assert pins[1] - pins[0] == pytest.approx(moved[-1], abs=1e-12)


def test_flies_on_a_parabola_to_the_wanted_height(jump):
    _, com, arc = parabola(jump.fixed)
    np.testing.assert_allclose(com, arc, atol=1e-9)
    rising = arc[1, 2] - arc[0, 2]
    assert rising > 0
    assert jump.fixed.path.at(np.linspace(*jump.flight, 20001)).position[:, 2].max() == pytest.approx(
        jump.height, abs=1e-8
    )


def test_a_pose_edited_in_flight_leaves_the_centre_of_mass(jump):
    _, before, arc = parabola(jump.fixed)
    t, after, _ = parabola(jump.edited)
    np.testing.assert_allclose(after, arc, atol=1e-9)
    np.testing.assert_allclose(after, before, atol=1e-9)
    moved = jump.fixed.character.manifold.minus(jump.edited.at(t).q, jump.fixed.at(t).q)
    assert np.degrees(np.abs(moved[:, 6:])).max() > 60.0
    # Both land in the same pose.
    np.testing.assert_allclose(jump.edited.at(t[-1:]).q, jump.fixed.at(t[-1:]).q, atol=1e-9)


def test_angular_momentum_is_constant(jump):
    for tracks in (jump.fixed, jump.edited):
        spin, manifold, step = tracks.spins[0], tracks.character.manifold, 5e-4
        t = np.linspace(spin.start + 2e-3, spin.end - 2e-3, 30)
        t = t[np.abs(t[:, None] - np.asarray(tracks.key_times)).min(axis=1) > 2 * step]
        q = [tracks.at(t + k * step).q for k in (-2, -1, 0, 1, 2)]
        back, near, ahead, far = (manifold.minus(q[k], q[2]) for k in (0, 1, 3, 4))
        velocity = (8 * (ahead - near) - (far - back)) / (12 * step)
        momentum = Kinematics(tracks.character, q[2], velocity).momentum[:, 3:]
        assert np.abs(momentum - momentum.mean(axis=0)).max() < 1e-6 * np.linalg.norm(momentum[0])


def test_everything_keyed_is_met(baked):
    assert baked.met
    assert baked.report.met
    assert not baked.report.warnings


def test_feet_are_on_the_floor_while_they_are_held(jump, baked):
    kin = Kinematics(baked.clip.character, baked.clip.q)
    for pin in jump.fixed.pins:
        held = pin.gain(baked.clip.times) > 1 - 1e-9
        assert held.any()
        gap = np.linalg.norm(kin.point(pin.name.split()[0])[held] - pin.targets.keys[0].value, axis=1)
        assert gap.max() < 1e-4, pin.name
    lowest = np.stack([kin.point(point)[:, 2] for point in FEET])
    assert lowest.min() > -1e-3
    length = kin.point("LeftHeel")[-1, 0] - kin.point("LeftToe")[0, 0]
    assert 2.2 < length < 2.4


def test_limits_are_kept(baked):
    character = baked.clip.character
    values = character.manifold.minus(baked.clip.q, character.manifold.neutral())[:, 6:]
    assert (values >= character.lower[6:] - 1e-9).all()
    assert (values <= character.upper[6:] + 1e-9).all()


def test_it_is_plausible(baked):
    report = poise.check(baked).report
    assert report.plausible
    (flight,) = report.flights
    assert flight.parabola.gravity == pytest.approx(G, abs=0.01)
