"""Animated scale: bodies have none, but a node's scale moves every joint below it.

With a rotation r(t) and a scale S(t) of each node the stretch inside its rigid frame is (see ``nodes``)

    K(t) = r(t)ᵀ K_parent(t) r(t) S(t),

and a child's place in its parent's frame is K_parent(t) · its translation: exact for any scale. What a body
carries (its skin, its points) keeps its size at rest.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.arrays import Array
from poise.formats.gltf.nodes import HIDDEN, NodeTree
from poise.formats.gltf.rig import MADE_UP, Rig
from poise.formats.gltf.tracks import Animation
from poise.manifold import so3
from poise.motion.source import listed

SCALES = 1e-5
"""A scale that leaves its rest by less than this part is not animated."""


def scaled_bodies(tree: NodeTree, rig: Rig, animation: Animation | None) -> dict[int, Array]:
    """Bodies whose scale an animation changes, with their scale at rest (3,)."""
    found = {}
    for body, node in enumerate(rig.nodes):
        track = animation.tracks.get((node, "scale")) if animation is not None and node != MADE_UP else None
        if track is not None:
            rest = np.where(tree.scales[node] == 0, 1.0, tree.scales[node])
            tangents = 0.0 if track.tangents is None else max(np.abs(t).max() for t in track.tangents)
            if max(np.abs(track.values / rest - 1).max(), tangents) > SCALES:
                found[body] = rest
    return found


def scales_at(tree: NodeTree, rig: Rig, animation: Animation | None, times: Array) -> dict[int, Array]:
    """Animated scales (F, 3) by body; 0, which hides, is taken for something very small."""
    found = {}
    for body in scaled_bodies(tree, rig, animation):
        assert animation is not None
        scale = animation.tracks[rig.nodes[body], "scale"].at(times)
        found[body] = np.where(np.abs(scale) < HIDDEN, HIDDEN, scale)
    return found


def stretches(tree: NodeTree, rig: Rig, turns: Array, scales: Mapping[int, Array]) -> dict[int, Array]:
    """K(t), (F, 3, 3), of every body whose stretch is not that at rest.

    ``turns`` (n, F, 4) are rotations of the nodes, ``scales`` (F, 3) those of bodies that are animated.
    """
    found: dict[int, Array] = {}
    for body, (node, parent) in enumerate(zip(rig.nodes, rig.parents)):
        if node == MADE_UP or not (body in scales or parent in found):
            continue
        outer = found[parent] if parent in found else rig.bases[body].stretch
        r = so3.to_matrix(turns[body])
        turned = np.swapaxes(r, -1, -2) @ outer @ r
        own = tree.locals[node].stretch
        found[body] = turned * scales[body][:, None, :] if body in scales else turned @ own
    return found


def stretching_notes(
    rig: Rig,
    scaled: Mapping[int, Array],
    baked: tuple[Array, Array],
    plain: Array,
    stretch: Mapping[int, Array],
    points: Mapping[int, Mapping[str, Array]],
) -> list[str]:
    """How far [cm] animated scale moves joints, and points that cannot follow it.

    ``baked``: positions (n, F, 3) and rotations (n, F, 4) in the parents' frames; ``plain``: positions as
    they would be at rest scale.
    """
    names = listed([rig.names[body] for body in scaled])
    moved = _world(rig, *baked) - _world(rig, plain, baked[1])
    far = np.linalg.norm(moved, axis=-1).max(axis=1)  # (n,)
    worst = int(np.argmax(far))
    notes = []
    if far[worst] > 1e-6:
        notes.append(
            f"animated scale of {names} moves {rig.names[worst]} by up to {100 * far[worst]:.2g} cm: "
            "joints move so in the clip, the skin keeps its size"
        )
    else:
        notes.append(f"animated scale of {names} moves no joint; the skin keeps its size")
    shifts = {
        name: float(np.linalg.norm(_shift(stretch[body], rig.rest[body].stretch) @ place, axis=-1).max())
        for body, own in points.items()
        if body in stretch
        for name, place in own.items()
    }
    if shifts and max(shifts.values()) > 1e-6:
        name = max(shifts, key=lambda each: shifts[each])
        notes.append(
            f"points on bodies cannot follow animated scale: {name} would move by up to "
            f"{100 * shifts[name]:.2g} cm"
        )
    return notes


def _shift(stretch: Array, rest: Array) -> Array:
    """K(t) K⁻¹ − I: from a point in the body's frame to how it would move there, (F, 3, 3)."""
    return np.asarray(stretch @ np.linalg.inv(rest) - np.eye(3))


def _world(rig: Rig, positions: Array, turns: Array) -> Array:
    """World positions (n, F, 3)."""
    where, how = np.array(positions), np.array(turns)
    for body, parent in enumerate(rig.parents):
        if parent >= 0:
            where[body] = where[parent] + so3.rotate(how[parent], positions[body])
            how[body] = so3.multiply(how[parent], turns[body])
    return where
