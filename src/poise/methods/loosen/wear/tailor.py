"""Garments from what is asked: bundled ones cut to their wearer, open meshes, strands along a line."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray, checked
from poise.character import Character
from poise.character.stance import Anatomy
from poise.dynamics import GRAVITY
from poise.dynamics.cloth import sheet_of, strand_of
from poise.dynamics.elastic.surface import OpenSurface
from poise.errors import InputError
from poise.manifold import so3
from poise.methods.loosen.wear.bed import from_segments, outside_of_bone
from poise.methods.loosen.wear.bone import bone_of
from poise.methods.loosen.wear.fit import head_of
from poise.methods.loosen.wear.flesh import solids_of
from poise.methods.loosen.wear.garment import Garment, tube_faces
from poise.methods.loosen.wear.garments import CLOTH, Cut, cape, ponytail, skirt
from poise.operations.wear import CAPE, SKIRT, Wear

BEND, BEND_OF_STRANDS = 0.025, 0.04
"""Bending length where none is given [m]."""
AIR = 0.3
"""Damping ratio of cloth and strands where none is given: air."""
STRETCHES = 16
"""Beads of a strand along a line."""
TOP = 0.04
"""What lies within this share of a sheet's height below its top is its top edge."""


def bundled(character: Character, asked: Wear) -> Garment:
    """A cape, a skirt or a ponytail, cut to its wearer."""
    solids = solids_of(character)
    if asked.mesh == CAPE:
        cut = cape(character, solids)
    elif asked.mesh == SKIRT:
        cut = skirt(character, solids)
    else:
        crown, size = head_of(character, bone_of(character, asked))
        cut = ponytail(character, solids, crown, size)
    body = bone_of(character, asked)
    at, turned = (x[body] for x in character.rest_placement())
    points = (cut.points - at) @ turned
    if asked.scale is not None or asked.rotation is not None or asked.offset is not None:
        raise InputError(f"a {asked.mesh} is cut to its wearer: it takes no offset, rotation or scale")
    return _made(character, asked, asked.mesh, cut._replace(points=points), np.arange(len(points)))


def strand(character: Character, asked: Wear) -> Garment:
    """Beads along a line in the bone's axes; the first stretch is held, so that it stands off as drawn."""
    line = checked(asked.line, "line", (None, 3))
    if asked.frame == "world":
        at, turned = (x[bone_of(character, asked)] for x in character.rest_placement())
        line = (line - at) @ turned
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    if way[-1] <= 0 or np.diff(way).min() <= 0:
        raise InputError("field 'line': two places in a row coincide")
    share = np.linspace(0, way[-1], STRETCHES)
    points = np.stack([np.interp(share, way, line[:, c]) for c in range(3)], axis=1)
    radius = asked.thickness if asked.thickness is not None else 0.02 * float(way[-1])
    radii = radius * np.interp(np.linspace(0, 1, STRETCHES), [0, 0.8, 1], [1.0, 0.9, 0.5])
    cut = Cut(points, np.zeros((0, 3), dtype=np.int64), np.array([0, 1]), radii, "")
    return _made(character, asked, "strand", cut, np.arange(STRETCHES))


def sewn(character: Character, mesh: OpenSurface, asked: Wear) -> Garment:
    """An open mesh, its seams (vertices in one place) sewn up, pinned to a bone."""
    body = bone_of(character, asked)
    turn = so3.to_matrix(checked(asked.rotation or (1.0, 0.0, 0.0, 0.0), "rotation", (4,)))
    offset = (0.0, 0.0, 0.0) if asked.offset is None else asked.offset
    placed = mesh.moved(offset, turn, 1.0 if asked.scale is None else asked.scale)
    at, turned = (x[body] for x in character.rest_placement())
    if asked.frame == "world":
        placed = placed.moved(-turned.T @ at, turned.T)
    used = np.unique(placed.faces)
    places, same = np.unique(np.round(placed.points[used], 7), axis=0, return_inverse=True)
    seam = np.zeros(len(placed.points), dtype=np.int64)
    seam[used] = same.ravel()
    faces = seam[placed.faces]
    whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    held = _held(character, body, places, seam, turned, asked, mesh.name)
    shown = np.searchsorted(used, placed.faces)
    cut = Cut(places, faces[whole], held, np.zeros(0), "")
    return _made(character, asked, mesh.name, cut, seam[used], shown)


def _held(
    character: Character, body: int, places: Array, seam: IntArray, turned: Array, asked: Wear, name: str
) -> IntArray:
    """Vertices of cloth that a bone holds: those named, those within its grip, or the top edge."""
    if asked.pins:
        if max(asked.pins) >= len(seam):
            raise InputError(f"field 'pins': {name!r} has no vertex {max(asked.pins)}: {len(seam)} in all")
        return np.unique(seam[list(asked.pins)])
    if asked.grip is not None:
        away = outside_of_bone(character, body, places)
        away = from_segments(character, body, places) if away is None else away
        found = np.flatnonzero(away <= asked.grip)
        if not len(found):
            raise InputError(
                f"field 'grip': nothing of {name!r} is within {100 * asked.grip:.1f} cm of "
                f"{character.names[body]}; the nearest is {100 * float(away.min()):.1f} cm away"
            )
        return found
    up = places @ turned[2]
    return np.flatnonzero(up >= up.max() - TOP * float(np.ptp(up)))


def _made(
    character: Character, asked: Wear, name: str, cut: Cut, seen: IntArray, faces: IntArray | None = None
) -> Garment:
    thin = bool(len(cut.radii))
    bend = asked.bend if asked.bend is not None else BEND_OF_STRANDS if thin else BEND
    bend *= 1.0 if asked.bend is not None else _scale(character)
    sheet = (
        strand_of(cut.points, cut.held, bend=bend, thickness=None)
        if thin
        else sheet_of(cut.points, cut.faces, cut.held, bend=bend, thickness=asked.thickness)
    )
    pull = np.array(GRAVITY) if asked.gravity == "on" else np.zeros(3)
    if asked.gravity == "compensated":
        raise InputError("field 'gravity': cloth and strands take on or off")
    red, green, blue = checked(asked.colour, "colour", (3,)).tolist()
    return Garment(
        name=name,
        bone=character.names[bone_of(character, asked)],
        colour=(red, green, blue),
        sheet=sheet,
        faces=tube_faces(len(cut.points)) if thin else cut.faces if faces is None else faces,
        seen=np.zeros(0, dtype=np.int64) if thin else seen,
        radii=cut.radii,
        gravity=pull,
        ratio=AIR if asked.ratio is None else asked.ratio,
        friction=asked.friction,
        skin=float(cut.radii.max()) if thin else CLOTH * _scale(character),
    )


def _scale(character: Character) -> float:
    """Stature over that of a grown-up."""
    return Anatomy(character).stature / 1.75
