"""The studio's lights: a warm soft key, a cool fill, a rim from behind, and a sky over a pale floor.

A soft light is the mean of many sharp ones: directions spread over a disc by the golden angle
(key) or over the sky with density ∝ cos (ambient occlusion). Both sets are fixed, so nothing flickers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array
from poise.pictures.camera import Camera
from poise.pictures.material import linear_from_srgb

GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))


def _light(r: float, g: float, b: float) -> Array:
    return np.array([r, g, b])


@dataclass(frozen=True)
class Lights:
    """Directions point from the scene towards the light; strengths are irradiance / π, linear.

    Examples:
        >>> camera = poise.pictures.Camera((3.0, -2.0, 1.5), (0.0, 0.0, 1.0))
        >>> lights = poise.pictures.Lights.for_camera(camera, softness=2.0)
    """

    key_direction: Array
    """(3,), of unit length."""
    fill_direction: Array
    """(3,), of unit length."""
    rim_direction: Array
    """(3,), of unit length."""
    softness: float = 4.5
    """Angular radius of the key [°]."""
    key: Array = field(default_factory=lambda: _light(0.98, 0.90, 0.78))
    """Its strength, linear (3,)."""
    fill: Array = field(default_factory=lambda: _light(0.075, 0.092, 0.125))
    """Its strength, linear (3,)."""
    rim: Array = field(default_factory=lambda: _light(0.20, 0.23, 0.29))
    """Its strength, linear (3,)."""
    sky: Array = field(default_factory=lambda: _light(0.34, 0.385, 0.455))
    """Strength of what comes from above, linear (3,)."""
    ground: Array = field(default_factory=lambda: _light(0.25, 0.24, 0.235))
    """Strength of what comes from below, linear (3,)."""
    zenith: Array = field(default_factory=lambda: linear_from_srgb([0.69, 0.775, 0.885]))
    """Colour of the sky overhead, linear (3,)."""
    horizon: Array = field(default_factory=lambda: linear_from_srgb([0.905, 0.93, 0.96]))
    """Colour of the sky at the horizon, linear (3,)."""

    @classmethod
    def for_camera(cls, camera: Camera, *, softness: float = 4.5) -> Lights:
        """Key over the camera's left shoulder, fill from its right, rim from behind the subject."""
        forward = camera.target - camera.eye
        heading = np.degrees(np.arctan2(-forward[1], -forward[0]))  # where the camera stands
        if np.hypot(forward[0], forward[1]) < 0.2 * np.linalg.norm(forward):
            heading = -90.0  # looking down: light the picture from its lower left

        def toward(turn: float, elevation: float) -> Array:
            a, e = np.radians(heading + turn), np.radians(elevation)
            return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])

        return cls(toward(-42, 50), toward(50, 22), toward(150, 32), softness)

    def key_samples(self, count: int) -> Array:
        """``count`` directions (count, 3) spread evenly over the key's disc."""
        k = np.arange(count) + 0.5
        radius = np.tan(np.radians(self.softness)) * np.sqrt(k / count)
        angle = GOLDEN_ANGLE * np.arange(count)
        z = self.key_direction
        x = np.cross([0.0, 0.0, 1.0], z)
        x = x / np.linalg.norm(x)
        y = np.cross(z, x)
        offset = radius * np.cos(angle) * x[:, None] + radius * np.sin(angle) * y[:, None]  # (3, count)
        samples = (z[:, None] + offset).T
        return samples / np.linalg.norm(samples, axis=1, keepdims=True)

    def packed(self) -> Array:
        """Numbers for compiled code (8, 3)."""
        rows = [self.key_direction, self.key, self.fill_direction, self.fill, self.rim_direction, self.rim]
        return np.stack([*rows, self.sky, self.ground])


def sky_samples(count: int, *, lowest: float = 24.0) -> Array:
    """``count`` directions (count, 3) over the sky, density ∝ cos(zenith), none below ``lowest`` [deg]."""
    top = np.cos(np.radians(lowest)) ** 2
    squared = top * (np.arange(count) + 0.5) / count
    angle = GOLDEN_ANGLE * np.arange(count)
    r = np.sqrt(squared)
    return np.stack([r * np.cos(angle), r * np.sin(angle), np.sqrt(1 - squared)], axis=1)
