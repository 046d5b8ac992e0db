"""What a soft thing is made of, and how, where nothing else is said: the defaults of ``attach``."""

from __future__ import annotations

from dataclasses import dataclass

from poise.dynamics.elastic import Material

FRAMES = ("bone", "world")
GRAVITIES = ("on", "off", "compensated")
QUICK_REACH = 0.06
"""How far the quick model is made for, as a part of the thing's diameter; beyond, ask for ``large``."""
QUICK_LIMIT = 0.45
"""Where the quick model says that it sways by more, the quick model is of no use: it may run away."""
_FOAM = Material()


@dataclass(frozen=True)
class Making:
    """Options of ``attach``; their meanings are there."""

    young: float = _FOAM.young
    """[Pa]"""
    poisson: float = _FOAM.poisson
    density: float = _FOAM.density
    """[kg/m³]"""
    damping: float = _FOAM.damping
    """Ratio of the slowest mode."""
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """[m]"""
    rotation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    scale: float = 1.0
    frame: str = "bone"
    hold: float | None = None
    """[m]; None: what lies in the bone's solids, or in the hull of its skin."""
    cells: int = 220
    modes: int = 14
    gravity: str = "on"
    colour: tuple[float, float, float] = (0.16, 0.05, 0.30)
    """Linear RGB."""


MAKING = Making()
