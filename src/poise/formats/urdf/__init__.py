"""URDF: robots as characters, through MuJoCo; read only.

Needs MuJoCo (``pip install 'poise[contact]'``).
"""

from poise.formats.urdf.reader import load

__all__ = ["load"]
