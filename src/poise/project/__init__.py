"""Projects: a stack of layers over clips, in one file; every edit a command, every result on demand.

Examples:
    >>> project = poise.project.Project().add_clip("walk", "walk").add("load", clip="walk")
"""

from poise.operations.result import Result
from poise.project.bake import Baked, bake
from poise.project.clip_entry import ClipEntry
from poise.project.command import Command
from poise.project.commands import (
    COMMANDS,
    AddLayer,
    Become,
    DropClip,
    DropSurface,
    Group,
    Insert,
    MoveLayer,
    PutClip,
    PutSurface,
    Remove,
    RemoveLayer,
    RenameLayer,
    Set,
    SetField,
    SetWorld,
    command_from,
)
from poise.project.document import VERSION, Document
from poise.project.evaluation import Evaluator
from poise.project.history import History
from poise.project.layer import LAYERS, Layer
from poise.project.lock import LockedError
from poise.project.opening import open_project as open
from poise.project.project import Project
from poise.project.recovery import Recovery

__all__ = [
    "COMMANDS",
    "LAYERS",
    "VERSION",
    "AddLayer",
    "Baked",
    "Become",
    "ClipEntry",
    "Command",
    "Document",
    "DropClip",
    "DropSurface",
    "Evaluator",
    "Group",
    "History",
    "Insert",
    "Layer",
    "LockedError",
    "MoveLayer",
    "Project",
    "PutClip",
    "PutSurface",
    "Recovery",
    "Remove",
    "RemoveLayer",
    "RenameLayer",
    "Result",
    "Set",
    "SetField",
    "SetWorld",
    "bake",
    "command_from",
    "open",
]
