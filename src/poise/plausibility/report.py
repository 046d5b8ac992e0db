"""What a check found: phases, contacts, findings, a score per frame, a verdict."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.contacts.support import Contact, Support
from poise.operations.frozen_data import finite
from poise.plausibility.finding import Finding
from poise.plausibility.phase import Phase, plain, plain_flight
from poise.plausibility.physics import Physics
from poise.plausibility.playback_speed import ROUND, Pace, spoken
from poise.plausibility.question import Question
from poise.world import Ground, World

VERSION = 2
ASKED = 2
"""Questions that the verdict names; the others are counted."""
ALIKE = 1e-6
"""A clip whose coordinates never leave their first values by more than this [m, rad] does not move."""


@dataclass(frozen=True, eq=False)
class PlausibilityReport:
    """Everything said about one clip. Frames are the clip's."""

    physics: Physics
    """The curves behind it all."""
    phases: tuple[Phase, ...]
    findings: tuple[Finding, ...]
    """Worst first."""
    questions: tuple[Question, ...]
    """What was assumed, and is neither given nor confirmed."""
    curve: Array
    """Score of every frame of the clip, 1 … 0: that of the worst finding there (F,)."""
    notes: tuple[str, ...]
    """What was skipped, and what was assumed."""

    @property
    def plausible(self) -> bool:
        """Whether no finding is serious; where there are ``questions``, if they are answered with yes."""
        return not any(f.serious for f in self.findings)

    @property
    def support(self) -> Support:
        """What carries the motion."""
        return self.physics.support

    @property
    def world(self) -> World:
        """The surfaces it was judged by."""
        return self.physics.world

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Who touches what, when, how."""
        return self.physics.contacts

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
        moved = np.abs(clip.character.manifold.minus(clip.q, clip.q[:1])).max(initial=0.0)
        alike = moved < ALIKE and (not clip.loop or clip.travel.still)
        return "nothing moves in it" if alike else ""

    @property
    def score(self) -> float:
        """The mean of the curve."""
        return float(self.curve.mean())

    @property
    def floor(self) -> str:
        """The ground that the clip was judged by, in words."""
        floor = self.world.floor
        if floor is None:
            return "none"
        assert isinstance(floor.shape, Ground)
        text = f"at {round(100 * floor.shape.height, 1) + 0.0:.1f} cm"
        tilt = float(np.degrees(np.arctan(np.hypot(*floor.shape.slope))))
        text += f", tilted by {tilt:.1f}°" if tilt >= 0.1 else ""
        speed = float(np.linalg.norm(floor.velocity))
        text += f", moving at {speed:.2f} m/s" if speed else ""
        return f"{text}, {'as found' if floor.source == 'found' else floor.source}"

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
        if self.unjudged and not self.questions:
            return f"{name}: nothing to judge: {self.unjudged}"
        serious = [f for f in self.findings if f.serious]
        minor = _counted(len(self.findings), "minor finding") if self.findings else ""
        if serious:
            kinds = ", ".join(dict.fromkeys(f.kind for f in serious))
            whose = (
                "the recording is wrong" if all(f.about == "recording" for f in serious) else "implausible"
            )
            text = f"{name}: {whose} ({kinds})"
            return f"{text}; {self.pace_words}" if self.pace_words else text
        if self.questions:
            asked = " and ".join(q.words for q in self.questions[:ASKED])
            more = len(self.questions) - ASKED
            asked += f" (and {_counted(more, 'more assumption')})" if more > 0 else ""
            return f"{name}: plausible if {asked}" + (f"; {minor}" if minor else "")
        return f"{name}: plausible" + (f", with {minor}" if minor else "")

    @property
    def pace_words(self) -> str:
        """ "plays about 2× too fast"; empty where it plays at the right speed, for all that is known."""
        whole = max(self.support.pace, 1 / self.support.pace) in ROUND
        if whole and (self.of("rate") or self.of("gravity")):
            return spoken(self.support.pace)  # a rate that is usual is surer than what short flights say
        return self.pace.words if self.pace is not None and self.pace.off else ""

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
        for q in self.questions:
            how = f"{_sure(q.sure)} (--confirm {_quoted(q.name)})"
            lines.append(f"  ask    {_when(q.start, q.end, clip.dt)}  {q.words}: {how}")
        for phase in self.phases:
            if phase.kind != "support":
                lines.append(f"  phase  {_when(phase.start, phase.end, clip.dt)}  {phase.words}")
        alike: dict[tuple[str, str], list[Finding]] = {}
        for f in self.findings:
            alike.setdefault((f.kind, f.where), []).append(f)
        for worst, *others in alike.values():
            more = f" (and {_counted(len(others), 'more time')})" if others else ""
            mark = "✗" if worst.serious else "·"
            whose = " [recording]" if worst.about == "recording" else ""
            when = _when(worst.start, worst.end, clip.dt)
            lines.append(f"  {mark} {worst.score:.2f}  {when}  {worst.words}{more}{whose}")
        return "\n".join([*lines, *(f"  note   {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """As plain data; ``curve`` rounded to thousandths."""
        clip, pace = self.physics.clip, self.pace
        return {
            "version": VERSION,
            "clip": clip.name,
            "frames": clip.frames,
            "fps": clip.fps,
            "plausible": None if self.unjudged and not self.questions else self.plausible,
            "score": None if self.unjudged else self.score,
            "verdict": self.verdict,
            "world": self.world.to_dict() | {"given": self.physics.given},
            "questions": [question.to_dict() for question in self.questions],
            "filter_hz": self.physics.take.cutoff,
            "times_too_fast": self.support.pace,
            "pace": None
            if pace is None
            else {**asdict(pace), "speed_ratio": pace.ratio, "off": pace.off, "words": pace.words},
            "phases": [plain(phase) for phase in self.phases],
            "flights": [plain_flight(phase) for phase in self.flights],
            "contacts": [contact.to_dict() for contact in self.contacts],
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


def _sure(part: float) -> str:
    return "nearly sure" if part >= 0.85 else "likely" if part >= 0.6 else "a guess"


def _quoted(name: str) -> str:
    return f'"{name}"' if " " in name else name


def _rate_hint(pace: Pace, fps: float) -> str:
    """A wrong frame rate is the usual reason: say which would be right."""
    whole = round(pace.ratio) if pace.ratio > 1 else 1 / round(1 / max(pace.ratio, 0.01))
    if not pace.off or f"about {max(whole, 1 / whole):.0f}×" not in pace.words:
        return ""
    return f" (recorded at {fps / whole:g} frames per second, not {fps:g}?)"
