"""Bundled clips, ready to use: ``clips.get("walk")``. ``author`` holds the code that made them.

``clips.faces.get("smile")``: faces, made by code when first asked for.

Each is a small file of configurations beside this module; the character is a preset.

Examples:
    >>> punch = poise.clips.get("punch")
"""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.errors import UnknownNameError

if TYPE_CHECKING:
    from poise.clips import faces
    from poise.motion import Clip

FOLDER = Path(__file__).parent / "data"

__all__ = ["faces", "get", "names"]


def __getattr__(name: str) -> Any:
    if name == "faces":
        return import_module("poise.clips.faces")
    raise AttributeError(f"module 'poise.clips' has no attribute {name!r}")


def names() -> tuple[str, ...]:
    """The clips there are.

    Returns:
        The names, in alphabetical order.

    Examples:
        >>> print(poise.clips.names())
    """
    return tuple(sorted(path.stem for path in FOLDER.glob("*.npz")))


@cache
def get(name: str) -> Clip:
    """The bundled clip of that name.

    Args:
        name: One of ``names()``.

    Returns:
        Clip: The same object every time.

    Raises:
        UnknownNameError: There is no such clip; the message lists those there are.

    Examples:
        >>> punch = poise.clips.get("punch")
    """
    import numpy as np

    from poise.character import presets
    from poise.motion import Clip, Travel

    if name not in names():
        raise UnknownNameError("bundled clip", name, names())
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as file:
        facts = json.loads(str(file["facts"]))
        q = file["q"]
    character = presets.get(facts["character"], **facts["options"])
    travel = Travel(facts["travel"], facts["yaw"])
    return Clip(character, q, facts["rate"], loop=facts["loop"], travel=travel, name=name)


def store(clip: Clip, character: str, options: dict[str, str], folder: Path = FOLDER) -> Path:
    """Write a clip of a preset character as a bundled one (for the authoring code)."""
    import numpy as np

    from poise.files import replacing

    facts = {
        "character": character,
        "options": options,
        "rate": str(clip.rate),
        "loop": clip.loop,
        "travel": np.asarray(clip.travel.translation).tolist(),
        "yaw": clip.travel.yaw,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{clip.name}.npz"
    # A nanometre and a nanoradian are plenty, and rounded numbers pack well.
    with replacing(path) as temporary:
        np.savez_compressed(temporary, q=np.round(clip.q, 9), facts=np.array(json.dumps(facts)))
    return path
