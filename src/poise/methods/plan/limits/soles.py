"""What may touch the ground: named points, and the solids of bodies told as a few balls.

A rod with round ends is the hull of two balls, a box of eight points; of what is neither, balls inside it
that reach its skin where it is longest. The lowest of them is as low as the solid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.shape import Shape, ShapeKind
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.plan.model.affine_figure import AffineFigure
from poise.world import World

RIM = 12
"""Points that stand for the rim of a cylinder."""
FACING = 240
"""Directions, from straight down to level, in which a body's lowest balls are looked for."""
CLOSE = 5e-4
"""Balls that nowhere reach so near to the lowest are left out [m]."""


@dataclass(frozen=True, eq=False)
class Soles:
    """Balls on bodies; a point is one without radius."""

    names: tuple[str, ...]
    """Of the point or body that each belongs to (s,)."""
    bodies: IntArray
    """(s,)"""
    places: Array
    """Centres in the frames of their bodies [m] (s, 3)."""
    radii: Array
    """[m] (s,)"""

    @classmethod
    def of(cls, figure: AffineFigure, named: Sequence[str]) -> Soles:
        """Of points, and of bodies with all that hangs from them."""
        character = figure.character
        found: list[tuple[str, int, Array, float]] = []
        for name in named:
            point = character.point(name)
            if name not in character.names:
                found.append((name, point.body, np.asarray(point.position), 0.0))
                continue
            balls = [
                (character.names[part], part, place, radius)
                for part in character.subtree(point.body)
                for place, radius in _of_body(figure, part)
            ]
            found += _facing_down(figure, balls) or [(name, point.body, np.zeros(3), 0.0)]
        return cls(
            tuple(name for name, *_ in found),
            np.array([body for _, body, *_ in found], dtype=np.int64),
            np.array([place for *_, place, _ in found]).reshape(-1, 3),
            np.array([radius for *_, radius in found]),
        )

    def columns(self, figure: AffineFigure) -> Array:
        """Columns a of the centres, (1 + 3n, s)."""
        found = [figure.column_of(body, place) for body, place in zip(self.bodies.tolist(), self.places)]
        return np.stack(found, axis=1)

    def clearance(self, kin: Kinematics, world: World, times: Array) -> Array:
        """How far each is from all that is there [m] (T, s)."""
        turned = np.einsum("tsij,sj->tsi", kin.rotations[:, self.bodies], self.places)
        return world.clearance(kin.positions[:, self.bodies] + turned, self.radii, times[:, None])


def _of_body(figure: AffineFigure, part: int) -> list[tuple[Array, float]]:
    body = figure.character.bodies[part]
    points = [(np.asarray(figure.character.point(name).position), 0.0) for name in body.points]
    return points + [ball for shape in body.shapes for ball in _balls(shape)]


def _balls(shape: Shape) -> list[tuple[Array, float]]:
    """Centres in the body's frame, and radii."""
    a, b, c = np.asarray(shape.size).tolist()
    match shape.kind:
        case ShapeKind.SPHERE:
            own = [((0.0, 0.0, 0.0), a)]
        case ShapeKind.CAPSULE:
            own = [((0.0, 0.0, z), a) for z in (-b, b)]
        case ShapeKind.CYLINDER:
            turns = 2 * np.pi * np.arange(RIM) / RIM
            own = [((a * np.cos(t), a * np.sin(t), z), 0.0) for t in turns.tolist() for z in (-b, b)]
        case ShapeKind.ELLIPSOID:  # balls that bend no less than its ends do
            least = min(a, b, c)
            own = [((0.0, 0.0, 0.0), least)]
            for axis, half in enumerate((a, b, c)):
                radius = least**2 / half
                arm = np.zeros(3)
                arm[axis] = half - radius
                own += [((x, y, z), radius) for x, y, z in (arm.tolist(), (-arm).tolist())]
        case ShapeKind.BOX:
            own = [((x, y, z), 0.0) for x, y, z in product((-a, a), (-b, b), (-c, c))]
    turn, centre = so3.to_matrix(shape.rotation), np.asarray(shape.position)
    return [(turn @ np.array(place) + centre, radius) for place, radius in own]


def _facing_down(
    figure: AffineFigure, balls: list[tuple[str, int, Array, float]]
) -> list[tuple[str, int, Array, float]]:
    """Those that can be the lowest while the body tilts by less than a right angle from the reference."""
    if not balls:
        return []
    at = np.array([figure.origins[part] + figure.rotations[part] @ place for _, part, place, _ in balls])
    reach = directions(FACING) @ at.T + np.array([radius for *_, radius in balls])
    near = reach > reach.max(axis=1, keepdims=True) - CLOSE
    best = near & (np.cumsum(near, axis=1) == 1)  # of several as low, the first
    return [ball for ball, chosen in zip(balls, best.any(axis=0)) if chosen]


def directions(count: int) -> Array:
    """Spread evenly over the lower half of the sphere, (count, 3)."""
    k = np.arange(count) + 0.5
    z, turn = -k / count, np.pi * (1 + 5**0.5) * k
    flat = np.sqrt(1 - z**2)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=1)
