"""The mirror image of a motion: left does what right did, and the way goes to the other side.

World positions are reflected, x'_σ(b) = S_w x_b, and bodies turned so that they look mirrored,
R'_σ(b) = S_w R_b M_b (σ, M_b = −P_b: see ``symmetry``). In the coordinates of joints, with M of the parent
(of the world: S_w, since a root's parent is the world):

    ball    Q' = P_bᵀ Q P_b           hinge   θ' = ±θ with P_bᵀ axis_b = ± axis_σ(b)
    slide   d' = ±d with M_bᵀ axis_b = ± axis_σ(b)
    free    t' = M_parentᵀ t,  Q' = P_parentᵀ Q P_b
    planar  the same in the x–z plane, its angle about y

Nothing assumes how axes point or which way a hinge counts; all is read off the rest pose. Morph targets
change sides by their names ("smileLeft" and "smileRight"); those without a counterpart keep their weights.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Body, JointKind
from poise.character.joint import as_array
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3
from poise.motion.clip import Clip
from poise.motion.operators.ground import root_kind
from poise.motion.operators.symmetry import Symmetry, find_symmetry, mirrored_names, reflection
from poise.motion.travel import Travel

PLANES = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0])}


def mirror(clip: Clip, plane: str = "y", *, tolerance: float = 0.05) -> Clip:
    """The clip reflected in a vertical plane of the world, left and right swapped.

    A character whose root stays in place is mirrored in its own plane of symmetry. Mirroring twice gives the
    clip again.

    Args:
        clip: The motion of a character that is symmetric in its rest pose.
        plane: The plane's normal: "y" (forward stays forward) or "x".
        tolerance: How far a body may be from its partner's mirror image, in units of the character's reach [≥
            0].

    Returns:
        Clip: The mirrored motion.

    Raises:
        InputError: The character is not symmetric; the message names the bodies.

    Examples:
        >>> left = poise.motion.operators.mirror(poise.clips.get("punch"))
    """
    if plane not in PLANES:
        raise UnknownNameError("vertical plane to mirror in, by its normal,", plane, PLANES)
    character = clip.character
    symmetry = find_symmetry(character, tolerance)
    world = reflection(PLANES[plane])
    _check_root(clip, symmetry, plane)
    out = np.empty_like(clip.q)
    for i, body in enumerate(character.bodies):
        k = int(symmetry.partner[i])
        up = int(character.parents[i])
        parent = -world if up < 0 else symmetry.turns[up]
        q = clip.q[:, character.coordinates(i)]
        out[:, character.coordinates(k)] = _mirrored(body, character.bodies[k], q, parent, symmetry.turns[i])
    travel = clip.travel
    if not travel.still:
        travel = Travel(world @ np.asarray(travel.translation), -travel.yaw)
    morphs = clip.morphs[:, mirrored_names(clip.morph_names)] if clip.morphs is not None else None
    return clip.with_frames(out, morphs, travel=travel)


def _mirrored(body: Body, partner: Body, q: Array, parent: Array, turn: Array) -> Array:
    """Coordinates of the partner's joint (F, nq) from those of the body's; P_parent and P_b (3, 3)."""
    match body.joint.kind:
        case JointKind.HINGE:
            return q * _sign(body, partner, turn)
        case JointKind.SLIDE:
            return q * _sign(body, partner, -turn)
        case JointKind.BALL:
            return np.concatenate([q[:, :1], q[:, 1:] @ turn], axis=1)
        case JointKind.FREE:
            before, after = so3.conjugate(so3.from_matrix(parent)), so3.from_matrix(turn)
            rotation = so3.multiply(so3.multiply(before, q[:, 3:]), after)
            return np.concatenate([-q[:, :3] @ parent, rotation], axis=1)
        case JointKind.PLANAR:
            return _mirrored_planar(body, q, parent, turn)
        case JointKind.FIXED:
            return q


def _sign(body: Body, partner: Body, change: Array) -> float:
    """±1 such that changeᵀ axis = ± the partner's axis."""
    cosine = float(as_array(partner.joint.axis) @ (change.T @ as_array(body.joint.axis)))
    if abs(cosine) < 0.998:  # more than about 4° apart
        raise InputError(
            f"{body.name!r} and {partner.name!r} are not mirror images: "
            f"the axes of their {body.joint.kind.name.lower()} joints do not match"
        )
    return float(np.sign(cosine))


def _mirrored_planar(body: Body, q: Array, parent: Array, turn: Array) -> Array:
    across = -parent.T  # M_parentᵀ
    rest = parent.T @ turn
    if abs(abs(across[1, 1]) - 1.0) > 1e-6 or abs(rest[1, 1] - 1.0) > 1e-6:
        raise InputError(f"the planar joint of {body.name!r} cannot be mirrored: it would leave its plane")
    place = q[:, :2] @ across[np.ix_([0, 2], [0, 2])].T
    # exp(θ e_y) is turned about P_parentᵀ e_y = ∓ e_y, then by what the rest poses differ.
    angle = -np.sign(across[1, 1]) * q[:, 2:] + np.arctan2(rest[0, 2], rest[0, 0])
    return np.concatenate([place, angle], axis=1)


def _check_root(clip: Clip, symmetry: Symmetry, plane: str) -> None:
    """A free root may be mirrored in any vertical plane; any other only in the character's own."""
    kind = root_kind(clip.character)
    if kind is JointKind.FREE or abs(float(symmetry.normal @ PLANES[plane])) > 1 - 1e-6:
        return
    what = "planar" if kind is JointKind.PLANAR else "fixed in place"
    own = next(
        (name for name, normal in PLANES.items() if abs(float(symmetry.normal @ normal)) > 1 - 1e-6), ""
    )
    hint = f'mirror it in plane="{own}"' if own else "turn it so that it faces along x or y first"
    raise InputError(
        f"{clip.character.name!r} cannot be mirrored in {plane} = 0: its root is {what} and its own plane of "
        f"symmetry is another; {hint}"
    )
