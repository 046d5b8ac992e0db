"""All kinds of layers. A new one is a file here and a line in ``KINDS``."""

from __future__ import annotations

from typing import Any, Union

from poise.project.kinds.adaptation import AdaptationLayer
from poise.project.kinds.attachment import AttachmentLayer
from poise.project.kinds.beat import BeatLayer
from poise.project.kinds.fix import FixLayer
from poise.project.kinds.kinodynamics import KinodynamicsLayer
from poise.project.kinds.retarget import RetargetLayer
from poise.project.kinds.source import SourceLayer
from poise.project.kinds.synthesis import SynthesisLayer
from poise.project.kinds.targets import TargetsLayer
from poise.project.kinds.tracks import TracksLayer
from poise.project.layer import Layer

KINDS: dict[str, type[Layer]] = {
    str(cls.__struct_config__.tag): cls
    for cls in (
        SourceLayer,
        SynthesisLayer,
        TracksLayer,
        BeatLayer,
        AdaptationLayer,
        RetargetLayer,
        FixLayer,
        KinodynamicsLayer,
        TargetsLayer,
        AttachmentLayer,
    )
}
AnyLayer: Any = Union[tuple(KINDS.values())]  # noqa: UP007  of a table
"""The type that a layer in a file is decoded to."""

__all__ = [
    "KINDS",
    "AdaptationLayer",
    "AnyLayer",
    "AttachmentLayer",
    "BeatLayer",
    "FixLayer",
    "KinodynamicsLayer",
    "RetargetLayer",
    "SourceLayer",
    "SynthesisLayer",
    "TargetsLayer",
    "TracksLayer",
]
