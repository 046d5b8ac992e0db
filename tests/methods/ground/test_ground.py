"""Clips on the ground: carried by MuJoCo's measure, a small change, refused where it is another motion."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from second_engine import TRIM, uncarried

import poise
from poise.character import presets
from poise.clips.author.jump import DURATION, FPS, JUMP
from poise.contacts.find import find
from poise.dynamics.mujoco_model import model
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.key.frames.bake import bake


@pytest.fixture(scope="module")
def jump():
    """As it was drawn: the bundled one is grounded already."""
    drawn = bake(JUMP.tracks(presets.get("humanoid")), FPS, end=DURATION).clip
    return drawn.replaced(name="jump")


@pytest.fixture(scope="module")
def grounded(jump):
    return poise.ground(jump)


def test_a_jump_that_nothing_carried_is_carried(jump, grounded):
    assert uncarried(jump, jump.q).mean() > 0.1
    assert uncarried(jump, grounded.clip.q).mean() <= 0.02
    assert grounded.met
    assert grounded.outcome.startswith("carried with")
    assert grounded.before.share > 0.1
    assert grounded.left.share == 0


def test_the_cost_is_what_the_clip_shows(jump, grounded):
    was, now = (Kinematics(jump.character, q).positions for q in (jump.q, grounded.clip.q))
    way = np.linalg.norm(now - was, axis=2)
    assert grounded.cost.most == pytest.approx(way.max())
    assert way.max() < 0.3
    changed = (jump.q != grounded.clip.q).any(axis=1)
    assert grounded.cost.rms == pytest.approx(np.sqrt(np.mean(way[changed] ** 2)))
    assert grounded.cost.rms < 0.05  # 4.1 cm without limits of torques
    assert grounded.left.strain < 1.02
    head = jump.character.index(grounded.clip.character.names[jump.character.index("Head")])
    turns = [Kinematics(jump.character, q).rotations[:, head] for q in (jump.q, grounded.clip.q)]
    between = so3.log(so3.from_matrix(turns[0].transpose(0, 2, 1) @ turns[1]))
    assert np.degrees(np.linalg.norm(between, axis=1).max()) < 20


def test_flight_keeps_its_momentum_better_than_it_was_given(jump, grounded):
    flight = slice(72, 94)
    spread = []
    for q in (jump.q, grounded.clip.q):
        v = jump.character.manifold.velocity(q, jump.dt)
        spin = Kinematics(jump.character, q, v).momentum[flight, 3:]
        spread.append(np.ptp(spin, axis=0).max())
    assert spread[1] < 0.35


def test_forces_push_add_up_and_stay_within_friction(jump, grounded):
    forces = grounded.forces
    weight = jump.character.total_mass * 9.81
    up = forces.forces[..., 2]
    assert (up >= 0).all()
    assert (np.linalg.norm(forces.forces[..., :2], axis=2) <= 0.8 * up + 1e-6).all()
    assert forces.total[:, 2].max() < 5.2 * weight
    # What the ground gives is what the centre of mass gains: the impulse over the clip.
    kin = Kinematics(jump.character, grounded.clip.q)
    rows = np.round(forces.times / jump.dt).astype(int)
    speed = np.diff(kin.com[:, 2]) / jump.dt
    gained = jump.character.total_mass * (speed[rows[-5]] - speed[rows[4] - 1])
    given = ((forces.total[4:-4, 2] - weight) * jump.dt).sum()
    assert given == pytest.approx(gained, abs=0.02 * weight)
    told = grounded.facts()["forces"]["samples"]
    assert len(told) == len(forces.times)
    assert any(not s["pushes"] for s in told)


def test_a_result_that_is_put_in_again_stays_as_it_is(grounded):
    again = poise.ground(grounded.clip)
    assert again.outcome == "carried"
    np.testing.assert_array_equal(again.clip.q, grounded.clip.q)


def test_a_loop_stays_one_and_goes_as_far():
    walk = poise.clips.get("walk")
    result = poise.ground(walk)
    assert result.met
    assert result.clip.loop
    np.testing.assert_array_equal(result.clip.travel.translation, walk.travel.translation)
    long, given = (poise.motion.operators.unroll(c, 3) for c in (result.clip, walk))
    middle = slice(walk.frames, 2 * walk.frames)
    assert uncarried(given, given.q)[middle].mean() > 0.5
    assert uncarried(given, long.q)[middle].mean() <= 0.02


def test_who_leans_by_45_degrees_is_told_so_and_left_alone(jump):
    q = np.repeat(jump.q[:1], 91, axis=0)
    turn = so3.exp([0.0, np.pi / 4, 0.0])
    q[:, :3] = q[:, :3] @ so3.to_matrix(turn).T
    q[:, 3:7] = so3.multiply(np.broadcast_to(turn, (91, 4)), q[:, 3:7])
    leaning = jump.with_q(q)
    result = poise.ground(leaning, floor=0.0)
    assert result.outcome == "not this motion"
    assert not result.met
    assert result.reason
    np.testing.assert_array_equal(result.clip.q, q)
    assert result.before.share > 0.9


def test_loops_that_turn_are_refused():
    walk = poise.clips.get("walk")
    turning = walk.replaced(travel=type(walk.travel)((1.0, 0.0, 0.0), 0.3))
    with pytest.raises(InputError, match="loop that turns"):
        poise.ground(turning)


def test_merit_falls_along_the_gradient_of_the_whole_problem():
    from poise.methods.ground.pins import Pins
    from poise.methods.ground.stage import staged
    from poise.operations.ground import Ground

    walk = poise.clips.get("walk")
    problem = staged(walk, None, Pins(walk.character)).problem(Ground(), walk.q)
    problem.smoothing = 1e-2
    rng = np.random.default_rng(0)
    c = 2e-3 * rng.normal(size=(problem.keys.count, problem.keys.size))
    _, gradient = problem.system(problem.look(c, slope=True))
    for _ in range(3):
        way = rng.normal(size=c.shape)
        slopes = []
        for step in (2e-6, 1e-6):
            ahead, behind = (problem.look(c + e * way).merit for e in (step, -step))
            slopes.append((ahead - behind) / (2 * step))
        found = (4 * slopes[1] - slopes[0]) / 3
        told = float(gradient @ problem.keys.folded(way))
        assert told == pytest.approx(found, abs=1e-6 * np.linalg.norm(gradient) * np.linalg.norm(way))


def test_a_real_walk_is_carried_within_what_a_viewer_accepts(shared_data):
    clip = poise.load(shared_data / "cmu_cgspeed_bvh" / "16_01.bvh")
    result = poise.ground(clip)
    assert result.met
    assert result.cost.rms < 0.045
    assert result.cost.most < 0.3
    assert result.cost.head < np.radians(20)
    assert poise.check(result.clip).report.score >= poise.check(clip).report.score - 0.02


def test_feet_that_stand_in_a_capture_do_not_slide(shared_data):
    clip = poise.load(shared_data / "cmu_wild" / "76_06.bvh")
    clip = clip.with_frames(clip.q[230:400], None)
    result = poise.ground(clip)
    assert result.outcome.startswith("carried with")
    support = find(clip)
    places = [support.need.patches.places(Kinematics(clip.character, q)) for q in (clip.q, result.clip.q)]
    for contact in support.contacts:
        first, last = contact.start + 12, contact.end - 12  # touch-down and lift-off apart
        if contact.manner != "stands" or last - first < 24:
            continue
        ks = support.need.patches.of_part(contact.part)
        before, after = (
            np.linalg.norm(np.diff(x[first:last, ks], axis=0), axis=2).min(axis=1) * clip.fps for x in places
        )
        assert np.median(after) < 0.012
        assert np.median(after) < 0.5 * np.median(before)


def test_a_capture_that_is_put_in_again_stays_as_it_is(shared_data):
    """Contacts found anew differ a little: what is handed out is carried, and stands, by both."""
    result = poise.ground(poise.load(shared_data / "cmu_wild" / "76_06.bvh"))
    assert result.outcome.startswith("carried with")
    again = poise.ground(result.clip)
    assert again.outcome == "carried"
    np.testing.assert_array_equal(again.clip.q, result.clip.q)


def test_feet_that_creep_in_a_result_are_held_once_more(shared_data):
    """One price for all slides leaves this walk's at 1.3 cm/s. Solved once more from the exact cone on it
    slides by 1.0 and has changed by 3.3 cm; from a smoothed cone on, by 4.4."""
    from benchmarks.ground import judge as outsider

    whole = poise.load(shared_data / "cmu_wild" / "07_01.bvh")
    clip = whole.with_frames(whole.q[:200], None)
    result = poise.ground(clip)
    assert result.outcome.startswith("carried with")
    judge = outsider(clip)
    assert judge.judged(clip.q).slide > 5.0
    assert judge.judged(result.clip.q).slide < 1.15  # [cm/s]
    assert result.cost.rms < 0.038  # [m]


def test_a_foot_on_a_step_and_a_knee_against_it_are_one_cone():
    """Pushes that are nearly against each other still have a start (13_33 was called carried without)."""
    from poise.methods.ground.cone import Pushes, carried

    normal = np.array([[[0.0, 0, 1]] * 5 + [[1.0, 0, 0]]])
    place = np.array([[[0.1 * k, 0.05, 0.0] for k in range(5)] + [[-0.1, 0.0, 0.4]]])
    by = Pushes(place, normal, np.full((1, 6), 0.8), np.ones((1, 6), np.int64))
    found = carried(np.array([[-1.0, 0.0, 0.3, 0.0, 0.0, 0.0]]), by, 0.015, 0.3, 1e-9)
    assert np.linalg.norm(found.left[0]) > 0.2, "nothing pushes that way"
    near = carried(np.array([[-0.9, 0.0, 0.35, 0.0, 0.0, 0.0]]), by, 0.015, 0.3, 1e-9, found.left)
    cold = carried(np.array([[-0.9, 0.0, 0.35, 0.0, 0.0, 0.0]]), by, 0.015, 0.3, 1e-9)
    np.testing.assert_allclose(near.left, cold.left, atol=1e-7)


def test_a_plan_stands_on_the_ground_with_its_keys_met():
    from poise.methods.plan.scene.partial_key import PartialKey
    from poise.methods.plan.scene.scene import Scene
    from poise.methods.plan.scene.segment import Stance

    key = PartialKey("Bulb", position=(0.35, None, 0.3), velocity=(0.2, 0.0, None))
    steps = [Stance(0.4, ["Base"], [key], name="reach"), Stance(0.5, ["Base"], rest=True, name="rest")]
    scene = Scene("lamp", steps, options={"modes": 4}, name="reach")
    planned, stood = poise.plan(scene, grounded=False), poise.plan(scene, grounded=True)
    assert planned.ground is None
    assert stood.ground.changed
    assert stood.ground.before.share > 0.05
    assert stood.ground.left.share == 0
    assert uncarried(planned.clip, stood.clip.q).mean() < uncarried(planned.clip, planned.clip.q).mean()
    assert stood.met
    # The key by kinematics and differences of the test's own, on the motion that is handed out.
    times = 0.4 + 1e-4 * np.array([-1.0, 0.0])
    bulb = Kinematics(stood.character, stood.at(times)).point("Bulb")
    np.testing.assert_allclose(bulb[1, [0, 2]], [0.35, 0.3], atol=1e-3)
    np.testing.assert_allclose((bulb[1, :2] - bulb[0, :2]) / 1e-4, [0.2, 0.0], atol=0.01)
    np.testing.assert_allclose(stood.at(stood.clip.times[5]), stood.clip.q[5], atol=1e-12)


def test_what_is_loosened_and_keyed_can_ask_for_it(jump):
    loose = poise.loosen(jump, grounded=True)
    plain = poise.loosen(jump)
    assert loose.ground is not None
    assert "ground" in loose.report.message
    if loose.ground.changed:
        assert uncarried(plain.clip, loose.clip.q).mean() < uncarried(plain.clip, plain.clip.q).mean()
    else:
        np.testing.assert_array_equal(loose.clip.q, plain.clip.q)
        assert not loose.met
    assert plain.ground is None


def test_pins_keep_their_time_where_a_rest_pose_stands_before_the_motion(jump):
    from poise.methods.ground.pins import Pins
    from poise.methods.ground.stage import staged
    from poise.operations.ground import Ground
    from poise.operations.values.pin_in_time import Pin

    rest = np.array(jump.character.rest_pose())
    behind = jump.with_frames(np.concatenate([rest[None], jump.q]), None)

    def pinned(clip, frame):
        pins = Pins.of(clip.character, [Pin(frame * clip.dt, "LeftHand", clip.q[frame])])
        stage = staged(clip, None, pins)
        return stage, stage.problem(Ground(), stage.clip.q).pinned

    (plain, alone), (late, after) = pinned(jump, 40), pinned(behind, 41)
    assert (plain.lead, late.lead) == (0, 1)
    np.testing.assert_array_equal(after.columns, alone.columns)
    np.testing.assert_allclose(after.weights, alone.weights, atol=1e-9)


def test_forces_on_bodies_are_what_a_second_engine_asks_for(grounded):
    """Applied to MuJoCo's bodies they leave nothing for the root to be held with."""
    clip, forces = grounded.clip, grounded.forces
    made = model(clip.character, contacts=False, limits=False, passive=False)
    data, before, after = mujoco.MjData(made), np.zeros(made.nv), np.zeros(made.nv)
    dt, weight, left = forces.times[1] - forces.times[0], clip.character.total_mass * 9.81, []
    assert forces.on_bodies.shape == (len(forces.times), len(clip.character.bodies), 6)
    for f in range(TRIM, len(forces.times) - TRIM):
        mujoco.mj_differentiatePos(made, before, dt, forces.q[f - 1], forces.q[f])
        mujoco.mj_differentiatePos(made, after, dt, forces.q[f], forces.q[f + 1])
        data.qpos[:], data.qvel[:], data.qacc[:] = forces.q[f], 0.5 * (before + after), (after - before) / dt
        mujoco.mj_inverse(made, data)
        given = np.zeros(made.nv)
        for name, wrench in zip(clip.character.names, forces.on_bodies[f]):
            body = mujoco.mj_name2id(made, mujoco.mjtObj.mjOBJ_BODY, name)
            if body > 0:
                mujoco.mj_applyFT(made, data, wrench[:3], wrench[3:], data.xipos[body], body, given)
        left.append((data.qfrc_inverse - given)[:6] / weight)
    left = np.array(left)
    assert np.sqrt((left[:, :3] ** 2).mean()) < 0.01
    assert np.sqrt((left[:, 3:] ** 2).mean()) < 0.005


def test_a_page_of_curves_and_pictures_show_it_as_it_was(grounded, tmp_path):
    assert np.array_equal(grounded.as_it_was.q, grounded.support.need.clip.q)
    assert grounded.as_it_was.frames == grounded.clip.frames
    assert grounded.plot(tmp_path / "page.svg").stat().st_size > 10_000
    shown = grounded.filmed()["world"]
    at = shown.need.rows * shown.need.clip.dt
    push = np.interp(at, grounded.forces.times, grounded.forces.total[:, 2])
    assert np.allclose(shown.force.sum(axis=1)[:, 2] * grounded.clip.character.total_mass * 9.81, push)


def test_what_is_carried_as_it_is_has_no_ghost(grounded):
    again = poise.ground(grounded)
    assert again.as_it_was is None
    assert again.left.curves.shape[0] == 3
