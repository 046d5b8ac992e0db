"""The floor of a motion that brings none: where its feet rest, tilted or moving if that explains more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import Mask
from poise.contacts.needed import Needed
from poise.contacts.patches import FOOT, HAND
from poise.world import Ground, Surface, ground

NEAR_ZERO = 0.08
"""Feet that rest this near z = 0 stand on the file's own ground [m]."""
LEVEL = 0.015
"""Scatter of heights of one level in captures [m]."""
BELOW, MOMENT = 0.08, 0.06
"""Feet that are so far below a level [m] for so long in all [s] are on something lower: no marker jumps so
far for so long."""
BORNE = 0.3
"""What bears so much of the weight, or more, is no flight."""
UNSURE = 0.5
"""How sure a floor is on which nobody is seen to rest."""
TRAVEL, ACROSS = 1.5, 1.2
"""Extents of the way from which on a slope can be told, along and across [m]."""
STEEPEST = 0.25
"""Slopes beyond are stairs [rise per metre]."""
RISES = 0.025
"""Slopes that rise by less over the whole way are scatter [m]."""
BELT = 0.35
"""A belt is faster than this [m/s] …"""
FEWEST = 5
"""… with feet down in so many frames at least …"""
STAYS = 0.6
"""… and who walks on it stays within this, over stature."""
FLAT, STEEPLY = 0.25, 0.2
"""Feet on it neither rise nor fall faster than this [m/s], or than this share of their own speed."""
ALIKE, LOOSE, STILL = 0.3, 0.5, 0.15
"""Velocities of feet that are down scatter by less, over the belt's; drawn cycles, which hardly leave their
place (over stature), more."""
ONE_WAY, MOSTLY = 0.95, 0.9
"""Cosine between velocities of feet that go one way, and the share of the frames in which all feet that are
down do: over a belt, though each at a speed of its own, as in cycles that were drawn by eye."""
RARELY, ABOVE = 0.5, 0.2
"""Feet of who hangs rest for a smaller share of the time; hands hold on this far above the centre of mass,
over stature."""
EXACT, SCATTERS = 0.006, 6.0
"""Least give of a foot, of a body of 1.75 m [m], and what its rests add to it, times the median of their
scatter: captures scatter by more than half a centimetre, and so keep all the give there is."""
LEARNED = (-0.02, 0.03)
"""How far the flesh of a foot is learned, less or more than assumed, of a body of 1.75 m [m]."""


def lowest_rests(need: Needed, rest: Mask) -> Array:
    """Where the lowest patch of each foot is while it rests (k, 3)."""
    own, found = need.own, []
    feet = [p for p in need.patches.parts if need.patches.kind[need.patches.of_part(p)[0]] == FOOT]
    for part in feet or need.patches.parts:
        ks = need.patches.of_part(part)
        at = need.places[own][:, ks] - [0.0, 0.0, 1.0] * need.radius[ks][:, None]
        rows, low = np.arange(len(at)), np.argmin(at[..., 2], axis=1)
        found.append(at[rows, low][rest[own][rows, ks[low]]])
    return np.concatenate(found)


def found_floor(need: Needed, rest: Mask) -> Surface:
    """The level at which feet rest: the file's own ground, else the lowest that is often used."""
    stands = lowest_rests(need, rest)
    if hangs(need, rest):
        low = (
            float((need.places[..., 2] - need.radius).min())
            - LEVEL * need.scale
            - 0.05 * need.patches.stature
        )
        return ground(low, source="found", sure=0.3)
    if len(stands) < 5:
        feet = need.patches.kind == FOOT
        feet = feet if feet.any() else np.ones(len(feet), dtype=bool)
        low = float((need.places[:, feet, 2] - need.radius[feet]).min())
        return ground(low, source="found", sure=0.3)
    height, sure = _level(stands[:, 2], need.scale)
    sloping = _sloping(stands[np.abs(stands[:, 2] - height) < 0.12 * need.scale], need.scale)
    if sloping is None:
        height, sure = _nothing_below(need, height, sure)
    shape = sloping or Ground(height)
    return Surface("floor", shape, source="found", sure=sure)


def _nothing_below(need: Needed, height: float, sure: float) -> tuple[float, float]:
    """A level at which feet rest, or the floor below it where they go down farther: then it was a step.

    Feet that go down to the file's own ground say so by one moment. Below a level that is not the file's own
    they were on something lower as the clip begins, or come to it as it ends; but not in flight, where they
    are on nothing.
    """
    feet = need.patches.kind == FOOT
    borne = need.wrench[:, 2] > BORNE
    if not feet.any() or not borne.any():
        return height, sure
    low = (need.places[borne][..., 2] - need.radius)[:, feet].min(axis=1)
    deepest = float(np.quantile(low, 0.002))
    if height > NEAR_ZERO and deepest < height - 0.06 and abs(deepest) < 0.06:
        return deepest, sure
    lasting = float(np.sort(low)[min(round(MOMENT / need.dt), len(low) - 1)])
    if abs(height) > NEAR_ZERO * need.scale and lasting < height - BELOW * need.scale:
        return lasting, min(sure, UNSURE)
    return height, sure


def hangs(need: Needed, rest: Mask) -> bool:
    """Whether hands hold the body up all the time: at rest, above it, while feet hardly ever are."""
    own, hands = need.own, need.patches.kind == HAND
    feet = need.patches.kind == FOOT
    if not (hands.any() and feet.any()) or rest[own][:, feet].any(axis=1).mean() > RARELY:
        return False
    above = need.places[own][..., 2] > need.com[own, None, 2] + ABOVE * need.patches.stature
    return bool((rest[own] & above)[:, hands].any(axis=1).all())


def _level(heights: Array, scale: float) -> tuple[float, float]:
    """The height of the floor among heights of rests, and how sure it is."""
    z, width = np.sort(heights), LEVEL * scale
    grid = np.arange(z[0] - width, z[-1] + width, width / 3)[:20_000]
    count = np.exp(-0.5 * ((grid[:, None] - z[:: max(1, len(z) // 400)]) / width) ** 2).sum(axis=1)
    peaks = [
        i
        for i in range(len(grid))
        if count[i] >= count[max(0, i - 4) : i + 5].max() and count[i] > 0.03 * count.max()
    ]
    own = [i for i in peaks if abs(grid[i]) < NEAR_ZERO * scale]
    if own:
        best = min(own, key=lambda i: abs(grid[i]) - 0.03 * count[i] / count.max())
    else:
        best = next(i for i in peaks if count[i] > 0.12 * count.max())
    share = float(np.mean(np.abs(z - grid[best]) < 3 * width))
    near = z[np.abs(z - grid[best]) < 1.5 * width]
    return float(np.median(near)) if len(near) else float(grid[best]), min(1.0, 0.5 + 0.5 * share)


def _sloping(stands: Array, scale: float) -> Ground | None:
    """A plane that rises along the way, if that explains most of the scatter."""
    if len(stands) < 10:
        return None
    middle = stands[:, :2].mean(axis=0)
    axes = np.linalg.svd(stands[:, :2] - middle, full_matrices=False)[2]
    way = (stands[:, :2] - middle) @ axes.T
    wide = np.ptp(way, axis=0)
    if wide[0] < TRAVEL * scale:
        return None
    use = 2 if wide[1] > ACROSS * scale else 1
    basis, z = np.concatenate([np.ones((len(way), 1)), way[:, :use]], axis=1), stands[:, 2]
    weight = np.ones(len(z))
    fit: Array = np.zeros(use + 1)
    for _ in range(20):  # least absolute deviations: feet in the air do not count
        fit = np.asarray(np.linalg.lstsq(basis * weight[:, None], z * weight, rcond=None)[0], dtype=float)
        weight = 1.0 / np.sqrt(np.maximum(np.abs(z - basis @ fit), 2e-3))
    left, was = (float(np.median(np.abs(z - level))) for level in (basis @ fit, np.median(z)))
    slope = fit[1:] @ axes[:use]
    rise = float((np.abs(fit[1:]) * wide[:use]).max())
    if left > 0.5 * was or rise < RISES * scale or np.hypot(*slope) > STEEPEST:
        return None
    return Ground(float(fit[0] - slope @ middle), (float(slope[0]), float(slope[1])))


def belt(need: Needed) -> Array:
    """Velocity of ground on which someone walks in place (3,) [m/s]: what low feet have in common, else
    none."""
    none, feet = np.zeros(3), np.flatnonzero(need.patches.kind == FOOT)
    own = need.own
    if np.ptp(need.com[own, :2], axis=0).max() > STAYS * need.patches.stature or not len(feet):
        return none
    z = (need.places[..., 2] - need.radius)[own][:, feet]
    # Of every foot its lowest patch, where that is down: four feet tell more than the lowest of all.
    level = np.quantile(z.min(axis=1), 0.3) + 0.015 * need.scale
    found = []
    for part in dict.fromkeys(need.patches.part[k] for k in feet):
        ks = np.flatnonzero([need.patches.part[k] == part for k in feet])
        lowest = ks[np.argmin(z[:, ks], axis=1)]
        rows = np.arange(len(z))
        v = need.velocities[own][rows, feet[lowest]]
        level_way = np.abs(v[:, 2]) < np.maximum(FLAT, STEEPLY * np.hypot(v[:, 0], v[:, 1]))
        found.append(v[level_way & (z[rows, lowest] < level)])
    low = np.concatenate(found)
    if len(low) < FEWEST:
        return none
    common = np.median(low[:, :2], axis=0)
    speed = float(np.linalg.norm(common))
    scatter = float(np.median(np.linalg.norm(low[:, :2] - common, axis=1)))
    alike = LOOSE if np.ptp(need.com[own, :2], axis=0).max() < STILL * need.patches.stature else ALIKE
    fast = BELT * np.sqrt(need.scale)
    along = low[:, :2] @ common / max(speed, 1e-9)
    one_way = (along > fast) & (along > ONE_WAY * np.linalg.norm(low[:, :2], axis=1))
    drawn = len(found) > 1 and all(len(v) for v in found) and one_way.mean() > MOSTLY
    return np.array([*common, 0.0]) if speed > fast and (scatter < alike * speed or drawn) else none


def learned_flesh(need: Needed, rest: Mask, floor: Surface) -> Needed:
    """The same with the flesh of the feet as it shows where they rest on the floor, and with no more give
    than they show there: feet that were drawn stand to the millimetre."""
    radius, give = np.array(need.radius), np.array(need.patches.give)
    scatter = []
    feet = np.flatnonzero(need.patches.kind == FOOT)
    for k in feet:
        gap = floor.gap(need.places[rest[:, k], k])[0] - radius[k]
        gap = gap[np.abs(gap) < 0.06 * need.scale]
        if len(gap) <= 10:
            continue
        if radius[k] > 0:
            more = float(np.clip(np.median(gap), LEARNED[0] * need.scale, LEARNED[1] * need.scale))
            radius[k] = max(radius[k] + more, 0.003 * need.scale)
        scatter.append(float(np.median(np.abs(gap - np.median(gap)))))
    if scatter:
        give[feet] = np.minimum(give[feet], EXACT * need.scale + SCATTERS * max(scatter))
    return replace(need, radius=radius, patches=replace(need.patches, give=give))
