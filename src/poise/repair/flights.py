"""Flights: in the air nothing pushes a body and nothing turns it.

The centre of mass follows the parabola of the earth's gravity between where it takes off and where it lands,

    c(t) = c₀ + u t − ½ g t² ẑ,        g = 9.81 m/s²,

and the body is turned about it by R(t), such that its angular momentum is constant and take-off and landing
stay as they are posed (``Spin`` of key-frames finds it, on the low-passed motion). Both move the body as a
whole and are nothing at the ends of the flight, so what stands before and after stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import PoiseError
from poise.gravity import EARTH
from poise.methods.key.spin.entry_and_exit import Flight
from poise.methods.key.spin.spin import Spin
from poise.motion import operators
from poise.plausibility.finding import Finding
from poise.plausibility.physics import lasts
from poise.plausibility.report import PlausibilityReport
from poise.repair.carriage import Carried, moved

LEAST = 0.005
"""Smaller ways are not worth a change [m]."""


def onto_parabola(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Carried]:
    """Flights that are pushed, each by itself."""
    physics = report.physics
    clip = physics.clip
    for phase in report.flights:
        own = tuple(f for f in findings if f.start <= phase.end and f.end >= phase.start)
        if not own or not lasts(physics, phase):
            continue
        fit = phase.parabola
        a, b = (fit.start, fit.end) if fit is not None else (phase.start, phase.end)
        t = clip.dt * np.arange(b - a + 1, dtype=np.float64)
        com = np.asarray(physics.take.raw.com)[a : b + 1]
        fall = -0.5 * EARTH * t[:, None] ** 2 * [0.0, 0.0, 1.0]
        rest = com - fall
        line = rest[:1] + (rest[-1:] - rest[:1]) * (t / t[-1])[:, None]
        way = np.zeros((clip.frames, 3))
        way[a : b + 1] = line + fall - com
        most = float(np.linalg.norm(way, axis=1).max())
        if most > LEAST:
            words = f"the body moved by up to {100 * most:.1f} cm, onto a parabola"
            yield Carried(partial(moved, way=way), own, words)


def with_constant_spin(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Carried]:
    """Flights whose angular momentum changes, each by itself."""
    physics = report.physics
    clip, cutoff = physics.clip, physics.take.cutoff
    calm = operators.smooth(clip, cutoff=cutoff) if cutoff is not None else clip
    for phase in report.flights:
        own = tuple(f for f in findings if f.start <= phase.end and f.end >= phase.start)
        if not own:
            continue
        start, end = float(clip.times[phase.start]), float(clip.times[phase.end])
        try:
            spin = Spin(start, end)
            rotation = spin.rotation(clip.character, calm, accuracy=1e-6)
        except PoiseError:
            continue
        if not rotation.met:
            continue
        flight = Flight(spin, rotation, 0.0, 0.0)
        times = np.asarray(clip.times)[phase.start : phase.end + 1]
        most = float(flight.angle(times).max())
        words = f"the body turned by up to {np.degrees(most):.0f}° in the air, so that it keeps its spin"
        yield Carried(partial(_spun, flight=flight, first=phase.start, times=times), own, words)


def _spun(character: Character, q: Array, flight: Flight, first: int, times: Array) -> Array:
    """Frames (F, nq), those of the flight turned."""
    out = np.array(q)
    inside = slice(first, first + len(times))
    out[inside] = flight.turned(times, out[inside])
    return out
