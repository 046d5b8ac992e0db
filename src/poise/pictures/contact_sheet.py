"""Contact sheets: frames of a clip side by side at one scale, with frame number and time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.contacts.support import Support
from poise.errors import InputError
from poise.motion import Clip, MeshClip
from poise.pictures.annotations import annotated, legend_strip
from poise.pictures.as_it_was import AsItWas
from poise.pictures.backdrop import Floor
from poise.pictures.camera import Camera
from poise.pictures.compositing import Picture
from poise.pictures.performance import Performance
from poise.pictures.scene import Quality, Scene, render
from poise.pictures.strobe_picture import chosen_frames, tile_size
from poise.pictures.surroundings import Surroundings, floor_of
from poise.pictures.views import View
from poise.world import World

CONTACT = Quality(key_samples=24, sky_samples=32, shadow_texel=2.5, sky_texel=7.0, detail=24)
_GAP = 4  # [px] between cells


def sheet(
    clip: Clip | MeshClip,
    *,
    frames: Sequence[int] | None = None,
    count: int = 12,
    spacing: str = "time",
    columns: int | None = None,
    cell: tuple[int, int] = (280, 320),
    views: Sequence[str | View] = ("auto",),
    labels: bool = True,
    meshes: Sequence[MeshClip] = (),
    world: World | Support | None = None,
    before: Clip | None = None,
    quality: Quality = CONTACT,
    threads: int | None = None,
) -> Picture:
    """A grid of frames (H, W, 3); several ``views`` stand below one another for the same frame.

    All cells have the same scale, and the camera goes along with the character, so poses can be compared.
    ``meshes`` move along with it. ``world``: surfaces to draw; with what carries the motion
    (``poise.contacts.find``), contacts and forces too. ``before``: the motion as it was, frame by frame, seen
    as a ghost where it differs.
    """
    if not views:
        raise InputError("a sheet needs at least one view")
    performance = Performance(clip, detail=quality.detail, meshes=meshes, floor=floor_of(world))
    around = Surroundings(performance, world) if world is not None else None
    was = AsItWas(performance, before) if before is not None else None
    chosen = chosen_frames(performance, frames=frames, count=count, spacing=spacing)
    across = columns or _columns(len(chosen), cell[0] / (cell[1] * len(views)))
    down = -(-len(chosen) // across)
    width, height = cell
    out = np.full(
        (down * len(views) * (height + _GAP) + _GAP, across * (width + _GAP) + _GAP, 3), 244, dtype=np.uint8
    )
    floor = Floor(tile=tile_size(performance.stature))
    anchors = anchored(performance, chosen)
    local = performance.cloud(chosen) - anchors[:, None]
    cameras = []
    for name in views:
        look = performance.view(name)
        cameras.append(
            Camera.framing(
                local, azimuth=look.azimuth, elevation=look.elevation, size=cell, margin=0.09,
                orthographic=look.orthographic,
            )
        )  # fmt: skip
    for k, frame in enumerate(chosen):
        scene = Scene(floor=floor, unit=performance.stature)
        performance.put(scene.solid, frame)
        if was is not None:
            was.put(scene, frame)
        if around is not None:
            around.put_surfaces(scene, frame)
            around.put_contacts(scene, [frame])
        for v, camera in enumerate(cameras):
            there = camera.moved(anchors[k])
            image = render(scene, there, quality=quality, threads=threads)
            if around is not None:
                image = annotated(image, around.labels(there, around.carrying(frame)))
            if labels and v == 0:
                image = labelled(image, f"{frame}", f"{float(frame / clip.rate):.2f} s")
            top = ((k // across) * len(views) + v) * (height + _GAP) + _GAP
            left = (k % across) * (width + _GAP) + _GAP
            out[top : top + height, left : left + width] = image
    keys = was.legend() if was is not None else []
    keys += around.legend(cameras[0]) if around is not None else []
    return np.concatenate([out, legend_strip(out.shape[1], keys)]) if keys else out


def _columns(count: int, aspect: float) -> int:
    """Columns of a grid about 1.7 times as wide as tall, with as few empty cells as may be."""

    def badness(columns: int) -> float:
        rows = -(-count // columns)
        shape = abs(np.log(columns * aspect / rows / 1.7))
        return float(shape + 1.5 * (rows * columns - count) / count)

    return min(range(1, count + 1), key=badness)


def anchored(performance: Performance, frames: Sequence[int]) -> Array:
    """The point on the ground each frame's camera goes along with (K, 3)."""
    cloud = performance.cloud(frames)
    middle = 0.5 * (cloud.min(axis=1) + cloud.max(axis=1))
    return middle * [1.0, 1.0, 0.0]


def labelled(image: Picture, strong: str, weak: str) -> Picture:
    """The picture with a caption in its upper left corner; what is too long is written smaller."""
    from PIL import Image, ImageDraw, ImageFont

    size = max(11, image.shape[0] // 17)
    canvas = Image.fromarray(image)
    draw = ImageDraw.Draw(canvas)
    font = ImageFont.load_default(size)
    x, y = round(0.55 * size), round(0.4 * size)
    draw.text((x, y), strong, font=font, fill=(38, 46, 60))
    after = x + draw.textlength(strong + " ", font=font) + 0.2 * size
    usual = max(10, round(0.82 * size))
    wide = draw.textlength(weak, font=ImageFont.load_default(usual))
    lesser = max(8, int(usual * min(1.0, (image.shape[1] - x - after) / max(wide, 1.0))))
    drop = round(0.16 * size + 0.7 * (usual - lesser))
    draw.text((after, y + drop), weak, font=ImageFont.load_default(lesser), fill=(104, 116, 134))
    return np.asarray(canvas, dtype=np.uint8)
