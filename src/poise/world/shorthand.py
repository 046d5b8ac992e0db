"""Surfaces as people type them: ``ground; box table half=0.4,0.3,0.02 place=1,0,0.7 friction=0.5``.

Each is its kind, a name if it needs one, and what differs from the defaults: fields of the shape first, then
those of the surface. Several are set apart by semicolons.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from poise.errors import InputError, UnknownNameError
from poise.world.shapes import Shape
from poise.world.surface import Surface
from poise.world.world import World

FORM = "KIND [NAME] [FIELD=VALUE …]; …"
"""How they are typed."""
_TYPED = ("place", "turn", "velocity", "friction", "bounce", "carried", "character")
"""What can be said of a surface in this way."""


def is_typed(text: str) -> bool:
    """Whether a text begins as surfaces do, and not as the name of a file."""
    return text.strip().replace(";", " ").partition(" ")[0] in Shape.kinds


def typed_world(text: str) -> World:
    """The world that a text says."""
    found: list[Surface] = []
    for part in filter(None, (p.strip() for p in text.split(";"))):
        surface = typed_surface(part)
        same = sum(s.name == surface.name or s.name.startswith(f"{surface.name} ") for s in found)
        found.append(surface.replaced(name=f"{surface.name} {same + 1}") if same else surface)
    return World(tuple(found))


def typed_surface(text: str) -> Surface:
    """One surface."""
    kind, *words = text.split()
    if kind not in Shape.kinds:
        raise UnknownNameError("kind of surface", kind, Shape.kinds)
    own = [f.name for f in fields(Shape.kinds[kind])]  # type: ignore[arg-type]
    name = ""
    shape: dict[str, Any] = {"kind": kind}
    more: dict[str, Any] = {}
    for word in words:
        field, sign, value = word.partition("=")
        if not sign:
            name = f"{name} {word}".strip()
        elif field in own:
            shape[field] = _value(value)
        elif field in _TYPED:
            more[field] = value if field in ("carried", "character") else _value(value)
        else:
            raise UnknownNameError("field", field, [*own, *_TYPED], where=f"{kind} as it was typed")
    return Surface.from_dict({"name": name or kind, "shape": shape, **more})


def _value(text: str) -> Any:
    try:
        numbers = [int(part) if part.lstrip("+-").isdigit() else float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{text!r} must be a number, or several with commas between") from None
    return numbers if len(numbers) > 1 else numbers[0]
