"""Constraints: what a motion must do, as data, and reports on whether it does.

Examples:
    >>> mark = poise.constraints.pin("RightHandCentre", (0.9, 0.0, 1.36), 0.85)
"""

from poise.constraints.constraint import Constraint, constrain
from poise.constraints.foot_plant import FootPlace, FootPlant
from poise.constraints.pin import joined, keep_distance, path_of, pin
from poise.constraints.plane import above, on_plane
from poise.constraints.pose import balanced, oriented, pose
from poise.constraints.range import joint_limits, within
from poise.constraints.report import Outcome, Report, measure, outcome, report_on
from poise.constraints.target import Fixed, Origin, Path, Target
from poise.constraints.velocity import at_rest, moving
from poise.constraints.when import Always, At, During, When

__all__ = [
    "Always",
    "At",
    "Constraint",
    "During",
    "Fixed",
    "FootPlace",
    "FootPlant",
    "Origin",
    "Outcome",
    "Path",
    "Report",
    "Target",
    "When",
    "above",
    "at_rest",
    "balanced",
    "constrain",
    "joined",
    "joint_limits",
    "keep_distance",
    "measure",
    "moving",
    "on_plane",
    "oriented",
    "outcome",
    "path_of",
    "pin",
    "pose",
    "report_on",
    "within",
]
