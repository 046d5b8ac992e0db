"""What a motion stands on: contacts, surfaces, support polygons and the ground's push, frame by frame."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.contacts.find import find
from poise.contacts.given import contacts_of, supported_by
from poise.motion import Clip
from poise.operations.frozen_data import as_plain
from poise.pictures.performance import Performance
from poise.plausibility.physics import physics
from poise.project.document import Document
from poise.project.evaluation import Evaluator
from poise.studio.carried import Carried, carried
from poise.studio.looks import DETAIL
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


def carrying(evaluator: Evaluator, document: Document, clip: Clip) -> Carried:
    """What carries the motion on the stage: as the document says of its clip, else as it is found."""
    name = evaluator.source_of(document, clip)
    said = document.contacts.get(name)
    if said is not None and evaluator.followed(document):
        said = evaluator.contacts_moved(document, said, clip)
    found = find(clip, said.world if said is not None else evaluator.world_of(document, clip))
    support = found if said is None else supported_by(found, said)
    command = None
    if name and said is None:
        command = {"do": "put-contacts", "clip": name, "contacts": as_plain(contacts_of(found))}
    shown = Performance(clip, detail=DETAIL, ground=False)
    return carried(shown, support, clip=name, owned=said, command=command)
