"""Ground as an operation."""

from __future__ import annotations

from poise.methods.ground.grounding import grounded
from poise.methods.ground.result import GroundResult
from poise.operations.ground import Ground
from poise.operations.situation import Situation


def ground(asked: Ground, at: Situation) -> GroundResult:
    """The motion with the smallest change that lets contact forces carry it."""
    return grounded(at.motion, asked, asked.surfaces(at.folder), at.progress)
