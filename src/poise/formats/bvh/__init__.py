"""BVH: skeleton and motion in one text file, as :mod:`~poise.formats.bvh.reader` explains."""

from poise.formats.bvh.reader import load
from poise.formats.bvh.writer import losses, save

__all__ = ["load", "losses", "save"]
