"""FBX, binary 7.x, without Autodesk's library: read as a scene of nodes, written with skin and motion.

Every rotation order, pre- and post-rotations, pivots, geometric transforms, inherited scales, units and axes,
several takes, keys with tangents, skins, blend shapes and plain colours are understood.
"""

from poise.formats.fbx.reader import load
from poise.formats.fbx.writer import left_behind, losses, save

__all__ = ["left_behind", "load", "losses", "save"]
