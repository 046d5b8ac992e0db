"""Experiments: what stands under *Frames and bones*: a range that blends in and out, a loop, exact rates."""

# ruff: noqa: I001  blender_scenes starts Blender, with a folder of its own
from blender_scenes import FOUND, curves_in, heads, install, module, plain_rig, print_of

import bpy
import numpy as np


def blended_range():
    """A range that comes in and goes over some frames: the animation around it, the whole of it between."""
    install()
    arm = plain_rig(frames=60, modes=False)
    settings, frames, user = bpy.context.scene.poise, range(1, 61), print_of(arm)
    before = heads(arm, frames)
    settings.use_range, settings.first, settings.last = True, 11, 50
    bpy.ops.poise.run(operation="loosen")
    whole = heads(arm, frames)
    bpy.ops.poise.remove()
    settings.blend_in, settings.blend_out = 8, 12
    bpy.ops.poise.run(operation="loosen")
    blended = heads(arm, frames)
    FOUND["beside"] = float(np.abs(np.delete(blended - before, slice(11, 49), axis=0)).max())
    FOUND["between"] = float(np.abs(blended - whole)[18:37].max())
    away = np.abs(whole - before).max(axis=(1, 2))
    FOUND["loosened"] = float(away[18:37].max())
    far = np.abs(blended - before).max(axis=(1, 2))
    FOUND["coming"] = [float(far[k] / away[k]) for k in (12, 14, 16)]
    FOUND["going"] = [float(far[k] / away[k]) for k in (40, 43, 46)]
    bpy.ops.poise.remove()
    FOUND["same"] = user == print_of(arm) and float(np.abs(heads(arm, frames) - before).max()) == 0.0


def looped():
    """A range whose last frame is its first: its result is a loop too; of one that is none it is said."""
    install()
    arm = plain_rig(frames=25, modes=False)
    settings, frames = bpy.context.scene.poise, range(1, 26)
    settings.loop = True
    try:
        bpy.ops.poise.run(operation="loosen")
    except RuntimeError:
        FOUND["no loop"] = settings.message
    for curve in curves_in(arm.animation_data.action):
        curve.keyframe_points[-1].co_ui[1] = curve.keyframe_points[0].co_ui[1]
        curve.update()
    arm.update_tag()
    before, user = heads(arm, frames), print_of(arm)
    FOUND["closes before"] = float(np.abs(before[-1] - before[0]).max())
    found = {}
    for settings.loop in (True, False):
        bpy.ops.poise.run(operation="loosen", options='{"tension": "loose", "contacts": false}')
        found[settings.loop] = heads(arm, frames)
        bpy.ops.poise.remove()
    FOUND["closes"] = float(np.abs(found[True][-1] - found[True][0]).max())
    FOUND["closes without"] = float(np.abs(found[False][-1] - found[False][0]).max())
    FOUND["loosened"] = float(np.abs(found[True] - before).max())
    FOUND["same"] = user == print_of(arm)


def exact_rates():
    """Poise is told the scene's rate as a fraction; what it makes lies on the same frames."""
    install()
    arm = plain_rig(frames=12, modes=False)
    render, rate = bpy.context.scene.render, module("blender").frame_rate
    FOUND["rates"] = []
    for render.fps, render.fps_base in ((24, 1.0), (30, 1.001), (24, 1.001), (60, 1.001), (25, 2.0)):
        FOUND["rates"].append(rate(bpy.context.scene))
    render.fps, render.fps_base = 30, 1.001
    bpy.ops.poise.run(operation="loosen")
    trim = {"ask": "run", "clip": arm.name, "operation": {"do": "trim", "start": 0}}
    FOUND["told"] = module("program").running().ask(trim)[0]["rate"]
    curve = curves_in(arm.animation_data.nla_tracks[-1].strips[0].action)[-1]
    FOUND["keys"] = [point.co[0] for point in curve.keyframe_points]
    FOUND["handles"] = [point.handle_right[0] - point.co[0] for point in curve.keyframe_points]


EXPERIMENTS = {each.__name__: each for each in (blended_range, looped, exact_rates)}
