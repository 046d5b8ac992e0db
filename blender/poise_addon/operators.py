# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: each starts a job or changes the panel's lists; made for the Blender that is given."""

import contextlib

from . import actions, blender, program, scenery, work
from .client import PoiseProblem
from .job import CANCELLED, FAILED, RUNNING, Job
from .previewing import forget
from .wishes import BEAT, concluded, preferences, say, wish_of


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
        forget()
        try:
            self.done(context, Job(self.begin(context)).finish())
        except PoiseProblem as problem:
            return self.fail(context, problem)
        return {"FINISHED"}

    def invoke(self, context, event):
        if context.window is None:
            return self.execute(context)
        forget()
        try:
            self._job = Job(self.begin(context))
        except PoiseProblem as problem:
            return self.fail(context, problem)
        manager = context.window_manager
        self._timer = manager.event_timer_add(0.05, window=context.window)
        manager.progress_begin(0, 100)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        """Another file is opened, or Blender ends."""
        if self._job is not None:
            with contextlib.suppress(ReferenceError):
                self._job.cancel()

    def modal(self, context, event):
        if event.type == "ESC":
            self._job.cancel()
        elif event.type != "TIMER":
            return (
                {"PASS_THROUGH"} if event.type in ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE") else {"RUNNING_MODAL"}
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


def classes(bpy, state):
    """The operators."""
    p = bpy.props

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

    class POISE_OT_beats(Working, bpy.types.Operator):
        """Mark the beats of the sequencer's sound on the time line: targets can be put at markers"""

        bl_idname, bl_label, bl_options = "poise.beats", "Beats of the sound", {"REGISTER", "UNDO"}

        def begin(self, context):
            self._sound = scenery.sound_of(context.scene)
            if self._sound is None:
                raise PoiseProblem("There is no sound in the sequencer: add one there", "choice")
            return work.listening(self._sound.path, preferences(context, state).program)

        def done(self, context, result):
            scene = context.scene
            rate = scene.render.fps / scene.render.fps_base
            for marker in [m for m in scene.timeline_markers if m.name.startswith(BEAT)]:
                scene.timeline_markers.remove(marker)
            frames = [round(self._sound.begin + float(seconds) * rate) for seconds in result]
            frames = [frame for frame in frames if self._sound.first <= frame < self._sound.last]
            for number, frame in enumerate(frames, 1):
                scene.timeline_markers.new(f"{BEAT} {number}", frame=frame).select = True
            say(context, f"{len(frames)} beats marked" if frames else "No beats are heard in this sound")

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

    class POISE_OT_go(bpy.types.Operator):
        """Show this frame"""

        bl_idname, bl_label, bl_options = "poise.go", "Go to frame", {"REGISTER"}
        frame: p.IntProperty(options={"SKIP_SAVE"})

        def execute(self, context):
            context.scene.frame_set(self.frame)
            return {"FINISHED"}

    class POISE_OT_remove(bpy.types.Operator):
        """Remove what Poise made for this armature: its tracks, actions, worn meshes and markers"""

        bl_idname, bl_label, bl_options = "poise.remove", "Remove results", {"REGISTER", "UNDO"}

        def execute(self, context):
            forget()
            arm = context.object
            if arm is not None:
                actions.drop_all(arm)
                scenery.drop_worn(arm)
                context.scene.frame_set(context.scene.frame_current, subframe=context.scene.frame_subframe)
            markers = context.scene.timeline_markers
            for marker in [m for m in markers if m.name.startswith(blender.PREFIX)]:
                markers.remove(marker)
            say(context, "Removed what Poise had made; your own animation is as it was")
            return {"FINISHED"}

    return [POISE_OT_run, POISE_OT_beats, POISE_OT_connect, POISE_OT_go, POISE_OT_remove]
