"""Experiments: a run during a preview, the same run again, the log, blended actions."""

# ruff: noqa: I001  blender_scenes starts Blender, with a folder of its own
from blender_scenes import FOLDER, FOUND, heads, install, module, plain_rig, play, played, poses
from blender_scenes import print_of, top

import itertools
import os
import tempfile
import time
from pathlib import Path

import bpy
import numpy as np


def run_during_live():
    """Running and removing end the preview first: the same is baked, and nothing of it is left."""
    install()
    arm = plain_rig(frames=12, modes=False)
    frames, scene, previewing = range(1, 13), bpy.context.scene, module("previewing")
    scene.poise.operation = "loosen"
    scene.frame_set(6)
    before, user = heads(arm, frames), print_of(arm)

    def start():
        def wish():
            return module("wishes").wish_of(bpy.context, module("ui")._state)

        preview = previewing._live = module("live").Live(wish())
        end = time.perf_counter() + 60
        while preview.poses == 0 and time.perf_counter() < end:
            preview.poll(wish(), scene.frame_current)
        return [t.name for t in arm.animation_data.nla_tracks]

    bpy.ops.poise.run(operation="loosen")
    alone = heads(arm, frames)
    bpy.ops.poise.remove()
    FOUND["while live"] = start()
    bpy.ops.poise.run(operation="loosen")
    FOUND["ended by a run"] = previewing._live is None
    FOUND["tracks"] = [t.name for t in arm.animation_data.nla_tracks]
    FOUND["apart"] = float(np.abs(heads(arm, frames) - alone).max())
    FOUND["loosened"] = float(np.abs(alone - before).max())
    bpy.ops.poise.remove()
    start()
    bpy.ops.poise.remove()
    FOUND["ended by removing"] = previewing._live is None
    FOUND["actions"] = [a.name for a in bpy.data.actions if a.name.startswith("Poise")]
    FOUND["same"] = user == print_of(arm) and float(np.abs(heads(arm, frames) - before).max()) == 0.0
    start()
    bpy.data.objects.remove(arm)
    previewing.forget()
    FOUND["ended without its armature"] = previewing._live is None


def saved_live():
    """A file that is saved during Live holds no preview, which goes on; one that holds one is put right."""
    install()
    arm = plain_rig(frames=12, modes=False)
    scene, previewing, user = bpy.context.scene, module("previewing"), print_of(arm)
    scene.poise.operation = "loosen"
    scene.frame_set(6)

    def wish():
        return module("wishes").wish_of(bpy.context, module("ui")._state)

    def followed():
        end = time.perf_counter() + 300
        while not previewing._live.shows(wish()) and time.perf_counter() < end:
            previewing._live.poll(wish(), scene.frame_current)
        return [t.name for t in arm.animation_data.nla_tracks]

    previewing._live = module("live").Live(wish())
    FOUND["shown"] = followed()
    saved, autosaved = (str(Path(FOLDER) / f"{name}.blend") for name in ("saved", "autosaved"))
    bpy.ops.wm.save_as_mainfile(filepath=saved, copy=True)
    FOUND["hidden"] = [t.name for t in arm.animation_data.nla_tracks]
    FOUND["shown again"] = followed()
    bpy.app.handlers.save_pre.clear()  # as when Blender saves by itself
    bpy.ops.wm.save_as_mainfile(filepath=autosaved, copy=True)
    for name, path in (("saved", saved), ("autosaved", autosaved)):
        bpy.ops.wm.open_mainfile(filepath=path)
        arm = bpy.data.objects["person"]
        mine = arm.animation_data.action is not None
        FOUND[name] = [mine, len(arm.animation_data.nla_tracks), user == print_of(arm)]
        FOUND[name].append([a.name for a in bpy.data.actions if a.name.startswith("Poise")])
    FOUND["ended"] = previewing._live is None


class Noted:
    """A track that notes what is set after it has been removed."""

    def __init__(self, track, gone):
        object.__setattr__(self, "_at", (track, track.as_pointer(), gone))

    def __getattr__(self, name):
        return getattr(self._at[0], name)

    def __setattr__(self, name, value):
        track, address, gone = self._at
        if address in gone:
            FOUND["set on removed tracks"].append(name)
        else:
            setattr(track, name, value)


def run_again():
    """The same again replaces the track and touches none that is gone; cancelled, the old one is back."""
    install()
    arm = plain_rig(frames=8, modes=False)
    actions, gone = module("actions"), set()
    own_tracks, drop_track = actions.own_tracks, actions.drop_track
    FOUND["set on removed tracks"] = []

    def drop(arm, track):
        track, address, _ = track._at
        drop_track(arm, track)
        gone.add(address)

    bpy.ops.poise.run(operation="loosen")
    once = heads(arm, range(1, 9))
    actions.own_tracks = lambda arm: [Noted(track, gone) for track in own_tracks(arm)]
    actions.drop_track = drop
    bpy.ops.poise.run(operation="loosen")
    FOUND["removed"] = len(gone)
    actions.own_tracks, actions.drop_track = own_tracks, drop_track
    FOUND["tracks"] = [(t.name, t.mute) for t in arm.animation_data.nla_tracks]
    FOUND["apart"] = float(np.abs(heads(arm, range(1, 9)) - once).max())
    wish = module("wishes").wish_of(bpy.context, module("ui")._state, "loosen")
    job = module("job").Job(module("work").running(wish))
    job.poll(0.0)
    FOUND["muted meanwhile"] = top(arm).mute
    job.cancel()
    FOUND["cancelled"] = top(arm).mute


def log():
    """Standing in the user's own folder, made anew at each start, and not needed."""
    install()
    program = module("program")
    victim, planted = Path(FOLDER) / "victim", Path(tempfile.gettempdir()) / "poise-blender.log"
    FOUND["temporary"] = str(planted.parent)
    victim.write_bytes(b"mine")
    planted.symlink_to(victim)
    path = program.log_path()
    path.write_bytes(b"x" * 10_000)
    program.link("")
    FOUND["path"], FOUND["size"] = str(path), path.stat().st_size
    FOUND["resources"] = os.environ["BLENDER_USER_RESOURCES"]
    program.close()
    FOUND["victim"] = victim.read_text()
    path.unlink()
    path.mkdir()  # no file can be opened there
    FOUND["without"] = program.link("").greeting["protocol"]


def blended_actions():
    """An active action that is blended with strips moves to a track, and back, and looks the same."""
    install()
    arm = plain_rig(frames=20, modes=False)
    data, scene = arm.animation_data, bpy.context.scene
    below = played(data)
    bone = arm.pose.bones["spine"]
    data.action = None
    for frame, turn in ((6, 0.0), (12, 0.6)):
        bone.rotation_quaternion = (1, turn, 0, 0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    above = data.action
    frames = range(scene.frame_start, scene.frame_end + 1)
    ways = [
        *itertools.product(("REPLACE", "ADD", "COMBINE"), ("HOLD", "HOLD_FORWARD", "NOTHING"), (1.0, 0.4))
    ]
    FOUND["pushed"], FOUND["back"], FOUND["manner"], FOUND["differ"] = [], [], [], 0
    looks = set()
    for alone, manner in [*((False, way) for way in ways), (True, ("ADD", "NOTHING", 0.4))]:
        if not alone and not data.nla_tracks:
            play(data.nla_tracks.new().strips.new("below", 1, below[0]), *below)
        elif alone:
            data.nla_tracks.remove(data.nla_tracks[0])
        data.action_blend_type, data.action_extrapolation, data.action_influence = manner
        was = poses(arm, frames)
        looks.add(was.round(4).tobytes())
        curves = module("actions").Curves(arm, "Poise nothing", [1, 2])
        module("actions").Strip(arm, curves, "Poise nothing")
        FOUND["pushed"].append(float(np.abs(poses(arm, frames) - was).max()))
        assert data.action is None
        if not alone:  # what is set meanwhile is of another action
            data.action_blend_type, data.action_extrapolation, data.action_influence = "SUBTRACT", "HOLD", 0.9
        module("actions").drop_all(arm)
        assert data.action == above
        FOUND["back"].append(float(np.abs(poses(arm, frames) - was).max()))
        now = data.action_blend_type, data.action_extrapolation, data.action_influence
        FOUND["manner"].append(now[:2] == manner[:2] and abs(now[2] - manner[2]) < 1e-6)
    FOUND["looks"] = len(looks)


EXPERIMENTS = {each.__name__: each for each in (run_during_live, saved_live, run_again, log, blended_actions)}
