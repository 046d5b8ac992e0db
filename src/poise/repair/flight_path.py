"""Flight: the centre of mass follows a parabola of the earth's gravity, without any push.

    c(t) = c₀ + u t − ½ g t² (0, 0, 1),        g = 9.81 m/s²

with c₀ and u such that it starts and ends where it did, or by least squares to what is there. The root
carries the whole body there; what the path is off by at take-off and landing fades out into the supports
before and after, during which the feet stay where they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from poise.arrays import Array
from poise.gravity import EARTH
from poise.plausibility.finding import Finding
from poise.plausibility.phase import Phase
from poise.plausibility.physics import Physics, lasts
from poise.plausibility.report import PlausibilityReport
from poise.repair.blend import SHORT, fading
from poise.repair.limbs import feet_back
from poise.repair.proposal import Change, in_place
from poise.repair.root_shift import carried

KINDS = ("drift", "gravity")
CLOSE = 0.05
"""Share of gravity that a clip which had to be retimed may be off by."""


def remaining(report: PlausibilityReport) -> list[Finding]:
    """Flights whose gravity is not quite right, though nothing to complain about."""
    found = []
    for phase in report.flights:
        g = phase.parabola.gravity if phase.parabola is not None else EARTH
        if lasts(report.physics, phase) and abs(g / EARTH - 1) > CLOSE:
            words = f"falls with {g:.1f} m/s²"
            found.append(Finding("gravity", phase.start, phase.end, "", g, "m/s²", EARTH, 1.0, words))
    return found


def onto_parabola(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Change]:
    """Flights are laid onto parabolas: between where they start and end, or as near as can be."""
    physics = report.physics
    clip = physics.clip
    for held in (True, False):
        way = np.zeros((clip.frames, 3))
        for phase in report.phases:
            if phase.kind != "support" and any(
                f.start <= phase.end and f.end >= phase.start for f in findings
            ):
                way += _way(physics, phase, held=held)
        most = 100 * float(np.linalg.norm(way, axis=1).max())
        q = feet_back(physics, carried(clip.character, clip.q, way))
        yield in_place(clip, q, f"the centre of mass moved by up to {most:.1f} cm, onto a parabola")


def _way(physics: Physics, phase: Phase, *, held: bool) -> Array:
    """How far the centre of mass of a flight is from its parabola, faded out beyond (F, 3) [m].

    ``held``: the parabola goes through both ends, else it is the nearest to the whole.
    """
    clip, fit = physics.clip, phase.parabola
    a, b = (fit.start, fit.end) if fit is not None else (phase.start, phase.end)
    t = clip.dt * np.arange(b - a + 1, dtype=np.float64)
    com = physics.take.raw.com[a : b + 1]
    fall = -0.5 * EARTH * t[:, None] ** 2 * [0.0, 0.0, 1.0]
    basis = np.stack([np.ones_like(t), t], axis=1)
    of = [0, -1] if held else slice(None)
    line, *_ = np.linalg.lstsq(basis[of], (com - fall)[of], rcond=None)
    return fading(basis @ line + fall - com, a, clip.frames, round(SHORT / clip.dt))
