# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the panel's lists: targets, and tensions of parts."""

from . import blender, scenery, work
from .client import PoiseProblem
from .wishes import say


def _keyed(owner, bone=""):
    """Frames at which an object, or one of its bones, is keyed."""
    about = f'pose.bones["{bone}"]' if bone else ""
    curves = [c for c in scenery.curves_of(owner) if c.data_path.startswith(about)]
    return sorted({round(point.co[0]) for curve in curves for point in curve.keyframe_points})


def _picked(context, arm):
    """The selected object that a target is put at: an empty, else any but the figure's own; or None."""
    others = [item for item in context.selected_objects if item != arm and not _worn_by(item, arm)]
    return next((item for item in others if item.type == "EMPTY"), others[0] if others else None)


def _worn_by(item, arm):
    """Whether an object goes along with an armature: its skin, or what hangs on it."""
    skins = any(m.type == "ARMATURE" and m.object == arm for m in item.modifiers)
    return skins or (item.parent is not None and (item.parent == arm or _worn_by(item.parent, arm)))


def classes(bpy, state):
    """The operators."""
    p = bpy.props

    class POISE_OT_target_add(bpy.types.Operator):
        """Let the active bone be where a selected object is, or at a new empty where the bone is now"""

        bl_idname, bl_label, bl_options = "poise.target_add", "Add target", {"REGISTER", "UNDO"}
        bone: p.StringProperty(name="Bone", description="Empty: the active bone", options={"SKIP_SAVE"})
        place: p.StringProperty(
            name="Place",
            description="Name of an object; empty: a selected one, or a new empty",
            options={"SKIP_SAVE"},
        )
        times: p.EnumProperty(
            name="When",
            items=[
                ("CURRENT", "This frame", "At the frame that is shown"),
                ("MARKERS", "Markers", "At the selected markers of the time line"),
                ("KEYS", "Keys", "Where the place itself is keyed; as animated: where the bone is"),
            ],
        )
        place_bone: p.StringProperty(
            name="Bone of the place", description="If the place is an armature", options={"SKIP_SAVE"}
        )
        own: p.BoolProperty(
            name="As animated", description="Where the animation has it then", options={"SKIP_SAVE"}
        )

        def execute(self, context):
            scene, arm = context.scene, context.object
            try:
                plan = blender.plan_for(arm)
                active = context.active_pose_bone or (
                    arm.data.bones.active and arm.pose.bones[arm.data.bones.active.name]
                )
                name = self.bone or (active.name if active is not None else "")
                if not name:
                    raise PoiseProblem("No bone is active: choose one in pose mode", "choice")
                body = work.body_for(plan, name)
            except PoiseProblem as problem:
                say(context, str(problem), problem=True)
                self.report({"ERROR"}, str(problem))
                return {"CANCELLED"}
            place = bpy.data.objects.get(self.place) if self.place else None
            if place is None and not self.own:
                place = _picked(context, arm)
            if place is None and not self.own:
                place = bpy.data.objects.new(f"Target {name}", None)
                place.empty_display_size = 0.1
                shown = blender.evaluated(arm)
                place.location = shown.matrix_world @ shown.pose.bones[body.bone].head
                scene.collection.objects.link(place)
            frames = [scene.frame_current]
            if self.times == "MARKERS":
                frames = [m.frame for m in scene.timeline_markers if m.select]
            elif self.times == "KEYS":
                frames = _keyed(arm, name) if self.own else _keyed(place)
            for frame in frames:
                target = scene.poise.targets.add()
                target.bone, target.place, target.frame = name, place, frame
                target.own, target.place_bone = self.own, self.place_bone
            scene.poise.target = len(scene.poise.targets) - 1
            say(
                context,
                f"{len(frames)} targets for {name}"
                if len(frames) != 1
                else f"Target for {name} at frame {frames[0]}",
            )
            return {"FINISHED"}

    class POISE_OT_target_remove(bpy.types.Operator):
        """Take the chosen target off the list; its empty stays"""

        bl_idname, bl_label, bl_options = "poise.target_remove", "Remove target", {"REGISTER", "UNDO"}
        every: p.BoolProperty(name="All", options={"SKIP_SAVE"})

        def execute(self, context):
            settings = context.scene.poise
            if self.every:
                settings.targets.clear()
            elif settings.targets:
                settings.targets.remove(settings.target)
                settings.target = max(0, settings.target - 1)
            return {"FINISHED"}

    class POISE_OT_part_add(bpy.types.Operator):
        """Give the bones of a collection, or the selected ones, a tension of their own"""

        bl_idname, bl_label, bl_options = "poise.part_add", "Add tension", {"REGISTER", "UNDO"}
        collection: p.StringProperty(
            name="Bone collection", description="Empty: the selected bones", options={"SKIP_SAVE"}
        )
        tension: p.StringProperty(name="Tension", default="keyed", options={"SKIP_SAVE"})

        def execute(self, context):
            part = context.scene.poise.parts.add()
            part.collection = self.collection
            if not self.collection:
                chosen = context.selected_pose_bones or []
                part.bones = "\n".join(bone.name for bone in chosen)
            try:
                part.hertz = float(self.tension)
                part.tension = "NUMBER"
            except ValueError:
                part.tension = self.tension
            return {"FINISHED"}

    class POISE_OT_part_remove(bpy.types.Operator):
        """Take a tension off the list"""

        bl_idname, bl_label, bl_options = "poise.part_remove", "Remove tension", {"REGISTER", "UNDO"}
        index: p.IntProperty(options={"SKIP_SAVE"})

        def execute(self, context):
            context.scene.poise.parts.remove(self.index)
            return {"FINISHED"}

    return [POISE_OT_target_add, POISE_OT_target_remove, POISE_OT_part_add, POISE_OT_part_remove]
