"""At which pace a motion is explained: that of its flights, or, where much is left unexplained, any usual
one.

A clip recorded at 60 frames per second that says 120 plays twice too fast: flights fall with four times
gravity, and what carries has to push and pull in turn. An unseen push, on the other hand, has a lasting
direction.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import runs
from poise.contacts.needed import low_passed, needed, widened
from poise.contacts.patches import FOOT
from poise.contacts.support import Support
from poise.contacts.supported import LOST, supported
from poise.gravity import EARTH
from poise.motion import Clip
from poise.world import World

USUAL = (0.25, 0.5, 0.8, 1.25, 2.0, 4.0)
"""Ratios of usual frame rates."""
SURE = np.log(1.15)
"""Paces nearer to 1 are within what flights can tell."""
LONG = 0.07
"""Shorter flights say nothing [s]."""
NEAR, ROUGHLY, BRIEF = 0.12, 0.25, 0.08
"""A pace this near a usual one is that one, logarithms; where no flight lasts longer [s], the second."""
FAR_OFF = np.log(1.6)
"""Paces that are so far from 1 need less time in the air to be told."""
RIGHT, FALLEN = np.log(1.5), 0.2
"""Flights whose gravity is off by a smaller factor, and that last so long in all [s], rule out that a clip
plays twice too fast: it would be off by four."""
MOSTLY = 0.8
"""… if they are so large a part of all flights."""
STEP, STROLL = 0.5, 2.0
"""Who walks steps this often [s], down to so many times as seldom, of a body of 1.75 m: twice too
fast, a walk has its feet down every third of a second."""
JOG = 0.28
"""… and who runs steps no less far apart than this [s]: twice too fast, a run has its feet down every sixth
of a second."""
AROUND, ALL_OVER, AT_ONCE = 0.1, 0.3, 0.6
"""So long about every moment that is not explained [s] makes up this share of a clip whose rate is wrong, or
the second if it is one passage."""
STEADY = 0.6
"""What is left has a lasting direction if its slow part is so large."""


def sought(clip: Clip, world: World | None) -> Support:
    """What carries a clip's motion, at the pace that explains it best."""
    best = supported(needed(clip), world, 1.0)
    flown = pace_of_flights(best)
    lost, strong = unexplained_share(best)
    tries: list[float] = []
    if flown != 1.0:
        near = min(USUAL, key=lambda u: abs(np.log(flown / u)))
        lasts = max((f.end - f.start) * best.need.dt for f in best.flights)
        tries.append(near if abs(np.log(flown / near)) < (NEAR if lasts > BRIEF else ROUGHLY) else flown)
    unlikely = _falls_right(best) or _steps_in_time(best)
    much = (lost > 0.04 and strong >= 2 and _all_over(best)) or lost > 0.4
    if much and _steady(best) < STEADY and not unlikely:
        tries.append(2.0)
    first = best
    for pace in dict.fromkeys(tries):
        again = supported(needed(clip, pace), world, pace)
        left = unexplained_share(again)[0]
        much = left < 0.5 * unexplained_share(best)[0]
        agrees = pace == tries[0] and flown != 1.0 and pace_of_flights(again) == 1.0
        if much or (agrees and left <= unexplained_share(first)[0] + 0.02):
            best = again
    return best


def pace_of_flights(support: Support) -> float:
    """Times too fast, by all flights together: the weighted median of ½ log(g / 9.81), if they agree; else 1.

    A flight of 0.1 s tells g to 2 m/s², a longer one by its square better.
    """
    dt = support.need.dt
    flights = [
        f for f in support.flights if (f.end - f.start) * dt > LONG and support.in_one_piece(f.parabola)
    ]
    if not flights:
        return 1.0
    seconds = np.array([(f.end - f.start) * dt for f in flights])
    ratio = np.array([0.5 * np.log(f.parabola.gravity / EARTH) for f in flights])
    unsure = np.array([f.parabola.uncertainty / f.parabola.gravity for f in flights])
    weight = seconds / (unsure + 0.05)
    order = np.argsort(ratio)
    middle = float(ratio[order][np.searchsorted(np.cumsum(weight[order]), 0.5 * weight.sum())])
    agree = float(weight[np.abs(ratio - middle) < 0.15].sum() / weight.sum())
    short = float(np.median((0.1 / seconds) ** 2 / np.array([f.parabola.gravity for f in flights])))
    enough = 0.15 if abs(middle) < FAR_OFF else 0.1
    sure = abs(middle) > SURE + short and agree > 0.6 and seconds.sum() > enough
    return float(np.exp(middle)) if sure else 1.0


def _falls_right(support: Support) -> bool:
    """Whether it falls as things do for long enough to say that its pace is right."""
    need = support.need
    right = [abs(np.log(f.parabola.gravity / EARTH)) < RIGHT for f in support.flights]
    seconds = np.array([(f.end - f.start) * need.dt for f in support.flights])
    # A flight tells its gravity the better, by the square of how long it lasts.
    return bool(seconds[right].sum() > FALLEN and (seconds[right] ** 2).sum() > MOSTLY * (seconds**2).sum())


def unexplained_share(support: Support) -> tuple[float, int]:
    """Share of the time that is not explained, away from jumps of single frames, and how often strongly."""
    need = support.need
    x = need.positions
    jump = np.zeros(len(x))
    if len(x) > 8:
        jump[1:-1] = np.linalg.norm(x[1:-1] - 0.5 * (x[:-2] + x[2:]), axis=2).max(axis=1)
    torn = widened(jump > 0.03 * need.scale + 8 * np.median(jump), max(1, round(0.3 / need.dt)))
    u = np.where(torn[need.rows], 0.0, support.unexplained)
    tick = float((need.rows[1] - need.rows[0]) * need.dt) if len(need.rows) > 1 else need.dt
    return float((u > LOST).mean()), sum((b - a + 1) * tick > 0.06 for a, b in runs(u > 0.5))


def _steps_in_time(support: Support) -> bool:
    """Whether feet come down one after the other as those of walkers do, or in flights as those of runners:
    nobody steps so at half the pace."""
    need = support.need
    feet = {p for p, kind in zip(need.patches.part, need.patches.kind) if kind == FOOT}
    down = sorted(c.start for c in support.contacts if c.part in feet and c.start + need.lead > 1)
    apart = np.diff(down) * need.dt
    if need.clip.loop and len(down) > 1:
        apart = np.full(len(down), need.clip.frames * need.dt / len(down))
    slow = STEP * float(np.sqrt(need.scale))
    usual = float(np.median(apart)) if len(apart) else 0.0
    if len(apart) < (2 if need.clip.loop else 3):
        return False
    if slow < usual < STROLL * slow:
        return True
    return slow * JOG / STEP < usual <= slow and flies_between_steps(support, feet)


def flies_between_steps(support: Support, feet: set[str]) -> bool:
    """Whether one foot leaves before the next comes down, as those of runners do and those of walkers never,
    at whatever pace."""
    need = support.need
    own = sorted((c.start, c.end) for c in support.contacts if c.part in feet and c.start + need.lead > 1)
    if need.clip.loop:
        own += [(a + need.clip.frames, b + need.clip.frames) for a, b in own[:1]]
    return all(b < c for (_, b), (c, _) in pairwise(own))


def _all_over(support: Support) -> bool:
    """Whether what is left is left all over the clip, as a wrong rate does it, not about one quick moment: a
    reach that was put in, a blow."""
    need = support.need
    tick = float((need.rows[1] - need.rows[0]) * need.dt) if len(need.rows) > 1 else need.dt
    lost = widened(support.unexplained > LOST, max(1, round(AROUND / tick)))
    return bool(lost.mean() > (ALL_OVER if len(runs(lost)) > 1 else AT_ONCE))


def _steady(support: Support) -> float:
    """How much of what is left has a lasting direction, 0 … 1."""
    need = support.need
    tick = float((need.rows[1] - need.rows[0]) * need.dt) if len(need.rows) > 1 else need.dt
    force: Array = support.left[:, :3]
    slow = np.linalg.norm(low_passed(force, 0.265, tick), axis=1).mean()
    return float(slow / max(float(np.linalg.norm(force, axis=1).mean()), 1e-9))
