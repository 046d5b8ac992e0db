"""Rotations from positions of joints: bones of constant length, and the motion that explains all frames.

The start is in closed form: where a joint has several children their directions say its turn (Kabsch),
where it has one the least turn from the parent's does. Errors then add up along the spine, so the whole
clip is fitted at once. How noisy the positions are is told by the bones, whose lengths should not change:

    σ = median over bones of (1.4826 MAD of the length) / √2

Clean positions are reproduced; noisy ones are smoothed as far as they are noisy and no further. Turns about
a bone's own axis are seen by nobody: knees and elbows bend one way (joint limits), the rest stays as it is
at rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Body, Character, Joint
from poise.character.anatomy import felt_limits
from poise.character.labels import labelled
from poise.manifold import so3
from poise.methods.markers.attached import Attached
from poise.methods.markers.clip_fit import Smoothness, fit_clip
from poise.methods.markers.pose_cost import PoseCost
from poise.workers import algebra_on_one_thread

LEAST = 2e-4
"""Positions are never believed to be better than this [m]."""
SPREAD = 6.0
"""Of turns about the closed form's [rad]: only what nobody sees feels it."""
TURNING, SLIDING = 150.0, 30.0
"""Accelerations of joints [rad/s²] and of the root [m/s²] that are usual, standard deviations."""
CLEAN = 5e-4
"""Less noisy positions are taken as they are [m]."""


ROUNDS = 8
"""Of finding the angles between bones that leave one joint."""


@dataclass(frozen=True, eq=False)
class JointFit:
    """A character of the bones that were found, and its motion."""

    character: Character
    q: Array
    """(F, nq)"""
    noise: float
    """Standard deviation of the positions, as the bones tell [m]."""
    error: float
    """Of joints, mean square root [m]."""


@algebra_on_one_thread()
def fit_joints(
    positions: Array,
    names: tuple[str, ...],
    parents: tuple[int, ...],
    rest: Array,
    dt: float,
    *,
    name: str = "joints",
    watch: Callable[[float], None] = lambda part: None,
) -> JointFit:
    """Fit positions (F, J, 3) [m], z up; ``rest`` (J, 3) says where bones point at rest."""
    lengths, noise = bone_lengths(positions, parents)
    offsets = measured_offsets(positions, parents, rest * lengths[:, None])
    bodies = [
        Body(
            n,
            None if p < 0 else names[p],
            Joint.free() if p < 0 else Joint.ball(),
            np.zeros(3) if p < 0 else offsets[k],
        )
        for k, (n, p) in enumerate(zip(names, parents))
    ]
    character = labelled(Character(name, bodies, mass_source="none"))
    order = np.array([character.index(n) for n in names])
    start = closed_form(character, positions, parents, offsets, order)
    lower, upper = (np.array(side) for side in felt_limits(character))
    lower[:6], upper[:6] = -np.inf, np.inf
    points = Attached(order, np.zeros((len(names), 3)))
    spread = np.full(character.nv, SPREAD)
    spread[:6] = 1e3
    cost = PoseCost(
        character, points, positions, np.full(len(names), max(noise, LEAST)), 1e6, start, spread, lower, upper
    )
    pace = np.full(character.nv, TURNING)
    pace[:3] = SLIDING
    smooth = Smoothness(dt, pace if noise > CLEAN else 1e6 * pace)
    q = fit_clip(cost, start, smooth, watch=watch)
    slots, _ = character.manifold.rotation_slots
    for own in slots:
        q[:, own] = so3.continuous(q[:, own])
    off = character.placement(q).positions[:, order] - positions
    return JointFit(character, q, noise, float(np.sqrt((off**2).sum(axis=2).mean())))


def bone_lengths(positions: Array, parents: tuple[int, ...]) -> tuple[Array, float]:
    """Medians over frames (J,), and the noise of positions that their changes tell [m]."""
    bones = np.zeros((len(positions), len(parents)))
    for k, p in enumerate(parents):
        if p >= 0:
            bones[:, k] = np.linalg.norm(positions[:, k] - positions[:, p], axis=1)
    lengths = np.median(bones, axis=0)
    changes = 1.4826 * np.median(np.abs(bones - lengths), axis=0)[1:]
    noise = float(np.median(changes)) / np.sqrt(2.0) if len(changes) else 0.0
    if noise > CLEAN:  # a noisy bone is too long in the mean: |b + n|² = |b|² + 4 σ² across it
        lengths = np.where(lengths > 4 * noise, np.sqrt(np.maximum(lengths**2 - 4 * noise**2, 0.0)), lengths)
    return lengths, noise


def measured_offsets(positions: Array, parents: tuple[int, ...], offsets: Array) -> Array:
    """Offsets whose angles at joints with several bones are those of the data; lengths stay.

    Bones that leave one joint keep their angles: frames are turned onto the offsets, and the median of what
    is seen takes their place.
    """
    out = np.array(offsets)
    lengths = np.linalg.norm(offsets, axis=1)
    upright = np.tile(np.eye(3), (len(positions), 1, 1))
    for k in range(len(parents)):
        below = [c for c, p in enumerate(parents) if p == k and lengths[c] > 0]
        if len(below) < 2:
            continue
        seen = positions[:, below] - positions[:, [k]]
        for _ in range(ROUNDS):
            turn = _turned(upright, out[below], seen)
            local = np.median(np.einsum("fji,fcj->fci", turn, seen), axis=0)
            size = np.linalg.norm(local, axis=1)
            out[below] = local * (lengths[below] / np.maximum(size, 1e-12))[:, None]
    return out


def closed_form(
    character: Character, positions: Array, parents: tuple[int, ...], offsets: Array, order: Array
) -> Array:
    """Poses whose bones point as the joints say, (F, nq)."""
    frames, count = positions.shape[:2]
    children: list[list[int]] = [[] for _ in range(count)]
    for k, p in enumerate(parents):
        if p >= 0 and np.linalg.norm(offsets[k]) > 0:
            children[p].append(k)
    turns = np.tile(np.eye(3), (frames, count, 1, 1))
    q = np.tile(character.rest_pose(), (frames, 1))
    for k in range(count):
        above = turns[:, parents[k]] if parents[k] >= 0 else np.tile(np.eye(3), (frames, 1, 1))
        below = children[k]
        turns[:, k] = above
        if below:
            bones = offsets[below]
            seen = positions[:, below] - positions[:, [k]]
            turns[:, k] = _turned(above, bones, seen)
        local = so3.from_matrix(np.swapaxes(above, 1, 2) @ turns[:, k])
        span = character.coordinates(int(order[k]))
        if parents[k] < 0:
            q[:, span] = np.concatenate([positions[:, k], so3.from_matrix(turns[:, k])], axis=1)
        else:
            q[:, span] = local
    slots, _ = character.manifold.rotation_slots
    for own in slots:
        q[:, own] = so3.continuous(q[:, own])
    return q


def _turned(above: Array, bones: Array, seen: Array) -> Array:
    """World turns of a joint (F, 3, 3) whose bones (C, 3) are seen as (F, C, 3)."""
    if len(bones) > 1 and np.linalg.matrix_rank(bones, tol=0.05 * float(np.abs(bones).max())) > 1:
        return so3.nearest(np.einsum("ci,fcj->fji", bones, seen))
    way, bone = seen.mean(axis=1), bones.mean(axis=0)
    carried = np.einsum("fij,j->fi", above, bone)
    return np.asarray(so3.to_matrix(so3.between(carried, way)) @ above)
