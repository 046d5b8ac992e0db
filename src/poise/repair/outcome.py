"""What came of a fix: the clip, both reports, and one outcome per repair."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.motion import Clip
from poise.plausibility import Finding, PlausibilityReport


@dataclass(frozen=True, eq=False)
class Outcome:
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


@dataclass(frozen=True, eq=False)
class Result:
    """A repaired clip."""

    clip: Clip
    before: PlausibilityReport
    after: PlausibilityReport
    outcomes: tuple[Outcome, ...]
    sources: Array
    """The frame of the given clip that each frame shows; not whole where a flight was retimed (F',)."""

    @property
    def changed(self) -> bool:
        """Whether anything was."""
        return any(o.done for o in self.outcomes)

    @property
    def mended(self) -> bool:
        """Whether nothing that was to be repaired is left."""
        return all(o.mended for o in self.outcomes)

    @property
    def verdict(self) -> str:
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
        return f"Result({self.verdict!r})"

    def __str__(self) -> str:
        return "\n".join([self.verdict, *(str(o) for o in self.outcomes)])

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "verdict": self.verdict,
            "changed": self.changed,
            "mended": self.mended,
            "repairs": [o.to_dict() for o in self.outcomes],
            "before": json.loads(self.before.to_json()),
            "after": json.loads(self.after.to_json()),
            "sources": np.round(self.sources, 6).tolist(),
        }

    def to_json(self) -> str:
        """As JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def plot(self, path: str | Path) -> Path:
        """One page of curves, before and after (PNG, PDF or SVG)."""
        from poise.repair.plot import plot

        return plot(self, path)
