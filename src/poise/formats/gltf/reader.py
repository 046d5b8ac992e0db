"""Reading: nodes, skin and one animation of a glTF or GLB file as a clip, and the file with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character, Skin
from poise.errors import InputError
from poise.formats.cycle import looped
from poise.formats.gltf.body_mass import with_remembered_masses
from poise.formats.gltf.container import Document, read_document
from poise.formats.gltf.interpretation import interpret
from poise.formats.gltf.mixture import MorphChannel
from poise.formats.gltf.original import original_of
from poise.formats.gltf.skinning import build_skin
from poise.formats.gltf.tracks import Animation, animation_labels
from poise.formats.units import Axes
from poise.formats.weighing import MassOption, Weighing, size_notes
from poise.motion import Clip, Source
from poise.reading import blaming


def load(
    path: str | Path,
    *,
    animation: str | int | None = None,
    skin: str | int | None = None,
    fps: Fraction | float | str | None = None,
    scale: float = 1.0,
    up: str | None = None,
    mass: MassOption = True,
) -> Clip:
    """Read one animation (by name or number; the first that moves the skeleton) of the character in a file.

    Frames are the file's own keys where those lie on an exact rate, else samples at 60 frames per
    second or at ``fps``. ``scale`` is the length of the file's unit [m] (glTF's own is the metre),
    ``up`` the axis that is up in it ("z" in files of exporters that forgot to turn it; glTF's own is y).
    ``mass``: True (those Poise wrote into the file, else guessed), False (none), the total [kg], or a method
    ("table", "skin", "capsules"). A file without animation gives one frame, the rest pose.
    """
    path = Path(path)
    with blaming(path, "glTF"):
        document = read_document(path)
    return clip_of(document, animation=animation, skin=skin, fps=fps, scale=scale, up=up, mass=mass)


def clip_of(
    document: Document,
    *,
    animation: str | int | None = None,
    skin: str | int | None = None,
    fps: Fraction | float | str | None = None,
    scale: float = 1.0,
    mass: MassOption = True,
    format: str = "gltf",
    up: str | None = None,
    said_up: str = "y",
    unit: float | None = None,
    remarks: Sequence[str] = (),
    read_as: Mapping[str, Any] = MappingProxyType({}),
) -> Clip:
    """The clip that a document holds; ``format`` is that of the file, on which there may be ``remarks``.

    ``up`` is the axis that is up in the document, where that is said in place of glTF's own. ``said_up`` is
    the one that was up in the file, ``unit`` [m] the file's where the document is in metres, ``read_as`` are
    options of reading that the document has in it already.
    """
    stood = Axes(up or "y").up
    path = document.path
    weighed = Weighing.of(mass)
    if not np.isfinite(scale) or scale <= 0:
        raise InputError(f"scale must be a positive length in metres, not {scale!r}")
    with blaming(path, "glTF" if format == "gltf" else format.upper()):
        read = interpret(document, animation=animation, skin=skin, fps=fps, scale=scale, up=stood)
        notes = [*remarks, *_extension_notes(document), *read.notes]
        mesh, channels = build_skin(document, read.tree, read.rig, notes)
        name = str(read.asset_extras.get("poise") or "")
        character = Character(name or path.stem, read.bodies, skin=mesh, mass_source="none")
        if weighed.wanted:
            character = with_remembered_masses(character, document, read.rig)
        unit = scale if unit is None else unit
        notes += size_notes(character, unit)
        weights = morph_weights(read.chosen, channels, mesh, read.grid.times)
        options = {"animation": read.number, "skin": skin, "fps": fps, "scale": scale, "up": up, "mass": mass}
        original = original_of(document, {**options, **read_as})
    try:
        character = weighed(character)
    except InputError as problem:
        if weighed != Weighing():
            raise  # what was asked for cannot be done
        notes.append(f"no masses were guessed: {problem}")
    said = tuple(dict.fromkeys(notes))
    source = Source(str(path), format, unit, up or said_up, said, original, read.facts(), read.number)
    clip = Clip(character, read.q, read.grid.rate, name=read.title, source=source, morphs=weights)
    return looped(clip, read.said)


def animation_names(path: str | Path) -> tuple[str, ...]:
    """Names of the animations in a file."""
    with blaming(path, "glTF"):
        return animation_labels(read_document(Path(path)))


def morph_weights(
    chosen: Animation | None, channels: Sequence[MorphChannel], skin: Skin | None, times: Array
) -> Array | None:
    """Morph weights (F, m): the animation's, else those at rest."""
    if skin is None or not skin.morphs:
        return None
    out = np.zeros((len(times), len(skin.morphs)))
    for channel in channels:
        span = slice(channel.first, channel.first + len(channel.rest))
        out[:, span] = channel.rest
        track = chosen.tracks.get((channel.node, "weights")) if chosen is not None else None
        if track is not None and track.values.shape[1] != len(channel.rest):
            raise InputError(
                f"the weights of node {channel.node} have {track.values.shape[1]} values per key, "
                f"its mesh has {len(channel.rest)} morph targets"
            )
        if track is not None:
            out[:, span] = track.at(times)
    return out


def _extension_notes(document: Document) -> list[str]:
    used: Any = document.content.get("extensionsUsed", [])
    names = [str(n) for n in used] if isinstance(used, list) else []
    return [f"extension {n} is not read" for n in dict.fromkeys(names) if n == "EXT_mesh_gpu_instancing"]
