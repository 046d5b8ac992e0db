"""What is done when a motion is checked."""

from __future__ import annotations

from poise.operations.check import Check
from poise.operations.situation import Situation
from poise.plausibility.judge import judge
from poise.plausibility.result import CheckResult


def check(asked: Check, at: Situation) -> CheckResult:
    """What in the motion real bodies do not do."""
    return CheckResult(at.motion, judge(at.motion, asked, asked.surfaces(at.folder)))
