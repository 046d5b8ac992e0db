"""Everything an inner loop asks for, in one pass per frame over buffers that are allocated once.

Body placements, P points with their Jacobians, centre of mass with its Jacobian, and momentum.
Intermediate results stay in cache; columns of Jacobians that are zero by the structure of the tree
are zeroed when the buffers are made and never touched again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, frozen
from poise.character import Character, Point
from poise.compilation import kernel
from poise.errors import InputError
from poise.kernels.graphics_card import card, serves
from poise.kinematics.centre_of_mass import centre_frame
from poise.kinematics.forward import as_frames, forward_frame, put, velocities_frame
from poise.kinematics.jacobians import points_frame
from poise.kinematics.layout import Layout, layout
from poise.kinematics.momentum import momentum_frame
from poise.workers import for_frames

LEAST = 4096
"""Frames from which on a graphics card gains, its results being fetched."""


class Points(NamedTuple):
    """Points fixed on bodies: which (P,), and where in their frames [m] (P, 3)."""

    bodies: Any
    places: Any


class Quantities(NamedTuple):
    """What a bundle finds out about F frames."""

    positions: Any
    """Body origins [m] (F, n, 3)."""
    rotations: Any
    """World-from-body rotations (F, n, 3, 3)."""
    points: Any
    """[m] (F, P, 3)"""
    point_jacobians: Any
    """(F, P, 3, nv)"""
    com: Any
    """Centre of mass [m] (F, 3)."""
    com_jacobian: Any
    """(F, 3, nv)"""
    momentum: Any
    """Linear, then angular about the centre of mass [kg·m/s, kg·m²/s] (F, 6)."""


class Scratch(NamedTuple):
    """What frames are worked out on, one set for each that is worked on at a time."""

    axes: Any
    """(…, nv, 3)"""
    moments: Any
    """(…, n, 3)"""
    velocities: Any
    """(…, n, 6)"""


class Bundle:
    """Reusable buffers for F frames of a character and P of its points.

    ``update`` overwrites the arrays in place; copy what must outlive the next call. With ``device="cuda"``
    (or ``auto``, from some thousand frames on) a graphics card evaluates, and its memory holds the results:
    ``on_card`` is them as they lie there, and the other properties are copies, made when asked for.

    Args:
        character: One that has mass.
        frames: How many [≥ 1].
        points: Points or bodies whose places and Jacobians are wanted.
        device: "cpu", "cuda" or "auto". Default: the processor, unless ``POISE_DEVICE`` says otherwise.

    Raises:
        InputError: There are no frames, or the character has no mass.
        UnknownNameError: The character has no such point.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> buffers = poise.kinematics.Bundle(walk.character, walk.frames, ("LeftHeel",))
        >>> places = buffers.update(walk.q, walk.velocity).points
    """

    def __init__(
        self,
        character: Character,
        frames: int,
        points: tuple[Point | str, ...] = (),
        *,
        device: str | None = None,
    ) -> None:
        if frames < 1:
            raise InputError(f"a bundle needs at least one frame, not {frames}")
        character.require_mass("the centre of mass")
        self.character, self.frames = character, frames
        chosen = [character.point(p) if isinstance(p, str) else p for p in points]
        bodies: IntArray = frozen([p.body for p in chosen], dtype=np.int64)
        places: Array = frozen(np.array([p.position for p in chosen]).reshape(-1, 3))
        self._points = Points(bodies, places)
        n, nv, count = len(character.bodies), character.nv, len(chosen)
        self._card = card() if serves(device, frames, LEAST) else None
        # On a card frames lie side by side: its threads, one for each, write neighbouring numbers.
        made = np.empty if self._card is None else self._card.own
        self._made = Quantities(
            made((frames, n, 3)),
            made((frames, n, 3, 3)),
            made((frames, count, 3)),
            np.zeros((frames, count, 3, nv))
            if self._card is None
            else self._card.zeros((frames, count, 3, nv)),
            made((frames, 3)),
            made((frames, 3, nv)),
            made((frames, 6)),
        )
        self._scratch = (
            None if self._card is None else Scratch(*(made((frames, *s)) for s in ((nv, 3), (n, 3), (n, 6))))
        )
        self._fetched: dict[str, Array] = {}

    def update(self, q: Any, v: Any) -> Bundle:
        """Evaluate at configurations q (F, nq) and velocities v (F, nv); NaN in, NaN out."""
        self._fetched = {}
        if self._card is None:
            tree, at, speed = layout(self.character), self._rows(q, "q"), self._rows(v, "v")
            for_frames(_bundle, self.frames, tree, at, speed, self._points, self._made)
            return self
        with self._card.lock:
            there = (
                self._card.constant(layout(self.character)),
                *(self._card.put(f"bundle {name}", self._rows(x, name)) for x, name in ((q, "q"), (v, "v"))),
            )
            points = self._card.constant(self._points)
            self._card.run(bundle_frame, 0, self.frames, *there, points, self._made, self._scratch)
        return self

    def _rows(self, values: ArrayLike, name: str) -> Any:
        if self._card is not None and self._card.has(values):
            return values
        width = self.character.nq if name == "q" else self.character.nv
        return as_frames(values, name, width, frames=self.frames, finite=False)

    @property
    def on_card(self) -> Quantities | None:
        """The results in a graphics card's memory; None where a processor evaluates."""
        return None if self._card is None else self._made

    def _of(self, name: str) -> Array:
        found = getattr(self._made, name)
        if self._card is None:
            return found
        if name not in self._fetched:
            self._fetched[name] = self._card.fetch(found)
        return self._fetched[name]

    @property
    def positions(self) -> Array:
        """Body origins [m] (F, n, 3)."""
        return self._of("positions")

    @property
    def rotations(self) -> Array:
        """World-from-body rotations (F, n, 3, 3)."""
        return self._of("rotations")

    @property
    def points(self) -> Array:
        """Points [m] (F, P, 3)."""
        return self._of("points")

    @property
    def point_jacobians(self) -> Array:
        """Their Jacobians (F, P, 3, nv)."""
        return self._of("point_jacobians")

    @property
    def com(self) -> Array:
        """Centre of mass [m] (F, 3)."""
        return self._of("com")

    @property
    def com_jacobian(self) -> Array:
        """Its Jacobian (F, 3, nv)."""
        return self._of("com_jacobian")

    @property
    def momentum(self) -> Array:
        """Linear, then angular momentum about the centre of mass [kg·m/s, kg·m²/s] (F, 6)."""
        return self._of("momentum")


@kernel(inline=True, allocates=False)
def bundle_frame(
    slot: int, f: int, tree: Layout, q: Any, v: Any, points: Points, out: Quantities, scratch: Scratch
) -> None:
    """Frame f, worked out on set ``slot`` of the scratch."""
    x, turn = out.positions[f], out.rotations[f]
    axes, moments, velocities = scratch.axes[slot], scratch.moments[slot], scratch.velocities[slot]
    forward_frame(tree, q[f], x, turn, axes)
    points_frame(tree, points.bodies, points.places, x, turn, axes, out.points[f], out.point_jacobians[f])
    centre = centre_frame(tree, x, turn, axes, moments, out.com_jacobian[f])
    put(out.com, f, centre)
    velocities_frame(tree, v[f], x, axes, velocities)
    momentum_frame(tree, x, turn, velocities, centre, out.momentum[f])


@kernel()
def _bundle(first: int, last: int, tree: Layout, q: Array, v: Array, points: Points, out: Quantities) -> None:
    count = tree.parent.size
    axes, moments = np.empty((1, v.shape[1], 3)), np.empty((1, count, 3))
    scratch = Scratch(axes, moments, np.empty((1, count, 6)))
    for f in range(first, last):
        bundle_frame(0, f, tree, q, v, points, out, scratch)
