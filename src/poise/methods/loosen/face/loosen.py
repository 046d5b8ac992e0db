"""Loosen a face: its vertices on springs, frame by frame without history."""

from __future__ import annotations

from typing import Any

from poise.arrays import Array
from poise.methods.loosen.face.face import Face
from poise.methods.loosen.face.material import Spec
from poise.motion import Clip, MeshClip


def loosen(clip: Clip, flesh: Spec = "relaxed", window: float | str = "auto", **options: Any) -> MeshClip:
    """The moving vertices of a clip with morph targets, loosened.

    ``flesh`` is a Flesh, a frequency [Hz] or a preset, for all or by region; ``window`` the length of each
    frame's own simulation [s] ("auto": until 1 % is left of a blow). ``soft`` says how far vertices take
    part: "auto" (where morph targets move them), a number or one for each vertex. ``clusters`` is their
    number; ``head`` names the body that carries the face.
    """
    return Face(clip, flesh, window, **options).mesh()


def state(
    clip: Clip, time: float, flesh: Spec = "relaxed", window: float | str = "auto", **options: Any
) -> Array:
    """The loose vertices at one time, (N, 3): what scrubbing shows."""
    return Face(clip, flesh, window, **options).states([time])[0]
