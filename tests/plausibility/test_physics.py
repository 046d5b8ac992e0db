"""Measured quantities against closed forms and independent formulas."""

from __future__ import annotations

import numpy as np
import pytest
from known_bodies import brick, flailing, lever, standing, thrown

from poise import Clip, characters, clips, dynamics
from poise.contacts.differentiated_clip import measured
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.plausibility.physics import physics
from poise.plausibility.polygon import distance_outside, nearest_inside, support_polygon
from poise.plausibility.torques import turning
from poise.world import World


def test_parabolas_and_constant_spins_are_differentiated_exactly():
    clip = thrown(9.81, spin=3.0)
    take = measured(clip, None)
    inner = slice(1, -1)
    assert np.allclose(take.acceleration[inner, 2], -9.81, atol=1e-8)
    assert np.allclose(take.acceleration[inner, 3:], 0, atol=1e-8)
    assert np.allclose(take.kin.v[:, 4], 3.0, atol=1e-9)
    assert np.allclose(take.kin.v[:, 2], 2.0 - 9.81 * clip.times, atol=1e-9)


def test_differences_are_of_second_order(rng):
    """Halving the frame time quarters the error of velocity and acceleration."""
    seed = int(rng.integers(1 << 30))
    errors = []
    for fps in (200, 400):
        make = np.random.default_rng(seed)
        clip, fine = flailing(make, fps), flailing(np.random.default_rng(seed), 3200)
        step = 3200 // fps
        take, truth = measured(clip, None), measured(fine, None)
        v = take.kin.v[2:-2] - truth.kin.v[2 * step : -2 * step : step]
        a = take.acceleration[2:-2] - truth.acceleration[2 * step : -2 * step : step]
        errors.append((np.abs(v).max(), np.abs(a).max()))
    ratio = np.array(errors[0]) / np.array(errors[1])
    assert (ratio > 3.4).all()
    assert (ratio < 4.6).all()


@pytest.mark.parametrize("gravity", [9.81, 1.62, 39.24])
def test_a_thrown_brick_implies_its_gravity_and_keeps_its_spin(gravity):
    found = physics(thrown(gravity, spin=2.0, up=0.25 * gravity), cutoff=None)
    (flight,) = (p for p in found.phases if p.kind == "flight")
    fit = flight.parabola
    assert fit.gravity == pytest.approx(gravity, rel=1e-9)
    assert np.allclose(fit.drift, 0, atol=1e-8)
    assert fit.velocity[0] == pytest.approx(1.5, abs=1e-8)
    inertia = brick().bodies[0].mass.inertia[1, 1]
    assert np.allclose(found.forces.momentum[1:-1, 4], 2.0 * inertia, rtol=1e-6)
    assert np.allclose(found.forces.force[2:-2, 2], 4.0 * (found.forces.gravity - gravity), atol=1e-6)


def test_simulated_free_fall_keeps_momentum(rng):
    """A humanoid that tumbles with loose joints: gravity and momentum as the simulation had them."""
    clip = flailing(rng, 50)
    character, q, v = clip.character, clip.q[:1], clip.velocity[5:6]
    frames = [q]
    for _ in range(60):
        q, v = dynamics.simulate(character, q, v, step=1 / 9600, steps=80)
        frames.append(q)
    found = physics(Clip(character, np.concatenate(frames), 120), cutoff=None)
    assert [p.kind for p in found.phases] == ["flight"]
    assert found.phases[0].parabola.gravity == pytest.approx(9.81, rel=1e-3)
    spin = found.forces.momentum[2:-2, 3:]
    assert np.linalg.norm(spin - spin.mean(axis=0), axis=1).max() < 0.01 * np.linalg.norm(spin.mean(axis=0))
    assert np.abs(found.forces.force[3:-3]).max() < 0.02 * character.total_mass * 9.81


def test_standing_pushes_with_the_weight_from_below_the_centre_of_mass():
    found = physics(standing(), cutoff=None)
    total, com = found.forces, found.take.kin.com
    assert np.allclose(total.force, [0, 0, 75.0 * 9.81], atol=1e-6)
    assert np.allclose(total.pressure, com[:, :2], atol=1e-9)
    assert np.allclose(total.friction, 0, atol=1e-9)
    assert [(p.kind, p.parts) for p in found.phases] == [("support", ("left foot", "right foot"))]


def test_static_torques_of_joints_beyond_the_contacts_are_sums_of_weights():
    clip = standing()
    found = physics(clip, cutoff=None)
    character, kin = clip.character, Kinematics(clip.character, clip.q[:1])
    for name in ("LeftArm", "LeftForeArm", "Head", "Chest"):
        i, moment = character.index(name), np.zeros(3)
        for k in character.subtree(i):
            mass = character.bodies[k].mass
            arm = kin.positions[0, k] + kin.rotations[0, k] @ np.asarray(mass.centre) - kin.positions[0, i]
            moment -= np.cross(arm, [0, 0, -9.81 * mass.mass])
        turn = kin.rotations[0, i]
        joint = character.bodies[i].joint
        expected = turn.T @ moment if joint.nv == 3 else [(turn.T @ moment) @ np.asarray(joint.axis)]
        assert np.allclose(found.torques.tau[5, character.dofs(i)], expected, atol=1e-7), name


def test_two_feet_carry_half_each():
    """Standing evenly, a knee feels half the push at the centre of pressure, less the shank's weight."""
    clip = standing()
    clip = clip.with_q(np.repeat(clip.character.rest_pose()[None], clip.frames, axis=0))
    found = physics(clip, cutoff=None)
    character, kin = clip.character, Kinematics(clip.character, clip.q[:1])
    push = 0.5 * 9.81 * character.total_mass
    for side in ("Left", "Right"):
        i = character.index(f"{side}Leg")
        feet = kin.positions[0, character.index(f"{side}Foot"), 1]
        spot = np.array([found.forces.pressure[5, 0], feet, 0.0])
        moment = np.cross(spot - kin.positions[0, i], [0, 0, push])
        for k in character.subtree(i):
            mass = character.bodies[k].mass
            arm = kin.positions[0, k] + kin.rotations[0, k] @ np.asarray(mass.centre) - kin.positions[0, i]
            moment += np.cross(arm, [0, 0, -9.81 * mass.mass])
        axis = kin.rotations[0, i] @ np.asarray(character.bodies[i].joint.axis)
        assert found.torques.tau[5, character.dofs(i)] == pytest.approx([-axis @ moment], abs=1e-3), side
    assert np.allclose(found.torques.tau[5, :6], 0, atol=1e-5)


@pytest.mark.parametrize("angle", [0.0, 0.1, -0.12])
def test_the_push_of_the_floor_reaches_the_joints_between(angle):
    """Root above, foot below: the ankle's torque comes from the floor alone, m g l sin φ; nothing is left on
    the root."""
    found = physics(lever(angle), cutoff=None)
    ankle = found.torques.tau[10, 6]
    assert ankle == pytest.approx(10.0 * 9.81 * 0.8 * np.sin(angle), abs=1e-5)
    assert np.allclose(found.torques.tau[10, :6], 0, atol=1e-5)
    assert found.forces.pressure[10, 0] == pytest.approx(0.8 * np.sin(angle), abs=1e-9)


def test_where_support_is_unexplained_no_torque_is_known():
    """Leaning far beyond the toes: nothing there could hold it, so nothing is said about its ankle."""
    assert np.isnan(physics(lever(0.6), world=World.flat(), cutoff=None).torques.tau[10]).all()


def test_torques_and_forces_are_not_mixed():
    """Of joints that also slide only the turning counts [N·m], whatever force [N] they bear."""
    character = characters.get("humanoid")
    tau = np.zeros((1, character.nv))
    tau[0, character.dofs(0)] = [300.0, 400.0, 0.0, 1.0, 2.0, 2.0]
    assert turning(character, tau)[0, 0] == pytest.approx(3.0)


def test_total_wrench_is_that_of_inverse_dynamics(rng):
    """Rate of momentum against the recursive Newton–Euler root wrench: two formulas, one physics."""
    clip = flailing(rng, 2000, 0.15)
    found = physics(clip, cutoff=None)
    take, character = found.take, clip.character
    tau = dynamics.inverse_dynamics(character, take.kin.q, take.kin.v, take.acceleration)
    assert np.array(character.tree.armature)[:6].max() == 0
    inner = slice(4, -4)
    force = tau[inner, :3]
    root, com = take.kin.positions[inner, 0], take.kin.com[inner]
    moment = np.einsum("fij,fj->fi", take.kin.rotations[inner, 0], tau[inner, 3:6]) + np.cross(
        root - com, force
    )
    assert np.abs(found.forces.force[inner] - force).max() < 2e-3 * np.abs(force).max()
    assert np.abs(found.forces.moment[inner] - moment).max() < 2e-3 * np.abs(moment).max()


def test_the_push_has_no_tipping_moment_about_the_centre_of_pressure(rng):
    found = physics(flailing(rng, 500), cutoff=None)
    total = found.forces
    pressed = np.isfinite(total.pressure).all(axis=1)
    assert pressed.sum() > 20
    spot = np.column_stack([total.pressure[pressed], np.zeros(pressed.sum())])
    spot[:, 2] = found.footing.carried_level[pressed]
    about = total.moment[pressed] + np.cross(total.com[pressed] - spot, total.force[pressed])
    assert np.abs(about[:, :2]).max() < 1e-9 * np.abs(total.moment).max()
    assert np.abs(about[:, 2]).max() > 0.1, "only the twist is left"


def test_the_filter_takes_noise_and_leaves_motion(rng):
    still = standing()
    noise = 0.0003 * rng.normal(size=(still.frames, still.character.nv))
    shaky = still.with_q(still.character.manifold.plus(still.q, noise))
    raw, calm = (np.abs(physics(shaky, cutoff=c).forces.load[5:-5] - 1).max() for c in (None, 10.0))
    assert calm < 0.2
    assert raw > 5 * calm
    jump = clips.get("planar_jump")
    bare, filtered = (physics(jump, cutoff=c).take.kin.com[:, 2] for c in (None, 10.0))
    fall = [np.diff(z, 2)[76:90] * 60**2 for z in (bare, filtered)]
    assert np.allclose(fall[0], -9.81, atol=0.01)
    assert np.allclose(fall[1], -9.81, atol=0.1)


def test_a_bad_filter_or_floor_is_refused():
    with pytest.raises(InputError, match="cut-off"):
        physics(standing(), cutoff=-1.0)
    with pytest.raises(InputError, match="ground"):
        World.flat(float("nan"))


def test_polygons_against_brute_force(rng):
    for _ in range(20):
        points = rng.normal(size=(int(rng.integers(1, 7)), 2))
        polygon = support_polygon(points, 0.1)
        edge = np.roll(polygon, -1, axis=0) - polygon
        fine = np.concatenate([polygon + s * edge for s in np.linspace(0, 1, 400)])
        place = 2.5 * rng.normal(size=2)
        away = np.linalg.norm(fine - place, axis=1).min()
        turns = edge[:, 0] * (place - polygon)[:, 1] - edge[:, 1] * (place - polygon)[:, 0]
        inside = (turns > 0).all()
        assert distance_outside(polygon, place) == pytest.approx(-away if inside else away, abs=0.01)
        near = nearest_inside(polygon, place)
        assert np.linalg.norm(near - place) == pytest.approx(0.0 if inside else away, abs=0.01)
        assert distance_outside(polygon, points[0]) <= -0.09


def test_planar_characters_are_measured_alike():
    flat, round_ = (physics(clips.get(name)) for name in ("planar_jump", "jump"))
    assert (
        [p.kind for p in flat.phases] == [p.kind for p in round_.phases] == ["support", "flight", "support"]
    )
    assert flat.phases[1].parabola.gravity == pytest.approx(9.81, rel=2e-3)
    for found in (flat, round_):  # from rest to rest, the floor gives as much momentum as gravity takes
        assert found.forces.load.mean() == pytest.approx(1.0, abs=0.003)


def test_loops_are_measured_round_their_seam():
    """Moving the seam moves the phases and changes nothing else."""
    run = clips.get("run")
    first = physics(run)
    shift = 10
    later = run.with_q(
        np.concatenate([run.q[shift:], run.travel.apply(run.character, run.q[:shift], np.ones(shift))])
    )
    second = physics(later)
    starts = sorted((p.start - shift) % run.frames for p in first.phases)
    assert starts == sorted(p.start % run.frames for p in second.phases)
    assert all(0 <= p.start < run.frames for p in first.phases)
    assert sum(p.end - p.start + 1 for p in first.phases) == run.frames
    own = first.take.own
    assert np.allclose(np.roll(first.forces.load[own], -shift), second.forces.load[own], atol=1e-6)


def test_phases_cover_a_clip_without_gaps():
    found = physics(clips.get("jump"))
    assert found.phases[0].start == 0
    assert found.phases[-1].end == clips.get("jump").frames - 1
    for before, after in zip(found.phases[:-1], found.phases[1:]):
        assert after.start == before.end + 1


def test_a_tilted_capture_is_seen_as_such():
    walk = clips.get("walk")
    from poise.motion.operators import unroll

    long = unroll(walk, 3)
    slope, q = 0.02, np.array(long.q)
    tilt = so3.exp([0.0, -np.arctan(slope), 0.0])
    q[:, :3] = so3.rotate(tilt, q[:, :3]) + [0.0, 0.0, 0.04]
    q[:, 3:7] = so3.multiply(tilt, q[:, 3:7])
    floor = physics(long.with_q(q)).world.floor.shape
    assert floor.slope[0] == pytest.approx(slope, abs=0.003)
    assert floor.height == pytest.approx(0.04, abs=0.01)
