"""Constraints and foot plants from a JSON file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poise.constraints import Constraint, FootPlant
    from poise.motion import Clip


def read_items(path: Path, clip: Clip) -> list[Constraint | FootPlant]:
    """All entries of a file, checked against the clip; what is wrong is said by entry and field."""
    from poise.constraints.entries import items
    from poise.reading import blaming, read_json

    data = read_json(path)
    with blaming(path, "a list of constraints"):
        return items(data, clip, str(path))
