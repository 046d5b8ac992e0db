"""A finding: one thing about a clip that real bodies do not do, as data and in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

KINDS = (
    "gravity",
    "drift",
    "spin",
    "arc",
    "support",
    "skate",
    "penetration",
    "hover",
    "pull",
    "friction",
    "balance",
    "torque",
)
"""gravity: flight implies another gravity than the earth's · drift: flight is pushed sideways · spin:
angular momentum changes in flight · arc: in the air, but along no parabola · support: something unseen
holds the body · skate: what stands slides · penetration: below the floor · hover: what stands does so
above the floor · pull: the floor would have to pull · friction: it would have to be stickier than rubber
· balance: the load is outside of what touches · torque: stronger than people are."""
SERIOUS = 0.5
"""Findings with a lower score make a clip implausible."""


@dataclass(frozen=True)
class Finding:
    """What, when, where, how much."""

    kind: str
    """One of ``KINDS``."""
    start: int
    end: int
    """First and last frame of the clip; in a loop frames beyond the last are those of the next cycle."""
    where: str
    """Part, body or joint it is about; "" for the whole body."""
    amount: float
    unit: str
    expected: float
    """What the amount should be, or should not exceed."""
    score: float
    """1: as good as right … 0: impossible."""
    words: str

    @property
    def serious(self) -> bool:
        """Whether an audience would notice."""
        return self.score < SERIOUS

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "serious": self.serious}


def score_between(amount: float, fine: float, absurd: float) -> float:
    """1 up to ``fine``, 0 from ``absurd`` on, straight in between."""
    return float(min(max((absurd - amount) / (absurd - fine), 0.0), 1.0))
