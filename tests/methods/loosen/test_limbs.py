"""Limbs under a prescribed root do not feel one another: simulated apart they have the same states."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise import constraints as c
from poise.character.tree import part_of
from poise.handles import CentreOfMass
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.correction import build
from poise.methods.loosen.hit.problem import Problem
from poise.methods.loosen.simulate.gains import inertia_of
from poise.methods.loosen.simulate.moved_limbs import moved_limbs
from poise.methods.loosen.simulate.simulator import Simulator
from poise.operations.loosen import Simulation
from poise.operations.values.bell import Bell

PUNCH = clips.get("punch")
CHARACTER = PUNCH.character
AT = float(PUNCH.times[51])


def free(*names):
    """A mask of the joints' degrees of freedom."""
    mask = np.zeros(CHARACTER.nv, dtype=bool)
    for name in names:
        mask[CHARACTER.dofs(CHARACTER.index(name))] = True
    return mask


def names_of(limbs):
    """Names of the bodies in them."""
    return {CHARACTER.bodies[i].name for i in limbs.tree.body if i >= 0}


def test_limbs_are_what_hangs_from_the_root():
    trunk = names_of(moved_limbs(CHARACTER, free("RightForeArm")))
    assert {"Hips", "Spine", "Head", "LeftHand", "RightHand"} <= trunk
    assert not {"LeftLeg", "RightLeg"} & trunk
    leg = moved_limbs(CHARACTER, free("LeftFoot"))
    assert names_of(leg) == {"Hips", "LeftUpLeg", "LeftLeg", "LeftAnkle", "LeftFoot", "LeftToeBase"}
    np.testing.assert_array_equal(
        np.concatenate([np.arange(CHARACTER.nv)[CHARACTER.dofs(CHARACTER.index(n))] for n in CHARACTER.names
                        if n in names_of(leg)]), leg.v
    )  # fmt: skip
    assert moved_limbs(CHARACTER, free("Hips")).tree is CHARACTER.tree
    assert moved_limbs(CHARACTER, free("LeftFoot", "RightFoot", "Head")).all_of(CHARACTER)


@pytest.mark.parametrize("options", [{}, {"order": 1}, {"dampers": "reference"}, {"gravity": "off"}], ids=str)
@pytest.mark.parametrize("tension", ["relaxed", [(0.0, "firm"), (1.5, "loose")]], ids=["still", "keyed"])
def test_states_apart_and_together_are_the_same_to_the_bit(options, tension):
    simulator = Simulator(PUNCH, tension, Simulation(**options))
    times = np.arange(60, 180) * simulator.h
    q, v = simulator.reference.table(times)
    start, steps = np.array([0, 5, 11, 40, 41, 60, 61, 62, 63]), np.array([30, 30, 7, 30, 55, 1, 30, 30, 50])
    whole = simulator.tabled(q, v, times, start, steps)
    for names in (["RightHand"], ["LeftFoot"], ["LeftFoot", "Spine"]):
        limbs = simulator.limbs(free(*names))
        own_q, own_v = np.ascontiguousarray(q[:, limbs.q]), np.ascontiguousarray(v[:, limbs.v])
        apart = simulator.tabled(own_q, own_v, times, start, steps, limbs=limbs)
        assert len(limbs.v) < CHARACTER.nv
        np.testing.assert_array_equal(apart[0], whole[0][:, limbs.q])
        np.testing.assert_array_equal(apart[1], whole[1][:, limbs.v])
    # Windows of other lengths in the same group change nothing either.
    alone = [
        simulator.tabled(q, v, times, start[k : k + 1], steps[k : k + 1])[0][0] for k in range(len(start))
    ]
    np.testing.assert_array_equal(whole[0], alone)


def test_where_limbs_feel_one_another_all_are_simulated():
    for options in (Simulation(root="driven"), Simulation(gravity="compensated")):
        assert Simulator(PUNCH, "relaxed", options).limbs(free("RightHand")).all_of(CHARACTER)


@pytest.mark.parametrize("method", ["newton", "paper"])
def test_what_the_correction_does_not_move_is_where_the_dynamics_put_it(method):
    # The centre of mass feels the legs, which only the dynamics move.
    com = Kinematics(CHARACTER, PUNCH.q[51]).com[0]
    wanted = c.constrain(CentreOfMass(), com + [0.01, 0.0, 0.0], AT)
    result = poise.hit(PUNCH, [wanted], "relaxed", 0.3, joints=["Chest", "*Arm"], method=method)
    assert result.report.met
    problem = result.problem
    assert len(problem.limbs.v) < CHARACTER.nv
    own = Simulator(PUNCH, "relaxed", result.asked, correction=result.correction).states([AT], 0.3)[0]
    np.testing.assert_allclose(problem.states(result.solution.x), own, atol=1e-12)
    np.testing.assert_allclose(Kinematics(CHARACTER, own).com[0], com + [0.01, 0.0, 0.0], atol=1e-4)


def test_the_jacobian_of_some_limbs_is_that_of_all():
    hand = c.pin("RightHandCentre", [0.4, -0.1, 1.3], AT)
    simulator = Simulator(PUNCH, "relaxed")
    layout = build(simulator, [hand], [Bell()], None, inertia_of(CHARACTER))
    windows = np.full(PUNCH.frames, 0.3)
    few = Problem(simulator, [hand], layout, windows)
    simulator.limbs = lambda free: moved_limbs(CHARACTER, np.ones(CHARACTER.nv, dtype=bool))
    every = Problem(simulator, [hand], layout, windows)
    u = np.random.default_rng(0).normal(scale=0.1, size=few.unknowns)
    assert len(few.limbs.v) < len(every.limbs.v)
    for a, b in zip(few.linearised(u), every.linearised(u)):
        np.testing.assert_array_equal(a, b)


def test_a_part_of_a_tree_keeps_parents_and_columns():
    tree = CHARACTER.tree
    links = np.array([0, 1, *range(11, 16)])
    part, q, v = part_of(tree, links)
    assert part.parent[0] == -1
    np.testing.assert_array_equal(links[part.parent[1:]], tree.parent[links[1:]])
    np.testing.assert_array_equal(q[part.q_start], tree.q_start[links])
    np.testing.assert_array_equal(v[part.v_start], tree.v_start[links])
    np.testing.assert_array_equal(part.armature, tree.armature[v])
    assert (part.link[part.body[1:]] == np.arange(1, len(links))).all()


def test_frames_of_limbs_alone_are_the_same_and_the_rest_is_as_keyed():
    simulator = Simulator(PUNCH, "loose")
    limbs = moved_limbs(CHARACTER, free("LeftFoot"))
    whole, part = simulator.states(PUNCH.times, 0.4), simulator.states(PUNCH.times, 0.4, limbs=limbs)
    np.testing.assert_array_equal(part[0][:, limbs.q], whole[0][:, limbs.q])
    np.testing.assert_array_equal(part[1][:, limbs.v], whole[1][:, limbs.v])
    others = np.setdiff1d(np.arange(CHARACTER.nq), limbs.q)
    np.testing.assert_allclose(part[0][:, others], PUNCH.q[:, others], atol=1e-9)
    assert np.abs(whole[0][:, others] - PUNCH.q[:, others]).max() > 0.1
