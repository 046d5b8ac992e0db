"""Ground as an operation."""

from __future__ import annotations

from poise.methods.ground.grounding import grounded
from poise.methods.ground.result import GroundResult
from poise.operations.ground import Ground
from poise.operations.situation import Situation
from poise.operations.values.world import world_around


def ground(asked: Ground, at: Situation) -> GroundResult:
    """The motion with the smallest change that lets contact forces carry it."""
    world = asked.surfaces(at.folder, at.motion)
    if world is None and at.world is not None:
        world = world_around(at.world, at.folder, at.motion, at.clip)
    return grounded(at.motion, asked, world, at.progress)
