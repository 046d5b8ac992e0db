"""What a soft body is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import InputError

STIFFEST_RATIO = 0.49
"""Beyond this Poisson ratio quadratic elements lock."""


@dataclass(frozen=True)
class Material:
    """An isotropic elastic solid."""

    young: float = 2.0e4
    """Young's modulus [Pa]: soft foam 10⁴, rubber 10⁶."""
    poisson: float = 0.3
    """Poisson's ratio: 0 (cork) to 0.49 (rubber)."""
    density: float = 100.0
    """[kg/m³]"""
    damping: float = 0.06
    """Damping ratio of the slowest mode (Rayleigh's; about the same up to four times its frequency)."""

    def __post_init__(self) -> None:
        for name, value, fine, need in (
            ("Young's modulus", self.young, self.young > 0, "positive [Pa]"),
            ("density", self.density, self.density > 0, "positive [kg/m³]"),
            ("damping ratio", self.damping, 0 <= self.damping < 1, "0 or more and below 1"),
            (
                "Poisson's ratio",
                self.poisson,
                -0.99 <= self.poisson <= STIFFEST_RATIO,
                f"between -0.99 and {STIFFEST_RATIO} (0.5 would be incompressible)",
            ),
        ):
            if not (np.isfinite(value) and fine):
                raise InputError(f"{name} must be {need}, not {value}")

    @property
    def lame(self) -> tuple[float, float]:
        """λ and μ [Pa]."""
        e, n = self.young, self.poisson
        return e * n / ((1 + n) * (1 - 2 * n)), e / (2 * (1 + n))
