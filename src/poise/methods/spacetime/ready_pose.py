"""Reference poses to move from: a character at ease, or crouched and ready."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError
from poise.methods.spacetime.affine_figure import AffineFigure
from poise.methods.spacetime.hold import Hold, as_holds
from poise.methods.spacetime.projection import Places, current_places, hold_exactly


def ready_pose(
    character: Character, feet: Sequence[Hold | str], *, lower: float, pose: Array | None = None
) -> Array:
    """The pose (rest by default) with its root lowered by so much [m] while what it stands on stays, (nq,).

    Legs that are to push need room to stretch: jump from a reference pose with bent knees.
    """
    q = character.rest_pose() if pose is None else np.asarray(pose, dtype=np.float64)
    feet = as_holds(character, feet)
    root = Hold(character.names[0])
    held = current_places(character, q, [*feet, root])
    figure = AffineFigure(character, q)
    steps = max(1, int(np.ceil(abs(lower) / 0.03)))
    for step in range(1, steps + 1):  # little by little, so that knees bend the way they already are bent
        places = held.positions.copy()
        places[-1, 2] -= lower * step / steps
        q, _, left = hold_exactly(
            figure, np.atleast_2d(q), Places(held.holds, places, held.rotations), most=40
        )
    if left > 1e-9:
        raise InputError(f"{character.name!r} cannot be lowered by {lower:g} m with its feet in place")
    return np.asarray(q[0])
