"""USD (UsdSkel): skeletons, skins, blend shapes and animation, both ways, through usd-core.

Skeletons and their animation are read with whatever joint order, unit, up axis and instancing a stage has;
see ``scene`` for how bindings are understood, and ``stage`` for what a file may refer to.
"""

from poise.formats.usd.reader import load
from poise.formats.usd.writer import joint_paths, losses, save

__all__ = ["joint_paths", "load", "losses", "save"]
