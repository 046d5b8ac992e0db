# SPDX-License-Identifier: GPL-3.0-or-later
"""The preview that is under way: its operator; what becomes of it at an undo, a save, another file."""

import contextlib

from . import actions, blender
from .client import PoiseProblem
from .live import PREVIEW, Live
from .wishes import say, wish_of

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
    _sweep()
    if _live is not None:
        _live.undone()


def before_save(*told):
    """No preview gets into a file; it is shown again when the file is written."""
    if _live is not None:
        with contextlib.suppress(ReferenceError):
            _live.hide()


def after_load(*told):
    """Files that Blender saves by itself, or as it crashes, may hold a preview."""
    forget()
    _sweep()


def _sweep():
    for arm in blender.bpy.data.objects:
        if arm.type == "ARMATURE" and arm.animation_data is not None and arm.library is None:
            actions.drop_all(arm, PREVIEW)


HANDLERS = {
    "undo_post": after_undo, "redo_post": after_undo, "save_pre": before_save, "load_post": after_load,
}  # fmt: skip
"""What is to be called when, by the names of Blender's lists."""


def classes(bpy, state):
    """The operator."""

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
                    wish = wish_of(context, state, arm=_live.arm, known=_live.places)
                    _live.poll(wish, context.scene.frame_current)
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

    return [POISE_OT_live]
