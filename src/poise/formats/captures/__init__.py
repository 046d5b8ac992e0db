"""Captures of markers and forces: C3D, and OpenSim's text tables TRC and MOT.

As clips they are fitted with a character when they are loaded; as they are, ``load_markers`` reads them.
"""

from poise.formats.captures.files import CAPTURES, is_capture, load_markers, save_markers
from poise.formats.captures.fitted import load, losses, save

__all__ = ["CAPTURES", "is_capture", "load", "load_markers", "losses", "save", "save_markers"]
