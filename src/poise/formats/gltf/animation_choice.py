"""Which animation of a file is meant, and what each of them moves.

Unless told otherwise it is the first that moves the skeleton in the course of time: files often begin with
one that moves a camera's target or a prop, or that only holds a pose.
"""

from __future__ import annotations

from collections.abc import Sequence

from poise.errors import UnknownNameError
from poise.formats.gltf.container import Document, is_whole
from poise.formats.gltf.nodes import NodeTree
from poise.formats.gltf.rig import Rig
from poise.formats.gltf.tracks import Animation
from poise.motion import AnimationFacts


def choose_animation(
    animations: Sequence[Animation],
    wanted: str | int | None,
    skeleton: frozenset[int],
    rig: Rig,
    where: str,
) -> int | None:
    """Number of the animation asked for by name or number, else of the first that moves the skeleton.

    ``skeleton``: nodes that carry joints or are joints. None where there is no animation.
    """
    if wanted is not None:
        return _named(animations, wanted, where)
    nodes = frozenset(rig.nodes)
    moved = [{key for key, track in a.tracks.items() if track.varies} for a in animations]
    bending = [{node for node, path in keys if path != "weights"} for keys in moved]
    morphing = [{node for node, path in keys if path == "weights"} for keys in moved]
    for found in ([n & skeleton for n in bending], [n & nodes for n in bending], morphing):
        if any(found):
            return next(number for number, each in enumerate(found) if each)
    posing = (k for k, a in enumerate(animations) if any(node in nodes for node, _ in a.tracks))
    return next(posing, 0 if animations else None)


def skeleton_nodes(document: Document, tree: NodeTree, rig: Rig) -> frozenset[int]:
    """Joints of the rig's skins and all nodes above them; without a skin, all the rig's nodes."""
    joints = {joint for skin in rig.skins for joint in document.items("skins")[skin]["joints"]}
    found = {up for joint in joints for up in (joint, *tree.ancestors(joint))}
    return frozenset(found or rig.nodes)


def animation_facts(tree: NodeTree, rig: Rig, animations: Sequence[Animation]) -> tuple[AnimationFacts, ...]:
    """What each animation moves, in the course of time or away from rest."""
    nodes = frozenset(rig.nodes)
    found = []
    for animation in animations:
        moved = {key for key, track in animation.tracks.items() if track.varies}
        if not moved:
            moved = set(animation.tracks)  # it holds a pose
        joints = {node for node, path in moved if path != "weights" and node in nodes}
        rest = sorted({node for node, path in moved if path != "weights" and node not in nodes})
        times = animation.key_times()
        found.append(
            AnimationFacts(
                animation.name,
                float(times.max() - times.min()) if len(times) else 0.0,
                len(joints),
                sum(path == "weights" for _, path in moved),
                (*(tree.names[node] or f"node {node}" for node in rest), *animation.elsewhere),
            )
        )
    return tuple(found)


def _named(animations: Sequence[Animation], wanted: str | int, where: str) -> int:
    names = [animation.name for animation in animations]
    if wanted in names:
        return names.index(str(wanted))
    number = int(wanted) if isinstance(wanted, str) and wanted.isdecimal() else wanted
    if is_whole(number) and 0 <= number < len(names):
        return number
    raise UnknownNameError("animation", str(wanted), names, where=where)
