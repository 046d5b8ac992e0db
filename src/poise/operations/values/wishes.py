"""Constraints and foot plants as options hold them: plain data, whose own reader checks it.

An entry may leave to the motion what only the motion knows (where a hand is at a time), so it becomes a
constraint when there is one. ``poise.constraints`` has both.
"""

from __future__ import annotations

from typing import Any

from poise.errors import InputError

Wish = dict[str, Any]
"""A constraint or a foot plant as files have them."""


def points_to_meet(entries: Any, *, what: str = "hit") -> list[Any]:
    """The constraints among checked entries; a foot plant is refused."""
    from poise.constraints.entries import checked_entries

    found = checked_entries(entries, "constraints")
    refuse_plants(found, what)
    return found


def refuse_plants(found: list[Any], what: str = "hit") -> None:
    """Foot plants hold feet to the ground; only whole motions are changed by them."""
    from poise.constraints import Constraint

    for number, item in enumerate(found):
        if not isinstance(item, Constraint):
            raise InputError(
                f"field 'constraints': entry {number}: foot plants cannot be used with {what}; use adapt"
            )
