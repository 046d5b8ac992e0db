"""What a project's cameras see over time: keys joined smoothly, bodies gone along with, cuts.

Between its keys a camera's target, azimuth and elevation seen from it, distance and field of view (these two
by their logarithms) go along cubic pieces that rest at the first and last key and never overshoot: with
slopes s on both sides of a key, over times h, its rate is

    0 where s₋ s₊ ≤ 0,   else (w₋ + w₊) / (w₋/s₋ + w₊/s₊),   w₋ = 2h₊ + h₋,  w₊ = h₊ + 2h₋

(Fritsch and Butland 1984). So one that swings round somebody stays as far away as it was. Who goes along with
a body goes where the body does over the floor, averaged over ``SMOOTH``: hips sway. The studio's stage does
the same (``web/src/stage/shots.ts``); ``web/tests/shots.json`` holds both to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.errors import InputError, UnknownNameError
from poise.motion import Clip
from poise.operations.values.camera import CUTS, CameraKey, Cut, FilmCamera
from poise.pictures.camera import Camera

SMOOTH = 0.5
"""Where somebody is, is averaged over so long [s]."""
FLAT = 1.0
"""A smaller field of view is drawn without perspective [°]."""
SLACK = 1e-6
"""A cut at a frame's own time is seen in that frame, whatever times round to [s]."""


@dataclass(frozen=True)
class Shots:
    """Cameras by name, and from when on each is seen; without cuts the first is.

    Examples:
        >>> key = poise.pictures.CameraKey(eye=(3.0, -3.0, 1.5), target=(0.0, 0.0, 0.9))
        >>> shots = poise.pictures.Shots({"wide": poise.pictures.FilmCamera(keys=(key,))})
        >>> wave = poise.clips.get("wave")
        >>> film = poise.pictures.video(wave, "seen.gif", view=shots, size=(160, 120), fps=5, duration=0.4)
    """

    cameras: Mapping[str, FilmCamera]
    """By name, at least one."""
    cuts: tuple[Cut, ...] = ()
    """In any order; the first is also seen before its time."""

    def __post_init__(self) -> None:
        if not self.cameras:
            raise InputError("there is no camera: add one in the studio, or by the command put-camera")

    def only(self, name: str) -> Shots:
        """One camera all the time; ``"cuts"``: as the cuts say."""
        if name == CUTS:
            return self
        if name not in self.cameras:
            raise UnknownNameError("camera", name, (CUTS, *self.cameras))
        return Shots({name: self.cameras[name]})

    def on(self, time: float) -> str:
        """The name of the camera that is seen at a time [s]."""
        listed = sorted(self.cuts, key=lambda cut: cut.time)
        if not listed:
            return next(iter(self.cameras))
        past = [cut for cut in listed if cut.time <= time + SLACK]
        return (past[-1] if past else listed[0]).camera

    def seen(self, clip: Clip, times: Array, size: tuple[int, int], offset: Array) -> list[Camera]:
        """The camera at every time (F,) [s], where the motion is drawn ``offset`` (3,) [m] from its place."""
        found: list[Camera | None] = [None] * len(times)
        names = [self.on(float(time)) for time in times]
        for name in dict.fromkeys(names):
            chosen = [k for k, each in enumerate(names) if each == name]
            for k, (eye, target, fov) in zip(
                chosen, stood(self.cameras[name], clip, times[chosen]), strict=True
            ):
                found[k] = _camera(eye + offset, target + offset, fov, size)
        return [each for each in found if each is not None]


def stood(camera: FilmCamera, clip: Clip, times: Array) -> list[tuple[Array, Array, float]]:
    """Eye and target [m] and field of view [°] of a camera at times (F,) [s]."""
    keys = sorted(camera.keys, key=lambda key: key.time)
    at = np.array([key.time for key in keys])
    numbers = np.array([_numbers(key) for key in keys])  # (K, 7)
    numbers[:, 3] = np.unwrap(numbers[:, 3])
    if camera.follow:
        numbers[:, :3] -= way(clip, camera.follow, at)
    values = joined(at, numbers, times)
    if camera.follow:
        values[:, :3] += way(clip, camera.follow, times)
    azimuth, elevation, distance, fov = values[:, 3], values[:, 4], np.exp(values[:, 5]), np.exp(values[:, 6])
    out = np.stack(
        [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], axis=1
    )
    eyes = values[:, :3] + distance[:, None] * out
    return [(eyes[k], values[k, :3], float(fov[k])) for k in range(len(times))]


def _numbers(key: CameraKey) -> Array:
    """Target; azimuth and elevation of the eye from it; logarithms of distance and angle of view (7,)."""
    target = np.array(key.target)
    x, y, z = np.array(key.eye) - target
    level = np.hypot(x, y)
    around = [np.arctan2(y, x), np.arctan2(z, level), np.log(np.hypot(level, z)), np.log(key.fov)]
    return np.concatenate([target, around])


def joined(at: Array, values: Array, times: Array) -> Array:
    """Curves (F, n) through ``values`` (K, n) at ``at`` (K,), which rest at both ends and never overshoot."""
    if len(at) == 1:
        return np.repeat(values, len(times), axis=0)
    spans = np.diff(at)
    slopes = np.diff(values, axis=0) / spans[:, None]
    rates = np.zeros_like(values)
    for k in range(1, len(at) - 1):
        before, after = 2 * spans[k] + spans[k - 1], spans[k] + 2 * spans[k - 1]
        same = slopes[k - 1] * slopes[k] > 0
        a, b = np.where(same, slopes[k - 1], 1.0), np.where(same, slopes[k], 1.0)
        rates[k] = np.where(same, (before + after) / (before / a + after / b), 0.0)
    inside = np.clip(times, at[0], at[-1])
    cell = np.clip(np.searchsorted(at, inside, side="right") - 1, 0, len(at) - 2)
    h = spans[cell][:, None]
    s = (inside - at[cell])[:, None] / h
    return np.asarray(
        (1 + 2 * s) * (1 - s) ** 2 * values[cell]
        + s * (1 - s) ** 2 * h * rates[cell]
        + s**2 * (3 - 2 * s) * values[cell + 1]
        + s**2 * (s - 1) * h * rates[cell + 1]
    )


def way(clip: Clip, body: str, times: Array) -> Array:
    """Where a body is over the floor at times (F,) [s], without its sway (F, 3) [m].

    Each end is gone beyond as it was come to, so that nothing jerks there. A loop that is played on goes on.
    """
    names = clip.character.names
    if body not in names:
        raise UnknownNameError("body", body, names, where="a camera's 'follow'")
    number = names.index(body)
    path = clip.character.placement(clip.q)[0][:, number] * (1.0, 1.0, 0.0)
    rate, last = float(clip.rate), clip.frames - 1
    half = max(1, round(0.5 * SMOOTH * rate))
    frames = np.asarray(times) * rate
    rounds = np.zeros((len(frames), 3))
    if clip.loop and clip.duration > 0:
        within = np.mod(times, clip.duration)
        going, began = (
            clip.character.placement(clip.at(t))[0][:, number] for t in (np.asarray(times), within)
        )
        rounds, frames = (going - began) * (1.0, 1.0, 0.0), within * rate

    def along(f: Array) -> Array:
        return np.stack([np.interp(f, np.arange(last + 1), path[:, i]) for i in range(3)], axis=1)

    total = np.zeros((len(frames), 3))
    for k in range(-half, half + 1):
        end = np.clip(frames + k, 0, last)
        beyond = end != frames + k
        total += np.where(beyond[:, None], 2 * along(end) - along(2 * end - (frames + k)), along(end))
    return total / (2 * half + 1) + rounds


def _camera(eye: Array, target: Array, fov: float, size: tuple[int, int]) -> Camera:
    away = float(np.linalg.norm(eye - target))
    span = 2 * away * float(np.tan(np.radians(fov) / 2)) if fov < FLAT else None
    return Camera(eye, target, fov=fov, size=size, span=span, near=max(1e-3, 0.01 * away))
