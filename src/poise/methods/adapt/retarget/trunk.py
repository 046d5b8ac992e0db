"""The trunk as a line from between the hips to between the shoulders: figures of any build have it.

Where a file has its joint of the hips, and how many joints a spine has, is a matter of taste; a hand on the
belly is as high on this line on every figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from poise.arrays import Array


class Trunk(NamedTuple):
    """Over F frames."""

    low: Array
    """Between the hips [m] (F, 3)."""
    high: Array
    """Between the shoulders [m] (F, 3)."""

    def share(self, places: Array) -> Array:
        """How high on the line the point next to places (F, 3) is, from 0 to 1 (F,)."""
        way = self.high - self.low
        along = ((places - self.low) * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-12)
        return np.asarray(np.clip(along, 0.0, 1.0))

    def at(self, share: Array) -> Array:
        """Points of the line (F, 3), shares (F,) of it up."""
        return np.asarray(self.low + share[:, None] * (self.high - self.low))


def trunk(places: Array, bodies: Mapping[str, int]) -> Trunk | None:
    """From places (F, n, 3) of bodies by their roles; None where hips or shoulders are not known."""
    ends = []
    for role in ("thigh", "upper_arm"):
        both = [bodies[f"{side} {role}"] for side in ("left", "right") if f"{side} {role}" in bodies]
        if len(both) < 2:
            return None
        ends.append(places[:, both].mean(axis=1))
    return Trunk(*ends)


def span(places: Array, bodies: Mapping[str, int]) -> float:
    """From the trunk's line to a hand of a stretched arm [m], the mean of both: by what hands near it scale.

    Places as of ``trunk``. 0 where no arm is known.
    """
    found = []
    for side in ("left", "right"):
        chain = [bodies.get(f"{side} {role}") for role in ("upper_arm", "forearm", "hand")]
        other = bodies.get("right upper_arm" if side == "left" else "left upper_arm")
        ends = [i for i in (other, *chain) if i is not None]
        if len(ends) < 4:
            continue
        gaps = np.linalg.norm(np.diff(places[:, ends], axis=1), axis=2)
        wide, *bones = np.median(gaps, axis=0)
        found.append(0.5 * wide + sum(bones))
    return float(np.mean(found)) if found else 0.0
