"""Scenes that show what the method can do."""

from poise.errors import UnknownNameError
from poise.methods.plan.scene.bundled import biped, camel, lamp
from poise.methods.plan.scene.scene import Scene

SCENES = {
    "four punches": biped.four_punches,
    "walk": biped.walk,
    "side jump": biped.side_jump,
    "somersault": biped.somersault,
    "camel skating": camel.skating,
    "camel hand stand": camel.hand_stand,
    "lamp jump": lamp.jump,
    "lamp somersault": lamp.somersault,
}


def get(name: str) -> Scene:
    """The scene of that name."""
    if name not in SCENES:
        raise UnknownNameError("scene", name, SCENES)
    return SCENES[name]()


__all__ = ["SCENES", "get"]
