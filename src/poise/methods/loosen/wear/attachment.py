"""Something soft on a bone: a closed mesh, made of an elastic material, held where the bone is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import Character
from poise.dynamics import GRAVITY
from poise.dynamics.elastic import ElasticBody, Lattice, Material, Surface, lattice_around
from poise.dynamics.elastic.large import LargeModel, large
from poise.dynamics.elastic.reduced import ReducedModel, reduced
from poise.errors import InputError, UnknownNameError
from poise.handles import AttachmentPoint
from poise.manifold import so3
from poise.methods.loosen.wear.bed import bed_of
from poise.methods.loosen.wear.bone import bone_of
from poise.motion import Clip
from poise.operations.wear import Wear
from poise.workers import algebra_on_one_thread

SOFT = 2e4
"""Young's modulus of what nothing is said of [Pa]: foam."""
RATIO = 0.06
"""Damping ratio of the slowest mode of what nothing is said of."""


class Embedded(NamedTuple):
    """Points of a soft body, ready to be moved: coordinates first."""

    rest: Array  # (3, P)
    modes: Array  # (m, 3, P)
    bends: Array  # (r, 3, P)


@dataclass(frozen=True, eq=False)
class Attachment:
    """A soft body on a bone."""

    name: str
    bone: str
    surface: Surface
    """As modelled, in the bone's frame."""
    model: ReducedModel
    gravity: Array
    """What it feels [m/s²], (3,)."""
    colour: tuple[float, float, float]
    """Linear RGB."""

    def __repr__(self) -> str:
        slow = self.model.frequencies[0]
        return (
            f"Attachment({self.name!r} on {self.bone}, {len(self.surface.points)} vertices in "
            f"{len(self.body.lattice.cells)} elements, {self.body.total_mass:.3g} kg, {slow:.3g} Hz)"
        )

    @property
    def body(self) -> ElasticBody:
        """Its finite elements."""
        return self.model.body

    @property
    def frequencies(self) -> Array:
        """Of its modes [Hz], slowest first."""
        return self.model.frequencies

    @property
    def diameter(self) -> float:
        """[m]."""
        return self.surface.diameter

    @cached_property
    def vertices(self) -> Embedded:
        """All vertices of the surface."""
        return self.embedded(self.surface.points)

    def embedded(self, points: Array, *, large: bool = False) -> Embedded:
        """Material points given by their places at rest as modelled, in the bone's frame (P, 3)."""
        if large:
            rest, modes, bends = self.model.at(np.atleast_2d(points), self.large.shapes, self.model.bends[:0])
        else:
            rest, modes, bends = self.model.at(np.atleast_2d(points))
        return Embedded(
            np.ascontiguousarray(rest.T),
            np.ascontiguousarray(np.moveaxis(modes, 1, 2)),
            np.ascontiguousarray(np.moveaxis(bends, 1, 2)),
        )

    @cached_property
    def held_at(self) -> Array:
        """The middle of what the bone holds [m], in its frame, (3,)."""
        springs = np.asarray(self.body.bed.sum(axis=1)).ravel()
        return np.asarray(springs @ self.body.nodes / springs.sum())

    @cached_property
    def spread(self) -> Array:
        """Mean square of the vertices' displacement is qᵀ spread q [m²], (m, m)."""
        flat = self.vertices.modes.reshape(len(self.model), -1)
        return np.asarray(flat @ flat.T / self.vertices.rest.shape[1])

    @cached_property
    def large(self) -> LargeModel:
        """The model for large motions; made when first asked for."""
        return large(self.model)

    def point(self, place: ArrayLike | str = "tip", axes: str = "xyz") -> AttachmentPoint:
        """A handle on a point: "tip", the vertex farthest from what is held, or a place on the bone [m]."""
        if isinstance(place, str):
            if place != "tip":
                raise UnknownNameError("point of an attachment", place, ("tip",))
            far = np.linalg.norm(self.surface.points - self.held_at, axis=1)
            place = self.surface.points[int(np.argmax(far))]
        x, y, z = checked(place, f"a place on {self.name!r}", (3,)).tolist()
        return AttachmentPoint(self.name, self.bone, (x, y, z), axes)


@algebra_on_one_thread()
def attach(wearer: Character | Clip, surface: Surface, asked: Wear, name: str = "") -> Attachment:
    """Fix a soft body to a bone.

    The surface is scaled, turned and moved in the bone's frame, or in the world, where the character stands
    in its rest pose. What is within the grip of the bone is held (inside its solids, or the hull of the skin
    it carries). With gravity "on" it sags from its modelled shape, "compensated" it has that shape when the
    bone is as in the rest pose, "off" it weighs nothing.
    """
    character = wearer.character if isinstance(wearer, Clip) else wearer
    body = bone_of(character, asked)
    if not 8 <= asked.cells <= 5000:
        raise InputError(f"the number of cells must lie between 8 and 5000, not {asked.cells}")
    young = SOFT if asked.young is None else asked.young
    material = Material(young, asked.poisson, asked.density, RATIO if asked.ratio is None else asked.ratio)
    turn = so3.to_matrix(
        checked((1.0, 0.0, 0.0, 0.0) if asked.rotation is None else asked.rotation, "rotation", (4,))
    )
    placed = surface.moved(
        (0.0, 0.0, 0.0) if asked.offset is None else asked.offset,
        turn,
        1.0 if asked.scale is None else asked.scale,
    )
    at, turned = (x[body] for x in character.rest_placement())
    if asked.frame == "world":
        placed = placed.moved(-turned.T @ at, turned.T)
    named = name or surface.name
    lattice = _lattice(placed, asked.cells)
    bed = bed_of(character, body, lattice, asked.grip, young=young, diameter=placed.diameter, name=named)
    elastic = ElasticBody(lattice, material, np.zeros(0, dtype=np.int64), bed)
    pull = np.array(GRAVITY) if asked.gravity != "off" else np.zeros(3)
    down = turned.T @ pull
    rest = elastic.balance(elastic.weight(down)) if asked.gravity == "on" else np.zeros(lattice.nodes.shape)
    model = reduced(elastic, count=asked.modes, load=-down, rest=rest, answers=min(3, asked.modes // 3))
    red, green, blue = checked(asked.colour, "colour", (3,)).tolist()
    return Attachment(named, character.names[body], placed, model, pull, (red, green, blue))


def _lattice(surface: Surface, cells: int) -> Lattice:
    """A lattice of at least ``cells`` cells, and not many more."""
    size = (surface.volume / cells) ** (1 / 3)
    best = None
    for _ in range(8):
        found = lattice_around(surface, size)
        count = len(found.cells)
        if count >= cells and (best is None or count < len(best.cells)):
            best = found
        if cells <= count <= 1.1 * cells:
            break
        size *= (count / (1.05 * cells)) ** 0.4
    return best if best is not None else found
