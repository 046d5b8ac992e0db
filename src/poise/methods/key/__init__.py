"""Physically plausible keyframing: mass, inertia and momentum as handles, templates that know physics."""

from poise.methods.key.frames.bake import Baked
from poise.methods.key.frames.evaluate import Evaluated
from poise.methods.key.path.hint import Hint
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.path import Path
from poise.methods.key.path.templates import (
    Hermite,
    Pendulum,
    ProjectileI,
    ProjectileII,
    ProjectileIII,
    Template,
)
from poise.methods.key.pose.drag import drag
from poise.methods.key.pose.local_root import free_joints, included
from poise.methods.key.pose.solve import PoseResult, solve
from poise.methods.key.pose.solver import PoseSolver, Solved
from poise.methods.key.pose.task import Task
from poise.methods.key.pose.values import pose
from poise.methods.key.sheet.easing import EASINGS
from poise.methods.key.sheet.inertia import InertiaTrack
from poise.methods.key.sheet.key import Key
from poise.methods.key.sheet.keyframes import Tracks
from poise.methods.key.sheet.pin import Pin, hold
from poise.methods.key.sheet.track import Track
from poise.methods.key.spin.spin import Rotation, Spin, rotated

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
