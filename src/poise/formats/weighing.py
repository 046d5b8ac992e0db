"""Masses of characters whose files hold none: the option ``mass`` of every reader that has to guess them.

| mass                          | what is done                                            |
|-------------------------------|---------------------------------------------------------|
| True                          | masses the file itself gives, else guessed              |
| False                         | none                                                    |
| a number [kg]                 | the same as True, the whole scaled to this              |
| "table", "skin", "capsules"   | guessed by this method (see ``poise.character.masses``) |

A figure of more than 30 m or less than 3 cm is one read in the wrong unit. Its volume would make it a
million times too heavy, so its masses are those of the same figure at the likeliest size (a power of
ten away), spread over the size it has: m, centre / s, inertia / s². Motion does not depend on the total
mass (nor on the unit it is guessed in), only on how it is shared out, so such a character still
simulates; a note says what to load it with
(``size_notes``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from poise.character import Body, Character, Mass
from poise.character.skin import MorphTarget
from poise.errors import InputError, UnknownNameError

MassOption = bool | float | str
METHODS = ("table", "skin", "capsules")
LARGEST, SMALLEST = 30.0, 0.03
"""Sizes of a figure beyond which its unit must be wrong [m]."""
_USUAL = 1.7  # [m]
_POWERS = (1e-3, 1e-2, 1e-1, 1e1, 1e2, 1e3)
"""Factors that lengths are tried with: units are powers of ten of a metre."""


@dataclass(frozen=True)
class Weighing:
    """What a caller said about masses."""

    method: str = "auto"
    total: float | None = None
    wanted: bool = True

    @classmethod
    def of(cls, mass: object) -> Weighing:
        """The checked option; anything but the four kinds above is refused."""
        if isinstance(mass, (bool, np.bool_)):
            return cls(wanted=bool(mass))
        if isinstance(mass, (int, float, np.number)):
            if not (math.isfinite(mass) and mass > 0):
                raise InputError(f"mass must be a positive number of kilograms, not {mass!r}")
            return cls(total=float(mass))
        if isinstance(mass, str):
            if mass not in METHODS:
                raise UnknownNameError("method for masses", mass, METHODS)
            return cls(method=mass)
        listed = ", ".join(map(repr, METHODS))
        raise InputError(f"mass must be True, False, a number of kilograms or one of {listed}, not {mass!r}")

    def __call__(self, character: Character) -> Character:
        """The character with limbs labelled and masses as wanted."""
        from poise.character.labels import labelled
        from poise.character.masses import with_guessed_masses
        from poise.character.skin_masses import why_not_solid

        if not self.wanted:
            return character
        character = labelled(character)
        if self == Weighing() and character.mass_source != "none":
            return character
        if self.method == "skin" and (problem := why_not_solid(character)) is not None:
            raise InputError(f"masses cannot come from the skin of {character.name!r}: {problem}")
        scale = likelier_scale(character)
        if self.total is not None or scale == 1.0:
            return with_guessed_masses(character, total=self.total, method=self.method)
        twin = with_guessed_masses(_resized(character, scale), method=self.method)
        masses = [
            Mass(b.mass.mass, np.asarray(b.mass.centre) / scale, np.asarray(b.mass.inertia) / scale**2)
            for b in twin.bodies
        ]
        notes = [
            *twin.notes[len(character.notes) :],
            f"masses are those of the figure at {scale:g} times its size, {twin.total_mass:.3g} kg in all",
        ]
        return character.with_masses(masses, twin.mass_source, notes)


def likelier_scale(character: Character) -> float:
    """How many times its size a figure should have: 1, or a power of ten where its unit must be wrong."""
    size = figure_size(character)
    if size == 0.0 or SMALLEST <= size <= LARGEST:
        return 1.0
    return min(_POWERS, key=lambda s: abs(math.log(size) + math.log(s / _USUAL)))


def size_notes(character: Character, unit: float) -> list[str]:
    """A remark on a figure whose unit must be wrong; ``unit`` [m] is what it was read with."""
    scale, size = likelier_scale(character), figure_size(character)
    if scale == 1.0:
        return []
    return [f"the skeleton is {size:.3g} m long: if its unit is wrong, load it with scale={unit * scale:.6g}"]


def figure_size(character: Character) -> float:
    """The longest side of the box around all joints and points at rest [m]; 0 for a single joint."""
    at, turns = character.rest_placement()
    spots = [*at, *(at[p.body] + turns[p.body] @ p.position for p in character.points.values())]
    return float(np.ptp(spots, axis=0).max())


def _resized(character: Character, scale: float) -> Character:
    """The same character ``scale`` times as large, for weighing: solids and looks are left out."""

    def smaller(body: Body) -> Body:
        points = {name: scale * np.asarray(p) for name, p in body.points.items()}
        return body.replaced(offset=scale * np.asarray(body.offset), points=points, shapes=())

    skin = character.skin
    if skin is not None:
        bind = np.array(skin.inverse_bind)
        bind[:, :3, 3] *= scale
        skin = replace(
            skin,
            vertices=scale * np.asarray(skin.vertices),
            inverse_bind=bind,
            morphs=tuple(MorphTarget(m.name, m.indices, scale * m.deltas) for m in skin.morphs),
        )
    return character.with_bodies([smaller(b) for b in character.bodies], skin=skin)
