"""The bone that carries what is worn."""

from __future__ import annotations

from poise.character import Character
from poise.character.labels import roles
from poise.errors import InputError
from poise.operations.wear import BUNDLED, Wear


def bone_of(character: Character, asked: Wear) -> int:
    """By its name, by its role, or by what is worn."""
    known = roles(character)
    if asked.to is not None:
        return known[asked.to] if asked.to in known and asked.to not in character.names else character.index(
            asked.to
        )  # fmt: skip
    role = BUNDLED.get(asked.mesh, "head")
    if role not in known:
        raise InputError(
            f"field 'to': no bone of {character.name or 'this character'} is known as its {role}: name the "
            f"one that carries it ({', '.join(character.names[:6])}, …)"
        )
    return known[role]
