"""Constraints: what a motion must do, as data, and reports on whether it does."""

from poise.constraints.constraint import Constraint, constrain
from poise.constraints.foot_plant import FootPlant, Place
from poise.constraints.pin import joined, keep_distance, path_of, pin
from poise.constraints.plane import above, on_plane
from poise.constraints.pose import balanced, oriented, pose
from poise.constraints.range import joint_limits, within
from poise.constraints.report import Outcome, Report, measure, measured
from poise.constraints.target import Fixed, Path, Target
from poise.constraints.velocity import at_rest, moving
from poise.constraints.when import Always, At, During, When

__all__ = [
    "Always",
    "At",
    "Constraint",
    "During",
    "Fixed",
    "FootPlant",
    "Outcome",
    "Path",
    "Place",
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
    "measured",
    "moving",
    "on_plane",
    "oriented",
    "path_of",
    "pin",
    "pose",
    "within",
]
