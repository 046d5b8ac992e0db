"""Forward kinematics of the tests' own, in plain numpy: what the product's reports are compared with.

Nothing here calls the product beyond reading a character's description and a clip's configurations.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character, JointKind


def rotation(w: float, x: float, y: float, z: float) -> np.ndarray:
    """The matrix of a quaternion, whatever its length."""
    n = w * w + x * x + y * y + z * z
    return np.array(
        [
            [n - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), n - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), n - 2 * (x * x + y * y)],
        ]
    ) / n  # fmt: skip


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """The matrix of a turn by an angle about a unit axis."""
    return rotation(np.cos(angle / 2), *(np.sin(angle / 2) * axis))


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    """The angle of the rotation from one matrix to the other, exact for small ones too."""
    off = a.T @ b
    skew = 0.5 * np.array([off[2, 1] - off[1, 2], off[0, 2] - off[2, 0], off[1, 0] - off[0, 1]])
    return float(np.arctan2(np.linalg.norm(skew), 0.5 * (np.trace(off) - 1)))


class Stance:
    """A character in one configuration q (nq,)."""

    def __init__(self, character: Character, q: np.ndarray) -> None:
        self.character = character
        self.places: list[np.ndarray] = []
        self.turns: list[np.ndarray] = []
        at = 0
        for body, up in zip(character.bodies, character.parents):
            kind, axis = body.joint.kind, np.asarray(body.joint.axis)
            shift, turn = np.asarray(body.offset), rotation(*body.rest)
            if kind is JointKind.FREE:
                shift, turn = q[at : at + 3], rotation(*q[at + 3 : at + 7])
                at += 7
            elif kind is JointKind.PLANAR:
                shift = np.array([q[at], shift[1], q[at + 1]])
                turn = about(np.array([0.0, 1.0, 0.0]), q[at + 2])
                at += 3
            elif kind is JointKind.BALL:
                turn = turn @ rotation(*q[at : at + 4])
                at += 4
            elif kind is JointKind.HINGE:
                turn = turn @ about(axis, q[at])
                at += 1
            elif kind is JointKind.SLIDE:
                shift = shift + turn @ axis * q[at]
                at += 1
            if up >= 0:
                shift, turn = self.places[up] + self.turns[up] @ shift, self.turns[up] @ turn
            self.places.append(shift)
            self.turns.append(turn)
        assert at == len(q)

    def point(self, name: str) -> np.ndarray:
        """Where a named point or a body's origin is [m]."""
        for k, body in enumerate(self.character.bodies):
            if body.name == name:
                return self.places[k]
            if name in body.points:
                return self.places[k] + self.turns[k] @ np.asarray(body.points[name])
        raise LookupError(name)

    def turn(self, name: str) -> np.ndarray:
        """World from body."""
        return self.turns[[body.name for body in self.character.bodies].index(name)]

    @property
    def centre_of_mass(self) -> np.ndarray:
        """[m]"""
        masses = [body.mass.mass for body in self.character.bodies]
        centres = [
            x + r @ np.asarray(body.mass.centre)
            for x, r, body in zip(self.places, self.turns, self.character.bodies)
        ]
        return sum(m * c for m, c in zip(masses, centres)) / sum(masses)
