"""MJCF: MuJoCo's models as characters, their keyframes as frames; both ways.

Needs MuJoCo (``pip install 'poise[contact]'``).
"""

from poise.formats.mjcf.reader import MjcfPayload, load
from poise.formats.mjcf.writer import losses, save

__all__ = ["MjcfPayload", "load", "losses", "save"]
