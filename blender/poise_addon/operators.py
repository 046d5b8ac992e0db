# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: each starts a job or changes the panel's lists; made for the Blender that is given."""

import contextlib

from . import actions, blender, program, scenery, work
from .client import PoiseProblem
from .job import CANCELLED, FAILED, RUNNING, Job
from .live import PREVIEW, Live
from .wishes import concluded, preferences, say, wish_of

_live = None


def forget():
    """End the preview, where one is under way: its pose would be read as animation, its answers be lost."""
    global _live
    ended, _live = _live, None
    if ended is not None:
        with contextlib.suppress(ReferenceError):  # the armature itself is gone, and the preview with it
            ended.end()


def after_undo(*told):
    """No preview outlives Live in a state that undo brings back; Live itself goes on with what is there."""
    for arm in blender.bpy.data.objects:
        if arm.type == "ARMATURE" and arm.animation_data is not None:
            actions.drop_all(arm, PREVIEW)
    if _live is not None:
        _live.undone()


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
        """Mark the beats of the sequencer's sound (WAV) on the time line: targets can be put at markers"""

        bl_idname, bl_label, bl_options = "poise.beats", "Beats of the sound", {"REGISTER", "UNDO"}

        def begin(self, context):
            path, self._first = scenery.sound_of(context.scene)
            if not path:
                raise PoiseProblem("There is no sound in the sequencer: add one there", "choice")
            return work.listening(path, preferences(context, state).program)

        def done(self, context, result):
            scene = context.scene
            rate = scene.render.fps / scene.render.fps_base
            for marker in [m for m in scene.timeline_markers if m.name.startswith(f"{blender.PREFIX}beat")]:
                scene.timeline_markers.remove(marker)
            for number, seconds in enumerate(result, 1):
                frame = round(self._first + float(seconds) * rate)
                made = scene.timeline_markers.new(f"{blender.PREFIX}beat {number}", frame=frame)
                made.select = True
            say(context, f"{len(result)} beats marked")

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
        """Remove what Poise made for this armature: its tracks, actions and markers"""

        bl_idname, bl_label, bl_options = "poise.remove", "Remove results", {"REGISTER", "UNDO"}

        def execute(self, context):
            forget()
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
        """Show the motion while sliders and targets are dragged; again, or Esc, ends it"""

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
                    _live.poll(wish_of(context, state, arm=_live.arm), context.scene.frame_current)
                except PoiseProblem as problem:
                    say(context, str(problem), problem=True)
                    if problem.kind in ("gone", "missing"):
                        return self.end(context)
                except ReferenceError:  # deleted between two looks
                    return self.end(context)
                context.workspace.status_text_set(f"Poise: {_live.words}")
            return {"PASS_THROUGH"}

        def end(self, context):
            forget()
            context.window_manager.event_timer_remove(self._timer)
            context.workspace.status_text_set(None)
            return {"CANCELLED"}

        def cancel(self, context):
            """Another file is opened, or Blender ends."""
            forget()

    return [POISE_OT_run, POISE_OT_beats, POISE_OT_connect, POISE_OT_go, POISE_OT_remove, POISE_OT_live]
