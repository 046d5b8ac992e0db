"""How a motion looks where it was held: whether feet slide, knees pop, bodies tremble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character.labels import roles
from poise.constraints import FootPlant
from poise.kinematics import Kinematics
from poise.motion import Clip


@dataclass(frozen=True)
class Manner:
    """Numbers that tell a calm motion from a trembling one."""

    slide: float
    """Mean horizontal speed of planted points [m/s]."""
    knees: float
    """99th percentile of the knees' angular acceleration [rad/s²]; 0 where there are none."""
    jerk: float
    """Root mean square of the third derivative of all bodies' places [m/s³]."""


def manner(clip: Clip, plants: Sequence[FootPlant] = ()) -> Manner:
    """Measure a clip, with the plants that its feet should keep."""
    kin = Kinematics(clip.character, clip.q)
    speeds = [np.zeros(0)]
    for plant in plants:
        for point, when in plant.intervals.items():
            times = when.times(clip)
            inside = len(times) and times[0] >= 0 and times[-1] <= clip.times[-1]
            own = kin if inside else Kinematics(clip.character, clip.at(times))
            frames = np.rint(times * clip.fps).astype(int) if inside else np.arange(len(times))
            steps = np.diff(own.point(point)[frames, :2], axis=0)
            speeds.append(np.linalg.norm(steps, axis=1) / clip.dt)
    every = np.concatenate(speeds)
    third = np.diff(kin.positions, 3, axis=0) / clip.dt**3  # (F − 3, n, 3)
    return Manner(
        float(every.mean()) if len(every) else 0.0,
        _knees(clip),
        float(np.sqrt(np.mean(np.sum(third**2, axis=-1)))) if len(third) else 0.0,
    )


def _knees(clip: Clip) -> float:
    known = roles(clip.character)
    shins = [known[r] for r in ("left shin", "right shin") if r in known]
    if not shins or clip.frames < 3:
        return 0.0
    sizes: list[Array] = []
    for body in shins:
        turn = clip.velocity[:, clip.character.dofs(body)]
        sizes.append(np.linalg.norm(np.gradient(turn, clip.dt, axis=0), axis=1))
    return float(np.percentile(np.concatenate(sizes), 99))
