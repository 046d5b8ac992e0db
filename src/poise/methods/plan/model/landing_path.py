"""How a landing takes up what it is given: a path for the centre of mass, and for angular momentum.

The linear model does not know how long a body may fall into its knees. With s = t/T, and c₀, v₀, L₀ those at
touch-down,

    c(t) = c* + (c₀ − c*)(1 + 2s)(1 − s)² + T v₀ s(1 − s)³,        L(t) = L₀ (1 − s)²

starts as the motion does and ends at rest above c*, where the reference pose has it. The fall is braked by
6 v₀/T at first, and hardly more than a tenth of that is given back later, so the ground pushes all the time.
Rows that follow it are soft: they guide, and count as no key.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.kinematics import Kinematics
from poise.methods.plan.model.affine_figure import CENTRE, AffineFigure
from poise.methods.plan.model.ground_frame import GroundFrame
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.solve.rows import RowBuilder, Rows

STEP = 0.035
"""Time between rows, about [s]."""
WEIGHT = 0.3
"""Of the path, against keys."""


def landing_rows(figure: AffineFigure, q: Array, v: Array, time: float) -> list[Rows]:
    """From a pose (nq,) and velocity (nv,) in the figure's own frame to rest within a time [s]."""
    kin = Kinematics(figure.character, q, v)
    speed, spin = kin.momentum[0, :3] / figure.character.total_mass, kin.momentum[0, 3:]
    usual = figure.reference @ figure.centre
    found = []
    for s in np.linspace(0, 1, max(int(time / STEP), 4) + 1)[1:].tolist():
        place = usual + (kin.com[0] - usual) * (1 + 2 * s) * (1 - s) ** 2 + time * speed * s * (1 - s) ** 3
        builder = RowBuilder(figure, GroundFrame(), s * time)
        builder.add(PartialKey(CENTRE, position=place.tolist(), weight=WEIGHT))
        builder.add(PartialKey(CENTRE, angular_momentum=(spin * (1 - s) ** 2).tolist(), weight=0.2 * WEIGHT))
        found.append(builder.done())
    return found
