"""A clip that came from a BVH file, written back: what was not edited keeps its bytes.

A frame equal to one that was read is that frame's text; equal means but for rounding, so that an
edit by zero is none. In an edited frame every joint that was not touched keeps its numbers, and the
angles of the others are those nearest to the old ones (same branch, same winding). Only where an edit
needs channels that the file does not have (a root that was read without rotations and now turns)
are they added, which changes every line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character import JointKind
from poise.formats.bvh.hierarchy import FileJoint
from poise.formats.bvh.lines import newline_of
from poise.formats.bvh.meaning import Binding
from poise.formats.bvh.original import Original
from poise.formats.bvh.pose import local_pose
from poise.formats.bvh.rate import frame_time_text
from poise.formats.bvh.text import channel_list, number
from poise.formats.units import Axes
from poise.manifold.euler import to_euler
from poise.motion.clip import Clip

Flags = NDArray[np.bool_]
_ROUNDING = 1e-14  # [rad or m] what arithmetic that changes nothing may leave
_NEGLIGIBLE = 1e-10  # [rad or file units] what a missing channel may leave out


def rewritten(original: Original, clip: Clip, axes: Axes, unit: float, digits: int | None) -> bytes:
    """The whole file."""
    same = _same_frames(original, clip)
    edited = np.flatnonzero(same < 0)
    # An edited frame is compared with the frame in its place, where the clip has kept its length.
    old = edited if clip.frames == len(original.q) else np.full(len(edited), -1)
    columns = _edited_columns(original, clip, edited, old, same, axes, unit)
    widened = [c for c in columns if c.channels != c.joint.channels]
    texts = [original.data[a:b] for a, b in original.spans.tolist()]
    if widened:
        texts = [_widened(text, columns) for text in texts]
    frames = [texts[k] if k >= 0 else b"" for k in same.tolist()]
    for n, k in enumerate(edited.tolist()):
        frames[k] = _line(columns, n, texts[old[n]].split() if old[n] >= 0 else None, digits)
    return _assembled(original, clip, frames, columns if widened else [])


def _same_frames(original: Original, clip: Clip) -> IntArray:
    """For each frame of the clip the frame of the file with the same configuration, else −1, (F,)."""
    count = min(clip.frames, len(original.q))
    same = np.full(clip.frames, -1, dtype=np.int64)
    in_place = _equal(clip, clip.q[:count], original.q[:count])
    same[:count][in_place] = np.flatnonzero(in_place)
    if clip.frames != len(original.q):
        known = {_key(row): k for k, row in enumerate(original.q)}
        for k in np.flatnonzero(same < 0).tolist():
            found = known.get(_key(clip.q[k]), -1)
            if found >= 0 and _equal(clip, clip.q[k : k + 1], original.q[found : found + 1])[0]:
                same[k] = found
    return same


def _key(q: Array) -> bytes:
    """The same for configurations that differ by rounding only (but for rare bad luck)."""
    return bytes((np.round(q, 11) + 0.0).tobytes())


def _equal(clip: Clip, a: Array, b: Array) -> Flags:
    """Frames whose configurations agree but for rounding and for the signs of quaternions, (F,)."""
    equal = _close(a, b)
    slots = clip.character.manifold.rotation_slots[0]
    if slots.size and not equal.all():
        either = _all(_close(a[:, slots], -b[:, slots])) | _all(equal[:, slots])  # (F, r)
        equal[:, slots] = either[..., None]
    return _all(equal)


def _all(flags: Flags) -> Flags:
    """Whether all hold along the last axis."""
    return np.asarray(np.logical_and.reduce(flags, axis=-1))


def _close(a: Array, b: Array) -> Flags:
    close: Flags = np.less_equal(np.abs(a - b), _ROUNDING * np.maximum(1.0, np.abs(b)))
    return close


@dataclass(frozen=True, eq=False)
class _Columns:
    """One joint's channels in the edited frames."""

    joint: FileJoint
    channels: tuple[str, ...]
    """Those of the file, and any that the edit made necessary."""
    values: Array
    """(E, channels)"""
    kept: Flags
    """Where the old text still holds, (E, channels) of bool."""
    added: tuple[float, ...]
    """Values of the added channels in frames that were not edited."""


def _edited_columns(
    original: Original,
    clip: Clip,
    edited: IntArray,
    old: IntArray,
    same: IntArray,
    axes: Axes,
    unit: float,
) -> list[_Columns]:
    q = clip.q[edited]
    translations, turns = local_pose(clip.character, q, axes, unit)
    angles = _angles(original, turns, edited, old, same)
    was = original.q[old] if len(old) and old[0] >= 0 else None
    found = []
    for i, (joint, binding) in enumerate(zip(original.joints, original.bindings)):
        span = clip.character.coordinates(i)
        own = q[:, span]
        unmoved = unturned = np.zeros(len(q), dtype=bool)
        if was is not None:
            before = was[:, span]
            shift = 3 if binding.kind is JointKind.FREE else 0
            unmoved = _all(_close(own[:, :shift], before[:, :shift]))
            unturned = _all(_close(own[:, shift:], before[:, shift:]))
            if binding.kind in (JointKind.FREE, JointKind.BALL):
                unturned = unturned | _all(_close(own[:, shift:], -before[:, shift:]))
        if binding.kind is JointKind.HINGE:
            angles[:, i, 0] = own[:, 0]
        found.append(
            _joint_columns(
                joint, binding, original.absolute, translations[:, i], angles[:, i], unmoved, unturned
            )
        )
    return found


def _joint_columns(
    joint: FileJoint,
    binding: Binding,
    absolute: bool,
    translation: Array,
    angles: Array,
    unmoved: Flags,
    unturned: Flags,
) -> _Columns:
    """Values of one joint's channels, with channels added where they are needed."""
    order = full_order(binding.axes)
    needed: list[tuple[str, float]] = []  # added channel, its value in unedited frames
    offset = np.array(joint.offset)
    for axis, column in enumerate(binding.positions):
        apart = np.abs(translation[:, axis] - offset[axis])
        if column < 0 and binding.kind is JointKind.FREE and apart.max(initial=0.0) > _NEGLIGIBLE:
            needed.append((f"{'XYZ'[axis]}position", float(offset[axis]) if absolute else 0.0))
    if binding.kind in (JointKind.FREE, JointKind.BALL):
        for n in range(len(binding.axes), 3):
            if np.abs(angles[:, n]).max(initial=0.0) > _NEGLIGIBLE:
                needed = [*needed, *((f"{a.upper()}rotation", 0.0) for a in order[len(binding.axes) :])]
                break
    channels = (*joint.channels, *(name for name, _ in needed))
    base = np.zeros(3) if absolute else offset
    values = np.empty((len(angles), len(channels)))
    kept = np.zeros(values.shape, dtype=bool)
    for n, channel in enumerate(channels):
        if channel.endswith("position"):
            axis = "XYZ".index(channel[0])
            values[:, n] = translation[:, axis] - base[axis]
            kept[:, n] = unmoved if n < len(joint.channels) else False
        else:
            values[:, n] = np.degrees(angles[:, order.index(channel[0].lower())])
            kept[:, n] = unturned if n < len(joint.channels) else False
    return _Columns(joint, channels, values, kept, tuple(value for _, value in needed))


def full_order(axes: str) -> str:
    """A whole Euler order that begins with the given axes."""
    return axes if len(axes) == 3 else axes + "".join(a for a in "zxy" if a not in axes)


def _angles(original: Original, turns: Array, edited: IntArray, old: IntArray, same: IntArray) -> Array:
    """Euler angles of the edited frames (E, n, 3), each joint in its own order, near what was there."""
    by_order: dict[str, list[int]] = {}
    for i, binding in enumerate(original.bindings):
        by_order.setdefault(full_order(binding.axes), []).append(i)
    out = np.zeros((*turns.shape[:2], 3))
    for order, members in by_order.items():
        if len(old) and old[0] >= 0:
            near = _old_angles(original, members, old)
            out[:, members] = to_euler(turns[:, members], order, reference=near)
            continue
        for n, k in enumerate(edited.tolist()):
            before: Array | None = None
            if k and same[k - 1] >= 0:
                before = _old_angles(original, members, same[k - 1 : k])[0]
            elif k and n:
                before = out[n - 1, members]
            out[n, members] = to_euler(turns[n, members], order, reference=before)
    return out


def _old_angles(original: Original, members: list[int], frames: IntArray) -> Array:
    """Angles that the file has in some frames, (E, m, 3) [rad], missing ones 0."""
    angles = np.zeros((len(frames), len(members), 3))
    for m, i in enumerate(members):
        columns = np.array(original.bindings[i].turns, dtype=np.int64)
        angles[:, m, : len(columns)] = np.radians(original.values[np.ix_(frames, columns)])
    return angles


def _line(columns: list[_Columns], n: int, old: list[bytes] | None, digits: int | None) -> bytes:
    """Text of the n-th edited frame, with the old numbers where they still hold."""
    parts: list[bytes] = []
    at = 0
    for joint in columns:
        for c, value in enumerate(joint.values[n].tolist()):
            keep = old is not None and joint.kept[n, c]
            parts.append(old[at + c] if keep and old is not None else number(value, digits).encode())
        at += len(joint.channels)
    return b" ".join(parts)


def _widened(text: bytes, columns: list[_Columns]) -> bytes:
    """An old frame with values for the added channels."""
    old, parts, at = text.split(), list[bytes](), 0
    for joint in columns:
        width = len(joint.joint.channels)
        parts += old[at : at + width]
        parts += [number(value).encode() for value in joint.added]
        at += width
    return b" ".join(parts)


def _assembled(original: Original, clip: Clip, frames: list[bytes], widened: list[_Columns]) -> bytes:
    """Skeleton, header and frames in one, with all that stood between and after the frames."""
    data = original.data
    changes: list[tuple[int, int, bytes]] = []
    for joint in widened:
        if joint.channels != joint.joint.channels and joint.joint.channels_span:
            changes.append((*joint.joint.channels_span, channel_list(joint.channels).encode()))
    if clip.frames != int(data[slice(*original.frames_span)]):
        changes.append((*original.frames_span, str(clip.frames).encode()))
    if clip.rate != original.rate:
        changes.append((*original.time_span, frame_time_text(clip.rate).encode()))
    head, at = b"", 0
    for start, end, new in sorted(changes):
        head, at = head + data[at:start] + new, end
    head += data[at : original.first_frame_at]
    starts, ends = original.spans[:, 0].tolist(), original.spans[:, 1].tolist()
    tail = data[ends[-1] :]
    if clip.frames != len(starts) or not original.whole:
        gap = data[ends[0] : starts[1]] if len(starts) > 1 else newline_of(data)
        return head + gap.join(frames) + tail
    gaps = [data[a:b] for a, b in zip(ends[:-1], starts[1:])]
    body = b"".join(frame + gap for frame, gap in zip(frames, [*gaps, b""]))
    return head + body + tail
