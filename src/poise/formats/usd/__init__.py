"""USD (UsdSkel): skeletons, skins, blend shapes and animation, both ways, through usd-core.

Skeletons and their animation are read with whatever joint order, unit, up axis and instancing a stage has;
see ``scene`` for how bindings are understood, ``stage`` for what a file may refer to, and ``editing`` for
what is written over or beside the file that a clip came from.
"""

from poise.formats.usd.editing import left_behind
from poise.formats.usd.reader import load
from poise.formats.usd.writer import joint_paths, losses, save

__all__ = ["joint_paths", "left_behind", "load", "losses", "save"]
