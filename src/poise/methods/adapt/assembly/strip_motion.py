"""A strip's own motion: its clip trimmed, looped, mirrored, given to the performer, retimed.

It has the track's rate. Frame k of the part is the track's frame ``first + k``, at the clip's time

    t_clip = trim₀ + speed · k / rate,

so that a strip of a clip from a to b has ⌊(b − a) / speed · rate⌋ + 1 frames.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from poise.character import Character
from poise.constraints import During, FootPlant
from poise.errors import InputError, PoiseError
from poise.methods.adapt.assembly.standing import upright
from poise.methods.adapt.plants.detect import feet_that_stand
from poise.methods.adapt.retarget.retarget import retargeted
from poise.motion import Clip, operators
from poise.motion.operators.agreement import require_same_character
from poise.operations.assemble import Strip
from poise.operations.retarget import Retarget


@dataclass(frozen=True, eq=False)
class Part:
    """What a strip brings to the track, where its clip is in the world."""

    number: int
    """Of its strip, as the user wrote them."""
    strip: Strip
    clip: Clip
    first: int
    """The track's frame that its first frame is."""
    plants: tuple[FootPlant, ...]
    """Where feet stand, in the part's own time."""
    note: str = ""
    """What was done to it that was not asked for."""

    @property
    def last(self) -> int:
        """The track's frame that its last frame is."""
        return self.first + self.clip.frames - 1

    @property
    def name(self) -> str:
        """For people."""
        return f"strip {self.number} ({self.strip.clip!r})"


def parts_of(
    strips: tuple[Strip, ...],
    clip_named: Callable[[str], Clip],
    who: Character,
    rate: Fraction,
    *,
    feet: bool,
    progress: Callable[[float], None],
) -> list[Part]:
    """The parts of a track in the order of time."""
    made: dict[tuple[object, ...], tuple[Clip, tuple[FootPlant, ...], str]] = {}
    found: list[Part] = []
    for number, strip in enumerate(strips):
        key = (strip.clip, strip.trim, strip.speed, strip.loop, strip.mirror)
        try:
            if key not in made:
                made[key] = _made(strip, clip_named(strip.clip), who, rate, feet=feet)
        except PoiseError as problem:
            raise InputError(f"strip {number} ({strip.clip!r}): {problem}") from None
        clip, plants, note = made[key]
        first = (found[-1].last if found else 0) if strip.at is None else round(Fraction(strip.at) * rate)
        found.append(Part(number, strip, clip, first, plants, note))
        progress((number + 1) / len(strips))
    found.sort(key=lambda part: part.first)
    for a, b in pairwise(found):
        if a.first == b.first:
            raise InputError(f"{a.name} and {b.name} start at the same frame, {a.first}: move one of them")
    return found


def _made(
    strip: Strip, clip: Clip, who: Character, rate: Fraction, *, feet: bool
) -> tuple[Clip, tuple[FootPlant, ...], str]:
    """The motion of a strip at the track's rate, its plants and a note."""
    part = _trimmed(clip, strip)
    if strip.mirror:
        part = operators.mirror(part)
    note = ""
    if not _alike(part.character, who):
        onto = retargeted(part, who, Retarget(onto="-"))
        part, note = onto.clip, f"{clip.character.name} → {who.name}, retargeted"
        if not onto.met:
            note += f": {'; '.join(onto.missed[:2])}"
    plants = [upright(plant, part) for plant in feet_that_stand(part)] if feet else []
    exact = Fraction(strip.speed).limit_denominator(10_000)
    retimed = part if exact == 1 else part.replaced(rate=part.rate * exact)
    if retimed.rate != rate:
        retimed = operators.resample(retimed, rate)
    return retimed, tuple(_sooner(plant, strip.speed) for plant in plants), note


def _trimmed(clip: Clip, strip: Strip) -> Clip:
    """The part that is played, round after round, as a plain clip."""
    low, high = strip.trim or (None, None)
    if strip.loop == 1:
        return operators.trim(clip, low, high)
    if clip.loop and strip.trim is None:
        return operators.trim(clip, 0.0, strip.loop * clip.duration)
    round_ = operators.trim(clip, low, high)
    return operators.unroll(operators.loop(round_), strip.loop, closing=True)


def _alike(a: Character, b: Character) -> bool:
    """Whether motions of the one are motions of the other: the same bodies of the same size."""
    try:
        require_same_character(a, b, "play")
    except InputError:
        return False
    offsets = [np.array([np.asarray(body.offset) for body in who.bodies]) for who in (a, b)]
    return a is b or bool(np.abs(offsets[0] - offsets[1]).max() < SAME_SIZE)


SAME_SIZE = 1e-4
"""Bones that differ by less are of the same body [m]."""


def _sooner(plant: FootPlant, speed: float) -> FootPlant:
    """The plant of a motion that is played faster."""
    when = {
        point: During(w.start / speed, w.end / speed)
        for point, w in plant.intervals.items()
        if isinstance(w, During)
    }
    return replace(plant, intervals=when)
