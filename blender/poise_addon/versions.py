# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Blenders differ, and nowhere else: actions are lists of curves up to 4.3, and have slots from 4.4 on.

What is asked is whether a Blender has a thing, not which number it bears.
"""


def new_slot(action, name):
    """A slot for an object in a new action; None where Blender has no slots (before 4.4)."""
    return action.slots.new("OBJECT", name) if hasattr(action, "slots") else None


def slot_of(owner):
    """The slot that an object's animation data, or a strip, plays; None where there is none."""
    return getattr(owner, "action_slot", None)


def set_slot(owner, slot):
    """Let animation data, or a strip, play a slot: an empty one plays nothing, and says nothing."""
    if slot is not None:
        owner.action_slot = slot


def new_bag(action, slot):
    """What holds the curves of a new action."""
    if slot is None:
        return action
    return action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)


def new_curve(bag, path, index, group):
    """A new curve, in the group of its bone."""
    curves = bag.fcurves
    if hasattr(curves, "ensure"):  # 5.0
        return curves.ensure(path, index=index, group_name=group)
    if not hasattr(bag, "slot"):  # before 4.4
        return curves.new(path, index=index, action_group=group)
    curve = curves.new(path, index=index)
    curve.group = bag.groups.get(group) or bag.groups.new(group)
    return curve


def curves_of(action, slot):
    """The curves that an action has for a slot."""
    if not hasattr(action, "layers"):
        return list(action.fcurves)
    bags = [strip.channelbag(slot) for layer in action.layers for strip in layer.strips] if slot else []
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]


def is_selected(pose_bone):
    """Whether a bone is selected in pose mode: kept with the pose from 5.0 on, with the bone before."""
    return pose_bone.select if hasattr(pose_bone, "select") else pose_bone.bone.select


def sequence(editor):
    """The strips of the sequencer: renamed in 4.4."""
    return editor.strips if hasattr(editor, "strips") else editor.sequences


def heard(strip):
    """From which frame to which a strip plays: renamed after 5.0."""
    if hasattr(strip, "frame_final_start"):
        return float(strip.frame_final_start), float(strip.frame_final_end)
    return float(strip.left_handle), float(strip.right_handle)
