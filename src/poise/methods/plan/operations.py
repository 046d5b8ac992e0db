"""What is done when motion is planned from a scene."""

from __future__ import annotations

from pathlib import Path

from poise.character import Character
from poise.contacts.patches import stature
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.plan.model.affine_figure import CENTRE
from poise.methods.plan.plan import plan_segments
from poise.methods.plan.result import PlanResult
from poise.methods.plan.scene.bundled import scene_of
from poise.methods.plan.scene.scene import Scene
from poise.operations.decoding import reading
from poise.operations.frozen_data import thaw
from poise.operations.plan import Plan
from poise.operations.situation import Situation
from poise.reading import beside

NEAR_THE_GROUND = 0.1
"""What is held lower than this stands on the ground, over stature."""


def plan(asked: Plan, at: Situation) -> PlanResult:
    """The motion of a template, or of a scene by its own character or another."""
    if asked.template:
        from poise.methods.plan.template.operations import of_template

        return of_template(asked, at, _character(asked, at))
    scene = scene_asked(asked, at)
    who = _character(asked, at) or scene.figure()
    filled = asked.filled(scene.options)
    found = plan_segments(
        who,
        scene.segments,
        filled,
        reference=scene.reference(who),
        name=scene.name,
        world=scene.world,
        progress=at.progress,
    )
    found.ground_is_asked = filled.grounded is True
    found.to_be_grounded = stands(found) if filled.grounded is None else filled.grounded
    return found


def stands(found: PlanResult) -> bool:
    """Whether a plan has weight, and begins on the ground."""
    who = found.character
    holds = [h.what for h in found.pieces[0].footing.holds if h.what != CENTRE]
    if who.total_mass <= 0 or not holds:
        return False
    kin = Kinematics(who, found.clip.q[:1])
    return bool(min(kin.point(what)[0, 2] for what in holds) < NEAR_THE_GROUND * stature(who))


def scene_asked(asked: Plan, at: Situation) -> Scene:
    """The scene that is meant."""
    given = at.given("scene")
    if given is not None:
        return given
    if asked.template:
        raise InputError(f"{asked.template!r} is a template, not a scene: it cannot be written as a file")
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
