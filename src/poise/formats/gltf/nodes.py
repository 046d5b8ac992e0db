"""The node tree: local transforms in our axes, and how scales travel down a chain.

A node's local transform is x ↦ t + R S x with a rotation R and a stretch S (diagonal for TRS nodes;
symmetric where a matrix holds shear). Bodies have no scale, so a chain of nodes is kept as a rigid
frame (p, R) and a stretch K *inside* it, world point = p + R K x:

    p' = p + R K t,    R' = R r,    K' = rᵀ K r S

Uniform scale leaves K a multiple of I whatever the rotations: baking it is exact for any motion.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.formats.gltf.axes import matrix_from_gltf, turn_from_gltf, vector_from_gltf
from poise.formats.gltf.container import Document, Json, is_whole
from poise.manifold import so3

HIDDEN = 1e-6
"""The least scale of a node; 0, which hides what it carries, is taken for it."""


class Frame(NamedTuple):
    """A rigid frame with a stretch inside: x ↦ position + turn · stretch · x."""

    position: Array  # (3,)
    turn: Array  # quaternion (4,)
    stretch: Array  # (3, 3)

    def then(self, local: Frame) -> Frame:
        """The frame of a node with the given local transform inside this one."""
        r = so3.to_matrix(local.turn)
        position = self.position + so3.rotate(self.turn, self.stretch @ local.position)
        return Frame(position, so3.multiply(self.turn, local.turn), r.T @ self.stretch @ r @ local.stretch)

    def matrix(self) -> Array:
        """As one affine transform, (4, 4)."""
        out = np.eye(4)
        out[:3, :3] = so3.to_matrix(self.turn) @ self.stretch
        out[:3, 3] = self.position
        return out


def inside(stretch: Array) -> Frame:
    """The frame of a body seen from itself."""
    return Frame(np.zeros(3), so3.IDENTITY, stretch)


@dataclass(frozen=True)
class NodeTree:
    """All nodes of a document: names, relatives and local transforms in our axes."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    locals: tuple[Frame, ...]
    scales: Array
    """Scale at rest, our axes, (N, 3)."""
    roots: tuple[int, ...]
    """Top nodes of the scene."""
    notes: tuple[str, ...]

    def ancestors(self, node: int) -> Iterable[int]:
        """Parent, grandparent …"""
        node = self.parents[node]
        while node >= 0:
            yield node
            node = self.parents[node]

    def depth_first(self, starts: Iterable[int]) -> list[int]:
        """The given nodes and all below them, parents first, children in the file's order."""
        out: list[int] = []
        stack = list(reversed(list(starts)))
        while stack:
            node = stack.pop()
            out.append(node)
            stack.extend(reversed(self.children[node]))
        return out


def read_nodes(document: Document) -> NodeTree:
    """The node tree; nodes with two parents or in a circle are errors."""
    nodes = document.items("nodes")
    if not nodes:
        raise document.error("the file has no nodes: there is no character in it")
    parents = [-1] * len(nodes)
    children: list[tuple[int, ...]] = []
    for i, node in enumerate(nodes):
        listed = node.get("children", [])
        if not isinstance(listed, list):
            raise document.error(f"the children of {_label(nodes, i)} must be a list")
        for child in listed:
            document.item("nodes", child, f"{_label(nodes, i)}, as a child,")
            if parents[child] >= 0:
                raise document.error(
                    f"{_label(nodes, child)} hangs from two nodes: "
                    f"{_label(nodes, parents[child])} and {_label(nodes, i)}"
                )
            parents[child] = i
        children.append(tuple(listed))
    reached, stack = 0, [i for i, up in enumerate(parents) if up < 0]
    top = list(stack)
    while stack:
        reached += 1
        stack.extend(children[stack.pop()])
    if reached < len(nodes):
        seen = set(top)
        queue = list(top)
        while queue:
            below = children[queue.pop()]
            seen.update(below)
            queue.extend(below)
        lost = next(i for i in range(len(nodes)) if i not in seen)
        raise document.error(f"{_label(nodes, lost)} is its own ancestor: the nodes form a circle")
    sheared: list[str] = []
    hidden: list[str] = []
    frames, scales = [], []
    for i, node in enumerate(nodes):
        frame, scale = _local(document, node, _label(nodes, i), sheared, hidden)
        frames.append(frame)
        scales.append(scale)
    notes = [f"sheared matrix of {', '.join(sheared)} split into rotation and stretch"] if sheared else []
    if hidden:
        listed = ", ".join(hidden[:6]) + (f" and {len(hidden) - 6} more" if len(hidden) > 6 else "")
        notes.append(f"{listed} has the scale 0 and is hidden: taken for {HIDDEN:g}")
    return NodeTree(
        names=tuple(str(n.get("name") or "") for n in nodes),
        parents=tuple(parents),
        children=tuple(children),
        locals=tuple(frames),
        scales=np.array(scales),
        roots=_scene_roots(document, parents),
        notes=tuple(notes),
    )


def _scene_roots(document: Document, parents: list[int]) -> tuple[int, ...]:
    scenes = document.items("scenes")
    if not scenes:
        return tuple(i for i, up in enumerate(parents) if up < 0)
    scene = document.item("scenes", document.content.get("scene", 0), "the document, as its scene,")
    listed = scene.get("nodes", [])
    if not isinstance(listed, list):
        raise document.error("the nodes of a scene must be a list")
    for node in listed:
        document.item("nodes", node, "a scene")
        if parents[node] >= 0:
            raise document.error(f"a scene names node {node}, which is not a root")
    return tuple(dict.fromkeys(listed)) or tuple(i for i, up in enumerate(parents) if up < 0)


def _local(
    document: Document, node: Json, label: str, sheared: list[str], hidden: list[str]
) -> tuple[Frame, Array]:
    if "matrix" in node:
        matrix = numbers(document, node["matrix"], 16, f"matrix of {label}").reshape(4, 4).T
        linear = matrix_from_gltf(matrix[:3, :3])
        position = vector_from_gltf(matrix[:3, 3])
        scale = np.linalg.norm(linear, axis=0)
        if scale.min() <= 1e-12 * max(scale.max(), 1e-300):
            raise document.error(f"the matrix of {label} is singular")
        turn = linear / scale
        if np.linalg.det(turn) < 0:
            scale = -scale
            turn = -turn
        if np.abs(turn.T @ turn - np.eye(3)).max() < 1e-5:
            return Frame(position, so3.from_matrix(so3.nearest(turn)), np.diag(scale)), scale
        sheared.append(label)
        turn = so3.nearest(-linear if np.linalg.det(linear) < 0 else linear)
        return Frame(position, so3.from_matrix(turn), turn.T @ linear), scale
    position = vector_from_gltf(
        numbers(document, node.get("translation", [0, 0, 0]), 3, f"translation of {label}")
    )
    turn = turn_from_gltf(numbers(document, node.get("rotation", [0, 0, 0, 1]), 4, f"rotation of {label}"))
    if np.linalg.norm(turn) < 1e-6:
        raise document.error(f"the rotation of {label} is a zero quaternion")
    scale = vector_from_gltf(numbers(document, node.get("scale", [1, 1, 1]), 3, f"scale of {label}"))
    if (np.abs(scale) < HIDDEN).any():
        # Nothing can be turned back out of a point: what is hidden becomes too small to see instead.
        scale = np.where(np.abs(scale) < HIDDEN, HIDDEN, scale)
        hidden.append(label)
    return Frame(position, so3.normalise(turn), np.diag(scale)), scale


def numbers(document: Document, values: Any, count: int, what: str) -> Array:
    """A JSON list of so many finite numbers."""
    good = isinstance(values, list) and len(values) == count
    if not good or not all(isinstance(v, float) or is_whole(v) for v in values):
        raise document.error(f"the {what} must be {count} numbers")
    out = np.array(values, dtype=np.float64)
    if not np.isfinite(out).all():
        raise document.error(f"the {what} holds a value that is not finite")
    return out


def _label(nodes: list[Json], index: int) -> str:
    name = nodes[index].get("name")
    return f"node {name!r}" if name else f"node {index}"
