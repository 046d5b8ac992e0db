"""A finding: one thing about a clip that real bodies do not do, as data and in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

KINDS = (
    "rate",
    "gravity",
    "drift",
    "spin",
    "impact",
    "support",
    "pull",
    "push",
    "nowhere",
    "balance",
    "hover",
    "penetration",
    "skate",
    "pop",
    "jitter",
    "bend",
    "overlap",
    "torque",
    "speed",
    "unit",
)
"""rate: plays too fast or too slow · gravity: one flight implies another gravity than the earth's · drift:
flight is pushed
sideways · spin: angular momentum changes in flight · impact: momentum jumps at take-off or landing · support:
nothing that is
there carries the body · pull: it would have to be pulled down · push: pushed sideways, harder than friction
holds · nowhere: contacts give less than it needs, for a moment or by little · balance:
the load is outside of what touches · hover: what carries does so above its surface · penetration: below its
surface · skate:
what stands slides · pop: a joint or the body jumps for a frame or a few · jitter: it trembles · bend: an
elbow or a knee bends
backwards · overlap: one part of the body is inside another · torque: stronger than people, or a
robot's motors, are · speed: faster than motors turn ·
unit: absurdly large or small."""
SERIOUS = 0.5
"""Findings with a lower score make a clip implausible; others are told, not condemned."""
WORTH = 0.95
"""Findings with a higher score are not worth a word."""
About = Literal["body", "recording"]


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
    about: About = "body"
    """Whether a body cannot do it, or the recording is wrong: its rate, a lost marker."""

    @property
    def serious(self) -> bool:
        """Whether it is condemned; else it is only told."""
        return self.score < SERIOUS

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "serious": self.serious}


def score_between(amount: float, fine: float, absurd: float) -> float:
    """1 up to ``fine``, 0 from ``absurd`` on, straight in between: condemned beyond the middle."""
    return float(min(max((absurd - amount) / (absurd - fine), 0.0), 1.0))
