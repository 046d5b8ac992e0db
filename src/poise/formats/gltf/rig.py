"""Which nodes are bodies, and the rigid frames they get.

The skeleton is the joints of the chosen skin (and of skins that share joints with it), every animated
node above or below them, and the nodes in between; without a skin, the animated nodes; without
animation, all nodes that carry meshes and their ancestors. Static nodes above the root are folded into
its placement, static nodes below a body become points on it or carry a mesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.errors import UnknownNameError
from poise.formats.gltf.container import Document, Json, is_whole
from poise.formats.gltf.nodes import Frame, NodeTree, inside
from poise.formats.gltf.tracks import Animation
from poise.manifold import so3

STANDS = {"y": so3.IDENTITY, "z": so3.exp(np.array([0.0, -np.pi / 2, 0.0]))}
"""What stands a scene up, by the axis that is up in it; of one with z up, −y is ahead."""
MADE_UP = -1
"""In place of a node: a root that the file does not have, above several top nodes."""


@dataclass(frozen=True)
class Rig:
    """Bodies in depth-first order and where their nodes stand."""

    nodes: tuple[int, ...]
    """Node of each body, ``MADE_UP`` for an added root."""
    names: tuple[str, ...]
    parents: tuple[int, ...]
    bases: tuple[Frame, ...]
    """What each node's local transform is placed in, seen from the parent body (the world for a root)."""
    rest: tuple[Frame, ...]
    """World frame of each body at rest; its ``stretch`` is the scale baked into what the body carries."""
    posable: tuple[bool, ...]
    """Joints and animated nodes; the others only lie in between."""
    skins: tuple[int, ...]
    """The skins these bodies are joints of."""
    notes: tuple[str, ...]

    @property
    def size(self) -> float:
        """The longest side of the box around all bodies at rest [m]; 1 for a single one."""
        return float(np.ptp([f.position for f in self.rest], axis=0).max()) or 1.0


def build_rig(
    document: Document,
    tree: NodeTree,
    animations: Sequence[Animation],
    *,
    skin: str | int | None = None,
    unit: float = 1.0,
    up: str = "y",
) -> Rig:
    """Choose the bodies and place them; ``unit`` [m] scales the whole, whose axis ``up`` points up."""
    notes: list[str] = []
    skins, joints = _joints(document, skin, notes)
    animated = {node for a in animations for node, path in a.tracks if path != "weights"}
    members = _members(document, tree, joints, animated, notes)
    members -= document.axes
    if not members:
        raise document.error("the file has nothing that could be a character")
    root = _common_root(tree, members)
    if root != MADE_UP and root not in document.axes:
        members = {n for m in members for n in _way_up(tree, m, root)}
        order = [n for n in tree.depth_first([root]) if n in members]
    else:
        members |= {
            up for m in members for up in tree.ancestors(m) if up in animated or _between(tree, up, members)
        }
        tops = [
            n for n in range(len(tree.parents)) if n in members and not (set(tree.ancestors(n)) & members)
        ]
        order = [MADE_UP, *(n for n in tree.depth_first(tops) if n in members)]
        notes.append("several top nodes: a root was added above them")
    world = Frame(np.zeros(3), STANDS[up], unit * np.eye(3))
    parents: list[int] = []
    bases: list[Frame] = []
    rest: list[Frame] = []
    for node in order:
        carrier = tree.parents[node] if node != MADE_UP else MADE_UP
        if node == order[0] or carrier not in members:
            parents.append(-1 if node == order[0] else 0)
            base = world
            for above in [] if node == MADE_UP else reversed(list(tree.ancestors(node))):
                base = base.then(tree.locals[above])
            outer = base
        else:
            parent = order.index(carrier)
            parents.append(parent)
            base, outer = inside(rest[parent].stretch), rest[parent]
        bases.append(base)
        rest.append(outer if node == MADE_UP else outer.then(tree.locals[node]))
    names = unique_names(["root" if n == MADE_UP else tree.names[n] or f"node {n}" for n in order])
    uneven = [n for n, f in zip(names, rest) if not _is_uniform(f.stretch)]
    if uneven:
        notes.append(f"non-uniform scale at {_listed(uneven)} is baked as at rest")
    everything = not joints and not animated
    return Rig(
        nodes=tuple(order),
        names=names,
        parents=tuple(parents),
        bases=tuple(bases),
        rest=tuple(rest),
        posable=tuple(everything or n in joints or n in animated for n in order),
        skins=skins,
        notes=tuple(notes),
    )


def _joints(
    document: Document, wanted: str | int | None, notes: list[str]
) -> tuple[tuple[int, ...], set[int]]:
    """The chosen skin and those that share joints with it, and all their joints."""
    skins = document.items("skins")
    lists = [_joint_list(document, skin, i) for i, skin in enumerate(skins)]
    if not skins:
        if wanted is not None:
            raise UnknownNameError("skin", str(wanted), [], where=str(document.path))
        return (), set()
    names = [str(s.get("name") or f"skin {i}") for i, s in enumerate(skins)]
    if wanted is None:
        first = 0
    elif is_whole(wanted) and 0 <= int(wanted) < len(skins):
        first = int(wanted)
    elif wanted in names:
        first = names.index(str(wanted))
    else:
        raise UnknownNameError("skin", str(wanted), names, where=str(document.path))
    chosen, joints = {first}, set(lists[first])
    while True:
        more = {i for i, l in enumerate(lists) if i not in chosen and joints & set(l)}
        if not more:
            break
        chosen |= more
        joints.update(j for i in more for j in lists[i])
    if len(chosen) < len(skins):
        left = [names[i] for i in range(len(skins)) if i not in chosen]
        notes.append(f"read skin {names[first]!r}; not in the clip: {_listed(left)}")
    return tuple(sorted(chosen)), joints


def _joint_list(document: Document, skin: Json, index: int) -> list[int]:
    joints = skin.get("joints")
    if not isinstance(joints, list) or not joints:
        raise document.error(f"skin {index} has no joints")
    for joint in joints:
        document.item("nodes", joint, f"skin {index}")
    return joints


def _members(
    document: Document, tree: NodeTree, joints: set[int], animated: set[int], notes: list[str]
) -> set[int]:
    """Nodes that must be bodies, before those in between are added."""
    if joints:
        related = {
            n for n in animated if n in joints or joints & {*tree.ancestors(n), *tree.depth_first([n])}
        }
        if animated - related:
            left = [tree.names[n] or f"node {n}" for n in sorted(animated - related)]
            notes.append(f"animated but not part of the skeleton, so not in the clip: {_listed(left)}")
        return joints | related
    if animated:
        return set(animated)
    scene = tree.depth_first(tree.roots)
    nodes = document.items("nodes")
    carrying = {n for n in scene if "mesh" in nodes[n]}
    return {up for n in carrying for up in (n, *tree.ancestors(n))} or set(scene)


def _common_root(tree: NodeTree, members: set[int]) -> int:
    """The lowest node above (or among) all members, ``MADE_UP`` if they share none."""
    ways = [list(reversed([m, *tree.ancestors(m)])) for m in members]
    last = MADE_UP
    for step in zip(*ways):
        if len(set(step)) > 1:
            break
        last = step[0]
    return last


def _way_up(tree: NodeTree, node: int, root: int) -> list[int]:
    way = [node]
    while way[-1] != root:
        way.append(tree.parents[way[-1]])
    return way


def _between(tree: NodeTree, node: int, members: set[int]) -> bool:
    return any(up in members for up in tree.ancestors(node))


def unique_names(names: Sequence[str], taken: Sequence[str] = ()) -> tuple[str, ...]:
    """The same names, later ones numbered where they repeat or are taken."""
    used, own, out = set(taken), set(names), []
    for name in names:
        candidate, k = name, 2
        while candidate in used or (k > 2 and candidate in own):
            candidate, k = f"{name}_{k}", k + 1
        used.add(candidate)
        out.append(candidate)
    return tuple(out)


def points_on(document: Document, tree: NodeTree, rig: Rig) -> dict[int, dict[str, Array]]:
    """Static nodes without a mesh below each body, as named points in the body's frame."""
    bodies = {n: i for i, n in enumerate(rig.nodes)}
    nodes = document.items("nodes")
    found: list[tuple[int, str, Array]] = []
    for body, top in enumerate(rig.nodes):
        stack = [] if top == MADE_UP else [(c, inside(rig.rest[body].stretch)) for c in tree.children[top]]
        while stack:
            node, outer = stack.pop()
            if node in bodies:
                continue
            frame = outer.then(tree.locals[node])
            if not {"mesh", "camera"} & nodes[node].keys():
                found.append((body, tree.names[node] or f"node {node}", frame.position))
            stack.extend((c, frame) for c in tree.children[node])
    names = unique_names([name for _, name, _ in found], taken=rig.names)
    out: dict[int, dict[str, Array]] = {}
    for name, (body, _, position) in zip(names, found):
        out.setdefault(body, {})[name] = position
    return out


def attachment(tree: NodeTree, rig: Rig, node: int) -> tuple[int, Frame] | None:
    """The body that carries a node, and the node's frame seen from it; None if no body does."""
    chain = [node]
    while chain[-1] not in rig.nodes:
        up = tree.parents[chain[-1]]
        if up < 0:
            return None
        chain.append(up)
    body = rig.nodes.index(chain[-1])
    frame = inside(rig.rest[body].stretch)
    for below in reversed(chain[:-1]):
        frame = frame.then(tree.locals[below])
    return body, frame


def placement(base: Frame, translation: Array, rotation: Array) -> tuple[Array, Array]:
    """Position (…, 3) and quaternion (…, 4) in the parent body's frame of a node's own (t, r)."""
    position = base.position + so3.rotate(base.turn, translation @ base.stretch.T)
    return position, so3.multiply(base.turn, rotation)


def _is_uniform(stretch: Array) -> bool:
    mean = np.trace(stretch) / 3
    return bool(np.abs(stretch - mean * np.eye(3)).max() < 1e-3 * abs(mean))


def _listed(names: Sequence[str], most: int = 6) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
