"""What is done when motion is planned from a scene."""

from __future__ import annotations

from pathlib import Path

from poise.character import Character
from poise.methods.plan.plan import plan_segments
from poise.methods.plan.result import PlanResult
from poise.methods.plan.scene.bundled import scene_of
from poise.methods.plan.scene.scene import Scene
from poise.operations.decoding import reading
from poise.operations.frozen_data import thaw
from poise.operations.plan import Plan
from poise.operations.situation import Situation
from poise.reading import beside


def plan(asked: Plan, at: Situation) -> PlanResult:
    """The motion of a scene, by its own character or another."""
    scene = scene_asked(asked, at)
    who = _character(asked, at) or scene.figure()
    filled = asked.over(scene.options)
    found = plan_segments(
        who, scene.segments, filled, reference=scene.reference(who), name=scene.name, progress=at.progress
    )
    found.to_be_grounded = bool(filled.grounded)
    return found


def scene_asked(asked: Plan, at: Situation) -> Scene:
    """The scene that is meant."""
    given = at.given("scene")
    if given is not None:
        return given
    with reading("scene"):
        if asked.in_a_file:
            name = str(asked.scene)
            return Scene.load(name if at.folder == Path() else beside(at.folder, name, "the scene"))
        return scene_of(thaw(asked.scene))


def _character(asked: Plan, at: Situation) -> Character | None:
    """Who moves, where that is said."""
    given = at.given("character")
    if given is not None:
        return given
    return at.clip(asked.character).character if asked.character is not None else at.character
