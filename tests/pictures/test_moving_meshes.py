"""Pictures of meshes that move: alone, and along with a character."""

from __future__ import annotations

import numpy as np

import poise
from poise import pictures
from poise.motion import MeshClip
from poise.pictures import VIDEO
from poise.pictures.mesh import sphere

QUICK = {"quality": VIDEO, "size": (160, 90)}


def ball(path) -> MeshClip:
    solid = sphere(0.2, detail=12)
    return MeshClip(solid.vertices + np.asarray(path)[:, None], solid.faces, 30, colours=(0.8, 0.05, 0.05))


def red(picture) -> int:
    """How many pixels are clearly red."""
    p = picture.astype(int)
    return int(((p[..., 0] > 90) & (p[..., 1] < 70) & (p[..., 2] < 70)).sum())


def test_alone():
    mesh = ball([[0, 0, 0.2], [0, 0.4, 0.2], [0, 0.8, 0.2]])
    assert red(pictures.strobe(mesh, count=2, style="solid", **QUICK)) > 100
    assert pictures.sheet(mesh, count=2, cell=(60, 60)).shape[2] == 3


def test_alongside_a_character(tmp_path):
    walk = poise.motion.operators.trim(poise.clips.get("walk"), 0, 0.4)
    head = [[0.6, 0.0, 1.0 + 0.01 * k] for k in range(walk.frames)]
    plain = pictures.strobe(walk, count=1, **QUICK)
    both = pictures.strobe(walk, count=1, meshes=[ball(head)], **QUICK)
    assert red(plain) == 0
    assert red(both) > 30
    film = pictures.video(
        walk, tmp_path / "walk.gif", size=(80, 60), fps=5, meshes=[ball(head)], quality=VIDEO
    )
    assert film.stat().st_size > 1000
    film = pictures.video(ball(head), tmp_path / "ball.gif", size=(80, 60), fps=5, quality=VIDEO)
    assert film.stat().st_size > 1000
