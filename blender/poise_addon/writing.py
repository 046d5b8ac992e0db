# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies' new poses as keys: of the bones themselves, or of the controls that put them there."""

import numpy as np
from mathutils import Matrix

from .actions import Curves, Strip
from .algebra import inverse, rigid, scales_of, uniform_scale
from .blender import bpy
from .client import PoiseProblem
from .controls import give_up
from .reading import Reading
from .switches import put_switches, still_constraints

NEAR = 2e-6
"""A control is where it is wanted if it is off by less than this part of the figure's size: a few steps of
32-bit matrices."""
NEAR_ENOUGH = 1e-4
"""The same for a pose that is seen in passing: a fifth of a millimetre of a person."""
MISLED = 1e-3
"""Controls that were found by trying are given up where bodies are off by more than this part of the size."""
SWEEPS = 14
"""Most evaluations of all frames until controls are where they are wanted."""


def writing(
    read,
    positions,
    rotations,
    name,
    *,
    chosen=None,
    hold=True,
    blend=(0, 0),
    checked=True,
    sweeps=SWEEPS,
    first=0.0,
    last=1.0,
):
    """Work that writes bodies' world poses as a strip; the strip, and how far it is off [m]."""
    arm, plan = read.arm, read.plan
    wanted = read.in_armature(positions, rotations)  # (F, n, 4, 4)
    curves = Curves(arm, name, read.frames)
    ours = [k for k, body in enumerate(plan.bodies) if chosen is None or body.name in chosen]
    wanted = _mixed(read, wanted, set(ours))
    strip = None
    scene = bpy.context.scene
    shown = scene.frame_current, scene.frame_subframe
    try:
        yield first, "Writing"
        if plan.controls:
            put_switches(plan, curves)
            goals = _control_goals(read, wanted, set(ours))
            still_constraints(arm, {c.bone for c in goals if c.manner == "still"}, curves)
            basis = _put_guess(read, curves, goals)
            strip = Strip(arm, curves, name, hold=hold, blend=blend)
            yield from _sweeps(read, curves, goals, basis, first, last, sweeps)
        else:
            _put_plain(read, wanted, ours, curves)
            still_constraints(arm, {plan.bodies[k].bone for k in ours}, curves)
            strip = Strip(arm, curves, name, hold=hold, blend=blend)
        written = sorted({c.body for c in goals}) if plan.controls else ours
        curves.settle()
        off = _measured(read, wanted, written) if checked else 0.0
    except BaseException:
        strip.remove() if strip is not None else curves.remove()
        raise
    finally:
        scene.frame_set(shown[0], subframe=shown[1])
    if (
        plan.kind != "controls"
        or off <= MISLED * read.size() * (uniform_scale(read.object[0]) or 1.0) * read.unit
    ):
        return strip, off
    strip.remove()  # what was found out about this rig does not hold
    read.plan = give_up(arm, plan)
    return (
        yield from writing(
            read, positions, rotations, name, chosen=chosen, hold=hold, blend=blend, first=last, last=last
        )
    )


def rewriting(strip, read, positions, rotations, *, chosen=None, only=None, sweeps=SWEEPS):
    """Work that gives a strip another motion, or its key ``only`` another pose: ``read`` is of that frame.

    Wherever it pauses, the frame that was shown is shown.
    """
    wanted, plan = read.in_armature(positions, rotations), read.plan
    ours = [k for k, body in enumerate(plan.bodies) if chosen is None or body.name in chosen]
    wanted = _mixed(read, wanted, set(ours))
    curves = strip.curves if only is None else strip.curves.only(only)
    if plan.controls:
        goals = _control_goals(read, wanted, set(ours))
        steps = _rewritten_controls(strip, read, curves, goals, only, sweeps)
    else:
        _put_plain(read, wanted, ours, curves)
        steps = iter(((1.0, ""),))
    read.arm.update_tag()
    scene = bpy.context.scene
    shown = scene.frame_current, scene.frame_subframe
    for step in steps:
        scene.frame_set(shown[0], subframe=shown[1])
        yield step
        shown = scene.frame_current, scene.frame_subframe
    scene.frame_set(shown[0], subframe=shown[1])


def _rewritten_controls(strip, read, curves, goals, only, sweeps):
    """Work on controls from where they were last seen: a drag changes little; one frame need only be near."""
    seen = strip.seen
    if seen is not None and only is not None:
        seen = seen[0].one(only), {bone: own[only : only + 1] for bone, own in seen[1].items()}
    basis = _put_guess(read, curves, goals, *(seen or ()))
    near = NEAR if only is None else NEAR_ENOUGH
    return _sweeps(read, curves, goals, basis, 0.0, 1.0, sweeps, near, strip if only is None else None)


def _mixed(read, wanted, ours):
    """Poses of bodies of which only some are ours: these turn as wanted in their parents, others as read."""
    if len(ours) == len(read.plan.bodies):
        return wanted
    old, found = rigid(read.matrices[:, read.bodies]), np.empty_like(wanted)
    for k, body in enumerate(read.plan.bodies):
        given = wanted if k in ours else old
        if body.parent < 0:
            found[:, k] = given[:, k]
        else:
            found[:, k] = found[:, body.parent] @ inverse(given[:, body.parent]) @ given[:, k]
    return found


def _put_plain(read, wanted, ours, curves):
    """Bodies' bones themselves: basis = (rest in parent)⁻¹ · (parent⁻¹ · bone)."""
    arm, bones = read.arm, read.arm.data.bones
    old = read.matrices.astype(np.float64)
    names = [read.plan.bodies[k].bone for k in ours]
    ups = [_above(read, name) for name in names]
    at, new = np.array([read.index[name] for name in names]), old.copy()
    new[:, at] = wanted[:, ours]
    new[:, at, :3, :3] *= scales_of(old[:, at])[..., None, :]
    moved = set(names)
    for k, name in enumerate(read.names):
        up = _above(read, name)
        if name not in moved and up >= 0 and read.names[up] in moved:  # what is not ours rides along
            new[:, k] = new[:, up] @ inverse(old[:, up]) @ old[:, k]
            moved.add(name)
    basis = _bases([bones[name] for name in names], new[:, at], new, ups)
    before = np.abs(read.basis[:, at][..., :3, 3]).max(axis=(0, 2))
    far = np.abs(basis[..., :3, 3]).max(axis=(0, 2)) > 1e-6 * read.size()
    loose = ~np.array([bones[name].use_connect for name in names])
    curves.put_bones(
        [arm.pose.bones[name] for name in names], basis,
        moves=loose & (far | (before > 0)), scaled=np.zeros(len(names), bool),
    )  # fmt: skip


def _above(read, name):
    """The number of a bone's parent in a reading; −1 where there is none."""
    up = read.arm.data.bones[name].parent
    return read.index[up.name] if up is not None else -1


def _bases(bones, poses, every, ups):
    """Bones' own transforms (F, n, 4, 4) that put them at ``poses``, below parents ``ups`` of ``every``."""
    rests = np.array([bone.matrix_local for bone in bones], dtype=np.float64)
    above = np.array([bone.parent.matrix_local if bone.parent else np.eye(4) for bone in bones], np.float64)
    parents = every[:, ups].copy()
    parents[:, [up < 0 for up in ups]] = np.eye(4)
    found = inverse(inverse(above) @ rests) @ inverse(parents) @ poses
    for k, bone in enumerate(bones):
        usual = bone.use_inherit_rotation and bone.inherit_scale == "FULL" and bone.use_local_location
        if bone.parent is not None and not usual:
            found[:, k] = [
                bone.convert_local_to_pose(
                    Matrix(p), bone.matrix_local, parent_matrix=Matrix(up),
                    parent_matrix_local=bone.parent.matrix_local, invert=True,
                )
                for p, up in zip(poses[:, k], parents[:, k])
            ]  # fmt: skip
    return found


def _control_goals(read, wanted, ours):
    """Where controls are to be (F, 4, 4), parents first; those of bodies not chosen are left out."""
    goals, bones = {}, read.arm.data.bones
    if not any(control.body in ours for control in read.plan.controls):
        raise PoiseProblem(
            "No control moves the selected bones: select others, or switch 'Selected bones only' off",
            "choice",
        )
    order = {name: k for k, name in enumerate(read.names)}
    for control in sorted(read.plan.controls, key=lambda c: order[c.bone]):
        if control.body not in ours:
            continue
        body = read.plan.bodies[control.body].bone
        old = read.matrices[:, read.index[body]].astype(np.float64)
        if control.manner != "ride":
            rest = inverse(np.array(bones[body].matrix_local)) @ np.array(bones[control.bone].matrix_local)
            goal = wanted[:, control.body] @ rigid(rest)
            goal[:, :3, :3] *= scales_of(old)[:, None, :]
        else:
            own = read.matrices[:, read.index[control.bone]].astype(np.float64)
            goal = wanted[:, control.body] @ inverse(rigid(old)) @ own
        goals[control] = goal
    return goals


def _put_guess(read, curves, goals, now=None, basis=None):
    """Controls as they would have to be if nothing but parents stood between them; their own transforms.

    No frame is evaluated: ``now`` says where ``basis`` had put them, or where they were read.
    """
    if now is None or any(c.bone not in basis for c in goals):
        now, basis = read, {c.bone: read.basis[:, read.index[c.bone]].astype(np.float64) for c in goals}
    return _corrected(read, curves, goals, basis, now)


def _sweeps(read, curves, goals, basis, first, last, most=SWEEPS, near=NEAR, strip=None):
    """Put controls where they are wanted, by what the rig makes of them: evaluated, measured, corrected.

    ``strip`` remembers what was seen.
    """
    scene = bpy.context.scene
    for sweep in range(most):
        now = Reading(read.arm, read.plan, read.frames)
        for k, frame in enumerate(read.frames):
            scene.frame_set(frame)
            now.take(k, pose_only=True)
            if k % 8 == 0:
                yield first + (last - first) * sweep / most, f"Writing controls, pass {sweep + 1}"
        if strip is not None:
            strip.seen = now, basis
        poses = {c: now.matrices[:, now.index[c.bone]].astype(np.float64) for c in goals}
        off = max(float(np.abs(rigid(poses[c])[:, :3] - rigid(goals[c])[:, :3]).max()) for c in goals)
        if off < near * read.size():
            return
        basis = _corrected(read, curves, goals, basis, now)


def _corrected(read, curves, goals, basis, now):
    """Controls' own transforms, put so that they come nearer to their goals; ``now`` says where they are.

    A control's pose is M = A · basis, whatever constraints stand above it in A, so basis ← A⁻¹ · goal; where
    a control above it is moved by D in the same sweep, A ← D A. Rigs with more between take more sweeps.
    """
    arm, found = read.arm, {}
    above = _controls_above(arm, goals)
    poses = {c: now.matrices[:, now.index[c.bone]].astype(np.float64) for c in goals}
    for control, goal in goals.items():
        effective = poses[control] @ inverse(basis[control.bone])
        up = above[control]
        if up is not None:
            effective = goals[up] @ inverse(poses[up]) @ effective
        wanted = inverse(effective) @ goal
        if not arm.data.bones[control.bone].use_local_location:
            missed = goal[:, :3, 3] - poses[control][:, :3, 3]
            wanted[:, :3, 3] = basis[control.bone][:, :3, 3] + _outside(now, control.bone, missed)
        found[control] = wanted
    listed = [arm.pose.bones[control.bone] for control in found]
    keyed = curves.put_bones(
        listed, np.stack([*found.values()], axis=1), moves=[not bone.bone.use_connect for bone in listed],
        scaled=[control.manner != "ride" for control in found],
    )  # fmt: skip
    return {control.bone: keyed[:, k] for k, control in enumerate(found)}


def _outside(now, name, ways):
    """Ways in armature space as locations of a bone whose locations go by its parent's rest axes."""
    above = now.arm.data.bones[name].parent
    if above is None:
        return ways
    turned = rigid(now.matrices[:, now.index[above.name]]) @ inverse(rigid(above.matrix_local))
    return np.einsum("fji,fj->fi", turned[:, :3, :3], ways)


def _controls_above(arm, goals):
    by_bone, found = {c.bone: c for c in goals}, {}
    for control in goals:
        up = arm.data.bones[control.bone].parent
        while up is not None and up.name not in by_bone:
            up = up.parent
        found[control] = by_bone[up.name] if up is not None else None
    return found


def _measured(read, wanted, ours):
    """How far bodies are off where they were wanted [m], at some frames, by Blender's own evaluation."""
    scene = bpy.context.scene
    now = Reading(read.arm, read.plan, read.frames[:1])
    bodies = now.bodies
    worst = 0.0
    for k in np.unique(np.linspace(0, len(read.frames) - 1, 5).round().astype(int)):
        scene.frame_set(read.frames[k])
        now.take(0)
        away = now.matrices[0, bodies, :3, 3][ours] - wanted[k, ours, :3, 3]
        scale = uniform_scale(read.object[k]) or 1.0
        worst = max(worst, float(np.linalg.norm(away, axis=1).max()) * scale * read.unit)
    return worst
