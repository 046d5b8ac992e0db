"""Experiments: control rigs that the extension does not know by name, built here as others build them.

``arp``: as Auto-Rig Pro does, bones that deform copy rotations of FK controls and of an IK chain, by a switch
and its opposite; they stretch and twist. ``mixamo``: as the Mixamo control rig does, the character's own
bones copy transforms of an IK chain and then of FK controls. ``bare``: limbs that know IK alone.
"""

# ruff: noqa: I001  blender_scenes starts Blender, with a folder of its own
from blender_scenes import FOUND, curves_in, install, module, poses, print_of, top, unchanged

import re
from itertools import pairwise

import bpy
import numpy as np

LIMBS = {
    "arm": (("arm", "forearm", "hand"), ((0.17, 0, 1.4), (0.45, 0.02, 1.4), (0.7, 0, 1.4), (0.85, 0, 1.4))),
    "leg": (("thigh", "leg", "foot"), ((0.1, 0, 0.95), (0.1, -0.03, 0.5), (0.1, 0, 0.1), (0.1, -0.15, 0.03))),
}  # fmt: skip
NAMES = {
    "arp": {
        "bone": "{part}.{s}", "fk": "c_{part}_fk.{s}", "ik": "{part}_ik.{s}", "end": "c_{part}_ik.{s}",
        "pole": "c_{part}_pole.{s}", "control": "c_{part}.x", "trunk": "{part}.x",
    },
    "mixamo": {
        "bone": "mixamorig:{S}{Part}", "fk": "Ctrl_{Part}_FK_{S}", "ik": "{Part}_IK_{S}",
        "end": "Ctrl_{Part}_IK_{S}", "pole": "Ctrl_{Part}Pole_IK_{S}", "control": "Ctrl_{Part}",
        "trunk": "mixamorig:{Part}",
    },
}  # fmt: skip
NAMES["bare"] = NAMES["arp"]


class Rig:
    """A rig under construction."""

    def __init__(self, style):
        self.style, self.parts = style, {}
        data = bpy.data.armatures.new("rig")
        self.arm = bpy.data.objects.new("rig", data)
        bpy.context.scene.collection.objects.link(self.arm)
        bpy.context.view_layer.objects.active = self.arm
        self.shape = bpy.data.objects.new("cs_circle", bpy.data.meshes.new("cs_circle"))

    def name(self, kind, part, side=""):
        words = {
            "part": part,
            "Part": part.title(),
            "s": side,
            "S": {"l": "Left", "r": "Right", "": ""}[side],
        }
        return NAMES[self.style][kind].format(**words)

    def bone(self, name, up, head, tail, *, deform=False, roll=0.0):
        self.parts[name] = up, head, tail, deform, roll
        return name

    def build(self):
        bpy.ops.object.mode_set(mode="EDIT")
        for name, (up, head, tail, deform, roll) in self.parts.items():
            bone = self.arm.data.edit_bones.new(name)
            bone.head, bone.tail, bone.roll, bone.use_deform = head, tail, roll, deform
            bone.parent = self.arm.data.edit_bones[up] if up else None
        bpy.ops.object.mode_set(mode="OBJECT")

    def bind(self, name, kind, target, **more):
        bound = self.arm.pose.bones[name].constraints.new(kind)
        bound.target, bound.subtarget = self.arm, target
        for key, value in more.items():
            setattr(bound, key, value)
        return bound

    def drive(self, constraint, owner, expression):
        """Its influence by the switch of a bone."""
        curve = constraint.driver_add("influence")
        variable = curve.driver.variables.new()
        variable.name, variable.targets[0].id = "var", self.arm
        variable.targets[0].data_path = f'pose.bones["{owner}"]["ik_fk_switch"]'
        curve.driver.type, curve.driver.expression = "SCRIPTED", expression


def built(style, frames=36):
    """A rig with its animation: IK legs, FK arms (where there are both), a trunk that moves."""
    rig = Rig(style)
    n, shaped = rig.name, []
    rig.bone("c_traj", "", (0, 0, 0), (0, 0.2, 0))
    up = "c_traj"
    trunk = (("root", 1.0, 1.1), ("spine_01", 1.1, 1.25), ("spine_02", 1.25, 1.45), ("neck", 1.45, 1.55))
    for part, low, high in (*trunk, ("head", 1.55, 1.75)):
        control = rig.bone(n("control", part), up, (0, 0, low), (0, -0.15, low))
        rig.bone(n("trunk", part), control, (0, 0, low), (0, 0, high), deform=True)
        shaped.append(control)
        up = control
    for s, x in (("l", 1), ("r", -1)):
        turn = lambda places: [(x * a, b, c) for a, b, c in places]  # noqa: E731, B023
        top_of = {"arm": n("control", "spine_02"), "leg": n("trunk", "root")}
        for limb, (names, places) in LIMBS.items():
            places = turn(places)
            above = dict.fromkeys(("bone", "fk", "ik"), top_of[limb])
            end = rig.bone(n("end", names[2], s), "c_traj", places[2], places[3], roll=0.4)
            side = np.array((0, -0.4 if limb == "leg" else 0.4, 0))
            pole = rig.bone(n("pole", limb, s), "c_traj", places[1] + side, places[1] + side * 1.2)
            shaped += [end, pole]
            for k, part in enumerate(names):
                ends = places[k : k + 2]
                flesh = style != "arp" or k == 2
                above["bone"] = rig.bone(n("bone", part, s), above["bone"], *ends, deform=flesh)
                if k < 2:
                    above["ik"] = rig.bone(n("ik", part, s), above["ik"], *ends)
                else:  # lies as the bone does, below a control that has another roll
                    rig.bone(n("ik", part, s), end, *ends)
                if style != "bare":
                    roll = 0.3 if k == 2 else 0.0
                    above["fk"] = rig.bone(n("fk", part, s), above["fk"], *ends, roll=roll)
                    shaped.append(above["fk"])
                    if k == 2:
                        rig.bone(f"{part}_fk_follow.{s}", above["fk"], *ends)
                if style == "arp" and k < 2:
                    middle = tuple(np.mean(ends, axis=0))
                    rig.bone(f"{part}_stretch.{s}", above["bone"], middle, ends[1], deform=True)
                    rig.bone(f"{part}_twist.{s}", above["bone"], ends[0], middle, deform=True)
        toes = rig.bone(
            f"c_toes.{s}", n("bone", "foot", s), *turn(((0.1, -0.15, 0.03), (0.1, -0.22, 0.03))), deform=True
        )
        shaped.append(toes)
    rig.build()
    bones = rig.arm.pose.bones
    for name in shaped:
        bones[name].custom_shape = rig.shape
    for s in "lr":
        for limb, (names, _) in LIMBS.items():
            _joined(rig, limb, names, s)
    _animated(rig, frames)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, frames
    return rig


def _joined(rig, limb, names, s):
    """IK chain, FK controls and the switch between them."""
    n, bones = rig.name, rig.arm.pose.bones
    end = n("end", names[2], s)
    pole = {"pole_target": rig.arm, "pole_subtarget": n("pole", limb, s)}
    rig.bind(n("ik", names[1], s), "IK", end, chain_count=2, **pole)
    bones[end]["ik_fk_switch"] = 0.0
    bones[end].id_properties_ui("ik_fk_switch").update(min=0.0, max=1.0)
    kind = "COPY_TRANSFORMS" if rig.style == "mixamo" else "COPY_ROTATION"
    for k, part in enumerate(names):
        own = n("bone", part, s)
        follow = rig.bind(own, kind if k < 2 else "COPY_ROTATION", n("ik", part, s))
        if rig.style != "bare":
            control = n("fk", part, s) if k < 2 else f"{part}_fk_follow.{s}"
            rig.drive(rig.bind(own, kind, control), end, "var")
            if rig.style == "arp":
                rig.drive(follow, end, "1 - var")
    if rig.style == "arp":
        for part, after in pairwise(names):
            rig.bind(f"{part}_stretch.{s}", "STRETCH_TO", n("bone", after, s))


def _animated(rig, frames):
    """It stands on IK feet, bends its knees, turns its trunk and swings its arms, in FK where it can."""
    n, bones = rig.name, rig.arm.pose.bones

    def key(name, path, value, frame):
        setattr(bones[name], path, value)
        bones[name].keyframe_insert(path, frame=frame)

    for s in "lr":
        end = bones[n("end", "hand", s)]
        end["ik_fk_switch"] = 0.0 if rig.style == "bare" else 1.0
        end.keyframe_insert('["ik_fk_switch"]', frame=1)
    for step, frame in enumerate(range(1, frames + 1, 7)):
        way = 1 if step % 2 else -1
        key(n("control", "root"), "location", (0.03 * way, 0.01, -0.06 - 0.03 * (step % 2)), frame)
        key(n("control", "spine_01"), "rotation_quaternion", (1, 0.02, 0.15 * way, 0), frame)
        for s, x in (("l", 1), ("r", -1)):
            if rig.style == "bare":
                key(n("end", "hand", s), "location", (0.05 * way, -0.1, -0.2 + 0.05 * way), frame)
            else:
                key(n("fk", "arm", s), "rotation_quaternion", (1, 0.2 * way, 0, -0.4 * x), frame)
                key(n("fk", "forearm", s), "rotation_quaternion", (1, 0.2 + 0.2 * way, 0, 0), frame)


def _tried(style):
    """Unchanged motion back; loosened on its feet; a hand at a cup, asked of its IK control."""
    rig = built(style)
    arm, n = rig.arm, rig.name
    scene, frames = bpy.context.scene, range(1, bpy.context.scene.frame_end + 1)
    names = [b.name for b in arm.pose.bones]
    before, user, things = poses(arm, frames), print_of(arm), sorted(o.name for o in bpy.data.objects)
    plan = module("blender").plan_for(arm)
    found = {"kind": plan.kind, "unchanged": unchanged(arm, frames)}
    found["switches"] = sorted([s.bone, s.property, float(s.value)] for s in plan.switches)
    found["controls"] = {plan.bodies[c.body].bone: c.bone for c in plan.controls}
    found["snapped"] = {plan.bodies[c.body].bone: c.bone for c in plan.snapped}
    bpy.ops.poise.run(operation="loosen")
    found["loosen"] = scene.poise.message
    loose = poses(arm, frames)
    foot = [names.index(n("bone", "foot", s)) for s in "lr"]
    slides = [
        np.linalg.norm(np.diff(p[..., :3, 3][:, foot], axis=0), axis=-1).max() * 24 for p in (before, loose)
    ]
    found["slid"], found["slides"] = map(float, slides)
    hands = [names.index(n("bone", "hand", s)) for s in "lr"]
    found["loosened"] = float(np.abs(loose - before)[:, hands, :3, 3].max())
    found["seen"] = keyed(top(arm).strips[0].action)
    bpy.ops.poise.remove()
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    cup.location = before[19, hands[1], :3, 3] + [0.02, -0.05, 0.05]
    scene.frame_set(20)
    bpy.context.view_layer.objects.active = arm
    bpy.ops.poise.target_add(bone=n("end", "hand", "r"), place="cup")
    scene.poise.snap_ik = style != "bare"
    bpy.ops.poise.run(operation="hit")
    found["hit"] = scene.poise.message
    after = poses(arm, frames)
    found["reached"] = float(np.abs(after[19, hands[1], :3, 3] - np.array(cup.location)).max())
    ends = [names.index(n("end", "hand", s)) for s in "lr"]
    found["along"] = float(np.abs(after[:, ends, :3, 3] - after[:, hands, :3, 3]).max())
    lengths = [_lengths(rig, names, shown) for shown in (before, loose, after)]
    found["torn"] = float(max(np.abs(each - lengths[0]).max() for each in lengths[1:]))
    bpy.ops.poise.target_remove(every=True)
    bpy.ops.poise.remove()
    bpy.data.objects.remove(cup)
    found["same"] = user == print_of(arm) and things == sorted(o.name for o in bpy.data.objects)
    found["back"] = float(np.abs(poses(arm, frames) - before).max())
    return found


def _lengths(rig, names, shown):
    """Of limbs' bones at every frame [m]."""
    places = shown[..., :3, 3]
    at = lambda part, s: places[:, names.index(rig.name("bone", part, s))]  # noqa: E731
    pairs = [(a, b, s) for (parts, _) in LIMBS.values() for a, b in pairwise(parts) for s in "lr"]
    return np.array([np.linalg.norm(at(a, s) - at(b, s), axis=-1) for a, b, s in pairs])


def keyed(action):
    """Names of bones that an action turns, moves or switches; constraints it stills."""
    paths = {curve.data_path for curve in curves_in(action)}
    bones = {re.match(r'pose\.bones\["(.+?)"\]', path)[1] for path in paths if "constraints" not in path}
    return sorted(bones), sorted(path for path in paths if "constraints" in path)


def control_rigs():
    """Three rigs, one after the other, each in a scene of its own."""
    install()
    for style in ("arp", "mixamo", "bare"):
        bpy.ops.wm.read_homefile(use_empty=True, load_ui=False)
        FOUND[style] = _tried(style)


def limited_controls():
    """Controls that may not turn as far as they are asked to: the bones themselves are keyed instead."""
    install()
    rig = built("arp")
    frames, user = range(1, 37), print_of(rig.arm)
    wanted = poses(rig.arm, frames)
    for s in "lr":
        bound = rig.arm.pose.bones[rig.name("fk", "leg", s)].constraints.new("LIMIT_ROTATION")
        bound.use_limit_x, bound.min_x, bound.max_x, bound.owner_space = True, -0.02, 0.02, "LOCAL"
    user = print_of(rig.arm)
    FOUND["before"] = module("blender").plan_for(rig.arm).kind
    FOUND["unchanged"] = unchanged(rig.arm, frames)
    FOUND["after"] = module("blender").plan_for(rig.arm).kind
    bpy.ops.poise.run(operation="loosen", options='{"tension": {"*": "keyed", "arm.l": "loose"}}')
    FOUND["message"] = bpy.context.scene.poise.message
    FOUND["stilled"] = keyed(top(rig.arm).strips[0].action)[1]
    names = [b.name for b in rig.arm.pose.bones]
    foot = names.index("foot.l")
    FOUND["foot"] = float(np.abs(poses(rig.arm, frames) - wanted)[:, foot, :3, 3].max())
    hand = names.index("hand.l")
    FOUND["hand"] = float(np.abs(poses(rig.arm, frames) - wanted)[:, hand, :3, 3].max())
    FOUND["tracks"] = [t.name for t in rig.arm.animation_data.nla_tracks]
    FOUND["actions"] = sorted(a.name for a in bpy.data.actions)
    bpy.ops.poise.remove()
    FOUND["same"] = user == print_of(rig.arm)


EXPERIMENTS = {each.__name__: each for each in (control_rigs, limited_controls)}
