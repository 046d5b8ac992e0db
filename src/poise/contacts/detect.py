"""The one detector: who touches what, when, told by what must be carried and by what can carry it.

Not "is a foot low and slow" but: the motion needs a wrench (``needed``); patches that are at rest or roll
on something push within their friction cones (``carrying``); what is left, one number u per frame, drives
everything else. Where it is large and the world is not given, the rest of a patch that explains most
becomes a surface, as long as nothing of the body is in the column below it. Such surfaces are *found*: a
question, never an answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.ballistics import flight_within
from poise.contacts.carrying import Carriers, carried
from poise.contacts.differentiated_clip import Mask, runs
from poise.contacts.floor import EXACT, belt, found_floor, hangs, learned_flesh
from poise.contacts.needed import Needed, low_passed, widened
from poise.contacts.patches import FLESH, FOOT, HAND
from poise.gravity import EARTH
from poise.world import Box, Ground, Surface, World, step
from poise.world.surface import FRICTION

SLIDES = 2.0
"""What is on a surface may carry up to this speed [m/s]."""
PRICE = 1e-3
"""Of a push, per weight; small, so that it only decides who carries."""
AT_REST, CLOSE = 0.12, 0.04
"""Speeds [m/s] and gaps [m] from which on pushing is dearer."""
FREE = 0.02
"""Gaps below it cost nothing [m]."""
GRIPPED = ("bar", "rope")
"""Kinds of shapes that hands close around: they pull on them as well as they push."""
GRIPPING = 1e-2
"""Price of what is held by hands."""
UNSURE = 0.15
"""What is left below this is within the doubt of masses and filters [weights]."""
WORTH = 0.02
"""A surface must explain so much more [weights · s]."""
HELD = 0.08
"""… and a hold that nobody sees even more: hands are still in the air, too [weights · s]."""
MISSING = 0.05
"""Less than this in all is not worth a search [weights · s]."""
LASTING = 0.12
"""Rests shorter than this are turning points [s]."""
SAME_LEVEL, SAME_PLACE = 0.04, 0.6
"""Rests at one height within this distance are on one surface [m]."""
MOST_SURFACES = 40
"""Rests that become surfaces, at most: the search is over long before, on any capture tried."""
TRIED = 14
"""Rests that are tried in every round, those with most left to explain first."""
HOVERS = 0.2
"""What must carry though it hovers is no higher than this, over stature."""
SLOWEST = 0.2
"""Who falls along a parabola with this share of gravity flies, at a wrong pace."""
NEARLY = 0.06
"""Feet that stand no farther from a given floor stand on it, of a body of 1.75 m [m]: they hover or sink."""
TRUNK = (
    "seat",
    "left thigh",
    "right thigh",
    "loin",
    "back",
    "neck",
    "head",
    "left shoulder",
    "right shoulder",
)
"""Parts that legs hold up …"""
UPRIGHT = 0.72
"""… where they are above the feet by this share of what they are at rest."""
DRIFTS = 0.15
"""Hands that carry and move by more hold something that moves [m]."""


@dataclass
class State:
    """What is known so far."""

    need: Needed
    world: World
    rest: Mask
    speed: Array
    grips: list[tuple[int, Mask]] = field(default_factory=list)
    """Patch, and the rows (T,) in which it holds on to something."""
    reach: Mask | None = None
    """Patches that carry with a gap (N, K)."""
    off: float = 0.0
    """How far above what is there feet stand throughout [m]."""
    gap: Array = field(init=False)
    normal: Array = field(init=False)
    surface: IntArray = field(init=False)
    near: Mask = field(init=False)
    gripped: Mask = field(init=False)
    """Hands whose nearest surface can be held on to (N, K)."""
    left: Array = field(init=False)
    force: Array = field(init=False)

    def look(self) -> None:
        """Measure gaps, and who may carry."""
        need = self.need
        time = need.times[:, None] if self.world.moves else None
        below = self.world.below(need.places, need.radius, time)
        self.gap, self.normal, self.surface = below
        fast = SLIDES * np.sqrt(need.scale)
        moving = need.velocities
        if time is not None:  # on what moves, rest is to go along with it
            along = self.world.velocity(need.places, self.surface, time) * (need.clip.dt / need.dt)
            moving, self.speed = need.velocities - along, need.speeds(along)
            self.rest = need.rested(self.speed)
        give, rising = need.patches.give, (moving * self.normal).sum(axis=2)
        gap = self.gap - self.off * (need.patches.kind == FOOT)
        near = (gap < give) & (self.speed < fast) & (rising < 0.5 * fast)
        near |= (gap < 0) & (self.speed < 1.5 * fast)
        near |= (gap < 1.6 * give) & self.rest
        self.near = near if self.reach is None else near | self.reach
        holds = np.array([s.shape.kind in GRIPPED for s in self.world.surfaces] + [False])
        self.gripped = holds[self.surface] & (need.patches.kind == HAND)

    def solve(self, allowed: Mask | None = None) -> None:
        """Forces of all who may carry, and what they leave."""
        self.left, self.force = self.forces(
            widened(self.near if allowed is None else allowed, self.need.widening)
        )

    def forces(self, allowed: Mask) -> tuple[Array, Array]:
        """What is left (T, 6), and the forces (T, K, 3) of allowed patches (N, K) and grips."""
        need, rows = self.need, self.need.rows
        gap = np.abs(self.gap[rows])
        if self.reach is not None:
            gap = np.where(self.reach[rows], np.minimum(gap, CLOSE), gap)
        gap = np.maximum(np.where(np.isfinite(gap), gap, 0.0) / need.scale - FREE, 0.0)
        dear = 1 + (self.speed[rows] / AT_REST) ** 2 + (gap / CLOSE) ** 2
        price = np.where(allowed[rows], PRICE * dear, np.inf)
        grip = np.zeros(price.shape)
        for (
            ks
        ) in need.patches.hands:  # of a hand that closes around something, what is nearest to it holds on
            closed = np.where((self.gripped & allowed)[rows][:, ks], np.abs(self.gap[rows][:, ks]), np.inf)
            nearest = (closed == closed.min(axis=1, keepdims=True)) & np.isfinite(closed)
            grip[:, ks] = nearest
            price[:, ks] = np.where(np.isfinite(closed) & ~nearest, np.inf, price[:, ks])
        for k, on in self.grips:
            price[on, k], grip[on, k] = GRIPPING, 1.0
        normal = self.normal[rows]
        touch = need.places[rows] - (need.radius[:, None] * normal) * (1 - grip)[..., None]
        friction = np.array([s.friction for s in self.world.surfaces] + [FRICTION])[self.surface[rows]]
        by = Carriers(
            np.ascontiguousarray(touch - need.com[rows][:, None]),
            normal,
            friction,
            need.patches.disc,
            price,
            grip,
        )
        return carried(need.wrench[rows], by, need.arm)

    @property
    def bad(self) -> Array:
        """What is left beyond doubt (T,) [weights]."""
        return np.maximum(np.linalg.norm(self.left, axis=1) - UNSURE, 0.0)

    @property
    def tick(self) -> float:
        """Seconds between rows."""
        rows = self.need.rows
        return float((rows[1] - rows[0]) * self.need.dt) if len(rows) > 1 else self.need.dt


def detect(need: Needed, given: World | None = None) -> State:
    """What carries the motion; in a ``given`` world nothing is added."""
    off = 0.0
    if given is None:
        moving = belt(need)
        rest = need.resting(moving)
        floor = found_floor(need, rest).replaced(
            velocity=(float(moving[0]), float(moving[1]), float(moving[2]))
        )
        need = learned_flesh(need, rest, floor)
        world = World((floor,))
    else:
        world = given.carried_by(need.clip)
        known = given.floor
        moving = np.zeros(3) if known is None else np.array(known.velocity)
        rest = need.resting(moving)
        # Flesh is learned where feet do rest: on a floor given too high or low it would seem thin or thick.
        seen = found_floor(need, rest)
        learned = learned_flesh(need, rest, seen)
        # Feet that stand exactly, but a little above or below what is there, touch it at that height.
        above = np.full(2, np.inf) if known is None else known.gap(_feet_on(need, seen))[0]
        level = float(above.mean())
        if np.ptp(above) < EXACT * need.scale and abs(level) < NEARLY * need.scale:
            need, off = learned, level
        else:
            need = replace(learned, patches=need.patches)
    state = State(need, world, rest, need.speeds(moving), off=off)
    state.look()
    state.solve()
    if given is None:
        _add_surfaces(state)
        _grow_surfaces(state)
    _carry_with_gaps(state)
    if given is None:
        _push_props(state)
    return state


def _feet_on(need: Needed, floor: Surface) -> Array:
    """Places on a floor below where the motion begins and ends (2, 3) [m]."""
    ends = need.com[[0, -1]]
    gap, normal = floor.gap(ends)
    return np.asarray(ends - gap[:, None] * normal)


def _add_surfaces(state: State) -> None:
    """Surfaces where patches rest and something must carry: feet before all others, but not those of who
    hangs by the hands, which come to rest only where they turn back."""
    need = state.need
    rests = [e for e in _rests(state) if need.patches.kind[e[0]] == HAND or _clear_below(need, *e)]
    rests = [e for e in rests if not _stands_below(need, *e) and not _on_the_floor(state, *e)]
    used: set[tuple[int, int, int]] = set()
    for tier in (HAND, FOOT) if hangs(need, state.rest) else (FOOT, HAND):
        for _ in range(MOST_SURFACES):
            bad = state.bad
            if bad.sum() * state.tick < MISSING:
                return
            best = _best_rest(state, [e for e in rests if e not in used], tier, bad)
            if best is None:
                break
            used.add(best)
            _add(state, best)
            state.look()
            state.solve()


def _rests(state: State) -> list[tuple[int, int, int]]:
    """Patch, first and last frame of every rest that lasts."""
    found = []
    for k in range(len(state.need.patches)):
        found += [(k, a, b) for a, b in runs(state.rest[:, k]) if (b - a) * state.need.dt >= LASTING]
    return found


def _clear_below(need: Needed, k: int, a: int, b: int) -> bool:
    """Whether nothing of the body is in the column below a resting patch: what carries it must fit there."""
    frames = slice(a, b + 1, max(1, int(need.rows[1] - need.rows[0]) if len(need.rows) > 1 else 1))
    others = [j for j in range(len(need.patches)) if need.patches.part[j] != need.patches.part[k]]
    at, own = need.places[frames][:, others], need.places[frames, k][:, None]
    near = np.linalg.norm(at[..., :2] - own[..., :2], axis=2) < 0.07 * need.patches.stature
    under = at[..., 2] < own[..., 2] - need.radius[k] - 0.03 * need.scale
    return bool((near & under).any(axis=1).mean() < 0.3)


def _on_the_floor(state: State, k: int, a: int, b: int) -> bool:
    """Whether a patch rests so little above the floor that both are one level: it may hover, on no step."""
    return bool(abs(np.median(state.gap[a : b + 1, k])) < SAME_LEVEL * state.need.scale)


def _stands_below(need: Needed, k: int, a: int, b: int) -> bool:
    """Whether a patch of the trunk is as high above the feet as when the figure stands: legs carry it then,
    not a seat."""
    patches = need.patches
    feet = np.flatnonzero(patches.kind == FOOT)
    if patches.part[k] not in TRUNK or not len(feet):
        return False
    up = need.places[a : b + 1, k, 2] - need.places[a : b + 1][:, feet, 2].min(axis=1)
    rest = patches.rest[:, 2]
    return bool(np.median(up) > UPRIGHT * (rest[k] - rest[feet].min()))


def _best_rest(
    state: State, rests: list[tuple[int, int, int]], tier: int, bad: Array
) -> tuple[int, int, int] | None:
    """The rest whose push explains most of what is left."""
    need, rows = state.need, state.need.rows
    wide = need.widening
    open_ = []
    for e in rests:
        k, a, b = e
        if (tier == FOOT) != (need.patches.kind[k] == FOOT) or state.near[a : b + 1, k].mean() > 0.5:
            continue
        chosen = (rows >= a - wide) & (rows <= b + wide)
        much = float(bad[chosen].sum())
        if much * state.tick >= WORTH:
            open_.append((much, e, chosen))
    open_.sort(key=lambda o: -o[0])
    best, most = None, WORTH
    for _, e, chosen in open_[:TRIED]:
        k, a, b = e
        if _hangs(need, k, a, b) and _held_already(state, k, chosen):
            continue
        left = _with_one(state, k, chosen, grip=_hangs(need, k, a, b))
        gain = (
            float((bad[chosen] - np.maximum(np.linalg.norm(left, axis=1) - UNSURE, 0.0)).sum()) * state.tick
        )
        if _hangs(need, k, a, b) and gain < HELD:
            continue
        gain /= 1 + (float(np.median(state.speed[a : b + 1, k])) / 0.1) ** 2
        if gain > most:
            best, most = e, gain
    return best


def _held_already(state: State, k: int, chosen: Mask) -> bool:
    """Whether another patch of the same hand holds on meanwhile: two would wring what they hold."""
    part = state.need.patches.part
    return any(
        j != k and part[j] == part[k] and (on & chosen).sum() > 0.5 * chosen.sum() for j, on in state.grips
    )


def _with_one(state: State, k: int, chosen: Mask, *, grip: bool) -> Array:
    """What is left if one more patch pushes up, or holds on (·, 6)."""
    need, rows = state.need, state.need.rows[chosen]
    up = np.array([0.0, 0.0, 1.0])
    low = 0.0 if grip else need.radius[k]
    at = (need.places[rows, k] - low * up - need.com[rows])[:, None]
    shape = (len(rows), 1)
    by = Carriers(
        np.ascontiguousarray(at),
        np.broadcast_to(up, at.shape).copy(),
        np.full(shape, FRICTION),
        need.patches.disc[k : k + 1],
        np.full(shape, 0.05 if grip else 0.02),
        np.full(shape, float(grip)),
    )
    return carried(state.left[chosen], by, need.arm)[0]


def _hangs(need: Needed, k: int, a: int, b: int) -> bool:
    """Whether it is a hand so high that it would hold on to something."""
    if need.patches.kind[k] != HAND:
        return False
    over = need.places[a : b + 1, k, 2].mean() - need.com[a : b + 1, 2].mean()
    return bool(over > -0.1 * need.patches.stature)


def _add(state: State, rest: tuple[int, int, int]) -> None:
    """A surface, or a hold, where a patch rests."""
    need, (k, a, b) = state.need, rest
    rows = need.rows
    drift = float(np.ptp(need.places[a : b + 1, k], axis=0).max())
    hand = need.patches.kind[k] == HAND
    if _hangs(need, k, a, b) or (hand and drift > DRIFTS * need.scale):
        state.grips.append((k, (rows >= a - need.widening) & (rows <= b + need.widening)))
        return
    mates = [
        j
        for j in range(len(need.patches))
        if need.patches.part[j] == need.patches.part[k] and need.patches.kind[j] == FLESH
    ] or [k]
    top = min(float(np.median(need.places[a : b + 1, j, 2])) - float(need.radius[j]) for j in mates)
    way = need.places[a : b + 1, k, :2]
    disc = float(need.patches.disc[k])
    low, high = way.min(axis=0) - disc, way.max(axis=0) + disc
    home = next((s for s in state.world.surfaces[1:] if _same(s, low, high, top, need.scale)), None)
    ground = state.world.floor.shape if state.world.floor is not None else None
    middle = np.array([*(0.5 * (low + high)), 0.0])
    bottom = float(ground.level(middle)) if isinstance(ground, Ground) else top - 0.1
    seat = need.patches.part[k] in ("seat", "left thigh", "right thigh", "loin")
    if home is None:
        kind = "seat" if seat else "step"
        count = sum(s.name.startswith(kind) for s in state.world.surfaces)
        name = kind if count == 0 else f"{kind} {count + 1}"
        new = step(name, low, high, top, min(bottom, top - 0.02), source="found")
    else:
        corner, far, old = _extent(home)
        new = step(
            home.name,
            np.minimum(low, corner),
            np.maximum(high, far),
            old,
            min(bottom, old - 0.02),
            source="found",
            sure=min(0.9, home.sure + 0.1),
        )
    state.world = state.world.with_surfaces([new])


def _grow_surfaces(state: State) -> None:
    """Steps reach as far as feet rest on their level beside whoever was needed to carry: the other foot, and
    the heel of the same."""
    need, world = state.need, state.world
    rests = [(k, a, b) for k, a, b in _rests(state) if need.patches.kind[k] == FOOT]
    under = [need.places[a : b + 1, k] - [0.0, 0.0, need.radius[k]] for k, a, b in rests]
    level = np.array([np.median(way[:, 2]) for way in under])
    middle = np.array([np.median(way[:, :2], axis=0) for way in under]).reshape(-1, 2)
    for surface in [s for s in world.surfaces[1:] if s.name.startswith("step")]:
        low, high, top = _extent(surface)
        was = low, high
        lower = middle[level < top - SAME_LEVEL * need.scale]
        for (k, a, b), way, height in zip(rests, under, level):
            if abs(height - top) > SAME_LEVEL * need.scale or state.near[a : b + 1, k].mean() > 0.5:
                continue
            disc = float(need.patches.disc[k])
            near, far = way[:, :2].min(axis=0) - disc, way[:, :2].max(axis=0) + disc
            inside = ((lower > near) & (lower < far)).all(axis=1).any()  # no step was there then
            if not inside and _same(surface, near, far, float(height), need.scale):
                low, high = np.minimum(low, near), np.maximum(high, far)
        if (low < was[0]).any() or (high > was[1]).any():
            bottom = float(surface.place[2] - surface.shape.half[2])  # type: ignore[attr-defined]
            new = step(surface.name, low, high, top, bottom, source="found", sure=surface.sure)
            state.world = state.world.with_surfaces([new])
    if state.world is not world:
        state.look()
        state.solve()


def _extent(surface: Surface) -> tuple[Array, Array, float]:
    """Corners (x, y) and top of a step."""
    assert isinstance(surface.shape, Box)
    place, half = np.array(surface.place), np.array(surface.shape.half)
    return place[:2] - half[:2], place[:2] + half[:2], float(place[2] + half[2])


def _same(surface: Surface, low: Array, high: Array, top: float, scale: float) -> bool:
    corner, far, level = _extent(surface)
    apart = np.maximum(np.maximum(corner - high, low - far), 0.0)
    return bool(abs(level - top) < SAME_LEVEL * scale and apart.max() < SAME_PLACE * scale)


def _carry_with_gaps(state: State) -> None:
    """What must push up though it hovers: the lowest of the body, slow, while much is left (arms too short
    …)."""
    need, rows = state.need, state.need.rows
    u = np.linalg.norm(state.left, axis=1)
    reach = np.zeros(state.near.shape, dtype=bool)
    for a, b in runs((u > 2 * UNSURE) & (state.left[:, 2] > 0.2)):
        first, last = int(rows[a]), min(int(rows[b]) + int(state.tick / need.dt + 0.5), need.frames - 1)
        if (last - first) * need.dt < 0.06:
            continue
        gap = state.gap[first : last + 1]
        lowest = gap.min(axis=1, keepdims=True)
        low = (gap < lowest + 0.05 * need.scale) & (gap < HOVERS * need.patches.stature)
        if not _flies(state, first, last, low) and not _within_a_flight(state, first, last):
            reach[first : last + 1] |= low & (state.speed[first : last + 1] < 0.9 * SLIDES)
    if reach.any():
        state.reach = reach & ~state.near
        state.near = state.near | reach
        state.solve()


def _within_a_flight(state: State, first: int, last: int) -> bool:
    """Whether frames lie within a longer stretch that nothing is near to, and that is such a flight."""
    apart = next(
        ((a, b) for a, b in runs(~state.near.any(axis=1)) if a <= (first + last) // 2 <= b), (first, last)
    )
    a, b = min(apart[0], first), max(apart[1], last)
    if (a, b) == (first, last):
        return False
    gap = state.gap[a : b + 1]
    low = (gap < gap.min(axis=1, keepdims=True) + 0.05 * state.need.scale) & (
        gap < HOVERS * state.need.patches.stature
    )
    return _flies(state, a, b, low)


def _flies(state: State, first: int, last: int, low: Mask) -> bool:
    """Whether frames are a flight that falls slowly: a parabola, feet rise with it, nothing low rests."""
    fit = flight_within(state.need.com, state.need.dt, first, last, scale=state.need.scale)
    if (
        fit is None
        or fit.gravity < SLOWEST * EARTH
        or (low & state.rest[first : last + 1]).any(axis=1).mean() > 0.8
    ):
        return False
    lowest, who = state.gap[first : last + 1].min(axis=1), state.gap[first : last + 1].argmin(axis=1)
    third = max(len(lowest) // 3, 1)
    if (state.need.patches.kind[who[third:-third]] != FOOT).mean() > 0.5:
        return False  # hands are below: it may turn over them
    rise = float(np.median(lowest[third:-third])) - max(float(lowest[0]), float(lowest[-1]))
    return rise > 0.4 * fit.gravity * ((last - first) * state.need.dt) ** 2 / 8  # of the arc's height


def _push_props(state: State) -> None:
    """Hands that push or hold something that moves: lastingly, mostly sideways, while something else
    carries."""
    last = low_passed(state.left[:, :3], 0.53, state.tick)
    side = np.hypot(last[:, 0], last[:, 1])
    on = (side > 0.1) & (np.abs(last[:, 2]) < side)
    on &= np.linalg.norm(state.force, axis=2).sum(axis=1) > 0.4
    palms = [k for k, n in enumerate(state.need.patches.names) if n.endswith("palm")]
    found = False
    for a, b in runs(on):
        if (b - a) * state.tick < 0.4:
            continue
        rows = np.zeros(len(on), dtype=bool)
        rows[a : b + 1] = True
        state.grips += [(k, rows) for k in palms]
        found = bool(palms)
    if found:
        state.solve()
