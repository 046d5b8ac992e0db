"""Pictures of characters without a graphics card: stills, contact sheets, videos.

Everything is drawn by a small compiled renderer: it works on any machine and gives the same bits every time.

Examples:
    >>> picture = poise.pictures.strobe(poise.clips.get("punch"), count=5, size=(640, 360))
    >>> poise.pictures.save_png(picture, "punch.png")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from poise.operations.values.camera import CameraKey, Cut, FilmCamera
    from poise.pictures.backdrop import Floor
    from poise.pictures.camera import Camera
    from poise.pictures.captions import captioned
    from poise.pictures.contact_sheet import sheet
    from poise.pictures.figures import Figure, figure
    from poise.pictures.lights import Lights
    from poise.pictures.material import PALETTE, Material
    from poise.pictures.mesh import Mesh
    from poise.pictures.scene import STILL, VIDEO, Layer, Quality, Scene, render
    from poise.pictures.shots import Shots
    from poise.pictures.strobe_picture import strobe
    from poise.pictures.video_file import Prop, video
    from poise.pictures.views import VIEWS, View
    from poise.pictures.writing import save_png

_HOME = {
    "Camera": "camera",
    "CameraKey": "shots",
    "Cut": "shots",
    "FilmCamera": "shots",
    "Figure": "figures",
    "Floor": "backdrop",
    "Layer": "scene",
    "Lights": "lights",
    "Material": "material",
    "Mesh": "mesh",
    "PALETTE": "material",
    "Prop": "video_file",
    "Quality": "scene",
    "STILL": "scene",
    "Scene": "scene",
    "Shots": "shots",
    "VIDEO": "scene",
    "VIEWS": "views",
    "View": "views",
    "captioned": "captions",
    "figure": "figures",
    "render": "scene",
    "save_png": "writing",
    "sheet": "contact_sheet",
    "strobe": "strobe_picture",
    "video": "video_file",
}

__all__ = [
    "PALETTE",
    "STILL",
    "VIDEO",
    "VIEWS",
    "Camera",
    "CameraKey",
    "Cut",
    "Figure",
    "FilmCamera",
    "Floor",
    "Layer",
    "Lights",
    "Material",
    "Mesh",
    "Prop",
    "Quality",
    "Scene",
    "Shots",
    "View",
    "captioned",
    "figure",
    "render",
    "save_png",
    "sheet",
    "strobe",
    "video",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"poise.pictures.{_HOME[name]}"), name)
    raise AttributeError(f"module 'poise.pictures' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
