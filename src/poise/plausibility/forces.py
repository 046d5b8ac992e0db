"""What the surroundings must do to the body: total force and moment, centre of pressure, friction.

From linear and angular momentum p, k (about the centre of mass c) alone, whatever the root's joint is:

    F = ṗ − m g,        N = k̇        [N, N·m]

Of a clip that plays r times too fast all accelerations are r² times too large; with g likewise r² times
larger its forces are those of the right pace, times r² (``gravity``).

The centre of pressure is the point x at the height of what carries about which the moment N + (c − x) × F
has no horizontal part:

    x = c_xy − h F_xy / F_z + (−N_y, N_x) / F_z,        h the height of c above it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import rate_of
from poise.gravity import EARTH
from poise.plausibility.footing import Footing

LOADED = 0.2
"""A centre of pressure and a friction need at least this share of the weight on the floor."""


@dataclass(frozen=True, eq=False)
class Forces:
    """Curves over the N frames of a take; world axes."""

    mass: float
    """[kg]"""
    gravity: float
    """That the body is taken to feel [m/s²]."""
    com: Array
    """Of the filtered motion [m] (N, 3)."""
    momentum: Array
    """Linear [kg·m/s], then angular about the centre of mass [kg·m²/s] (N, 6)."""
    force: Array
    """Total external force apart from gravity [N] (N, 3)."""
    moment: Array
    """Total external moment about the centre of mass [N·m] (N, 3)."""
    pressure: Array
    """Centre of pressure, at the height of what carries [m] (N, 2); not a number where hardly anything
    presses."""
    friction: Array
    """Horizontal over vertical force (N,); likewise."""

    @property
    def weight(self) -> float:
        """[N]"""
        return self.mass * self.gravity

    @property
    def load(self) -> Array:
        """Vertical force over weight (N,)."""
        return np.asarray(self.force[:, 2] / self.weight)


def forces(footing: Footing, gravity: float = EARTH) -> Forces:
    """Total forces of a take whose character has mass."""
    take = footing.take
    kin, mass = take.kin, take.clip.character.total_mass
    momentum = kin.momentum
    rate = rate_of(momentum, take.dt)
    force = rate[:, :3] + [0.0, 0.0, mass * gravity]
    moment = rate[:, 3:]
    com = kin.com
    loaded = force[:, 2] > LOADED * mass * gravity
    up = np.where(loaded, force[:, 2], np.nan)
    height = com[:, 2] - footing.carried_level
    turned = np.stack([-moment[:, 1], moment[:, 0]], axis=1)
    pressure = com[:, :2] - (height / up)[:, None] * force[:, :2] + turned / up[:, None]
    friction = np.hypot(force[:, 0], force[:, 1]) / up
    return Forces(mass, gravity, com, momentum, force, moment, pressure, friction)
