"""Ground as an operation, and as the last step of others."""

from __future__ import annotations

from dataclasses import replace
from math import isinf
from typing import Protocol, runtime_checkable

from poise.constraints.report import Report
from poise.methods.ground.grounding import grounded
from poise.methods.ground.result import GroundResult
from poise.methods.ground.terms import Terms, planned
from poise.motion import Clip
from poise.operations.ground import Ground
from poise.operations.result import Result
from poise.operations.situation import Situation
from poise.operations.values.world import world_around
from poise.world import World


@runtime_checkable
class Holding(Protocol):
    """A result that holds things in their places, and can put the last digits right."""

    held_still: bool
    ground_is_asked: bool
    clip: Clip

    def finished(self, clip: Clip) -> Clip:
        """A clip with all that is held in its place."""

    def astray(self, clip: Clip) -> float:
        """How far what is held is from its place in a clip [m]."""


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
    found, elsewhere = _carried(result, world, at)
    own = getattr(result, "unsupported", ())

    def told(of: object) -> Report:
        said = of if isinstance(of, Report) else Report()
        kept = [w for w in said.warnings if not (found.changed and w in own)]
        words = (f"ground: {found.outcome}", *found.missed) if found.missed else ()
        if elsewhere and found.changed:
            words = (*words, f"ground: what is held was put elsewhere, by up to {100 * elsewhere:.1f} cm")
        return replace(
            said,
            message="; ".join(m for m in (said.message, f"ground: {found.summary.partition(': ')[2]}") if m),
            warnings=(*kept, *words),
            details={**said.details, "ground": {k: v for k, v in found.facts().items() if k != "forces"}},
        )

    result.settled(found, told)


def _carried(result: Result, world: World | None, at: Situation) -> tuple[GroundResult, float]:
    """What the ground makes of a result, and how far what it holds is put elsewhere [m].

    What is held stays where it is to the last digit, if the motion can be carried so; else, where the ground
    is asked for, it may be put elsewhere, where it rests.
    """
    kept = result.kept
    if world is None or not kept or not isinstance(result, Holding):
        terms = planned(kept) if world is not None and kept else Terms(kept)
        return grounded(result.clip, Ground(), world, at.progress, terms=terms), 0.0
    exact = planned(kept, result.finished)
    found = grounded(result.clip, Ground(), world, lambda p: at.progress(p / 2), terms=exact)
    if found.met or not result.ground_is_asked or all(isinf(pin.firm) for pin in kept):
        return found, 0.0
    loose = planned([pin for pin in kept if isinf(pin.firm)])
    found = grounded(result.clip, Ground(), world, lambda p: at.progress((1 + p) / 2), terms=loose)
    result.held_still = not found.met
    return found, result.astray(found.clip)
