"""What comes of grounding: the motion, the forces that carry it, and a verdict of two numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.contacts.flight_times import Retimed
from poise.contacts.support import Support
from poise.curves import TangentCurve
from poise.methods.ground.forces import Forces
from poise.methods.ground.stage import Stage
from poise.motion import Clip
from poise.operations.result import Result

FEW_BAD = 0.01
"""Larger shares of samples that nothing carries are no result."""
WEAK = 1.05
"""Joints that need more than so many times their strength have not got it: a table is no finer."""


@dataclass(frozen=True)
class Left:
    """What nothing carries."""

    share: float
    """Of the samples beyond the tolerance."""
    force: float
    """Worst [weights]."""
    moment: float
    """Worst [weights · m]."""
    time: float
    """Of the worst [s]."""
    part: str
    """What touches there; "flight" where nothing does."""
    strain: float = 0.0
    """Torque over strength, where contacts carry, of the joint that needs most of it at its 99 %."""
    joint: str = ""
    """That does."""
    curves: Array = field(default_factory=lambda: np.zeros((3, 0)), repr=False, compare=False)
    """Time [s], and what is missing of force [weights] and moment [weights · m] (3, S)."""

    @property
    def strains(self) -> bool:
        """Whether a joint needs more than it has."""
        return self.strain > WEAK

    @property
    def effort(self) -> str:
        """What joints need, in a few words."""
        return f"{self.joint} needs {self.strain:.1f} times its strength" if self.joint else ""

    @property
    def words(self) -> str:
        """In a few words."""
        if self.share == 0:
            return "nothing left uncarried"
        where = "in flight" if self.part == "flight" else f"on the {self.part}"
        worst = f"{self.force:.2f} body weights and {self.moment:.2f} body weights·m"
        return f"{100 * self.share:.1f} % of the time uncarried, worst {worst} at {self.time:.2f} s {where}"

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "share": self.share,
            "force_bw": self.force,
            "moment_bw_m": self.moment,
            "time": self.time,
            "part": self.part,
            "strain": self.strain,
            "strained": self.joint,
        }


@dataclass(frozen=True)
class Cost:
    """How far joints moved."""

    rms: float
    """Over joints and changed frames [m]."""
    most: float
    """[m]"""
    joint: str
    """That went furthest …"""
    time: float
    """… and when [s]."""
    head: float
    """How far the head turned at most [rad]."""

    @property
    def words(self) -> str:
        """In a few words."""
        if self.most == 0:
            return "no change"
        far = f"{100 * self.most:.1f} cm at the {self.joint}, {self.time:.2f} s"
        return f"a change of {100 * self.rms:.1f} cm (furthest {far}; head {np.degrees(self.head):.0f}°)"

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "rms_m": self.rms,
            "most_m": self.most,
            "joint": self.joint,
            "time": self.time,
            "head_deg": float(np.degrees(self.head)),
        }


class GroundResult(Result):
    """A motion that its contacts carry, or the one that was given and why it cannot be."""

    def __init__(
        self,
        clip: Clip,
        verdict: str,
        left: tuple[Left, Left],
        cost: Cost,
        forces: Forces,
        stage: Stage,
        released: tuple[tuple[float, float], ...],
        reason: str = "",
        change: tuple[TangentCurve, ...] = (),
        retimed: Retimed | None = None,
    ) -> None:
        before, after = left
        self.strained = after.strains and after.strain > WEAK * before.strain
        """Whether a joint now needs more strength than it has, and more than it did."""
        carried = verdict != NOT_THIS and after.share == 0
        super().__init__(clip, met=carried and not released and not self.strained)
        self.outcome = verdict
        """``carried``, ``carried with n cm`` or ``not this motion``."""
        self.before, self.left = left
        """What nothing carries in the motion as given, and as it is handed out (or would be)."""
        self.cost = cost
        """What it took (or would take)."""
        self.forces = forces
        """That carry it."""
        self.stage = stage
        """The motion as it was given (or as its flights were stretched), with what carries it."""
        self.released = released
        """Stretches that something unseen carries, of which nothing was asked [s]."""
        self.change = change
        """Displacements of the motion (without filtering), one after the other [s of the clip]."""
        self.retimed = retimed
        """Flights that last otherwise, and which frame of the given clip each frame shows; None: none do."""
        self.reason = reason
        """Why it is not this motion."""

    @property
    def changed(self) -> bool:
        """Whether anything was."""
        return self.outcome.startswith("carried with") or self.retimed is not None

    @property
    def support(self) -> Support:
        """Contacts and surfaces that carry it, as they were found in the motion as it was given."""
        return self.stage.support

    @property
    def as_it_was(self) -> Clip | None:
        return self.support.need.clip if self.changed else None

    def filmed(self) -> dict[str, Any]:
        """With the world, and the forces that carry it there."""
        return {"world": self.forces.shown_by(self.support)}

    def plot(self, path: str | Path) -> Path:
        """One page of curves: forces, friction, what nothing carries before and after, the change (PNG, PDF
        or SVG)."""
        from poise.methods.ground.plot import plot

        return plot(self, path)

    @property
    def summary(self) -> str:
        """The whole in one line."""
        name = self.clip.name or "the clip"
        if self.outcome == NOT_THIS:
            return f"{name}: {NOT_THIS} ({self.reason}); given back as it was"
        return f"{name}: {self.outcome}" + (f"; {self.retimed.words}" if self.retimed is not None else "")

    @property
    def missed(self) -> tuple[str, ...]:
        if self.met:
            return ()
        said = [self.reason] if self.reason else [self.left.words] if self.left.share else []
        said += [self.left.effort] * self.strained
        return (*said, *(f"{a:.2f} to {b:.2f} s: carried by something unseen" for a, b in self.released))

    @property
    def repaired(self) -> tuple[str, ...]:
        return (f"ground: {self.outcome}",) if self.changed else ()

    def __repr__(self) -> str:
        return f"GroundResult({self.summary!r})"

    def __str__(self) -> str:
        lines = [self.summary, f"  before  {self.before.words}", f"  left    {self.left.words}"]
        if self.left.strains:
            lines.append(f"  effort  {self.left.effort}" + (", as it did" if not self.strained else ""))
        lines.append(f"  cost    {self.cost.words}")
        for a, b in self.released:
            lines.append(f"  unseen  {a:.2f} to {b:.2f} s: carried by something that is not in the world")
        return "\n".join(lines)

    def facts(self) -> dict[str, Any]:
        return {
            "summary": self.summary,
            "verdict": self.outcome,
            "reason": self.reason,
            "retimed": self.retimed.words if self.retimed is not None else "",
            "met": self.met,
            "before": self.before.to_dict(),
            "left": self.left.to_dict(),
            "cost": self.cost.to_dict(),
            "released": [list(r) for r in self.released],
            "forces": self.forces.to_dict(),
        }


NOT_THIS = "not this motion"
