"""Living faces: morph-target animations on springs with shape matching, and targets they still meet."""

from poise.methods.kinodynamics.faces.face import Face
from poise.methods.kinodynamics.faces.flesh import PRESETS, Flesh
from poise.methods.kinodynamics.faces.hit import Result, hit
from poise.methods.kinodynamics.faces.loosen import loosen, state
from poise.methods.kinodynamics.faces.target import Target, checkpoints

__all__ = ["PRESETS", "Face", "Flesh", "Result", "Target", "checkpoints", "hit", "loosen", "state"]
