"""The controllers' mathematics: composite inertia, the implicit step, the law of approach."""

from __future__ import annotations

import numpy as np
import pytest
from performers import pendulum

import poise
from poise.character import JointKind, presets
from poise.dynamics import bias, mass_matrix
from poise.dynamics.branch_solve import branch_solve, dofs_above
from poise.errors import PoiseError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.perform.control.aim import Aim
from poise.methods.perform.control.torques import control_step
from poise.methods.perform.script.style import STYLES, approach
from poise.methods.perform.script.timed_pose import TimedPose
from poise.methods.perform.simulate.simulation import CONTROLS, Simulation, own_inertia
from poise.operations.perform import Perform
from random_trees import random_character, random_state

TURNING = (JointKind.HINGE, JointKind.BALL, JointKind.FIXED)
DOWN = (0.0, 0.0, -9.81)


def on_branch(character):
    above = dofs_above(character.tree)
    mask = np.zeros((character.nv, character.nv), dtype=bool)
    for d in range(character.nv):
        e = d
        while e >= 0:
            mask[d, e] = mask[e, d] = True
            e = above[e]
    return mask


@pytest.mark.parametrize("seed", range(4))
def test_tree_equations_are_solved_like_dense_ones(seed):
    rng = np.random.default_rng(seed)
    character = random_character(rng, 12)
    q, _, x = (a[0] for a in random_state(rng, character, 1))
    noise = 0.2 * rng.normal(size=(character.nv, character.nv)) * on_branch(character)
    a = mass_matrix(character, q) + noise @ np.diag(np.abs(rng.normal(size=character.nv))) * 0.05
    expected, found = np.linalg.solve(a, x), x.copy()
    branch_solve(np.array(dofs_above(character.tree)), a.copy(), found)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


def composite_by_recursion(character, q):
    """The paper's way: composite tensors from tip to root (its Eq. 5 and 7), moments about each joint."""
    kin = Kinematics(character, q)
    place, turn = kin.positions[0], kin.rotations[0]
    n = len(character.bodies)
    mass = np.array([b.mass.mass for b in character.bodies])
    first = np.array([m * (p + r @ b.mass.centre) for m, p, r, b in zip(mass, place, turn, character.bodies)])
    tensor = np.empty((n, 3, 3))  # about the world's origin, so that they just add
    for i, b in enumerate(character.bodies):
        c = place[i] + turn[i] @ np.asarray(b.mass.centre)
        own = turn[i] @ np.asarray(b.mass.inertia) @ turn[i].T
        tensor[i] = own + mass[i] * (c @ c * np.eye(3) - np.outer(c, c))
    for i in range(n - 1, 0, -1):
        up = int(character.parents[i])
        mass[up] += mass[i]
        first[up] += first[i]
        tensor[up] += tensor[i]
    blocks = {}
    for i, b in enumerate(character.bodies):
        if b.joint.kind not in (JointKind.HINGE, JointKind.BALL):
            continue
        c = first[i] / mass[i]
        about_c = tensor[i] - mass[i] * (c @ c * np.eye(3) - np.outer(c, c))
        d = c - place[i]
        about = about_c + mass[i] * (d @ d * np.eye(3) - np.outer(d, d))
        axes = turn[i] if b.joint.kind is JointKind.BALL else (turn[i] @ b.joint.axis)[:, None]
        blocks[i] = axes.T @ about @ axes
    return blocks


def one_step(character, q, v, control, rng, *, h=0.003):
    """A step with random errors and gains: the simulation, and what it aimed with."""
    sim = Simulation(character, q, v, Perform(control=control), np.full(character.nv, np.inf), as_told=True)
    aim: Aim = sim.aim
    for part in (aim.error, aim.rate, aim.push):
        part[:] = rng.normal(size=character.nv)
    joints = np.asarray(character.dof_body)
    aim.kp[:] = rng.uniform(50, 400, size=len(character.bodies))[joints]
    aim.kd[:] = rng.uniform(5, 40, size=len(character.bodies))[joints]
    aim.part[:] = 1.0
    control_step(
        sim.controller(), character.tree, character.tree, q, v, aim, np.zeros(0), sim.gravity, h, sim.room
    )
    return sim, aim


@pytest.mark.parametrize("seed", range(3))
def test_composite_inertia_is_the_mass_matrix_diagonal(seed):
    rng = np.random.default_rng(seed)
    character = random_character(rng, 9, kinds=TURNING, armature=0.0)
    q, v, _ = (a[0] for a in random_state(rng, character, 1))
    m = mass_matrix(character, q)
    sim, _ = one_step(character, q, v, "composite", rng)
    for i, block in composite_by_recursion(character, q).items():
        if i > 0:
            own = character.dofs(i)
            np.testing.assert_allclose(block, m[own, own], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(block, sim.room.matrix[own, own], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_parent_compensation_is_a_torque(seed):
    """τ_i gets m_i times the ancestors' angular accelerations about its own axes: the factor m_i is there."""
    rng = np.random.default_rng(seed)
    character = random_character(rng, 8, kinds=TURNING, armature=0.0, branching=0.2)
    q, v, _ = (a[0] for a in random_state(rng, character, 1))
    sim, _ = one_step(character, q, v, "composite", rng)
    m, kin = mass_matrix(character, q), Kinematics(character, q)
    for i in range(1, len(character.bodies)):
        own = character.dofs(i)
        up = int(character.parents[i])
        while up > 0 and own.stop > own.start:
            theirs = character.dofs(up)
            # Angular velocity of the ancestor per rate of its own joint, seen about joint i's axes.
            turn_i = kin.angular_jacobian(i)[0][:, own]
            turn_up = kin.angular_jacobian(up)[0][:, theirs]
            expected = m[own, own] @ turn_i.T @ turn_up
            np.testing.assert_allclose(sim.room.matrix[own, theirs], expected, atol=1e-10)
            up = int(character.parents[up])


@pytest.mark.parametrize("control", CONTROLS)
def test_the_step_solves_its_equations(control):
    """(M + C W) v⁺ = M v + h (C (kp e + kd ω̂ + …) + ff − c − g), with dense matrices."""
    rng = np.random.default_rng(3)
    character = random_character(rng, 9, kinds=TURNING)
    q, v, _ = (a[0] for a in random_state(rng, character, 1))
    root, h = slice(0, 6), 0.003
    v[root] = 0.0
    sim, aim = one_step(character, q, v, control, rng, h=h)
    m = mass_matrix(character, q)
    c = m.copy() if control == "full" else sim.room.matrix.copy()
    c[:, root] = 0.0
    c[root] = 0.0
    w = h * aim.kd + h * h * aim.kp
    nle = bias(character, q, v, gravity=DOWN)
    lead = nle if control == "full" else np.zeros_like(nle)
    damping = np.diag(sim.damping)
    left = m + c * w + (h * damping if control != "full" else 0.0)
    right = m @ v + h * (c @ (aim.kp * aim.error + aim.kd * aim.rate + aim.push) + lead - nle)
    left[root], right[root] = np.eye(character.nv)[root], 0.0
    after = np.linalg.solve(left, right)
    np.testing.assert_allclose(sim.room.after, after, rtol=1e-8, atol=1e-9)
    # The torque is what the law says, and what the body then needs for that velocity.
    law = c @ (aim.kp * (aim.error - h * after) + aim.kd * (aim.rate - after) + aim.push) + lead
    needed = m @ (after - v) / h + nle + damping @ after
    if control == "full":
        law = law + damping @ after
    np.testing.assert_allclose(sim.room.tau[6:], law[6:], rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(needed[6:], law[6:], rtol=1e-7, atol=1e-7)


def test_local_inertia_is_the_bodys_own():
    character = presets.get("humanoid")
    own = own_inertia(character.tree, character.nv)
    hand = character.dofs("LeftHand")
    m = mass_matrix(character, character.rest_pose())
    np.testing.assert_allclose(own[hand, hand], m[hand, hand], rtol=1e-9)  # nothing hangs on a hand
    arm = character.dofs("LeftArm")
    assert own[arm, arm][0, 0] < 0.3 * m[arm, arm][0, 0]
    assert own[character.dofs("LeftAnkle")][:, character.dofs("LeftAnkle")][0, 0] > 0


@pytest.mark.parametrize(("n", "power"), [(3.9, 2.36), (6.0, 4.0)])
def test_errors_decay_with_a_power_of_the_time_left(n, power):
    """p² − (1 + 2n) p + n² = 0; without gravity, and with no hand-over left in what is measured."""
    assert approach(n).powers[0].real == pytest.approx(power, abs=0.01)
    character = pendulum()
    result = poise.perform(
        character=character,
        script=[TimedPose(np.array([1.0]), 2.0)],
        style=n,
        gravity="off",
        step=2e-4,
        fps=30,
        duration=2.0,
    )
    left = 2.0 - result.trace.times
    off = np.abs(1.0 - result.trace.q[:, 0])
    some = (left < 0.5) & (left > 0.1)
    slope = np.polyfit(np.log(left[some]), np.log(off[some]), 1)[0]
    assert slope == pytest.approx(approach(n).powers[0].real, rel=0.03)


def test_styles_shape_the_way():
    character, half = pendulum(), {}
    for style in STYLES:
        result = poise.perform(
            character=character,
            script=[TimedPose(np.array([1.0]), 1.0)],
            style=style,
            gravity="off",
            duration=1.0,
        )
        half[style] = float(result.trace.times[np.argmax(result.trace.q[:, 0] > 0.5)])
        assert result.report.met, style
    assert half["snappy"] > half["lively"] > half["smooth"] > half["settled"]


@pytest.mark.parametrize(
    ("style", "half"), [("snappy", 0.41), ("lively", 0.31), ("smooth", 0.25), ("settled", 0.17)]
)
def test_half_of_the_way(style, half):
    """From rest e = (p₂ s^p₁ − p₁ s^p₂) / (p₂ − p₁): the times the documents name."""
    first, second = (p.real for p in approach(style).powers)
    s = 1 - half
    left = (second * s**first - first * s**second) / (second - first)
    assert left == pytest.approx(0.5, abs=0.02)


def test_powers_may_be_given():
    wanted = approach((4.0, 5.0))
    assert (wanted.stiff, wanted.damp) == (20.0, 8.0)
    assert sorted(p.real for p in wanted.powers) == pytest.approx([4.0, 5.0])


@pytest.mark.parametrize("style", ["quick", 1.9, (0.5, 3.0), None, float("nan")])
def test_styles_that_never_arrive_are_refused(style):
    with pytest.raises(PoiseError):
        approach(style)


def test_a_constant_target_would_miss_a_moving_key():
    """The erratum: with the target at rest at θ̂, a key with ω̂ ≠ 0 is missed; moving along, it is met."""
    character = pendulum()
    rate = 3.0
    key = TimedPose(np.array([1.0]), 1.0, velocity=np.array([rate]))
    result = poise.perform(character=character, script=[key], gravity="off", duration=1.0)
    assert result.arrivals[0].error < 1e-3
    assert result.arrivals[0].speed_error < 1e-3
    # The paper's law on the same rod, integrated finely.
    a, b = approach("smooth")
    q = v = 0.0
    h = 1e-4
    for k in range(10_000):
        s = max(1.0 - k * h, 6 * 0.003)
        v += h * (a / s**2 * (1.0 - q) + b / s * (rate - v))
        q += h * v
    assert q - 1.0 == pytest.approx(2 * 0.003 * rate, rel=0.05)  # 2 λ ω̂ too far


def test_fast_keys_do_not_wrap(rng):
    """|ω̂| times the time left is far more than π: composing rotations would have wrapped."""
    character = presets.get("humanoid")
    rate = (0.0, 0.0, 9.0)
    pose = character.rest_pose()
    pose[character.coordinates("LeftArm")] = so3.exp((0.2, 0.1, -0.4))
    result = poise.perform(
        character=character,
        script=[TimedPose(pose, 1.2, velocity={"LeftArm": rate}, joints=["LeftArm"])],
        duration=1.2,
    )
    assert result.arrivals[0].error < 0.01
    assert result.arrivals[0].speed_error < 0.01
