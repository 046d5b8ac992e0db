# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of our own on NLA tracks of their own; and taking them away again."""

import copy
import json

import numpy as np
from mathutils import Euler, Matrix

from . import versions
from .algebra import built, continuous, matrices_of, scales_of, turns_of
from .blender import PREFIX, bpy


class Curves:
    """The curves of a new action."""

    def __init__(self, arm, name, frames):
        self.arm, self.action, self._only = arm, bpy.data.actions.new(name), None
        self.frames, self._made = np.asarray(frames, np.float32), {}
        self.slot = versions.new_slot(self.action, arm.name)
        self._bag = versions.new_bag(self.action, self.slot)

    def only(self, k):
        """The same curves, of which only key k is put."""
        part = copy.copy(self)
        part._only, part.frames = k, self.frames[k : k + 1]
        part._all = self.frames
        return part

    def put(self, path, index, values, group):
        """One number over frames; the same curve again, if it is there."""
        if self._only is not None:
            self._put_one(path, index, float(values[0]), group)
            return
        curve = self._made.get((path, index))
        count = len(self.frames)
        if curve is None:
            self._note_before(path, index)
            curve = versions.new_curve(self._bag, path, index, group)
            self._made[path, index] = curve
            curve.keyframe_points.add(count)
            curve.keyframe_points.foreach_set("interpolation", np.ones(count, np.int32))  # straight lines
        both = np.empty((count, 2), np.float32)
        both[:, 0], both[:, 1] = self.frames, values
        curve.keyframe_points.foreach_set("co", both.ravel())

    def _put_one(self, path, index, value, group):
        if (path, index) not in self._made:
            whole, usual = copy.copy(self), 1.0 if path.endswith("scale") else 0.0
            whole._only, whole.frames = None, self._all
            whole.put(path, index, np.full(len(self._all), usual), group)
        self._made[path, index].keyframe_points[self._only].co[1] = value

    def settle(self):
        """Put handles right. Between keys the curves are straight and do without: previews never settle."""
        for curve in self._made.values():
            curve.update()

    def put_bones(self, pose_bones, basis, *, moves, scaled):
        """Bones' own transforms (F, n, 4, 4), each in its own manner of rotation; what then is keyed.

        ``moves`` and ``scaled`` (n) say of which bones also places and scales are keyed.
        """
        places, turns = basis[..., :3, 3], continuous(turns_of(basis[..., :3, :3]))
        scales = np.where(np.asarray(scaled)[:, None], scales_of(basis), 1.0)
        rotations, moves = matrices_of(turns), np.array(moves)
        far = np.abs(scales - 1.0).max(axis=(0, 2)) > 1e-6
        for k, bone in enumerate(pose_bones):
            base = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].'
            moves[k] |= (base + "location", 0) in self._made
            if moves[k]:
                self._put_all(base + "location", places[:, k], bone.name)
            if scaled[k] and (far[k] or (base + "scale", 0) in self._made):
                self._put_all(base + "scale", scales[:, k], bone.name)
            mode = bone.rotation_mode
            path, values = _in_manner(mode, turns[:, k], rotations[:, k])
            self._put_all(base + path, values, bone.name)
        if self._made:
            next(iter(self._made.values())).update()  # tells Blender that the action has changed
        return built(np.where(moves[:, None], places, 0.0), rotations, scales)

    def _put_all(self, path, values, group):
        for k in range(values.shape[1]):
            self.put(path, k, values[:, k], group)

    def keep_before(self, arm):
        """Note in the action what its channels are set to now: what nobody keys would stay as we left it."""
        older = [
            _before(s.action)
            for t in own_tracks(arm)
            for s in t.strips
            if s.action not in (None, self.action)
        ]
        found = {}
        for path, index in self._made:
            key = f"{path}|{index}"
            told = next((b[key] for b in older if key in b), None)
            found[key] = told if told is not None else _get(arm, path, index)
        self.action["poise_before"] = json.dumps(found)

    def _note_before(self, path, index):
        """The same for a channel that comes later."""
        if "poise_before" in self.action:
            value = _get(self.arm, path, index)
            self.action["poise_before"] = json.dumps({f"{path}|{index}": value, **_before(self.action)})

    def remove(self):
        """Take the action away again."""
        bpy.data.actions.remove(self.action)


def _in_manner(mode, turns, rotations):
    """The channel of a manner of rotation, and its numbers, of quaternions (F, 4) and matrices (F, 3, 3)."""
    if mode == "QUATERNION":
        return "rotation_quaternion", turns
    if mode == "AXIS_ANGLE":
        half = np.arctan2(np.linalg.norm(turns[:, 1:], axis=1), turns[:, 0])
        axis = turns[:, 1:] / np.maximum(np.sin(half), 1e-12)[:, None]
        return "rotation_axis_angle", np.c_[2 * half, axis]
    values, last = np.empty((len(rotations), 3)), Euler((0, 0, 0), mode)
    for f, matrix in enumerate(rotations):
        last = Matrix(matrix).to_euler(mode, last)
        values[f] = last
    return "rotation_euler", values


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
        self.arm, self.curves, self.seen = arm, curves, None
        """``seen``: where controls were when all frames were last evaluated (``writing``)."""
        curves.keep_before(arm)
        had = arm.animation_data is not None
        data = arm.animation_data_create()
        self._had, self._pushed = had, None
        self.user_action = data.action
        self._user_slot = versions.slot_of(data)
        if data.action is not None:
            self._pushed = _pushed_down(data)
            curves.action["poise_pushed"] = self._pushed.name
        self.track = data.nla_tracks.new()
        self.track.name = name
        first, last = float(curves.frames[0]), float(curves.frames[-1])
        strip = self.track.strips.new(name, int(first), curves.action)
        versions.set_slot(strip, curves.slot)
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
            versions.set_slot(data, self._user_slot)
        self.curves.remove()
        restore(self.arm, before)
        if not self._had and not data.nla_tracks and data.action is None:
            self.arm.animation_data_clear()


def _pushed_down(data):
    """The active action on a track of its own, where it plays on below ours, blended as it was; the track."""
    action, slot, scene = data.action, versions.slot_of(data), bpy.context.scene
    blends, way, influence = _blends(data), data.action_extrapolation, data.action_influence
    track = data.nla_tracks.new()
    track.name = action.name
    first, last = action.frame_range
    low, high = first, max(last, first + 1)
    # Cycles and slopes beyond its keys play on, as far as it holds.
    if not blends or way == "HOLD":
        low = min(low, scene.frame_start)
    if not blends or way != "NOTHING":
        high = max(high, scene.frame_end)
    strip = track.strips.new(action.name, int(np.floor(low)), action)
    versions.set_slot(strip, slot)
    strip.action_frame_start, strip.action_frame_end = low, high
    strip.frame_start, strip.frame_end = low, high
    strip.blend_type, strip.extrapolation = "REPLACE", "HOLD"
    if blends:
        strip.blend_type, strip.extrapolation = data.action_blend_type, way
        if influence < 1.0:
            strip.influence = influence
            strip.use_animated_influence = True  # else Blender takes it as 1; it keys the value there is
    data.action = None
    return track


def _blends(data):
    """Whether the active action is blended with strips below it; alone, Blender plays it plainly."""
    return any(track.strips and not track.mute for track in data.nla_tracks)


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


def drop_all(arm, name=PREFIX):
    """Remove our tracks, or those called so; the user's action is the active one again, where we had put it
    on a track."""
    pushed = ""
    for track in reversed([t for t in own_tracks(arm) if t.name.startswith(name)]):
        pushed = next((s.action.get("poise_pushed") for s in track.strips if s.action), "") or pushed
        drop_track(arm, track)
    data = arm.animation_data
    track = data.nla_tracks.get(pushed) if data is not None and pushed else None
    if track is not None and data.action is None and len(track.strips) == 1:
        strip = track.strips[0]
        action, slot = strip.action, versions.slot_of(strip)
        manner = strip.blend_type, strip.extrapolation
        influence = strip.influence if strip.use_animated_influence else 1.0
        data.nla_tracks.remove(track)
        data.action = action
        if _blends(data):
            data.action_blend_type, data.action_extrapolation = manner
            data.action_influence = influence
        versions.set_slot(data, slot)
