"""What a change costs: how far it moves what one sees of the body, and how sharply it bends.

    ½ ∫ dᵀ (G + 0.1 D) d dt + smoothness · ½ ∫ d̈ᵀ D d̈ dt,      G(t) = Σ_p m_p J_pᵀ J_p,   D = mean of diag G

J_p are the Jacobians of points spread evenly over the bones (or over the mass), Σ m_p = 1: G is the
joint-space mass matrix of a character whose weight is what one sees. A turn of the hips counts for all that
it carries, a turn of a wrist for little, and units play no part.

The paper prints weights 1/w; the weight that keeps sensitive parameters still is w, as here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character, Mass
from poise.character.labels import roles
from poise.compilation import kernel
from poise.dynamics import mass_matrix
from poise.errors import InputError, UnknownNameError
from poise.methods.adapt.problem.displacement import matching_dofs
from poise.methods.adapt.problem.unknowns import Keys, Space, key_times
from poise.methods.adapt.rows.rows import PER_SECOND
from poise.methods.adapt.solve.banded_matrix import Chunks, spread

OBJECTIVES = ("length", "mass", "joints")
THICKNESS = 0.05
"""Of the limbs whose surface one sees turn [m]."""
RIDGE = 0.1
"""Part of the sensitivities that is charged to each degree of freedom by itself, whatever others do."""
LEAST = 0.01
"""Mean square motion [m²/rad²] that any degree of freedom counts as: toes that carry nothing have a price."""
BEND = 0.1
"""The time over which bending is compared with moving [s]."""
CALM = 1.5
"""How much dearer than of knees it is to bend what should move calmly."""
STILL = 1e8
"""Price of a locked key's displacement."""
POINTS = 4
"""The integral is a sum over at least so many frames between keys."""
BATCH = 512
"""Frames whose matrices are held at once."""

_visible: WeakKeyDictionary[Character, Character] = WeakKeyDictionary()


def price(
    space: Space,
    objective: str,
    overrides: Mapping[str, float] | None,
    base: Array,
    calm: Sequence[int] = (),
) -> tuple[Array, Array]:
    """The matrix of the cost as a band (n, bandwidth + 1), and D (m,), for a base motion (F, nq).

    ``calm``: bodies whose joints' displacement is the dearest to bend.
    """
    if objective not in OBJECTIVES:
        raise UnknownNameError("objective", objective, OBJECTIVES)
    character, dofs = space.clip.character, space.dofs
    factor = _factors(character, overrides)[dofs]
    band = np.zeros((space.count, space.bandwidth + 1))
    stride = max(1, int(space.spacing / (POINTS * space.clip.dt)))
    at = np.arange(0, len(base), stride)
    step = PER_SECOND * space.clip.dt * len(base) / len(at)
    diagonal = _mean_diagonal(character, objective, base)[dofs] * factor
    ridge = RIDGE * diagonal + LEAST
    bend = space.asked.smoothness * BEND**4 * (diagonal + 2.0 * LEAST)
    own = character.dof_body[dofs]
    bend[np.isin(own, _knees(character))] *= space.asked.knees
    bend[np.isin(own, calm)] *= CALM * space.asked.knees
    root = np.sqrt(factor)
    for first in range(0, len(at), BATCH):
        part = at[first : first + BATCH]
        gram = _gram(character, objective, base[part])
        stencil = space.stencil.at(part)
        chunks = Chunks(*space.reach(stencil), space.bandwidth)
        prices, keys = Prices(step, root, ridge, bend), Keys(space.group, *stencil)
        chunks.run(_add_price, gram, dofs, prices, keys, space.slot, band)
    _hold_still(space, band)
    return band, diagonal


def _hold_still(space: Space, band: Array) -> None:
    """Price the displacement at locked keys of interpolating cubics so high that it vanishes."""
    for g, group in enumerate(space.groups):
        locked = space.still(group)
        if not locked.any():
            continue
        columns, weights = group.stencil(key_times(group))
        own = np.flatnonzero(space.group == g)
        for i, key in np.argwhere(locked):
            slots = space.slot[own[i], columns[key]]
            for a, w in zip(slots, weights[0, key]):
                for b, v in zip(slots, weights[0, key]):
                    if b >= a:
                        band[a, b - a] += STILL * w * v


def _gram(character: Character, objective: str, q: Array) -> Array:
    """G (F, nv, nv) [m²]."""
    nv = character.nv
    if objective == "joints":
        return np.broadcast_to(np.eye(nv), (len(q), nv, nv)) * 0.1
    seen = character if objective == "mass" else visible(character)
    if not seen.total_mass > 0:
        raise InputError(f"{character.name!r} has no mass to weigh its motion by; take objective='length'")
    return mass_matrix(seen, q, armature=np.zeros(nv)) / seen.total_mass


def _mean_diagonal(character: Character, objective: str, q: Array) -> Array:
    """Over a few frames of the clip, (nv,)."""
    some = q[np.unique(np.linspace(0, len(q) - 1, 64).astype(int))]
    return np.asarray(np.einsum("fii->i", _gram(character, objective, some)) / len(some))


def visible(character: Character) -> Character:
    """The same tree weighed by the length of its bones."""
    found = _visible.get(character)
    if found is not None:
        return found
    ends: list[list[Array]] = [[] for _ in character.bodies]
    for i, body in enumerate(character.bodies):
        up = int(character.parents[i])
        if up >= 0:
            ends[up].append(np.asarray(body.offset, dtype=np.float64))
    for i, body in enumerate(character.bodies):
        if not ends[i]:
            ends[i] = [np.asarray(p, dtype=np.float64) for p in body.points.values()]
    masses = [Mass.combined([_rod(end) for end in own]) for own in ends]
    if not any(m.mass > 0 for m in masses):
        masses[0] = Mass(1.0, inertia=np.full(3, THICKNESS**2))
    found = _visible[character] = character.with_masses(masses, "length of bones")
    return found


def _rod(end: Array) -> Mass:
    """A bone from the origin to ``end``, a kilogram to the metre."""
    length = float(np.linalg.norm(end))
    if length < 1e-6:
        return Mass()
    along = np.outer(end, end) / length**2
    inertia = length**2 / 12 * (np.eye(3) - along) + THICKNESS**2 / 2 * (np.eye(3) + along)
    return Mass(length, 0.5 * end, length * inertia)


def _knees(character: Character) -> list[int]:
    """Bodies below the knees that the character is known to have."""
    known = roles(character)
    return [known[r] for r in ("left shin", "right shin") if r in known]


def _factors(character: Character, overrides: Mapping[str, float] | None) -> Array:
    """How much dearer than it looks each degree of freedom is, (nv,)."""
    factor = np.ones(character.nv)
    for pattern, value in (overrides or {}).items():
        if not (np.isfinite(value) and value > 0):
            raise InputError(f"the price of {pattern!r} must be positive, not {value}")
        factor[matching_dofs(character, pattern)] = value
    return factor


class Prices(NamedTuple):
    """What a displacement costs beside the motion of the mass."""

    step: float
    """Instants that a sample stands for."""
    root: Array
    """√ of how much dearer than it looks each degree of freedom is, (m,)."""
    ridge: Array
    """Of being displaced at all, (m,)."""
    bend: Array
    """Of bending, (m,)."""


@kernel()
def _add_price(
    first: int,
    last: int,
    bounds: IntArray,
    samples: IntArray,
    gram: Array,
    dofs: IntArray,
    prices: Prices,
    keys: Keys,
    slot: IntArray,
    band: Array,
) -> None:
    """Gram matrices (S, nv, nv) and prices of turning and bending into the band."""
    step, root = prices.step, prices.root
    group, columns, weights = keys.group, keys.columns, keys.weights
    m = group.size
    members, nothing, sink = np.arange(m), np.zeros(m), np.zeros(band.shape[0])
    own = np.empty((m, m))
    for chunk in range(first, last):
        for at in range(bounds[chunk, 0], bounds[chunk, 1]):
            s = samples[at]
            for i in range(m):
                for j in range(m):
                    own[i, j] = step * root[i] * root[j] * gram[s, dofs[i], dofs[j]]
                own[i, i] += step * prices.ridge[i]
            spread(s, own, nothing, members, keys, slot, band, sink)
            for i in range(m):
                g = group[i]
                for a in range(4):
                    to = slot[i, columns[g, s, a]]
                    if to < 0:
                        continue
                    for b in range(4):
                        away = slot[i, columns[g, s, b]] - to
                        if away >= 0:
                            bent = weights[2, g, s, a] * weights[2, g, s, b]
                            band[to, away] += step * prices.bend[i] * bent
