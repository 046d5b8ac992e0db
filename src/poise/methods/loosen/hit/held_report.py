"""Why a place could not be held, in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.kinematics import Kinematics
from poise.methods.loosen.glitches import spins
from poise.methods.loosen.hit.hold import Hold, chain_length
from poise.methods.loosen.simulate.gains import path_to
from poise.methods.loosen.simulate.simulator import Simulator
from poise.motion import Clip

STRAIGHT = 0.998
"""A limb that spans so much of its length is straight: within 4° at its middle joint."""
BEFORE = 0.5
"""A glitch so long before a frame [s] is still felt there."""


def why_not_held(simulator: Simulator, hold: Hold, clip: Clip, others: Sequence[Hold]) -> str:
    """Of the frame at which a hold is farthest off in the clip that is handed out."""
    character = clip.character
    chain = path_to(character, hold.body)
    links = character.tree.link
    if all(simulator.held.prescribed[links[body]] for body in chain):
        return "out of reach: no joint that carries it may move"
    kin = Kinematics(character, clip.q[hold.frames])
    apart = np.linalg.norm(kin.point(hold.point) - hold.goal, axis=1)
    worst = int(apart.argmax())
    base, long = kin.positions[worst, hold.top], chain_length(character, hold.point, hold.top)
    need = float(np.linalg.norm(hold.goal[worst] - base))
    span = float(np.linalg.norm(kin.point(hold.point)[worst] - base))
    frame = int(hold.frames[worst])
    if need > STRAIGHT * long and (span > STRAIGHT * long or need > long):
        name = character.names[hold.top]
        by = max(need - long, 0.0)
        far = f"{1e3 * by:.1f} mm" if by < 1.0 else f"{by:.2f} m"
        words = f"out of reach by {far}" if by > 0.0 else "at the very end of its reach"
        return (
            f"{words} at frame {frame}: it is {need:.3f} m from {name}, and straight the limb is {long:.3f} m"
        )
    near = [
        s for s in spins(simulator.clip) if 0 <= (frame - s.frame) * clip.dt <= BEFORE and s.body in chain
    ]
    if near:
        return f"glitch: {max(near, key=lambda s: s.speed)}"
    limb = {other.constraint.name for other in others if other is not hold and other.top == hold.top}
    if limb:
        return f"in conflict with {', '.join(sorted(limb))}"
    return f"at frame {frame} the limb does not settle there: give it more time to come on (width)"
