"""Materials: what a surface does with light, and the palette that characters and marks draw from.

Colours are written as sRGB (as in any paint program) and used as linear light.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import InputError, UnknownNameError


def linear_from_srgb(colour: ArrayLike) -> Array:
    """Linear light from sRGB values in 0 … 1 (IEC 61966-2-1)."""
    c = np.asarray(colour, dtype=np.float64)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def srgb_from_linear(light: ArrayLike) -> Array:
    """sRGB values in 0 … 1 from linear light."""
    x = np.clip(np.asarray(light, dtype=np.float64), 0, 1)
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)


def parse_colour(colour: str | Sequence[float]) -> tuple[float, float, float]:
    """sRGB in 0 … 1 from ``"#rrggbb"`` or three numbers."""
    if isinstance(colour, str):
        digits = colour.removeprefix("#")
        if len(digits) != 6 or any(c not in "0123456789abcdefABCDEF" for c in digits):
            raise InputError(f"colour {colour!r} must look like '#ff8800'")
        return tuple(int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))  # type: ignore[return-value]
    values = tuple(float(c) for c in colour)
    if len(values) != 3 or not all(0 <= c <= 1 for c in values):
        raise InputError(f"colour must be three numbers from 0 to 1, not {values}")
    return values


@dataclass(frozen=True)
class Material:
    """A dielectric surface; ``emission`` mixes in light of its own colour, free of shading.

    Raises:
        InputError: The colour is no colour.

    Examples:
        >>> brass = poise.pictures.Material("#b08d3c", roughness=0.3, specular=0.9)
    """

    colour: tuple[float, float, float] | str
    """sRGB, 0 … 1 or "#rrggbb"."""
    roughness: float = 0.45
    """0 (mirror) … 1 (chalk)."""
    specular: float = 0.5
    """Strength of highlights; 0.5: plastic or skin."""
    emission: float = 0.0
    """0 (lit by the scene) … 1 (its own colour everywhere)."""
    opacity: float = 1.0
    """0 … 1"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "colour", parse_colour(self.colour))

    def packed(self) -> Array:
        """Numbers for compiled code (7,): linear colour, roughness, specular, emission, opacity."""
        rest = [self.roughness, self.specular, self.emission, self.opacity]
        return np.concatenate([linear_from_srgb(self.colour), rest])

    def faded(self, opacity: float) -> Material:
        """The same material, seen through."""
        return replace(self, opacity=self.opacity * opacity)

    def mixed(self, other: str | Sequence[float], amount: float) -> Material:
        """The same surface, its colour moved towards ``other`` (mixed in linear light)."""
        mix = (1 - amount) * linear_from_srgb(self.colour) + amount * linear_from_srgb(parse_colour(other))
        return replace(self, colour=tuple(srgb_from_linear(mix).tolist()))


PALETTE: Mapping[str, Material] = {
    "skin": Material("#f0a35e", roughness=0.42, specular=0.45),
    "near": Material("#f0a35e", roughness=0.42, specular=0.45),
    "far": Material("#b5733a", roughness=0.48, specular=0.35),
    "cloth": Material("#2b5583", roughness=0.6, specular=0.35),
    "joint": Material("#363b47", roughness=0.38, specular=0.5),
    "shoe": Material("#363b47", roughness=0.42, specular=0.5),
    "face": Material("#20242d", roughness=0.18, specular=0.7),
    "hair": Material("#4a3428", roughness=0.55),
    "wood": Material("#c9a46c", roughness=0.5),
    "metal": Material("#9aa3ad", roughness=0.25, specular=0.9),
    "drum": Material("#a83232", roughness=0.3, specular=0.6),
    "paper": Material("#ece8de", roughness=0.7, specular=0.3),
    "stone": Material("#8d939c", roughness=0.8, specular=0.25),
    "default": Material("#e3a765", roughness=0.45, specular=0.45),
    "trail": Material("#12a5d8", roughness=0.4, emission=0.75),
    "trail2": Material("#f2702a", roughness=0.4, emission=0.75),
    "trail3": Material("#6dbb45", roughness=0.4, emission=0.75),
    "trail4": Material("#b45bd0", roughness=0.4, emission=0.75),
    "target": Material("#e2413b", roughness=0.35, emission=0.25),
    "centre_of_mass": Material("#f2c230", roughness=0.3, emission=0.45),
    "arrow": Material("#3d9a5d", roughness=0.4, emission=0.3),
    "ink": Material("#3c4654", roughness=1.0, specular=0.0, emission=1.0, opacity=0.45),
}
"""Materials by name. ``default`` stands in for names that are not here."""


def material(name: str | Material) -> Material:
    """A material by its name, or as given."""
    if isinstance(name, Material):
        return name
    try:
        return PALETTE[name]
    except KeyError:
        raise UnknownNameError("material", name, PALETTE) from None
