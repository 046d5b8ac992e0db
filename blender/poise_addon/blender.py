# SPDX-License-Identifier: GPL-3.0-or-later
"""The one module that imports bpy: armatures in, actions on NLA tracks out. Nothing of the user's is changed."""

import json
from fractions import Fraction

import bpy
import numpy as np
from mathutils import Euler, Matrix

from .algebra import built, continuous, matrices_of, rigid, scales_of, turns_of, uniform_scale
from .client import PoiseProblem
from .rigs import Bone, NoFigureError, plan_of

PREFIX = "Poise "
"""Tracks, actions, markers and texts that are ours begin with it."""
PREVIEW = PREFIX + "preview"
NEAR = 2e-6
"""A control is where it is wanted if it is off by less than this part of the figure's size: a few of the steps
of 32-bit matrices."""
SWEEPS = 14
"""Most evaluations of all frames until controls are where they are wanted."""
SLOW = 0.02
"""Seconds between two words on how far reading is."""


# The scene ---------------------------------------------------------------------------------------------


def frame_rate(scene):
    """Frames per second as an exact fraction, in text: 24, 30000/1001."""
    base = Fraction(scene.render.fps_base).limit_denominator(10_000)
    if abs(float(base) - scene.render.fps_base) > 1e-5 * scene.render.fps_base:
        base = Fraction(scene.render.fps_base)
    return str(Fraction(scene.render.fps) / base)


def evaluated(thing):
    """A thing as it is shown: with constraints, drivers and NLA."""
    return thing.evaluated_get(bpy.context.evaluated_depsgraph_get())


def bones_of(arm):
    """The bones of an armature as plans are made from, parents first."""
    index = {bone.name: i for i, bone in enumerate(arm.data.bones)}
    listed = []
    for bone in arm.data.bones:
        keys = tuple(arm.pose.bones[bone.name].keys())
        listed.append(Bone(bone.name, index[bone.parent.name] if bone.parent else -1, bone.use_deform, keys))
    return listed


def plan_for(arm):
    """Bodies and controls of an armature; problems in words."""
    if arm is None or arm.type != "ARMATURE":
        raise PoiseProblem("Choose an armature: click on it, so that it is the active object", "choice")
    try:
        return plan_of(bones_of(arm))
    except NoFigureError as problem:
        raise PoiseProblem(f"{arm.name}: {problem}", "choice") from None


class Reading:
    """An armature's evaluated motion: matrices of bones in armature space, of the object in the world."""

    def __init__(self, arm, plan, frames):
        self.arm, self.plan, self.frames = arm, plan, list(frames)
        bones = arm.data.bones
        wanted = {body.bone for body in plan.bodies} | {control.bone for control in plan.controls}
        for name in list(wanted):
            up = bones[name].parent
            while up is not None and up.name not in wanted:
                wanted.add(up.name)
                up = up.parent
        self.names = [bone.name for bone in bones if bone.name in wanted]
        self.index = {name: k for k, name in enumerate(self.names)}
        self._all = np.array([bones.find(name) for name in self.names])
        count, kept = len(self.frames), len(self.names)
        self.matrices = np.empty((count, kept, 4, 4), np.float32)
        self.basis = np.empty((count, kept, 4, 4), np.float32)
        self.object = np.empty((count, 4, 4))
        self._flat = np.empty(len(bones) * 16, np.float32)
        self.unit = bpy.context.scene.unit_settings.scale_length or 1.0

    def take(self, k, pose_only=False):
        """The frame that is shown, as number k of this reading."""
        shown = evaluated(self.arm)
        bones = shown.pose.bones
        for name, into in (("matrix", self.matrices), ("matrix_basis", self.basis)):
            if pose_only and name != "matrix":
                continue
            bones.foreach_get(name, self._flat)
            into[k] = self._flat.reshape(-1, 4, 4).transpose(0, 2, 1)[self._all]
        if not pose_only:
            self.object[k] = shown.matrix_world

    @property
    def bodies(self):
        """Numbers of the bodies' bones."""
        return [self.index[body.bone] for body in self.plan.bodies]

    def world(self):
        """Positions (F, n, 3) [m] and quaternions (F, n, 4) of bodies in the world."""
        found = self.object[:, None] @ self.matrices[:, self.bodies].astype(np.float64)
        return found[..., :3, 3] * self.unit, continuous(turns_of(found[..., :3, :3]))

    def _level(self):
        """The object at rest, without its heading, above the origin (4, 4)."""
        first = self.object[0]
        yaw = np.arctan2(first[1, 0], first[0, 0])
        level = built(np.zeros(3), matrices_of([np.cos(yaw / 2), 0, 0, -np.sin(yaw / 2)])) @ first
        level[:2, 3] = 0.0
        return level

    def at_rest(self, places):
        """World places [m] (…, 3) around the armature as places around the figure at rest."""
        there = self._level() @ np.linalg.inv(self.object[0])
        return (np.asarray(places) / self.unit @ there[:3, :3].T + there[:3, 3]) * self.unit

    def rest(self):
        """The same at rest, without the object's heading; and tails of the bodies that have tips."""
        level = self._level()
        bones = [self.arm.data.bones[body.bone] for body in self.plan.bodies]
        found = level @ np.array([bone.matrix_local for bone in bones], dtype=np.float64)
        tips = [level @ [*bone.tail_local, 1.0] for bone, body in zip(bones, self.plan.bodies) if body.tip]
        return found[:, :3, 3] * self.unit, turns_of(found[:, :3, :3]), np.array(tips).reshape(-1, 4)[:, :3] * self.unit

    def in_armature(self, positions, rotations):
        """World positions and quaternions of bodies as matrices in armature space, without scale."""
        scale = np.array([uniform_scale(m) for m in self.object])[:, None, None]
        turned = matrices_of(turns_of(self.object[:, :3, :3]))[:, None]
        away = np.asarray(positions) / self.unit - self.object[:, None, :3, 3]
        places = np.einsum("foji,fnj->fni", turned, away) / scale
        return built(places, np.swapaxes(turned, -1, -2) @ matrices_of(rotations))

    def messages(self, name, character, loop=False):
        """The requests by which Poise gets to know figure and motion."""
        positions, rotations = self.world()
        rest, turns, tips = self.rest()
        bodies = self.plan.bodies
        who = {
            "ask": "character", "name": character, "bones": [b.name for b in bodies],
            "parents": [b.parent for b in bodies], "tips": [b.name for b in bodies if b.tip],
            "rigid": self.plan.rigid,
        }  # fmt: skip
        moves = {
            "ask": "clip", "name": name, "character": character,
            "rate": frame_rate(bpy.context.scene), "loop": loop,
        }  # fmt: skip
        return (
            (who, {"rest_positions": rest, "rest_rotations": turns, "tips": tips}),
            (moves, {"positions": positions, "rotations": rotations}),
        )

    def size(self):
        """The longest side of the box around the bones at rest, in the armature's own unit."""
        heads = [bone.head_local for bone in self.arm.data.bones]
        return float(np.ptp(np.array(heads), axis=0).max()) or 1.0


def refuse_unfit(arm):
    """Say what makes an armature unfit, before anything is done."""
    if arm.library is not None and arm.override_library is None:
        raise PoiseProblem(f"{arm.name} is linked from another file: make a library override of it first", "choice")
    if uniform_scale(evaluated(arm).matrix_world) is None:
        scale = ", ".join(f"{s:.3g}" for s in evaluated(arm).matrix_world.to_scale())
        raise PoiseProblem(
            f"{arm.name} is scaled differently along its axes, sheared or mirrored ({scale}); bones then change "
            "their length as they turn. Give the object one positive scale for all axes",
            "scale",
        )
    data = arm.animation_data
    if data is not None and data.use_tweak_mode:
        raise PoiseProblem(f"{arm.name} is in tweak mode: leave it (Tab in the NLA editor) first", "choice")
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


def reading(arm, plan, frames, first=0.0, last=1.0):
    """Work that reads the evaluated motion at frames; the scene's frame is put back."""
    scene = bpy.context.scene
    found, shown = Reading(arm, plan, frames), (scene.frame_current, scene.frame_subframe)
    try:
        for k, frame in enumerate(found.frames):
            scene.frame_set(frame)
            found.take(k)
            yield first + (last - first) * k / len(found.frames), f"Reading frame {frame}"
    finally:
        scene.frame_set(shown[0], subframe=shown[1])
    for k in range(len(found.frames)):
        if uniform_scale(found.object[k]) is None:
            raise PoiseProblem(f"{arm.name} has no single scale at frame {found.frames[k]}", "scale")
    if not np.isfinite(found.matrices).all():
        raise PoiseProblem(f"{arm.name} has bones that are nowhere (not a number): look at its constraints", "choice")
    return found


# Actions -----------------------------------------------------------------------------------------------


class Curves:
    """The curves of a new action, in any Blender from 4.2 on."""

    def __init__(self, arm, name, frames):
        self.action = bpy.data.actions.new(name)
        self.frames, self.slot, self._made = np.asarray(frames, np.float32), None, {}
        if hasattr(self.action, "slots"):
            self.slot = self.action.slots.new("OBJECT", arm.name)
            from bpy_extras import anim_utils

            if hasattr(anim_utils, "action_ensure_channelbag_for_slot"):
                self._bag = anim_utils.action_ensure_channelbag_for_slot(self.action, self.slot)
            else:
                strip = self.action.layers.new("Layer").strips.new(type="KEYFRAME")
                self._bag = strip.channelbag(self.slot, ensure=True)
        else:
            self._bag = self.action

    def put(self, path, index, values, group):
        """One number over frames; the same curve again, if it is there."""
        curve = self._made.get((path, index))
        count = len(self.frames)
        if curve is None:
            curves = self._bag.fcurves
            if self.slot is None:
                curve = curves.new(path, index=index, action_group=group)
            elif hasattr(curves, "ensure"):
                curve = curves.ensure(path, index=index, group_name=group)
            else:
                curve = curves.new(path, index=index)
            self._made[path, index] = curve
            curve.keyframe_points.add(count)
            curve.keyframe_points.foreach_set("interpolation", np.ones(count, np.int32))  # straight lines
        both = np.empty((count, 2), np.float32)
        both[:, 0], both[:, 1] = self.frames, values
        curve.keyframe_points.foreach_set("co", both.ravel())
        curve.update()

    def put_bone(self, pose_bone, basis, *, moves, scaled=False):
        """A bone's own transform (F, 4, 4) in its own manner of rotation; what then is keyed, as matrices."""
        base = f'pose.bones["{bpy.utils.escape_identifier(pose_bone.name)}"].'
        places, rotations = basis[:, :3, 3], matrices_of(turns_of(basis[:, :3, :3]))
        scales = scales_of(basis) if scaled else np.ones((len(basis), 3))
        group = pose_bone.name
        if moves:
            for k in range(3):
                self.put(base + "location", k, places[:, k], group)
        if scaled and ((base + "scale", 0) in self._made or np.abs(scales - 1.0).max() > 1e-6):
            for k in range(3):
                self.put(base + "scale", k, scales[:, k], group)
        mode = pose_bone.rotation_mode
        if mode == "QUATERNION":
            path, values = "rotation_quaternion", continuous(turns_of(rotations))
        elif mode == "AXIS_ANGLE":
            turns = continuous(turns_of(rotations))
            half = np.arctan2(np.linalg.norm(turns[:, 1:], axis=1), turns[:, 0])
            axis = turns[:, 1:] / np.maximum(np.sin(half), 1e-12)[:, None]
            path, values = "rotation_axis_angle", np.c_[2 * half, axis]
        else:
            path, values, last = "rotation_euler", np.empty((len(basis), 3)), Euler((0, 0, 0), mode)
            for f, matrix in enumerate(rotations):
                last = Matrix(matrix).to_euler(mode, last)
                values[f] = last
        for k in range(values.shape[1]):
            self.put(base + path, k, values[:, k], group)
        places = places if moves else np.zeros_like(places)
        return built(places, rotations, scales)

    def keep_before(self, arm):
        """Note in the action what its channels are set to now: what nobody else keys would stay as we left it."""
        older = [_before(s.action) for t in own_tracks(arm) for s in t.strips if s.action not in (None, self.action)]
        found = {}
        for path, index in self._made:
            key = f"{path}|{index}"
            told = next((b[key] for b in older if key in b), None)
            found[key] = told if told is not None else _get(arm, path, index)
        self.action["poise_before"] = json.dumps(found)

    def remove(self):
        """Take the action away again."""
        bpy.data.actions.remove(self.action)


def _before(action):
    """What channels were set to before an action of ours was there."""
    return json.loads(action.get("poise_before", "{}"))


def _owner(arm, path):
    """Whose property a path names, and the property."""
    if path.endswith('"]') and path.rpartition('["')[0].endswith("]"):
        home, _, key = path.rpartition('["')
        return arm.path_resolve(home), bpy.utils.unescape_identifier(key[:-2]), True
    home, _, name = path.rpartition(".")
    return arm.path_resolve(home), name, False


def _get(arm, path, index):
    owner, name, custom = _owner(arm, path)
    value = owner[name] if custom else getattr(owner, name)
    return value if isinstance(value, (int, float)) else value[index]


def restore(arm, before):
    """Set channels back to what they were before ours; those that are animated are evaluated again anyway."""
    for key, value in before.items():
        path, _, index = key.rpartition("|")
        try:
            owner, name, custom = _owner(arm, path)
        except ValueError:
            continue  # the bone is gone
        if custom:
            owner[name] = value
        elif isinstance(getattr(owner, name), (int, float)):
            setattr(owner, name, value)
        else:
            getattr(owner, name)[int(index)] = value


class Strip:
    """Our action on a track of its own above all others; what had to be moved for it can be moved back."""

    def __init__(self, arm, curves, name, *, hold=True, blend=(0, 0)):
        self.arm, self.curves = arm, curves
        curves.keep_before(arm)
        had = arm.animation_data is not None
        data = arm.animation_data_create()
        self._had, self._pushed = had, None
        self.user_action = data.action
        self._user_slot = getattr(data, "action_slot", None)
        if data.action is not None:
            self._pushed = _pushed_down(data)
        self.track = data.nla_tracks.new()
        self.track.name = name
        first, last = float(curves.frames[0]), float(curves.frames[-1])
        strip = self.track.strips.new(name, int(first), curves.action)
        if curves.slot is not None:
            strip.action_slot = curves.slot
        strip.action_frame_start, strip.action_frame_end = first, max(last, first + 1)
        strip.frame_start, strip.frame_end = first, max(last, first + 1)
        strip.blend_type, strip.use_auto_blend = "REPLACE", False
        strip.extrapolation = "HOLD" if hold else "NOTHING"
        strip.blend_in, strip.blend_out = blend
        self.strip = strip

    def remove(self):
        """As if it had never been there."""
        data, before = self.arm.animation_data, _before(self.curves.action)
        data.nla_tracks.remove(self.track)
        if self._pushed is not None:
            data.nla_tracks.remove(self._pushed)
            data.action = self.user_action
            if self._user_slot is not None:
                data.action_slot = self._user_slot
        self.curves.remove()
        restore(self.arm, before)
        if not self._had and not data.nla_tracks and data.action is None:
            self.arm.animation_data_clear()


def _pushed_down(data):
    """The active action on a track of its own, where it plays on below ours; the track."""
    action, slot, scene = data.action, getattr(data, "action_slot", None), bpy.context.scene
    track = data.nla_tracks.new()
    track.name = action.name
    first, last = action.frame_range
    low, high = min(first, scene.frame_start), max(last, scene.frame_end, first + 1)
    strip = track.strips.new(action.name, int(np.floor(low)), action)
    if slot is not None:
        strip.action_slot = slot
    strip.action_frame_start, strip.action_frame_end = low, high  # cycles and slopes beyond its keys play on
    strip.frame_start, strip.frame_end = low, high
    strip.blend_type, strip.extrapolation = "REPLACE", "HOLD"
    data.action = None
    return track


def own_tracks(arm):
    """Tracks that Poise made, lowest first."""
    data = arm.animation_data
    return [t for t in data.nla_tracks if t.name.startswith(PREFIX)] if data is not None else []


def drop_track(arm, track):
    """Remove one of our tracks and the action that only it used."""
    actions = [strip.action for strip in track.strips if strip.action is not None]
    arm.animation_data.nla_tracks.remove(track)
    for action in actions:
        restore(arm, _before(action))
        if action.users == 0:
            bpy.data.actions.remove(action)


# Writing -----------------------------------------------------------------------------------------------


def writing(
    read, positions, rotations, name, *, chosen=None, hold=True, blend=(0, 0), checked=True, first=0.0, last=1.0
):
    """Work that writes bodies' world positions and quaternions as a strip; the strip and how far it is off [m]."""
    arm, plan = read.arm, read.plan
    wanted = read.in_armature(positions, rotations)  # (F, n, 4, 4)
    curves = Curves(arm, name, read.frames)
    ours = [k for k, body in enumerate(plan.bodies) if chosen is None or body.name in chosen]
    strip = None
    scene = bpy.context.scene
    shown = scene.frame_current, scene.frame_subframe
    try:
        yield first, "Writing"
        if plan.controls:
            _put_switches(plan, curves)
            goals = _control_goals(read, wanted, set(ours))
            basis = {c.bone: read.basis[:, read.index[c.bone]].astype(np.float64) for c in goals}
            for control in goals:
                basis[control.bone] = _put_control(arm, curves, control, basis[control.bone])
            strip = Strip(arm, curves, name, hold=hold, blend=blend)
            yield from _sweeps(read, curves, goals, basis, first, last)
        else:
            _put_plain(read, wanted, ours, curves)
            _still_constraints(arm, {plan.bodies[k].bone for k in ours}, curves)
            strip = Strip(arm, curves, name, hold=hold, blend=blend)
        off = _measured(read, wanted, ours) if checked else 0.0
        return strip, off
    except BaseException:
        strip.remove() if strip is not None else curves.remove()
        raise
    finally:
        scene.frame_set(shown[0], subframe=shown[1])


def _put_plain(read, wanted, ours, curves):
    """Bodies' bones themselves: basis = (rest in parent)⁻¹ · (parent⁻¹ · bone)."""
    arm, bones = read.arm, read.arm.data.bones
    body_of = {read.plan.bodies[k].bone: k for k in ours}
    old = {name: read.matrices[:, k].astype(np.float64) for name, k in read.index.items()}
    new, moved = {}, set()
    for name in read.names:
        up = bones[name].parent
        up = up.name if up is not None else None
        if name in body_of:
            new[name] = wanted[:, body_of[name]].copy()
            new[name][:, :3, :3] *= scales_of(old[name])[:, None, :]
            moved.add(name)
        elif up in moved:
            new[name] = new[up] @ np.linalg.inv(old[up]) @ old[name]
            moved.add(name)
        else:
            new[name] = old[name]
    for name in body_of:
        bone, above = bones[name], bones[name].parent
        basis = _basis(bone, new[name], new[above.name] if above is not None else None)
        before = np.abs(read.basis[:, read.index[name], :3, 3]).max()
        far = np.abs(basis[:, :3, 3]).max() > 1e-6 * read.size() or before > 0
        curves.put_bone(arm.pose.bones[name], basis, moves=not bone.use_connect and bool(far))


def _basis(bone, pose, parent):
    """A bone's own transform (F, 4, 4) that puts it at ``pose``, below a parent's pose (F, 4, 4) or None."""
    usual = bone.use_inherit_rotation and bone.inherit_scale == "FULL" and bone.use_local_location
    rest = np.array(bone.matrix_local, dtype=np.float64)
    if parent is None:
        return np.linalg.inv(rest) @ pose
    above = np.array(bone.parent.matrix_local, dtype=np.float64)
    if usual:
        return np.linalg.inv(np.linalg.inv(above) @ rest) @ np.linalg.inv(parent) @ pose
    found = [
        bone.convert_local_to_pose(
            Matrix(p), bone.matrix_local, parent_matrix=Matrix(up), parent_matrix_local=bone.parent.matrix_local,
            invert=True,
        )
        for p, up in zip(pose, parent)
    ]  # fmt: skip
    return np.array(found, dtype=np.float64)


def _still_constraints(arm, names, curves):
    """Constraints that would move these bones have no influence while our action plays."""
    for pose_bone in arm.pose.bones:
        for constraint in pose_bone.constraints:
            if constraint.mute or constraint.influence == 0.0:
                continue
            line, count = {pose_bone.name}, getattr(constraint, "chain_count", 1)
            if constraint.type in ("IK", "SPLINE_IK"):
                up, left = pose_bone.parent, (count or 10_000) - 1
                while up is not None and left > 0:
                    line.add(up.name)
                    up, left = up.parent, left - 1
            if line & names:
                path = (
                    f'pose.bones["{bpy.utils.escape_identifier(pose_bone.name)}"]'
                    f'.constraints["{bpy.utils.escape_identifier(constraint.name)}"].influence'
                )
                curves.put(path, 0, np.zeros(len(curves.frames)), pose_bone.name)


def _put_switches(plan, curves):
    for switch in plan.switches:
        path = (
            f'pose.bones["{bpy.utils.escape_identifier(switch.bone)}"]'
            f'["{bpy.utils.escape_identifier(switch.property)}"]'
        )
        curves.put(path, 0, np.full(len(curves.frames), switch.value), switch.bone)


def _control_goals(read, wanted, ours):
    """Where controls are to be (F, 4, 4), by control, parents first; those of bodies not chosen are left out."""
    goals, bones = {}, read.arm.data.bones
    order = {name: k for k, name in enumerate(read.names)}
    for control in sorted(read.plan.controls, key=lambda c: order[c.bone]):
        if control.body not in ours:
            continue
        body = read.plan.bodies[control.body].bone
        old = read.matrices[:, read.index[body]].astype(np.float64)
        if control.manner == "snap":
            rest = np.linalg.inv(np.array(bones[body].matrix_local)) @ np.array(bones[control.bone].matrix_local)
            goal = wanted[:, control.body] @ rigid(rest)
            goal[:, :3, :3] *= scales_of(old)[:, None, :]
        else:
            own = read.matrices[:, read.index[control.bone]].astype(np.float64)
            goal = wanted[:, control.body] @ np.linalg.inv(rigid(old)) @ own
        goals[control] = goal
    return goals


def _put_control(arm, curves, control, basis):
    pose_bone = arm.pose.bones[control.bone]
    scaled = control.manner == "snap"
    return curves.put_bone(pose_bone, basis, moves=not pose_bone.bone.use_connect, scaled=scaled)


def _sweeps(read, curves, goals, basis, first, last):
    """Put controls where they are wanted, by what the rig itself makes of them: evaluated, measured, corrected.

    A control's pose is M = A · basis, whatever constraints stand above it in A, so basis ← A⁻¹ · goal; where a
    control above it is moved by D in the same sweep, A ← D A.  Rigs with more between them take more sweeps.
    """
    arm, scene = read.arm, bpy.context.scene
    near = NEAR * read.size()
    now = Reading(arm, read.plan, read.frames)
    above = _controls_above(arm, goals)
    for sweep in range(SWEEPS):
        for k, frame in enumerate(read.frames):
            scene.frame_set(frame)
            now.take(k, pose_only=True)
            if k % 8 == 0:
                yield first + (last - first) * sweep / SWEEPS, f"Writing controls, pass {sweep + 1}"
        poses = {c: now.matrices[:, now.index[c.bone]].astype(np.float64) for c in goals}
        off = max(float(np.abs(rigid(poses[c])[:, :3] - rigid(goals[c])[:, :3]).max()) for c in goals)
        if off < near:
            return
        for control, goal in goals.items():
            effective = poses[control] @ np.linalg.inv(basis[control.bone])
            up = above[control]
            if up is not None:
                effective = goals[up] @ np.linalg.inv(poses[up]) @ effective
            wanted = np.linalg.inv(effective) @ goal
            basis[control.bone] = _put_control(arm, curves, control, wanted)


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
    scene, bodies = bpy.context.scene, read.bodies
    now = Reading(read.arm, read.plan, read.frames[:1])
    worst = 0.0
    for k in np.unique(np.linspace(0, len(read.frames) - 1, 5).round().astype(int)):
        scene.frame_set(read.frames[k])
        now.take(0)
        away = now.matrices[0, bodies, :3, 3][ours] - wanted[k, ours, :3, 3]
        scale = uniform_scale(read.object[k]) or 1.0
        worst = max(worst, float(np.linalg.norm(away, axis=1).max()) * scale * read.unit)
    return worst


# What else is in the scene -----------------------------------------------------------------------------


def mesh_surfaces(objects):
    """Surfaces of mesh objects as an option's data, and the arrays it names; as they are shown now, in metres."""
    surfaces, arrays = [], {}
    unit = bpy.context.scene.unit_settings.scale_length or 1.0
    for number, item in enumerate(objects):
        shown = evaluated(item)
        mesh = shown.to_mesh()
        mesh.calc_loop_triangles()
        vertices = np.empty(len(mesh.vertices) * 3, np.float32)
        mesh.vertices.foreach_get("co", vertices)
        triangles = np.empty(len(mesh.loop_triangles) * 3, np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        shown.to_mesh_clear()
        matrix = np.array(shown.matrix_world, dtype=np.float64)
        if not len(triangles):
            continue
        places = vertices.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
        arrays[f"vertices {number}"], arrays[f"triangles {number}"] = places * unit, triangles.reshape(-1, 3)
        shape = {
            "kind": "mesh", "vertices": {"array": f"vertices {number}"}, "triangles": {"array": f"triangles {number}"},
        }  # fmt: skip
        surfaces.append({"name": item.name, "shape": shape})
    return {"surfaces": surfaces}, arrays


def place_of(item, frame=None):
    """Where an object is in the world [m], at a frame or as it is shown."""
    scene = bpy.context.scene
    unit = scene.unit_settings.scale_length or 1.0
    if frame is None or (item.animation_data is None and not item.constraints and item.parent is None):
        return [unit * x for x in evaluated(item).matrix_world.translation]
    shown = scene.frame_current, scene.frame_subframe
    scene.frame_set(frame)
    place = [unit * x for x in evaluated(item).matrix_world.translation]
    scene.frame_set(shown[0], subframe=shown[1])
    return place


def report_text(title, words):
    """A text block with a report, made anew."""
    name = PREFIX + title
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.clear()
    text.write(words + "\n")
    return text


def worn_mesh(name, vertices, faces, first):
    """A mesh object that moves on its own: one shape key a frame, each shown at its frame."""
    unit = bpy.context.scene.unit_settings.scale_length or 1.0
    places = np.asarray(vertices, np.float32) / unit
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(places[0].tolist(), [], np.asarray(faces).tolist())
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    item.shape_key_add(name="Basis")
    for k in range(len(places)):
        key = item.shape_key_add(name=f"{first + k}", from_mix=False)
        key.data.foreach_set("co", places[k].ravel())
    keys = mesh.shape_keys
    keys.use_relative = False
    times = np.empty(len(keys.key_blocks), np.float32)
    keys.key_blocks.foreach_get("frame", times)
    for k, frame in ((1, first), (len(times) - 1, first + len(places) - 1)):
        keys.eval_time = float(times[k])
        keys.keyframe_insert("eval_time", frame=frame)
    for curve in curves_of(keys):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    return item


def curves_of(owner):
    """Curves of the active action of whatever is animated."""
    data = owner.animation_data
    if data is None or data.action is None:
        return []
    if getattr(data, "action_slot", None) is None:
        return list(data.action.fcurves)
    found = []
    for layer in data.action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(data.action_slot)
            found += list(bag.fcurves) if bag is not None else []
    return found
