"""Editing an FBX file in place: one take changes, everything else stays record for record.

A node's new place t and turn r become the model's own curves under the pivots and rotations that it has,

    R = Rpre⁻¹ r Rpost,    T = t − Roff − Rp − r (Soff + Sp − Rp) + r S Sp,

in its own order of rotations, in the lowest layer; layers over it lose theirs of that property. Tracks that
the clip leaves as they were keep their keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.formats.fbx.layers import layers_of
from poise.formats.fbx.objects import FbxObject
from poise.formats.fbx.reader import scene_of
from poise.formats.fbx.records import Record, RecordFile, Wide, file_bytes, parsed_records
from poise.formats.fbx.scene import FbxScene
from poise.formats.fbx.take_records import channel_records, link_record
from poise.formats.fbx.transforms import rotation_order, turning
from poise.formats.gltf.axes import turn_to_gltf, vector_to_gltf
from poise.formats.gltf.container import Document
from poise.formats.gltf.revision import Revision, revised_scene
from poise.manifold import so3
from poise.manifold.euler import continuous_euler
from poise.motion import Clip, OriginalFile
from poise.motion.source import listed
from poise.reading import blaming


def own_file(clip: Clip) -> tuple[FbxScene, Document, OriginalFile] | None:
    """The FBX file that a clip was read from, read again; None where it has none."""
    source = clip.source
    if source is None or source.format != "fbx" or not isinstance(source.payload, OriginalFile):
        return None
    original, path = source.payload, Path(source.path)
    with blaming(path, "FBX"):
        rate = original.read.get("fps")
        made = scene_of(
            parsed_records(path, original.data),
            original.read.get("scale"),
            Fraction(rate) if rate else None,
            up=original.read.get("up"),
            outside=False,
        )
        return made, made.scene.document(path, original.data), original


def revision(clip: Clip) -> tuple[FbxScene, Revision[Document]] | str:
    """The clip as a change of its own FBX file; where that cannot be, the reason, empty for one without."""
    found = own_file(clip)
    if found is None:
        return ""
    made, document, original = found
    changed = revised_scene(clip, document, original, made.rate if made.takes else None)
    if isinstance(changed, str):
        return changed
    if changed.read.number is None and changed.tracks:
        return "the file has no take that could be changed"
    if changed.tracks and changed.read.number is not None:
        layers = layers_of(made.objects, made.takes[changed.read.number][0])[0]
        if not layers or not layers[0].base:
            return "the lowest layer of the take is muted"
    uneven = made.compensated(
        {node for node, path in changed.tracks if path != "weights"}, changed.read.number
    )
    if uneven:
        return f"{listed(uneven)} do not inherit their parents' scales"
    return made, changed


def edited(made: FbxScene, changed: Revision[Document]) -> bytes:
    """The clip's own file with its take changed; the file itself where nothing is."""
    file, number = made.objects.file, changed.read.number
    if not changed.tracks or number is None:
        return file.data
    stack, _, begin = made.takes[number]
    ticks = made.objects.ticks
    times = np.round((begin + changed.times - changed.times[0]) * ticks).astype(np.int64)
    values = _channels(made, changed, times / ticks, number)
    still = {(made.model(node).identity, "Lcl Scaling") for node, _ in changed.dropped}
    gone = _replaced(made, stack, set(values) | still)
    base = made.objects.below(stack.identity, "AnimationLayer")[0]
    objects, links = _added(made, base.identity, values, times)
    return _rewritten(file, stack, gone, objects, links, times)


def _channels(
    made: FbxScene, changed: Revision[Document], times: Array, number: int
) -> dict[tuple[int, str], Array]:
    """New values of properties (F, k) by model and name."""
    dropped = {made.model(node).identity for node, _ in changed.dropped}
    curves = made.takes[number][1]
    curves = {key: c for key, c in curves.items() if key[0] not in dropped or key[1] != "Lcl Scaling"}
    was = made.locals_at(curves, times)
    out: dict[tuple[int, str], Array] = {}
    for node in sorted({node for node, path in changed.tracks if path in ("translation", "rotation")}):
        model = made.model(node)
        matrices = was[model.identity]
        scale = np.linalg.norm(matrices[:, :3, :3], axis=1)
        move, turn = changed.tracks.get((node, "translation")), changed.tracks.get((node, "rotation"))
        place = matrices[:, :3, 3] if move is None else vector_to_gltf(move)
        rotation = matrices[:, :3, :3] / scale[:, None, :]
        if turn is not None:
            rotation = so3.to_matrix(np.roll(turn_to_gltf(turn), 1, axis=-1))
        own, angles = _own_curves(model, place, rotation, scale)
        still = np.abs(own - model.vector("Lcl Translation")).max() < 1e-6 * (1.0 + np.abs(own).max())
        if move is not None or not still or (model.identity, "Lcl Translation") in curves:
            out[model.identity, "Lcl Translation"] = own
        if turn is not None:
            out[model.identity, "Lcl Rotation"] = angles
    for (node, path), weights in changed.tracks.items():
        if path == "weights":
            for (channel, _), column in zip(made.shapes[node], weights.T, strict=True):
                out[channel.identity, "DeformPercent"] = 100.0 * column[:, None]
    return out


def _own_curves(model: FbxObject, place: Array, turn: Array, scale: Array) -> tuple[Array, Array]:
    """``Lcl Translation`` (F, 3) and ``Lcl Rotation`` (F, 3) [deg] that put a model there."""
    active = model.number("RotationActive") != 0
    order = rotation_order(model)
    pivot, hub = model.vector("RotationPivot"), model.vector("ScalingPivot")
    inner = model.vector("ScalingOffset") + hub - pivot
    move = place - model.vector("RotationOffset") - pivot - turn @ inner + (turn * scale[:, None, :]) @ hub
    if active:
        pre, post = (turning(model.vector(name)) for name in ("PreRotation", "PostRotation"))
        turn = pre.T @ turn @ post
    angles = np.degrees(continuous_euler(so3.from_matrix(turn), order[::-1]))[:, ::-1]
    return move, angles[:, np.argsort(["xyz".index(axis) for axis in order])]


def _replaced(made: FbxScene, stack: FbxObject, keys: set[tuple[int, str]]) -> set[int]:
    """Identities of curves and curve nodes of a take that give way to new ones."""
    gone: set[int] = set()
    for layer in layers_of(made.objects, stack)[0]:
        for node in made.objects.below(layer.record.identity, "AnimationCurveNode"):
            owners = [
                pair for kind in ("Model", "Deformer") for pair in made.objects.above(node.identity, kind)
            ]
            if any((owner.identity, what) in keys for owner, what in owners):
                gone.add(node.identity)
                gone.update(c.identity for c, _ in made.objects.of_property(node.identity, "AnimationCurve"))
    return gone


def _added(
    made: FbxScene, layer: int, values: Mapping[tuple[int, str], Array], times: IntArray
) -> tuple[list[Record], list[Record]]:
    objects: list[Record] = []
    links: list[Record] = []
    identity = max(made.objects.every, default=0)
    for (owner, what), column in values.items():
        node, found, curves = channel_records(Wide(identity + 1), what, column, times)
        identity += 1 + len(curves)
        objects += found
        links += [link_record(node, layer), link_record(node, owner, what), *curves]
    return objects, links


def _rewritten(
    file: RecordFile,
    stack: FbxObject,
    gone: set[int],
    objects: list[Record],
    links: list[Record],
    times: IntArray,
) -> bytes:
    top: list[Record] = []
    counts: Counter[str] = Counter()
    for record in file.top.inside:
        if record.name == "Objects":
            kept = [_retimed(r, times) if r is stack.record else r for r in record.inside if not _is(r, gone)]
            record = replace(record, inside=(*kept, *objects))
            counts = Counter(r.name for r in record.inside)
        elif record.name == "Connections":
            kept = [r for r in record.inside if not {_whole(v) for v in r.values[1:3]} & gone]
            record = replace(record, inside=(*kept, *links))
        top.append(record)
    top = [_recounted(r, counts) if r.name == "Definitions" else r for r in top]
    return file_bytes(top, file.version, file.footer)


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, int) else -1


def _is(record: Record, identities: set[int]) -> bool:
    return bool(record.values) and _whole(record.values[0]) in identities


def _retimed(stack: Record, times: IntArray) -> Record:
    """The take from its first key to its last."""

    def row(p: Record) -> Record:
        ends = {"LocalStart": 0, "ReferenceStart": 0, "LocalStop": -1, "ReferenceStop": -1}
        if not p.values or p.values[0] not in ends or len(p.values) < 5:
            return p
        at = Wide(int(times[ends[str(p.values[0])]]))
        return replace(p, values=(*p.values[:4], at), kinds=p.kinds[:4] + "L")

    def part(inside: Record) -> Record:
        if inside.name != "Properties70":
            return inside
        return replace(inside, inside=tuple(row(p) for p in inside.inside))

    return replace(stack, inside=tuple(part(each) for each in stack.inside))


def _recounted(definitions: Record, counts: Counter[str]) -> Record:
    def part(inside: Record) -> Record:
        if inside.name != "ObjectType" or not inside.values or inside.values[0] not in counts:
            return inside
        rows = (
            replace(r, values=(counts[str(inside.values[0])],), kinds="I") if r.name == "Count" else r
            for r in inside.inside
        )
        return replace(inside, inside=tuple(rows))

    return replace(definitions, inside=tuple(part(each) for each in definitions.inside))
