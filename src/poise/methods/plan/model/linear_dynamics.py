"""The linear dynamics of a figure on its feet or in the air, and the warp that belongs to it.

    M ü + (α M + β K) u̇ + K u = f,       u = Σ φ_i ω_i,       ω̈_i + 2δ_i ω̇_i + λ_i ω_i = f_i

Modes faster than ``FASTEST_MODE`` (fingers, toes) are left out: what a motion starts with of them is eased
out instead. Springs balance gravity at the reference pose. On the ground the modes are those that leave what
is held where it is; in the air, those without momentum (the body as a whole is moved by its parabola and its
spin).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.dynamics.modal import Modes, Rayleigh, modes
from poise.methods.plan.model.affine_figure import AffineFigure
from poise.methods.plan.model.momentum import Momentum
from poise.methods.plan.model.warp import Warp
from poise.methods.plan.scene import hold
from poise.methods.plan.scene.hold import Hold

FASTEST_MODE = 12.0
"""Modes above this frequency are held still [Hz]."""


@dataclass(frozen=True, eq=False)
class Footing:
    """A reference pose, what is held there, and how the rest swings."""

    figure: AffineFigure
    holds: tuple[Hold, ...]
    """Nothing held: in the air."""
    warp: Warp
    modes: Modes

    @classmethod
    def at(
        cls,
        character: Character,
        q0: Array,
        holds: Sequence[Hold],
        stiffness: Array,
        damping: Rayleigh,
        *,
        at_least: int,
    ) -> Footing:
        """About the pose q0 (nq,), with as many modes as are slow, or ``at_least`` so many."""
        figure = AffineFigure(character, q0)
        if holds:
            columns = hold.columns(figure, holds)
            places, rows = figure.reference @ columns, hold.rows(figure, holds)
        else:
            columns, rows = figure.centre[:, None], figure.kin.momentum_matrix[0]
            places = np.zeros((3, 1))
        found = modes(character, q0, stiffness, damping=damping, held=rows)
        count = max(int((found.frequencies < FASTEST_MODE).sum()), min(at_least, len(found)))
        slow = Modes(found.eigenvalues[:count], found.shapes[:, :count], found.damping[:count], found.mass)
        return cls(figure, tuple(holds), Warp(figure, columns, places), slow)

    @property
    def airborne(self) -> bool:
        """Whether nothing is held."""
        return not self.holds

    @cached_property
    def momentum(self) -> Momentum:
        """Angular momentum and inertia of warped poses."""
        return Momentum(self.warp)

    @cached_property
    def turning(self) -> Array:
        """Θ̂: turns of all bones per modal coordinate, (3n, modes)."""
        return np.ascontiguousarray(
            self.figure.turning.reshape(-1, self.figure.character.nv) @ self.modes.shapes
        )

    @cached_property
    def half_damping(self) -> Array:
        """δ of each mode [1/s]."""
        return 0.5 * self.modes.damping
