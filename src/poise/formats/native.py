"""Poise's own format: a whole clip (character, masses, skin, motion) in one ``.npz``, exact to the bit.

    poise    JSON as UTF-8 bytes: version, clip, character
    q        configurations (F, nq)
    morphs   weights of the skin's morph targets (F, m), where there are any
    skin_…   arrays of the skin, where there is one
    original, original_…   the file that the clip came from, and those it refers to, as bytes

Nothing in it is executable (no pickles), and any program that reads NumPy archives can read it.
"""

from __future__ import annotations

import json
from dataclasses import astuple, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from poise.character.serial import from_dict, skin_from_arrays, skin_to_arrays, to_dict
from poise.errors import FileFormatError
from poise.files import replacing
from poise.formats.options import refuse_options
from poise.formats.weighing import MassOption
from poise.motion.clip import Clip
from poise.motion.mesh_clip import MeshClip
from poise.motion.source import AnimationFacts, OriginalFile, Source
from poise.motion.travel import Travel
from poise.reading import Archive, blaming, json_from, read_arrays, read_bytes

VERSION = 1


def save(clip: Clip | MeshClip, path: str | Path) -> None:
    """Write the clip, with the file it came from where its format's writer edits that.

    A mesh clip becomes one whose morph weights move it, a target per frame.
    """
    with replacing(path) as temporary, temporary.open("wb") as file:
        write(clip.as_clip(0.0) if isinstance(clip, MeshClip) else clip, file)


def write(clip: Clip, file: BinaryIO) -> None:
    """Write the clip to an open file; the same clip always gives the same bytes."""
    description: dict[str, Any] = {
        "version": VERSION,
        "clip": {
            "name": clip.name,
            "rate": str(clip.rate),
            "loop": clip.loop,
            "travel": [*np.asarray(clip.travel.translation).tolist(), clip.travel.yaw],
        },
        "character": to_dict(clip.character),
    }
    arrays: dict[str, NDArray[Any]] = {"q": clip.q}
    if clip.source is not None:
        s = clip.source
        description["source"] = [
            s.path,
            s.format,
            s.unit,
            s.up,
            list(s.notes),
            *([s.front] if s.front else []),
        ]
        if isinstance(s.payload, OriginalFile):
            description["file"], files = _file_to_arrays(s.payload)
            description["file"]["animations"] = [list(astuple(each)) for each in s.animations]
            description["file"]["animation"] = s.animation
            arrays |= files
    if clip.morphs is not None:
        arrays["morphs"] = clip.morphs
    if clip.character.skin is not None:
        skin, description["skin"] = skin_to_arrays(clip.character.skin)
        arrays |= {f"skin_{name}": array for name, array in skin.items()}
    text = json.dumps(description, ensure_ascii=False, allow_nan=False).encode("utf-8")
    np.savez(file, allow_pickle=False, poise=np.frombuffer(text, dtype=np.uint8), **arrays)


def load(
    path: str | Path,
    *,
    body: str | None = None,
    parents: str | None = None,
    names: str | None = None,
    fps: Fraction | float | str | None = None,
    up: str | None = None,
    scale: float | None = None,
    mass: MassOption = True,
) -> Clip:
    """Read a clip that :func:`save` wrote, or an archive of others: AMASS, positions of joints, markers.

    Options are for those: ``body`` is a body model's file (AMASS), the others are as for arrays of joints.
    """
    data = read_bytes(path)
    archive = Archive(data, path)
    how: dict[str, Any] = {"fps": fps, "up": up, "scale": scale, "mass": mass}
    if "poise.npy" in archive.names:
        given = {"body": body, "parents": parents, "names": names, **how, "mass": None}
        refuse_options(Path(path), "an archive of Poise's, which says it", (), given)
        return parse(data, Path(path))
    from poise.formats.foreign_archive import load_foreign

    return load_foreign(data, Path(path), archive.names, body=body, parents=parents, names=names, **how)


def parse(data: bytes, path: Path) -> Clip:
    """Read a clip from the bytes of a file; ``path`` is for complaints."""
    arrays = read_arrays(data, path)
    if "poise" not in arrays:
        raise FileFormatError(path, "a NumPy archive, but not one of Poise's")
    description = json_from(arrays.pop("poise").tobytes(), path, what="a description of a clip")
    if not isinstance(description, dict) or description.get("version") != VERSION:
        found = description.get("version") if isinstance(description, dict) else None
        raise FileFormatError(path, f"version {found!r} of the format; this Poise reads version {VERSION}")
    with blaming(path, "a whole description of a clip"):
        return _clip(description, arrays)


def _clip(description: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Clip:
    notes: list[str] = []
    skin = None
    if "skin" in description:
        parts = {n.removeprefix("skin_"): a for n, a in arrays.items() if n.startswith("skin_")}
        skin = skin_from_arrays(parts, description["skin"])
        if description["skin"]["lost"]:
            notes.append(f"not kept of the skin: {', '.join(description['skin']['lost'])}")
    source = None
    if "source" in description:
        origin, format, unit, up, remarks, *front = description["source"]
        faced = str(front[0]) if front else ""
        source = Source(str(origin), str(format), float(unit), str(up), (*remarks, *notes), front=faced)
        if "file" in description:
            told = description["file"]
            facts = tuple(AnimationFacts(n, d, j, m, tuple(o)) for n, d, j, m, o in told["animations"])
            original = _file_from_arrays(told, arrays)
            source = replace(source, payload=original, animations=facts, animation=told["animation"])
    elif notes:
        source = Source("", "npz", notes=tuple(notes))
    said = description["clip"]
    return Clip(
        from_dict(description["character"], skin=skin),
        arrays["q"],
        said["rate"],
        loop=said["loop"],
        travel=Travel(said["travel"][:3], said["travel"][3]),
        name=said["name"],
        source=source,
        morphs=arrays.get("morphs"),
    )


def _file_to_arrays(original: OriginalFile) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A file as bytes, and what stands beside them."""
    told = {
        "read": dict(original.read),
        "own_frames": original.own_frames,
        "beside": list(original.beside),
    }
    arrays = {"original": np.frombuffer(original.data, dtype=np.uint8)}
    for k, data in enumerate(original.beside.values()):
        arrays[f"original_{k}"] = np.frombuffer(data, dtype=np.uint8)
    return told, arrays


def _file_from_arrays(told: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> OriginalFile:
    beside = {name: arrays[f"original_{k}"].tobytes() for k, name in enumerate(told["beside"])}
    return OriginalFile(arrays["original"].tobytes(), beside, told["read"], told["own_frames"])
