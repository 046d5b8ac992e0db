"""Spin: in flight nothing turns the body, so its angular momentum stays.

The body is turned about its centre of mass by R(t) such that the momentum is constant, and take-off and
landing stay as they are posed (``Spin`` of key-frames finds it). R is found on the low-passed motion, so that
it does not answer the noise of a capture; it comes in and goes out over a moment before and after.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from poise.errors import PoiseError
from poise.methods.key.spin.entry_and_exit import Flight
from poise.methods.key.spin.spin import Spin
from poise.motion import operators
from poise.plausibility.finding import Finding
from poise.plausibility.report import PlausibilityReport
from poise.repair.limbs import feet_back
from poise.repair.proposal import Change, Unmendable, in_place

KINDS = ("spin",)
WINDING = 0.1
"""How long the turning takes to come in, and to go out [s]."""


def keep_momentum(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Change]:
    """Flights keep the angular momentum that brings them from take-off to landing."""
    physics = report.physics
    clip, take = physics.clip, physics.take
    calm = operators.smooth(clip, cutoff=take.cutoff) if take.cutoff is not None else clip
    q, most = np.array(clip.q), 0.0
    for phase in report.flights:
        if not any(f.start <= phase.end and f.end >= phase.start for f in findings):
            continue
        start, end = float(clip.times[phase.start]), float(clip.times[phase.end])
        try:
            spin = Spin(start, end)
            rotation = spin.rotation(clip.character, calm, accuracy=1e-6)
        except PoiseError as problem:
            raise Unmendable(str(problem)) from None
        if not rotation.met:
            raise Unmendable("no constant momentum takes it from its take-off to its landing")
        lead = min(WINDING, start)
        flight = Flight(spin, rotation, lead, min(WINDING, clip.duration - end))
        times = np.asarray(clip.times)
        inside = slice(phase.start, phase.end + 1)
        q[inside] = flight.turned(times[inside], q[inside])
        early, late = times < start, times > end
        q[early] = flight.before(times[early], q[early])
        q[late] = flight.after(times[late], q[late])
        most = max(most, float(flight.angle(times[inside]).max()))
    yield in_place(
        clip, feet_back(physics, q), f"the body turned by up to {np.degrees(most):.0f}° in the air"
    )
