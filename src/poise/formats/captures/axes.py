"""Axes of laboratories: up, and the one that becomes x inside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.errors import UnknownNameError

UP = ("y", "z")
_ROWS = {
    ("y", "x"): ((0, 1), (2, -1), (1, 1)),
    ("y", "z"): ((2, 1), (0, 1), (1, 1)),
    ("z", "x"): ((0, 1), (1, 1), (2, 1)),
    ("z", "-y"): ((1, -1), (0, 1), (2, 1)),
}
"""By up and front: which file axis each of ours (ahead, left, up) is, and its sign."""


@dataclass(frozen=True)
class CaptureAxes:
    """Change of axes between a file and Poise (x ahead, y left, z up): a rotation by quarters, exact."""

    up: str
    front: str = "x"

    def __post_init__(self) -> None:
        if self.up not in UP:
            raise UnknownNameError("up axis", self.up, UP)

    def inside(self, in_file: Array) -> Array:
        """File → Poise, (…, 3)."""
        rows = _ROWS[self.up, self.front]
        return np.stack([sign * in_file[..., at] for at, sign in rows], axis=-1)

    def in_file(self, inside: Array) -> Array:
        """Poise → file, (…, 3)."""
        out = np.empty_like(inside)
        for own, (at, sign) in enumerate(_ROWS[self.up, self.front]):
            out[..., at] = sign * inside[..., own]
        return out
