"""Runs inside Blender with a window: what a user does with keys and mouse; findings as JSON on the last line.

BLENDER --enable-event-simulate --python in_window.py -- windowed ZIP FOLDER POISE_PROGRAM
"""

# ruff: noqa: I001  blender_scenes reads the command line
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from blender_scenes import FOUND, heads, install, module, plain_rig, print_of

import json
import os
import time
import traceback

import bpy
import numpy as np

LONGEST = 400.0
"""Seconds after which a wait is given up: a busy machine draws slowly."""
SAID = []
"""What stood in the status bar, None where it was given back."""
FRAMES = range(1, 61)


def window():
    return bpy.context.window_manager.windows[0]


def view():
    """The 3D view and its main region."""
    area = next(a for a in window().screen.areas if a.type == "VIEW_3D")
    return area, next(r for r in area.regions if r.type == "WINDOW")


def at(dx=0, dy=0):
    """The middle of the 3D view, or a place beside it [pixels]."""
    _, region = view()
    return {"x": region.x + region.width // 2 + dx, "y": region.y + region.height // 2 + dy}


def mouse(dx=0, dy=0):
    window().event_simulate(type="MOUSEMOVE", value="NOTHING", **at(dx, dy))


def press(kind, dx=0, dy=0, **held):
    window().event_simulate(type=kind, value="PRESS", **at(dx, dy), **held)
    window().event_simulate(type=kind, value="RELEASE", **at(dx, dy), **held)


def until(holds, what):
    """Wait for something that will be."""
    end = time.monotonic() + LONGEST
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(what)
        yield 0.05


def a_while(count=12):
    """Let Blender draw and handle events."""
    for _ in range(count):
        yield 0.05


def person():
    return bpy.data.objects["person"]


def tracks():
    data = person().animation_data
    return [track.name for track in data.nla_tracks] if data is not None else []


def state():
    """What must stay the same: everything of the user's, and the motion."""
    return print_of(person()), heads(person(), FRAMES)


def same(before):
    now = state()
    return before[0] == now[0] and float(np.abs(now[1] - before[1]).max()) == 0.0


def listen():
    """Note what is said in the status bar, and say it all the same."""
    kind = bpy.types.WorkSpace
    said = kind.status_text_set

    def status_text_set(self, text):
        SAID.append(text)
        said(self, text)

    kind.status_text_set = status_text_set


def keys():
    """Keys for the panel's buttons: F8 runs, F9 is Live."""
    maps = bpy.context.window_manager.keyconfigs.addon.keymaps.new(name="3D View", space_type="VIEW_3D")
    maps.keymap_items.new("poise.run", "F8", "PRESS")
    maps.keymap_items.new("poise.live", "F9", "PRESS")


def shown_panel():
    """The sidebar, at the extension's tab."""
    area, _ = view()
    area.spaces.active.show_region_ui = True
    yield from a_while(20)
    side = next(r for r in area.regions if r.type == "UI")
    side.active_panel_category = "Poise"
    area.tag_redraw()
    yield from a_while(20)
    FOUND["category"] = side.active_panel_category


def windowed():
    yield 0.1
    install()
    yield from a_while()
    listen()
    keys()
    plain_rig(frames=60, modes=False)
    settings = bpy.context.scene.poise
    settings.operation = "loosen"
    with bpy.context.temp_override(window=window()):
        bpy.ops.ed.undo_push(message="scene")
    mouse()
    yield from a_while()
    yield from shown_panel()
    yield from escaped()
    yield from run_and_undone()
    yield from dragged_live()


def escaped():
    before = state()
    press("F8")
    yield from until(lambda: any(text and "Esc cancels" in text for text in SAID), "a run that says so")
    press("ESC")
    yield from until(lambda: SAID[-1] is None, "a run that Esc ends")
    FOUND["said"] = SAID[0]
    FOUND["escape words"] = bpy.context.scene.poise.message
    FOUND["escaped"] = [same(before), tracks()]


def run_and_undone():
    before = state()
    SAID.clear()
    press("F8")
    yield from until(lambda: tracks() and SAID[-1] is None, "a run that ends")
    yield from a_while()
    loose = heads(person(), FRAMES)
    FOUND["loosened"] = float(np.abs(loose - before[1]).max())
    FOUND["ran"] = [tracks(), bpy.context.scene.poise.message]
    FOUND["parts told"] = len({text for text in SAID if text})
    press("Z", ctrl=True)
    yield from until(lambda: not tracks(), "an undo")
    FOUND["undone"] = same(before)
    FOUND["actions"] = sorted(action.name for action in bpy.data.actions)
    press("Z", ctrl=True, shift=True)
    yield from until(tracks, "a redo")
    FOUND["redone"] = float(np.abs(heads(person(), FRAMES) - loose).max())
    press("Z", ctrl=True)
    yield from until(lambda: not tracks(), "an undo")


def dragged_live():
    """Live while an empty is dragged with G: the hand follows; undo during it; Esc ends it."""
    arm, scene = person(), bpy.context.scene
    scene.frame_set(30)
    names = [b.name for b in arm.pose.bones]
    hand = names.index("hand.R")
    where = heads(arm, [30])[0, hand]
    scene.poise.operation = "hit"
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    cup.location = where + [0.02, -0.04, 0.05]
    with bpy.context.temp_override(window=window()):
        bpy.context.view_layer.objects.active = arm
        bpy.ops.poise.target_add(bone="hand.R", place="cup")
        bpy.ops.ed.undo_push(message="a target")
    before = state()
    SAID.clear()
    press("F9")
    yield from until(lambda: "Poise preview" in tracks(), "a preview")
    for item in bpy.context.view_layer.objects:
        item.select_set(item.name == "cup")
    bpy.context.view_layer.objects.active = bpy.data.objects["cup"]
    mouse()
    yield from a_while()
    press("G")
    away, moved = [], []
    for step in range(12):
        mouse(step, step // 2)
        for _ in range(6):
            yield 0.03
            off = heads(person(), [30])[0, hand] - np.array(bpy.data.objects["cup"].location)
            away.append(float(np.linalg.norm(off)))
        moved.append(float(np.linalg.norm(np.array(bpy.data.objects["cup"].location) - where)))
    press("LEFTMOUSE", 11, 5)
    yield from until(lambda: gap(hand) < 1e-4, "a hand that is at the cup")
    FOUND["dragged"], FOUND["away"] = moved[-1] - moved[0], away
    FOUND["live said"] = SAID[-1]
    press("Z", ctrl=True)
    place = lambda: np.array(bpy.data.objects["cup"].location)  # noqa: E731
    yield from until(lambda: np.linalg.norm(place() - where) < 0.08, "an undo of the drag")
    yield from until(lambda: "Poise preview" in tracks() and gap(hand) < 1e-4, "a preview after the undo")
    FOUND["after undo"] = gap(hand)
    press("ESC")
    yield from until(lambda: SAID[-1] is None, "an end of Live")
    FOUND["live ended"] = [same(before), tracks()]
    FOUND["live off"] = module("previewing")._live is None


def gap(hand):
    """How far the hand is from the cup at the frame that is shown."""
    return float(np.linalg.norm(heads(person(), [30])[0, hand] - np.array(bpy.data.objects["cup"].location)))


def driven(steps):
    """A timer's function that takes one step at a time, prints what was found and ends Blender."""

    def tick():
        try:
            return next(steps)
        except StopIteration:
            print()
            print(json.dumps(FOUND), flush=True)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            print(json.dumps(FOUND), SAID[-3:], flush=True)
            os._exit(1)

    return tick


if __name__ == "__main__":
    bpy.app.timers.register(driven(windowed()), first_interval=0.5, persistent=True)
