"""A closed surface of triangles: what a soft body looks like, and where its inside is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.errors import InputError

FLAT = 1e-4
"""A body whose mean thickness (volume over area) is less than this part of its size has none."""


class OpenSurfaceError(InputError):
    """A surface is not closed."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Vertices and triangles, wound counter-clockwise seen from outside (turned round if they are not)."""

    vertices: ArrayLike  # (N, 3) [m]
    triangles: ArrayLike  # (T, 3)
    name: str = "surface"

    def __post_init__(self) -> None:
        self._check_shape()
        self._check_closed()
        if self._volume() < 0:
            turned = frozen(np.asarray(self.triangles)[:, ::-1], dtype=np.int64)
            object.__setattr__(self, "triangles", turned)
        if self.volume < FLAT * self.area * self.diameter:
            raise InputError(
                f"{self.name!r} has no thickness: its volume is {1e6 * self.volume:.3g} cm³ for a surface of "
                f"{1e4 * self.area:.3g} cm²; give it some (a soft body is solid)"
            )

    def _check_shape(self) -> None:
        vertices = checked(self.vertices, f"vertices of {self.name!r}", (None, 3))
        triangles = np.asarray(self.triangles)
        if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
            raise InputError(
                f"triangles of {self.name!r} must be whole numbers of shape (…, 3), not {triangles.shape}"
            )
        if not len(triangles):
            raise InputError(f"{self.name!r} has no triangles: a soft body needs a closed surface")
        if triangles.min() < 0 or triangles.max() >= len(vertices):
            raise InputError(
                f"triangles of {self.name!r} name vertex {triangles.max()}; there are {len(vertices)}"
            )
        put = object.__setattr__
        put(self, "vertices", frozen(vertices))
        put(self, "triangles", frozen(triangles, dtype=np.int64))

    def __repr__(self) -> str:
        return f"Surface({self.name!r}, {len(self.points)} vertices, {len(self.faces)} triangles)"

    @property
    def points(self) -> Array:
        """The vertices [m], (N, 3)."""
        return np.asarray(self.vertices)

    @property
    def faces(self) -> IntArray:
        """The triangles, (T, 3)."""
        return np.asarray(self.triangles)

    @cached_property
    def diameter(self) -> float:
        """Largest extent along any of a few dozen directions [m]."""
        turns = np.pi * np.arange(48) * (3 - np.sqrt(5))
        z = 1 - (2 * np.arange(48) + 1) / 96  # a hemisphere
        r = np.sqrt(1 - z * z)
        along = self.points @ np.stack([r * np.cos(turns), r * np.sin(turns), z])
        return float(np.ptp(along, axis=0).max())

    @property
    def area(self) -> float:
        """[m²]."""
        a, b, c = np.moveaxis(self.points[self.faces], 1, 0)
        return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())

    @property
    def volume(self) -> float:
        """Enclosed [m³]."""
        return self._volume()

    def _volume(self) -> float:
        a, b, c = np.moveaxis(self.points[self.faces] - self.points.mean(axis=0), 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)

    def moved(self, offset: ArrayLike, rotation: ArrayLike | None = None, scale: float = 1.0) -> Surface:
        """x ↦ rotation (scale x) + offset; ``rotation`` is a matrix (3, 3)."""
        turn = np.eye(3) if rotation is None else checked(rotation, "rotation", (3, 3))
        if not (np.isfinite(scale) and scale > 0):
            raise InputError(f"the scale of {self.name!r} must be positive, not {scale}")
        points = scale * self.points @ turn.T + checked(offset, "offset", (3,))
        return type(self)(points, self.faces, self.name)

    def _check_closed(self) -> None:
        """Every edge must be used once in each direction, seams (vertices in one place) sewn up."""
        places, same = np.unique(np.round(self.points, 9), axis=0, return_inverse=True)
        faces = same.ravel()[self.faces]
        edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        edges = edges[edges[:, 0] != edges[:, 1]]
        count = len(places)
        ahead, back = edges[:, 0] * count + edges[:, 1], edges[:, 1] * count + edges[:, 0]
        sizes = np.concatenate([ahead, back])
        keys, which = np.unique(sizes, return_inverse=True)
        balance = np.bincount(which[: len(ahead)], minlength=len(keys)) - np.bincount(
            which[len(ahead) :], minlength=len(keys)
        )
        loose = int((balance > 0).sum())
        if loose:
            raise OpenSurfaceError(
                f"{self.name!r} is open: {loose} edges have a triangle on one side only (or neighbours are "
                "wound against each other); close its holes"
            )


class OpenSurface(Surface):
    """A surface with a rim: a sheet of cloth, which has no inside."""

    def __post_init__(self) -> None:
        self._check_shape()


def surface_of(vertices: ArrayLike, triangles: ArrayLike, name: str) -> Surface:
    """A closed surface where it is one, else a sheet."""
    try:
        return Surface(vertices, triangles, name)
    except OpenSurfaceError:
        return OpenSurface(vertices, triangles, name)


def merged(surfaces: list[Surface], name: str) -> Surface:
    """One surface of several; where they overlap the body is filled once."""
    if not surfaces:
        raise InputError(f"{name!r} has no triangles: a soft body needs a closed surface")
    starts = np.cumsum([0, *(len(s.points) for s in surfaces)])
    return Surface(
        np.concatenate([s.points for s in surfaces]),
        np.concatenate([s.faces + start for s, start in zip(surfaces, starts)]),
        name,
    )
