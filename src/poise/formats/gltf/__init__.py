"""glTF 2.0 and GLB: skeleton, skin, morph targets and animation, both ways.

glTF's y-up axes become ours by a permutation (see ``axes``); scales are baked into offsets and skin;
materials, textures and what else a skin needs to look the same are kept for writing back.
"""

from poise.formats.gltf.payload import GltfPayload
from poise.formats.gltf.reader import animation_names, load
from poise.formats.gltf.writer import losses, save

__all__ = ["GltfPayload", "animation_names", "load", "losses", "save"]
