# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: each starts a job or changes the panel's lists. ``classes`` makes them for the Blender it is given."""

import json

from . import blender, program, work
from .client import PoiseProblem
from .job import CANCELLED, FAILED, RUNNING, Job
from .live import Live

_live = None


def forget():
    """End what is under way: the extension is going."""
    global _live
    if _live is not None:
        _live.end()
    _live = None


def wish_of(context, state, name="", extra=""):
    """What the panel asks for, as ``work`` takes it; ``extra`` are options in JSON, for scripts."""
    scene = context.scene
    settings = scene.poise
    name = name or settings.operation
    if name not in state.cards:
        raise PoiseProblem(f"There is no operation {name!r}; there are {', '.join(state.cards)}", "choice")
    card = state.cards[name]
    values = {
        key: getattr(group, key)
        for group in [getattr(settings, f"of_{name}")]
        for key in group.bl_rna.properties.keys()
        if key[:2] in ("o_", "k_")
    }
    if extra:
        values = _set(card, values, extra)
    arm = context.object
    whole = not settings.use_range
    first, last = (scene.frame_start, scene.frame_end) if whole else (settings.first, settings.last)
    chosen = None
    if settings.only_selected and arm is not None and arm.type == "ARMATURE":
        chosen = _chosen(arm)
    surfaces = []
    if settings.surfaces is not None:
        surfaces = [item for item in settings.surfaces.all_objects if item.type == "MESH"]
    return work.Wish(
        arm,
        card,
        values,
        {
            "first": first,
            "last": last,
            "loop": settings.loop,
            "hold": whole,
            "chosen": chosen,
            "blend": (settings.blend_in, settings.blend_out),
            "targets": [
                (t.bone, t.point, blender.place_of(t.place, t.frame), t.frame)
                for t in settings.targets
                if t.on and t.place is not None and t.bone
            ],
            "surfaces": surfaces,
            "source": settings.source,
            "mesh": settings.mesh,
            "tensions": [(_bones(arm, part), _tension(part)) for part in settings.parts] if arm is not None else [],
            "program": preferences(context, state).program,
        },
    )


def _set(card, values, extra):
    """Options that a script gives, as if they had been set in the panel."""
    try:
        given = json.loads(extra)
    except ValueError as problem:
        raise PoiseProblem(f"The options are no JSON: {problem}", "choice") from None
    known, values = {option["name"]: option for option in card["options"]}, dict(values)
    for name, value in given.items():
        if name not in known:
            raise PoiseProblem(f"{card['name']} has no option {name!r}; it has {', '.join(known)}", "choice")
        if f"k_{name}" in values:
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            values[f"k_{name}"] = "NUMBER" if is_number else "AUTO" if value is None else value
            if is_number:
                values[f"o_{name}"] = value
        elif known[name]["holds"] == "flag" and known[name]["optional"]:
            values[f"o_{name}"] = "AUTO" if value is None else "ON" if value else "OFF"
        elif isinstance(value, (list, dict)):
            values[f"o_{name}"] = json.dumps(value)
        else:
            values[f"o_{name}"] = value
    return values


def _chosen(arm):
    plan = blender.plan_for(arm)
    found = set()
    for pose_bone in arm.pose.bones:
        if getattr(pose_bone, "select", None) or (not hasattr(pose_bone, "select") and pose_bone.bone.select):
            try:
                found.add(work.body_for(plan, pose_bone.name).name)
            except PoiseProblem:
                continue
    if not found:
        raise PoiseProblem("No bone is selected that Poise moves: select some, or switch 'Selected bones only' off", "choice")
    return found


def _bones(arm, part):
    if part.collection:
        collection = arm.data.collections_all.get(part.collection) if arm.type == "ARMATURE" else None
        if collection is None:
            raise PoiseProblem(f"{arm.name} has no bone collection {part.collection!r}", "choice")
        return [bone.name for bone in collection.bones_recursive]
    return [name for name in part.bones.split("\n") if name]


def _tension(part):
    return part.tension if part.tension != "NUMBER" else float(f"{part.hertz:.6g}")


def preferences(context, state):
    """The extension's preferences; usual ones where it is not installed as one (in tests)."""
    found = context.preferences.addons.get(state.package)
    return found.preferences if found is not None else type("Usual", (), {"program": ""})


def say(context, words, problem=False):
    """Put a message into the panel."""
    settings = context.scene.poise
    settings.message, settings.problem = words, problem


def concluded(context, state, name, wish, answer):
    """What the panel says of an answer: message, report, findings, markers."""
    report, first = answer["report"], wish.settings["first"]
    blender.report_text(name, report)
    settings = context.scene.poise
    settings.findings.clear()
    findings = answer["facts"].get("findings", []) if isinstance(answer.get("facts"), dict) else []
    if "off" not in answer:
        _marked(context, findings, first)
    for found in sorted(findings, key=lambda f: f["score"]):
        item = settings.findings.add()
        item.words, item.frame, item.serious = found["words"], first + int(found["start"]), bool(found["serious"])
    lines = [line for line in report.splitlines() if line.strip()]
    words = f"{name.capitalize()}: " + ("; ".join(answer["missed"][:3]) if answer["missed"] else lines[0] if lines else "done")
    size = float(answer["known"]["size"])
    if not 0.03 <= size <= 30:
        words += f" — the figure is {size:.3g} m large: set the scene's unit scale (Scene properties, Units)"
    off = answer.get("off", 0.0)
    if off > 1e-4 * size:
        words += f" — the rig does not follow by up to {1000 * off:.1f} mm: look for drivers or constraints on its bones"
    say(context, words, problem=not answer["met"])


def _marked(context, findings, first):
    markers = context.scene.timeline_markers
    for marker in [m for m in markers if m.name.startswith(blender.PREFIX)]:
        markers.remove(marker)
    for found in findings:
        where = f" {found['where']}" if found["where"] else ""
        markers.new(f"{blender.PREFIX}{found['kind']}{where}", frame=first + int(found["start"]))


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
                return {"PASS_THROUGH"} if event.type in ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE") else {"RUNNING_MODAL"}
            if self._job.poll() == RUNNING:
                context.window_manager.progress_update(int(100 * self._job.part))
                context.workspace.status_text_set(f"Poise: {self._job.words} ({100 * self._job.part:.0f} %), Esc cancels")
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
        operation: p.StringProperty(name="Operation", description="What to do; empty: as the panel says", options={"SKIP_SAVE"})
        options: p.StringProperty(name="Options", description="Options in JSON, for scripts", options={"SKIP_SAVE"})

        def begin(self, context):
            self._wish = wish_of(context, state, self.operation, self.options)
            if self._wish.arm is None:
                raise PoiseProblem("Choose an armature: click on it, so that it is the active object", "choice")
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
        place: p.StringProperty(name="Place", description="Name of an object; empty: a selected empty, or a new one", options={"SKIP_SAVE"})
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
                active = context.active_pose_bone or (arm.data.bones.active and arm.pose.bones[arm.data.bones.active.name])
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
                points = [point.co[0] for curve in blender.curves_of(place) for point in curve.keyframe_points]
                frames = sorted({round(x) for x in points})
            for frame in frames:
                target = scene.poise.targets.add()
                target.bone, target.place, target.frame = name, place, frame
            scene.poise.target = len(scene.poise.targets) - 1
            say(context, f"{len(frames)} targets for {name}" if len(frames) != 1 else f"Target for {name} at frame {frames[0]}")
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
        collection: p.StringProperty(name="Bone collection", description="Empty: the selected bones", options={"SKIP_SAVE"})
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
            for track in reversed(blender.own_tracks(arm) if arm is not None else []):
                blender.drop_track(arm, track)
            if arm is not None:
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
