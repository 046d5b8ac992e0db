"""Anchors of a simulation: what pulls a body towards a path in the world, as tables for the kernels.

K = m (2π · 60 Hz)² on the whole mass m, for turning K · (0.1 m)², critically damped. A weight w from 0 to 1
eases it geometrically, K · 10^{6 (w − 1)}: compliance, not stiffness, must change evenly, or half of the way
from loose to firm passes within one step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.character import Character, Point
from poise.character.tree import LINK_FIXED, Tree
from poise.dynamics.window_arrays import ANCHOR, NO_ANCHORS, NO_PATHS, NO_PLACES
from poise.kinematics import Kinematics
from poise.methods.loosen.simulate.moved_limbs import Limbs

FREQUENCY = 60.0
"""Of a full anchor [Hz]: 20 resonates in a run (0.2 m), 200 is inexact at steps of 10 ms."""
ARM = 0.1
"""Length by which the stiffness of turning follows from that of shifting [m]: half a foot."""
DECADES = 6.0
"""Powers of ten between the stiffness of weight 0 and that of weight 1."""

Path = Callable[[Array, Kinematics], tuple[Array, Array]]
"""Place and velocity (T, 3) of a target, from times [s] and the animation at these."""


@dataclass(frozen=True, eq=False)
class Anchor:
    """A spring from a body to its animated path, or to one of its own."""

    body: int
    weight: Callable[[Array], Array]
    """From 0 to 1 at times [s], (T,)."""
    path: Path | None = None
    """Where it leads; None: as animated."""
    at: Point | None = None
    """The point of the body that goes there, the turn left free; None: the origin, turned as animated."""
    frequency: float = FREQUENCY
    """At full weight [Hz]."""


class AnchorTables(NamedTuple):
    """What kernels are handed: links (A,), links from the root to each (A, D), rows (T, 22 A)."""

    links: IntArray
    path: IntArray
    rows: Array
    tree: Tree
    """Of the limbs, and behind them a massless link for each point off its body's origin."""
    points: int
    """How many these are."""


def anchor_tables(
    character: Character, anchors: tuple[Anchor, ...], limbs: Limbs, times: Array, q: Array, v: Array
) -> AnchorTables:
    """Of the anchors on some limbs; q (T, nq) and v (T, nv) are the animation at times [s]."""
    number = np.full(len(character.tree.parent), -1)
    number[limbs.links] = np.arange(len(limbs.links))
    kept = [(a, int(number[character.tree.link[a.body]])) for a in anchors]
    kept = [(a, link) for a, link in kept if link >= 0]
    if not kept:
        return AnchorTables(NO_ANCHORS, NO_PATHS, NO_PLACES, limbs.tree, 0)
    tree, kept = _with_points(limbs.tree, kept)
    paths = []
    for _, link in kept:
        path = [link]
        for _ in tree.parent:
            path.append(int(tree.parent[path[-1]]))
            if path[-1] < 0:
                break
        paths.append([i for i in path[::-1] if i >= 0])
    deep = max(map(len, paths))
    table = np.array([[*path, *[-1] * (deep - len(path))] for path in paths], dtype=np.int64)
    kin = Kinematics(character, q, v)
    rows = np.empty((len(times), ANCHOR * len(kept)))
    for k, (anchor, _) in enumerate(kept):
        _fill(rows[:, ANCHOR * k : ANCHOR * (k + 1)], character.total_mass, anchor, times, kin)
    links = np.array([link for _, link in kept], dtype=np.int64)
    return AnchorTables(links, table, rows, tree, len(tree.parent) - len(limbs.tree.parent))


def _with_points(tree: Tree, kept: list[tuple[Anchor, int]]) -> tuple[Tree, list[tuple[Anchor, int]]]:
    """A tree with a fixed, massless link for each point that is not its body's origin, and their links."""
    places: list[tuple[int, Array]] = []
    out = []
    for anchor, link in kept:
        if anchor.at is not None and np.any(anchor.at.position):
            out.append((anchor, len(tree.parent) + len(places)))
            places.append((link, anchor.at.position))
        else:
            out.append((anchor, link))
    if not places:
        return tree, out
    count, none = len(places), np.zeros(len(places), dtype=np.int64)
    more: dict[str, Any] = {
        "parent": [link for link, _ in places],
        "kind": none + LINK_FIXED,
        "q_start": none,
        "v_start": none,
        "offset": [at for _, at in places],
        "rest": np.tile(np.eye(3), (count, 1, 1)),
        "axis": np.tile([0.0, 0.0, 1.0], (count, 1)),
        "mass": np.zeros(count),
        "centre": np.zeros((count, 3)),
        "inertia": np.zeros((count, 3, 3)),
        "body": none - 1,
    }
    grown = {name: np.concatenate([getattr(tree, name), extra]) for name, extra in more.items()}
    whole = np.int64
    fields: dict[str, Any] = {
        name: frozen(x, dtype=whole if getattr(tree, name).dtype == whole else np.float64)
        for name, x in grown.items()
    }
    return tree._replace(**fields), out


def _fill(out: Array, mass: float, anchor: Anchor, times: Array, kin: Kinematics) -> None:
    """One anchor's columns (T, 22)."""
    least = 10.0**-DECADES
    share = np.maximum(10.0 ** (DECADES * (anchor.weight(times) - 1.0)) - least, 0.0) / (1.0 - least)
    stiff = mass * (2 * np.pi * anchor.frequency) ** 2 * share
    out[:, 2], out[:, 3] = stiff, 2.0 * np.sqrt(stiff * mass)
    turning = ARM**2 if anchor.at is None else 0.0
    out[:, 0], out[:, 1] = turning * out[:, 2], turning * out[:, 3]
    place, pace = kin.positions[:, anchor.body], kin.velocities[:, anchor.body]
    linear, angular = pace[:, :3], pace[:, 3:]
    if anchor.path is not None:
        place, linear = anchor.path(times, kin)
    out[:, 4:7], out[:, 7:16] = place, kin.rotations[:, anchor.body].reshape(len(times), 9)
    out[:, 16:19], out[:, 19:22] = angular, linear
