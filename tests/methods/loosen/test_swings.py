"""The swings that a report names are those that are seen."""

import numpy as np
import pytest

import poise
from poise import clips
from poise.character import presets
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.swings import swings
from poise.motion import Clip
from poise.operations.loosen import Simulation


def test_limbs_swing_as_told():
    clip = clips.get("walk")
    told = {s.limb: s for s in poise.loosen(clip, 4.5, 0.3).swings}
    for limb in ("arms", "legs", "spine", "head"):
        assert told[limb].slowest == pytest.approx(4.5, rel=0.02)
        assert told[limb].ratio == pytest.approx(0.45, rel=0.02)
    assert told["all together"].slowest < 4.5
    assert "arms 4.5 Hz" in str(poise.loosen(clip, 4.5, 0.3))


def test_keyed_limbs_do_not_swing_and_ranges_are_told():
    clip = clips.get("walk")
    told = {s.limb for s in poise.loosen(clip, {"*": "keyed", "left arm": 2.0}, 0.3).swings}
    assert told == {"left arm", "all together"}
    over_time = {s.limb: s for s in poise.loosen(clip, [(0.0, 2.0), (0.5, 4.0)], 0.3).swings}
    assert (over_time["arms"].slowest, over_time["arms"].fastest) == pytest.approx((2.0, 4.0), rel=0.02)


def test_a_pendulum_swings_at_the_frequency_told():
    """Timed on the motion itself: an arm let go from a turned pose, without damping or weight."""
    character = presets.humanoid()
    arm = character.index("LeftArm")
    q = np.repeat(character.rest_pose()[None], 400, axis=0)
    clip = Clip(character, q, 200)
    spring = poise.Spring(2.0, ratio=0.0)
    tension = {"*": "keyed", "left arm": spring}
    simulator = Simulator(clip, tension, Simulation(gravity="off", step=0.0025))
    frequency = next(s for s in swings(simulator) if s.limb == "left arm").slowest
    assert frequency == pytest.approx(2.0, rel=0.02)
    dofs = np.arange(character.nv)[character.dofs(arm)]
    # Started along the limb's slowest mode: pulled at the hand.
    from poise.dynamics import mass_matrix

    limb = np.concatenate([np.arange(character.nv)[character.dofs(n)] for n in
                           ("LeftArm", "LeftForeArm", "LeftHand")])  # fmt: skip
    mass = mass_matrix(character, q[0])[np.ix_(limb, limb)]
    root = np.sqrt(simulator.gains.stiffness[0, limb])
    _, shapes = np.linalg.eigh(mass / np.outer(root, root))
    push = np.zeros(character.nv)
    push[limb] = 0.02 * shapes[:, -1] / root / np.abs(shapes[:, -1] / root).max()
    table, rate = simulator.reference.table(clip.times)
    begin = character.manifold.plus(q[0], push)[None], np.zeros((1, character.nv))
    steps = np.full((1, 399), simulator.per_frame)
    grid = np.arange(399 * simulator.per_frame + 1) * simulator.h
    table, rate = simulator.reference.table(grid)
    states, _ = simulator.tabled(table, rate, grid, np.array([0]), steps, begin)
    x = character.manifold.minus(states[0], q[0])[:, dofs]
    x = x[:, np.argmax(np.abs(x).max(axis=0))]
    crossings = np.flatnonzero(np.diff(np.sign(x)))
    period = 2 * np.diff(crossings).mean() / clip.fps
    assert 1 / period == pytest.approx(frequency, rel=0.02)
