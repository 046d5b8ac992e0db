"""How one stood: on its feet to the end, or when and how it fell; what pushed, as frames have it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from poise.arrays import Array
from poise.constraints.report import Outcome
from poise.kinematics import Kinematics
from poise.methods.perform.simulate.standing import Pushes, Standing
from poise.motion import Clip

STRAYS = 0.05
"""Who follows a clip has the centre of mass no further from the clip's than this [m], or was not carried."""
LEAVES = 0.0
"""Who stands has the centre of mass no further outside what it stands on [m], or moves on."""


class Fall(NamedTuple):
    """How someone fell."""

    time: float
    """When [s]."""
    left: float
    """When its centre of mass left the feet for good [s]."""
    by: float
    """How far it was outside them when it fell [m]."""

    @property
    def words(self) -> str:
        """In one line."""
        return (
            f"fell at {self.time:.2f} s: the centre of mass left the feet at {self.left:.2f} s, "
            f"by {100 * self.by:.0f} cm then"
        )


def fall_of(standing: Standing, clip: Clip) -> Fall | None:
    """How one fell; None: it did not."""
    if standing.fell is None:
        return None
    end = min(standing.fell, clip.duration)
    times = np.asarray(clip.times)
    upto = np.flatnonzero(times <= end + 1e-9)
    com = Kinematics(clip.character, clip.q[upto]).com[:, :2]
    pushed = standing.pushes
    away = np.array([_outside(com[k], _stood_on(pushed, float(times[f]))) for k, f in enumerate(upto)])
    inside = np.flatnonzero(away <= LEAVES)
    first = int(inside[-1]) + 1 if len(inside) else 0
    left = float(times[min(first, len(upto) - 1)])
    return Fall(end, left, float(np.nanmax(away[first:], initial=0.0)))


def on_its_feet(standing: Standing, clip: Clip) -> Outcome:
    """What a report says of standing."""
    fall = fall_of(standing, clip)
    by = 100 * fall.by if fall is not None else 0.0
    return Outcome(
        name="on its feet", when="always", wanted=(0.0,), got=(by,), error=by, unit="cm", tolerance=0.0,
        met=fall is None, worst_time=fall.time if fall is not None else 0.0,
        reason=fall.words if fall is not None else "",
    )  # fmt: skip


def strayed(standing: Standing, clip: Clip) -> list[str]:
    """That contacts did not carry the clip that was followed, and nothing else disturbed it, in words."""
    followed = standing.clip
    if followed is None:
        return []
    wanted = Kinematics(followed.character, followed.at(clip.times)).com
    off = np.linalg.norm(Kinematics(clip.character, clip.q).com - wanted, axis=1)
    first = np.flatnonzero(off > STRAYS)
    if not len(first):
        return []
    return [
        f"contact forces do not carry the clip as it is: from {clip.times[first[0]]:.2f} s on the centre of "
        f"mass strays from it, by up to {100 * off.max():.0f} cm; ground the clip first (poise ground), "
        "if it is not yet"
    ]


def footing_facts(standing: Standing) -> dict[str, Any]:
    """Numbers of what carried it."""
    pushed = standing.pushes
    if not len(pushed.time):
        return {"ground": {"mean_force": 0.0, "peak_force": 0.0, "friction": 0.0}}
    steps, which = np.unique(pushed.time, return_inverse=True)
    total = np.zeros((len(steps), 3))
    np.add.at(total, which, pushed.force)
    size, up = np.linalg.norm(total, axis=1), np.maximum(total[:, 2], 1e-9)
    carried = total[:, 2] > 0.05 * size.mean()
    slip = np.linalg.norm(total[:, :2], axis=1) / up
    return {
        "ground": {
            "mean_force": float(size.mean()),
            "peak_force": float(size.max()),
            "friction": float(slip[carried].max(initial=0.0)),
        }
    }


def _stood_on(pushed: Pushes, time: float) -> Array:
    """Corners that carried within a moment of a time, (P, 2)."""
    near = (np.abs(pushed.time - time) < 0.02) & (pushed.force[:, 2] > 1.0)
    return np.asarray(pushed.place[near][:, :2])


def _outside(place: Array, corners: Array) -> float:
    """How far a place lies outside the hull of corners [m]; inside: 0; without corners not a number."""
    if len(corners) == 0:
        return float("nan")
    if len(corners) >= 3:
        try:
            faces = ConvexHull(corners).equations
            worst = float((faces[:, :2] @ place + faces[:, 2]).max())
            if worst <= 0:
                return 0.0
            return worst
        except QhullError:
            pass
    return float(np.linalg.norm(corners - place, axis=1).min())
