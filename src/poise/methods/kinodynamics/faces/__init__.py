"""Living faces: morph-target animations on springs with shape matching, and targets they still meet."""

from poise.methods.kinodynamics.faces.face import Face
from poise.methods.kinodynamics.faces.flesh import Flesh
from poise.methods.kinodynamics.faces.loosen import loosen, state

__all__ = ["Face", "Flesh", "loosen", "state"]
