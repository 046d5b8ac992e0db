"""Where the ground must push, told from the momentum and from the wrench that inverse dynamics asks for."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import presets
from poise.dynamics import GRAVITY, inverse_dynamics
from poise.kinematics import Kinematics
from poise.methods.plan.check import _zmp_outside
from poise.methods.plan.motion_piece import _STENCIL
from poise.methods.plan.plan import plan_segments
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.segment import Stance
from poise.operations.plan import Planning

STEP = 1e-3


def leaning(x: float, y: float):
    """A lamp that bends over so far and so fast that its base would tip."""
    lamp = presets.lamp()
    bulb = Kinematics(lamp, lamp.rest_pose()).point("Bulb")[0]
    lean = PartialKey("Bulb", position=bulb + np.array([x, y, -0.1]))
    return plan_segments(lamp, [Stance(0.3, ["Base"], [lean])], Planning(modes=6)).pieces[0]


@pytest.mark.parametrize("way", [(0.25, 0.0), (-0.25, 0.0), (0.0, 0.25), (0.0, -0.25)], ids=str)
def test_momentum_and_inverse_dynamics_agree(way):
    """The root's wrench (F, τ) moves no moment about p: p = x − ((τ_y + z F_x), (z F_y − τ_x)) / F_z."""
    piece, times = leaning(*way), np.arange(0.05, 0.25, STEP)
    manifold = piece.character.manifold
    q = [piece.pose(times + k * STEP) for k in (-1, 0, 1)]
    before, after = manifold.minus(q[0], q[1]), manifold.minus(q[2], q[1])
    v, a = (after - before) / (2 * STEP), (after + before) / STEP**2
    kin = Kinematics(piece.character, q[1], v)
    com = [Kinematics(piece.character, each).com for each in q]
    push = (com[0] - 2 * com[1] + com[2]) / STEP**2 - np.array(GRAVITY)

    wrench = inverse_dynamics(piece.character, q[1], v, a)[:, :6]
    force, root = wrench[:, :3], kin.positions[:, 0]
    moment = np.einsum("tij,tj->ti", kin.rotations[:, 0], wrench[:, 3:])
    x = root[:, 0] - (moment[:, 1] + root[:, 2] * force[:, 0]) / force[:, 2]
    y = root[:, 1] - (root[:, 2] * force[:, 1] - moment[:, 0]) / force[:, 2]
    # What is held is the base with all that hangs on it: the lamp.
    spots = [*kin.positions.swapaxes(0, 1), *(kin.point(n) for n in piece.character.points)]
    low, high = np.min(spots, axis=0)[:, :2], np.max(spots, axis=0)[:, :2]
    place = np.stack([x, y], axis=1)
    outside = np.maximum(low - place, place - high).max(axis=1)
    assert outside.max() > 0.01, "the test is of no use where the lamp stands safely"
    assert _zmp_outside(piece, kin, push, times) == pytest.approx(outside.max(), abs=2e-3)


def test_the_one_sided_stencil_is_of_fourth_order():
    """Exact for all polynomials up to t⁴."""
    nodes = -np.arange(5.0)
    for power in range(5):
        assert _STENCIL @ nodes**power == pytest.approx(1.0 if power == 1 else 0.0, abs=1e-12), power
