"""A face on springs: its vertices at any time, without history.

In the world a vertex is animated as Y = p + R (s₀ + Σ_m a_m s_m): the head's placement, the rest shape,
weights and morph targets. What trails it by springs alone, d₁ with ω or d₂ with ω_s, is linear in Y, so
filtering the few signals p, R and a_m R filters all vertices at once:

    Rᵀ d = Rᵀ F[p] + Rᵀ F[R] s₀ + Σ_m Rᵀ F[a_m R] s_m .

Shape matching, linear for small turns of the clusters against the animated shape, lets rigid motions of the
clusters move with ω and all else with ω_s:

    x = Y + d₂ + R P Rᵀ (d₁ − d₂) .
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Kinematics
from poise.methods.loosen.face.kernels import TILE, FaceShapes, cluster_motions, vertices
from poise.methods.loosen.face.material import Flesh, Spec, as_flesh
from poise.methods.loosen.face.region import share
from poise.methods.loosen.face.rig import Rig, moments, rig_of
from poise.methods.loosen.face.spring_filter import taps
from poise.motion import Clip, MeshClip
from poise.operations.values.face_target import WHOLE
from poise.workers import algebra_on_one_thread, for_ranges

CLUSTERS = 32
"""How many, unless told otherwise: about a cheek, a lip, a brow each."""


class Added(NamedTuple):
    """Shapes added to the animated face, with weights of their own."""

    shapes: Array
    """(T, 3, N), rest axes."""
    weights: Array
    """At every frame of the clip, (F, T)."""


class Response(NamedTuple):
    """How shapes s_b that are added with some weights over time show at other times, as matrices on s_b.

    x gets Σ_b value_b s_b + Σ_r mask_r (fast_rb s_b + P (slow_rb − fast_rb) s_b).
    """

    value: Array  # (T, B)
    slow: Array  # (T, R, B, 3, 3)
    fast: Array  # (T, R, B, 3, 3)


class Face:
    """One animated face made ready; asking for times costs little more than the vertices."""

    def __init__(
        self,
        clip: Clip,
        flesh: Spec = "relaxed",
        window: float | str = "auto",
        *,
        soft: str | float | ArrayLike = "auto",
        clusters: int = CLUSTERS,
        head: str | None = None,
    ) -> None:
        if not isinstance(clip, Clip):
            raise InputError(f"a face is a clip with morph targets, not {type(clip).__name__}")
        self.clip, self.window = clip, window
        self.rig: Rig = rig_of(clip.character, int(clusters), head)
        self.fleshes, self.masks = _regions(self.rig, flesh, soft)
        """Flesh of each region, and how much of each vertex it is, (R, N)."""
        self.seconds = _window(window, self.fleshes)
        assert clip.morphs is not None  # the rig has seen targets
        self._active = np.flatnonzero(np.any(clip.morphs != 0, axis=0))
        shapes = self.rig.shapes[[*self._active, len(self.rig.shapes) - 1]]
        own = self.rig.moments[:, :, [*self._active, -2, -1]]
        self._weights = clip.morphs[:, self._active]
        self._made_of(shapes, own)

    def adding(self, added: Added) -> Face:
        """The same face with more shapes in its animation."""
        made = copy(self)
        own = np.concatenate([moments(self.rig.clusters, added.shapes), self._moments], axis=2)
        made._weights = np.concatenate([added.weights, self._weights], axis=1)
        made._made_of(np.concatenate([added.shapes, self._shapes]), own)
        return made

    def _made_of(self, shapes: Array, own: Array) -> None:
        """Shapes (B, 3, N), the rest shape last, and their moments."""
        self._shapes, self._moments = np.ascontiguousarray(shapes), np.ascontiguousarray(own)
        tiles = -(-shapes.shape[2] // TILE)
        self._touched = np.array(
            [[s[:, k * TILE : (k + 1) * TILE].any() for k in range(tiles)] for s in shapes], dtype=np.uint8
        )

    # Times and signals -----------------------------------------------------------------------

    @property
    def frames(self) -> float:
        """The window in frames."""
        return float(self.seconds * self.clip.fps)

    def _located(self, times: ArrayLike) -> tuple[IntArray, Array]:
        """Frame at or before each time, and the part of a frame that is left."""
        t = checked(np.atleast_1d(np.asarray(times, dtype=np.float64)), "times", (None,))
        x = t * self.clip.fps
        if not self.clip.loop:  # a window beyond its ends all is at rest: tables need not reach further
            x = np.clip(x, -1.0, self.clip.frames + np.ceil(self.frames) + 1)
        near = np.rint(x)
        x = np.where(np.abs(x - near) < 1e-7, near, x)
        frame = np.floor(x)
        return frame.astype(np.int64), np.round(x - frame, 9)

    def _weights_at(self, frames: IntArray) -> Array:
        """Weights at whole frames, also beyond the ends, (T, B − 1)."""
        count = self.clip.frames
        return self._weights[frames % count if self.clip.loop else np.clip(frames, 0, count - 1)]

    def _placed(self, times: Array) -> tuple[Array, Array]:
        """World from rest: linear part (T, 3, 3) and shift (T, 3) of the head."""
        character = self.clip.character
        kin = Kinematics(character, self.clip.at(times))
        bind = np.asarray(self.rig.skin.inverse_bind)[self.rig.head]
        turn, shift = kin.rotations[:, self.rig.head], kin.positions[:, self.rig.head]
        return _product(turn, np.broadcast_to(bind[:3, :3], turn.shape)), _applied(turn, bind[:3, 3]) + shift

    def _trailing(
        self, frames: IntArray, parts: Array, weights: Array, low: int, turn: Array, shift: Array
    ) -> tuple[Array, Array]:
        """F of a R and of p for every flesh and both of its springs.

        ``weights`` (L, B), ``turn`` and ``shift`` are tables that begin at frame ``low``. Returned are
        (T, R, 2, B, 3, 3) and (T, R, 2, 3), in world axes.
        """
        count = len(frames)
        turned = weights[:, :, None, None] * turn[:, None]  # (L, B, 3, 3)
        out = np.zeros((count, len(self.fleshes), 2, *turned.shape[1:]))
        moved = np.zeros((count, len(self.fleshes), 2, 3))
        for part in np.unique(parts):
            here = np.flatnonzero(parts == part)
            rows = frames[here] - low
            for r, flesh in enumerate(self.fleshes):
                for s, omega in enumerate(flesh.omegas):
                    first, value, _ = taps(omega, flesh.damping, self.frames, self.clip.dt, float(part))
                    total, way = np.zeros((len(here), *turned.shape[1:])), np.zeros((len(here), 3))
                    for k, weight in enumerate(value):
                        at = rows + first + k
                        # Counted from the last sample: weights add up to nothing, and so do large numbers.
                        total += weight * (turned[at] - turned[rows])
                        way += weight * (shift[at] - shift[rows])
                    out[here, r, s], moved[here, r, s] = total, way
        return out, moved

    def _table(self, frames: IntArray) -> tuple[int, IntArray, Array, Array]:
        """First frame of a table that all windows fit in, its frames, and the head's placement there."""
        low = int(frames.min() - np.ceil(self.frames)) - 2
        span = np.arange(low, int(frames.max()) + 3, dtype=np.int64)
        turn, shift = self._placed(span / self.clip.fps)
        return low, span, turn, shift

    # Vertices --------------------------------------------------------------------------------

    def kinematic(self, times: ArrayLike, *, rest: bool = False) -> Array:
        """Vertices as animated, (T, N, 3)."""
        return self._vertices(times, loose=False, rest=rest)

    @algebra_on_one_thread()
    def states(self, times: ArrayLike, *, rest: bool = False) -> Array:
        """Loose vertices at times [s], (T, N, 3): in the world, or in the rest frame of the skin."""
        return self._vertices(times, loose=True, rest=rest)

    def _vertices(self, times: ArrayLike, *, loose: bool, rest: bool) -> Array:
        frames, parts = self._located(times)
        t = np.atleast_1d(np.asarray(times, dtype=np.float64))
        turn, shift = self._placed(t)
        regions, shapes = (len(self.fleshes) if loose else 0), len(self._shapes)
        count, clusters = len(t), self.rig.clusters
        weights = np.ones((count, shapes))
        before, after = self._weights_at(frames), self._weights_at(frames + 1)
        weights[:, :-1] = np.where(parts[:, None] == 0, before, before + parts[:, None] * (after - before))
        follow = np.zeros((count, regions, shapes, 3, 3))
        push = np.zeros((count, regions, 3))
        moves = np.zeros((count, regions, len(clusters.centres), 3, 4))
        if loose:
            low, span, turns, shifts = self._table(frames)
            table = np.ones((len(span), shapes))
            table[:, :-1] = self._weights_at(span)
            trail, way = self._trailing(frames, parts, table, low, turns, shifts)
            back = _inverse(turn)
            trail = _product(back[:, None, None, None], trail)  # rest axes
            way = _applied(back[:, None, None], way)
            follow, push = trail[:, :, 1].copy(), way[:, :, 1].copy()
            change, drift = trail[:, :, 0] - trail[:, :, 1], way[:, :, 0] - way[:, :, 1]
            for_ranges(
                cluster_motions, count, np.ascontiguousarray(change), np.ascontiguousarray(drift),
                self._moments, clusters.gram_inverse, clusters.centres, moves, grain=16,
            )  # fmt: skip
        place = np.zeros((count, 3, 4))
        bodily = rest or not self.rig.rigid
        place[:, :, :3], place[:, :, 3] = (np.eye(3), 0.0) if bodily else (turn, shift)
        out = np.empty((count, self._shapes.shape[2], 3))
        skin = FaceShapes(self._shapes, self._touched, self.masks[:regions], *clusters.influences)
        for_ranges(vertices, count, skin, weights, follow, push, moves, place, out, grain=4)
        if bodily and not rest:
            kin = Kinematics(self.clip.character, self.clip.at(t))
            for k in range(count):
                out[k] = self.rig.skin.placed(out[k], kin.positions[k], kin.rotations[k])
        return out

    @algebra_on_one_thread()
    def mesh(self) -> MeshClip:
        """All frames of the clip, loosened."""
        clip, skin = self.clip, self.rig.skin
        return MeshClip(
            self.states(clip.times), skin.faces, clip.rate, name=clip.name, loop=clip.loop, extras=skin.extras
        )

    # Responses -------------------------------------------------------------------------------

    @algebra_on_one_thread()
    def response(self, curves: Array, times: ArrayLike) -> Response:
        """How added shapes with the weights ``curves`` (F, B) at the clip's frames show at times (T,)."""
        frames, parts = self._located(times)
        t = np.atleast_1d(np.asarray(times, dtype=np.float64))
        low, span, turns, shifts = self._table(frames)
        count = self.clip.frames
        table = curves[span % count if self.clip.loop else np.clip(span, 0, count - 1)]  # (L, B)
        trail, _ = self._trailing(frames, parts, table, low, turns, shifts)
        trail = _product(_inverse(self._placed(t)[0])[:, None, None, None], trail)
        a, b = table[frames - low], table[frames + 1 - low]
        return Response(a + parts[:, None] * (b - a), trail[:, :, 0], trail[:, :, 1])


def _regions(rig: Rig, flesh: Spec, soft: str | float | ArrayLike) -> tuple[tuple[Flesh, ...], Array]:
    """Flesh of each region and its masks (R, N); regions named later cover earlier ones."""
    count = len(rig.skin.vertices)
    if isinstance(soft, str):
        if soft != "auto":
            raise UnknownNameError("softness", soft, ("auto", "a number from 0 to 1", "one for each vertex"))
        amount = rig.soft
    else:
        amount = checked(np.broadcast_to(np.asarray(soft, dtype=np.float64), (count,)), "softness", (count,))
        if amount.min() < 0 or amount.max() > 1:
            raise InputError("softness must lie between 0 (bone) and 1 (flesh)")
    amount = amount * rig.carried
    if not isinstance(flesh, Mapping):
        return (as_flesh(flesh),), np.ascontiguousarray(amount[None])
    parts = {WHOLE: Flesh(), **flesh}  # what is not named is ordinary flesh
    masks: list[Array] = []
    for region in parts:
        own = share(rig.skin, region)
        if region != WHOLE:
            own = np.clip(own / 0.6, 0, 1)  # the heart of a region is wholly its own
        masks = [m * (1 - own) for m in masks] + [own]
    kept = [k for k, m in enumerate(masks) if m.any()]
    fleshes = [as_flesh(f) for f in parts.values()]
    return tuple(fleshes[k] for k in kept), np.ascontiguousarray([masks[k] * amount for k in kept])


def _window(window: float | str, fleshes: Sequence[Flesh]) -> float:
    if isinstance(window, str):
        if window != "auto":
            raise UnknownNameError("window", window, ("auto",))
        return max(f.window() for f in fleshes)
    if not (np.isfinite(window) and window > 0):
        raise InputError(f"a window must be positive and finite, not {window} s")
    return float(window)


# Products of small matrices, added up in one order whatever is computed along with them.


def _product(a: Array, b: Array) -> Array:
    return np.asarray(sum(a[..., :, k, None] * b[..., None, k, :] for k in range(3)))


def _applied(a: Array, v: Array) -> Array:
    return np.asarray(sum(a[..., :, k] * v[..., k, None] for k in range(3)))


def _inverse(m: Array) -> Array:
    """Of (…, 3, 3) by cofactors."""
    rows = [np.cross(m[..., (i + 1) % 3], m[..., (i + 2) % 3]) for i in range(3)]
    cofactor = np.stack(rows, axis=-2)
    return np.asarray(cofactor / (m[..., :, 0] * cofactor[..., 0, :]).sum(axis=-1)[..., None, None])
