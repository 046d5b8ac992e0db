"""Scenes that show what the method can do."""

from collections.abc import Mapping
from typing import Any

from poise.errors import UnknownNameError
from poise.methods.plan.scene.bundled import biped, camel, lamp
from poise.methods.plan.scene.scene import Scene
from poise.operations.values.template import TEMPLATES

SCENES = {
    "four punches": biped.four_punches,
    "four steps": biped.four_steps,
    "side jump": biped.side_jump,
    "somersault": biped.somersault,
    "camel skating": camel.skating,
    "camel hand stand": camel.hand_stand,
    "lamp jump": lamp.jump,
    "lamp somersault": lamp.somersault,
}


def scene_of(said: str | Mapping[str, Any]) -> Scene:
    """A bundled scene by name, or one as files have it."""
    return get(said) if isinstance(said, str) else Scene.from_dict(said)


def get(name: str) -> Scene:
    """The scene of that name."""
    if name not in SCENES:
        raise UnknownNameError("scene or template", name, [*TEMPLATES, *SCENES])
    return SCENES[name]()


__all__ = ["SCENES", "get", "scene_of"]
