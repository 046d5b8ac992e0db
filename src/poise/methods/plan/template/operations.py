"""Templates as they are asked for: who moves, by which template, over what."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from poise.character import Character
from poise.errors import InputError
from poise.kernels.compile_log import working_time
from poise.methods.plan.template.performed import performed
from poise.methods.plan.template.result import Asked, TemplateResult
from poise.methods.plan.template.standing import standing
from poise.methods.plan.template.wish import Wish
from poise.motion import Clip
from poise.motion.frame_times import exact_rate
from poise.operations.plan import USUAL, Plan
from poise.operations.situation import Situation
from poise.operations.values.world import world_of
from poise.workers import algebra_on_one_thread

USUAL_CHARACTER = "humanoid"
SMALLEST, TALLEST = 0.1, 6.0
"""Statures beyond which a file's unit is in doubt [m]."""


@algebra_on_one_thread()
def of_template(asked: Plan, at: Situation, character: Character | None) -> TemplateResult:
    """The motion of a template, by a character; a person where nobody is named."""
    if character is None:
        from poise.character import presets

        character = presets.get(USUAL_CHARACTER)
    began = working_time()
    rate = exact_rate(asked.fps or USUAL["fps"])
    stand = standing(character)
    world = at.given("world") or (None if asked.world is None else world_of(asked.world, at.folder))
    wish = Wish(
        over=asked.over,
        high=asked.high,
        angle=None if asked.spin is None else float(np.radians(asked.spin)),
        route=asked.route or (),
        footsteps=asked.footsteps or (),
        steps=asked.steps,
        speed=asked.speed,
        to=asked.to,
        side=asked.side,
        seconds=asked.seconds,
        tempo=asked.tempo,
        world=world,
        fps=float(rate),
    )
    kind = import_module(f"poise.methods.plan.template.kinds.{asked.template.replace(' ', '_')}")
    needs = getattr(kind, "LEGS", ())
    if needs and len(stand.build.legs) not in needs:
        _refuse(asked.template, character, len(stand.build.legs), needs)
    score = kind.score(stand, wish)
    poses = performed(score, stand, lambda part: at.progress(0.5 * part))
    clip = Clip(character, poses, rate, name=asked.template)
    found = TemplateResult(
        clip,
        Asked(stand.build, score, tuple(score.reaches), score.rise),
        working_time() - began,
    )
    size = stand.build.patches.stature
    if not SMALLEST < size < TALLEST:
        unit = f"{character.name} is {size:.3g} m tall, and moves as slowly or quickly as such a body would"
        found.warn(f"{unit}: is its unit right? (poise convert --scale)")
    found.to_be_grounded = asked.grounded is not False
    return found


def _refuse(name: str, character: Character, legs: int, needs: tuple[int, ...]) -> None:
    words = {1: "one leg", 2: "two legs", 4: "four legs"}
    need = " or ".join(words.get(n, f"{n} legs") for n in needs)
    has = words.get(legs, f"{legs} legs")
    other = "give it its feet by name (LeftFoot, foot_l …)"
    if legs == 1 and name in ("jump", "hop"):
        other = "plan it as a scene of keys ('lamp jump' is one)"
    raise InputError(
        f"{name!r} needs a body with {need}, and {character.name!r} has {has} by its labels: choose another "
        f"template, or {other}"
    )
