"""Time: a flight that falls too fast is played slower, with the rest of the clip or by itself.

Played r = √(g / 9.81) times too fast, the whole clip gets another frame rate and keeps its frames. A ratio
that a wrong frame rate explains (2, 3, 4 or their inverses) is taken as that. By itself a flight is stretched
between two seams (``contacts.flight_times``): which of the two it is, they tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from poise.contacts.flight_times import retimed
from poise.motion import Clip
from poise.plausibility.finding import Finding
from poise.plausibility.phase import Phase
from poise.plausibility.physics import lasts
from poise.plausibility.playback_speed import ROUND
from poise.plausibility.report import PlausibilityReport
from poise.repair.proposal import Change, Unmendable

KINDS = ("gravity", "rate")
NEAR = 0.12
"""How far beside a whole ratio a measured one may be, if that is likely meant."""


def retime(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Change]:
    """The clip at its right speed, or the flights that are wrong at theirs."""
    clip, pace = report.physics.clip, report.pace
    long = [p for p in report.flights if p.parabola and lasts(report.physics, p)]
    flights = [(p, p.parabola.ratio) for p in long if p.parabola and _touched(p, findings)]
    ratio = pace.ratio if pace is not None and pace.off else report.support.pace
    if ratio == 1 and not flights:
        raise Unmendable("no flight was found there")
    found = None
    if flights and not clip.loop:
        found = retimed(clip, [(p.start, p.end, times) for p, times in flights])
    alone = None if found is None else Change(found.clip, found.frames, found.words)
    sharp = found is not None and found.sharp
    if alone is not None and (sharp or ratio == 1):
        yield alone
    if ratio != 1:
        yield from _together(clip, ratio)
    elif alone is None:
        raise Unmendable("one flight of a loop cannot be retimed alone: unroll it first")


def _touched(phase: Phase, findings: Sequence[Finding]) -> bool:
    return any(f.start <= phase.end and f.end >= phase.start for f in findings)


def _together(clip: Clip, ratio: float) -> Iterator[Change]:
    """The same frames at another rate: the one that was likely meant, then the one that gravity asks for."""
    times = max(ratio, 1 / ratio)
    for n in ROUND:
        if abs(times / n - 1) < NEAR:
            yield _at_rate(clip, clip.rate / round(n) if ratio > 1 else clip.rate * round(n))
    yield _at_rate(clip, Fraction(round(100 * clip.fps / ratio), 100))


def _at_rate(clip: Clip, rate: Fraction) -> Change:
    ratio = float(clip.rate / rate)
    said = f"{ratio:.3g}× slower" if ratio > 1 else f"{1 / ratio:.3g}× faster"
    words = f"the clip plays {said}: {float(rate):g} frames per second instead of {clip.fps:g}"
    return Change(clip.replaced(rate=rate), np.arange(clip.frames, dtype=np.float64), words)
