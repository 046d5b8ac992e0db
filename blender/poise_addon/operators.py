# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: each starts a job or changes the panel's lists; made for the Blender that is given."""

from . import actions, blender, program, scenery, work
from .client import PoiseProblem
from .job import CANCELLED, FAILED, RUNNING, Job
from .live import Live
from .wishes import concluded, preferences, say, wish_of

_live = None


def forget():
    """End what is under way: the extension is going."""
    global _live
    if _live is not None:
        _live.end()
    _live = None


def classes(bpy, state):
    """The operators."""
    p = bpy.props

    class Working:
        """Drives a job: by a timer while there is a window, by a loop where there is none."""

        _job = _timer = None

        def fail(self, context, problem):
            say(context, str(problem), problem=True)
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}

        def begin(self, context):
            raise NotImplementedError

        def done(self, context, result):
            raise NotImplementedError

        def execute(self, context):
            try:
                self.done(context, Job(self.begin(context)).finish())
            except PoiseProblem as problem:
                return self.fail(context, problem)
            return {"FINISHED"}

        def invoke(self, context, event):
            if context.window is None:
                return self.execute(context)
            try:
                self._job = Job(self.begin(context))
            except PoiseProblem as problem:
                return self.fail(context, problem)
            manager = context.window_manager
            self._timer = manager.event_timer_add(0.05, window=context.window)
            manager.progress_begin(0, 100)
            manager.modal_handler_add(self)
            return {"RUNNING_MODAL"}

        def modal(self, context, event):
            if event.type == "ESC":
                self._job.cancel()
            elif event.type != "TIMER":
                return (
                    {"PASS_THROUGH"}
                    if event.type in ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE")
                    else {"RUNNING_MODAL"}
                )
            if self._job.poll() == RUNNING:
                context.window_manager.progress_update(int(100 * self._job.part))
                context.workspace.status_text_set(
                    f"Poise: {self._job.words} ({100 * self._job.part:.0f} %), Esc cancels"
                )
                return {"RUNNING_MODAL"}
            context.window_manager.event_timer_remove(self._timer)
            context.window_manager.progress_end()
            context.workspace.status_text_set(None)
            if self._job.state == CANCELLED:
                say(context, "Cancelled; nothing was changed")
                return {"CANCELLED"}
            if self._job.state == FAILED:
                if not isinstance(self._job.problem, PoiseProblem):
                    raise self._job.problem
                return self.fail(context, self._job.problem)
            self.done(context, self._job.result)
            return {"FINISHED"}

    class POISE_OT_run(Working, bpy.types.Operator):
        """Do this to the armature's motion; the result is an action on an NLA track of its own"""

        bl_idname, bl_label, bl_options = "poise.run", "Run", {"REGISTER", "UNDO"}
        operation: p.StringProperty(
            name="Operation", description="What to do; empty: as the panel says", options={"SKIP_SAVE"}
        )
        options: p.StringProperty(
            name="Options", description="Options in JSON, for scripts", options={"SKIP_SAVE"}
        )

        def begin(self, context):
            self._wish = wish_of(context, state, self.operation, self.options)
            if self._wish.arm is None:
                raise PoiseProblem(
                    "Choose an armature: click on it, so that it is the active object", "choice"
                )
            blender.plan_for(self._wish.arm)
            return work.running(self._wish)

        def done(self, context, result):
            concluded(context, state, self._wish.name, self._wish, result)

    class POISE_OT_connect(bpy.types.Operator):
        """Start Poise and say which version answers"""

        bl_idname, bl_label, bl_options = "poise.connect", "Try the connection", {"REGISTER"}

        def execute(self, context):
            try:
                link = program.link(preferences(context, state).program)
            except PoiseProblem as problem:
                say(context, str(problem), problem=True)
                self.report({"ERROR"}, str(problem))
                return {"CANCELLED"}
            say(context, f"Poise {link.greeting['poise']} answers")
            return {"FINISHED"}

    class POISE_OT_target_add(bpy.types.Operator):
        """Let the active bone be where an empty is: a selected one, or a new one where the bone is now"""

        bl_idname, bl_label, bl_options = "poise.target_add", "Add target", {"REGISTER", "UNDO"}
        bone: p.StringProperty(name="Bone", description="Empty: the active bone", options={"SKIP_SAVE"})
        place: p.StringProperty(
            name="Place",
            description="Name of an object; empty: a selected empty, or a new one",
            options={"SKIP_SAVE"},
        )
        times: p.EnumProperty(
            name="When",
            items=[
                ("CURRENT", "This frame", "At the frame that is shown"),
                ("MARKERS", "Markers", "At the selected markers of the time line"),
                ("KEYS", "Keys", "Where the place itself is keyed"),
            ],
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
            if place is None:
                place = next((item for item in context.selected_objects if item.type == "EMPTY"), None)
            if place is None:
                place = bpy.data.objects.new(f"Target {name}", None)
                place.empty_display_size = 0.1
                shown = blender.evaluated(arm)
                place.location = shown.matrix_world @ shown.pose.bones[body.bone].head
                scene.collection.objects.link(place)
            frames = [scene.frame_current]
            if self.times == "MARKERS":
                frames = [m.frame for m in scene.timeline_markers if m.select]
            elif self.times == "KEYS":
                points = [
                    point.co[0] for curve in scenery.curves_of(place) for point in curve.keyframe_points
                ]
                frames = sorted({round(x) for x in points})
            for frame in frames:
                target = scene.poise.targets.add()
                target.bone, target.place, target.frame = name, place, frame
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

    class POISE_OT_go(bpy.types.Operator):
        """Show this frame"""

        bl_idname, bl_label, bl_options = "poise.go", "Go to frame", {"REGISTER"}
        frame: p.IntProperty(options={"SKIP_SAVE"})

        def execute(self, context):
            context.scene.frame_set(self.frame)
            return {"FINISHED"}

    class POISE_OT_remove(bpy.types.Operator):
        """Remove what Poise made for this armature: its tracks, actions and markers"""

        bl_idname, bl_label, bl_options = "poise.remove", "Remove results", {"REGISTER", "UNDO"}

        def execute(self, context):
            arm = context.object
            if arm is not None:
                actions.drop_all(arm)
                context.scene.frame_set(context.scene.frame_current, subframe=context.scene.frame_subframe)
            markers = context.scene.timeline_markers
            for marker in [m for m in markers if m.name.startswith(blender.PREFIX)]:
                markers.remove(marker)
            say(context, "Removed what Poise had made; your own animation is as it was")
            return {"FINISHED"}

    class POISE_OT_live(bpy.types.Operator):
        """Show the pose of this frame while sliders and targets are dragged; again, or Esc, ends it"""

        bl_idname, bl_label, bl_options = "poise.live", "Live", {"REGISTER"}

        def invoke(self, context, event):
            global _live
            if _live is not None:
                forget()
                return {"FINISHED"}
            try:
                _live = Live(wish_of(context, state))
            except PoiseProblem as problem:
                say(context, str(problem), problem=True)
                return {"CANCELLED"}
            self._timer = context.window_manager.event_timer_add(0.03, window=context.window)
            context.window_manager.modal_handler_add(self)
            return {"RUNNING_MODAL"}

        def modal(self, context, event):
            if _live is None or event.type == "ESC":
                return self.end(context)
            if event.type == "TIMER":
                try:
                    _live.poll(wish_of(context, state), context.scene.frame_current)
                except PoiseProblem as problem:
                    say(context, str(problem), problem=True)
                    if problem.kind in ("gone", "missing"):
                        return self.end(context)
                context.workspace.status_text_set(f"Poise: {_live.words}")
            return {"PASS_THROUGH"}

        def end(self, context):
            forget()
            context.window_manager.event_timer_remove(self._timer)
            context.workspace.status_text_set(None)
            return {"CANCELLED"}

    return [
        POISE_OT_run, POISE_OT_connect, POISE_OT_target_add, POISE_OT_target_remove, POISE_OT_part_add,
        POISE_OT_part_remove, POISE_OT_go, POISE_OT_remove, POISE_OT_live,
    ]  # fmt: skip
