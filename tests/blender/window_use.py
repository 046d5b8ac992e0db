"""Experiments: operators as a window drives them (timers, Esc, the status bar); surfaces, adapt, fix."""

# ruff: noqa: I001  blender_scenes starts Blender, with a folder of its own
from blender_scenes import FOLDER, FOUND, bvh, heads, install, module, plain_rig, poses, print_of

import os
import time
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np


class Window:
    """A context with a window: what is said in the status bar, how far the progress is, which timers run."""

    def __init__(self):
        self.said, self.parts, self.timers, self.handlers = [], [], [], []
        self.window = "window"
        self.workspace = SimpleNamespace(status_text_set=self.said.append)
        self.window_manager = SimpleNamespace(
            event_timer_add=self.timer, event_timer_remove=self.timers.remove,
            progress_begin=lambda low, high: None, progress_end=lambda: self.parts.append(None),
            progress_update=self.parts.append, modal_handler_add=self.handlers.append,
        )  # fmt: skip

    def timer(self, seconds, window):
        self.timers.append(seconds)
        return seconds

    def __getattr__(self, name):
        return getattr(bpy.context, name)


def operator(name, **properties):
    """An operator's own code without Blender's hull, which only a real window can fill."""
    kind = getattr(bpy.types, f"POISE_OT_{name}")
    own = {}
    for each in reversed(kind.__mro__):
        own |= {n: f for n, f in vars(each).items() if type(f).__name__ == "function" and n[0] != "_"}
    return type("Operator", (), {**own, **properties, "report": lambda self, kind, words: None})()


def driven(made, window, *, until=None, event="TIMER", most=120.0):
    """Send timers until something holds or the operator ends; then an event. What it answered last."""
    end = time.perf_counter() + most
    while time.perf_counter() < end:
        if until is not None and until():
            return made.modal(window, SimpleNamespace(type=event))
        answer = made.modal(window, SimpleNamespace(type="TIMER"))
        if answer & {"FINISHED", "CANCELLED"}:
            return answer
        time.sleep(0.005)
    raise TimeoutError


def windowed():
    """A run to its end, one that Esc ends, a failing one, and a preview, each as a window drives it."""
    install()
    arm = plain_rig(frames=60, modes=False)
    frames = range(1, 61)
    before, user = heads(arm, frames), print_of(arm)
    window = Window()
    made = operator("run", operation="loosen", options="")
    FOUND["begun"] = sorted(made.invoke(window, None))
    FOUND["mouse"] = sorted(made.modal(window, SimpleNamespace(type="MOUSEMOVE")))
    FOUND["keys"] = sorted(made.modal(window, SimpleNamespace(type="A")))
    FOUND["ended"] = sorted(driven(made, window))
    FOUND["said"], FOUND["parts"], FOUND["timers"] = window.said, window.parts, len(window.timers)
    FOUND["loosened"] = float(np.abs(heads(arm, frames) - before).max())
    bpy.ops.poise.remove()
    window = Window()
    made = operator("run", operation="loosen", options="")
    made.invoke(window, None)
    FOUND["escaped"] = sorted(driven(made, window, until=lambda: window.parts, event="ESC"))
    FOUND["escape words"], FOUND["escape bar"] = bpy.context.scene.poise.message, window.said[-1]
    FOUND["escape same"] = user == print_of(arm) and float(np.abs(heads(arm, frames) - before).max()) == 0.0
    FOUND["escape timers"] = len(window.timers)
    window = Window()
    made = operator("run", operation="loosen", options='{"step": -1}')
    made.invoke(window, None)
    FOUND["failed"] = sorted(driven(made, window))
    FOUND["failed words"], FOUND["failed bar"] = bpy.context.scene.poise.message, window.said[-1]
    window, previewing = Window(), module("previewing")
    bpy.context.scene.poise.operation = "loosen"
    made = operator("live")
    FOUND["live begun"] = sorted(made.invoke(window, None))
    seen = lambda: previewing._live.motions > 0  # noqa: E731
    FOUND["live ended"] = sorted(driven(made, window, until=seen, event="ESC"))
    FOUND["live bar"] = [window.said[-2], window.said[-1]]
    FOUND["live same"] = user == print_of(arm) and float(np.abs(heads(arm, frames) - before).max()) == 0.0
    FOUND["live timers"] = len(window.timers)


def surfaces():
    """A table beside a walk, from a mesh; a hand where adapt is told to put it; sunken feet fixed."""
    install()
    arm = bvh(Path(FOLDER) / "walk.bvh", scale=0.01)
    scene, settings = bpy.context.scene, bpy.context.scene.poise
    scene.frame_end = last = int(arm.animation_data.action.frame_range[1])
    frames, names = range(1, last + 1), [b.name for b in arm.pose.bones]
    hand = names.index("LeftHand")
    bpy.ops.poise.run(operation="loosen", options='{"tension": "drunk"}')
    free = heads(arm, frames)[:, hand, 0]
    bpy.ops.poise.remove()
    side = np.sign(free.mean())
    face = (side * free).max() - 0.03
    bpy.ops.mesh.primitive_cube_add(size=1, location=(side * (face + 0.5), 0, 0.5), scale=(1, 12, 1.0))
    things = bpy.data.collections.new("things")
    things.objects.link(bpy.context.object)
    bpy.context.view_layer.objects.active = arm
    settings.surfaces = things
    bpy.ops.poise.run(operation="loosen", options='{"tension": "drunk"}')
    FOUND["free"] = float((side * free).max() - face)
    FOUND["beside the table"] = float((side * heads(arm, frames)[:, hand, 0]).max() - face)
    FOUND["table"] = scene.poise.message
    settings.surfaces = None
    bpy.ops.poise.remove()
    before = heads(arm, frames)
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    cup.location = before[20, hand] + [0.0, -0.05, 0.08]
    scene.frame_set(21)
    bpy.ops.poise.target_add(bone="LeftHand", place="cup")
    bpy.ops.poise.run(operation="adapt")
    after = heads(arm, frames)
    FOUND["adapted"] = float(np.linalg.norm(after[20, hand] - np.array(cup.location)))
    FOUND["adapt"] = scene.poise.message
    bpy.ops.poise.remove()
    bpy.ops.poise.target_remove(every=True)
    arm.location.z -= 0.03
    bpy.context.view_layer.update()
    low = [k for k, name in enumerate(names) if "Toe" in name or "Foot" in name]
    FOUND["sunk"] = float(poses(arm, frames)[..., 2, 3][:, low].min())
    bpy.ops.poise.run(operation="fix", options='{"floor": 0}')
    FOUND["lifted"] = float(poses(arm, frames)[..., 2, 3][:, low].min())
    FOUND["fix"] = scene.poise.message


def kept():
    """What is set in the preferences is there when Blender is started again; run it twice."""
    saved = Path(os.environ["BLENDER_USER_RESOURCES"]) / "config" / "userpref.blend"
    name = "bl_ext.poise_test.poise_addon"
    if saved.exists():
        bpy.ops.wm.read_userpref()
        FOUND["enabled"] = hasattr(bpy.types.Scene, "poise")
        FOUND["program"] = bpy.context.preferences.addons[name].preferences.program
        return
    install()
    bpy.context.preferences.addons[name].preferences.program = "/chosen/poise"
    bpy.ops.wm.save_userpref()


EXPERIMENTS = {"windowed": windowed, "surfaces": surfaces, "kept": kept}
