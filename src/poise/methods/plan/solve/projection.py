"""From warped matrices to true poses that still hold what is held.

The nearest rotation of each W_i (polar decomposition) is a pose of the joints, up to what hinges cannot do;
Newton steps of least norm then bring held points and orientations back to where they belong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.compilation import kernel
from poise.kinematics import Kinematics
from poise.kinematics.jacobians import angular_jacobians
from poise.manifold import so3
from poise.methods.plan.model.affine_figure import CENTRE, AffineFigure
from poise.methods.plan.model.warp import apart
from poise.methods.plan.scene.hold import Hold

EXACT = 1e-12
"""Held points are brought this close [m, rad]."""


class Places(NamedTuple):
    """Where held things belong: per hold a place (3,) and, where held too, a rotation (3, 3)."""

    holds: tuple[Hold, ...]
    positions: Array
    """(k, 3); of places that move (T, k, 3)."""
    rotations: Array
    """World-from-body (k, 3, 3) or (T, k, 3, 3); idle where the orientation is free."""


class Projected(NamedTuple):
    """True poses and what it took."""

    q: Array
    """(T, nq)."""
    step: Array
    """Largest turn of a joint, or shift of the root, that held things asked for [rad, m] (T,)."""
    left: float
    """What is missing at held points after all [m, rad]."""


def project(figure: AffineFigure, pose: Array, places: Places | None) -> Projected:
    """Poses q (T, nq) of warped 𝐖 (T, 3, 1 + 3n)."""
    rotations = _nearest_rotations(apart(pose))
    q = true_pose(figure, rotations @ figure.rotations, pose[:, :, 0])
    if places is None or not places.holds:
        return Projected(q, np.zeros(len(q)), 0.0)
    return Projected(*hold_exactly(figure, q, places))


def hold_exactly(
    figure: AffineFigure, q: Array, places: Places, *, most: int = 12
) -> tuple[Array, Array, float]:
    """Poses (T, nq) with bones turned the least so that held things are in place.

    Also by how much joints had to turn (T,), and what is still missing.
    """
    character, give = figure.character, figure.give
    first, left = q, np.inf
    for _ in range(most):
        kin = Kinematics(character, q)
        error, jacobian = _errors(kin, places)
        left = float(np.abs(error).max(initial=0.0))
        if left < EXACT:
            break
        way = give @ np.swapaxes(jacobian, 1, 2)  # (T, nv, r)
        gram = jacobian @ way
        # Two holds of one body say some things twice; a breath of damping chooses for them.
        gram += 1e-13 * np.trace(gram, axis1=1, axis2=2)[:, None, None] * np.eye(gram.shape[1])
        step = (way @ np.linalg.solve(gram, -error[..., None]))[..., 0]
        size = np.abs(step).max(axis=1, keepdims=True)
        q = character.manifold.plus(q, step * np.minimum(1.0, 0.5 / np.maximum(size, 1e-12)))
    moved = np.abs(character.manifold.minus(q, first)).max(axis=1)
    return q, moved, left


def current_places(character: Character, q: Array, holds: Sequence[Hold]) -> Places:
    """Where the holds are in a pose (nq,)."""
    kin = Kinematics(character, q)
    positions, rotations = [], []
    for hold in holds:
        centre = hold.what == CENTRE
        positions.append(kin.com[0] if centre else kin.point(hold.what)[0])
        rotations.append(np.eye(3) if centre else kin.rotations[0, character.point(hold.what).body])
    return Places(tuple(holds), np.array(positions).reshape(-1, 3), np.array(rotations).reshape(-1, 3, 3))


def places_along(character: Character, q: Array, holds: Sequence[Hold]) -> Places:
    """Where the holds are in every pose (T, nq)."""
    kin = Kinematics(character, q)
    positions, rotations = [], []
    for hold in holds:
        centre = hold.what == CENTRE
        positions.append(kin.com if centre else kin.point(hold.what))
        body = 0 if centre else character.point(hold.what).body
        rotations.append(kin.rotations[:, body])
    return Places(tuple(holds), np.stack(positions, axis=1), np.stack(rotations, axis=1))


def hold_jacobian(kin: Kinematics, holds: Sequence[Hold]) -> Array:
    """Rows J with J v the velocities of held things, (T, r, nv)."""
    rows = []
    for hold in holds:
        rows.append(kin.com_jacobian if hold.what == CENTRE else kin.point_jacobian(hold.what))
        if hold.turns(kin.character):
            rows.append(kin.angular_jacobian(kin.character.point(hold.what).body))
    return np.concatenate(rows, axis=1)


def _errors(kin: Kinematics, places: Places) -> tuple[Array, Array]:
    """What is missing (T, r) and its Jacobian (T, r, nv)."""
    character = kin.character
    named = [h.what for h in places.holds if h.what != CENTRE]
    kin.point_jacobians(named)  # all in one pass
    errors, rows = [], []
    for k, hold in enumerate(places.holds):
        centre = hold.what == CENTRE
        errors.append((kin.com if centre else kin.point(hold.what)) - places.positions[..., k, :])
        rows.append(kin.com_jacobian if centre else kin.point_jacobian(hold.what))
        if hold.turns(character):
            body = character.point(hold.what).body
            away = so3.log(
                so3.from_matrix(kin.rotations[:, body] @ np.swapaxes(places.rotations[..., k, :, :], -1, -2))
            )  # world axes
            errors.append(away)
            turning = angular_jacobians(character, kin.placement, [body])[:, 0]
            rows.append(so3.right_jacobian_inverse(-away) @ turning)
    return np.concatenate(errors, axis=1), np.concatenate(rows, axis=1)


def stretches(pose: Array) -> Array:
    """How far the W_i of 𝐖 (T, 3, 1 + 3n) are from rotations: largest |singular value − 1|, (T,)."""
    sizes = np.linalg.svd(apart(pose), compute_uv=False)
    return np.asarray(np.abs(sizes - 1).max(axis=(1, 2), initial=0.0))


def _nearest_rotations(turns: Array) -> Array:
    """Polar factors (T, n, 3, 3)."""
    out = np.ascontiguousarray(turns).copy()
    odd = np.linalg.det(out) < 0.1  # crushed, or inside out
    if odd.any():
        out[odd] = so3.nearest(out[odd])
    _polar(out.reshape(-1, 3, 3))
    return out


@kernel()
def _polar(matrices: Array) -> None:
    """Newton's iteration X ← ½ (X + X⁻ᵀ), in place; of positive determinants."""
    cofactors = np.empty((3, 3))
    for f in range(len(matrices)):
        x = matrices[f]
        for _ in range(30):
            for a in range(3):
                b, c = (a + 1) % 3, (a + 2) % 3
                for k in range(3):
                    m, n = (k + 1) % 3, (k + 2) % 3
                    cofactors[a, k] = x[b, m] * x[c, n] - x[b, n] * x[c, m]
            size = x[0, 0] * cofactors[0, 0] + x[0, 1] * cofactors[0, 1] + x[0, 2] * cofactors[0, 2]
            change = 0.0
            for a in range(3):
                for k in range(3):
                    step = 0.5 * (cofactors[a, k] / size - x[a, k])
                    x[a, k] += step
                    change = max(change, abs(step))
            if change < 1e-8:  # the next one would be its square
                break


def true_pose(figure: AffineFigure, rotations: Array, root: Array) -> Array:
    """q (T, nq) of wanted body rotations (T, n, 3, 3) and the root's place (T, 3); hinges do what they
    can.
    """
    character = figure.character
    out = np.zeros((len(rotations), character.nq))
    actual = rotations.copy()
    balls, spans = [], []
    for i, (body, up) in enumerate(zip(character.bodies, character.parents.tolist())):
        span = character.coordinates(i)
        kind = body.joint.kind
        if kind is JointKind.BALL:
            balls.append(i)
            spans.append(span.start)
        elif kind is JointKind.FREE:
            out[:, span.start : span.start + 3] = root
            out[:, span.start + 3 : span.stop] = so3.from_matrix(rotations[:, i])
        elif kind is JointKind.PLANAR:
            angle = np.arctan2(rotations[:, i, 0, 2], rotations[:, i, 0, 0])
            out[:, span] = np.stack([root[:, 0], root[:, 2], angle], axis=1)
            actual[:, i] = so3.to_matrix(so3.exp(angle[:, None] * np.array([0.0, 1.0, 0.0])))
        elif kind is JointKind.HINGE:
            base = actual[:, up] @ figure.rests[i]
            axis = np.asarray(body.joint.axis, dtype=np.float64)
            turn = so3.from_matrix(np.swapaxes(base, 1, 2) @ rotations[:, i])
            angle = 2 * np.arctan2(turn[:, 1:] @ axis, turn[:, 0])  # the twist about the axis
            angle = np.mod(angle + np.pi, 2 * np.pi) - np.pi
            out[:, span] = angle[:, None]
            actual[:, i] = base @ so3.to_matrix(so3.exp(angle[:, None] * axis))
        else:
            actual[:, i] = actual[:, up] @ figure.rests[i]
    if balls:  # they do all they are asked, so all of them at once
        base = actual[:, character.parents[balls]] @ figure.rests[balls]
        where = np.array(spans)[:, None] + np.arange(4)
        out[:, where] = so3.from_matrix(np.swapaxes(base, 2, 3) @ rotations[:, balls])
    return out
