"""Hands that are near each other, or near the own head, trunk or knees, stay so: claps, hands on hips.

While the source's are near, the distance from one to the other is that of the source, scaled, within τ:

    τ = TOLERANCE · min(1, d / HALF)        of the leg's length, d the source's distance

Of the trunk it is the place as high on its line (``trunk``) as the one next to the source's hand; distances
from it scale as shoulders and arms do.
Hands that touch meet; those that are a hand apart only come as near as they must, and arms keep their angles.
Where hands come and go (from ``NEAR`` to ``GONE``) what is asked for fades, so nothing jumps.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.constraints import Constraint, During, Path, constrain
from poise.contacts.differentiated_clip import runs
from poise.handles import PointDifference
from poise.kinematics import Kinematics
from poise.methods.adapt.plants.detect import leg_length
from poise.methods.adapt.retarget.transfer import Transfer
from poise.methods.adapt.retarget.trunk import span, trunk
from poise.motion import Clip

NEAR, GONE = 0.25, 0.32
"""Nearer than the first, over the leg's length, two points belong together; farther than the second, not."""
BRIEF = 0.15
"""For at least so long [s]."""
TOLERANCE, HALF = 0.08, 0.125
"""How far the distance may be off where it is ``HALF`` or more, over the leg's length; less the nearer."""
MISSED = 0.1
"""How far off is told, over the leg's length."""
WEIGHT = 0.5
"""Beside a foot that stands, 1."""
OTHERS = ("head", "left shin", "right shin")


def near_hands(transfer: Transfer, start: Clip) -> list[Constraint]:
    """What keeps hands near what they are near of."""
    known, there = transfer.pairing.roles(), transfer.source.positions
    here = Kinematics(start.character, start.q).positions
    pairs = [("left hand", "right hand")]
    pairs += [(f"{side} hand", other) for side in ("left", "right") for other in OTHERS]
    made = []
    for hand, other in pairs:
        if hand in known and other in known:
            (a, to), (b, by) = known[hand], known[other]
            ways = there[:, a] - there[:, b], here[:, to] - here[:, by]
            made += _kept(transfer, start, (hand, other), (to, by), ways, np.zeros(3), transfer.scale)
    figures = [(at, {r: both[k] for r, both in known.items()}) for k, at in enumerate((there, here))]
    lines, spans = [trunk(*figure) for figure in figures], [span(*figure) for figure in figures]
    for hand in ("left hand", "right hand"):
        if hand not in known or "hips" not in known or lines[0] is None or lines[1] is None:
            continue
        (a, to), by = known[hand], known["hips"][1]
        share = lines[0].share(there[:, a])
        own = lines[1].at(share)
        ways = there[:, a] - lines[0].at(share), here[:, to] - own
        larger = spans[1] / spans[0] if min(spans) > 0 else transfer.scale
        made += _kept(transfer, start, (hand, "trunk"), (to, by), ways, own - here[:, by], larger)
    return made


def _kept(
    transfer: Transfer,
    start: Clip,
    names: tuple[str, str],
    ends: tuple[int, int],
    ways: tuple[Array, Array],
    offset: Array,
    scale: float,
) -> list[Constraint]:
    """A hand kept near something, wherever it is near: ``ways`` from there to the hand, of source and target
    (F, 3), ``ends`` the bodies of the target's hand and of what it is seen from, ``offset`` the way from that
    to what it is near of (3,) or (F, 3), ``scale`` of distances."""  # fmt: skip
    leg, made = leg_length(transfer.pairing.source), []
    times, bodies = np.asarray(start.times), start.character.names
    apart = np.linalg.norm(ways[0], axis=1) / leg
    goal = nearer(ways[1], apart, scale * leg) + offset
    for first, last in runs(apart < GONE):
        inside = times[first : last + 1][apart[first : last + 1] < NEAR]
        if not len(inside) or inside[-1] - inside[0] < BRIEF:
            continue
        span = slice(first, last + 1)
        made.append(
            constrain(
                PointDifference(bodies[ends[1]], bodies[ends[0]]),
                Path(times[span], goal[span]),
                During(float(times[first]), float(times[last])),
                name=f"{names[0]} near {names[1]} from {times[first]:.2f} s",
                tolerance=MISSED * scale * leg,
                weight=WEIGHT,
                priority=1,
            )
        )
    return made


def nearer(way: Array, apart: Array, leg: float) -> Array:
    """Ways (F, 3) [m] made as long as they must be, for the source's distances (F,) in legs."""
    length = np.linalg.norm(way, axis=1) / leg
    room = TOLERANCE * np.minimum(1.0, apart / HALF)
    fade = np.clip((GONE - apart) / (GONE - NEAR), 0.0, 1.0)
    wanted = np.clip(length, np.maximum(apart - room, 0.0), apart + room)
    share = 1.0 + fade * (wanted / np.maximum(length, 1e-9) - 1.0)
    return np.asarray(share[:, None] * way)
