"""A motion with its props: strobed stills and films of figures among bars and floors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.motion import Clip
from poise.pictures import Camera, Floor, Mesh, Quality, Scene, View, render
from poise.pictures.marks import add_trail
from poise.pictures.performance import CENTRE_OF_MASS, Performance

STILL = Quality(key_samples=32, sky_samples=40, shadow_texel=2.5, sky_texel=6.0, detail=32)
FILM = Quality(key_samples=16, sky_samples=16, shadow_texel=3.0, sky_texel=10.0, detail=18)
Props = Sequence[tuple[Mesh, str]]


def strobe(
    clip: Clip,
    frames: Sequence[int],
    *,
    view: View,
    size: tuple[int, int],
    props: Props = (),
    shifts: ArrayLike | None = None,
    trails: Mapping[str, str] | None = None,
    around: ArrayLike = (),
    margin: float = 0.04,
    quality: Quality = STILL,
) -> Any:
    """A picture (H, W, 3) of solid figures at frames, each moved by its shift (3,), with paths of points."""
    actor = Performance(clip, detail=quality.detail, ground=False)
    moved = np.zeros((len(frames), 3)) if shifts is None else np.asarray(shifts, dtype=np.float64)
    scene = Scene(floor=Floor(tile=0.5))
    for k, (frame, shift) in enumerate(zip(frames, moved)):
        actor.put(scene.solid, frame, shift=shift, whiten=0.18 * (k % 2))
    for mesh, look in props:
        scene.solid.add(mesh, look)
    for name, colour in ({CENTRE_OF_MASS: "centre_of_mass"} if trails is None else trails).items():
        span = np.arange(frames[0], frames[-1] + 1)
        along = np.stack([np.interp(span, frames, moved[:, axis]) for axis in range(3)], axis=1)
        add_trail(scene.layer(shadow=0.0), actor.point(name)[span] + along, colour, width=0.02, fade=0.4)
    seen = (actor.cloud(frames) + moved[:, None]).reshape(-1, 3)
    camera = _camera(np.concatenate([seen, np.reshape(around, (-1, 3))]), view, size, margin)
    return render(scene, camera, quality=quality, threads=1)


def film(
    clip: Clip,
    path: Path,
    *,
    view: View,
    size: tuple[int, int] = (960, 540),
    props: Props = (),
    follow: float = 0.0,
    around: ArrayLike = (),
    rate: int = 30,
    trails: Sequence[str] = (CENTRE_OF_MASS,),
) -> Path:
    """Write an MP4; ``follow`` [s]: the camera goes along with the figure, this patiently; 0: it stands."""
    import imageio_ffmpeg

    path.parent.mkdir(parents=True, exist_ok=True)
    encoder = imageio_ffmpeg.write_frames(
        str(path), size, fps=rate, codec="libx264", macro_block_size=2, quality=None,
        ffmpeg_log_level="error", output_params=["-crf", "18", "-movflags", "+faststart"],
    )  # fmt: skip
    encoder.send(None)
    try:
        for picture in _pictures(clip, view, size, props, follow, around, rate, trails):
            encoder.send(np.ascontiguousarray(picture))
    finally:
        encoder.close()
    return path


def _pictures(
    clip: Clip, view: View, size: tuple[int, int], props: Props, follow: float, around: ArrayLike, rate: int,
    trails: Sequence[str],
) -> Iterator[Any]:  # fmt: skip
    times = np.arange(int(clip.duration * rate + 1e-6) + 1) / rate
    actor = Performance(clip, detail=FILM.detail, times=times, ground=False)
    way = _smoothed(actor.point(CENTRE_OF_MASS) * [1.0, 1.0, 0.0], follow * rate)
    cloud = actor.cloud(range(0, len(times), 3)) - way[::3, None]
    camera = _camera(np.concatenate([cloud.reshape(-1, 3), np.reshape(around, (-1, 3))]), view, size, 0.07)
    paths = [actor.point(name) for name in trails]
    for k in range(len(times)):
        scene = Scene(floor=Floor(tile=0.5))
        actor.put(scene.solid, k)
        for mesh, look in props:
            scene.solid.add(mesh, look)
        for points in paths:
            if k:
                recent = points[max(0, k - rate) : k + 1]
                add_trail(scene.layer(shadow=0.0), recent, "centre_of_mass", width=0.02)
        yield render(scene, camera.moved(way[k]), quality=FILM)


def _camera(points: Array, view: View, size: tuple[int, int], margin: float) -> Camera:
    return Camera.framing(
        points,
        azimuth=view.azimuth,
        elevation=view.elevation,
        size=size,
        margin=margin,
        orthographic=view.orthographic,
    )


def _smoothed(way: Array, sigma: float) -> Array:
    """Where a patient camera looks (F, 3); nowhere in particular without patience."""
    from scipy.ndimage import gaussian_filter1d

    return np.asarray(gaussian_filter1d(way, sigma, axis=0, mode="nearest")) if sigma > 0 else 0.0 * way
