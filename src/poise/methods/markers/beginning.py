"""Where a fit begins: how large the person is, and where the trunk is in every frame."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character, JointKind
from poise.character.labels import roles
from poise.errors import InputError
from poise.manifold import so3
from poise.methods.markers.calibration import MarkerPrior
from poise.methods.markers.landmarks import landmark

_LIMBS = (("upper_arm", "forearm"), ("forearm", "hand"), ("shin", "foot"))
"""Bones whose two ends carry markers in nearly every set."""


def size_of(character: Character, names: tuple[str, ...], positions: Array) -> float:
    """The person's size beside the character's, by bones whose ends carry markers; 1 where there are none."""
    known, ratios = roles(character), []
    places, _ = character.rest_placement()
    told = [landmark(n) for n in names]
    for side in ("left", "right"):
        for first, second in _LIMBS:
            ends = []
            for joint in (first, second):
                near = [
                    k
                    for k, t in enumerate(told)
                    if t and t[0] == side and t[1].at == joint and t[1].along == 1
                ]
                body = known.get(f"{side} {joint}")
                if near and body is not None:
                    ends.append((positions[:, near].mean(axis=1), places[body]))
            if len(ends) == 2:
                lengths = np.linalg.norm(ends[0][0] - ends[1][0], axis=1)
                own = float(np.linalg.norm(ends[0][1] - ends[1][1]))
                if own > 1e-3 and np.isfinite(lengths).any():
                    ratios.append(float(np.nanmedian(lengths)) / own)
    return float(np.median(ratios)) if ratios else 1.0


def trunk_poses(character: Character, size: float, prior: MarkerPrior, targets: Array) -> Array:
    """Rest poses whose roots follow the markers of the trunk, rigidly, (F, nq).

    Frames that see fewer than three of them take the turn of the nearest that does.
    """
    if character.bodies[0].joint.kind is not JointKind.FREE:
        raise InputError(
            f"{character.name!r} cannot follow markers: its root must be free to move and turn, not "
            f"{character.bodies[0].joint.kind.name.lower()}"
        )
    places, turns = character.rest_placement()
    nominal = size * (places[prior.body] - places[0]) + np.einsum(
        "mij,mj->mi", turns[prior.body], prior.place
    )
    trunk = _trunk(character, prior)
    q = np.tile(character.rest_pose(), (len(targets), 1))
    ready = np.zeros(len(targets), dtype=bool)
    for f in range(len(targets)):
        on = trunk & np.isfinite(targets[f, :, 0])
        if on.sum() < 3:
            continue
        turn, shift = _rigid(nominal[on], targets[f, on])
        q[f, :3] = shift
        q[f, 3:7] = so3.from_matrix(turn @ turns[0])
        ready[f] = True
    if not ready.any():
        raise InputError(
            "the trunk cannot be found: no frame shows three markers of pelvis and chest whose names are "
            "known (name the joints of markers with attach)"
        )
    nearest: IntArray = np.flatnonzero(ready)[
        np.abs(np.arange(len(q))[:, None] - np.flatnonzero(ready)).argmin(axis=1)
    ]
    return np.asarray(q[nearest])


def _trunk(character: Character, prior: MarkerPrior) -> Array:
    known = roles(character)
    limbs = [known[r] for r in known if r.split()[-1] in ("upper_arm", "thigh", "head", "neck", "clavicle")]
    far = {i for body in limbs for i in character.subtree(body)}
    near = np.array([int(b) not in far for b in prior.body])
    return near if near.sum() >= 3 else np.ones(len(near), dtype=bool)


def _rigid(a: Array, b: Array) -> tuple[Array, Array]:
    """R, t with R a + t ≈ b in least squares (Kabsch)."""
    middle_a, middle_b = a.mean(axis=0), b.mean(axis=0)
    turn = so3.nearest((b - middle_b).T @ (a - middle_a))
    return turn, middle_b - turn @ middle_a
