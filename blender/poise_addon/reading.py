# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature's motion as it is shown, constraints, drivers and NLA included, at any rest, roll and scale."""

import copy

import numpy as np

from .algebra import built, continuous, matrices_of, turns_of, uniform_scales
from .blender import bpy, evaluated, frame_rate
from .client import PoiseProblem


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

    def place(self, bone, k, *, tail=False):
        """Where a bone's head or tail is in the world [m] at frame number k."""
        matrix = self.object[k] @ self.matrices[k, self.index[bone]].astype(np.float64)
        end = (0.0, self.arm.data.bones[bone].length if tail else 0.0, 0.0, 1.0)
        return (self.unit * (matrix @ end)[:3]).tolist()

    def one(self, k):
        """The reading of frame number k alone."""
        part = copy.copy(self)
        part.frames = [self.frames[k]]
        part.matrices, part.basis, part.object = (
            a[k : k + 1] for a in (self.matrices, self.basis, self.object)
        )
        return part

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
        return (
            found[:, :3, 3] * self.unit,
            turns_of(found[:, :3, :3]),
            np.array(tips).reshape(-1, 4)[:, :3] * self.unit,
        )

    def in_armature(self, positions, rotations):
        """World positions and quaternions of bodies as matrices in armature space, without scale."""
        scale = uniform_scales(self.object)[:, None, None]
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
    unfit = np.isnan(uniform_scales(found.object))
    if unfit.any():
        frame = found.frames[int(unfit.argmax())]
        raise PoiseProblem(f"{arm.name} has no single scale at frame {frame}", "scale")
    if not np.isfinite(found.matrices).all():
        raise PoiseProblem(
            f"{arm.name} has bones that are nowhere (not a number): look at its constraints", "choice"
        )
    return found
