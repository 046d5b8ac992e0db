"""Judgement of a repair: it may not make any phase less plausible, nor bring in what was not there.

Reports of the clip before and after are compared frame by frame, kind by kind: a frame after shows the old
frame that it comes from. Where contact begins and ends is uncertain by a frame or two, so findings may reach
that much further than they did.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.plausibility import KINDS, PlausibilityReport
from poise.plausibility.take import Mask
from poise.repair.blend import fade

SLACK = 0.02
"""Scores may vary by this much: they are measured."""
BLAME = 0.1
"""How far beyond the frames that it changed a repair has effects: the filter reaches so far [s]."""
EDGE = 0.04
"""How much further findings may reach [s]."""


def scores(report: PlausibilityReport, kind: str | None = None, *, wider: float = 0.0) -> Array:
    """The worst score of a kind, or of all, at every frame (F,); findings reach ``wider`` by so many seconds."""
    clip = report.physics.clip
    curve, more = np.ones(clip.frames), round(wider * clip.fps)
    for f in report.findings:
        if kind in (None, f.kind):
            frames = np.arange(f.start - more, f.end + more + 1)
            inside = frames % clip.frames if clip.loop else frames[(frames >= 0) & (frames < clip.frames)]
            curve[inside] = np.minimum(curve[inside], f.score)
    return curve


def worse(before: PlausibilityReport, after: PlausibilityReport, sources: Array, *, retimed: bool = False) -> str:
    """What got worse, in words; "" if nothing did.

    At the wrong speed hardly anything can be judged: ``retimed``, a clip may show faults that could not be seen
    before, if the whole gains and none of them is serious.
    """
    if retimed:
        new = {f.kind for f in after.findings if f.serious} - {f.kind for f in before.findings if f.serious}
        return f"then something else would be impossible ({', '.join(sorted(new))})" if new else ""
    old, changed = np.rint(sources).astype(int), _changed(before, after)
    for kind in KINDS:
        was, now = scores(before, kind, wider=EDGE)[old], scores(after, kind)
        fallen = np.flatnonzero((now < was - SLACK) & changed)
        if len(fallen):
            at = int(fallen[np.argmin(now[fallen])])
            f = next(f for f in after.of(kind) if f.score == now[at])
            who = "" if f.words.startswith(("its ", f.where or " ")) else "it "
            return f"then {who}{f.words} in frames {f.start}–{f.end} (score {was[at]:.2f} → {f.score:.2f})"
    return ""


def _changed(before: PlausibilityReport, after: PlausibilityReport) -> Mask:
    """Frames of findings that a repair can be blamed for: those near frames that it changed (F,)."""
    clip, other = before.physics.clip, after.physics.clip
    near = fade((clip.q != other.q).any(axis=1), round(BLAME * clip.fps)) > 0
    for f in after.findings:
        own = np.arange(f.start, f.end + 1) % clip.frames
        near[own] |= near[own].any()
    return near
