"""Skeletons of well-known arrays: names, parents, and a T-pose of our own.

Names and order of joints are public conventions (SMPL's first 22 or 24, KIT's 21). Directions at rest are
those of a person in a T-pose, lengths come from the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from poise.arrays import Array
from poise.errors import InputError


@dataclass(frozen=True, eq=False)
class ArraySkeleton:
    """J joints, parents before children."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    rest: Array | None = None
    """Where bones point at rest, in our axes (x ahead, y left, z up), (J, 3); None: as in the first frame."""
    rate: Fraction = Fraction(30)
    """Usual frames per second."""
    title: str = ""

    def __post_init__(self) -> None:
        roots = [k for k, p in enumerate(self.parents) if p < 0]
        if roots != [0]:
            raise InputError(f"parents must have one root, the first joint (−1), not at {roots or 'none'}")
        wrong = next((k for k, p in enumerate(self.parents) if k and not 0 <= p < k), None)
        if wrong is not None:
            raise InputError(
                f"joint {wrong} hangs from {self.parents[wrong]}: parents must come before their children"
            )


_UP, _DOWN, _AHEAD, _LEFT, _RIGHT = (0, 0, 1), (0, 0, -1), (1, 0, 0), (0, 1, 0), (0, -1, 0)
"""Directions in our axes."""
_SMPL = (
    ("pelvis", -1, (0, 0, 0)),
    ("left_hip", 0, (0, 0.65, -0.75)),
    ("right_hip", 0, (0, -0.65, -0.75)),
    ("spine1", 0, _UP),
    ("left_knee", 1, _DOWN),
    ("right_knee", 2, _DOWN),
    ("spine2", 3, _UP),
    ("left_ankle", 4, _DOWN),
    ("right_ankle", 5, _DOWN),
    ("spine3", 6, _UP),
    ("left_foot", 7, (0.9, 0.1, -0.4)),
    ("right_foot", 8, (0.9, -0.1, -0.4)),
    ("neck", 9, _UP),
    ("left_collar", 9, (0, 0.6, 0.8)),
    ("right_collar", 9, (0, -0.6, 0.8)),
    ("head", 12, (0.2, 0, 1)),
    ("left_shoulder", 13, (0, 1, 0.2)),
    ("right_shoulder", 14, (0, -1, 0.2)),
    ("left_elbow", 16, _LEFT),
    ("right_elbow", 17, _RIGHT),
    ("left_wrist", 18, _LEFT),
    ("right_wrist", 19, _RIGHT),
    ("left_hand", 20, _LEFT),
    ("right_hand", 21, _RIGHT),
)
_KIT = (
    ("root", -1, (0, 0, 0)),
    ("spine", 0, _UP),
    ("chest", 1, _UP),
    ("neck", 2, _UP),
    ("head", 3, _UP),
    ("right_upper_arm", 3, (0, -1, -0.2)),
    ("right_forearm", 5, _RIGHT),
    ("right_hand", 6, _RIGHT),
    ("left_upper_arm", 3, (0, 1, -0.2)),
    ("left_forearm", 8, _LEFT),
    ("left_hand", 9, _LEFT),
    ("right_thigh", 0, (0, -0.8, -0.6)),
    ("right_shin", 11, _DOWN),
    ("right_foot", 12, _DOWN),
    ("right_metatarsal", 13, (0.8, 0, -0.5)),
    ("right_toe", 14, _AHEAD),
    ("left_thigh", 0, (0, 0.8, -0.6)),
    ("left_shin", 16, _DOWN),
    ("left_foot", 17, _DOWN),
    ("left_metatarsal", 18, (0.8, 0, -0.5)),
    ("left_toe", 19, _AHEAD),
)


def _made(rows: tuple[tuple[str, int, tuple[float, ...]], ...], rate: Fraction, title: str) -> ArraySkeleton:
    rest = np.array([r[2] for r in rows], dtype=np.float64)
    lengths = np.linalg.norm(rest, axis=1, keepdims=True)
    return ArraySkeleton(
        tuple(r[0] for r in rows),
        tuple(r[1] for r in rows),
        rest / np.where(lengths > 0, lengths, 1.0),
        rate,
        title,
    )


KNOWN: dict[int, ArraySkeleton] = {
    22: _made(_SMPL[:22], Fraction(20), "HumanML3D's 22 joints"),
    24: _made(_SMPL, Fraction(30), "SMPL's 24 joints"),
    21: _made(_KIT, Fraction(25, 2), "KIT's 21 joints"),
}
"""By number of joints."""
FEATURES: dict[int, int] = {263: 22, 251: 21}
"""Length of a feature vector → joints: HumanML3D and KIT."""
