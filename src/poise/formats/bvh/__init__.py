"""BVH: skeleton and motion in one text file, as :mod:`~poise.formats.bvh.reader` explains."""

from poise.formats.bvh.reader import load
from poise.formats.bvh.writer import save

__all__ = ["load", "save"]
