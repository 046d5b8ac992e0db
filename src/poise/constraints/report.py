"""What a solver achieved: per constraint what was wanted, what was got, and whether that is enough."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from poise.constraints.constraint import Constraint
from poise.kinematics import Kinematics
from poise.motion import Clip


@dataclass(frozen=True)
class Outcome:
    """One constraint's fate."""

    name: str
    when: str
    wanted: tuple[float, ...]
    """Target at the worst time."""
    got: tuple[float, ...]
    """The handle's value (or rate) there."""
    error: float
    """Largest violation over all times (length of the vector)."""
    unit: str
    tolerance: float
    met: bool
    worst_time: float
    """Where the error is largest [s]."""
    priority: int = 0
    reason: str = ""
    """Why it was missed, where the solver knows."""

    def __str__(self) -> str:
        mark = "✓" if self.met else "✗"
        text = f"{mark} {self.name}: off by {self.error:.3g} {self.unit} (tolerance {self.tolerance:.3g})"
        if not self.met:
            text += f" at {self.worst_time:.3f} s"
        return text + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True)
class Report:
    """All outcomes and what the work cost."""

    outcomes: tuple[Outcome, ...] = ()
    iterations: int = 0
    simulations: int = 0
    seconds: float = 0.0
    message: str = ""
    """How the solver ended, in words."""
    warnings: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    """Further numbers a method wants to tell (convergence history, cost shares …)."""

    @property
    def met(self) -> bool:
        """Whether every constraint is met."""
        return all(o.met for o in self.outcomes)

    @property
    def missed(self) -> tuple[Outcome, ...]:
        """The constraints that are not, worst first (in tolerances)."""
        return tuple(sorted((o for o in self.outcomes if not o.met), key=lambda o: -o.error / o.tolerance))

    def __str__(self) -> str:
        lines = [str(o) for o in self.outcomes]
        lines += [f"! {w}" for w in self.warnings]
        count = f"{sum(o.met for o in self.outcomes)} of {len(self.outcomes)} constraints met"
        cost = f"{self.iterations} iterations, {self.seconds * 1e3:.1f} ms"
        lines.append(f"{count}; {cost}" + (f"; {self.message}" if self.message else ""))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, with ``met`` for the whole."""
        return {"met": self.met, **asdict(self)}

    def to_json(self) -> str:
        """As JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def measure(constraint: Constraint, clip: Clip, *, reason: str = "") -> Outcome:
    """How well a clip meets one constraint, by the clip's own evaluation between frames."""
    times = constraint.when.times(clip)
    sampler = clip.sampler
    kin = Kinematics(clip.character, sampler.configuration(times), sampler.velocity(times))
    off = np.linalg.norm(constraint.violation(constraint.error(kin, times)), axis=1)
    worst = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
    got = constraint.value(kin)[worst]
    tolerance = constraint.within(clip.character)
    error = float(off[worst])
    return Outcome(
        name=constraint.name,
        when=str(constraint.when),
        wanted=tuple(float(x) for x in constraint.target.at(times)[worst]),
        got=tuple(float(x) for x in got),
        error=error,
        unit=constraint.unit(clip.character),
        tolerance=tolerance,
        met=bool(error <= tolerance),  # a NaN is never met
        worst_time=float(times[worst]),
        priority=constraint.priority,
        reason=reason,
    )


def measured(constraints: Sequence[Constraint], clip: Clip, **facts: Any) -> Report:
    """A report on a finished clip; ``facts`` fill the other fields of ``Report``."""
    return Report(outcomes=tuple(measure(c, clip) for c in constraints), **facts)
