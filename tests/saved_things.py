"""Everything that Poise writes, as functions of a path and of what is to be seen in the file: old or new.

Each is called with ``"old"`` and then, while the disk fails or the process is killed, with ``"new"``: the
file must then be one of the two, to the bit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import poise
from poise import project as projects

Write = Callable[[Path, str], object]


@cache
def clip(kind: str) -> Any:
    """Two that differ in length, so that remains of the longer one would be seen."""
    from poise.motion import operators

    walk = poise.clips.get("walk")
    return walk if kind == "old" else operators.trim(walk, 0.1, 0.5)


def _clip(path: Path, kind: str) -> object:
    return clip(kind).save(path)


def _picture(path: Path, kind: str) -> object:
    from poise.pictures.writing import save_png

    rng = np.random.default_rng(len(kind) + ord(kind[0]))
    return save_png(rng.integers(0, 255, (64 if kind == "old" else 48, 64, 3), dtype=np.uint8), path)


def _film(path: Path, kind: str) -> object:
    from poise import pictures

    size = (64, 64) if kind == "old" else (48, 48)
    return pictures.video(clip("new"), path, size=size, fps=5, duration=0.4, threads=1)


def _page(path: Path, kind: str) -> object:
    from poise.files import write_text
    from poise.studio.page import page

    return write_text(path, page(clip(kind), title=kind))


@cache
def _scene_of(kind: str) -> Any:
    from poise.methods.plan.scene import bundled as scenes

    return scenes.get("lamp jump" if kind == "new" else "four steps")


def _scene(path: Path, kind: str) -> object:
    return _scene_of(kind).save(path)


def _poses(path: Path, kind: str) -> object:
    from poise.methods.perform.script.pose import JointPose, PoseLibrary

    figure = clip("old").character
    names = ["a"] if kind == "new" else ["a", "b", "c"]
    return PoseLibrary(figure, [JointPose.from_degrees(figure, {}, name=name) for name in names]).save(path)


def _sound(path: Path, kind: str) -> object:
    from poise.methods.perform.script import sound

    return sound.write(path, np.linspace(-1, 1, 4000 if kind == "old" else 3000))


def _plot(path: Path, kind: str) -> object:
    from matplotlib.figure import Figure

    from poise.plot_page import write_page

    return write_page(Figure(figsize=(2, 2) if kind == "old" else (1, 1)), path, dpi=50)


def _project(path: Path, kind: str) -> object:
    project = projects.Project()
    project.add_clip("punch", clip(kind)).add("load", "take", clip="punch")
    try:
        return project.save(path, force=True)
    finally:
        project.close()


def _bake(path: Path, kind: str) -> object:
    project = projects.Project()
    project.add_clip("punch", clip(kind)).add("load", "take", clip="punch")
    return projects.bake(project, path)


def _durable(path: Path, kind: str) -> object:
    from poise.files import write_text

    return write_text(path, json.dumps({"kind": kind * (400 if kind == "old" else 100)}), durable=True)


WRITERS: dict[str, Write] = {
    "clip.bvh": _clip,
    "clip.glb": _clip,
    "clip.gltf": _clip,
    "clip.npz": _clip,
    "clip.xml": _clip,
    "picture.png": _picture,
    "film.gif": _film,
    "page.html": _page,
    "scene.json": _scene,
    "poses.json": _poses,
    "sound.wav": _sound,
    "plot.png": _plot,
    "project.poise": _project,
    "baked.bvh": _bake,
    "durable.json": _durable,
}
BY_OTHERS: dict[str, Write] = {"film.mp4": _film, "clip.usda": _clip, "clip.usdc": _clip}
"""Files that programs and libraries of others fill: no failure can be put into their calls."""
