"""Motors: joints of robots that turn faster, or work harder, than the file says they can."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import runs
from poise.gravity import EARTH
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.phase import counts, within
from poise.plausibility.physics import Physics, standing

BEYOND = 1.05, 2.0
"""Over the motor's limit: fine, absurd."""
LASTING = 0.03
"""Shorter peaks are noise [s]."""


def motors(physics: Physics) -> Iterator[Finding]:
    """Findings about motors; none where no joint has limits of speed or effort."""
    take = physics.take
    character = take.clip.character
    if np.isfinite(character.speed).any():
        speed = np.abs(np.asarray(take.kin.v))
        if not physics.footing.belongs.all():  # nobody jumps out of a rest pose that was put in front
            speed = np.where(standing(physics)[:, None], speed, 0.0)
        yield from _over(physics, "speed", speed, character.speed, ("rad/s", "m/s"), "turns at")
    yield from torques_over(physics)


def torques_over(physics: Physics, lasting: float = LASTING) -> Iterator[Finding]:
    """Findings about motors that would have to give more than they have, for so long [s] at least; none
    where nothing is known."""
    character = physics.clip.character
    if np.isfinite(character.effort).any() and physics.torques is not None:
        torque = np.nan_to_num(motor_torques(physics))
        yield from _over(physics, "torque", torque, character.effort, ("N·m", "N"), "needs", lasting)


def motor_torques(physics: Physics) -> Array:
    """What motors give, at the pace at which the motion was done (N, nv) [N·m, of slides N].

    Not a number where what carries is not known; zero at ends, where accelerations are one-sided.
    """
    assert physics.torques is not None
    assert physics.forces is not None
    pace = physics.forces.gravity / EARTH
    return np.where(standing(physics)[:, None], np.abs(physics.torques.tau) / pace, 0.0)


def _over(
    physics: Physics,
    kind: str,
    values: Array,
    most: Array,
    units: tuple[str, str],
    verb: str,
    lasting: float = LASTING,
) -> Iterator[Finding]:
    """Stretches in which degrees of freedom are beyond a limit, (N, nv) against (nv,)."""
    take = physics.take
    character = take.clip.character
    least = max(2, round(lasting / take.dt)) if lasting else 1
    for k in np.flatnonzero(np.isfinite(most)):
        limit, body = float(most[k]), int(character.dof_body[k])
        unit = units[1] if character.bodies[body].joint.kind.name == "SLIDE" else units[0]
        for a, b in runs(values[:, k] > BEYOND[0] * limit):
            if b - a + 1 < least or not counts(take, a, b):
                continue
            a, b = within(take, a, b)
            worst = float(values[a : b + 1, k].max())
            name = character.names[body]
            words = f"{name} {verb} {worst:.1f} {unit}, its motor gives {limit:g}"
            score = score_between(worst / limit, *BEYOND)
            yield Finding(kind, a - take.lead, b - take.lead, name, worst, unit, limit, score, words)
