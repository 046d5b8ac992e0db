"""Whether soles stand where the source's do, foot by foot, by the flesh that a viewer sees.

Told from the lowest flesh of each foot's patches in both clips, and from nothing that the solver held:

* *above*: how much higher it is than the source's, at the figure's size, while that foot stands;
* *below*: how deep it is in the ground then;
* *slide*: how fast it goes over the ground then, on the mean.

A foot of the source stands where its lowest flesh is low and slow for a while. One that always stands on
something higher than the other stands there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.constraints import During, FootPlant
from poise.contacts.differentiated_clip import Mask, runs
from poise.contacts.patches import FOOT, Patches, patches
from poise.kinematics import Kinematics
from poise.methods.adapt.retarget.measured import Line
from poise.motion import Clip

LOW, SLOW = 0.03, 0.3
"""A foot stands where it is no higher above its ground [m], and no faster [m/s], for 1.75 m of stature …"""
BRIEF = 0.1
"""… for at least so long [s]."""
LOWEST = 2.0
"""Percent of the frames in which a foot may be lower than what counts as its ground: noise of capture."""
OFF = 0.01
"""How far above or below its place a sole may be, for 1.75 m of stature [m]."""
SELDOM = 1.0
"""Percent of the frames in which it may be farther."""
BARE = 1e-3
"""Patches with less flesh have none [m], for that stature: no shape tells it."""
BLURRED = 0.05
"""After touch-down and before lift-off nothing is called a slide for so long [s]."""
FASTER, STILL = 1.5, 0.02
"""Soles may slide so many times as fast as the source's at the figure's size, and this much more, as nobody
sees it [m/s]."""


class Sole(NamedTuple):
    """A foot's flesh over time."""

    places: Array
    """Lower ends of its patches [m] (F, K, 3)."""
    lowest: Array
    """Height of the lowest [m] (F,)."""
    steps: Array
    """How far the skin there goes over the ground to the next frame; none where it rolls [m] (F − 1, K)."""
    rests: Array
    """How much higher a toe without flesh is than the lowest of the foot as it rests [m] (K,); 0 of others.
    It is down where it is as high as it rests."""


def soles(clip: Clip) -> dict[str, Sole]:
    """Of all feet, by the name of their part."""
    skin, kin = patches(clip.character), Kinematics(clip.character, clip.q)
    low = skin.places(kin) - skin.radius[:, None] * [0.0, 0.0, 1.0]
    turns, at = kin.rotations[:, skin.body], kin.positions[:, skin.body]
    own = np.einsum("fkji,fkj->fki", turns, low - at)[:-1]
    steps = np.linalg.norm((at[1:] + np.einsum("fkij,fkj->fki", turns[1:], own) - low[:-1])[..., :2], axis=2)
    rests = skin.rest[:, 2] - skin.radius
    found = {}
    for part in skin.parts:
        ks = skin.of_part(part)
        if skin.kind[ks[0]] == FOOT:
            lowest = low[:, ks, 2].min(axis=1)
            bare = skin.radius[ks] < BARE * skin.scale
            higher = np.where(bare, np.minimum(rests[ks] - rests[ks].min(), LOW * skin.scale), 0.0)
            found[part] = Sole(low[:, ks], lowest, steps[:, ks], higher)
    return found


def grounds(feet: dict[str, Sole], size: float) -> dict[str, float]:
    """Height at which each foot is down [m]: its lowest, or the other's if that is much lower."""
    own = {part: float(np.percentile(sole.lowest, LOWEST)) for part, sole in feet.items()}
    least = min(own.values(), default=0.0)
    return {part: high if high < least + LOW * size else least for part, high in own.items()}


def stands(sole: Sole, dt: float, size: float) -> Mask:
    """Whether a foot stands (F,)."""
    frames = len(sole.lowest)
    speed = np.zeros(frames)
    if frames > 1:
        row = np.argmin(sole.places[..., 2], axis=1)[:-1]
        steps = np.linalg.norm(np.diff(sole.places, axis=0), axis=2)[np.arange(frames - 1), row] / dt
        speed[:-1], speed[1:] = steps, np.maximum(steps, np.append(steps[1:], 0.0))
    found = (sole.lowest < np.percentile(sole.lowest, LOWEST) + LOW * size) & (speed < SLOW * size)
    for first, last in runs(found):
        found[first : last + 1] = (last - first + 1) * dt > BRIEF - 1e-9
    return np.asarray(found)


def lines(before: Clip, after: Clip, scale: float) -> list[Line]:
    """Rows of the table; ``scale``: of the target's lengths over the source's."""
    ours, theirs = soles(before), soles(after)
    size, tall = patches(before.character).scale, patches(after.character).scale
    ground = grounds(ours, size)
    found: list[Line] = []
    on: dict[str, Mask] = {}
    for part in ours.keys() & theirs.keys():
        on[part] = stands(ours[part], before.dt, size)
        down = np.flatnonzero(on[part])
        if not len(down):
            continue
        higher = np.maximum(ours[part].lowest - ground[part], 0.0) * tall / size
        got = (theirs[part].places[..., 2] - theirs[part].rests).min(axis=1)
        for what, off in (("above", got - higher), ("below", -theirs[part].lowest)):
            own = np.maximum(off[down], 0.0)
            worst = float(np.percentile(own, 100.0 - SELDOM, method="higher"))
            time = float(after.times[down[int(np.argmax(own))]])
            found.append(Line(part, what, float(np.median(own)), worst, time, OFF * tall, "m"))
    return sorted([*found, *_slides(ours, theirs, on, after, scale)], key=lambda line: line.limb)


def longer(before: Clip, character: Character, planted: Sequence[FootPlant]) -> list[FootPlant]:
    """Plants of a target that last as long as the source's sole is down.

    They end where a foot begins to roll over its toes; a figure whose toes are short, or that has none, would
    lift it too soon.
    """
    ours, size, own = soles(before), patches(before.character).scale, patches(character)
    on = {part: runs(stands(sole, before.dt, size)) for part, sole in ours.items()}
    parts = [_part(plant, character, own) for plant in planted]
    made = []
    for plant, part in zip(planted, parts):
        point, when = list(plant.intervals.items())[-1]
        later = [_first(p) for p, other in zip(planted, parts) if other == part and _first(p) > _first(plant)]
        frame = round(when.end * before.fps) if isinstance(when, During) else -1
        end = next((b for a, b in on.get(part, []) if a <= frame + 1 <= b), frame)
        until = min(end / before.fps, *(t - before.dt for t in later), np.inf)
        if isinstance(when, During) and until > when.end:
            plant = replace(plant, intervals={**plant.intervals, point: During(when.start, until)})
        made.append(plant)
    return made


def _part(plant: FootPlant, character: Character, own: Patches) -> str:
    """The part of the body that a plant holds."""
    bodies = {character.point(name).body for name in plant.intervals}
    return next((own.part[k] for k in range(len(own)) if int(own.body[k]) in bodies), "")


def _first(plant: FootPlant) -> float:
    """When a plant begins [s]."""
    return min((w.start for w in plant.intervals.values() if isinstance(w, During)), default=np.inf)


def _slides(
    ours: dict[str, Sole], theirs: dict[str, Sole], on: dict[str, Mask], clip: Clip, scale: float
) -> list[Line]:
    """How fast soles go over the ground between frames in which they stand; a row's worst is the mean.

    The source's is that of all its feet: one of them may stand as still as a stone.
    """
    edge = round(BLURRED / clip.dt)
    both = {part: _inner(down, edge) for part, down in on.items()}
    both = {part: first for part, first in both.items() if len(first)}
    if not both:
        return []
    own = np.concatenate([_speeds(ours[part], first, clip.dt) for part, first in both.items()])
    most, found = FASTER * scale * float(own.mean()) + STILL, []
    for part, first in both.items():
        speeds = _speeds(theirs[part], first, clip.dt)
        mean, time = float(speeds.mean()), float(clip.times[first[int(np.argmax(speeds))]])
        found.append(Line(part, "slide", float(np.median(speeds)), mean, time, most, "m/s"))
    return found


def _inner(down: Mask, edge: int) -> IntArray:
    """Frames that stand, and so does the next, not within some of either end of a stand."""
    found = [np.arange(a + edge, b - edge) for a, b in runs(down)]
    return np.concatenate([np.zeros(0, np.int64), *found])


def _speeds(sole: Sole, first: IntArray, dt: float) -> Array:
    """Of the lowest flesh over the ground, from frames to the next [m/s]."""
    high = sole.places[..., 2] - sole.rests
    low = np.argmin(high[first] + high[first + 1], axis=1)
    return np.asarray(sole.steps[first, low] / dt)
