"""Repair: what a check finds wrong in a clip is mended by the smallest change, or left and said."""

from poise.repair.fix import REPAIRS, fix
from poise.repair.outcome import Outcome, Result

__all__ = ["REPAIRS", "Outcome", "Result", "fix"]
