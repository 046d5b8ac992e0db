"""Reading Acclaim files: one body per bone, at the bone's start, in the bone's axis frame.

With C the axis frames at rest and M the turn by the degrees of freedom of a frame,

    R_world = R_parent · (C_parent⁻¹ C) · M,    M = R_z R_y R_x for "dof rx ry rz"

so C_parent⁻¹ C is the body's rest rotation, M the joint's. One turning degree of freedom makes a
hinge, two or three a ball, none a fixed joint; the root is free. Limits of a ball's angles are taken
as limits of its rotation vector, which agree to first order. A skeleton alone is a clip of one frame.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.character import Body, Character, Joint
from poise.errors import FileFormatError, InputError
from poise.formats.asf_amc.motion import AcclaimMotion, read_motion
from poise.formats.asf_amc.skeleton import ROOT, AcclaimSkeleton, Bone, read_skeleton
from poise.formats.units import Axes, guess_unit
from poise.formats.weighing import MassOption, Weighing, size_notes
from poise.manifold import so3
from poise.manifold.euler import from_euler
from poise.motion.clip import Clip
from poise.motion.frame_times import exact_rate
from poise.motion.source import Source

CMU_RATE = 120
"""Frames per second of the CMU database; AMC files do not say theirs."""
_INCH = 0.0254
"""[m]"""


def load(
    path: str | Path,
    *,
    skeleton: str | Path | None = None,
    rate: float | str | None = None,
    scale: float | None = None,
    up: str = "y",
    mass: MassOption = True,
) -> Clip:
    """Read an AMC motion with its ASF skeleton, or an ASF skeleton alone.

    ``skeleton`` names the ASF file; without it the one beside the motion whose name is the longest
    beginning of the motion's (``02_01.amc``: ``02_01.asf``, ``02.asf``) or the only one is taken.
    ``rate`` [1/s] is 120 if not given; ``scale`` is the file's unit [m]. ``mass``: True (guessed), False
    (none), the total [kg], or a method ("table", "skin", "capsules").
    """
    path = Path(path)
    weighed = Weighing.of(mass)
    axes = Axes(up)
    if scale is not None and not (np.isfinite(scale) and scale > 0):
        raise InputError(f"scale must be the length of the file's unit in metres, not {scale}")
    notes: list[str] = []
    alone = _is_skeleton(path)
    asf = path if alone else Path(skeleton) if skeleton is not None else _skeleton_beside(path)
    bones = read_skeleton(asf)
    motion = None if alone else read_motion(path, bones)
    if not alone:
        notes.append(f"skeleton {asf.name}")
        if rate is None:
            notes.append(f"AMC files have no frame rate; {CMU_RATE} per second assumed (say rate=)")
    if scale is None:
        scale, note = _unit(bones)
        notes.append(note)
    if any("l" in b.dofs for b in bones.bones.values()):
        notes.append("changes of bone length (dof l) are left out")
    character = _character(bones, asf.stem, axes, scale)
    notes += size_notes(character, scale)
    q = _configurations(character, bones, motion, axes, scale)
    return Clip(
        weighed(character),
        q,
        exact_rate(CMU_RATE if rate is None else rate),
        name=path.stem,
        source=Source(str(path), "asf" if alone else "amc", scale, axes.up, tuple(notes)),
    )


def _is_skeleton(path: Path) -> bool:
    from poise.formats.registry import format_of

    return format_of(path).name == "asf"


def _skeleton_beside(path: Path) -> Path:
    beside = sorted(p for p in path.parent.iterdir() if p.suffix.lower() == ".asf")
    named = [p for p in beside if path.stem.lower().startswith(p.stem.lower())]
    if named:
        return max(named, key=lambda p: len(p.stem))
    if len(beside) == 1:
        return beside[0]
    found = f"found {', '.join(p.name for p in beside)}" if beside else "there is no .asf file"
    raise FileFormatError(path, f"its skeleton is not clear: {found} beside it; say skeleton='….asf'")


def _unit(skeleton: AcclaimSkeleton) -> tuple[float, str]:
    """The unit [m]: inches divided by ``:units length``, where that makes a figure of human size."""
    ends: dict[str, Array] = {}
    for name, bone in skeleton.bones.items():
        ends[name] = (ends[bone.parent] if bone.parent else np.zeros(3)) + bone.end
    height = float(np.ptp(np.array(list(ends.values()))[:, 1]))
    inches = _INCH / skeleton.length_unit
    if 1.0 <= height * inches <= 2.4:
        return inches, f"unit: 1/{skeleton.length_unit:g} inch, as :units says"
    name, unit = guess_unit(height, tuple(skeleton.bones))
    return unit, f"unit guessed from the height of the figure: {name} (say scale= in metres if not)"


def _turns(bone: Bone) -> str:
    """Axes of its turning degrees of freedom, in the order of the file: "xz"."""
    return "".join(d[1] for d in bone.dofs if d.startswith("r"))


def _shifts(bone: Bone) -> bool:
    return any(d.startswith("t") for d in bone.dofs)


def _joint(bone: Bone, axes: Axes, *, radians: bool) -> Joint:
    turns = _turns(bone)
    if bone.name == ROOT or _shifts(bone):
        return Joint.free()
    factor = 1.0 if radians else np.pi / 180
    said = {d[1]: np.array(l) * factor for d, l in zip(bone.dofs, bone.limits) if d.startswith("r")}
    if not turns:
        return Joint.fixed()
    if len(turns) == 1:
        low, high = said.get(turns, (-np.inf, np.inf))
        return Joint.hinge(axes.vector(np.eye(3)["xyz".index(turns)]), low, high)
    lower, upper = np.full(3, -np.inf), np.full(3, np.inf)
    for axis, (low, high) in said.items():
        lower["xyz".index(axis)], upper["xyz".index(axis)] = low, high
    if len(turns) == 2 and len(said) == 2:
        # Two turns a, c leave about a·c/2 about the third axis.
        third = next(i for i, a in enumerate("xyz") if a not in turns)
        reach = min(float(np.prod([np.abs(l).max() for l in said.values()])), np.pi)
        lower[third], upper[third] = -reach, reach
    return Joint.ball(*axes.limits(lower, upper))


def _character(skeleton: AcclaimSkeleton, name: str, axes: Axes, unit: float) -> Character:
    leaves = set(skeleton.bones) - {b.parent for b in skeleton.bones.values()}
    taken = set(skeleton.bones)
    bodies = []
    for bone in skeleton.bones.values():
        parent = skeleton.bones.get(bone.parent)
        if parent is None:
            offset, rest = skeleton.position, bone.frame
        else:
            back = so3.conjugate(parent.frame)
            offset, rest = so3.rotate(back, parent.end), so3.multiply(back, bone.frame)
        end = so3.rotate(so3.conjugate(bone.frame), bone.end)
        label, number = f"{bone.name}_end", 2
        while label in taken:
            label, number = f"{bone.name}_end_{number}", number + 1
        taken.add(label)
        bodies.append(
            Body(
                bone.name,
                bone.parent or None,
                _joint(bone, axes, radians=skeleton.radians),
                axes.vector(offset) * unit,
                axes.quaternion(rest),
                points={label: axes.vector(end) * unit} if bone.name in leaves else {},
            )
        )
    return Character(name, bodies, mass_source="none")


def _configurations(
    character: Character, skeleton: AcclaimSkeleton, motion: AcclaimMotion | None, axes: Axes, unit: float
) -> Array:
    if motion is None:
        return character.rest_pose()[None]
    q = np.empty((motion.frames, character.nq))
    factor = 1.0 if motion.radians else np.pi / 180
    for i, bone in enumerate(skeleton.bones.values()):
        own = q[:, character.coordinates(i)]
        if own.shape[1] == 0:
            continue
        values = motion.values.get(bone.name, np.zeros((motion.frames, 0)))
        turns = _turns(bone)
        columns = [n for n, d in enumerate(bone.dofs) if d.startswith("r")]
        if own.shape[1] == 1:
            own[:, 0] = values[:, columns[0]] * factor
            continue
        turn = np.tile(so3.IDENTITY, (motion.frames, 1))
        if turns:
            # The first degree of freedom turns first, about fixed axes: it stands last in the product.
            turn = from_euler(values[:, columns[::-1]] * factor, turns[::-1])
        body = character.bodies[i]
        if own.shape[1] == 7:
            shift = np.zeros((motion.frames, 3))
            for n, dof in enumerate(bone.dofs):
                if dof.startswith("t"):
                    shift[:, "xyz".index(dof[1])] = values[:, n]
            place = axes.vector(shift) * unit
            if bone.parent:
                place = so3.rotate(body.rest, place)
            own[:, :3] = np.asarray(body.offset) + place
            own[:, 3:] = so3.multiply(body.rest, axes.quaternion(turn))
        else:
            own[:] = axes.quaternion(turn)
    slots = character.manifold.rotation_slots[0]
    q[:, slots] = so3.continuous(so3.normalise(q[:, slots]))
    return q
