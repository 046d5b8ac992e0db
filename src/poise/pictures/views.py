"""Named views, and which way a character faces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.character.labels import parts
from poise.character.naming import Part
from poise.errors import UnknownNameError


@dataclass(frozen=True)
class View:
    """Where the camera stands: azimuth from the front, left positive, and elevation [deg].

    Examples:
        >>> low = poise.pictures.View(-45.0, 2.0)
        >>> picture = poise.pictures.strobe(poise.clips.get("wave"), count=2, size=(160, 120), view=low)
    """

    azimuth: float
    """From the front, left positive [°]."""
    elevation: float
    """How high the camera stands [°, −90 … 90]."""
    orthographic: bool = False
    """Whether parallel lines stay parallel."""
    in_world: bool = False
    """Whether the azimuth is counted from the world's x axis, not from where the motion goes."""


VIEWS: dict[str, View] = {
    "three-quarter": View(-62.0, 8.0),
    "portrait": View(-8.0, 5.0),
    "side": View(-90.0, 6.0),
    "left": View(90.0, 6.0),
    "front": View(0.0, 7.0),
    "back": View(180.0, 7.0),
    "top": View(-90.0, 89.99),
    "planar": View(-90.0, 0.0, orthographic=True),
}
"""Views by name; the right-hand ones show a character that goes to the right of the picture."""


BACKGROUNDS = {"white": "#ffffff", "grey": "#808080", "black": "#000000", "green": "#00b140"}
"""Plain ones by name; green is what is keyed out."""


def view(name: str | View, character: Character) -> View:
    """A view by its name.

    ``"auto"`` is planar for planar characters, a portrait of what has no limbs (a face tells most from the
    front) and three-quarter for all others.
    """
    if isinstance(name, View):
        return name
    if name == "auto":
        whole = "portrait" if len(character.bodies) == 1 else "three-quarter"
        name = "planar" if is_planar(character) else whole
    try:
        return VIEWS[name]
    except KeyError:
        raise UnknownNameError("view", name, ("auto", *VIEWS)) from None


def is_planar(character: Character) -> bool:
    """Whether the character lives in the x–z plane."""
    return character.bodies[0].joint.kind is JointKind.PLANAR


def heading(character: Character, positions: Array, rotations: Array) -> float:
    """Which way the motion goes or, where it goes nowhere, the character faces [deg about z from +x].

    ``positions`` (F, n, 3), ``rotations`` (F, n, 3, 3). Facing is square to the line between the hips
    (or shoulders); a character without a left and a right faces its root's x axis.
    """
    if is_planar(character):
        return 0.0
    path = positions[:, 0, :2]
    gone = path[-1] - path[0]
    size = float(np.ptp(positions[0], axis=0).max())
    if np.linalg.norm(gone) > 0.6 * max(size, 1e-9):
        return float(np.degrees(np.arctan2(gone[1], gone[0])))
    pair = _pair(character)
    if pair is None:
        ahead = rotations[:, 0, :2, 0].mean(axis=0)
    else:
        left = (positions[:, pair[0]] - positions[:, pair[1]]).mean(axis=0)
        ahead = np.array([left[1], -left[0]])
    if np.linalg.norm(ahead) < 1e-6:
        return 0.0
    return float(np.degrees(np.arctan2(ahead[1], ahead[0])))


def _pair(character: Character) -> tuple[int, int] | None:
    """A left and a right body that mirror each other: thighs, else upper arms."""
    kinds = parts(character)
    rest, _ = character.rest_placement()
    for wanted in (Part.THIGH, Part.UPPER_ARM, Part.FORELEG):
        those = [i for i, kind in enumerate(kinds) if kind is wanted]
        sides = {character.bodies[i].side: i for i in reversed(those)}
        if "left" in sides and "right" in sides:
            return sides["left"], sides["right"]
        if len(those) >= 2 and abs(rest[those[0], 1] - rest[those[-1], 1]) > 1e-6:
            ordered = sorted(those, key=lambda i: -rest[i, 1])
            return ordered[0], ordered[-1]
    return None
