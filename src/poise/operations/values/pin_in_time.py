"""What a motion keeps at one instant while it is changed otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

CENTRE = "com"
"""The centre of mass, where a body or a point on one could be named."""


@dataclass(frozen=True, eq=False)
class Pin:
    """One body, point or the centre of mass at one time."""

    time: float
    """[s]"""
    of: str
    q: Any
    """The whole pose there, as it is (nq,)."""
    axes: tuple[bool, bool, bool] = (True, True, True)
    """Of the place, in the world, that stay."""
    turn: bool = False
    """Whether its direction stays too."""
    firm: float = float("inf")
    """Most that a metre beside its place weighs [m²/m²]; without end: it is met to the last micrometre."""
