"""Depth: what sinks into the floor comes up to it, what stands above it comes down.

Where all that carries the body is off, the body is: it is lifted or lowered by what all of it shares,

    l(t) = min over the parts that touch of how deep they are        (hovering: likewise, downwards)

smoothed over a moment. What is off beyond that is a matter of one limb: the foot is moved as a whole, so that
it keeps its roll, and the leg follows. Or all is left to the limbs; or, where only toes or a heel are off, to
a turn of the foot. A clip that is off by the same from first to last is moved as a whole. Which of these
mends it is for the judge to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from poise.arrays import Array
from poise.plausibility.depth import slack, sunk
from poise.plausibility.finding import Finding
from poise.plausibility.physics import Physics
from poise.plausibility.report import PlausibilityReport
from poise.repair.blend import SHORT, fading
from poise.repair.limbs import as_whole, limbs_moved
from poise.repair.proposal import Change, Unmendable, in_place
from poise.repair.root_shift import carried

UP = np.array([0.0, 0.0, 1.0])
KINDS = ("penetration", "hover")
FLAT = 0.003
"""A part that is less deep than this is as good as on the floor [m]."""
MOMENT = 0.015
"""Standard deviation of the smoothing of a lift [s]: a body does not follow the noise of its feet."""
ALIKE = 0.015
"""Contacts of a clip that as a whole is too high or too low differ by no more [m]."""
CARRIES = 0.25
"""Contacts that carry less of the weight say little about where a body stands."""
WORTH = 0.01
"""Lifts below this are left to the legs [m]."""


def onto_floor(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Change]:
    """Parts that sink or hover are brought to the floor: with the body, by limbs, by a turn of the foot."""
    physics = report.physics
    clip, none = physics.clip, np.zeros(physics.clip.frames)
    off: dict[str, Array] = {}  # how far up each part has to go [m] (F,)
    for finding in findings:
        way = _way_up(physics, finding)
        off[finding.where] = np.where(way != 0, way, off.get(finding.where, none))
    if (whole := _everywhere(physics)) != 0:
        yield _change(physics, f"the whole clip {_words(none + whole)}", none + whole, {})
    shared = _shared(physics, off)
    if np.abs(shared).max() >= WORTH:
        lift = _smooth(shared, clip.dt)
        yield _change(physics, f"the body {_words(lift)}", lift, _limbs(physics, off, lift))
    parts = _limbs(physics, off, none)
    if not parts:
        raise Unmendable("neither the root nor a leg or an arm could mend it")
    yield _change(physics, "", none, parts)
    yield _change(physics, "", none, {part: _by_point(physics, part, off[part]) for part in parts})


def _change(physics: Physics, said: str, lift: Array, parts: dict[str, dict[str, Array]]) -> Change:
    """The body lifted, and limbs moved by what is then still missing."""
    clip = physics.clip
    q = carried(clip.character, clip.q, lift[:, None] * UP) if lift.any() else clip.q
    most = {
        part: max((w[:, 2] for w in ways.values()), key=lambda z: np.abs(z).max())
        for part, ways in parts.items()
    }
    words = [said] * bool(said) + [f"the {part} {_words(way)}" for part, way in most.items()]
    return in_place(clip, limbs_moved(physics, q, parts), ", ".join(words))


def _limbs(physics: Physics, off: dict[str, Array], lift: Array) -> dict[str, dict[str, Array]]:
    """What feet and hands, each as a whole, still lack with the body lifted: by part and point (F, 3)."""
    found = {}
    for part in physics.footing.limbs:
        way = off.get(part, np.zeros_like(lift))
        left = np.where(way > 0, np.maximum(way - lift, 0.0), np.minimum(way - lift, 0.0) * (way < 0))
        left[np.abs(left) < FLAT] = 0.0
        if np.abs(left).max() >= WORTH:
            found[part] = as_whole(physics, part, _envelope(left, physics.clip.dt)[:, None] * UP)
    return found


def _by_point(physics: Physics, part: str, way: Array) -> dict[str, Array]:
    """Each point of a part up by as much as it is itself below the floor: the foot turns."""
    patches, ks = physics.footing.patches, physics.footing.patches.of_part(part)
    gap = physics.footing.gap[:, ks] + slack(physics, ks)
    found = {}
    for j, k in enumerate(ks):
        deep = np.where(way > 0, np.maximum(-gap[:, j], 0.0), np.minimum(way, 0.0))
        found[patches.names[k]] = _envelope(deep, physics.clip.dt)[:, None] * UP
    return found


def _words(way: Array) -> str:
    most = float(way[np.argmax(np.abs(way))])
    return f"{'up' if most > 0 else 'down'} by {100 * abs(most):.1f} cm"


def _everywhere(physics: Physics) -> float:
    """What all contacts of a clip are off by, from first to last [m]; 0 where they differ."""
    footing, levels = physics.footing, []
    for contact in physics.contacts:
        own = footing.patches.of_part(contact.part)
        span = slice(contact.start, contact.end + 1)
        held = footing.touching[span][:, own]
        lowest = np.where(held, footing.gap[span][:, own], np.inf).min(axis=1)
        if contact.part in footing.feet and contact.load > CARRIES:
            levels.append(float(np.median(lowest[np.isfinite(lowest)])))
    if not levels or np.ptp(levels) > ALIKE or abs(np.mean(levels)) < WORTH:
        return 0.0
    return -float(np.mean(levels))


def _way_up(physics: Physics, finding: Finding) -> Array:
    """How far up the part of a finding has to go (F,), negative: down."""
    footing, clip = physics.footing, physics.clip
    if finding.kind == "hover":
        own = footing.patches.of_part(finding.where)
        span = slice(finding.start, finding.end + 1)
        lowest = np.where(footing.touching[span][:, own], footing.gap[span][:, own], np.inf).min(axis=1)
        down = -_smooth(np.where(np.isfinite(lowest), lowest, 0.0), clip.dt)
        return fading(down[:, None], finding.start, clip.frames, round(SHORT / clip.dt))[:, 0]
    depth = sunk(physics, finding.where)
    depth = np.where(np.isfinite(depth), depth, 0.0)
    # Down the flanks of the fault, to where it has ended: at the floor, or at the depth the part has anyway.
    calm = _smooth(depth, clip.dt)
    first, last = finding.start, finding.end
    while first > 0 and calm[first] > FLAT and calm[first - 1] < calm[first]:
        first -= 1
    while last < clip.frames - 1 and calm[last] > FLAT and calm[last + 1] < calm[last]:
        last += 1
    ends = [max(depth[first], 0.0) * (first > 0), max(depth[last], 0.0) * (last < clip.frames - 1)]
    frames = np.arange(clip.frames)
    usual = np.interp(frames, [first, last], ends)
    return np.where((frames >= first) & (frames <= last), np.maximum(depth - usual, 0.0), 0.0)


def _shared(physics: Physics, off: dict[str, Array]) -> Array:
    """What all parts that touch are off by, in each frame [m] (F,); 0 where one is right."""
    frames, rows = physics.clip.frames, []
    for part in physics.footing.patches.parts:
        down = physics.footing.part_touches(part)
        rows.append(np.where(down, off.get(part, np.zeros(frames)), np.nan))
    way = np.array(rows)  # (parts, F)
    touched = ~np.isnan(way).all(axis=0)
    least = np.where(touched, np.where(np.isnan(way), np.inf, way).min(axis=0), 0.0)
    most = np.where(touched, np.where(np.isnan(way), -np.inf, way).max(axis=0), 0.0)
    return np.where(least > 0, least, np.where(most < 0, most, 0.0))


def _smooth(way: Array, dt: float) -> Array:
    from scipy.ndimage import gaussian_filter1d

    return np.asarray(gaussian_filter1d(way, MOMENT / dt, mode="nearest"))


def _envelope(way: Array, dt: float) -> Array:
    """A smooth curve that goes as far as ``way`` everywhere."""
    from scipy.ndimage import maximum_filter1d

    size = 2 * round(2 * MOMENT / dt) + 1
    up, down = (maximum_filter1d(np.maximum(s * way, 0.0), size, mode="nearest") for s in (1.0, -1.0))
    return _smooth(up - down, dt)
