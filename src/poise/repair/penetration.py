"""Depth: what sinks into the floor comes up to it, what stands above it comes down.

Where all that carries the body is off, the body is: it is lifted or lowered by what all of it shares,

    l(t) = min over the parts that touch of how deep they are        (hovering: likewise, downwards)

smoothed over a moment. What is off beyond that is a matter of one limb: the foot is moved as a whole, so that
it keeps its roll, and the leg follows. Or all is left to the limbs. Which of the two is more plausible is for
the judge to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from poise.arrays import Array
from poise.plausibility import Finding, Physics, PlausibilityReport
from poise.plausibility.depth import heights
from poise.plausibility.take import runs
from poise.repair.change import Change, Unmendable, in_place
from poise.repair.limbs import ends_of_limbs, limbs_moved
from poise.repair.root import carried

UP = np.array([0.0, 0.0, 1.0])
KINDS = ("penetration", "hover")
FLAT = 0.005
"""A part that is less deep than this is as good as on the floor [m]."""
MOMENT = 0.03
"""Standard deviation of the smoothing of a lift [s]: a body does not follow the noise of its feet."""
WORTH = 0.01
"""Lifts below this are left to the legs [m]."""




def onto_floor(report: PlausibilityReport, findings: Sequence[Finding]) -> Iterator[Change]:
    """Parts that sink or hover are brought to the floor: with the body, and by the limbs alone."""
    physics = report.physics
    off = {f.where: np.zeros(physics.clip.frames) for f in findings}  # how far up each has to go [m] (F,)
    for finding in findings:
        way = _way_up(physics, finding)
        off[finding.where] = np.where(way != 0, way, off[finding.where])
    shared = _shared(physics, off)
    if np.abs(shared).max() >= WORTH:
        yield _change(physics, off, _envelope(shared, physics.clip.dt))
    yield _change(physics, off, np.zeros(physics.clip.frames))


def _change(physics: Physics, off: dict[str, Array], lift: Array) -> Change:
    """The body lifted, and limbs moved by what is then still missing."""
    clip, said, shifts = physics.clip, [], dict[str, Array]()
    q = np.array(clip.q)
    if lift.any():
        q = carried(clip.character, q, lift[:, None] * UP)
        said.append(f"the body moved {_words(lift)}")
    for part in ends_of_limbs(physics):
        left = np.where(off.get(part, lift) != 0, off.get(part, lift) - lift, 0.0)
        left[np.abs(left) < FLAT] = 0.0
        if np.abs(left).max() >= WORTH:
            shifts[part] = _envelope(left, clip.dt)[:, None] * UP
            said.append(f"the {part} {_words(shifts[part][:, 2])}")
    if not said:
        raise Unmendable("neither the root nor a leg or an arm could mend it")
    return in_place(clip, limbs_moved(physics, q, shifts), ", ".join(said))


def _words(way: Array) -> str:
    most = float(way[np.argmax(np.abs(way))])
    return f"{'up' if most > 0 else 'down'} by {100 * abs(most):.1f} cm"


def _way_up(physics: Physics, finding: Finding) -> Array:
    """How far up the part of a finding has to go, from where it leaves the floor's level to where it returns."""
    touch, frames = physics.touching, physics.clip.frames
    own = touch.of_part(touch.parts.index(finding.where))
    height = heights(physics)[:, own]
    if finding.kind == "hover":
        held = physics.contact.touching[:, own]
        up = -np.where(held, height, np.inf).min(axis=1)
    else:
        up = -height.min(axis=1)
    up = np.where(np.isfinite(up), up, 0.0)
    wrong = up < -FLAT if finding.kind == "hover" else up > FLAT
    near = np.zeros(frames, dtype=bool)
    for a, b in runs(wrong):
        near[a : b + 1] = a <= finding.end and b >= finding.start
    return np.where(near, up, 0.0)


def _shared(physics: Physics, off: dict[str, Array]) -> Array:
    """What all parts that touch are off by, in each frame [m] (F,); 0 where one is right."""
    touch, frames = physics.touching, physics.clip.frames
    rows = []
    for k, part in enumerate(touch.parts):
        down = physics.contact.touching[:, touch.of_part(k)].any(axis=1)
        rows.append(np.where(down, off.get(part, np.zeros(frames)), np.nan))
    way = np.array(rows)  # (parts, F)
    touched = ~np.isnan(way).all(axis=0)
    least = np.where(touched, np.where(np.isnan(way), np.inf, way).min(axis=0), 0.0)
    most = np.where(touched, np.where(np.isnan(way), -np.inf, way).max(axis=0), 0.0)
    return np.where(least > 0, least, np.where(most < 0, most, 0.0))


def _envelope(way: Array, dt: float) -> Array:
    """A smooth curve that goes as far as ``way`` and no kink with it."""
    from scipy.ndimage import gaussian_filter1d, maximum_filter1d

    moment = MOMENT / dt
    size = 2 * round(2 * moment) + 1
    up, down = (maximum_filter1d(np.maximum(s * way, 0.0), size, mode="nearest") for s in (1.0, -1.0))
    return np.asarray(gaussian_filter1d(up - down, moment, mode="nearest"))
