# SPDX-License-Identifier: GPL-3.0-or-later
"""What else is in the scene: meshes to run into, places to hit, reports, things that are worn."""

import wave
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import versions
from .blender import PREFIX, bpy, evaluated, own_folder
from .client import PoiseProblem

WORN = "poise_worn"
"""The property by which an object says whose it is, and what it was called."""


def mesh_surfaces(objects):
    """Surfaces of mesh objects as an option's data, and the arrays it names; as shown now, in metres."""
    surfaces, arrays = [], {}
    unit = bpy.context.scene.unit_settings.scale_length or 1.0
    for number, item in enumerate(objects):
        shown = evaluated(item)
        mesh = shown.to_mesh()
        mesh.calc_loop_triangles()
        vertices = np.empty(len(mesh.vertices) * 3, np.float32)
        mesh.vertices.foreach_get("co", vertices)
        triangles = np.empty(len(mesh.loop_triangles) * 3, np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        shown.to_mesh_clear()
        matrix = np.array(shown.matrix_world, dtype=np.float64)
        if not len(triangles):
            continue
        places = vertices.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
        arrays[f"vertices {number}"], arrays[f"triangles {number}"] = places * unit, triangles.reshape(-1, 3)
        shape = {
            "kind": "mesh",
            "vertices": {"array": f"vertices {number}"},
            "triangles": {"array": f"triangles {number}"},
        }
        surfaces.append({"name": item.name, "shape": shape})
    return {"surfaces": surfaces}, arrays


def place_of(item, frame=None, bone="", known=None):
    """Where an object, or a bone of an armature, is in the world [m], at a frame or as it is shown.

    To look at another frame evaluates the whole scene twice. ``known`` keeps what was seen there as long as
    the object is where it was at the frame that is shown.
    """
    scene, now = bpy.context.scene, _place_now(item, bone)
    shown = scene.frame_current, scene.frame_subframe
    if frame is None or shown == (frame, 0.0) or (_rests(item) and item.type != "ARMATURE"):
        return now
    key = item.name, bone, frame, shown
    if known is not None and key in known and known[key][0] == now:
        return known[key][1]
    scene.frame_set(frame)
    try:
        there = _place_now(item, bone)
    finally:
        scene.frame_set(shown[0], subframe=shown[1])
    if known is not None:
        known[key] = now, there
    return there


def _rests(item):
    """Whether nothing but a hand moves an object."""
    while item is not None:
        if (
            item.animation_data is not None
            or item.constraints
            or item.parent_type not in ("OBJECT", "VERTEX")
        ):
            return False
        item = item.parent
    return True


def _place_now(item, bone):
    unit = bpy.context.scene.unit_settings.scale_length or 1.0
    now = evaluated(item)
    if item.type == "ARMATURE" and bone:
        if bone not in now.pose.bones:
            raise PoiseProblem(f"{item.name} has no bone {bone!r}: choose another in the target", "choice")
        return [unit * x for x in now.matrix_world @ now.pose.bones[bone].head]
    return [unit * x for x in now.matrix_world.translation]


class Sound(NamedTuple):
    """A recording in the sequencer, in frames of the scene."""

    path: str
    begin: float
    """Where its beginning lies, be it trimmed or not."""
    first: float
    last: float
    """From where to where it is heard."""


def sound_of(scene):
    """The sequencer's first sound that is heard; None where there is none."""
    editor = scene.sequence_editor
    strips = versions.sequence(editor) if editor is not None else ()
    for strip in sorted(strips, key=lambda s: s.frame_start):
        if strip.type == "SOUND" and not strip.mute:
            return Sound(_file_of(strip.sound), float(strip.frame_start), *versions.heard(strip))
    return None


def _file_of(sound):
    """A file that holds a sound; one that is packed into the scene's is written beside the log."""
    if sound.packed_file is None:
        return bpy.path.abspath(sound.filepath, library=sound.library)
    path = _beside_the_log("packed" + Path(sound.filepath).suffix)
    path.write_bytes(sound.packed_file.data)
    return str(path)


def readable(path):
    """A file that Poise can read: WAV or MIDI as it is; what else Blender can play, as WAV beside the log."""
    if Path(path).suffix.lower() in (".wav", ".mid", ".midi"):
        return path
    try:
        import aud  # built without it, as modules of 4.2 are, Blender plays nothing
    except ImportError:
        raise PoiseProblem(f"This Blender is built without sound; convert {path} to WAV", "choice") from None
    try:
        sound = aud.Sound.file(path)
        rate, samples = sound.specs[0], sound.data()  # (n, channels)
    except aud.error as problem:
        raise PoiseProblem(f"{path} cannot be played: {problem}", "choice") from None
    if not len(samples):
        raise PoiseProblem(f"{path} holds no sound", "choice")
    told = np.clip(samples.mean(axis=1) * 32767.0, -32767.0, 32767.0).astype("<i2")
    converted = _beside_the_log("sound.wav")
    with wave.open(str(converted), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(round(rate))
        file.writeframes(told.tobytes())
    return str(converted)


def _beside_the_log(name):
    folder = own_folder()
    if folder is None:
        raise PoiseProblem("Blender has no folder for this extension to write to", "choice")
    return folder / name


def report_text(title, words):
    """A text block with a report, made anew."""
    name = PREFIX + title
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.clear()
    text.write(words + "\n")
    return text


def worn_mesh(name, source, arm, vertices, faces, first):
    """A mesh object that moves on its own: one shape key a frame, each shown at its frame.

    It looks as what is worn does, and takes the place of what this armature wore of it before.
    """
    unit = bpy.context.scene.unit_settings.scale_length or 1.0
    places = np.asarray(vertices, np.float32) / unit
    drop_worn(arm, name)
    mesh = bpy.data.meshes.new_from_object(evaluated(source)) if source is not None else None
    if mesh is None or len(mesh.vertices) != places.shape[1]:
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(places[0].tolist(), [], np.asarray(faces).tolist())
    mesh.name = name
    mesh.vertices.foreach_set("co", places[0].ravel())
    item = bpy.data.objects.new(name, mesh)
    item[WORN] = [arm.name, name]
    bpy.context.scene.collection.objects.link(item)
    item.shape_key_add(name="Basis")
    for k in range(len(places)):
        key = item.shape_key_add(name=f"{first + k}", from_mix=False)
        key.data.foreach_set("co", places[k].ravel())
    keys = mesh.shape_keys
    keys.use_relative = False
    times = np.empty(len(keys.key_blocks), np.float32)
    keys.key_blocks.foreach_get("frame", times)
    for k, frame in ((1, first), (len(times) - 1, first + len(places) - 1)):
        keys.eval_time = float(times[k])
        keys.keyframe_insert("eval_time", frame=frame)
    for curve in curves_of(keys):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    return item


def drop_worn(arm, name=""):
    """Remove the meshes that an armature wears by Poise, or the one called so, and all that only they use."""
    for item in list(bpy.data.objects):
        told = item.get(WORN)
        if told is None or told[0] != arm.name or name not in ("", told[1]):
            continue
        mesh = item.data
        data = mesh.shape_keys.animation_data if mesh.shape_keys is not None else None
        action = data.action if data is not None else None
        bpy.data.objects.remove(item)
        if mesh.users == 0:
            bpy.data.meshes.remove(mesh)
        if action is not None and action.users == 0:
            bpy.data.actions.remove(action)


def curves_of(owner):
    """Curves of the active action of whatever is animated."""
    data = owner.animation_data
    if data is None or data.action is None:
        return []
    return versions.curves_of(data.action, versions.slot_of(data))
