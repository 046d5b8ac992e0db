"""What a check found: phases, contacts, findings, a score per frame, a verdict."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.operations.frozen_data import finite
from poise.plausibility.finding import Finding
from poise.plausibility.floor import Floor
from poise.plausibility.phase import Contact, Phase, plain
from poise.plausibility.physics import Physics
from poise.plausibility.playback_speed import Pace

VERSION = 1
STILL = 1e-6
"""A clip whose coordinates never leave their first values by more than this [m, rad] does not move."""


@dataclass(frozen=True, eq=False)
class PlausibilityReport:
    """Everything said about one clip. Frames are the clip's."""

    physics: Physics
    """The curves behind it all."""
    phases: tuple[Phase, ...]
    contacts: tuple[Contact, ...]
    findings: tuple[Finding, ...]
    """Worst first."""
    curve: Array
    """Score of every frame of the clip, 1 … 0: that of the worst finding there (F,)."""
    notes: tuple[str, ...]
    """What was skipped, and what was assumed."""

    @property
    def plausible(self) -> bool:
        """Whether no finding is serious."""
        return not any(f.serious for f in self.findings)

    @cached_property
    def unjudged(self) -> str:
        """Why there was nothing to judge; empty if there was.

        A figure that does not move breaks no law of motion; what is wrong with how it stands is found all the
        same.
        """
        clip = self.physics.clip
        if self.findings:
            return ""
        if clip.frames == 1:
            return "one frame is no motion"
        rest = np.abs(clip.character.manifold.minus(clip.q, clip.q[:1])).max(initial=0.0)
        still = rest < STILL and (not clip.loop or clip.travel.still)
        return "nothing moves in it" if still else ""

    @property
    def score(self) -> float:
        """The mean of the curve."""
        return float(self.curve.mean())

    @property
    def floor(self) -> Floor:
        """The floor that the clip was judged by."""
        return self.physics.floor

    @property
    def pace(self) -> Pace | None:
        """What the flights say about the speed of the clip."""
        return self.physics.pace

    @property
    def flights(self) -> tuple[Phase, ...]:
        """The ballistic phases."""
        return tuple(p for p in self.phases if p.kind == "flight")

    @property
    def verdict(self) -> str:
        """The whole in one line."""
        name = self.physics.clip.name or "the clip"
        if self.unjudged:
            return f"{name}: nothing to judge: {self.unjudged}"
        if not self.findings:
            return f"{name}: plausible"
        serious = [f for f in self.findings if f.serious]
        if not serious:
            return f"{name}: plausible, with {_counted(len(self.findings), 'minor finding')}"
        kinds = ", ".join(dict.fromkeys(f.kind for f in serious))
        text = f"{name}: implausible ({kinds})"
        return f"{text}; {self.pace.words}" if self.pace is not None and self.pace.off else text

    def of(self, kind: str) -> tuple[Finding, ...]:
        """Findings of one kind."""
        return tuple(f for f in self.findings if f.kind == kind)

    def __repr__(self) -> str:
        return f"PlausibilityReport({self.verdict!r}, score {self.score:.2f})"

    def __str__(self) -> str:
        clip = self.physics.clip
        score = "" if self.unjudged else f" (score {self.score:.2f})"
        lines = [f"{self.verdict}{score}", f"  floor  {self.floor}"]
        if self.pace is not None:
            flights = _counted(self.pace.flights, "flight")
            implied = f"gravity {self.pace.gravity:.2f} ± {self.pace.uncertainty:.2f} m/s² by {flights}"
            lines.append(f"  pace   {self.pace.words}: {implied}{_rate_hint(self.pace, clip.fps)}")
        for phase in self.phases:
            if phase.kind != "support":
                lines.append(f"  phase  {_when(phase.start, phase.end, clip.dt)}  {phase.words}")
        alike: dict[tuple[str, str], list[Finding]] = {}
        for f in self.findings:
            alike.setdefault((f.kind, f.where), []).append(f)
        for worst, *others in alike.values():
            more = f" (and {_counted(len(others), 'more time')})" if others else ""
            mark = "✗" if worst.serious else "·"
            lines.append(
                f"  {mark} {worst.score:.2f}  {_when(worst.start, worst.end, clip.dt)}  {worst.words}{more}"
            )
        return "\n".join([*lines, *(f"  note   {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """As plain data; ``curve`` rounded to thousandths."""
        clip, pace = self.physics.clip, self.pace
        return {
            "version": VERSION,
            "clip": clip.name,
            "frames": clip.frames,
            "fps": clip.fps,
            "plausible": None if self.unjudged else self.plausible,
            "score": None if self.unjudged else self.score,
            "verdict": self.verdict,
            "floor": {**asdict(self.floor), "tilt_degrees": self.floor.tilt},
            "filter_hz": self.physics.take.cutoff,
            "pace": None
            if pace is None
            else {**asdict(pace), "speed_ratio": pace.ratio, "off": pace.off, "words": pace.words},
            "phases": [plain(phase) for phase in self.phases],
            "contacts": [asdict(contact) for contact in self.contacts],
            "findings": [finding.to_dict() for finding in self.findings],
            "curve": np.round(self.curve, 3).tolist(),
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """As JSON text."""
        return json.dumps(finite(self.to_dict()), indent=2, ensure_ascii=False, allow_nan=False)

    def plot(self, path: str | Path) -> Path:
        """One page of curves (PNG, PDF or SVG)."""
        from poise.plausibility.plot import plot

        return plot(self, path)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _when(start: int, end: int, dt: float) -> str:
    return f"frames {start}–{end} ({start * dt:.2f}–{end * dt:.2f} s)"


def _rate_hint(pace: Pace, fps: float) -> str:
    """A wrong frame rate is the usual reason: say which would be right."""
    whole = round(pace.ratio) if pace.ratio > 1 else 1 / round(1 / max(pace.ratio, 0.01))
    if not pace.off or f"about {max(whole, 1 / whole):.0f}×" not in pace.words:
        return ""
    return f" (recorded at {fps / whole:g} frames per second, not {fps:g}?)"
