"""New projects: around a bundled character, a bundled motion, whoever is on the stage, or the boxer.

Each begins as a draft in the workspace, so that nothing of it can be lost; what was open before stays as it
is, its unsaved edits in its journal. Drafts that nobody named are found again here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from poise.errors import InputError, UnknownNameError
from poise.project import Project
from poise.project.clip_entry import ClipEntry
from poise.project.commands import Group, PutClip, SetField
from poise.project.document import Document
from poise.project.layer import Layer
from poise.studio.server import drafts

LENGTH, RATE = 2.0, 60
"""Of a motion that is only a pose yet [s, frames/s]."""
KEYS = "key-frames"


def begun(start: str, name: str, now: Project, folder: Path) -> Path:
    """Make a project and give its file: ``start`` is one of ``STARTS``, or ``draft`` to go on with one."""
    if start == "draft":
        waiting = [path.name for path in folder.glob(f"{drafts.STEM}*.poise")]
        if name not in waiting:
            raise UnknownNameError("draft", name, waiting, where="the workspace")
        return folder / name
    if start not in STARTS:
        raise UnknownNameError("beginning of a project", start, [*STARTS, "draft"])
    made = drafts.begun(STARTS[start](name, now), folder)
    made.close()
    if made.path is None:
        raise InputError("the workspace is read-only: a new project cannot be saved in it")
    return made.path


def _character(name: str, now: Project) -> Project:
    """A bundled one in its rest pose."""
    from poise.character import presets

    if name not in presets.names():
        raise UnknownNameError("bundled character", name, presets.names())
    return _posed(Project(), name, ClipEntry(bundled=name))


def _motion(name: str, now: Project) -> Project:
    """A bundled clip."""
    from poise import clips

    if name not in clips.names():
        raise UnknownNameError("bundled clip", name, clips.names())
    return Project().add_clip(name, name).add("load", name, clip=name)


def _open(name: str, now: Project) -> Project:
    """Whoever is on the stage, in the first pose of their clip; the clip comes along."""
    clip, entry = performer(now.document)
    made = Project()
    if entry.file:
        file, read = now.assets.folder / entry.file, entry.read
        return _posed(made, clip, made.assets.entry(file, dict(read) if read else None))
    if entry.inside:
        made.assets.blobs[entry.inside] = now.assets.blobs[entry.inside]
    return _posed(made, clip, entry)


def _boxer(name: str, now: Project) -> Project:
    from poise.project.drunken_boxer import drunken_boxer

    return drunken_boxer()


STARTS: dict[str, Callable[[str, Project], Project]] = {
    "character": _character,
    "motion": _motion,
    "open": _open,
    "boxer": _boxer,
}


def _posed(project: Project, clip: str, entry: ClipEntry) -> Project:
    """Two keys of one pose, of the clip's character: something to drag, and time to fill."""
    put = PutClip(name=clip, clip=entry)
    project.do(Group(commands=(put, SetField(field="character", value=clip))))
    poses = [{"time": time, "clip": clip, "at": 0.0} for time in (0.0, LENGTH)]
    return project.add("key", KEYS, keyframes={"poses": poses, "pins": []}, fps=RATE)


def performer(document: Document) -> tuple[str, ClipEntry]:
    """The clip whose character is on the stage, with its name."""
    from poise.operations.assemble import Assemble
    from poise.operations.load import Load
    from poise.operations.retarget import Retarget

    acting = [layer for layer in document.layers if not layer.muted]
    for layer in reversed(acting):
        if isinstance(layer, Retarget):
            return layer.onto, document.clips[layer.onto]
        if isinstance(layer, Assemble):
            who = layer.onto or layer.strips[0].clip
            return who, document.clips[who]
        if isinstance(layer, Load):
            return layer.clip, document.clips[layer.clip]
        if layer.starts:
            own = document.character or _preset(layer)
            return own, document.clips.get(own, ClipEntry(bundled=own))
    raise InputError("there is no figure on the stage: no layer starts a motion")


def _preset(layer: Layer) -> str:
    """The bundled character that a layer names, where its motion comes from no clip."""
    from poise.character import presets
    from poise.methods.plan.scene.bundled import scene_of
    from poise.operations.key import Key
    from poise.operations.perform import Perform
    from poise.operations.plan import Plan

    who: object = None
    match layer:
        case Plan():
            who = layer.character or (None if layer.template else scene_of(layer.scene).character)
        case Key():
            who = layer.keyframes.get("character") if isinstance(layer.keyframes, Mapping) else None
        case Perform(script=str(script)):
            from poise.methods.perform.script import file as script_file

            who = script_file.read_data(script_file.bundled(script)).get("character")
        case Perform(script=Mapping() as script):
            who = script.get("character")
    if who is None:
        who = "humanoid"  # as these methods have it
    if not isinstance(who, str) or not (who in presets.names() or who in layer.uses()):
        raise InputError(f"layer {layer.name!r} has a character of its own that no clip holds")
    return who
