"""What stood in the animation, in the loose motion: how far it is off, how it slides, how deep it sinks.

Measured on the clip that is handed out, by plain kinematics (``Character.placement``), which the simulation
does not use.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import Mask
from poise.contacts.patches import Patches, patches
from poise.methods.loosen.simulate.plants import Plant
from poise.motion import Clip

FAR = 0.002
"""Parts that are farther from where they stood are worth a warning [m]."""
DEEP = 0.015
"""So are those that sink deeper than this below where they stood [m]."""


@dataclass(frozen=True)
class Stood:
    """One part."""

    part: str
    off: float
    """Farthest of a point that touches from its animated place [m]."""
    slide: float
    """Of its stillest point while it touches, root mean square, beyond the animation's own [m/s]."""
    sink: float
    """Of its lowest point at any time below its lowest in the animation [m]."""

    def __str__(self) -> str:
        return (
            f"{self.part}: {1e3 * self.off:.1f} mm off where it stands, slides {100 * self.slide:.1f} cm/s "
            f"and sinks {100 * self.sink:.1f} cm more than animated"
        )

    @property
    def fine(self) -> bool:
        """Whether nobody would see it."""
        return self.off <= FAR and self.sink <= DEEP


def stood(before: Clip, after: Clip, plants: tuple[Plant, ...]) -> tuple[Stood, ...]:
    """Of every part that touches in the animation."""
    if not plants:
        return ()
    own = patches(before.character)
    was, now = (_places(clip, own) for clip in (before, after))
    out = []
    for plant in plants:
        rows = own.of_part(plant.part)
        touching = plant.stands(before.times)
        low = [(x[:, rows, 2] - own.radius[rows]).min() for x in (was, now)]
        # Of a rolling foot the point that touches is the lowest one.
        at = (was[:, rows, 2] - own.radius[rows]).argmin(axis=1)
        frame = np.arange(before.frames)
        off = np.linalg.norm(now[:, rows][frame, at] - was[:, rows][frame, at], axis=1)
        more = _slide(now[:, rows], touching, after.fps) - _slide(was[:, rows], touching, before.fps)
        out.append(
            Stood(
                plant.part, float(off[touching].max(initial=0.0)), max(0.0, more), max(0.0, low[0] - low[1])
            )
        )
    return tuple(out)


def _places(clip: Clip, own: Patches) -> Array:
    at, turns = clip.character.placement(clip.q)
    turned = np.einsum("fkij,kj->fki", turns[:, own.body], own.place)
    return np.asarray(at[:, own.body] + turned)


def _slide(places: Array, touching: Mask, fps: float) -> float:
    """Root mean square speed over the ground of the stillest of some points (F, K, 3) [m/s]."""
    pace = (np.linalg.norm(np.diff(places[..., :2], axis=0), axis=2) * fps).min(axis=1)
    both = touching[1:] & touching[:-1]
    return float(np.sqrt(np.mean(pace[both] ** 2))) if both.any() else 0.0
