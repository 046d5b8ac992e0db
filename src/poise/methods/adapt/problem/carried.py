"""The root goes along with what carries it: who is made to climb stairs is lifted, not folded up.

A change is priced by how far the body moves from where it would be. Feet that are moved carry it along: it
would be displaced by s(t), the mean displacement of the feet that stand, and between stands on the way from
one to the next. So the root's displacement is priced from there,

    ½ (c − c₀)ᵀ M (c − c₀),      c₀ the coefficients of s(t) in the root's translation,

which is the same matrix and one linear term more. Feet that stand where they did give s = 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.character import JointKind
from poise.constraints import FootPlant
from poise.kinematics import Kinematics
from poise.methods.adapt.problem.unknowns import Space
from poise.motion import Clip
from poise.solvers.banded import multiply

FAR = 0.04
"""Feet moved by less than this [m] leave the body where it is: legs reach that far."""


def carried_by(clip: Clip, items: Sequence[object]) -> Array | None:
    """s(t) at all frames [m] (F, 3); None where feet stay about where they are, or the root cannot move."""
    plants = [item for item in items if isinstance(item, FootPlant) and item.place is not None]
    if not plants or clip.character.bodies[0].joint.kind is not JointKind.FREE or clip.loop:
        return None
    total, count = np.zeros((clip.frames, 3)), np.zeros(clip.frames)
    kin = Kinematics(clip.character, clip.q)
    for plant in plants:
        pin = plant.pins(clip.character)[0]
        times = pin.when.times(clip)
        frames = np.unique(np.rint(times * clip.fps).astype(int))
        frames = frames[(frames >= 0) & (frames < clip.frames)]
        if not len(frames):
            continue
        way = pin.target.at(np.asarray(clip.times)[frames]) - kin.point(next(iter(plant.intervals)))[frames]
        total[frames] += way.mean(axis=0)
        count[frames] += 1
    known = np.flatnonzero(count)
    if not len(known):
        return None
    mean = total[known] / count[known, None]
    if float(np.linalg.norm(mean, axis=1).max()) < FAR:
        return None
    return np.stack([np.interp(np.arange(clip.frames), known, column) for column in mean.T], axis=1)


def coefficients_of(space: Space, way: Array) -> Array:
    """c₀ (K, m) of a displacement of the root (F, 3)."""
    found = np.zeros((space.keys, space.size))
    times = np.asarray(space.clip.times)
    for i, dof in enumerate(space.dofs):
        if dof < 3:
            group = space.groups[space.group[i]]
            values = np.interp(group.centres, times, way[:, dof])
            found[: group.size, i] = np.where(space.slot[i, : group.size] >= 0, values, 0.0)
    return found


def slope_of(space: Space, band: Array, coefficients: Array) -> Array:
    """−M c₀ (n,)."""
    x = np.zeros(space.count)
    alive = space.slot >= 0
    x[space.slot[alive]] = coefficients.T[alive]
    return np.asarray(-multiply(band, x))
