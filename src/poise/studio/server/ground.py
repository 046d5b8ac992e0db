"""What a motion stands on: contacts, support polygons and the ground's push, frame by frame."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.motion import Clip
from poise.plausibility.physics import physics
from poise.studio.server.answers import Ground, Stretch, Touch


@lru_cache(maxsize=4)
def ground(clip: Clip) -> Ground:
    """Of a clip; the last few are remembered."""
    found = physics(clip)
    own = range(*found.take.own.indices(found.take.frames))
    corners = (found.polygon(frame) for frame in own)
    support = [[] if c is None else [(float(x), float(y)) for x, y in c] for c in corners]
    force: list[tuple[float, float, float]] = []
    pressure: list[tuple[float, float] | None] = []
    if found.forces is not None:
        force = [(float(x), float(y), float(z)) for x, y, z in found.forces.force[found.take.own]]
        places = found.forces.pressure[found.take.own]
        pressure = [(float(p[0]), float(p[1])) if np.isfinite(p).all() else None for p in places]
    return Ground(
        floor=float(found.footing.level(np.zeros(3))),
        support=support,
        force=force,
        pressure=pressure,
        weight=found.forces.weight if found.forces is not None else 0.0,
        contacts=[
            Touch(part=c.part, start=c.start, end=c.end, points=[t.patch for t in c.touches])
            for c in found.contacts
        ],
        phases=[Stretch(kind=p.kind, start=p.start, end=p.end, words=p.words) for p in found.phases],
        notes=list(found.notes),
    )
