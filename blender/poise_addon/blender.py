# SPDX-License-Identifier: GPL-3.0-or-later
"""The one module that imports bpy; others get it from here. What an armature is, whether it is fit."""

from fractions import Fraction
from pathlib import Path

import bpy

from .algebra import uniform_scale
from .client import PoiseProblem
from .controls import with_controls
from .rigs import Bone, NoFigureError, plan_of

PREFIX = "Poise "
"""Tracks, actions, markers and texts that are ours begin with it."""


def frame_rate(scene):
    """Frames per second as an exact fraction, in text: 24, 30000/1001."""
    base = Fraction(scene.render.fps_base).limit_denominator(10_000)
    if abs(float(base) - scene.render.fps_base) > 1e-5 * scene.render.fps_base:
        base = Fraction(scene.render.fps_base)
    return str(Fraction(scene.render.fps) / base)


def own_folder():
    """A folder of the user's for this extension alone, made where there is none; None where it cannot be."""
    try:
        found = bpy.utils.extension_path_user(__package__, create=True)
    except ValueError:  # not installed as an extension
        found = bpy.utils.user_resource("CONFIG", path="poise", create=True)
    return Path(found) if found else None


def evaluated(thing):
    """A thing as it is shown: with constraints, drivers and NLA."""
    return thing.evaluated_get(bpy.context.evaluated_depsgraph_get())


def bones_of(arm):
    """The bones of an armature as plans are made from, parents first."""
    index = {bone.name: i for i, bone in enumerate(arm.data.bones)}
    listed = []
    for bone in arm.data.bones:
        keys = tuple(arm.pose.bones[bone.name].keys())
        up, ends = index[bone.parent.name] if bone.parent else -1, (bone.head_local, bone.tail_local)
        listed.append(Bone(bone.name, up, bone.use_deform, keys, *map(tuple, ends)))
    return listed


def plan_for(arm):
    """Bodies and controls of an armature; problems in words."""
    if arm is None or arm.type != "ARMATURE":
        raise PoiseProblem("Choose an armature: click on it, so that it is the active object", "choice")
    try:
        plan = plan_of(bones_of(arm))
    except NoFigureError as problem:
        raise PoiseProblem(f"{arm.name}: {problem}", "choice") from None
    return with_controls(bpy, arm, plan) if plan.kind == "plain" else plan


def refuse_unfit(arm):
    """Say what makes an armature unfit, before anything is done."""
    if arm.library is not None and arm.override_library is None:
        raise PoiseProblem(
            f"{arm.name} is linked from another file: make a library override of it first", "choice"
        )
    if uniform_scale(evaluated(arm).matrix_world) is None:
        scale = ", ".join(f"{s:.3g}" for s in evaluated(arm).matrix_world.to_scale())
        raise PoiseProblem(
            f"{arm.name} is scaled differently along its axes, sheared or mirrored ({scale}); bones then "
            "change their length as they turn. Give the object one positive scale for all axes",
            "scale",
        )
    data = arm.animation_data
    if data is not None and data.use_tweak_mode:
        raise PoiseProblem(f"{arm.name} is in tweak mode: leave it (Tab in the NLA editor) first", "choice")
    solo = next((t.name for t in data.nla_tracks if t.is_solo), None) if data is not None else None
    if solo is not None:
        raise PoiseProblem(
            f"The NLA track {solo!r} of {arm.name} plays alone (solo): a new track would not be seen. "
            "Switch its star off first",
            "choice",
        )
    if data is not None and not data.use_nla and len(data.nla_tracks):
        raise PoiseProblem(f"The NLA tracks of {arm.name} are switched off: switch them on first", "choice")


def is_animated(arm):
    """Whether anything moves the armature."""
    data = arm.animation_data
    if data is None:
        return any(pb.constraints for pb in arm.pose.bones)
    actions = [data.action] + [s.action for t in data.nla_tracks if not t.mute for s in t.strips]
    keyed = any(a is not None and a.frame_range[1] > a.frame_range[0] for a in actions)
    return keyed or bool(data.drivers) or any(pb.constraints for pb in arm.pose.bones)
