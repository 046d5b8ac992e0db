"""A clip as an edit of its own file: which properties of which nodes its animation has to change.

A body's motion (p, R) in its parent's frame becomes its node's own translation and rotation,

    r = R_b⁻¹ R,    t = K⁻¹ R_b⁻¹ (p − p_b),

with the frame (p_b, R_b, K) the node is placed in (K changes with animated scale). What the clip does as the
file has it keeps the file's keys; the rest gets a key per frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic, TypeVar

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind, Skin
from poise.errors import InputError
from poise.formats.cycle import with_closing_frame
from poise.formats.gltf.container import Document
from poise.formats.gltf.interpretation import Interpretation, interpret
from poise.formats.gltf.joints import STILL
from poise.formats.gltf.local_motion import TRANSLATES, local_motion
from poise.formats.gltf.mixture import MorphChannel
from poise.formats.gltf.original import KeptDocument, kept_document, original_file
from poise.formats.gltf.reader import morph_weights
from poise.formats.gltf.rig import MADE_UP
from poise.formats.gltf.skinning import build_skin
from poise.formats.gltf.stretching import scales_at, stretches
from poise.formats.gltf.wearing import Worn, added_part
from poise.manifold import so3
from poise.motion import Clip, OriginalFile
from poise.motion.source import listed
from poise.reading import blaming

SAME = 1e-6
"""How far an offset (beside the figure's size) or a rest rotation may lie off and be the same."""

TURNED, MOVED, WEIGHED = 5e-7, 1e-7, 1e-7
"""Changes that a file's single precision cannot hold: of rotations [rad], of places beside the figure's size,
of weights."""
DocumentKind = TypeVar("DocumentKind", bound=Document)
READING = ("animation", "skin", "fps", "scale", "up")


@dataclass(frozen=True, eq=False)
class Revision(Generic[DocumentKind]):
    """What is to be changed of a document."""

    document: DocumentKind
    read: Interpretation
    times: Array
    """Of the keys that are written, (F,) [s]."""
    tracks: dict[tuple[int, str], Array]
    """Values (F, d) in our axes by node and property."""
    dropped: frozenset[tuple[int, str]]
    """Tracks of the animation that no longer apply."""
    notes: tuple[str, ...]
    """What the new file does not keep, in words."""
    worn: Worn | None = None
    """Meshes that the clip wears beside the file's."""


def revision(clip: Clip) -> Revision[KeptDocument] | str:
    """The clip as a change of its own file; where that cannot be, the reason, empty for one without file."""
    document, original = kept_document(clip), original_file(clip)
    return "" if document is None or original is None else revised(clip, document, original)


def revised_scene(
    clip: Clip, document: DocumentKind, original: OriginalFile, rate: Fraction | None
) -> Revision[DocumentKind] | str:
    """The clip as a change of another format's scene, which holds the file's unit and moves at ``rate``."""
    asked = {k: v for k, v in original.read.items() if k not in ("scale", "fps", "up")}
    changed = revised(clip, document, replace(original, read=asked))
    if isinstance(changed, str):
        return changed
    if changed.worn is not None:
        return "the skin is no longer the file's"
    if changed.tracks and rate is not None and clip.rate != rate:
        return f"the motion has {float(clip.rate):g} frames per second, the file {float(rate):g}"
    return replace(changed, notes=(*changed.notes, *_corrected(original)))


def _corrected(original: OriginalFile) -> list[str]:
    """What was put right as the file was read, and stays in it as it is."""
    scale, up, notes = original.read.get("scale", 1.0), original.read.get("up"), []
    if scale != 1.0:
        notes.append(f"lengths stay in the file's own unit: read it with scale={scale:g} again")
    if up is not None:
        notes.append(f"the file's own axes stay: read it with up={up} again")
    return notes


def revised(clip: Clip, document: DocumentKind, original: OriginalFile) -> Revision[DocumentKind] | str:
    """The clip as a change of a document that it was read from; where that cannot be, the reason."""
    with blaming(document.path, "glTF"):
        read = interpret(document, **{k: v for k, v in original.read.items() if k in READING})
        skin, channels = build_skin(document, read.tree, read.rig, [])
    reason = misfit(clip.character, read)
    if reason:
        return reason
    worn = None
    if clip.character.skin is not None and not same_skin(clip.character.skin, skin):
        added = None if skin is None else added_part(clip.character.skin, skin)
        if added is None or MADE_UP in read.rig.nodes:
            return "the skin is no longer the file's"
        weights = _closed(clip, len(with_closing_frame(clip)))
        worn = Worn(added, weights[:, -len(added.morphs) :] if added.morphs else weights[:, :0])
    if not np.isfinite(clip.q).all():
        raise InputError(f"{clip.name or 'the clip'} holds values that are not finite")
    q = with_closing_frame(clip)
    own = len(q) == len(read.q) and (clip.rate == read.grid.rate or len(q) == 1)
    own = own and (original.own_frames or (q.shape == read.q.shape and np.allclose(q, read.q, atol=1e-12)))
    start = float(read.grid.times[0])
    times = read.grid.times if own else np.array([start + float(k / clip.rate) for k in range(len(q))])
    dropped = frozenset(() if own else _timed_scales(read))
    mine = _Placed.of(clip.character, q, read)
    tracks = dict(_joint_tracks(mine, read, times, dropped, own=own))
    tracks |= dict(_weight_tracks(clip, channels, skin, read, len(q), own=own))
    notes = []
    if dropped:
        scaled = listed([read.rig.names[read.rig.nodes.index(node)] for node, _ in sorted(dropped)])
        notes.append(f"animated scale of {scaled} was left out: the frames are no longer the file's")
    notes += _corrected(original)
    beside = [] if own else _beside(read, channels)
    if beside:
        notes.append(f"{listed(beside)} beside the skeleton in {read.title!r}: keeps the file's timing")
    return Revision(document, read, times, tracks, dropped, tuple(notes), worn)


@dataclass(frozen=True, eq=False)
class _Placed:
    """Bodies in their parents' frames, in the rig's order; an added root is folded into its children."""

    positions: Array  # (n, F, 3)
    turns: Array  # (n, F, 4)

    @staticmethod
    def of(character: Character, q: Array, read: Interpretation) -> _Placed:
        order = [character.index(name) for name in read.rig.names]
        positions, turns = (part[order] for part in local_motion(character, q))
        if read.rig.nodes[0] == MADE_UP:
            for i, parent in enumerate(read.rig.parents):
                if parent == 0:
                    positions[i] = positions[0] + so3.rotate(turns[0], positions[i])
                    turns[i] = so3.multiply(turns[0], turns[i])
        return _Placed(positions, so3.normalise(turns))


def _timed_scales(read: Interpretation) -> Iterator[tuple[int, str]]:
    """Scale tracks of the skeleton that change in the course of the animation."""
    for key, track in read.chosen.tracks.items() if read.chosen is not None else ():
        if key[1] == "scale" and key[0] in read.rig.nodes and track.varies:
            yield key


def _beside(read: Interpretation, channels: tuple[MorphChannel, ...]) -> list[str]:
    """What the animation moves that is not part of the clip."""
    ours = {*read.rig.nodes, *(channel.node for channel in channels)}
    tracks = read.chosen.tracks if read.chosen is not None else {}
    nodes = sorted({node for (node, _), track in tracks.items() if node not in ours and track.varies})
    elsewhere = read.chosen.elsewhere if read.chosen is not None else ()
    return [*(read.tree.names[node] or f"node {node}" for node in nodes), *elsewhere]


def _joint_tracks(
    mine: _Placed, read: Interpretation, times: Array, dropped: frozenset[tuple[int, str]], *, own: bool
) -> Iterator[tuple[tuple[int, str], Array]]:
    """Node and property, and its values (F, d), of every joint that does something else than in the file."""
    rig, tree, chosen = read.rig, read.tree, read.chosen
    was = _Placed.of(Character("", read.bodies, mass_source="none"), read.q, read) if own else None
    if chosen is not None and dropped:
        chosen = replace(chosen, tracks={k: t for k, t in chosen.tracks.items() if k not in dropped})
    turns = np.array([so3.multiply(so3.conjugate(b.turn), t) for b, t in zip(rig.bases, mine.turns)])
    stretch = stretches(tree, rig, turns, scales_at(tree, rig, chosen, times))
    tracks = chosen.tracks if chosen is not None else {}
    for i, (node, base) in enumerate(zip(rig.nodes, rig.bases)):
        if node == MADE_UP:
            continue
        outer = stretch.get(rig.parents[i], np.broadcast_to(base.stretch, (len(times), 3, 3)))
        shift = so3.rotate(so3.conjugate(base.turn), mine.positions[i] - base.position)  # K t
        exact = was is not None or read.bodies[i].joint.kind in TRANSLATES
        slack = (MOVED if exact else 2 * STILL) * rig.size
        if was is not None:
            moved = np.abs(mine.positions[i] - was.positions[i]).max() > slack
            if rig.parents[i] in stretch:  # where scale is uneven, a turned parent stretches otherwise
                kept = np.einsum("fij,fj->fi", outer, read.motion.translations[i])
                moved = moved or np.abs(kept - shift).max() > slack
            turned = _angle(was.turns[i], mine.turns[i]) > TURNED
        else:
            # Keys that are there have the file's times: they are made anew even where they hold still.
            moved = (node, "translation") in tracks
            moved = moved or np.abs(outer @ tree.locals[node].position - shift).max() > slack
            turned = (node, "rotation") in tracks
            turned = turned or _angle(so3.normalise(tree.locals[node].turn), turns[i]) > TURNED
            if (scale := tracks.get((node, "scale"))) is not None:
                yield (node, "scale"), np.broadcast_to(scale.values[0], (len(times), 3))
        if moved:
            yield (node, "translation"), np.asarray(np.linalg.solve(outer, shift[..., None])[..., 0])
        if turned:
            yield (node, "rotation"), so3.continuous(so3.normalise(turns[i]))


def _weight_tracks(
    clip: Clip,
    channels: tuple[MorphChannel, ...],
    skin: Skin | None,
    read: Interpretation,
    frames: int,
    *,
    own: bool,
) -> Iterator[tuple[tuple[int, str], Array]]:
    """The same of meshes whose morph weights are others than in the file."""
    if clip.morphs is None:
        return
    weights = _closed(clip, frames)
    was = morph_weights(read.chosen, channels, skin, read.grid.times)
    for channel in channels:
        span = slice(channel.first, channel.first + len(channel.rest))
        if own and was is not None:
            changed = np.abs(weights[:, span] - was[:, span]).max() > WEIGHED
        else:
            timed = read.chosen is not None and (channel.node, "weights") in read.chosen.tracks
            changed = timed or np.abs(weights[:, span] - channel.rest).max() > WEIGHED
        if changed:
            yield (channel.node, "weights"), weights[:, span]


def _closed(clip: Clip, frames: int) -> Array:
    """Morph weights (F, m), of a loop with its first frame come round again."""
    weights = clip.morphs if clip.morphs is not None else np.zeros((clip.frames, 0))
    return weights if len(weights) == frames else np.concatenate([weights, weights[:1]])


def _angle(a: Array, b: Array) -> float:
    """The largest angle between rotations (F, 4) [rad]."""
    return float(np.linalg.norm(so3.log(so3.multiply(so3.conjugate(a), b)), axis=-1).max())


def misfit(character: Character, read: Interpretation) -> str:
    """Why a file read as ``read`` does not describe the character's skeleton; empty if it does.

    Joints are known by name and parent; numbers may differ by rounding, as guessing masses makes them.
    """
    theirs = {body.name: body for body in read.bodies}
    ours = {body.name: body for body in character.bodies}
    if ours.keys() != theirs.keys():
        odd = listed(sorted(ours.keys() ^ theirs.keys()), 4)
        return f"the skeleton is no longer the file's ({odd})"
    for name, body in ours.items():
        other = theirs[name]
        if body.parent != other.parent:
            return f"the skeleton is no longer the file's ({name} hangs from another joint)"
        if body.joint.kind in (JointKind.FREE, JointKind.PLANAR):
            continue  # these count from their parent: where they stand at rest does not matter
        moved = np.abs(np.asarray(body.offset) - other.offset).max()
        turned = min(np.abs(np.asarray(body.rest) - s * np.asarray(other.rest)).max() for s in (1, -1))
        if moved > SAME * (1 + read.rig.size) or turned > SAME:
            return f"the skeleton is no longer the file's ({name} rests elsewhere)"
    return ""


def same_skin(ours: Skin, theirs: Skin | None) -> bool:
    """Whether a character still wears what the file has for it."""
    if theirs is None or len(ours.morphs) != len(theirs.morphs):
        return False
    pairs = [(getattr(ours, part), getattr(theirs, part)) for part in ("vertices", "faces")]
    pairs += [(ours.bodies, theirs.bodies), (ours.weights, theirs.weights)]
    pairs += [(a.indices, b.indices) for a, b in zip(ours.morphs, theirs.morphs)]
    pairs += [(a.deltas, b.deltas) for a, b in zip(ours.morphs, theirs.morphs)]
    return all(np.array_equal(a, b) for a, b in pairs)
