"""What joints bring themselves: limits that are felt as springs, and passive springs and dampers of a file.

A limit's spring: K = I (2π · 40 Hz)², ζ = 0.35, on the composite inertia I (:mod:`poise.dynamics.stops`). A
passive spring k about the neutral pose q₀ adds to what holds the joint,

    Kp (q_K ⊖ q) + k (q₀ ⊖ q) = (Kp + k) (q_K ⊖ q) + k (q₀ ⊖ q_K)

(of balls to first order in the turn), a passive damper to what damps it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, frozen
from poise.character import Character
from poise.character.anatomy import stopped_joints
from poise.character.tree import LINK_NV
from poise.contacts.differentiated_clip import Mask
from poise.dynamics.window_arrays import NO_LINKS, NO_NUMBERS
from poise.methods.loosen.simulate.gains import inertia_of
from poise.methods.loosen.simulate.moved_limbs import Limbs

FREQUENCY, RATIO = 40.0, 0.35
"""Of a limit's spring [Hz] and its damping ratio: firm enough for 2° at drunk, soft enough for 10 ms
steps."""


class Stops(NamedTuple):
    """Limits as the kernels take them: (nv,) each, and which links have any (L,); empty: none at all."""

    lower: Array
    upper: Array
    stiffness: Array
    damping: Array
    limited: Mask

    def of(self, limbs: Limbs) -> Stops:
        """Those of some limbs."""
        if not len(self.lower):
            return self
        lower, upper, stiffness, damping = (x.take(limbs.v) for x in self[:4])
        return Stops(lower, upper, stiffness, damping, self.limited.take(limbs.links))


NO_STOPS = Stops(NO_NUMBERS, NO_NUMBERS, NO_NUMBERS, NO_NUMBERS, NO_LINKS)


@lru_cache(maxsize=16)
def stops_of(character: Character) -> Stops:
    """The limits of a character's joints, or those that anatomy gives it."""
    found = stopped_joints(character)
    if found is None:
        return NO_STOPS
    inertia, omega = inertia_of(character), 2 * np.pi * FREQUENCY
    # A ball answers about all its axes.
    felt = np.repeat(found.limited, np.array(LINK_NV)[character.tree.kind])
    return Stops(
        found.lower,
        found.upper,
        frozen(np.where(felt, inertia * omega**2, 0.0)),
        frozen(np.where(felt, 2 * RATIO * inertia * omega, 0.0)),
        found.limited,
    )


class Passive(NamedTuple):
    """Springs and dampers of a file, (nv,) each."""

    stiffness: Array
    damping: Array


@lru_cache(maxsize=16)
def passive_of(character: Character) -> Passive | None:
    """What the joints of a character have beside muscles; None where they have nothing."""
    k, d = np.array(character.stiffness), np.array(character.damping)
    k[character.dofs(0)] = d[character.dofs(0)] = 0.0
    return Passive(frozen(k), frozen(d)) if k.any() or d.any() else None
