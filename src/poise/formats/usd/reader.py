"""Reading: a skeleton of UsdSkel, what is bound to it and its animation, as a clip."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from poise.formats.cycle import looped
from poise.formats.gltf.reader import clip_of
from poise.formats.usd.package import is_package
from poise.formats.usd.scene import UsdScene, facts_of
from poise.formats.usd.stage import complaining, kept_stage, opened, other_layers
from poise.formats.weighing import MassOption
from poise.motion import Clip, OriginalFile
from poise.motion.frame_times import exact_rate
from poise.reading import Budget, blaming, read_bytes

FREE, PER_BYTE = 1 << 24, 64
"""Numbers of a motion that is sampled: few samples may stand for minutes."""


def load(
    path: str | Path,
    *,
    skin: str | int | None = None,
    fps: Fraction | float | str | None = None,
    scale: float | None = None,
    up: str | None = None,
    mass: MassOption = True,
) -> Clip:
    """Read the character in a USD file and its animation.

    Frames are those of the file's time codes, or of ``fps``. ``scale`` is the length of the file's unit [m],
    ``up`` its up axis ("y" or "z"), in place of what the file says. ``skin`` chooses among several skeletons
    by the name of their first joint. ``mass``: True (guessed), False (none), the total [kg], or a method
    ("table", "skin", "capsules"). A file without animation gives one frame, the rest pose.
    """
    path = Path(path)
    rate = exact_rate(fps) if fps is not None else None
    with blaming(path, "USD"), complaining(path):
        data = read_bytes(path)
        package = is_package(data)
        with kept_stage(path, OriginalFile(data)) if package else nullcontext(opened(path)) as stage:
            made = UsdScene(stage, Budget(path, len(data), free=FREE, per_byte=PER_BYTE))
            document = made.read(scale, rate, up).document(path, data)
            said, layers = facts_of(stage), {} if package else other_layers(stage, path)
    said_options = {"scale": scale, "fps": str(rate) if rate is not None else None, "up": up}
    clip = clip_of(
        document,
        skin=skin,
        mass=mass,
        format="usd",
        said_up=made.up,
        unit=made.unit,
        remarks=made.notes,
        read_as=said_options,
    )
    assert clip.source is not None
    own = replace(clip.source, payload=replace(clip.source.payload, beside=layers))
    return looped(clip.replaced(source=own), said)
