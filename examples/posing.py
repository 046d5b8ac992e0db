"""Single poses side by side: what may not move is tinted, pins, drags and local roots are marked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from panels import GHOST, QUALITY, reduced
from poise.arrays import Array
from poise.character import Character
from poise.handles.place import point_of
from poise.kinematics import Kinematics
from poise.pictures import (
    PALETTE,
    Camera,
    Figure,
    Floor,
    Layer,
    Material,
    Scene,
    View,
    figure,
    render,
    save_png,
)
from poise.pictures.contact_sheet import labelled
from poise.pictures.marks import arrow
from poise.pictures.mesh import sphere

STILL = "#46b566"
"""Tint of what is left out."""
PIN, DRAG, ROOT = "#2767d8", "#e2413b", "#f2c230"
LEGEND = {"pin": PIN, "dragged": DRAG, "local root": ROOT, "left out": STILL}


@dataclass(frozen=True, eq=False)
class Drawing:
    """One pose with its marks."""

    q: Array
    """(nq,)"""
    title: str
    note: str = ""
    still: Collection[int] = ()
    """Bodies drawn as left out."""
    pins: Sequence[str] = ()
    root: str | None = None
    drag: tuple[Array, Array] | None = None
    """From and to [m]."""
    ghost: Array | None = None
    """The pose before, (nq,); drawn faintly where it differs."""


@dataclass(frozen=True)
class Look:
    """What all drawings of a picture share."""

    view: View
    cell: tuple[int, int] = (400, 480)
    columns: int = 3
    tile: float = 0.5
    """Of the floor [m]."""
    size: float = 1.75
    """Of the character, which marks are measured by [m]."""
    around: Sequence[ArrayLike] = ()
    """Further points to frame."""
    legend: Mapping[str, str] = field(default_factory=dict)


def drawn(character: Character, items: Sequence[Drawing], path: Path, look: Look) -> Path:
    """Draw poses in rows with one camera, and write them as PNG."""
    body = figure(character, detail=QUALITY.detail)
    kin = Kinematics(character, np.stack([item.q for item in items]))
    cloud = body.cloud(kin.positions, kin.rotations).reshape(-1, 3)
    camera = Camera.framing(
        np.concatenate([cloud, np.array(look.around).reshape(-1, 3)]),
        azimuth=look.view.azimuth,
        elevation=look.view.elevation,
        size=look.cell,
        margin=0.05,
        orthographic=look.view.orthographic,
    )
    rows, gap = [], 4
    for first in range(0, len(items), look.columns):
        row = [_cell(body, item, camera, look) for item in items[first : first + look.columns]]
        upright = np.full((look.cell[1], gap, 3), 244, dtype=np.uint8)
        rows.append(np.concatenate([part for image in row for part in (image, upright)][:-1], axis=1))
    level = np.full((gap, rows[0].shape[1], 3), 244, dtype=np.uint8)
    picture = np.concatenate([part for row in rows for part in (row, level)][:-1])
    if look.legend:
        picture = np.concatenate([picture, _legend(picture.shape[1], look.legend)])
    path.parent.mkdir(parents=True, exist_ok=True)
    save_png(reduced(picture), path)
    return path


def _cell(body: Figure, item: Drawing, camera: Camera, look: Look) -> Any:
    character, size = body.character, look.size
    scene = Scene(floor=Floor(tile=look.tile), unit=size)
    kin = Kinematics(character, item.q)
    for part, coarse in zip(body.parts, body.proxies()):
        colour = PALETTE.get(part.material, PALETTE["default"])
        scene.solid.add(
            part.mesh,
            colour.mixed(STILL, 0.86) if part.body in item.still else colour,
            position=kin.positions[0, part.body],
            rotation=kin.rotations[0, part.body],
            proxy=coarse.mesh,
        )
    if item.ghost is not None:
        before = Kinematics(character, item.ghost)
        moved = [_apart(before, kin, part.body) > 0.01 * size for part in body.parts]
        faint = Figure(
            character,
            tuple(compress(body.parts, moved)),
            proxies=lambda: tuple(compress(body.proxies(), moved)),
        )
        behind = before.positions[0] + 0.15 * size * camera.rotation[2]
        faint.put(scene.layer(**GHOST), behind, before.rotations[0])  # type: ignore[arg-type]
    marks = scene.layer(shadow=0.0)
    for point in item.pins:
        _dot(marks, kin.point(point_of(character, point))[0], PIN, camera, size)
    if item.root is not None:
        _dot(marks, kin.point(item.root)[0], ROOT, camera, size)
    if item.drag is not None:
        start, end = (_before(p, camera, size) for p in item.drag)
        _dot(marks, item.drag[1], DRAG, camera, size)
        if np.linalg.norm(end - start) > 0.05 * size:
            marks.add(
                arrow(start, 0.93 * (end - start), width=0.009 * size), _paint(DRAG), casts_shadow=False
            )
    return labelled(render(scene, camera, quality=QUALITY, threads=1), item.title, item.note)


def _apart(a: Kinematics, b: Kinematics, body: int) -> float:
    """How far a body differs between two poses, its rotation measured at 20 cm [m]."""
    turn = a.rotations[0, body] - b.rotations[0, body]
    return float(np.linalg.norm(a.positions[0, body] - b.positions[0, body]) + 0.2 * np.linalg.norm(turn))


def _paint(colour: str) -> Material:
    return Material(colour, roughness=0.4, emission=0.45)


def _before(point: ArrayLike, camera: Camera, size: float) -> Array:
    """The point drawn nearer to the eye along its ray, in front of the limb it lies in."""
    way = camera.eye - np.asarray(point)
    return np.asarray(point) + 0.2 * size * way / np.linalg.norm(way)


def _dot(layer: Layer, point: ArrayLike, colour: str, camera: Camera, size: float) -> None:
    """A ball in a white rim."""
    at, away = _before(point, camera, size), 0.002 * size
    back = (camera.target - camera.eye) / np.linalg.norm(camera.target - camera.eye)
    layer.add(sphere(0.0125 * size, detail=24), _paint(colour), position=at, casts_shadow=False)
    rim = Material("#ffffff", emission=1.0)
    layer.add(sphere(0.0165 * size, detail=24), rim, position=at + back * (10 * away), casts_shadow=False)


def _legend(width: int, entries: Mapping[str, str]) -> Any:
    from PIL import Image, ImageDraw, ImageFont

    height, font = 36, ImageFont.load_default(18)
    canvas = Image.new("RGB", (width, height), (244, 244, 244))
    pen = ImageDraw.Draw(canvas)
    x = 16.0
    for name, colour in entries.items():
        pen.ellipse((x, 11, x + 14, 25), fill=colour)
        pen.text((x + 22, 7), name, font=font, fill=(38, 46, 60))
        x += 22 + pen.textlength(name, font=font) + 34
    return np.asarray(canvas, dtype=np.uint8)
