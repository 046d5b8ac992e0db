"""Hands that are near each other, or near the own head, hips or knees, stay so: claps, hands on hips.

While the source's are nearer than ``NEAR`` leg lengths, the way from one to the other is that of the source,
scaled. Elsewhere arms keep their angles and hands their places beside the shoulders.
"""

from __future__ import annotations

import numpy as np

from poise.constraints import Constraint, During, Path, constrain
from poise.contacts.differentiated_clip import runs
from poise.handles import PointDifference
from poise.methods.adapt.plants.detect import leg_length
from poise.methods.adapt.retarget.transfer import Transfer
from poise.motion import Clip

NEAR = 0.25
"""Nearer than this, over the leg's length, two points belong together."""
BRIEF = 0.15
"""For at least so long [s]."""
TOLERANCE = 0.1
"""How far the way between them may be off, over the leg's length."""
WEIGHT = 0.5
"""Beside a foot that stands, 1."""
OTHERS = ("head", "hips", "left shin", "right shin")


def near_hands(transfer: Transfer, start: Clip) -> list[Constraint]:
    """What keeps hands near what they are near of."""
    known, places = transfer.pairing.roles(), transfer.source.positions
    pairs = [("left hand", "right hand")]
    pairs += [(f"{side} hand", other) for side in ("left", "right") for other in OTHERS]
    leg, made = leg_length(transfer.pairing.source), []
    times, names = np.asarray(start.times), start.character.names
    for hand, other in pairs:
        if hand not in known or other not in known:
            continue
        (a, to), (b, by) = known[hand], known[other]
        way = places[:, a] - places[:, b]
        close = np.linalg.norm(way, axis=1) < NEAR * leg
        for first, last in runs(close):
            if times[last] - times[first] < BRIEF:
                continue
            span = slice(first, last + 1)
            made.append(
                constrain(
                    PointDifference(names[by], names[to]),
                    Path(times[span], transfer.scale * way[span]),
                    During(float(times[first]), float(times[last])),
                    name=f"{hand} near {other} from {times[first]:.2f} s",
                    tolerance=TOLERANCE * transfer.scale * leg,
                    weight=WEIGHT,
                    priority=1,
                )
            )
    return made
