"""What a figure stands on: the corners of its soles, and the flesh of all that may touch as it falls.

They are balls at the patches of ``poise.contacts``, so every rig has them, whatever solids it brings. A patch
of a foot becomes a pair of corners, as wide apart as its pressure can move; the last at the heel's side lie
further back. Paws, which have one patch, get four.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.contacts.differentiated_clip import runs
from poise.contacts.find import find
from poise.contacts.patches import FOOT, Patches, patches
from poise.errors import InputError
from poise.motion import Clip
from poise.world import Surface, World

CORNER = 0.006
"""Radius of a corner's ball [m]."""
HIGH = 10.0
"""Figures are put on their feet from so far above [m]."""
FITS = 0.05
"""Flesh is fitted to clips whose contacts are no further off than this [m, of a grown-up]."""
RISES = 0.01
"""A ball that rises or sinks by more than this in a stance leaves [m]."""
THINNEST = 0.02
"""Of other flesh [m]."""


@dataclass(frozen=True, eq=False)
class Soles:
    """C balls that may touch."""

    body: IntArray  # (C,)
    place: Array
    """Centres in their bodies' frames [m] (C, 3)."""
    radius: Array  # (C,)
    patch: IntArray
    """Which patch each belongs to (C,)."""
    stands: NDArray[np.bool_]
    """Those of feet (C,)."""
    names: tuple[str, ...]
    """Of the parts they belong to (C,)."""

    def lowest(self, character: Character, q: Array) -> Array:
        """Lowest points at a pose [m] (C, 3)."""
        at, turns = character.placement(q[None])
        x = at[0][self.body] + np.einsum("cij,cj->ci", turns[0][self.body], self.place)
        x[:, 2] -= self.radius
        return np.asarray(x)


def soles(character: Character) -> Soles:
    """The balls of a character."""
    found = patches(character)
    at, turns = character.rest_placement()
    rows: list[tuple[int, Array, float, int]] = []
    for k in range(len(found)):
        body, flesh = int(found.body[k]), float(found.radius[k])
        if found.kind[k] != FOOT:
            rows.append((body, np.asarray(found.place[k]), max(flesh, THINNEST * found.scale), k))
            continue
        small = CORNER * found.scale
        under = found.rest[k] - [0.0, 0.0, flesh - small]
        for corner in _corners(found, k):
            rows.append((body, turns[body].T @ (under + corner - at[body]), small, k))
    if not any(found.kind[r[3]] == FOOT for r in rows):
        raise InputError(
            f"{character.name!r} has no feet with known names: root='free' needs bodies to stand on; name "
            "them as feet (LeftFoot, foot_l, paw …), or hold the root (root='fixed')"
        )
    which = np.array([r[3] for r in rows], dtype=np.int64)
    return Soles(
        np.array([r[0] for r in rows], dtype=np.int64),
        np.array([r[1] for r in rows]).reshape(-1, 3),
        np.array([r[2] for r in rows]),
        which,
        np.asarray(found.kind)[which] == FOOT,
        tuple(found.part[k] for k in which),
    )


def _corners(found: Patches, k: int) -> list[Array]:
    """Where a foot's patch has corners, from its middle, at rest in the world [m]."""
    own, wide = found.of_part(found.part[k]), float(found.disc[k])
    ahead = found.rest[own[-1]] - found.rest[own[0]]
    ahead = np.array([ahead[0], ahead[1], 0.0])
    size = float(np.linalg.norm(ahead))
    ahead = ahead / size if size > 1e-6 else np.array([1.0, 0.0, 0.0])
    across = np.array([-ahead[1], ahead[0], 0.0])
    if len(own) == 1:
        return [wide * (i * ahead + j * across) for i in (-1, 1) for j in (-1, 1)]
    back = -wide * ahead if k == own[0] and found.radius[k] > 0 else np.zeros(3)  # an ankle is no heel
    return [back + j * wide * across for j in (-1, 1)]


class Footprints(NamedTuple):
    """What a clip says about standing."""

    world: World
    soles: Soles
    """Fitted: their flesh is as thick as where they touch in the clip."""
    touches: NDArray[np.bool_]
    """Which balls touch in its frames, (F, C)."""
    level: Array
    """How high above what is below balls are while they touch, and, between, in the nearest of their stances
    [m] (F, C). Captured feet roll, and stand a little tilted, now so and now so: soles that never gave would
    turn them flat."""


def planned(clip: Clip, world: World | None, own: Soles) -> Footprints:
    """Of a clip; its world is found where none is given."""
    support = find(clip, world)
    number = {name: k for k, name in enumerate(patches(clip.character).names)}
    touches = np.zeros((clip.frames, len(number)), dtype=np.bool_)
    for contact in support.contacts:
        for touch in contact.touches:
            frames = np.arange(touch.start, touch.end + 1)
            frames = frames % clip.frames if clip.loop else frames[(frames >= 0) & (frames < clip.frames)]
            touches[frames, number[touch.patch]] = True
    found = touches[:, own.patch]
    at, turns = clip.character.placement(clip.q)
    places = at[:, own.body] + np.einsum("fcij,cj->fci", turns[:, own.body], own.place)
    gap = np.asarray(support.world.below(places, own.radius, clip.times[:, None]).gap)
    near = np.where(found & (np.abs(gap) < FITS * patches(clip.character).scale), gap, np.nan)
    thick = np.array([np.nanmedian(x) if np.isfinite(x).any() else 0.0 for x in near.T])
    level = np.stack([_levels(f, n) - t for f, n, t in zip(found.T, near.T, thick)], axis=1)
    return Footprints(support.world, replace(own, radius=own.radius + thick), found, level)


def _levels(found: Array, near: Array) -> Array:
    """Gaps of one ball that touches, up to ``RISES`` above their median; of one that does not, the median of
    the nearest stance in time (F,)."""
    stances = [(a, b, near[a : b + 1]) for a, b in runs(found) if np.isfinite(near[a : b + 1]).any()]
    if not stances:
        return np.zeros(len(near))
    frames = np.arange(len(near))
    away = np.stack([np.maximum(np.maximum(a - frames, frames - b), 0) for a, b, _ in stances])
    usual = np.array([float(np.nanmedian(own)) for *_, own in stances])[away.argmin(axis=0)]
    return np.where(np.isfinite(near), np.clip(near, usual - RISES, usual + RISES), usual)


def lifted(character: Character, q: Array, own: Soles, world: World) -> Array:
    """A pose carried up or down until its lowest corner just touches what is below it."""
    feet = own.lowest(character, q)[own.stands]
    gap = np.asarray(world.below(feet + [0.0, 0.0, HIGH]).gap)  # from above: it may stand inside something
    near = gap[np.isfinite(gap)]
    if not len(near):
        raise InputError(
            f"there is nothing below the feet of {character.name!r}: give a floor (ground, world)"
        )
    out = q.copy()
    out[2 if character.bodies[0].joint.nv == 6 else 1] -= float(near.min()) - HIGH
    return out


def why_not(surface: Surface) -> str:
    """Why a surface cannot be stood on or run into; empty: it can."""
    if surface.muted:
        return "is muted"
    if surface.moves or any(surface.velocity):
        return "moves"
    return f"is a {surface.shape.kind}" if surface.shape.solids() is None else ""
