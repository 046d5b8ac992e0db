"""What comes of a fix: the clip, both reports, and one outcome per repair."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.motion import Clip
from poise.operations.result import Result
from poise.plausibility.report import PlausibilityReport
from poise.repair.outcome import RepairOutcome


class FixResult(Result):
    """A repaired clip; met if nothing that was to be repaired is left."""

    def __init__(
        self,
        clip: Clip,
        before: PlausibilityReport,
        after: PlausibilityReport,
        outcomes: tuple[RepairOutcome, ...],
        sources: Array,
    ) -> None:
        super().__init__(clip, met=all(o.mended for o in outcomes))
        self.before, self.after = before, after
        self.outcomes = outcomes
        """One per repair that found something to do."""
        self.sources = sources
        """The frame of the given clip that each frame shows; not whole where a flight was retimed (F',)."""

    @property
    def changed(self) -> bool:
        """Whether anything was."""
        return any(o.done for o in self.outcomes)

    @property
    def verdict(self) -> PlausibilityReport:
        """The judgement of the repaired clip."""
        return self.after

    @property
    def repaired(self) -> tuple[str, ...]:
        """What was put right, in words."""
        return tuple(f"{o.repair}: {o.words}" for o in self.outcomes if o.done)

    @property
    def missed(self) -> tuple[str, ...]:
        """What could not be put right, in words."""
        return tuple(f"{o.repair}: {o.words}" for o in self.outcomes if not o.mended)

    @property
    def summary(self) -> str:
        """The whole in one line."""
        name = self.before.physics.clip.name or "the clip"
        if not self.outcomes:
            return f"{name}: nothing to fix"
        score = f"score {self.before.score:.2f} → {self.after.score:.2f}"
        if not self.changed:
            return f"{name}: nothing could be fixed ({score})"
        left = [o.repair for o in self.outcomes if not o.mended]
        return f"{name}: fixed{', but for ' + ', '.join(left) if left else ''} ({score})"

    def __repr__(self) -> str:
        return f"FixResult({self.summary!r})"

    def __str__(self) -> str:
        return "\n".join([self.summary, *(str(o) for o in self.outcomes)])

    def facts(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "summary": self.summary,
            "changed": self.changed,
            "met": self.met,
            "repairs": [o.to_dict() for o in self.outcomes],
            "before": json.loads(self.before.to_json()),
            "after": json.loads(self.after.to_json()),
            "sources": np.round(self.sources, 6).tolist(),
        }

    def plot(self, path: str | Path) -> Path:
        """One page of curves, before and after (PNG, PDF or SVG)."""
        from poise.repair.plot import plot

        return plot(self, path)
