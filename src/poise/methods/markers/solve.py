"""Fit a character to markers: who it is, where markers sit on it, and how it moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.character.anatomy import felt_limits
from poise.errors import InputError
from poise.manifold import so3
from poise.markers import Markers
from poise.methods.markers.attached import Attached, positions
from poise.methods.markers.beginning import size_of, trunk_poses
from poise.methods.markers.calibration import Calibration, MarkerPrior, Proportions, spread_frames
from poise.methods.markers.clip_fit import Smoothness, fit_clip
from poise.methods.markers.frame_fit import fit_frames
from poise.methods.markers.landmarks import placed_on
from poise.methods.markers.level_feet import level_feet
from poise.methods.markers.pose_cost import PoseCost
from poise.methods.markers.segments import scaled, with_bone_scales
from poise.motion import Clip
from poise.workers import algebra_on_one_thread

SIGMA = 0.01
"""How far a marker moves on the skin [m]; standard deviation."""
KNEE = 4.0
"""Markers farther off than so many σ are doubted."""
SPREAD = 10.0
"""Of poses about the rest pose [rad]: what no marker tells stays there."""
TURNING, SLIDING = 100.0, 20.0
"""Accelerations of joints [rad/s²] and of the root [m/s²], standard deviations."""
BETTER = 0.6
"""A marker moves to another body if it wanders about on it by less than this part."""
LEVELLED, SETTLED = 3, 0.004
"""Rounds in which feet are made to stand flat, at most; markers that move by less need no other [m]."""
SHOWN = 3
"""Frames that show a marker, of those on which places of markers are found, at least."""
SMALLEST = 0.05
"""Markers of a body are farther apart [m]."""
UNKNOWN = 0.5
"""Spread of the place of a marker whose name tells nothing [m]."""


@dataclass(frozen=True, eq=False)
class MarkerFit:
    """A character, its motion, and markers on it."""

    character: Character
    q: Array
    """(F, nq)"""
    points: Attached
    names: tuple[str, ...]
    """Of the markers that are used, (M,)."""
    targets: Array
    """(F, M, 3)"""
    trust: Array
    """How far each was believed, (F, M)."""
    proportions: Proportions
    idle: tuple[str, ...] = ()
    """Markers that were left out: seen in too few frames."""

    @property
    def errors(self) -> Array:
        """Distance of each marker from its place on the body [m] (F, M); NaN where it is lost."""
        return np.linalg.norm(positions(self.character, self.q, self.points) - self.targets, axis=2)

    @property
    def doubted(self) -> NDArray[np.bool_]:
        """Markers that are seen and not believed, (F, M)."""
        return np.isfinite(self.targets[:, :, 0]) & (self.trust < 0.25)

    @property
    def rms(self) -> float:
        """Of all errors of markers that are believed [m], or of all where none is."""
        errors, doubted = self.errors, self.doubted
        seen = np.isfinite(errors)
        counted = seen & ~doubted if (seen & ~doubted).any() else seen
        return float(np.sqrt(np.mean(errors[counted] ** 2)))


@algebra_on_one_thread()
def solve(
    markers: Markers,
    character: Character,
    *,
    scaling: str = "segments",
    onto: Mapping[str, str] | None = None,
    mass: float | None = None,
    watch: Callable[[float], None] = lambda part: None,
) -> MarkerFit:
    """Fit the character to a capture; ``onto`` says which joint some markers sit on, by name."""
    markers, idle = _useful(markers)
    size = size_of(character, markers.names, markers.positions) if scaling != "none" else 1.0
    prior = _prior(character, markers, size, onto or {})
    known = np.flatnonzero(prior.body >= 0)
    if len(known) < 4:
        raise InputError(
            f"{len(known)} of {len(markers.names)} markers have names that say where they sit "
            f"({', '.join(markers.names[:8])} …); name the joint of each marker with attach"
        )
    chosen = _telling_frames(markers)
    first = _some(prior, known)
    q, shared = _calibrated(character, markers, chosen, known, first, size, scaling, watch)
    prior = _attached_by_motion(character, markers, chosen, q, shared, prior, set(onto or {}))
    whole = np.arange(len(markers.names))
    watch(0.3)
    q, shared = _calibrated(character, markers, chosen, whole, prior, size, scaling, watch, q)
    watch(0.6)
    lean = with_bone_scales(character, shared.scales)
    points = Attached(prior.body, shared.places)
    cost = _cost(lean, points, markers.positions, whole)
    nearest = chosen[np.abs(np.arange(markers.frames)[:, None] - chosen).argmin(axis=1)]
    start = q[np.searchsorted(chosen, nearest)]
    start[:, :7] = trunk_poses(
        lean, 1.0, MarkerPrior(prior.body, shared.places, prior.spread), markers.positions
    )[:, :7]
    frames = _mended(cost, fit_frames(cost, start))
    watch(0.8)
    moving = fit_clip(cost, frames, _smoothness(lean, markers), watch=lambda part: watch(0.8 + 0.2 * part))
    person = scaled(character, shared.scales, shared.whole, mass=mass)
    q, points = _with_level_feet(person, cost, moving, markers)
    slots, _ = lean.manifold.rotation_slots
    for own in slots:
        q[:, own] = so3.continuous(q[:, own])
    shared = replace(shared, places=points.place)
    trust = replace(cost, points=points).trust(q)
    return MarkerFit(person, q, points, markers.names, markers.positions, trust, shared, idle)


def _with_level_feet(person: Character, cost: PoseCost, q: Array, markers: Markers) -> tuple[Array, Attached]:
    """Poses and places of markers with feet that stand flat."""
    points = cost.points
    for _ in range(LEVELLED):
        found = level_feet(Clip(person, q, rate=markers.rate), points.body, points.place)
        moved = float(np.abs(found - points.place).max())
        points = Attached(points.body, found)
        if moved < SETTLED:
            break
        again = replace(cost, points=points)
        q = fit_clip(again, fit_frames(again, q), _smoothness(cost.character, markers))
    return np.array(q), points


def _useful(markers: Markers) -> tuple[Markers, tuple[str, ...]]:
    share = markers.seen.mean(axis=0)
    kept = [n for n, s in zip(markers.names, share) if s > 0.02]
    if not kept:
        raise InputError("no marker is seen in more than 2 % of the frames")
    seen, places = markers.seen[:, :, None], markers.positions
    extent = np.where(seen, places, -np.inf).max(axis=1) - np.where(seen, places, np.inf).min(axis=1)
    if extent.max() < SMALLEST:
        raise InputError(
            f"all markers lie within {max(extent.max(), 0.0):.3g} m of one another in every frame: no body "
            "is that small; is the unit right?"
        )
    return markers.only(kept), tuple(n for n in markers.names if n not in kept)


def _telling_frames(markers: Markers) -> IntArray:
    """Some frames, evenly over the clip, and for markers that few of them show some that show these."""
    chosen = spread_frames(markers.frames)
    more = [chosen]
    for own in markers.seen.T[markers.seen[chosen].sum(axis=0) < SHOWN]:
        at = np.flatnonzero(own)
        more.append(at[spread_frames(len(at), SHOWN)])
    return np.unique(np.concatenate(more))


def _prior(character: Character, markers: Markers, size: float, onto: Mapping[str, str]) -> MarkerPrior:
    """Bodies (−1: not known yet), usual places and spreads of all markers."""
    body, place, spread = [], [], []
    for name in onto:
        if name not in markers.names:
            raise InputError(f"no marker is named {name!r} (available: {', '.join(markers.names[:24])})")
    for name in markers.names:
        if name in onto:
            body.append(character.index(onto[name]))
            place.append(np.zeros(3))
            spread.append(0.1)
            continue
        found = placed_on(character, name, size_in_metres(character, size))
        body.append(-1 if found is None else found.body)
        place.append(np.zeros(3) if found is None else found.place * 1.0)
        spread.append(UNKNOWN if found is None else found.spread)
    return MarkerPrior(np.array(body), np.array(place), np.array(spread))


def size_in_metres(character: Character, size: float) -> float:
    """How tall the person is beside the one whose landmarks are tabled."""
    places, _ = character.rest_placement()
    return size * float(np.ptp(places, axis=0).max()) / 1.6


def _some(prior: MarkerPrior, at: IntArray) -> MarkerPrior:
    return MarkerPrior(prior.body[at], prior.place[at], prior.spread[at])


def _cost(
    character: Character, points: Attached, targets: Array, at: IntArray, knee: float = KNEE
) -> PoseCost:
    rest = character.rest_pose()
    spread = np.full(character.nv, SPREAD)
    spread[:6] = 1e3  # where the root is, markers say
    lower, upper = (np.array(side) for side in felt_limits(character))
    lower[:6], upper[:6] = -np.inf, np.inf
    prior = np.tile(rest, (len(targets), 1))
    return PoseCost(
        character, points, targets[:, at], np.full(len(at), SIGMA), knee, prior, spread, lower, upper
    )


def _calibrated(
    character: Character,
    markers: Markers,
    chosen: IntArray,
    at: IntArray,
    prior: MarkerPrior,
    size: float,
    scaling: str,
    watch: Callable[[float], None],
    q: Array | None = None,
) -> tuple[Array, Proportions]:
    targets = markers.positions[chosen]
    cost = _cost(character, Attached(prior.body, prior.place), targets, at, KNEE if q is not None else 15.0)
    problem = Calibration(cost, prior, size, scaling)
    shared = problem.start()
    if q is None:
        lean = with_bone_scales(character, shared.scales)
        start = trunk_poses(lean, 1.0, prior, targets[:, at])
        q = fit_frames(replace(cost, character=lean), start)
    watch(0.15)
    return problem.solve(q, shared)


def _attached_by_motion(
    character: Character,
    markers: Markers,
    chosen: IntArray,
    q: Array,
    shared: Proportions,
    prior: MarkerPrior,
    fixed: set[str],
) -> MarkerPrior:
    """Markers on the bodies on which they wander least: as names say, unless motion clearly denies it."""
    lean = with_bone_scales(character, shared.scales)
    where = lean.placement(q)
    seen = markers.positions[chosen]
    local = np.einsum("fbji,fmbj->fmbi", where.rotations, seen[:, :, None] - where.positions[:, None])
    middle = np.nanmedian(local, axis=0)  # (M, n, 3)
    wander = np.nanmedian(np.linalg.norm(local - middle, axis=3), axis=0)  # (M, n)
    body, place, spread = prior.body.copy(), prior.place.copy(), prior.spread.copy()
    for m, name in enumerate(markers.names):
        best = int(np.argmin(wander[m]))
        if body[m] < 0:
            body[m], place[m] = best, middle[m, best]
            continue
        if name in fixed:
            continue
        near = _neighbours(character, int(body[m]))
        best = min(near, key=lambda b: wander[m, b])
        if wander[m, best] < BETTER * wander[m, body[m]]:
            turn = lean.rest_placement()
            spot = turn.positions[body[m]] + turn.rotations[body[m]] @ place[m]
            place[m] = turn.rotations[best].T @ (spot - turn.positions[best])
            body[m] = best
    return MarkerPrior(body, place, spread)


def _neighbours(character: Character, body: int) -> list[int]:
    """The body, the one it hangs from and those that hang from it."""
    up = int(character.parents[body])
    return [body, *([up] if up >= 0 else []), *character.children[body]]


def _mended(cost: PoseCost, q: Array) -> Array:
    """Frames whose fit went astray, tried again from the nearest that did not."""
    price = cost.each(q)
    limit = 4.0 * float(np.median(price)) + 10.0
    good = np.flatnonzero(price <= limit)
    bad = np.flatnonzero(price > limit)
    if not len(bad) or not len(good):
        return q
    nearest = good[np.abs(bad[:, None] - good).argmin(axis=1)]
    again = replace(cost, targets=cost.targets[bad], prior=cost.prior[bad])
    start = q[nearest].copy()
    start[:, :7] = q[bad, :7]
    tried = fit_frames(again, start)
    better = again.each(tried) < price[bad]
    out = q.copy()
    out[bad[better]] = tried[better]
    return out


def _smoothness(character: Character, markers: Markers) -> Smoothness:
    pace = np.full(character.nv, TURNING)
    pace[:3] = SLIDING
    return Smoothness(1.0 / markers.fps, pace)
