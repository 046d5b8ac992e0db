"""Surfaces from files, closed for soft bodies, open for cloth: glTF, OBJ, or whatever else has a mesh."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from poise.dynamics.elastic.surface import Surface, surface_of
from poise.errors import FileFormatError, InputError
from poise.formats.registry import load
from poise.reading import read_bytes


def load_surface(path: str | Path) -> Surface:
    """The mesh of a file at rest, all its parts, in metres and our axes (z up)."""
    path = Path(path)
    if path.suffix.lower() == ".obj":
        return _read_obj(path)
    skin = load(path).character.skin
    if skin is None:
        raise FileFormatError(path, "the file has no mesh")
    return _named(path, np.asarray(skin.shape()), np.asarray(skin.faces))


def _named(path: Path, vertices: np.ndarray, faces: np.ndarray) -> Surface:
    try:
        return surface_of(vertices, faces, path.stem)
    except InputError as problem:
        raise FileFormatError(path, str(problem)) from None


def _read_obj(path: Path) -> Surface:
    """Wavefront OBJ: vertices and polygons (as fans); y is up in such files."""
    places: list[list[float]] = []
    faces: list[list[int]] = []
    lines = read_bytes(path).decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines, 1):
        kind, *rest = line.split("#", 1)[0].split() or [""]
        try:
            if kind == "v":
                x, y, z = (float(part) for part in rest[:3])
                places.append([z, x, y])
            elif kind == "f":
                corners = [int(part.split("/")[0]) for part in rest]
                corners = [c - 1 if c > 0 else len(places) + c for c in corners]
                faces += [[corners[0], b, c] for b, c in pairwise(corners[1:])]
        except (ValueError, IndexError):
            raise FileFormatError(path, f"cannot read {line.strip()!r}", line=number) from None
    if not faces:
        raise FileFormatError(path, "the mesh has no faces")
    return _named(path, np.array(places, dtype=np.float64).reshape(-1, 3), np.array(faces))
