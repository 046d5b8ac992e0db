"""Hands that are near each other, or near the own head, hips or knees, stay so: claps, hands on hips.

While the source's are near, the distance from one to the other is that of the source, scaled, within τ:

    τ = TOLERANCE · min(1, d / HALF)        of the leg's length, d the source's distance

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
OTHERS = ("head", "hips", "left shin", "right shin")


def near_hands(transfer: Transfer, start: Clip) -> list[Constraint]:
    """What keeps hands near what they are near of."""
    known, places = transfer.pairing.roles(), transfer.source.positions
    here = Kinematics(start.character, start.q).positions
    pairs = [("left hand", "right hand")]
    pairs += [(f"{side} hand", other) for side in ("left", "right") for other in OTHERS]
    leg, made = leg_length(transfer.pairing.source), []
    times, names = np.asarray(start.times), start.character.names
    for hand, other in pairs:
        if hand not in known or other not in known:
            continue
        (a, to), (b, by) = known[hand], known[other]
        apart = np.linalg.norm(places[:, a] - places[:, b], axis=1) / leg
        goal = nearer(here[:, to] - here[:, by], apart, transfer.scale * leg)
        for first, last in runs(apart < GONE):
            inside = times[first : last + 1][apart[first : last + 1] < NEAR]
            if not len(inside) or inside[-1] - inside[0] < BRIEF:
                continue
            span = slice(first, last + 1)
            made.append(
                constrain(
                    PointDifference(names[by], names[to]),
                    Path(times[span], goal[span]),
                    During(float(times[first]), float(times[last])),
                    name=f"{hand} near {other} from {times[first]:.2f} s",
                    tolerance=MISSED * transfer.scale * leg,
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
