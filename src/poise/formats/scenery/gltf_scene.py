"""The scenery of a glTF file: meshes of its scene that no skin bends."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.arrays import Array, IntArray
from poise.formats.gltf.container import Document, read_document
from poise.formats.gltf.mesh import read_mesh
from poise.formats.gltf.nodes import Frame, NodeTree, read_nodes
from poise.formats.gltf.tracks import Animation, Track, read_animations
from poise.formats.scenery.recognition import Piece, surfaces_of
from poise.manifold import so3
from poise.world import Track as Way
from poise.world import World

RATE = 60.0
"""Samples of what several nodes move, or a curve [1/s]."""
MOVING = ("translation", "rotation")


def read_scene(path: Path) -> World:
    """What stands or moves in it; the first animation moves it."""
    document = read_document(path)
    tree = read_nodes(document)
    bones = _bones(document, tree)
    animations = read_animations(document)
    first = animations[0] if animations else None
    pieces: list[Piece] = []
    notes: list[str] = []
    frames: dict[int, Frame] = {}
    for node in tree.depth_first(tree.roots):
        up = tree.parents[node]
        frames[node] = frames[up].then(tree.locals[node]) if up >= 0 else tree.locals[node]
        content = document.items("nodes")[node]
        if "mesh" not in content or "skin" in content:
            continue
        name = tree.names[node] or f"node {node}"
        mesh = read_mesh(document, content["mesh"], f"node {name!r}", notes)
        vertices, triangles = _joined([(p.positions, p.faces) for p in mesh.primitives])
        document.budget.spend(12 * len(triangles) + 3 * len(vertices), f"the surface of {name!r}")
        if len(triangles):
            pieces.append(
                _piece(document, tree, node, frames[node], name, (vertices, triangles), bones, first)
            )
    if not pieces:
        raise document.error("no scenery found: the only meshes belong to a character")
    return World(tuple(surfaces_of(pieces)))


def _bones(document: Document, tree: NodeTree) -> set[int]:
    """Nodes that skins are bound to."""
    found: set[int] = set()
    for skin in document.items("skins"):
        listed = skin.get("joints", [])
        found |= {j for j in listed if isinstance(j, int) and 0 <= j < len(tree.names)} if listed else set()
    return found


def _joined(parts: list[tuple[Array, IntArray]]) -> tuple[Array, IntArray]:
    starts = np.cumsum([0, *(len(v) for v, _ in parts)])
    vertices = np.concatenate([np.zeros((0, 3)), *(v for v, _ in parts)])
    triangles = np.concatenate(
        [np.zeros((0, 3), dtype=np.int64), *(f + s for (_, f), s in zip(parts, starts))]
    )
    return vertices, triangles


def _piece(
    document: Document,
    tree: NodeTree,
    node: int,
    frame: Frame,
    name: str,
    content: tuple[Array, IntArray],
    bones: set[int],
    animation: Animation | None,
) -> Piece:
    vertices, triangles = content
    chain = [node, *tree.ancestors(node)]
    bone = next((k for k in chain if k in bones), None)
    if bone is not None:
        within = Frame(np.zeros(3), so3.IDENTITY, np.eye(3))
        for below in reversed(chain[: chain.index(bone)]):
            within = within.then(tree.locals[below])
        shown = so3.rotate(within.turn, vertices @ within.stretch.T) + within.position
        flipped = _outwards(triangles, within.stretch)
        return Piece(name, shown, flipped, np.zeros(3), so3.IDENTITY, carried=tree.names[bone])
    stretched = vertices @ frame.stretch.T
    way = _way(document, tree, chain, animation, name) if animation is not None else None
    return Piece(name, stretched, _outwards(triangles, frame.stretch), frame.position, frame.turn, way)


def _outwards(triangles: IntArray, stretch: Array) -> IntArray:
    """A mirror turns triangles inside out: back again."""
    return triangles[:, ::-1] if np.linalg.det(stretch) < 0 else triangles


def _way(document: Document, tree: NodeTree, chain: list[int], animation: Animation, name: str) -> Way | None:
    """How an animated node moves; None if neither it nor what it hangs from does."""
    tracks: dict[tuple[int, str], Track] = {
        (k, path): animation.tracks[k, path]
        for k in chain
        for path in MOVING
        if (k, path) in animation.tracks and animation.tracks[k, path].varies
    }
    if not tracks:
        return None
    times = np.unique(np.concatenate([t.times for t in tracks.values()]))
    plain = {k for k, _ in tracks} == {chain[0]} and all(t.interpolation == "LINEAR" for t in tracks.values())
    if not plain:
        count = int(min((times[-1] - times[0]) * RATE, 1e9)) + 1
        document.budget.spend(16 * count * len(chain), f"samples of {name!r}")
        times = np.unique(np.concatenate([times, times[0] + np.arange(count) / RATE]))
    frames = []
    for t in times:
        frame: Frame | None = None
        for k in reversed(chain):
            local = tree.locals[k]
            place, turn = local.position, local.turn
            if (k, "translation") in tracks:
                place = tracks[k, "translation"].at(np.array([t]))[0]
            if (k, "rotation") in tracks:
                turn = so3.normalise(tracks[k, "rotation"].at(np.array([t]))[0])
            own = Frame(place, turn, local.stretch)
            frame = own if frame is None else frame.then(own)
        assert frame is not None  # a chain has at least the node itself
        frames.append(frame)
    turns = so3.log(np.array([f.turn for f in frames]))
    return Way(times, np.array([f.position for f in frames]), turns)
