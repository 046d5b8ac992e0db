"""glTF 2.0 and GLB: skeleton, skin, morph targets and animation, both ways.

glTF's y-up axes become ours by a permutation (see ``axes``); scales are baked into offsets, skin and motion.
A clip keeps its file: written again, only its animation changes there (see ``editing``).
"""

from poise.formats.gltf.reader import animation_names, load
from poise.formats.gltf.writer import left_behind, losses, save

__all__ = ["animation_names", "left_behind", "load", "losses", "save"]
