"""Poise: character animation that obeys the animator to the frame and still has weight.

    import poise
    walk = poise.load("walk.bvh")
    poise.hit(walk, [poise.constraints.pin("RightHand", (0.4, 0.2, 1.3), 0.8)], "loose").save("hit.glb")

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
        operations,
        pictures,
        project,
    )
    from poise.character import Character
    from poise.character import presets as characters
    from poise.constraints import Report
    from poise.formats import load, save
    from poise.formats.captures import load_markers, save_markers
    from poise.formats.scenery import load_world
    from poise.functions import (
        adapt,
        assemble,
        check,
        fix,
        ground,
        hang,
        hit,
        key,
        loop,
        loosen,
        mirror,
        perform,
        plan,
        pose,
        repeat,
        reroute,
        resample,
        retarget,
        retouch,
        solve_markers,
        trim,
        wear,
    )
    from poise.methods.key.sheet.keyframes import Keyframes
    from poise.methods.perform.script.script import Script
    from poise.methods.plan.scene.scene import Scene
    from poise.motion import Clip
    from poise.operations.result import Result
    from poise.operations.values.bell import Bell
    from poise.operations.values.tension import Spring, TensionKey
    from poise.project import Project

_MODULES = {
    "clips": "poise.clips",
    "characters": "poise.character.presets",
    "constraints": "poise.constraints",
    "curves": "poise.curves",
    "dynamics": "poise.dynamics",
    "errors": "poise.errors",
    "formats": "poise.formats",
    "handles": "poise.handles",
    "kinematics": "poise.kinematics",
    "manifold": "poise.manifold",
    "motion": "poise.motion",
    "operations": "poise.operations",
    "pictures": "poise.pictures",
    "project": "poise.project",
}
_FUNCTIONS = (
    "adapt", "assemble", "check", "fix", "ground", "hang", "hit", "key", "loop", "loosen", "mirror",
    "perform", "plan", "pose", "repeat", "reroute", "resample", "retarget", "retouch", "solve_markers",
    "trim", "wear",
)  # fmt: skip
_NAMES = dict.fromkeys(_FUNCTIONS, "poise.functions") | {
    "Bell": "poise.operations.values.bell",
    "Character": "poise.character",
    "Clip": "poise.motion",
    "Keyframes": "poise.methods.key.sheet.keyframes",
    "Project": "poise.project",
    "Report": "poise.constraints",
    "Result": "poise.operations.result",
    "Scene": "poise.methods.plan.scene.scene",
    "Script": "poise.methods.perform.script.script",
    "Spring": "poise.operations.values.tension",
    "TensionKey": "poise.operations.values.tension",
    "load": "poise.formats",
    "load_markers": "poise.formats.captures",
    "load_world": "poise.formats.scenery",
    "save": "poise.formats",
    "save_markers": "poise.formats.captures",
}

__all__ = [
    "Bell",
    "Character",
    "Clip",
    "Keyframes",
    "Project",
    "Report",
    "Result",
    "Scene",
    "Script",
    "Spring",
    "TensionKey",
    "__version__",
    "adapt",
    "assemble",
    "characters",
    "check",
    "clips",
    "constraints",
    "curves",
    "dynamics",
    "errors",
    "fix",
    "formats",
    "ground",
    "handles",
    "hang",
    "hit",
    "key",
    "kinematics",
    "load",
    "load_markers",
    "load_world",
    "loop",
    "loosen",
    "manifold",
    "mirror",
    "motion",
    "operations",
    "perform",
    "pictures",
    "plan",
    "pose",
    "project",
    "repeat",
    "reroute",
    "resample",
    "retarget",
    "retouch",
    "save",
    "save_markers",
    "solve_markers",
    "trim",
    "wear",
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
