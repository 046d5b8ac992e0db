"""Moving pictures: MP4 (H.264), WebM (VP9), GIF and PNG files in an archive, rendered frame by frame with a
camera that goes along smoothly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.contacts.support import Support
from poise.errors import InputError, UnknownNameError
from poise.files import replacing, write_bytes
from poise.motion import Clip, MeshClip
from poise.motion.frame_times import exact_rate
from poise.pictures.annotations import annotated
from poise.pictures.as_it_was import TINT, AsItWas
from poise.pictures.backdrop import Floor
from poise.pictures.camera import Camera
from poise.pictures.compositing import Picture
from poise.pictures.encoder import need_encoder, write_encoded
from poise.pictures.lights import Lights
from poise.pictures.marks import TRAIL_COLOURS, add_target, add_trail
from poise.pictures.material import linear_from_srgb
from poise.pictures.mesh import Mesh
from poise.pictures.performance import Performance
from poise.pictures.scene import VIDEO, Quality, Scene, render
from poise.pictures.shots import Shots
from poise.pictures.strobe_picture import Trails, tile_size
from poise.pictures.surroundings import MARKED, Surroundings, floor_of
from poise.pictures.views import BACKGROUNDS, View
from poise.world import World

if TYPE_CHECKING:
    from PIL import Image

Progress = Callable[[int, int], object]
"""Called as ``progress(done, total)`` after every frame; may raise to stop, then nothing is written."""


class Prop(NamedTuple):
    """A thing in the scene beside the figure.

    Examples:
        >>> up = [(0, 0, 1)] * 3
        >>> mesh = poise.pictures.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], up, closed=False)
        >>> turn = poise.manifold.so3.to_matrix((1, 0, 0, 0))
        >>> shown = poise.pictures.Prop(mesh, "wood", (0.5, 0.0, 0.8), turn)
    """

    mesh: Mesh
    """What it looks like."""
    material: str
    """The name of one of ``PALETTE``."""
    position: Array
    """[m], (3,)."""
    rotation: Array
    """World from own (3, 3)."""


Props = Callable[[float], Sequence[Prop]]
"""What is there at a time [s]."""

FORMATS = (".mp4", ".webm", ".gif", ".zip")
MOST_FRAMES = 100_000
"""Nearly an hour at 30 frames per second; more is a mistake in a rate or a duration."""
_PATIENCE = 0.45  # [s] the camera's path is the character's, smoothed by a Gaussian of this σ


def video(
    clip: Clip | MeshClip,
    path: str | Path,
    *,
    size: tuple[int, int] = (960, 540),
    fps: Fraction | float | str = 30,
    duration: float | None = None,
    view: str | View | Shots = "auto",
    follow: bool | None = None,
    background: str = "stage",
    trails: Trails = (),
    trail_seconds: float = 0.8,
    targets: tuple[tuple[float, float, float], ...] = (),
    props: Props | None = None,
    meshes: Sequence[MeshClip] = (),
    world: World | Support | None = None,
    before: Clip | None = None,
    sound: str | Path | None = None,
    quality: Quality = VIDEO,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Path:
    """Write a clip as MP4, WebM, GIF or an archive of PNG files (ZIP), by the extension of ``path``.

    Args:
        clip: The motion.
        path: The file.
        size: Width and height [px].
        fps: The video's own frames per second [> 0]; the motion is sampled between frames where needed.
        duration: [s] Default: the clip's; a loop plays on for longer ones.
        view: The name of one of ``VIEWS``, "auto", a `View`, or `Shots`: cameras with places of their own,
            and cuts from one to another.
        follow: Whether the camera moves with the character. Default: where it leaves its place. Shots say it
            for each camera.
        background: "stage", or a colour without a floor.
        trails: Bodies or points; a mapping gives materials.
        trail_seconds: How much of their past is shown [s].
        targets: World positions to mark [m], (3,) each.
        props: What else is there at a time [s].
        meshes: What moves along with the character.
        world: Surfaces to draw; with what carries the motion (``poise.contacts.find``), contacts and forces
            too.
        before: The motion as it was, frame by frame, seen as a ghost where it differs.
        sound: An audio file to play along (MP4 and WebM only).
        quality: How much work goes into each frame.
        progress: Called with the part that is done, 0 … 1.
        threads: At most so many. Default: one per core.

    Returns:
        Path: The file.

    Raises:
        InputError: An option is out of range, or files with that extension cannot hold sound.
        UnknownNameError: There is no such view or point.
        MissingDependencyError: MP4 and WebM need the extra ``video``.

    Examples:
        >>> wave = poise.clips.get("wave")
        >>> film = poise.pictures.video(wave, "wave.gif", size=(160, 120), fps=5, duration=0.4)
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in FORMATS:
        raise UnknownNameError("video format", kind or str(target), FORMATS)
    if kind in (".mp4", ".webm"):
        need_encoder()
        size = (size[0] + size[0] % 2, size[1] + size[1] % 2)  # H.264 halves its colour planes
    elif sound is not None:
        raise InputError(f"{target.name}: this kind of file has no sound; write an .mp4")
    if sound is not None and not Path(sound).is_file():
        raise InputError(f"{sound}: no such sound file")
    rate = exact_rate(fps)
    times = frame_times(clip, rate, duration)
    behind = backgrounds(background)
    shown = _Shown(size, view, follow, behind, trails, trail_seconds, targets, props, meshes, world, before)
    pictures = _pictures(clip, times, rate, shown, quality, threads)
    counted = _counted(pictures, len(times), progress)
    if kind == ".gif":
        marked = (*(MARKED if world is not None else ()), *((TINT,) if before is not None else ()))
        return write_bytes(target, _gif(counted, rate, marked))
    with replacing(target) as temporary:
        if kind == ".zip":
            _png_files(counted, temporary, target.stem)
        else:
            write_encoded(
                counted, temporary, kind=kind[1:], name=str(target), size=size, rate=rate, sound=sound
            )
    return target


def backgrounds(name: str) -> Array | None:
    """The colour of a plain background, linear (3,); None for the stage."""
    if name == "stage":
        return None
    if name not in BACKGROUNDS:
        raise UnknownNameError("background", name, ("stage", *BACKGROUNDS))
    code = BACKGROUNDS[name]
    return linear_from_srgb([int(code[k : k + 2], 16) / 255 for k in (1, 3, 5)])


def _png_files(pictures: Iterator[Picture], path: Path, stem: str) -> None:
    """An archive of pictures, numbered from 0."""
    from zipfile import ZIP_STORED, ZipFile, ZipInfo

    from PIL import Image

    with ZipFile(path, "w", ZIP_STORED) as archive:
        for number, picture in enumerate(pictures):
            data = BytesIO()
            Image.fromarray(picture).save(data, format="PNG", optimize=False)
            archive.writestr(ZipInfo(f"{stem}_{number:05d}.png"), data.getbuffer())  # always the same date


def frame_times(clip: Clip | MeshClip, rate: Fraction, duration: float | None = None) -> Array:
    """Times of the video's frames [s]: k / rate. A loop's last frame is the one before the first again."""
    length = clip.duration if duration is None else float(duration)
    if not (np.isfinite(length) and length >= 0):
        raise InputError(f"duration must be a positive number of seconds, not {duration}")
    # A tiny slack: 0.1 s at 30 fps is three steps whatever 0.1 · 30 rounds to.
    steps = int(np.floor(length * float(rate) + 1e-6))
    count = max(1, steps) if clip.loop else steps + 1
    if count > MOST_FRAMES:
        raise InputError(
            f"a film of {count:,} frames is more than {MOST_FRAMES:,}: give a shorter duration or a lower fps"
        )
    return np.array([float(k / rate) for k in range(count)])


class _Shown(NamedTuple):
    """What a film shows, and from where."""

    size: tuple[int, int]
    view: str | View | Shots
    follow: bool | None
    behind: Array | None
    trails: Trails
    trail_seconds: float
    targets: tuple[tuple[float, float, float], ...]
    props: Props | None
    meshes: Sequence[MeshClip]
    world: World | Support | None
    before: Clip | None


def _pictures(
    clip: Clip | MeshClip, times: Array, rate: Fraction, shown: _Shown, quality: Quality, threads: int | None
) -> Iterator[Picture]:
    size, view, follow, behind, trails, trail_seconds, targets, props, meshes, world, before = shown
    performance = Performance(clip, detail=quality.detail, times=times, meshes=meshes, floor=floor_of(world))
    around = Surroundings(performance, world, times) if world is not None else None
    was = AsItWas(performance, before, times) if before is not None else None
    if isinstance(view, Shots):
        cameras = view.seen(performance.clip, times, size, performance.offset)
    else:
        cameras = _framed(performance, performance.view(view), follow, targets, rate, size)
    lights = Lights.for_camera(cameras[0])
    if behind is not None:
        lights = replace(lights, zenith=behind, horizon=behind)
    floor = Floor(tile=tile_size(performance.stature)) if behind is None else None
    named = (
        trails.items() if isinstance(trails, Mapping) else zip(trails, TRAIL_COLOURS * (len(trails) // 4 + 1))
    )
    paths = [(performance.point(name), material) for name, material in named]
    back = max(1, round(trail_seconds * float(rate)))
    for k in range(performance.frames):
        scene = Scene(floor=floor, unit=performance.stature)
        performance.put(scene.solid, k)
        for spot in targets:
            add_target(scene, np.array(spot) + performance.offset, radius=0.02 * performance.stature)
        for prop in props(float(times[k])) if props is not None else ():
            scene.solid.add(
                prop.mesh, prop.material, position=prop.position + performance.offset, rotation=prop.rotation
            )
        for path, material in paths:
            recent = path[max(0, k - back) : k + 1]
            if len(recent) > 1:
                add_trail(scene.layer(shadow=0.0), recent, material, width=0.011 * performance.stature)
        there = cameras[k]
        legend = was.legend() if was is not None else []
        if was is not None:
            was.put(scene, k)
        if around is not None:
            around.put_surfaces(scene, k)
            around.put_contacts(scene, [k])
            legend += around.legend(there)
        image = render(scene, there, quality=quality, lights=lights, threads=threads)
        labels = around.labels(there) if around is not None else []
        yield annotated(image, labels, legend) if labels or legend else image


def _framed(
    performance: Performance,
    look: View,
    follow: bool | None,
    targets: tuple[tuple[float, float, float], ...],
    rate: Fraction,
    size: tuple[int, int],
) -> list[Camera]:
    """One camera that has all of the motion and its targets in the picture, at every frame."""
    some = performance.some_frames(48)
    centres = camera_path(performance, rate)  # (F, 3)
    travelled = float(np.ptp(centres, axis=0).max())
    moving = travelled > 0.35 * performance.stature if follow is None else follow
    if not moving:
        centres = np.zeros_like(centres)
    cloud = performance.cloud(some) - centres[some][:, None]
    for spot in targets:
        cloud = np.concatenate(
            [cloud.reshape(1, -1, 3), (np.array(spot) + performance.offset)[None, None]], axis=1
        )
    camera = Camera.framing(
        cloud, azimuth=look.azimuth, elevation=look.elevation, size=size, margin=0.08,
        orthographic=look.orthographic,
    )  # fmt: skip
    return [camera.moved(centre) for centre in centres]


def camera_path(performance: Performance, rate: Fraction) -> Array:
    """Where the camera looks in each frame, on the ground (F, 3): the character's way, much smoothed.

    The ends are continued by point reflection, so a steady walk is followed steadily from the first frame.
    """
    from scipy.ndimage import gaussian_filter1d

    weights = np.array([max(b.mass.mass, 0.0) for b in performance.character.bodies])
    if weights.sum() <= 0:
        weights = np.ones(len(weights))
    way = np.einsum("fnk,n->fk", performance.positions, weights / weights.sum())
    way[:, 2] = 0.0
    sigma = _PATIENCE * float(rate)
    reach = min(len(way) - 1, int(4 * sigma) + 1)
    if reach < 1:
        return way
    before = 2 * way[0] - way[reach:0:-1]
    after = 2 * way[-1] - way[-2 : -reach - 2 : -1]
    smooth = gaussian_filter1d(np.concatenate([before, way, after]), sigma, axis=0, mode="nearest")
    return np.asarray(smooth[reach : reach + len(way)])


def _counted(pictures: Iterator[Picture], total: int, progress: Progress | None) -> Iterator[Picture]:
    for done, picture in enumerate(pictures, start=1):
        yield picture
        if progress is not None:
            progress(done, total)


def _gif(pictures: Iterator[Picture], rate: Fraction, colours: Sequence[str]) -> memoryview:
    """A GIF whose palette is that of its first picture, and has these colours."""
    from PIL import Image

    palette: Image.Image | None = None
    frames = []
    for picture in pictures:
        image = Image.fromarray(picture)
        if palette is None:  # one palette for all frames: nothing flickers
            palette = _with_swatches(image, colours).quantize(255, method=Image.Quantize.MEDIANCUT)
        frames.append(image.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG))
    # GIF counts in hundredths of a second: rounding the times, not the durations, keeps the tempo.
    ticks = [round(100 * k / rate) for k in range(len(frames) + 1)]
    durations = [10 * max(2, b - a) for a, b in pairwise(ticks)]
    film = BytesIO()
    frames[0].save(
        film, format="GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0,
        optimize=False, disposal=1,
    )  # fmt: skip
    return film.getbuffer()


def _with_swatches(image: Image.Image, colours: Sequence[str]) -> Image.Image:
    """The picture above squares of colours: thin marks alone would not get a place in the palette."""
    from PIL import Image, ImageColor

    side = max(8, image.width // 12)
    out = Image.new("RGB", (image.width, image.height + (side if colours else 0)), (255, 255, 255))
    out.paste(image, (0, 0))
    for k, colour in enumerate(colours):
        out.paste(ImageColor.getrgb(colour), (k * side, image.height, (k + 1) * side, image.height + side))
    return out
