"""What a random problem came to: solved and truly reported, refused in words, or a fault of the product."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from asked import Motion, Wish

from poise.character import Character
from poise.constraints import Report
from poise.errors import PoiseError

NEAR = 1e-6
"""How far a report may be from what is measured here [m, rad]."""
NEAR_RATE = 1e-4
"""The same of velocities, which are measured by differences [m/s]."""
LONGEST = 30.0
"""Seconds of processor time that a problem may take."""


@dataclass
class Verdict:
    """Of one problem; ``faults`` is empty where the product did what it promises."""

    number: int
    ended: str = ""
    """"met", "missed" or "refused"."""
    said: str = ""
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Problem:
    """Something to be solved and judged."""

    absurd: bool
    """Whether a refusal is to be expected."""
    solve: Callable[[], Solved]


@dataclass
class Solved:
    """What the product handed out."""

    character: Character
    q: np.ndarray
    motion: Motion
    fps: float
    end: float
    """Where the motion stops [s]; a loop never does."""
    report: Report
    wishes: Sequence[Wish]
    seen: bool = False
    """Whether velocities are those of paths through frames."""
    unsaid: bool = False
    """Whether wishes may be left out of the report (pins that are only fading)."""


def judged(number: int, make: Callable[[int], Problem]) -> Verdict:
    """Solve and judge a problem, once more where kernels were compiled meanwhile: that is not its time."""
    from poise.compilation import compilations

    before = compilations()
    verdict = _judged(number, make)
    return verdict if compilations() == before else _judged(number, make)


def _judged(number: int, make: Callable[[int], Problem]) -> Verdict:
    verdict = Verdict(number)
    began = time.process_time()
    try:
        problem = make(number)
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # users see them, and cannot tell what they mean
            solved = problem.solve()
    except PoiseError as refused:
        verdict.ended, verdict.said = "refused", str(refused)
        verdict.seconds = time.process_time() - began
        if not problem.absurd:
            verdict.said = f"(sensible) {verdict.said}"
        return _timed(verdict)
    except Exception as broken:
        verdict.ended, verdict.said = "broken", f"{type(broken).__name__}: {broken}"
        verdict.faults.append(f"raised {verdict.said}")
        verdict.seconds = time.process_time() - began
        return verdict
    verdict.seconds = time.process_time() - began
    verdict.ended = "met" if solved.report.met else "missed"
    if not np.isfinite(solved.q).all():
        verdict.faults.append("the motion handed out is not finite")
        return _timed(verdict)
    _compare(verdict, solved)
    return _timed(verdict)


def _timed(verdict: Verdict) -> Verdict:
    if verdict.seconds > LONGEST:
        verdict.faults.append(f"took {verdict.seconds:.1f} s")
    return verdict


def _compare(verdict: Verdict, solved: Solved) -> None:
    told = {o.name: o for o in solved.report.outcomes}
    for own in solved.wishes:
        if own.name not in told:
            if not solved.unsaid:
                verdict.faults.append(f"{own.name} is not in the report")
            continue
        if any(own.name in said and "off the plane" in said for said in solved.report.warnings):
            continue  # a planar figure is told that it cannot leave its plane
        outcome = told[own.name]
        off = own.off(solved.character, solved.motion, solved.fps, solved.end, seen=solved.seen)
        near = NEAR * own.scale
        if own.kind == "velocity":
            near = NEAR_RATE * max(own.scale, outcome.error)
        what = f"{own.kind} {own.name} of {own.first} {own.when}: "
        what += f"{outcome.error:.9g} told, {off:.9g} measured"
        if not (np.isfinite(outcome.error) and np.isfinite(outcome.got).all()):
            verdict.faults.append(f"not a number: {what}")
        elif abs(off - outcome.error) > near:
            verdict.faults.append(f"misreported: {what}")
        elif outcome.met and off > outcome.tolerance + near:
            verdict.faults.append(f"unreported miss: {what}")
