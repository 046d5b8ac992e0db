"""Joint stiffness and damping from frequencies a person can picture.

A joint that swings an inertia I at f hertz with damping ratio ζ has

    k = I (2πf)²,   c = 2 ζ I (2πf)

I is the moment about each of the joint's axes of what the joint carries at rest: the subtree below
it, or, for the legs of a standing creature, the rest of the body above it (a knee spring made for
the shin alone would fold under the weight).
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character.body import Mass
from poise.character.character import Character
from poise.character.joint import Joint, JointKind, as_array
from poise.manifold import so3


@dataclass(frozen=True)
class Spring:
    """How a joint springs back."""

    hertz: ArrayLike
    """Frequency, one for all its axes or one per axis."""
    ratio: float = 0.2
    """Damping ratio."""
    carries: str = "below"
    """"below": the subtree; "above": the rest of the body, for joints that stand on the ground."""


def sprung(character: Character, springs: Mapping[str, Spring]) -> Character:
    """The same character with stiffness and damping by the first pattern that fits a body's name."""
    bodies = []
    for i, body in enumerate(character.bodies):
        spring = next((s for pattern, s in springs.items() if fnmatch.fnmatchcase(body.name, pattern)), None)
        if spring is None or body.joint.kind not in (JointKind.HINGE, JointKind.BALL):
            bodies.append(body)
            continue
        inertia = carried_inertia(character, i, above=spring.carries == "above")
        omega = 2 * np.pi * np.broadcast_to(np.asarray(spring.hertz, dtype=np.float64), inertia.shape)
        j = body.joint
        joint = Joint(
            j.kind,
            j.axis,
            j.lower,
            j.upper,
            inertia * omega**2,
            2 * spring.ratio * inertia * omega,
            j.armature,
        )
        bodies.append(body.replaced(joint=joint))
    return character.with_bodies(bodies)


def carried_tensor(character: Character, body: int, *, above: bool = False) -> Array:
    """Inertia about a joint, at rest and in its body's axes, of what hangs below or stands above, (3, 3)."""
    at, turn = character.rest_placement()
    below = set(character.subtree(body))
    carried = [i for i in range(len(character.bodies)) if (i in below) != above]
    whole = Mass.combined(
        character.bodies[i].mass.moved(at[i] - at[body], so3.from_matrix(turn[i])) for i in carried
    )
    return np.asarray(turn[body].T @ whole.about_origin() @ turn[body])


def carried_inertia(character: Character, body: int, *, above: bool = False) -> Array:
    """Moment about each axis of a joint, at rest, of what hangs below or stands above, (nv,)."""
    inertia = carried_tensor(character, body, above=above)
    joint = character.bodies[body].joint
    if joint.kind is JointKind.HINGE:
        axis = as_array(joint.axis)
        return np.array([axis @ inertia @ axis])
    return np.asarray(np.diag(inertia).copy())
