"""Balance springs: a helping hand on a free root, so that a figure stands on its feet while its arms perform.

Legs carry the weight: what the root needs is spread over the points of contact as a pressure that changes
evenly across them, never pulls and stays within friction, and leg joints are told of it. Springs to where the
root should be give the rest. How much that was is in the report.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.tree import LINK_TRANSLATION, Tree
from poise.compilation import kernel
from poise.dynamics import mass_matrix
from poise.dynamics.links import REACH, TURN, block, move_links
from poise.dynamics.rnea import rnea_step
from poise.methods.perform.control.controller import Room
from poise.operations.values.balance import Balance


def springs(balance: Balance, character: Character, q: Array) -> tuple[Array, Array]:
    """Stiffness and damping of the root's degrees of freedom, each (root's nv,)."""
    root, turn = character.dofs(0), 2 * math.pi * balance.frequency
    inertia = np.diag(mass_matrix(character, q))[root]
    return inertia * turn**2, 2 * balance.ratio * inertia * turn


@kernel()
def expected_push(
    tree: Tree, q: Any, v: Any, points: Any, bodies: Any, friction: float, gravity: Any, room: Room, felt: Any
) -> None:
    """Generalised force ``felt`` (nv,) of the ground's pushes at ``points`` (P, 3) of ``bodies`` (P,)."""
    rnea_step(tree, q, v, room.still, tree.armature, gravity, gravity[:0], room.work, room.bias)
    move_links(tree, q, room.still, room.work)
    last = tree.root_links - 1
    place, need = np.zeros(3), np.zeros(6)
    for i in range(tree.root_links):
        for k in range(3):
            place[k] += room.work[block(i) + REACH + k]
    if tree.kind[0] == LINK_TRANSLATION:
        turn = block(last) + TURN
        for k in range(3):
            need[k] = room.bias[k]
            for j in range(3):
                need[3 + k] += room.work[turn + 3 * k + j] * room.bias[3 + j]
    else:
        need[0], need[2], need[4] = room.bias[0], room.bias[1], room.bias[2]
    count, total = points.shape[0], max(need[2], 1e-9)
    low, high, mean = np.full(2, np.inf), np.full(2, -np.inf), np.zeros(3)
    for p in range(count):
        mean += points[p] / count
        for k in range(2):
            low[k], high[k] = min(low[k], points[p, k]), max(high[k], points[p, k])
    # The centre of pressure that would give the moment, or the nearest within what is stood on.
    depth = mean[2] - place[2]
    want_x = place[0] + (depth * need[0] - need[4]) / total
    want_y = place[1] + (depth * need[1] + need[3]) / total
    want_x, want_y = min(max(want_x, low[0]), high[0]) - mean[0], min(max(want_y, low[1]), high[1]) - mean[1]
    xx, xy, yy = 1e-5, 0.0, 1e-5
    for p in range(count):
        x, y = points[p, 0] - mean[0], points[p, 1] - mean[1]
        xx, xy, yy = xx + x * x / count, xy + x * y / count, yy + y * y / count
    det = xx * yy - xy * xy
    slope_x, slope_y = (yy * want_x - xy * want_y) / det, (xx * want_y - xy * want_x) / det
    pressure = np.zeros(count)
    for p in range(count):
        x, y = points[p, 0] - mean[0], points[p, 1] - mean[1]
        pressure[p] = max(0.0, 1.0 + slope_x * x + slope_y * y)
    pressure /= max(1e-9, pressure.sum())
    slip = math.sqrt(need[0] * need[0] + need[1] * need[1])
    grip = min(1.0, friction * total / max(slip, 1e-9))
    wrenches = np.zeros(6 * tree.link.shape[0])
    for p in range(points.shape[0]):
        force = pressure[p] * np.array([grip * need[0], grip * need[1], max(0.0, need[2])])
        at = 6 * bodies[p]
        own = tree.link[bodies[p]]
        arm = points[p].copy()
        while own >= 0:
            for k in range(3):
                arm[k] -= room.work[block(own) + REACH + k]
            own = tree.parent[own]
        wrenches[at : at + 3] += force
        wrenches[at + 3] += arm[1] * force[2] - arm[2] * force[1]
        wrenches[at + 4] += arm[2] * force[0] - arm[0] * force[2]
        wrenches[at + 5] += arm[0] * force[1] - arm[1] * force[0]
    rnea_step(tree, q, room.still, room.still, tree.armature, np.zeros(3), wrenches, room.work, felt)
    felt *= -1.0
