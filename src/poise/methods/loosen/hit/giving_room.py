"""Parts that touch give way to targets on their own limb.

A hand that leans is drawn to its animated place (``simulate.plants``). A target of the same limb says that it
is to be elsewhere: no correction moves an anchored hand, and without room the target would be out of reach.
So the anchor fades around the target's time, as anchors of held places come on (``hold``):

    w(t) (1 − eased(1 − |t − t₀| / ¼ width)).

What the body does as a whole (its centre of mass, its momentum) is no reason to let go of anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.constraints import Constraint
from poise.handles import AngularMomentum, CentreOfMass, LinearMomentum, RotationalInertia
from poise.methods.loosen.hit.correction import movers
from poise.methods.loosen.hit.hold import EASED
from poise.methods.loosen.simulate.amplitude import eased
from poise.methods.loosen.simulate.gains import WHOLE
from poise.methods.loosen.simulate.plants import Plant
from poise.motion import Clip
from poise.operations.values.bell import Bell

OF_ALL = CentreOfMass, LinearMomentum, AngularMomentum, RotationalInertia


def with_room(
    plants: tuple[Plant, ...], clip: Clip, constraints: Sequence[Constraint], shapes: Sequence[Bell]
) -> tuple[Plant, ...]:
    """The same parts; those on a limb with targets fade around these."""
    if not plants:
        return plants
    limb = [(b.side, WHOLE.get(b.limb, b.limb)) for b in clip.character.bodies]
    fades = [
        (limb[tip], _around(constraint.when.times(clip), EASED * shape.width, clip))
        for constraint, shape in zip(constraints, shapes)
        for tip in _tips(constraint, clip)
    ]
    return tuple(
        replace(plant, aimed=tuple(fade for which, fade in fades if which == limb[plant.body]))
        for plant in plants
    )


def _tips(constraint: Constraint, clip: Clip) -> list[int]:
    """Bodies at the ends of the chains that a constraint's handle feels."""
    character = clip.character
    if isinstance(constraint.handle, OF_ALL):
        return []
    frame = round(float(constraint.when.times(clip)[0]) * clip.fps) % clip.frames
    felt = np.unique(character.dof_body[movers(character, constraint, clip.q[frame], None)])
    return [int(body) for body in felt if not _below(character, int(body), felt)]


def _below(character: Character, body: int, felt: IntArray) -> bool:
    """Whether something below a body is felt too."""
    return bool(np.isin(character.subtree(body)[1:], felt).any())


def _around(times: Array, reach: float, clip: Clip) -> Callable[[Array], Array]:
    """1 at these times, eased to 0 within ``reach`` before and after [s]."""
    first, last, span = float(times[0]), float(times[-1]), clip.duration

    def weight(at: Array) -> Array:
        t = np.asarray(at, dtype=np.float64)
        if clip.loop:
            middle = 0.5 * (first + last)
            t = t - span * np.rint((t - middle) / span)
        return eased(1.0 - np.maximum(np.maximum(first - t, t - last), 0.0) / reach)

    return weight
