"""How bodies hang together, for whoever poses them in the browser."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.character import Character, JointKind
from poise.studio.server.messages import JointFact


def joint_facts(character: Character) -> list[JointFact]:
    """Of every body, in order."""
    found = []
    for i, body in enumerate(character.bodies):
        joint, part = body.joint, character.coordinates(i)
        # A free joint's own coordinates say where its body is: offset and rest are only its rest values.
        free = joint.kind is JointKind.FREE
        w, x, y, z = (1.0, 0.0, 0.0, 0.0) if free else np.asarray(body.rest).tolist()
        fact = JointFact(
            kind=joint.kind.name.lower(),
            start=part.start,
            size=part.stop - part.start,
            axis=_three(joint.axis),
            offset=(0.0, 0.0, 0.0) if free else _three(body.offset),
            rest=(x, y, z, w),
            lower=_limits(joint.lower),
            upper=_limits(joint.upper),
            mass=float(body.mass.mass),
            centre=_three(body.mass.centre),
            limb=body.limb,
            side=body.side,
        )
        found.append(fact)
    return found


def _three(values: Any) -> tuple[float, float, float]:
    x, y, z = np.asarray(values, dtype=np.float64).tolist()
    return x, y, z


def _limits(values: Any) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in np.asarray(values, dtype=np.float64).tolist()]
