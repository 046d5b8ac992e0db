"""Masses for a character that came without any: from a table, from its skin, from capsules.

| method     | needs                                   | source noted          |
|------------|-----------------------------------------|-----------------------|
| "table"    | a humanoid skeleton                     | "anthropometric table" |
| "skin"     | a closed skin                           | "skin volume"         |
| "capsules" | nothing                                 | "capsules"            |
| "auto"     | keeps given masses; else the first above that fits | any of these |

Whatever the source, every body at the end of a chain gets mass and inertia, for a joint that
carries nothing has no defined acceleration.
"""

from __future__ import annotations

import numpy as np

from poise.character.body import Mass
from poise.character.capsule_masses import bone_ends, capsule_masses, skeleton_size
from poise.character.character import Character
from poise.character.skin_masses import skin_masses, why_not_solid
from poise.character.table_masses import table_masses, why_not_human
from poise.errors import InputError, UnknownNameError

METHODS = ("auto", "table", "skin", "capsules")
_LEAST_SHARE = 2e-5
"""Of the total mass, for a body at the end of a chain that would otherwise have none."""


def with_guessed_masses(
    character: Character, *, total: float | None = None, method: str = "auto", sex: str = "male"
) -> Character:
    """The same character with masses; ``mass_source`` and ``notes`` say how they were found.

    ``total`` [kg] fixes the mass of the whole; without it the table goes by the body mass index,
    skin and capsules by the density of water. ``sex`` chooses the table. ``"auto"`` leaves masses
    that are given as they are (scaled to ``total`` if that is given too).
    """
    if method not in METHODS:
        raise UnknownNameError("method for masses", method, METHODS)
    if total is not None and not (np.isfinite(total) and total > 0):
        raise InputError(f"the total mass must be positive and finite, not {total}")
    notes: list[str] = []
    given = character.mass_source != "none" and character.total_mass > 0
    if method == "auto" and given:
        masses, source = [b.mass for b in character.bodies], character.mass_source
        if total is not None:
            masses = [m.scaled(total / character.total_mass) for m in masses]
            notes.append(f"given masses scaled to {total:g} kg")
    else:
        masses, source, notes = _guessed(character, total, method, sex)
    masses, filled = _with_heavy_leaves(character, masses)
    if filled:
        listed = ", ".join(filled[:4]) + (f" and {len(filled) - 4} more" if len(filled) > 4 else "")
        notes.append(f"a token mass was put on: {listed}")
    return character.with_masses(masses, source, notes)


def _guessed(
    character: Character, total: float | None, method: str, sex: str
) -> tuple[list[Mass], str, list[str]]:
    notes: list[str] = []
    if method in ("auto", "table"):
        problem = why_not_human(character) if method == "auto" else None
        if problem is None:
            masses, said = table_masses(character, total=total, sex=sex)
            return masses, "anthropometric table", said
        if character.skin is None:
            notes.append(f"not taken for a human figure: {problem}")
    if method in ("auto", "skin"):
        problem = why_not_solid(character)
        if problem is None:
            masses, said = skin_masses(character, total=total)
            return masses, "skin volume", [*notes, *said]
        if method == "skin" or character.skin is not None:
            notes.append(f"masses could not come from the skin: {problem}")
    masses = capsule_masses(character, total=total)
    return (
        masses,
        "capsules",
        [*notes, f"masses by capsules along the bones ({sum(m.mass for m in masses):.3g} kg)"],
    )


def _with_heavy_leaves(character: Character, masses: list[Mass]) -> tuple[list[Mass], list[str]]:
    """Every leaf with positive mass and inertia; the total stays what it was."""
    whole = sum(m.mass for m in masses)
    parents = {int(p) for p in character.parents}
    size = skeleton_size(character)
    filled: list[int] = []
    out = list(masses)
    for i in range(len(masses)):
        moments = np.linalg.eigvalsh(np.asarray(masses[i].inertia))
        if i in parents or (masses[i].mass > 0 and moments[0] > 0):
            continue
        ends = bone_ends(character, i)
        centre = 0.5 * ends[0] if ends else np.zeros(3)
        heavy = max(masses[i].mass, _LEAST_SHARE * whole)
        if masses[i].mass > 0:
            centre = np.asarray(masses[i].centre)
        out[i] = Mass(heavy, centre, np.eye(3) * heavy * 0.4 * (0.01 * size) ** 2)
        filled.append(i)
    if filled:
        others = sorted(set(range(len(out))) - set(filled))
        rest, before = whole - sum(out[i].mass for i in filled), sum(masses[i].mass for i in others)
        for i in others if before > 0 else ():
            out[i] = masses[i].scaled(rest / before)
    return out, [character.names[i] for i in filled]
