"""What stays where it is while a segment lasts: planted feet, a lamp's base, a hand on a wall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import UnknownNameError
from poise.methods.plan.model.affine_figure import CENTRE, AffineFigure


@dataclass(frozen=True)
class Hold:
    """A body held in place and orientation, or a point (or ``"com"``) held in place only."""

    what: str
    """Name of a body, of a point on a body, or ``"com"``."""
    turn: bool | None = None
    """Whether the orientation is held too. By default that of a body is, that of a point is not."""

    def turns(self, character: Character) -> bool:
        """Whether the orientation is held."""
        return self.turn if self.turn is not None else self.what in character.names


def as_holds(character: Character, holds: Sequence[Hold | str]) -> tuple[Hold, ...]:
    """Holds given as such or by name; names are checked."""
    found = tuple(h if isinstance(h, Hold) else Hold(h) for h in holds)
    for hold in found:
        if hold.what != CENTRE and hold.what not in character.points:
            raise UnknownNameError(
                "body or point to hold", hold.what, [*character.points, CENTRE], where=character.name
            )
    return found


def columns(figure: AffineFigure, holds: Sequence[Hold]) -> Array:
    """Columns A of 𝐖 A = P, (1 + 3n, k)."""
    found = []
    for hold in holds:
        found.append(figure.column(hold.what)[:, None])
        if hold.turns(figure.character):
            found.append(figure.turn_columns(figure.body(hold.what)))
    return np.concatenate(found, axis=1)


def rows(figure: AffineFigure, holds: Sequence[Hold]) -> Array:
    """Rows J of J u = 0 for small displacements u of the joints, (r, nv)."""
    found = []
    for hold in holds:
        if hold.what == CENTRE:
            found.append(figure.kin.com_jacobian[0])
        else:
            found.append(figure.kin.point_jacobian(hold.what)[0])
        if hold.turns(figure.character):
            found.append(figure.turning[figure.body(hold.what)])
    return np.concatenate(found)
