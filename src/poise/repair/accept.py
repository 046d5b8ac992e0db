"""What a check has against a repair: it may not make a phase less plausible, nor bring in what was not there.

Reports of the clip before and after are compared phase by phase, and kind by kind in every frame: a frame
after shows the old frame that it comes from. Where contact begins and ends is uncertain by a frame or two,
so findings may reach that much further than they did. Whether joints, feet and jumps are harmed is judged
apart from it, by code that shares nothing with check or solver (``harm``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import Mask
from poise.plausibility.finding import KINDS
from poise.plausibility.report import PlausibilityReport
from poise.repair.blend import fade

SLACK = 0.05
"""Scores may vary by this much: what momentum lacks at a landing is measured through a filter."""
BLAME = 0.1
"""How far beyond the frames that it changed a repair has effects: the filter reaches so far [s]."""
BARELY = 0.9
"""Findings of a better score may come up in a phase that is no worse for them: what was hidden by a fault."""
DOUBTFUL = ("impact", "nowhere", "balance", "push", "pull", "torque", "support")
"""Kinds that nothing is taken back for unless they are serious: they hang on guessed masses."""
NEAR = 0.3
"""Within so long a finding is the same one [s]."""
EDGE = 0.04
"""How much further findings may reach [s]."""


class Worse(NamedTuple):
    """What got worse."""

    frame: int
    words: str


def scores(report: PlausibilityReport, kind: str | None = None, *, wider: float = 0.0) -> Array:
    """The worst score of a kind, or of all, at every frame (F,); findings reach further by ``wider`` [s]."""
    clip = report.physics.clip
    curve, more = np.ones(clip.frames), round(wider * clip.fps)
    for f in report.findings:
        if kind in (None, f.kind) and (f.serious or f.kind not in DOUBTFUL):
            frames = np.arange(f.start - more, f.end + more + 1)
            inside = frames % clip.frames if clip.loop else frames[(frames >= 0) & (frames < clip.frames)]
            curve[inside] = np.minimum(curve[inside], f.score)
    return curve


def condemned(before: PlausibilityReport, after: PlausibilityReport) -> Worse | None:
    """What is serious after, and was not there before, nor near there; None if nothing is.

    What is only told may have been hidden by what was mended.
    """
    reach = round(NEAR * after.physics.clip.fps)
    for f in after.findings:
        if (
            f.serious
            and f.kind not in DOUBTFUL
            and not any(
                g.kind == f.kind
                and g.score <= f.score + SLACK
                and g.start <= f.end + reach
                and g.end >= f.start - reach
                for g in before.findings
            )
        ):
            return Worse((f.start + f.end) // 2, f"then {f.words} in frames {f.start}–{f.end}")
    return None


def worse(before: PlausibilityReport, after: PlausibilityReport, sources: Array) -> Worse | None:
    """What got worse, where it is worst; None if nothing did."""
    old, changed = np.rint(sources).astype(int), _changed(before, after, sources)
    now = scores(after)
    for phase in before.phases:
        own = np.arange(phase.start, phase.end + 1) % before.physics.clip.frames
        least = float(scores(before)[own].min())
        inside = np.isin(old, own) & changed & (scores(before, wider=EDGE)[old] >= least)
        if inside.any() and now[inside].min() < least - SLACK:
            return _said(after, int(np.flatnonzero(inside)[np.argmin(now[inside])]), None, least)
    for kind in KINDS:
        was, is_ = scores(before, kind, wider=EDGE)[old], scores(after, kind)
        fallen = np.flatnonzero((is_ < was - SLACK) & changed & (is_ < BARELY))
        if len(fallen):
            at = int(fallen[np.argmin(is_[fallen])])
            return _said(after, at, kind, was[at])
    return None


def impossible(before: PlausibilityReport, after: PlausibilityReport) -> str:
    """What a new timing would make serious, in words; "" if nothing."""
    new = {f.kind for f in after.findings if f.serious} - {f.kind for f in before.findings if f.serious}
    return f"then something else would be impossible ({', '.join(sorted(new))})" if new else ""


def _said(after: PlausibilityReport, frame: int, kind: str | None, was: float) -> Worse:
    """The worst finding at a frame, and what the score was there."""
    frames = after.physics.clip.frames
    there = [
        f for f in after.findings if kind in (None, f.kind) and (frame - f.start) % frames <= f.end - f.start
    ]
    f = min(there, key=lambda f: f.score)
    who = "" if f.words.startswith(("its ", f.where or " ")) else "it "
    words = f"then {who}{f.words} in frames {f.start}–{f.end} (score {was:.2f} → {f.score:.2f})"
    return Worse(frame, words)


def _changed(before: PlausibilityReport, after: PlausibilityReport, sources: Array) -> Mask:
    """Frames of findings that a repair can be blamed for: those near frames that it changed (F',)."""
    clip, other, whole = before.physics.clip, after.physics.clip, np.rint(sources).astype(int)
    moved = (sources != whole) | (clip.q[whole] != other.q).any(axis=1)
    # Forces are judged by the pace of the whole clip.
    moved |= clip.rate != other.rate or _hurries(before) != _hurries(after)
    near = fade(moved, round(BLAME * other.fps)) > 0
    for f in after.findings:
        own = np.arange(f.start, f.end + 1) % other.frames
        near[own] |= near[own].any()
    return near


def _hurries(report: PlausibilityReport) -> bool:
    return report.support.pace > 1
