"""Reading BVH: one body per joint, metres, z up, rotations as quaternions.

| in the file                                        | in the character                                |
|----------------------------------------------------|-------------------------------------------------|
| root with position channels                        | free joint                                      |
| other joint whose position channels move           | free joint                                      |
| three or two rotation channels, in any order       | ball joint                                      |
| one rotation channel                               | hinge about x, y or z                           |
| no channels                                        | fixed joint                                     |
| End Site of joint J                                | point ``J_end`` of body J                       |

What the format leaves open (up axis, unit, meaning of position channels) is guessed, noted in
``clip.source.notes`` and can be said by options.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.character import Body, Character, Joint, JointKind
from poise.errors import FileFormatError, InputError, UnknownNameError
from poise.formats.bvh.hierarchy import FileJoint, HierarchyParser
from poise.formats.bvh.meaning import Binding, artificial_start, bind, positions_are_absolute
from poise.formats.bvh.mending import mended
from poise.formats.bvh.motion import FileMotion, read_motion
from poise.formats.bvh.original import Original, Skeleton
from poise.formats.bvh.placement import place, sample
from poise.formats.units import Axes, guess_unit, guess_up, standing_height
from poise.formats.weighing import MassOption, Weighing, size_notes
from poise.manifold import so3
from poise.manifold.euler import from_euler
from poise.motion.clip import Clip
from poise.motion.source import Source
from poise.reading import read_bytes

_EYE = np.eye(3)


def load(
    path: str | Path,
    *,
    up: str | None = None,
    scale: float | None = None,
    positions: str = "auto",
    drop_tpose: bool | str = False,
    mass: MassOption = True,
    lenient: bool = False,
) -> Clip:
    """Read a BVH file.

    ``up`` is the file's up axis, "y" or "z"; ``scale`` its unit [m]; ``positions`` says whether
    position channels replace OFFSET ("absolute") or are added to it ("offset"). Each is guessed if
    not given. ``drop_tpose`` leaves out the first frame: True always, "auto" if it looks like a rest
    pose put before the motion; by default every frame is kept, and such a frame only noted.
    ``mass`` says how limbs are labelled and bodies get masses: True (guessed), False (none), the total
    [kg], or a method ("table", "skin", "capsules"). ``lenient`` reads the whole frames that are there where
    a file announces another number of them or has odd rows; notes say what was left out.
    """
    path = Path(path)
    weighed = Weighing.of(mass)
    if drop_tpose not in (True, False, "auto"):
        raise UnknownNameError("value of drop_tpose", str(drop_tpose), ("True", "False", "auto"))
    if scale is not None and not (np.isfinite(scale) and scale > 0):
        raise InputError(f"scale must be the length of the file's unit in metres, not {scale}")
    data = _bytes_of(path)
    hierarchy = HierarchyParser(path, data)
    joints = tuple(hierarchy.joints)
    notes = list(hierarchy.notes)
    try:
        motion = read_motion(path, data, hierarchy.motion_at, joints)
    except FileFormatError:
        if not lenient:
            raise
        width = sum(len(j.channels) for j in joints)
        data, mends = mended(path, data, hierarchy.motion_at, width)
        motion = read_motion(path, data, hierarchy.motion_at, joints)
        notes += mends
    if motion.wrapped:
        notes.append("frames run over several lines")

    absolute, note = positions_are_absolute(joints, motion.values, positions)
    bindings = tuple(bind(joints, motion.values, absolute=absolute))
    notes += [note] if note else []
    notes += _travel_note(joints, bindings, motion.values)

    turns = local_rotations(bindings, motion.values)
    first = 0
    note = artificial_start(turns)
    if drop_tpose is True or (drop_tpose == "auto" and note):
        if len(turns) < 2:
            raise FileFormatError(path, "drop_tpose leaves no frame: the file has only one")
        first = 1
        notes.append("frame 0 of the file was left out (drop_tpose)")
    elif note:
        notes.append(note)

    axes, unit, frame_notes = _file_frame(joints, bindings, motion.values, turns, up, scale)
    notes += frame_notes
    names, name_notes = unique_names([j.name for j in joints])
    character = _character(path.stem, joints, bindings, names, axes, unit)
    q = _configurations(character, bindings, motion.values[first:], turns[first:], axes, unit)
    clip = Clip(weighed(character), q, motion.rate, name=path.stem)
    original = _original(data, joints, bindings, clip.character, motion, first, clip.q, absolute=absolute)
    notes += [*name_notes, *size_notes(character, unit)]
    source = Source(str(path), "bvh", unit, axes.up, tuple(notes), original)
    return clip.replaced(source=source)


def _bytes_of(path: Path) -> bytes:
    data = read_bytes(path)
    if not data.strip():
        raise FileFormatError(path, "the file is empty")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FileFormatError(path, "the text is UTF-16; save it as UTF-8")
    if b"\0" in data[:4096]:
        raise FileFormatError(path, "this is a binary file, not BVH text")
    return data


def local_rotations(bindings: Sequence[Binding], values: Array) -> Array:
    """Local rotations of all joints in the file's axes, neighbouring frames of like sign, (F, n, 4)."""
    out = np.zeros((len(values), len(bindings), 4))
    out[..., 0] = 1.0
    by_axes: dict[str, list[int]] = {}
    for i, binding in enumerate(bindings):
        if binding.axes:
            by_axes.setdefault(binding.axes, []).append(i)
    for axes, members in by_axes.items():
        columns = np.array([bindings[i].turns for i in members])  # (m, k)
        out[:, members] = from_euler(np.radians(values[:, columns]), axes)
    return so3.continuous(out)


def _file_frame(
    joints: Sequence[FileJoint],
    bindings: Sequence[Binding],
    values: Array,
    turns: Array,
    up: str | None,
    scale: float | None,
) -> tuple[Axes, float, list[str]]:
    """Axes and unit of the file, said or guessed, and notes on what was guessed."""
    if up is not None and scale is not None:
        return Axes(up), float(scale), []
    notes: list[str] = []
    rest, posed, names = figure(joints, bindings, values, turns)
    if up is None and joints[0].stated_up:
        up = joints[0].stated_up
        notes.append(f"up axis {up}, as the order of the root's position channels says")
    elif up is None:
        up = guess_up(rest, posed, names)
        notes.append(f"up axis guessed: {up} (say up='y' or up='z' if not)")
    axes = Axes(up)
    if scale is None:
        height = standing_height(rest, posed, axes.up)
        name, scale = guess_unit(height, names)
        notes.append(f"unit guessed from the height of the figure: {name} (say scale= in metres if not)")
    return axes, float(scale), notes


def figure(
    joints: Sequence[FileJoint], bindings: Sequence[Binding], values: Array, turns: Array
) -> tuple[Array, Array, list[str]]:
    """Joints and end sites at rest (P, 3) and in sampled frames (S, P, 3), in file axes, with names."""
    chosen = sample(len(values))
    local = np.stack([_translations(b, values[chosen]) for b in bindings], axis=1)  # (S, n, 3)
    posed = points(joints, local, turns[chosen])
    still = np.broadcast_to(so3.IDENTITY, (1, len(joints), 4))
    rest = points(joints, np.stack([b.offset for b in bindings])[None], still)[0]
    return rest, posed, [j.name for j in joints] + [j.name for j in joints for _ in j.ends]


def _translations(binding: Binding, values: Array) -> Array:
    if binding.kind is JointKind.FREE:
        return binding.translation(values)
    return np.broadcast_to(binding.offset, (len(values), 3))


def points(joints: Sequence[FileJoint], translations: Array, turns: Array) -> Array:
    """World positions of all joints, then of all end sites, (S, P, 3)."""
    positions, world = place([j.parent for j in joints], translations, turns)
    ends = [
        positions[:, i] + so3.rotate(world[:, i], np.array(end))
        for i, j in enumerate(joints)
        for end in j.ends
    ]
    return np.concatenate([positions, np.stack(ends, axis=1)], axis=1) if ends else positions


def unique_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names, repeated ones numbered (Bone, Bone_2, …), and notes on it."""
    taken, out, changed = set(names), [], []
    seen: set[str] = set()
    for name in names:
        if name in seen:
            number = 2
            while (fresh := f"{name}_{number}") in taken:
                number += 1
            changed.append(f"{name} → {fresh}")
            name = fresh
        seen.add(name)
        taken.add(name)
        out.append(name)
    shown = ", ".join(changed[:4]) + (" …" if len(changed) > 4 else "")
    return out, [f"{len(changed)} repeated joint names made unique: {shown}"] if changed else []


def _joint(binding: Binding, axes: Axes) -> Joint:
    match binding.kind:
        case JointKind.FREE:
            return Joint.free()
        case JointKind.HINGE:
            return Joint.hinge(axes.vector(_EYE["xyz".index(binding.axes)]))
        case JointKind.BALL:
            return Joint.ball()
        case _:
            return Joint.fixed()


def _character(
    name: str,
    joints: Sequence[FileJoint],
    bindings: Sequence[Binding],
    names: Sequence[str],
    axes: Axes,
    unit: float,
) -> Character:
    taken = set(names)
    bodies = []
    for i, (joint, binding) in enumerate(zip(joints, bindings)):
        ends: dict[str, Array] = {}
        for end in joint.ends:
            label, number = f"{names[i]}_end", 2
            while label in taken:
                label, number = f"{names[i]}_end_{number}", number + 1
            taken.add(label)
            ends[label] = axes.vector(end) * unit
        parent = names[joint.parent] if joint.parent >= 0 else None
        offset = axes.vector(binding.offset) * unit
        bodies.append(Body(names[i], parent, _joint(binding, axes), offset, points=ends))
    return Character(name, bodies, mass_source="none")


def _configurations(
    character: Character, bindings: Sequence[Binding], values: Array, turns: Array, axes: Axes, unit: float
) -> Array:
    q = np.empty((len(values), character.nq))
    rotations = axes.quaternion(turns)
    for i, binding in enumerate(bindings):
        span = character.coordinates(i)
        match binding.kind:
            case JointKind.FREE:
                q[:, span.start : span.start + 3] = axes.vector(binding.translation(values)) * unit
                q[:, span.start + 3 : span.stop] = rotations[:, i]
            case JointKind.BALL:
                q[:, span] = rotations[:, i]
            case JointKind.HINGE:
                q[:, span.start] = np.radians(values[:, binding.turns[0]])
            case _:
                pass
    return q


def _travel_note(joints: Sequence[FileJoint], bindings: Sequence[Binding], values: Array) -> list[str]:
    """A remark where the root stands still and a joint below it carries the travel."""
    if bindings[0].kind is JointKind.FREE and np.ptp(bindings[0].translation(values), axis=0).max() > 0:
        return []
    free = [i for i, b in enumerate(bindings) if i and b.kind is JointKind.FREE]
    if not free:
        return []
    travel = {i: float(np.ptp(bindings[i].translation(values), axis=0).max()) for i in free}
    most = max(free, key=lambda i: travel[i])
    return [f"the root {joints[0].name!r} stands still; the travel is on {joints[most].name!r}"]


def _original(
    data: bytes,
    joints: tuple[FileJoint, ...],
    bindings: tuple[Binding, ...],
    character: Character,
    motion: FileMotion,
    first: int,
    q: Array,
    *,
    absolute: bool,
) -> Original:
    return Original(
        data=data,
        joints=joints,
        bindings=bindings,
        skeleton=Skeleton.of(character),
        values=motion.values[first:],
        spans=motion.spans[first:],
        first_frame_at=int(motion.spans[0, 0]),
        frames_span=motion.frames_span,
        time_span=motion.time_span,
        rate=motion.rate,
        q=q,
        whole=first == 0,
        absolute=absolute,
    )
