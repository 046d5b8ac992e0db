"""What a solver achieved: per constraint what was wanted, what was got, and whether that is enough."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.arrays import Array
from poise.constraints.constraint import Constraint
from poise.motion import Clip
from poise.operations.frozen_data import finite

LEAST = 1e-12
"""The tolerance by which misses are compared where there is none."""

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


@dataclass(frozen=True)
class Outcome:
    """One constraint's fate.

    Examples:
        >>> mark = poise.constraints.pin("RightHandCentre", (0.9, 0.0, 1.36), 0.85)
        >>> fate = poise.constraints.measure(mark, poise.clips.get("punch"))
        >>> print(fate.met, fate.error, fate.unit)
    """

    name: str
    """Of the constraint."""
    when: str
    """Its time, in words."""
    wanted: tuple[float, ...]
    """Target at the worst time."""
    got: tuple[float, ...]
    """The handle's value (or rate) there."""
    error: float
    """Largest violation over all times (length of the vector)."""
    unit: str
    """Of all numbers."""
    tolerance: float
    """Largest error that counts as met."""
    met: bool
    """Whether the error is within the tolerance."""
    worst_time: float
    """Where the error is largest [s]."""
    priority: int = 0
    """Of the constraint; 0 is the strongest."""
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
    """All outcomes and what the work cost.

    Examples:
        >>> report = poise.check(poise.clips.get("walk")).report
        >>> print(report)
    """

    outcomes: tuple[Outcome, ...] = ()
    """One for each constraint."""
    iterations: int = 0
    """Of the solver."""
    simulations: int = 0
    """How many short simulations were run."""
    seconds: float = 0.0
    """Time the work took, without compilation [s]."""
    message: str = ""
    """How the solver ended, in words."""
    warnings: tuple[str, ...] = ()
    """One sentence each."""
    details: dict[str, Any] = field(default_factory=dict)
    """Further numbers a method wants to tell (convergence history, cost shares …)."""

    @property
    def met(self) -> bool:
        """Whether every constraint is met."""
        return all(o.met for o in self.outcomes)

    @property
    def missed(self) -> tuple[Outcome, ...]:
        """The constraints that are not, worst first (in tolerances)."""
        missed = (o for o in self.outcomes if not o.met)
        return tuple(sorted(missed, key=lambda o: -o.error / max(o.tolerance, LEAST)))

    def __str__(self) -> str:
        lines = [str(o) for o in self.outcomes]
        lines += [f"! {w}" for w in self.warnings]
        if not self.outcomes and not self.iterations:  # nothing was asked for that could be missed
            return "\n".join([*lines, self.message]).strip()
        count = f"{sum(o.met for o in self.outcomes)} of {len(self.outcomes)} constraints met"
        work = f"{self.iterations} iterations, " if self.iterations else ""
        cost = f"{work}{self.seconds * 1e3:.1f} ms"
        lines.append(f"{count}; {cost}" + (f"; {self.message}" if self.message else ""))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, with ``met`` for the whole."""
        return {"met": self.met, **asdict(self)}

    def to_json(self) -> str:
        """As JSON text; numbers that are none become null."""
        return json.dumps(finite(self.to_dict()), indent=2, ensure_ascii=False, allow_nan=False)


def outcome(
    constraint: Constraint, kin: Kinematics, times: Array, *, reason: str = "", value: Array | None = None
) -> Outcome:
    """How well poses (one per time), or given values (T, …), meet a constraint: the worst of them.

    Args:
        constraint: What was asked.
        kin: One pose for each time, with velocities where the constraint is about a rate.
        times: Of the poses [s] (T,).
        reason: Why it was missed, for the report.
        value: The handle's values (T, …), if they are known already.

    Returns:
        Outcome: The worst of all times.

    Raises:
        InputError: The constraint does not fit the character.

    Examples:
        >>> punch = poise.clips.get("punch")
        >>> mark = poise.constraints.pin("RightHandCentre", (0.9, 0.0, 1.36), 0.85)
        >>> posed = poise.kinematics.Kinematics(punch.character, punch.at(0.85))
        >>> print(poise.constraints.outcome(mark, posed, mark.when.times(punch)))
    """
    value = constraint.value(kin) if value is None else value
    target = constraint.target_at(kin, times)
    error = constraint.error_of(value, target, kin.character)
    violation = constraint.violation(error)
    off = np.linalg.norm(violation, axis=1)
    worst = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
    got = (error if constraint.norm else value)[worst]
    if constraint.norm or not constraint.equality:
        # A range: the nearest value that would do (of the handle, or of the distance).
        flat = len(got) == violation.shape[1]
        wanted = got - violation[worst] if flat else target[worst]
    else:
        wanted = target[worst]
    tolerance = constraint.tolerance_for(kin.character)
    return Outcome(
        name=constraint.name,
        when=str(constraint.when),
        wanted=tuple(float(x) for x in wanted),
        got=tuple(float(x) for x in got),
        error=float(off[worst]),
        unit=constraint.unit(kin.character),
        tolerance=tolerance,
        met=bool(off[worst] <= tolerance),  # a NaN is never met
        worst_time=float(times[worst]),
        priority=constraint.priority,
        reason=reason,
    )


def measure(constraint: Constraint, clip: Clip, *, reason: str = "") -> Outcome:
    """How well a clip meets one constraint, by the clip's own evaluation between frames.

    Every report on a motion is made of these, on the clip that is handed out.

    Args:
        constraint: What was asked.
        clip: The motion.
        reason: Why it was missed, for the report.

    Returns:
        Outcome: The worst of all times at which it holds.

    Raises:
        InputError: The constraint does not fit the character, or its time lies outside the clip.

    Examples:
        >>> mark = poise.constraints.pin("RightHandCentre", (0.9, 0.0, 1.36), 0.85)
        >>> print(poise.constraints.measure(mark, poise.clips.get("punch")))
    """
    times = constraint.when.times(clip)
    return outcome(constraint, _poses(constraint, clip, times), times, reason=reason)


def _poses(constraint: Constraint, clip: Clip, times: Array) -> Kinematics:
    """The clip's poses at times, with velocities where the constraint asks for them."""
    from poise.kinematics import Kinematics

    moving = constraint.rate or constraint.handle.needs_velocity
    if not moving:
        frames = np.rint(times * clip.fps).astype(np.int64)
        if frames.min() >= 0 and frames.max() < clip.frames and np.array_equal(clip.times[frames], times):
            return Kinematics(clip.character, clip.q[frames])  # no curve is asked for
    sampler = clip.sampler
    v = sampler.velocity(times) if moving else None
    return Kinematics(clip.character, sampler.configuration(times), v)


def report_on(
    constraints: Sequence[Constraint], clip: Clip, *, reasons: Mapping[str, str] | None = None
) -> Report:
    """A report on a finished clip; ``reasons`` by constraint name.

    Args:
        constraints: What was asked.
        clip: The motion.
        reasons: Why constraints were missed, by their names.

    Returns:
        Report: One outcome for each constraint.

    Raises:
        InputError: A constraint does not fit the character, or its time lies outside the clip.

    Examples:
        >>> mark = poise.constraints.pin("RightHandCentre", (0.9, 0.0, 1.36), 0.85)
        >>> report = poise.constraints.report_on([mark], poise.clips.get("punch"))
        >>> print(report, report.met)
    """
    why = reasons or {}
    return Report(outcomes=tuple(measure(c, clip, reason=why.get(c.name, "")) for c in constraints))
