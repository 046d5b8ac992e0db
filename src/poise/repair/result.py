"""What comes of a fix: the clip, both reports, and one outcome per repair."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.motion import Clip
from poise.operations.result import Result
from poise.plausibility.finding import Finding
from poise.plausibility.plot import ACCENT, FAINT, INK, blank_page, curves, write_page
from poise.plausibility.report import PlausibilityReport
from poise.repair.changes import PartChange

WIDE = 210
"""Letters to a line."""
MOST = 12
"""Stretches that are printed."""
LINE = 0.019
"""Height of a line of words, of the page."""


class FixResult(Result):
    """A repaired clip; met if nothing that was to be repaired is left."""

    def __init__(
        self,
        clip: Clip,
        before: PlausibilityReport,
        after: PlausibilityReport,
        outcomes: tuple[RepairOutcome, ...],
        sources: Array,
        changes: tuple[PartChange, ...] = (),
    ) -> None:
        super().__init__(clip, met=all(o.mended for o in outcomes))
        self.before, self.after = before, after
        self.outcomes = outcomes
        """One per repair that found something to do."""
        self.sources = sources
        """The frame of the given clip that each frame shows; not whole where a flight was retimed (F',)."""
        self.changes = changes
        """How far which part moved, when."""

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
        return "\n".join([self.summary, *(str(o) for o in self.outcomes), *self._table()])

    def _table(self) -> list[str]:
        """How far parts moved, the furthest first."""
        worst = sorted(self.changes, key=lambda c: -c.furthest)[:MOST]
        lines = [f"    {c.part:<11} frames {c.start}–{c.end}: {100 * c.furthest:.1f} cm" for c in worst]
        more = len(self.changes) - len(worst)
        return lines + [f"    and {more} smaller or as large"] * (more > 0)

    def facts(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "summary": self.summary,
            "changed": self.changed,
            "met": self.met,
            "repairs": [o.to_dict() for o in self.outcomes],
            "before": json.loads(self.before.to_json()),
            "after": json.loads(self.after.to_json()),
            "changes": [c.to_dict() for c in self.changes],
            "sources": np.round(self.sources, 6).tolist(),
        }

    @property
    def as_it_was(self) -> Clip | None:
        given, frames = self.before.physics.clip, self.sources
        if not self.changed:
            return None
        if np.array_equal(frames, np.arange(given.frames)):
            return given.replaced(rate=self.clip.rate)
        times = frames * given.dt
        morphs = given.morphs_at(times)
        return given.with_frames(given.at(times), morphs, rate=self.clip.rate)

    def filmed(self) -> dict[str, Any]:
        """With the world, and what touches and carries in it after the repair."""
        return {"world": self.after.support}

    def plot(self, path: str | Path) -> Path:
        """One page of curves, before and after (PNG, PDF or SVG)."""
        return plot(self, path)


def plot(result: FixResult, path: str | Path) -> Path:
    """Draw the page and write it: PNG, PDF or SVG, by the extension."""
    path, figure = blank_page(path, 19, 11)
    lines = _lines(result)
    foot = 0.075 + LINE * len(lines)
    grid = figure.add_gridspec(1, 2, left=0.045, right=0.985, top=0.905, bottom=foot, wspace=0.1)
    pages = [curves(figure, grid[k], report) for k, report in enumerate((result.before, result.after))]
    for old, new in zip(*pages):  # one scale for both
        low, high = (f(ax.get_ylim()[k] for ax in (old, new)) for k, f in enumerate((min, max)))
        for ax in (old, new):
            ax.set_ylim(low, high)
    colour = INK if result.after.plausible else ACCENT
    figure.text(0.045, 0.972, result.summary, fontsize=15, color=colour, weight="bold", va="center")
    for x, word, report in ((0.045, "before", result.before), (0.53, "after", result.after)):
        text = f"{word}: {report.verdict.partition(': ')[2]}, score {report.score:.2f}"
        own = INK if report.plausible else ACCENT
        figure.text(x, 0.944, text, fontsize=11, color=own, va="center")
    for k, (line, colour) in enumerate(lines):
        figure.text(0.045, foot - 0.06 - LINE * k, line, fontsize=9.5, color=colour, va="center")
    return write_page(figure, path, dpi=100)


def _lines(result: FixResult) -> list[tuple[str, str]]:
    """What every repair did, wrapped, with its colour."""
    found: list[tuple[str, str]] = []
    for outcome in result.outcomes:
        colour = ACCENT if not outcome.mended else INK if outcome.done else FAINT
        for part in str(outcome).split("\n"):
            found += [(line, colour) for line in wrap(part.strip(), WIDE, subsequent_indent="        ")]
    return found or [("nothing to fix", INK)]


@dataclass(frozen=True, eq=False)
class RepairOutcome:
    """What one repair did about what it found."""

    repair: str
    findings: tuple[Finding, ...]
    """What it was about, in frames of the clip as it was then."""
    done: bool
    """Whether a change was kept."""
    words: str
    """What was done, or why not."""
    left: tuple[Finding, ...] = ()
    """What is still found of its kinds afterwards."""
    frames: int = 0
    """How many frames it changed."""
    furthest: float = 0.0
    """The furthest that a body moved [m]; a new timing moves none."""

    @property
    def mended(self) -> bool:
        """Whether nothing of its kinds is left."""
        return not self.left

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "repair": self.repair,
            "done": self.done,
            "mended": self.mended,
            "words": self.words,
            "frames_changed": self.frames,
            "furthest_m": self.furthest,
            "findings": [f.to_dict() for f in self.findings],
            "left": [f.to_dict() for f in self.left],
        }

    def __str__(self) -> str:
        mark = "✗" if not (self.done or self.mended) else "✓" if self.done and self.mended else "·"
        text = f"  {mark} {self.repair:<7} {self.words}"
        if self.done and self.frames:
            text += f" ({self.frames} frames, no body further than {100 * self.furthest:.1f} cm)"
        worst = min(self.left, key=lambda f: f.score, default=None)
        return text if worst is None else f"{text}\n            left: {worst.words} (score {worst.score:.2f})"
