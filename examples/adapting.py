"""For the examples of adaptation: what it is compared with, how it is measured, and strobed pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from panels import GHOST, QUALITY, reduced
from poise import clips
from poise.arrays import Array
from poise.character import Character, presets
from poise.clips.author.planar import flattened
from poise.constraints import Constraint, FootPlant
from poise.curves import InterpolatingCubic, TangentCurve
from poise.kinematics import Kinematics
from poise.methods.key.pose.solve import solve
from poise.motion import Clip, edit
from poise.operations.pose import Pose
from poise.pictures import Camera, Floor, Mesh, Scene, View, render, save_png
from poise.pictures.contact_sheet import labelled
from poise.pictures.marks import add_target, add_trail
from poise.pictures.performance import Performance

TRAIL, WAS = "trail", "trail3"
"""Colours of a path, and of what it was before."""


def standing(duration: float) -> Clip:
    """The planar humanoid at ease."""
    wave = flattened(clips.get("wave"), presets.planar_humanoid(), "standing")
    q = np.tile(wave.q[0], (round(duration * wave.fps) + 1, 1))
    return Clip(wave.character, q, wave.rate, name="standing")


def upper_body(character: Character) -> list[str]:
    """Joints above the hips."""
    return [b.name for b in character.bodies[1:] if b.limb not in ("leg", "foot")]


def posed(
    clip: Clip,
    time: float,
    wanted: Sequence[Constraint],
    *,
    near: Array | None = None,
    joints: Sequence[str] | None = None,
) -> Array:
    """Inverse kinematics: the pose that meets constraints, nearest to the clip's or to ``near`` (nq,)."""
    character = clip.character
    here = clip.at(np.array([time]))[0] if near is None else near
    free = None if joints is None else np.isin(character.dof_body, [character.index(n) for n in joints])
    return solve(character, wanted, Pose(at=time), pose=here, free=free).q


def mapped(clip: Clip, poses: Mapping[float, Array | None], ends: str = "natural") -> Clip:
    """A displacement map: an interpolating cubic through what poses at keys differ from the clip by.

    None is no difference; with ``ends`` "zero" the first and last key must be None.
    """
    times = np.array(list(poses))
    here = clip.at(times)
    minus = clip.character.manifold.minus
    change = [
        np.zeros(clip.character.nv) if q is None else minus(q, was) for q, was in zip(poses.values(), here)
    ]
    values = np.array(change[1:-1] if ends == "zero" else change)
    return edit.apply(TangentCurve(InterpolatingCubic(times, ends), values), clip)


def path(clip: Clip, point: str) -> Array:
    """Where a point goes (F, 3) [m]."""
    return Kinematics(clip.character, clip.q).point(point)


def planted(clip: Clip, plants: Sequence[FootPlant]) -> Array:
    """The farthest that the points of each plant are from their marks while they stand [m], (plants,)."""
    kin, found = Kinematics(clip.character, clip.q), []
    for plant in plants:
        off = [0.0]
        for pin in plant.pins(clip.character):
            times = pin.when.times(clip)
            at = np.rint(times * clip.fps).astype(int)
            off.append(
                float(np.linalg.norm(kin.point(pin.handle.point)[at] - pin.target.at(times), axis=1).max())
            )
        found.append(max(off))
    return np.array(found)


@dataclass(frozen=True, eq=False)
class Strobe:
    """One panel: a figure at several frames, others faintly behind it, paths, marks and things."""

    clip: Clip
    frames: Sequence[int]
    title: str = ""
    note: str = ""
    ghosts: Sequence[tuple[Clip, Sequence[int]]] = ()
    trails: Sequence[tuple[ArrayLike, str]] = ()
    """Paths (N, 3) and their colours."""
    targets: Sequence[ArrayLike] = ()
    meshes: Sequence[tuple[Mesh, Any]] = ()


@dataclass(frozen=True)
class Stage:
    """What all panels of a picture share."""

    view: View
    cell: tuple[int, int]
    columns: int = 1
    around: ArrayLike = ()
    """Further points to frame (N, 3), or all there are with ``close``."""
    close: bool = False
    width: float = 0.02
    """Of paths [m]."""
    margin: float = 0.04


def strobes(items: Sequence[Strobe], path: Path, stage: Stage) -> Path:
    """Draw panels in rows with one camera, and write them as PNG."""
    actors: dict[int, Performance] = {}
    for item in items:
        for clip in (item.clip, *(c for c, _ in item.ghosts)):
            actors.setdefault(id(clip), Performance(clip, detail=QUALITY.detail, ground=False))
    clouds = [actors[id(item.clip)].cloud(item.frames).reshape(-1, 3) for item in items]
    seen = [np.reshape(stage.around, (-1, 3)), *([] if stage.close else clouds)]
    camera = Camera.framing(
        np.concatenate(seen),
        azimuth=stage.view.azimuth,
        elevation=stage.view.elevation,
        size=stage.cell,
        margin=stage.margin,
        orthographic=stage.view.orthographic,
    )
    images = [_panel(item, actors, camera, stage) for item in items]
    blank = np.full_like(images[0], 244)
    rows = []
    for first in range(0, len(images), stage.columns):
        row = images[first : first + stage.columns]
        row += [blank] * (stage.columns - len(row))
        gap = np.full((stage.cell[1], 4, 3), 244, dtype=np.uint8)
        rows.append(np.concatenate([part for image in row for part in (image, gap)][:-1], axis=1))
    level = np.full((4, rows[0].shape[1], 3), 244, dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_png(reduced(np.concatenate([part for row in rows for part in (row, level)][:-1])), path)
    return path


def _panel(item: Strobe, actors: Mapping[int, Performance], camera: Camera, stage: Stage) -> Any:
    scene = Scene(floor=Floor(tile=0.5))
    for k, frame in enumerate(item.frames):
        actors[id(item.clip)].put(scene.solid, frame, whiten=0.22 * (k % 2))
    for clip, frames in item.ghosts:
        faint = scene.layer(**GHOST)  # type: ignore[arg-type]
        for frame in frames:
            actors[id(clip)].put(faint, frame)
    for mesh, look in item.meshes:
        scene.solid.add(mesh, look)
    for target in item.targets:
        add_target(scene, target, radius=0.028, towards=camera.eye - camera.target)
    layer = scene.layer(shadow=0.0)
    for points, colour in item.trails:
        add_trail(layer, points, colour, width=stage.width, fade=0.0, finer=1)
    image = render(scene, camera, quality=QUALITY, threads=1)
    return labelled(image, item.title, item.note) if item.title or item.note else image
