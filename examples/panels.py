"""Pictures for the gallery: the same moment of several motions side by side, and curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.motion import Clip, MeshClip
from poise.pictures import Camera, Floor, Layer, Mesh, Scene, View, render, save_png
from poise.pictures.contact_sheet import labelled
from poise.pictures.marks import add_target, add_trail
from poise.pictures.performance import Performance
from poise.pictures.scene import Quality

QUALITY = Quality(key_samples=32, sky_samples=40, shadow_texel=2.5, sky_texel=6.0, detail=32)
GHOST = {"opacity": 0.42, "tint": "#8cb8f2", "tint_amount": 0.9, "shadow": 0.2}
BEHIND = 0.12
"""How far behind its place a ghost is drawn [m]: limbs that did not move hide theirs."""


@dataclass(frozen=True, eq=False)
class Panel:
    """One moment: a figure, faint others behind it, what was aimed at, trails of points."""

    clip: Clip | MeshClip
    frame: int
    title: str = ""
    note: str = ""
    ghosts: Sequence[tuple[Clip, int]] = ()
    targets: Sequence[ArrayLike] = ()
    trails: Sequence[tuple[Clip, str, str]] = ()
    """Clip, point and colour."""
    span: tuple[int, int] | None = None
    """Frames of the trails."""
    meshes: Sequence[tuple[Mesh, str]] = ()


@dataclass(frozen=True)
class Framing:
    """What all panels of a picture share."""

    view: View = field(default_factory=lambda: View(-62.0, 8.0))
    cell: tuple[int, int] = (400, 480)
    around: Sequence[ArrayLike] = field(default_factory=tuple)
    """Points to frame instead of the figures."""
    margin: float = 0.06
    tile: float = 0.5
    """Of the floor [m]."""


def panels(items: Sequence[Panel], path: Path, framing: Framing | None = None) -> Path:
    """Draw panels side by side with one camera, and write them as PNG."""
    look = framing or Framing()
    actors = {id(p.clip): Performance(p.clip, detail=QUALITY.detail, ground=False) for p in items}
    for p in items:
        for clip, _ in p.ghosts:
            actors.setdefault(id(clip), Performance(clip, detail=QUALITY.detail, ground=False))
        for clip, _, _ in p.trails:
            actors.setdefault(id(clip), Performance(clip, detail=QUALITY.detail, ground=False))
    clouds = [actors[id(p.clip)].cloud([p.frame]).reshape(-1, 3) for p in items]
    bounds = np.array(look.around) if len(look.around) else np.concatenate(clouds)
    camera = Camera.framing(
        bounds,
        azimuth=look.view.azimuth,
        elevation=look.view.elevation,
        size=look.cell,
        margin=look.margin,
        orthographic=look.view.orthographic,
    )
    images = []
    for p in items:
        scene = Scene(floor=Floor(tile=look.tile))
        actors[id(p.clip)].put(scene.solid, p.frame)
        for clip, frame in p.ghosts:
            away = BEHIND * camera.rotation[2]
            actors[id(clip)].put(scene.layer(**GHOST), frame, shift=away)  # type: ignore[arg-type]
        for mesh, material in p.meshes:
            scene.solid.add(mesh, material)
        for target in p.targets:
            add_target(scene, target, radius=0.028, towards=camera.eye - camera.target)
        layer: Layer = scene.layer(shadow=0.0)
        for clip, point, colour in p.trails:
            first, last = p.span or (0, p.frame)
            add_trail(layer, actors[id(clip)].point(point)[first : last + 1], colour, width=0.018)
        image = render(scene, camera, quality=QUALITY, threads=1)
        images.append(labelled(image, p.title, p.note) if p.title or p.note else image)
    gap = np.full((look.cell[1], 4, 3), 244, dtype=np.uint8)
    row = [part for image in images for part in (image, gap)][:-1]
    path.parent.mkdir(parents=True, exist_ok=True)
    save_png(reduced(np.concatenate(row, axis=1)), path)
    return path


def reduced(image: Any) -> Any:
    """The picture with 192 colours, for small files."""
    from PIL import Image

    few = Image.fromarray(image).quantize(192, method=Image.Quantize.MAXCOVERAGE, kmeans=3)
    return np.asarray(few.convert("RGB"))


def figure(width: float = 7.0, height: float = 3.6) -> tuple[Any, Any]:
    """A Matplotlib figure and its axes in the gallery's look (needs the extra ``plots``)."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    made, axes = pyplot.subplots(figsize=(width, height), dpi=110, layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    return made, axes


def save_figure(made: Any, path: Path) -> Path:
    """Write a Matplotlib figure and forget it."""
    from matplotlib import pyplot

    path.parent.mkdir(parents=True, exist_ok=True)
    made.savefig(path)
    pyplot.close(made)
    return path
