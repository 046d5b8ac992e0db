"""Contact forces that carry a motion, as users take them elsewhere: curves, data, what acts on each body."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.contacts.support import Support
from poise.gravity import EARTH


@dataclass(frozen=True, eq=False)
class Forces:
    """Contact forces that carry a motion: K patches at T times, but for the ends of a clip, of whose
    accelerations nothing is known."""

    character: Character
    times: Array
    """[s] (T,)"""
    q: Array
    """Poses at these times (T, nq)."""
    patches: tuple[str, ...]
    parts: tuple[str, ...]
    """"left foot", "right hand" … of every patch."""
    body: IntArray
    """Index of the body of every patch (K,)."""
    places: Array
    """[m] (T, K, 3)"""
    forces: Array
    """On the body [N] (T, K, 3)."""
    moments: Array
    """On the body about the places, as pressure moves over a patch and friction twists it [N·m] (T, K, 3)."""

    @property
    def total(self) -> Array:
        """[N] (T, 3)"""
        return np.asarray(self.forces.sum(axis=1))

    @cached_property
    def by_part(self) -> dict[str, Array]:
        """Of all patches of a part [N] (T, 3)."""
        of = np.array(self.parts)
        return {part: self.forces[:, of == part].sum(axis=1) for part in dict.fromkeys(self.parts)}

    @cached_property
    def on_bodies(self) -> Array:
        """On every body of the character [N, N·m] (T, n, 6): force, and moment about the body's centre of
        mass, in the world's axes: what MuJoCo's ``xfrc_applied`` wants in the rows of these bodies."""
        where = self.character.placement(self.q)
        middle = np.array([b.mass.centre for b in self.character.bodies])
        centre = where.positions + np.einsum("tnij,nj->tni", where.rotations, middle)
        arm = self.places - centre[:, self.body]
        out = np.zeros((len(self.times), len(self.character.bodies), 6))
        for k, body in enumerate(self.body):
            out[:, body, :3] += self.forces[:, k]
            out[:, body, 3:] += np.cross(arm[:, k], self.forces[:, k]) + self.moments[:, k]
        return out

    def shown_by(self, support: Support) -> Support:
        """What carries a motion, with these forces for those that were found, as pictures draw it."""
        need, weight = support.need, self.character.total_mass * EARTH
        at = (need.rows - need.lead) * need.clip.dt
        period = need.clip.duration if need.clip.loop else None
        force = np.zeros_like(support.force)
        for k, name in enumerate(self.patches):
            own = force[:, need.patches.names.index(name)]
            for axis in range(3):
                own[:, axis] = np.interp(at, self.times, self.forces[:, k, axis] / weight, period=period)
        return replace(support, force=force)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: for every time what pushes, on which body, where and how much."""
        rows = []
        names = [self.character.names[b] for b in self.body]
        for t, places, forces, moments in zip(self.times, self.places, self.forces, self.moments):
            on = [
                {
                    "patch": n,
                    "body": b,
                    "place": np.round(p, 5).tolist(),
                    "force": np.round(f, 3).tolist(),
                    "moment": np.round(m, 4).tolist(),
                }
                for n, b, p, f, m in zip(self.patches, names, places, forces, moments)
                if f.any()
            ]
            rows.append({"time": round(float(t), 6), "pushes": on})
        return {"unit": "N", "samples": rows}
