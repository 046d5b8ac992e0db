"""The problem of a clip on the ground: what a displacement costs, and its linear model.

    min_c  ½ cᵀ M c + Σ_f dt [ W D(w_f) + W ½ (w_z − most)₊² ] + ½ Σ dt [ slide |ẋ|² + sink z² ] + limits

over coefficients c of displacement curves, with D the smoothed distance from the contacts' cone (``cone``).
The unknowns of contact forces are gone; what remains is a band.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.contacts.differentiated_clip import Mask
from poise.contacts.held_patches import LOOKS, Footing
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.ground.cone import Carried, Pushes, carried
from poise.methods.ground.keys import GridKeys, scatter, spread
from poise.methods.ground.pins import Pinned, Pins
from poise.methods.ground.price import grams
from poise.methods.ground.rows import Grid, Limit, Touch, Wrench, fill, limit_rows
from poise.methods.ground.strength import Strained, Strength
from poise.methods.ground.wrench import Stride, wrenches
from poise.solvers.banded import multiply

PHYSICS = 30.0
"""Price of a missing body weight, squared, for a second [m²]: 3 leaves 0.016 of it, 300 changes a third
more."""
SLIDE = 30.0
"""Price of a resting point's speed [m²/(m/s)²]."""
SINK = 3e4
"""Price of the height of a patch [m²/m²]."""
LIMIT = 1e3
"""Price of joints beyond their limits [m²/rad²]."""
ENDS = 2
"""Samples at either end of a clip of which nothing is asked: nobody knows what came before."""
NEAR = 0.02
"""Patches so far above a surface may touch it, for all that is known of flesh [m]."""
CARRIED, USUAL = 0.05, 99.0
"""What is missed by less is carried as given [weights], and tells of its joints by this percentile."""
REACH = 0.015
"""Half the width of what a patch stands for, while solving [m]; it is judged with 0.02."""


@dataclass(frozen=True, eq=False)
class Look:
    """A displacement as the problem sees it."""

    c: Array
    merit: float
    d: Array
    """(G, nv)"""
    q: Array
    kin: Kinematics
    carried: Carried
    need: Array
    slope: Array | None
    push: Array
    """Of patches [weights], by which joints strain (S, K, 3): those of the displacement from which it was
    looked at, so that the merit has a derivative."""
    strain: Array
    """Of joints, over their strength (S, n)."""


class Problem:
    """All that is asked of one displacement of frames on a grid."""

    def __init__(
        self,
        character: Character,
        base: Array,
        stride: Stride,
        footing: Footing,
        keys: GridKeys,
        most: float,
        pins: Pins | None = None,
        strength: Strength | None = None,
        priced: int = 1,
    ) -> None:
        self.character, self.base, self.stride, self.footing, self.keys = (
            character,
            base,
            stride,
            footing,
            keys,
        )
        self.most, self.priced = most, priced
        self.kin = Kinematics(character, base)
        self.rows = stride.samples(len(base))
        self.about = footing.about(self.kin)[self.rows]
        self.smoothing = 1e-4
        self.pinned = Pinned(Pins(character) if pins is None else pins, keys, stride)
        self.hold = 1.0
        self.grid = Grid(keys.columns, keys.weights, int(stride.loop))
        bodies, self.of_body = np.unique(footing.body, return_inverse=True)
        self.bodies = [int(b) for b in bodies]
        self._watch = footing.touches | (footing.gap < LOOKS)
        of = np.full(len(base), -1)
        asked = ~footing.free[self.rows]
        cut = not stride.loop and len(asked) > 4 * ENDS
        self.known = slice(ENDS, -ENDS) if cut else slice(None)
        """Samples of which something is asked, unless something unseen carries there."""
        if cut:
            asked[:ENDS] = asked[-ENDS:] = False
        of[(self.rows - 1) % len(base)] = np.where(asked, np.arange(len(self.rows)), -1)
        self._of, self.asked = of, asked
        self._bounds = self._limits()
        self.strained = None
        if strength is not None and len(strength.most) and len(base) > 2:
            self.strained = Strained(strength, base, stride, footing, keys)
            self.strained.enough = self._enough(self.strained)

    def _enough(self, strained: Strained) -> Array:
        """Up to which joints may strain (n,): people's no less than as given, where contacts carry."""
        need = wrenches(
            self.stride,
            self.base,
            np.zeros((len(self.base), self.character.nv)),
            self.about,
            self.kin,
            slope=False,
        )
        got = carried(need.need, self.pushes(self.kin), REACH, self.stride.arm, self.smoothing)
        fair = self.asked & (np.linalg.norm(got.left, axis=1) < CARRIED)
        if not fair.any():
            return strained.enough
        given = np.percentile(strained.strain(self.base, got.force)[fair], USUAL, axis=0)
        return np.where(strained.strength.sure, strained.enough, np.maximum(strained.enough, given))

    @cached_property
    def price(self) -> Array:
        """M, as a band."""
        character, keys, stride = self.character, self.keys, self.stride
        moving = [
            i
            for i in range(len(character.bodies))
            if np.isin(np.arange(character.nv)[character.dofs(i)], stride.dofs).any()
        ]
        gram, bends = self._prices(moving)
        band = np.zeros((keys.unknowns, keys.bandwidth + 1))
        spread(keys.place, keys.columns, keys.weights, gram * stride.dt, keys.bends, bends * stride.dt, band)
        return band

    @cached_property
    def diagonal(self) -> Array:
        """Of M (n,)."""
        return self.price[:, 0].copy()

    @cached_property
    def _room(self) -> tuple[Array, Array, Array]:
        """Room for rows, what they miss, and the matrix."""
        stretches = self.keys.stretches
        longest = max((len(s.frames) for s in stretches), default=1)
        widest = max((len(s.keys) for s in stretches), default=1)
        rows = np.empty((longest * (7 + 4 * len(self.footing.names)), widest * self.keys.size))
        return rows, np.empty(len(rows)), np.empty_like(self.price)

    def _prices(self, moving: list[int]) -> tuple[Array, Array]:
        """Of a displacement of bodies in every frame (G, m, m), and of its second derivatives (m,); one frame
        in ``priced`` speaks for its neighbours."""
        every = np.arange(len(self.base)) // self.priced
        kin = self.kin
        if self.priced > 1:
            kin = Kinematics(self.character, np.ascontiguousarray(self.base[:: self.priced]))
        gram, bends = grams(self.character, kin, self.stride.dofs, moving, loop=self.stride.loop)
        return (gram if self.priced == 1 else gram[every]), bends

    def _dilated(self, mask: Mask) -> Mask:
        """The stencil of a wrench spans three frames: one that touches in any of them may push."""
        before, after = np.roll(mask, 1, axis=0), np.roll(mask, -1, axis=0)
        if not self.stride.loop:
            before[0], after[-1] = mask[0], mask[-1]
        return mask | before | after

    def _limits(self) -> tuple[Array, Array]:
        """Bounds of exponential coordinates (G, nv), no narrower than the clip as given."""
        manifold = self.character.manifold
        at = manifold.minus(self.base, np.broadcast_to(manifold.neutral(), self.base.shape))
        return np.minimum(self.character.lower, at), np.maximum(self.character.upper, at)

    def pushes(self, kin: Kinematics, doubt: int = 0) -> Pushes:
        """Who may push, about the points that moments are about; ``doubt``: for so many frames longer, and
        all patches near the surface of a part that touches."""
        f, rows = self.footing, self.rows
        touches = f.touches
        if doubt:
            part = np.array([[a == b for b in f.part] for a in f.part])
            touches = touches | ((touches.astype(np.int64) @ part > 0) & (f.gap < NEAR))
        for _ in range(1 + doubt):
            touches = self._dilated(touches)
        place = f.places(kin)[rows] - f.radius[:, None] * f.normal[rows] - self.about[:, None]
        return Pushes(
            np.ascontiguousarray(place),
            np.ascontiguousarray(f.normal[rows]),
            np.ascontiguousarray(f.friction[rows]),
            np.ascontiguousarray(touches[rows], dtype=np.int64),
        )

    def look(self, c: Array, *, slope: bool = False, near: Look | None = None) -> Look:
        """A displacement of coefficients c (K, m), and its merit; ``near``: one close by, seen before."""
        stride, manifold, dt = self.stride, self.character.manifold, self.stride.dt
        d = np.zeros((len(self.base), self.character.nv))
        d[:, stride.dofs] = self.keys.displacement(c)
        q = manifold.plus(self.base, d)
        kin = Kinematics(self.character, q)
        found = wrenches(stride, q, d, self.about, kin, slope=slope)
        begin = None if near is None else near.carried.left
        got = carried(found.need, self.pushes(kin), REACH, stride.arm, self.smoothing, begin)
        push = got.force if near is None else near.carried.force
        strain = np.zeros((len(self.rows), 0)) if self.strained is None else self.strained.strain(q, push)
        x = self.keys.folded(c)

        merit = 0.5 * float(x @ multiply(self.price, x)) if x.any() else 0.0
        over = np.maximum(found.need[:, 2] - self.most, 0.0)
        merit += PHYSICS * dt * float(((got.value + 0.5 * over**2) * self.asked).sum())
        slide, _ = self._slides(kin)
        merit += 0.5 * float((slide**2).sum())
        sunk, sinks = self._sunk(kin)
        merit += 0.5 * float((np.where(sinks, sunk, 0.0) ** 2).sum())
        merit += 0.5 * float((self._beyond(q)[0] ** 2).sum()) * LIMIT * dt
        merit += self.pinned.merit(c, self.hold)
        if self.strained is not None:
            merit += 0.5 * float((self.strained.over(strain, self.asked) ** 2).sum())
        return Look(c, merit, d, q, kin, got, found.need, found.slope, push, strain)

    def sloped(self, look: Look) -> Look:
        """The same look with its slope; pushes by which joints strain are then its own."""
        if self.strained is not None:
            return self.look(look.c, slope=True, near=look)
        found = wrenches(self.stride, look.q, look.d, self.about, look.kin, slope=True)
        return replace(look, need=found.need, slope=found.slope)

    def system(self, look: Look) -> tuple[Array, Array]:
        """Matrix (band) and gradient (n,) of the model at a displacement, looked at with its slope."""
        from scipy.linalg.blas import dsyrk

        room, misses, band = self._room
        np.copyto(band, self.price)
        gradient = multiply(self.price, self.keys.folded(look.c))
        wrench, touch = self._wrench(look), self._touch(look)
        m, loop = self.keys.size, self.grid
        for stretch in self.keys.stretches:
            width = len(stretch.keys) * m
            rows, miss = room[:, :width], misses
            count = fill(stretch.frames, stretch.keys, loop, wrench, touch, rows, miss)
            block = dsyrk(1.0, rows[:count].T, lower=1)
            scatter(stretch.place, m, block, miss[:count] @ rows[:count], band, gradient)
        self.pinned.add(look.c, self.hold, band, gradient)
        if self.strained is not None and (over := self.strained.over(look.strain, self.asked)).any():
            self.strained.add(look.d, look.push, over, band, gradient)
        limit_rows(
            self._limit(look), self.keys.columns, self.keys.weights, self.keys.place, m, band, gradient
        )
        return band, gradient

    def _wrench(self, look: Look) -> Wrench:
        assert look.slope is not None
        root = np.sqrt(PHYSICS * self.stride.dt)
        over = np.maximum(look.need[:, 2] - self.most, 0.0)
        got = look.carried
        return Wrench(
            self._of, look.slope, got.root, got.pull, got.force, over, np.array([root, self.stride.arm])
        )

    def _touch(self, look: Look) -> Touch:
        stride, f, kin = self.stride, self.footing, look.kin
        turn = so3.right_jacobian(look.d[:, self.character.manifold.rotation_slots[1]])
        origins = [self.character.point(self.character.names[b]) for b in self.bodies]
        origin = stride.turned(np.stack(kin.point_jacobians(origins), axis=1), turn)
        turning = stride.turned(np.stack([kin.angular_jacobian(b) for b in self.bodies], axis=1), turn)
        slide, lever = self._slides(kin)
        sunk, sinks = self._sunk(kin)
        reach = np.einsum("fkij,kj->fki", kin.rotations[:, f.body], f.place)
        return Touch(
            self.of_body.astype(np.int64), origin, turning, reach, lever, f.rests.astype(np.int64), slide,
            sinks.astype(np.int64), sunk, f.normal, self._firmness, float(np.sqrt(SINK * stride.dt)),
        )  # fmt: skip

    def ways(self, kin: Kinematics) -> Array:
        """How far resting points move until the next frame [m] (G, K, 3)."""
        return self._ways(kin)[0]

    def _ways(self, kin: Kinematics) -> tuple[Array, Array]:
        """The same, and its levers: how its axes change as a body turns, in this frame and the next
        (2, G, K, axis, 3).

        It is the skin straight below a patch that rests: x_f = p_f + R_f a − r n, carried on by the body to
        p_{f+1} + R_{f+1} R_fᵀ (x_f − p_f). A foot that rolls is held there, however it has been turned.
        """
        f = self.footing
        turns, places = kin.rotations[:, f.body], kin.positions[:, f.body]
        after, then = np.roll(turns, -1, axis=0), np.roll(places, -1, axis=0)
        if self.stride.loop:
            then[-1] += self.stride.travel
        reach = np.einsum("fkij,kj->fki", turns, f.place)
        under = -f.radius[:, None] * f.normal
        on = np.einsum("fkij,fklj->fkil", after, turns)
        next_ = np.einsum("fkij,fkj->fki", on, reach + under)
        way = np.where(f.rests[..., None], then + next_ - places - reach - under, 0.0)
        axes = np.eye(3)
        here = np.cross(reach[:, :, None], axes) + np.cross(under[:, :, None], on)
        return way, np.stack([here, np.cross(next_[:, :, None], axes)])

    def off(self, kin: Kinematics) -> Array:
        """How far patches are above the height that they are to keep [m] (G, K)."""
        f = self.footing
        moved = f.places(kin) - f.radius[:, None] * f.normal - f.origin
        return np.asarray(f.gap + (moved * f.normal).sum(axis=2) - f.level)

    def _slides(self, kin: Kinematics) -> tuple[Array, Array]:
        """Ways of resting points, weighed, and their levers."""
        way, lever = self._ways(kin)
        return way * self._firmness, lever

    @property
    def _firmness(self) -> float:
        """√ of the price of a slide over the time between frames."""
        return float(np.sqrt(SLIDE / self.stride.dt))

    def _sunk(self, kin: Kinematics) -> tuple[Array, Mask]:
        """Heights off what is to be kept, weighed (G, K), and where they are rows."""
        off = self.off(kin)
        return off * np.sqrt(SINK * self.stride.dt), self.footing.held | (self._watch & (off < 0.0))

    def _beyond(self, q: Array) -> tuple[Array, Array]:
        """Exponential coordinates beyond their bounds, and themselves (G, nv)."""
        manifold = self.character.manifold
        at = manifold.minus(q, np.broadcast_to(manifold.neutral(), q.shape))
        low, high = self._bounds
        return np.maximum(at - high, 0.0) + np.minimum(at - low, 0.0), at

    def _limit(self, look: Look) -> Limit:
        off, at = self._beyond(look.q)
        local = np.full(self.character.nv, -1)
        local[self.stride.dofs] = np.arange(len(self.stride.dofs))
        off = np.where(local >= 0, off, 0.0)
        frame, dof = np.nonzero(off)
        root = np.sqrt(LIMIT * self.stride.dt)
        slots = np.full((len(frame), 3), -1)
        slope = np.zeros((len(frame), 3))
        slots[:, 0], slope[:, 0] = local[dof], root
        ball = {
            int(v): (r, i)
            for r, row in enumerate(self.character.manifold.rotation_slots[1])
            for i, v in enumerate(row)
        }
        for n, (f, v) in enumerate(zip(frame, dof)):
            if int(v) in ball:
                r, i = ball[int(v)]
                own = self.character.manifold.rotation_slots[1][r]
                change = so3.right_jacobian_inverse(at[f, own]) @ so3.right_jacobian(look.d[f, own])
                slots[n], slope[n] = local[own], root * change[i]
        return Limit(slots, frame.astype(np.int64), slope, root * off[frame, dof])
