"""Physically plausible keyframing: mass, inertia and momentum as handles, templates that know physics."""

from poise.methods.keyframing.bake import Baked
from poise.methods.keyframing.drag import drag
from poise.methods.keyframing.easing import EASINGS
from poise.methods.keyframing.evaluation import Evaluated
from poise.methods.keyframing.hint import Hint
from poise.methods.keyframing.inertia_track import InertiaTrack
from poise.methods.keyframing.key import Key
from poise.methods.keyframing.path import Path
from poise.methods.keyframing.path_key import PathKey
from poise.methods.keyframing.pin import Pin, hold
from poise.methods.keyframing.pose_solver import PoseSolver, Solved
from poise.methods.keyframing.pose_values import pose
from poise.methods.keyframing.reroot import free_joints, included
from poise.methods.keyframing.solve import PoseResult, solve
from poise.methods.keyframing.spin import Rotation, Spin, rotated
from poise.methods.keyframing.task import Task
from poise.methods.keyframing.templates import (
    Hermite,
    Pendulum,
    ProjectileI,
    ProjectileII,
    ProjectileIII,
    Template,
)
from poise.methods.keyframing.track import Track
from poise.methods.keyframing.tracks import Tracks

__all__ = [
    "EASINGS",
    "Baked",
    "Evaluated",
    "Hermite",
    "Hint",
    "InertiaTrack",
    "Key",
    "Path",
    "PathKey",
    "Pendulum",
    "Pin",
    "PoseResult",
    "PoseSolver",
    "ProjectileI",
    "ProjectileII",
    "ProjectileIII",
    "Rotation",
    "Solved",
    "Spin",
    "Task",
    "Template",
    "Track",
    "Tracks",
    "drag",
    "free_joints",
    "hold",
    "included",
    "pose",
    "rotated",
    "solve",
]
