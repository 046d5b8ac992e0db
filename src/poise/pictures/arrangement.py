"""How several figures stand in one picture: how far apart, and from where they are seen.

Figures of a motion on the spot are set apart; those of a long way come as they are. A row that would be
a thin strip of the picture is drawn closer together, or recedes from a camera that stands higher or more
in front: whichever shows the hero clearly larger without hiding the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.arrays import Array
from poise.pictures.camera import Camera
from poise.pictures.performance import Performance
from poise.pictures.views import View

APART = 0.74
"""Distance between figures side by side, in widths of a figure."""
_BETTER = 1.2
"""How much better another arrangement must be than the plain one."""
_TURNED = ((0.0, 0.0), (12.0, 1.0), (22.0, 3.0))
"""Nearer to the front and higher by this [deg], for ways that lead through the picture."""
_ROWS = ((APART, 0.0, 0.0), (0.50, 0.0, 0.0), (0.46, 0.55, 10.0), (0.34, 0.80, 17.0))
"""To the right and away from the camera [widths], and how much higher the camera [deg], on the spot."""


@dataclass(frozen=True)
class Arrangement:
    """Where the figures stand and from where they are seen."""

    view: View
    shifts: Array
    """What each figure is moved by (K, 3); the hero stays."""
    spread: bool
    """Whether the figures were set apart."""


def arranged(
    performance: Performance,
    chosen: Sequence[int],
    main: int,
    view: str | View,
    *,
    size: tuple[int, int],
    offset: float | None,
) -> Arrangement:
    """The arrangement of the frames ``chosen``, ``main`` the hero's place among them.

    ``offset`` [m] is the distance between figures to the right, if given.
    """
    look = performance.view(view)
    cloud = performance.cloud(chosen)  # (K, P, 3)
    cloud = cloud[:, :: max(1, cloud.shape[1] // 600)]
    order = (np.arange(len(chosen)) - main)[:, None]
    step = spread(performance, chosen, picture_right(look)) if offset is None else float(offset)
    narrow = step
    if offset is None and step:
        step = _with_room(cloud, step, picture_right(look), size[0] / size[1])
    free = view == "auto" and not look.orthographic
    plain = Arrangement(look, step * picture_right(look) * order, step != 0)
    if offset is not None or len(chosen) < 2 or look.orthographic:
        return plain
    options = [plain]
    if step:
        across = cloud @ picture_right(look)
        width = float(np.median(np.ptp(across, axis=1)))
        for aside, away, higher in _ROWS[1:]:
            if higher and not free:
                continue
            seen = View(look.azimuth, look.elevation + higher)
            way = (narrow - (APART - aside) * width) * picture_right(look) - away * width * _backwards(look)
            options.append(Arrangement(seen, way * order, True))
    elif free:
        for turn, higher in _TURNED[1:]:
            seen = View(look.azimuth + turn, look.elevation + higher)
            options.append(Arrangement(seen, plain.shifts, False))
    merits = [_merit(option, cloud, main, size) for option in options]
    best = int(np.argmax(merits))
    return options[best] if merits[best] > _BETTER * merits[0] else plain


def picture_right(look: View) -> Array:
    """The direction on the ground that runs to the right in the picture."""
    a = np.radians(look.azimuth)
    return np.array([-np.sin(a), np.cos(a), 0.0])


def spread(performance: Performance, chosen: Sequence[int], right: Array) -> float:
    """Extra distance between figures so that each can be read; 0 where the motion brings its own."""
    if len(chosen) < 2:
        return 0.0
    across = performance.cloud(chosen) @ right  # (K, P)
    width = float(np.median(np.ptp(across, axis=1)))
    centre = 0.5 * (across.min(axis=1) + across.max(axis=1))
    own = abs(float(centre[-1] - centre[0])) / (len(chosen) - 1)
    wanted = APART * width
    return 0.0 if own > 0.45 * wanted else wanted - own * np.sign(centre[-1] - centre[0])


def _with_room(cloud: Array, step: float, right: Array, aspect: float) -> float:
    """The step of a row, wider where the picture would stay empty beside it."""
    width = float(np.median(np.ptp(cloud @ right, axis=1)))
    tall = float(np.median(np.ptp(cloud[..., 2], axis=1)))
    room = (0.85 * aspect * tall - width) / (len(cloud) - 1)
    return max(step, min(room, step + (1.1 - APART) * width))


def _backwards(look: View) -> Array:
    """The direction on the ground away from the camera, so that the first figures stand behind the last."""
    a = np.radians(look.azimuth)
    return np.array([-np.cos(a), -np.sin(a), 0.0])


def _merit(option: Arrangement, cloud: Array, main: int, size: tuple[int, int]) -> float:
    """Size of the hero in the picture, less where figures hide one another."""
    points = cloud + option.shifts[:, None]
    look = option.view
    camera = Camera.framing(points, azimuth=look.azimuth, elevation=look.elevation, size=size)
    seen, _ = camera.project(points)  # (K, P, 2)
    low, high = seen.min(axis=1), seen.max(axis=1)  # (K, 2)
    area = np.prod(high - low, axis=1)
    shared = [
        np.prod(np.clip(np.minimum(high[a], high[b]) - np.maximum(low[a], low[b]), 0, None))
        / max(min(area[a], area[b]), 1e-9)
        for a, b in pairwise(range(len(points)))
    ]
    hidden = float(np.mean(shared))
    return float(np.sqrt(area[main] / (size[0] * size[1]))) * (1 - 0.6 * hidden**2)
