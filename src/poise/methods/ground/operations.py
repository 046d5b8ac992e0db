"""Ground as an operation, and as the last step of others."""

from __future__ import annotations

from dataclasses import replace

from poise.constraints.report import Report
from poise.methods.ground.grounding import grounded
from poise.methods.ground.result import GroundResult
from poise.methods.ground.terms import Terms, planned
from poise.operations.ground import Ground
from poise.operations.result import Result
from poise.operations.situation import Situation
from poise.operations.values.world import world_around
from poise.world import World


def ground(asked: Ground, at: Situation) -> GroundResult:
    """The motion with the smallest change that lets contact forces carry it."""
    world = asked.surfaces(at.folder, at.motion)
    if world is None and at.world is not None:
        world = world_around(at.world, at.folder, at.motion, at.clip)
    return grounded(at.motion, asked, world, at.progress)


def put_on_the_ground(result: Result, at: Situation) -> None:
    """Let contact forces carry what came of another operation, but for what it keeps.

    Its report then tells what that took and what remains, measured on what is handed out; it is not met where
    something remains.
    """
    clip = result.clip
    world: World | None = getattr(result, "stands_in", None)
    if world is None and at.world is not None:
        world = world_around(at.world, at.folder, clip, at.clip)
    terms = planned(result.kept) if world is not None and result.kept else Terms(result.kept)
    found = grounded(clip, Ground(), world, at.progress, terms=terms)
    own = getattr(result, "unsupported", ())

    def told(of: object) -> Report:
        said = of if isinstance(of, Report) else Report()
        kept = [w for w in said.warnings if not (found.changed and w in own)]
        words = (f"ground: {found.outcome}", *found.missed) if found.missed else ()
        return replace(
            said,
            message="; ".join(m for m in (said.message, f"ground: {found.summary.partition(': ')[2]}") if m),
            warnings=(*kept, *words),
            details={**said.details, "ground": {k: v for k, v in found.facts().items() if k != "forces"}},
        )

    result.settled(found, told)
