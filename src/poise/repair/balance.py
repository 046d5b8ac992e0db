"""Balance: the body is carried over what it stands on, as little and as smoothly as will do.

Moving the centre of mass by d(t) moves the centre of pressure by

    d − (h m / F_z) d̈

so that to bring it inside the support polygon is a linear problem. d is the curve of least

    Σ |d − (h m / F_z) d̈ − e|² + ε |d|² + δ |d̈|²

with e the way from where the pressure is to the polygon, nothing where it is fine; d vanishes at the ends of
its window. The root carries the body by d, and the feet stay where they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from poise.arrays import Array
from poise.plausibility.finding import Finding
from poise.plausibility.forces import Forces
from poise.plausibility.physics import Physics
from poise.plausibility.polygon import nearest_inside
from poise.plausibility.report import PlausibilityReport
from poise.repair.limbs import feet_back
from poise.repair.proposal import Change, Unmendable, in_place
from poise.repair.root_shift import carried

KINDS = ("balance",)
ROOM = 0.5
"""Before and after the frames concerned, in which the body leans over and back [s]."""
INSIDE = 0.01
"""How far inside the polygon the load is brought [m]."""
SMALL, CALM = 1e-3, 1e-4
"""ε, and δ over the square of h m / F_z at rest."""
LEGS = 1.15
"""The body is carried this much further, as the legs stay behind."""


def over_feet(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Change]:
    """Bodies that would tip are carried over their feet."""
    physics = report.physics
    clip, total = physics.clip, physics.forces
    if total is None:
        raise Unmendable("a body without mass has no balance")
    way = np.zeros((clip.frames, 3))
    for finding in findings:
        way[:, :2] += _lean(physics, total, finding)
    q = feet_back(physics, carried(clip.character, clip.q, LEGS * way))
    most = 100 * LEGS * float(np.linalg.norm(way, axis=1).max())
    yield in_place(clip, q, f"the body carried over its feet, by up to {most:.1f} cm")


def _lean(physics: Physics, total: Forces, finding: Finding) -> Array:
    """d (F, 2) that brings the load of one finding inside [m]."""
    clip, room = physics.clip, round(ROOM * physics.clip.fps)
    low, high = max(finding.start - room, 0), min(finding.end + room, clip.frames - 1)
    n = high - low + 1
    wanted = np.zeros((n, 2))
    for f in range(finding.start, finding.end + 1):
        polygon, place = physics.polygon(f), total.pressure[f]
        if polygon is None or not np.isfinite(place).all():
            continue
        middle = polygon.mean(axis=0)
        inner = middle + (polygon - middle) * max(
            0.1, 1 - INSIDE / max(float(np.ptp(polygon, axis=0).min()), 1e-6)
        )
        wanted[f - low] = nearest_inside(inner, place) - place
    height = total.com[low : high + 1, 2] - physics.footing.level(total.com[low : high + 1])
    press = np.maximum(total.force[low : high + 1, 2], 0.3 * total.weight)
    lever = height * total.mass / press  # (n,) [s²]
    second = (np.eye(n, k=1) - 2 * np.eye(n) + np.eye(n, k=-1)) / clip.dt**2
    shift = np.eye(n) - lever[:, None] * second
    matrix = shift.T @ shift + SMALL * np.eye(n) + CALM * float(np.mean(lever)) ** 2 * second.T @ second
    # Nothing moves in the first and last frames of the window, nor does it begin to.
    free = np.arange(2 if low else 0, n - 2 if high < clip.frames - 1 else n)
    out = np.zeros((clip.frames, 2))
    out[low + free] = np.linalg.solve(matrix[np.ix_(free, free)], (shift.T @ wanted)[free])
    return out
