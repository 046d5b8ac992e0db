"""Ready-made characters. Each is built when first asked for, and then shared.

poise.characters.humanoid()          a function for each
poise.characters.get("lamp")         by name
poise.characters.all()               all of them, by name

Examples:
    >>> lamp = poise.characters.get("lamp")
    >>> print(sorted(poise.characters.all()))
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

from poise.character.character import Character
from poise.character.presets.biped180 import biped180
from poise.character.presets.camel import camel
from poise.character.presets.face_hugger import face_hugger
from poise.character.presets.humanoid import humanoid
from poise.character.presets.lamp import lamp
from poise.character.presets.planar_humanoid import planar_humanoid
from poise.errors import UnknownNameError
from poise.extensions import extensions

__all__ = ["all", "biped180", "camel", "face_hugger", "get", "humanoid", "lamp", "names", "planar_humanoid"]

_PRESETS: dict[str, Callable[..., Character]] = {
    "humanoid": humanoid,
    "planar_humanoid": planar_humanoid,
    "lamp": lamp,
    "camel": camel,
    "biped180": biped180,
    "face_hugger": face_hugger,
}


def _known() -> dict[str, Callable[..., Character]]:
    """Poise's own, then those of other packages."""
    return _PRESETS | extensions("poise.characters")


def names() -> tuple[str, ...]:
    """Names of all presets.

    Returns:
        The names.

    Examples:
        >>> print(poise.characters.names())
    """
    return tuple(_known())


def get(name: str, **options: str) -> Character:
    """The preset called ``name``; ``options`` are those of its function (``hands="fist"``).

    Args:
        name: One of ``names()``.
        **options: Of the preset's own function.

    Returns:
        Character: The same object every time.

    Raises:
        UnknownNameError: There is no such preset, or it has no such option.

    Examples:
        >>> boxer = poise.characters.get("humanoid", hands="fist")
    """
    if name not in _PRESETS and name not in _known():
        raise UnknownNameError("preset character", name, _known())
    make = _PRESETS.get(name) or _known()[name]
    known = signature(make).parameters
    for option in options:
        if option not in known:
            raise UnknownNameError("option", option, known, where=f"the preset {name!r}")
    return make(**options)


def all() -> dict[str, Character]:
    """Every preset by its name.

    Returns:
        dict[str, Character]: The characters by name.

    Examples:
        >>> heights = {name: len(each.bodies) for name, each in poise.characters.all().items()}
    """
    return {name: make() for name, make in _known().items()}
