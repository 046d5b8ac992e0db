"""What came of one repair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poise.plausibility.finding import Finding


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
