"""The left–right symmetry of a character, from its names, its side labels and its rest pose.

Body b has the partner σ(b) (itself on the middle line), and the rest pose is its own reflection S in a plane
through the root. Frames need not be mirror images: how those of partners are related is read off it,

    M_b = R_bᵀ S R_σ(b)      (det −1),     P_b = −M_b      (a rotation),

so that a body turned by Q_b against its parent is mirrored by its partner turned by P_bᵀ Q_b P_b.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.character import Character
from poise.errors import InputError

_SEPARATOR = r"[_.\-:| ]"
_WORD = re.compile(r"left|right", re.IGNORECASE)
_LETTERS = (
    re.compile(
        rf"(?:(?<=^)|(?<={_SEPARATOR}))[lr](?=$|{_SEPARATOR}|[A-Z0-9])", re.IGNORECASE
    ),  # l_arm, arm.R, LArm
    re.compile(rf"(?<=[a-z0-9])[LR](?=$|{_SEPARATOR}|[0-9])"),  # armL
    re.compile(rf"(?:(?<=^)|(?<={_SEPARATOR}))[lr]", re.IGNORECASE),  # larm: last, since it is a guess
)
NEARLY = 0.99
"""Cosine of an angle by which a fitted plane may be off the axis it is taken to be: eight degrees."""
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}


@dataclass(frozen=True, eq=False)
class Symmetry:
    """Partners and how their frames are related."""

    partner: IntArray
    """σ: index of each body's mirror partner, (n,)."""
    normal: Array
    """Of the plane of symmetry in the rest pose, unit, (3,)."""
    turns: Array
    """P_b, (n, 3, 3)."""

    @property
    def reflection(self) -> Array:
        """S = I − 2 n nᵀ, (3, 3)."""
        return reflection(self.normal)


def reflection(normal: Array) -> Array:
    """The matrix that reflects in the plane with a unit normal, (3, 3)."""
    return np.asarray(np.eye(3) - 2.0 * np.outer(normal, normal))


def mirror_pairs(character: Character) -> IntArray:
    """The mirror partner of each body, (n,); bodies of the middle are their own.

    Names decide ("LeftArm"/"RightArm", "arm_l"/"arm_r", "lfemur"/"rfemur" …), unless side labels contradict;
    a body labelled left or right whose name has no counterpart is matched by its place in the tree.

    Args:
        character: Whose bodies they are.

    Returns:
        IntArray: Indices of bodies.

    Raises:
        InputError: A body that is labelled left or right has no partner, or several.

    Examples:
        >>> figure = poise.characters.humanoid()
        >>> print(figure.names[poise.motion.operators.mirror_pairs(figure)[4]])
    """
    bodies, parents = character.bodies, character.parents
    partner = np.full(len(bodies), -1, dtype=np.int64)
    index = {name: i for i, name in enumerate(character.names)}
    for i, body in enumerate(bodies):
        if partner[i] >= 0:
            continue
        for name in _swapped(body.name):
            k = index.get(name, -1)
            sides = {body.side, bodies[k].side}
            if k >= 0 and partner[k] < 0 and k != i and sides in ({"left", "right"}, {"centre"}):
                partner[i], partner[k] = k, i
                break
    for i, body in enumerate(bodies):
        if partner[i] < 0 and body.side != "centre":
            across = _OTHER[body.side]
            fitting = [
                k
                for k, other in enumerate(bodies)
                if partner[k] < 0
                and other.side == across
                and other.limb == body.limb
                and other.joint.kind is body.joint.kind
                and (parents[i] < 0 or parents[k] == partner[parents[i]])
            ]
            if len(fitting) != 1:
                found = f"{len(fitting)} bodies could be" if fitting else "no body is"
                raise InputError(
                    f"{found} the mirror partner of {body.name!r} ({body.side}) in {character.name!r}"
                )
            partner[i], partner[fitting[0]] = fitting[0], i
        elif partner[i] < 0:
            partner[i] = i
    _check_tree(character, partner)
    return frozen(partner, dtype=np.int64)


def find_symmetry(character: Character, tolerance: float = 0.05) -> Symmetry:
    """The symmetry of a character whose rest pose is its own mirror image, or an error that names the bodies.

    ``tolerance``: how far a body may be from its partner's reflection, in units of its reach.
    """
    partner = mirror_pairs(character)
    position, turn = character.rest_placement()
    arm = position - position[0]
    size = float(np.linalg.norm(arm, axis=1).max())
    limit = tolerance * size + 1e-12
    planes = _planes(arm, partner, turn[0])
    # A plane fitted to limbs of unequal length leans, and hides it: beside an axis it must fit far better.
    limits = [limit] * (len(planes) - 1) + [limit if len(planes) == 1 else 0.1 * limit]
    fitting = (p for p, most in zip(planes, limits) if (p[2] <= most).all())
    normal, mirror, away = next(fitting, planes[0])
    if (away > limit).any():
        worst = [int(i) for i in np.argsort(-away) if away[i] > limit][:6]
        listed = ", ".join(
            f"{character.names[i]!r} ({100 * away[i]:.2g} cm off {character.names[partner[i]]!r} mirrored)"
            for i in worst
        )
        raise InputError(f"the rest pose of {character.name!r} is not symmetric: {listed}")
    turns = -np.einsum("bji,jk,bkl->bil", turn, mirror, turn[partner])
    return Symmetry(partner, frozen(normal), frozen(_snapped(turns)))


def mirrored_names(names: Sequence[str]) -> IntArray:
    """The index of each name's counterpart on the other side, (m,); its own if there is none."""
    index = {name: i for i, name in enumerate(names)}
    partner = np.arange(len(names))
    for i, name in enumerate(names):
        if partner[i] != i:
            continue
        free = (k for other in _swapped(name) if (k := index.get(other, i)) != i and partner[k] == k)
        if (k := next(free, i)) != i:
            partner[i], partner[k] = k, i
    return partner.astype(np.int64)


def _swapped(name: str) -> list[str]:
    """Names that could be the other side's, the likeliest first."""
    found: list[str] = []
    for pattern in (_WORD, *_LETTERS):
        hits = list(pattern.finditer(name))
        if len(hits) > 1:
            found.append(pattern.sub(lambda m: _other(m.group()), name))
        found += [name[: m.start()] + _other(m.group()) + name[m.end() :] for m in hits]
    return found


def _other(word: str) -> str:
    """right for left, in the same case."""
    swapped = _OTHER[word.lower()]
    if word.isupper():
        return swapped.upper()
    return swapped.capitalize() if word[0].isupper() else swapped


def _check_tree(character: Character, partner: IntArray) -> None:
    for i, body in enumerate(character.bodies):
        other = character.bodies[partner[i]]
        if body.joint.kind is not other.joint.kind:
            kinds = f"{body.joint.kind.name.lower()} and {other.joint.kind.name.lower()}"
            raise InputError(
                f"{body.name!r} and {other.name!r} are not mirror images: their joints are {kinds}"
            )
        up, across = int(character.parents[i]), int(character.parents[partner[i]])
        if (partner[up] if up >= 0 else -1) != across:
            raise InputError(
                f"{body.name!r} and {other.name!r} are not mirror images: "
                f"they hang from {body.parent!r} and {other.parent!r}"
            )


def _planes(arm: Array, partner: IntArray, root: Array) -> list[tuple[Array, Array, Array]]:
    """Planes of symmetry to try: normal, reflection, and how far each body is from its partner's image (n,).

    The normal is the direction in which partners lie apart (y for characters without any). Where that
    is nearly an axis of the world or of the root, as it is when limbs differ a little, it is the axis.
    """
    apart = arm - arm[partner]
    spread = apart.T @ apart
    fitted = np.linalg.eigh(spread)[1][:, -1] if np.trace(spread) > 1e-18 else np.array([0.0, 1.0, 0.0])
    axes = [axis for axis in (*np.eye(3), *root.T) if abs(float(axis @ fitted)) > NEARLY]
    planes = []
    for normal in (*axes, fitted):
        mirror = reflection(normal)
        planes.append((normal, mirror, np.linalg.norm(arm[partner] - arm @ mirror, axis=1)))
    return planes


def _snapped(turns: Array) -> Array:
    """Rotations that swap or flip axes made exact, so that mirroring twice keeps bits."""
    nearest = np.rint(turns)
    exact = np.abs(turns - nearest).max(axis=(1, 2)) < 1e-9
    return np.where(exact[:, None, None], nearest + 0.0, turns)
