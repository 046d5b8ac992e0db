"""Reading: skeleton, skin and one take of a binary FBX file as a clip."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from poise.formats.fbx.objects import FbxObjects
from poise.formats.fbx.records import RecordFile, read_records
from poise.formats.fbx.scene import FbxScene
from poise.formats.gltf.reader import clip_of
from poise.formats.weighing import MassOption
from poise.motion import Clip
from poise.motion.frame_times import exact_rate
from poise.reading import Budget, blaming

FREE, PER_BYTE = 1 << 24, 64
"""Numbers of a motion that is sampled: few keys may stand for minutes."""


def load(
    path: str | Path,
    *,
    animation: str | int | None = None,
    skin: str | int | None = None,
    fps: Fraction | float | str | None = None,
    scale: float | None = None,
    up: str | None = None,
    mass: MassOption = True,
) -> Clip:
    """Read one take (by name or number; the first that moves the skeleton) of the character in a file.

    Frames are those of the file's own rate, or of ``fps``, from the take's start to its end. ``scale`` is the
    length of the file's unit [m], ``up`` its up axis ("y" or "z"), in place of what the file says. ``skin``
    chooses among several skeletons by the name of their topmost bone. ``mass``: True (guessed), False (none),
    the total [kg], or a method ("table", "skin", "capsules"). A file without takes gives one frame, the rest
    pose.
    """
    path = Path(path)
    rate = exact_rate(fps) if fps is not None else None
    with blaming(path, "FBX"):
        file = read_records(path)
        made = scene_of(file, scale, rate, up=up)
    said = {"scale": scale, "fps": str(rate) if rate is not None else None, "up": up}
    document = made.scene.document(path, file.data)
    return clip_of(
        document,
        animation=animation,
        skin=skin,
        mass=mass,
        format="fbx",
        said_up=made.up,
        unit=made.unit,
        remarks=made.notes,
        read_as=said,
    )


def scene_of(
    file: RecordFile,
    scale: float | None,
    rate: Fraction | None,
    *,
    up: str | None = None,
    outside: bool = True,
) -> FbxScene:
    """What a file holds, read; ``outside``: with pictures that lie beside it."""
    made = FbxScene(FbxObjects(file), Budget(file.path, len(file.data), free=FREE, per_byte=PER_BYTE))
    made.read(scale, rate, up=up, outside=outside)
    return made
