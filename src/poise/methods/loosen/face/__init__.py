"""Living faces: morph-target animations on springs with shape matching, and targets they still meet."""

from poise.methods.loosen.face.face import Face
from poise.methods.loosen.face.hit import Result, hit
from poise.methods.loosen.face.loosen import loosen, state
from poise.methods.loosen.face.material import PRESETS, Flesh
from poise.methods.loosen.face.target import Target, checkpoints

__all__ = ["PRESETS", "Face", "Flesh", "Result", "Target", "checkpoints", "hit", "loosen", "state"]
