"""Reference poses to move from: a character at ease, crouched and ready, or with some joints turned.

At ease, whatever a file calls rest: arms down, legs below the hips, knees a little bent. Limbs are found by
their labels and turned as a whole, the shortest way, until they point where they should; feet stay turned as
they are at rest. Joints that cannot follow (hinges) do what they can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poise.arrays import Array, checked
from poise.character import Character
from poise.character.labels import roles
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.plan.model.affine_figure import AffineFigure
from poise.methods.plan.scene.hold import Hold, as_holds
from poise.methods.plan.solve.projection import Places, current_places, hold_exactly, true_pose
from poise.workers import algebra_on_one_thread

UPPER_ARM, FOREARM = (0.05, 0.30, -1.0), (0.35, 0.15, -1.0)
"""Directions of an arm that hangs at ease: forward, outward, up."""


def turned_pose(character: Character, turns: Mapping[str, Sequence[float]]) -> Array:
    """The rest pose with some joints turned, and what hangs from them, (nq,).

    ``turns`` has rotation vectors [rad] by name or pattern, in the world's axes as they are at rest.
    """
    figure = AffineFigure(character, character.rest_pose())
    own = np.tile(np.eye(3), (len(character.bodies), 1, 1))
    for pattern, vector in turns.items():
        turn = so3.to_matrix(so3.exp(checked(vector, f"turn of {pattern!r} [rad]", (3,))))
        for body in character.select(pattern):
            own[body] = turn
    whole = own.copy()
    for i, up in enumerate(character.parents.tolist()):
        if up >= 0:
            whole[i] = whole[up] @ own[i]
    return np.asarray(true_pose(figure, (whole @ figure.rotations)[None], figure.origins[:1])[0])


@algebra_on_one_thread()
def ready_pose(
    character: Character,
    feet: Sequence[Hold | str],
    *,
    lower: float,
    apart: Mapping[str, Sequence[float]] | None = None,
    pose: Array | None = None,
) -> Array:
    """The pose (rest by default) with its root lowered by so much [m] while what it stands on stays, (nq,).

    Legs that are to push need room to stretch: jump from a reference pose with bent knees. ``apart`` moves
    feet over the ground, by name [m]: ``{"LeftFoot": (0.15, 0.0)}``.
    """
    q = character.rest_pose() if pose is None else np.asarray(pose, dtype=np.float64)
    feet = as_holds(character, feet)
    root = Hold(character.names[0])
    held = current_places(character, q, [*feet, root])
    figure = AffineFigure(character, q)
    moves = np.zeros_like(held.positions)
    moves[-1, 2] = -lower
    for name, move in (apart or {}).items():
        if name not in [h.what for h in feet]:
            raise UnknownNameError("foot", name, [h.what for h in feet])
        moves[[h.what for h in feet].index(name), :2] = checked(move, f"move of {name!r} [m]", (2,))
    steps = max(1, int(np.ceil(np.abs(moves).max() / 0.03)))
    for step in range(1, steps + 1):  # little by little, so that knees bend the way they already are bent
        places = held.positions + moves * step / steps
        q, _, left = hold_exactly(
            figure, np.atleast_2d(q), Places(held.holds, places, held.rotations), most=40
        )
    if left > 1e-9:
        raise InputError(f"{character.name!r} cannot be lowered by {lower:g} m with its feet in place")
    return np.asarray(q[0])


@algebra_on_one_thread()
def ease_pose(character: Character, *, knees: float = 0.5) -> Array:
    """The pose (nq,), with knees bent by so much [rad], standing on z = 0."""
    part = roles(character)
    for need in ("left thigh", "left shin", "left foot", "right thigh", "right shin", "right foot"):
        if need not in part:
            known = ", ".join(part) or "none"
            raise InputError(f"{character.name!r} has no {need} that can be recognised (found: {known})")
    figure = AffineFigure(character, character.rest_pose())
    rotations = figure.rotations.copy()
    lean = 0.5 * knees
    for side, sign in (("left", 1.0), ("right", -1.0)):
        aims = [
            ("upper_arm", "forearm", UPPER_ARM),
            ("forearm", "hand", FOREARM),
            ("thigh", "shin", (np.sin(lean), 0.0, -np.cos(lean))),
            ("shin", "foot", (-np.sin(lean), 0.0, -np.cos(lean))),
        ]
        for start, end, (x, y, z) in aims:
            if f"{side} {start}" in part and f"{side} {end}" in part:
                _aim(
                    figure,
                    rotations,
                    part[f"{side} {start}"],
                    part[f"{side} {end}"],
                    np.array([x, sign * y, z]),
                )
        for i in character.subtree(part[f"{side} foot"]):
            rotations[i] = figure.rotations[i]
    q = true_pose(figure, rotations[None], figure.origins[:1])
    kin = Kinematics(character, q)
    feet = [i for side in ("left", "right") for i in character.subtree(part[f"{side} foot"])]
    lowest = min(kin.positions[0, feet, 2].min(), *(_soles(kin, feet) or [np.inf]))
    root = character.coordinates(0).start
    q[0, root + 2] -= lowest
    return np.asarray(q[0])


def _aim(figure: AffineFigure, rotations: Array, start: int, end: int, wanted: Array) -> None:
    """Turn a bone and all that hangs from it so that its joint sees another's in the wanted direction."""
    parents = figure.character.parents
    now, i = np.zeros(3), end
    while i != start:  # along the bones between
        up = int(parents[i])
        offset = figure.rotations[up].T @ (figure.origins[i] - figure.origins[up])
        now += rotations[up] @ offset
        i = up
    turn = so3.to_matrix(so3.between(now, wanted))
    for i in figure.character.subtree(start):
        rotations[i] = turn @ rotations[i]


def _soles(kin: Kinematics, feet: list[int]) -> list[float]:
    """Heights of named points of the feet."""
    names = [name for i in feet for name in kin.character.bodies[i].points]
    return [float(kin.point(name)[0, 2]) for name in names]
