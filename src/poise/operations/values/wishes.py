"""Constraints and foot plants as options hold them: plain data, whose own reader checks it.

An entry may leave to the motion what only the motion knows (where a hand is at a time), so it becomes a
constraint when there is one. ``poise.constraints`` has both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from poise.errors import InputError

if TYPE_CHECKING:
    from poise.character import Character
    from poise.constraints import Constraint
    from poise.motion import Clip

Wish = dict[str, Any]
"""A constraint or a foot plant as files have them."""


def checked_wishes(entries: Any) -> list[Constraint]:
    """The constraints among entries, checked without a motion; a foot plant is refused."""
    from poise.constraints.entries import checked_entries

    return _constraints(checked_entries(entries, "constraints"))


def wishes_on(entries: Any, clip: Clip) -> list[Constraint]:
    """The constraints that entries are for a motion; a foot plant is refused."""
    from poise.constraints.entries import items

    return _constraints(items(entries, clip, "constraints"))


def by_role(entries: list[Any], character: Character) -> list[Any]:
    """Entries whose points may go by their roles ("right hand"), with the points' own names."""
    from poise.character.labels import point_named, roles

    known = roles(character)

    def named(data: Any) -> Any:
        if isinstance(data, dict):
            return {k: named(v) for k, v in data.items()}
        is_role = isinstance(data, str) and data not in character.points and data in known
        return point_named(character, data) if is_role else data

    return [
        entry | {"handle": named(entry["handle"])} if isinstance(entry, dict) and "handle" in entry else entry
        for entry in entries
    ]


def _constraints(found: Sequence[Any]) -> list[Constraint]:
    from poise.constraints import Constraint

    for number, item in enumerate(found):
        if not isinstance(item, Constraint):
            raise InputError(
                f"field 'constraints': entry {number}: foot plants cannot be hit; use adapt for them"
            )
    return list(found)
