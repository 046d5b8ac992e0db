"""What is done when a motion is fixed."""

from __future__ import annotations

from poise.operations.fix import Fix
from poise.operations.situation import Situation
from poise.repair.fix import mend
from poise.repair.result import FixResult


def fix(asked: Fix, at: Situation) -> FixResult:
    """The motion with what a check finds repaired."""
    return mend(at.motion, asked, asked.surfaces(at.folder), at.progress)
