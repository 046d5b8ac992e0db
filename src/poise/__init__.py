"""Poise: character animation that obeys the animator to the frame and still has weight.

Modules load when first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from poise.version import __version__

TYPE_CHECKING = False  # as checkers of types know it; nothing need be imported for it
if TYPE_CHECKING:
    from typing import Any

    from poise import (
        clips,
        constraints,
        curves,
        dynamics,
        errors,
        formats,
        handles,
        kinematics,
        manifold,
        motion,
        pictures,
        plausibility,
        project,
        repair,
    )
    from poise.character import Character
    from poise.character import presets as characters
    from poise.formats import load, save
    from poise.methods import adapt as adaptation
    from poise.methods import key as keyframing
    from poise.methods import loosen as kinodynamics
    from poise.methods import perform as timing
    from poise.methods import plan as spacetime
    from poise.motion import Clip
    from poise.plausibility import check
    from poise.project import Project
    from poise.repair import fix

_MODULES = {
    "adaptation": "poise.methods.adapt",
    "clips": "poise.clips",
    "characters": "poise.character.presets",
    "constraints": "poise.constraints",
    "curves": "poise.curves",
    "dynamics": "poise.dynamics",
    "errors": "poise.errors",
    "formats": "poise.formats",
    "handles": "poise.handles",
    "keyframing": "poise.methods.key",
    "kinematics": "poise.kinematics",
    "kinodynamics": "poise.methods.loosen",
    "manifold": "poise.manifold",
    "motion": "poise.motion",
    "pictures": "poise.pictures",
    "plausibility": "poise.plausibility",
    "project": "poise.project",
    "repair": "poise.repair",
    "timing": "poise.methods.perform",
    "spacetime": "poise.methods.plan",
}
_NAMES = {
    "Character": "poise.character",
    "Clip": "poise.motion",
    "Project": "poise.project",
    "check": "poise.plausibility",
    "fix": "poise.repair",
    "load": "poise.formats",
    "save": "poise.formats",
}

__all__ = [
    "Character",
    "Clip",
    "Project",
    "__version__",
    "adaptation",
    "characters",
    "check",
    "clips",
    "constraints",
    "curves",
    "dynamics",
    "errors",
    "fix",
    "formats",
    "handles",
    "keyframing",
    "kinematics",
    "kinodynamics",
    "load",
    "manifold",
    "motion",
    "pictures",
    "plausibility",
    "project",
    "repair",
    "save",
    "spacetime",
    "timing",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(_MODULES[name])
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'poise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
