"""Experiments: beats of what the sequencer plays, whatever sort of file it is, trimmed or packed."""

# ruff: noqa: I001  blender_scenes starts Blender, with a folder of its own
from blender_scenes import FOLDER, FOUND, failing, install, module, plain_rig

import wave
from pathlib import Path

import bpy
import numpy as np


def clicks(seconds=6, tempo=120.0, rate=22050):
    """A recording of clicks at 0.25 s and every half second."""
    sound = np.zeros(rate * seconds)
    for k in range(2 * seconds):
        at = int((0.25 + 60 / tempo * k) * rate)
        sound[at : at + 400] += np.sin(np.arange(400) * 0.3) * np.exp(-np.arange(400) / 80)
    path = str(Path(FOLDER) / "clicks.wav")
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((sound * 20000).astype("<i2").tobytes())
    return path


def marked():
    return sorted(m.frame for m in bpy.context.scene.timeline_markers if "beat" in m.name)


def beats():
    """A sound in the sequencer: its beats as markers, and targets at them."""
    install()
    path = clicks()
    arm = plain_rig(frames=150)
    scene = bpy.context.scene
    bpy.context.view_layer.objects.active = arm
    FOUND["none"] = failing(bpy.ops.poise.beats)
    editor = scene.sequence_editor_create()
    FOUND["empty"] = failing(bpy.ops.poise.beats)
    FOUND["audio"] = bool(bpy.app.build_options.audaspace)
    if FOUND["audio"]:
        strips = module("versions").sequence(editor)
        strip = strips.new_sound("clicks", path, 1, 1)
    else:  # modules of 4.2 are built without sound; no strip can be made in them
        scenery = module("scenery")
        scenery.sound_of = lambda scene: scenery.Sound(path, 1.0, 1.0, 145.0)
    bpy.ops.poise.beats()
    FOUND["frames"] = marked()
    bpy.ops.poise.run(operation="check")
    FOUND["after a check"] = marked()
    bpy.ops.poise.target_add(bone="hand.R", times="MARKERS")
    FOUND["targets"] = [t.frame for t in scene.poise.targets]
    if FOUND["audio"]:
        _otherwise(path, strips, strip)


def _otherwise(path, strips, strip):
    """The same beats of a compressed file, of one that is packed and gone, and those of a part alone."""
    import aud

    other = str(Path(FOLDER) / "clicks.ogg")
    aud.Sound(path).write(other, 22050, 1, aud.FORMAT_S16, aud.CONTAINER_OGG, aud.CODEC_VORBIS, 128000)
    strips.remove(strip)
    strip = strips.new_sound("clicks", other, 1, 1)
    bpy.ops.poise.beats()
    FOUND["compressed"] = marked()
    strip.sound.pack()
    Path(other).unlink()
    bpy.ops.poise.beats()
    FOUND["packed"] = marked()
    strip.frame_offset_start, strip.frame_offset_end = 30, 40
    bpy.ops.poise.beats()
    FOUND["trimmed"], FOUND["heard"] = marked(), module("versions").heard(strip)
    strip.sound.unpack(method="REMOVE")
    strip.sound.filepath = str(Path(FOLDER) / "nowhere.mp3")
    FOUND["gone"] = failing(bpy.ops.poise.beats)


EXPERIMENTS = {"beats": beats}
