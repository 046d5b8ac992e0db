"""What comes of a check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from poise.motion import Clip
from poise.operations.check import Check
from poise.operations.frozen_data import finite
from poise.operations.result import Result
from poise.operations.situation import Situation
from poise.plausibility.judge import judge
from poise.plausibility.paper_metrics import Metric, paper_metrics
from poise.plausibility.report import PlausibilityReport


class CheckResult(Result):
    """The motion as it was, and the report on it; met if nothing in it is impossible.

    Examples:
        >>> checked = poise.check(poise.clips.get("walk"))
        >>> print(checked.report.findings, checked.missed)
    """

    def __init__(
        self, clip: Clip, report: PlausibilityReport, metrics: tuple[Metric, ...] | None = None
    ) -> None:
        super().__init__(clip, met=report.plausible)
        self._report = report
        self.metrics = metrics
        """The papers' numbers, ours first; None where they were not asked for."""

    @property
    def report(self) -> PlausibilityReport:
        """Phases, contacts, findings, a score per frame."""
        return self._report

    @property
    def verdict(self) -> PlausibilityReport:
        """The report: the judgement is what was asked for."""
        return self.report

    @property
    def missed(self) -> tuple[str, ...]:
        """What in it is impossible, in words."""
        return tuple(finding.words for finding in self.report.findings if finding.serious)

    def plot(self, path: str | Path) -> Path:
        """One page of curves (PNG, PDF or SVG)."""
        return self.report.plot(path)

    def filmed(self) -> dict[str, Any]:
        """With the world, and what touches and carries in it."""
        return {"world": self.report.support}

    def facts(self) -> dict[str, Any]:
        """The report as plain data."""
        told: dict[str, Any] = finite(self.report.to_dict())
        listed = {} if self.metrics is None else {"metrics": [each.to_dict() for each in self.metrics]}
        return told | {"met": self.met} | listed

    def __str__(self) -> str:
        said = super().__str__()
        if self.metrics is None:
            return said
        return "\n".join([said, "metrics, with rate, floor and joints", *map(str, self.metrics)])


def check(asked: Check, at: Situation) -> CheckResult:
    """What in the motion real bodies do not do."""
    world = asked.surfaces(at.folder, at.motion)
    report = judge(at.motion, asked, world, contacts=at.contacts)
    metrics = paper_metrics(at.motion, report.support) if asked.metrics else None
    return CheckResult(at.motion, report, metrics)
