"""Constraints and foot plants from a JSON file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from poise.errors import InputError

if TYPE_CHECKING:
    from poise.constraints import Constraint, FootPlant
    from poise.motion import Clip


def read_items(path: Path, clip: Clip) -> list[Constraint | FootPlant]:
    """All entries of a file, checked against the clip; what is wrong is said by entry and field."""
    from poise.constraints.entries import items

    try:
        data = json.loads(path.read_text())
    except OSError as problem:
        raise InputError(f"{path}: {problem.strerror}") from None
    except ValueError as problem:
        raise InputError(f"{path}: not JSON: {problem}") from None
    return items(data, clip, str(path))
