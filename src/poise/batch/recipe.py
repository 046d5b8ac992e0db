"""A recipe: what is done to every clip, step by step.

    {"poise": "recipe", "version": 2, "output": ".glb",
     "steps": [{"do": "fix"},
               {"do": "retarget", "onto": "humanoid"},
               {"do": "adapt"},
               {"do": "loosen", "tension": "relaxed"},
               {"do": "check"},
               {"do": "resample", "fps": 30}]}

Steps are operations, with the options that these have everywhere.
Where ``output`` is left out, reports are all that is written. ``read`` says how files are read, where a guess
is wrong (and which ``animation`` of files that have several: the first that moves the skeleton; with
``"animations": "all"`` each of them). Clips that came from GLB or glTF are written into copies of their
files; ``"fresh": true`` writes new documents. Clips that steps name (``onto``) are bundled ones, presets, or
files beside the recipe.

    {"motion": "walk", "output": ".glb", "steps": [{"do": "retarget", "onto": "each"}]}

gives one motion to every character of the folder: files are then those who perform.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from poise.errors import InputError, UnknownNameError
from poise.operations.declare import Operation
from poise.operations.decoding import converted
from poise.operations.registry import operations
from poise.reading import beside, blaming, is_regular, read_bytes, read_json
from poise.version import __version__

VERSION = 2
FIELDS = ("poise", "version", "name", "read", "output", "fresh", "animations", "motion", "steps")
EACH = "each"
"""What a step retargets onto where one motion is given to every file of the folder."""
DOCUMENTS = (".glb", ".gltf")
"""Files that hold several animations, and much else."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Recipe:
    """Steps and the kind of file they end in."""

    steps: tuple[Operation, ...]
    output: str = ""
    """Extension of the files to write; none: reports only."""
    fresh: bool = False
    """Whether clips from documents are written as new documents."""
    animations: str = "first"
    """Of files that have several: "first" (or the one that ``read`` names), or "all"."""
    motion: str = ""
    """The clip that every file of the folder is given; none: files are the clips."""
    read: dict[str, Any] = field(default_factory=dict)
    """Options of the format that clips are read from."""
    data: dict[str, Any] = field(default_factory=dict)
    """As it was written: what goes to other processes."""
    folder: str = ""
    """Where files that steps name are looked for."""

    @property
    def digest(self) -> str:
        """Of what was asked, the files that steps name, and who did it: results of another are made anew."""
        text = json.dumps(self.data, sort_keys=True, ensure_ascii=False)
        found = sha256(f"{__version__}\0{text}".encode())
        for name in self.named():
            found.update(b"\0" + name.encode())
            file = self.file(name)
            if file is not None:
                found.update(read_bytes(file))
        return found.hexdigest()

    def named(self) -> list[str]:
        """Clips that are named, beside the file that is worked on."""
        found = {name for step in self.steps for name in step.uses()} | {self.motion}
        return sorted(found - {"", EACH} if self.motion else found - {""})

    def file(self, name: str) -> Path | None:
        """The file of a clip that a step names; None if it is bundled."""
        from poise import clips
        from poise.character import presets

        path = beside(self.folder, name, "a clip of the recipe")
        if is_regular(path):
            return path
        if name in (*clips.names(), *presets.names()):
            return None
        known = [*presets.names(), *clips.names()]
        raise UnknownNameError(f"file in {self.folder}, bundled clip or preset", name, known)


def recipe_from(data: Any, folder: str | Path = "") -> Recipe:
    """A recipe from plain data; errors name the step and the field."""
    if not isinstance(data, Mapping):
        raise InputError(f"a recipe is a mapping with steps, not {type(data).__name__}")
    for name in data:
        if name not in FIELDS:
            raise UnknownNameError("field of a recipe", name, FIELDS)
    if data.get("poise", "recipe") != "recipe":
        raise InputError(f"field 'poise': this is a {data['poise']!r}, not a recipe")
    version = data.get("version", 1 if _is_old(data.get("steps")) else VERSION)
    if version not in (1, VERSION):
        raise InputError(f"field 'version': {version} is not known; this Poise reads 1 and {VERSION}")
    if version == 1:
        data = {**data, "version": VERSION, "steps": _from_1(data.get("steps"))}
    data = {**data, "steps": _with_surfaces(data.get("steps"))} if "steps" in data else data
    listed, output, read = data.get("steps"), data.get("output", ""), data.get("read", {})
    if not isinstance(listed, list) or not listed:
        raise InputError("field 'steps': a recipe needs a list of at least one step")
    if not isinstance(read, dict):
        raise InputError(f'field \'read\': options are written {{"up": "z"}}, not {read!r:.40}')
    if "skeleton" in read:
        beside(folder, os.path.abspath(str(read["skeleton"])), "field 'read': the skeleton")
    fresh = data.get("fresh", False)
    if not isinstance(fresh, bool):
        raise InputError(f"field 'fresh': true or false, not {fresh!r:.40}")
    if fresh:
        from poise.formats.registry import IN_PLACE

        if output not in IN_PLACE:
            raise InputError(f"field 'fresh': only {', '.join(IN_PLACE)} files can be written anew")
    steps = tuple(_step(entry, f"step {k}") for k, entry in enumerate(listed))
    if output:
        from poise import formats

        if output not in formats.extensions(writing=True):
            raise UnknownNameError("output", output, formats.extensions(writing=True))
    made = Recipe(
        steps=steps,
        output=output,
        fresh=fresh,
        animations=_animations(data, steps, read),
        motion=_motion(data, steps),
        read=read,
        data=dict(data),
        folder=str(Path(folder).resolve()),
    )
    for name in made.named():
        made.file(name)
    return made


def _animations(data: Mapping[str, Any], steps: tuple[Operation, ...], read: Mapping[str, Any]) -> str:
    """The field, checked against what cannot be done with several animations at once."""
    wanted = data.get("animations", "first")
    if wanted not in ("first", "all"):
        raise UnknownNameError("field 'animations'", str(wanted), ("first", "all"))
    if wanted == "all":
        if data.get("output", "") not in ("", *DOCUMENTS):
            raise InputError(
                f"field 'animations': {data['output']} files hold one animation each; write "
                f'{" or ".join(DOCUMENTS)}, only reports, or name one ({{"read": {{"animation": …}}}})'
            )
        retargets = any(step.do == "retarget" for step in steps)
        clash = "read.animation" if "animation" in read else "fresh" if data.get("fresh") else ""
        if clash or retargets:
            raise InputError(f"field 'animations': all does not go with {clash or 'retarget'}")
    return str(wanted)


def _motion(data: Mapping[str, Any], steps: tuple[Operation, ...]) -> str:
    """The field, checked against the step that gives it to the files."""
    motion = data.get("motion", "")
    if not isinstance(motion, str):
        raise InputError(f"field 'motion': a bundled clip or a file beside the recipe, not {motion!r:.40}")
    takes = any(EACH in step.uses() for step in steps)
    if motion and not takes:
        raise InputError(
            "field 'motion': every file of the folder performs it, by a step "
            f'{{"do": "retarget", "onto": "{EACH}"}}, and there is none'
        )
    return motion


def read_recipe(path: str | Path) -> Recipe:
    """A recipe from a JSON file."""
    path = Path(path)
    data = read_json(path)
    with blaming(path, "a recipe"):
        return recipe_from(data, path.parent)


def _step(entry: Any, where: str) -> Operation:
    if not isinstance(entry, dict) or not isinstance(entry.get("do"), str):
        raise InputError(f'{where}: a step is written {{"do": …}}, not {entry!r:.40}')
    word = entry["do"]
    known = {name: each for name, each in operations().items() if each.INPUT != "never"}
    if word not in known:
        raise UnknownNameError("step", word, known, where=where)
    made = converted(entry, known[word], where)
    if made.starts:
        raise InputError(f"{where}: a step works on the clip; this {word} starts a motion of its own")
    try:
        made.check()
    except InputError as problem:
        raise InputError(f"{where} ({word}): {problem}") from None
    return made


def _with_surfaces(steps: Any) -> Any:
    """Steps whose obstacles, which were a kind of their own once, are surfaces of a world."""
    from poise.project.old_obstacles import with_surfaces

    if not isinstance(steps, list):
        return steps
    return [with_surfaces(s) if isinstance(s, dict) and "obstacles" in s else s for s in steps]


def _is_old(steps: Any) -> bool:
    """Whether steps that do not say their version have words of the first."""
    entries = [entry for entry in steps if isinstance(entry, dict)] if isinstance(steps, list) else []
    return any(e.get("do") == "convert" or (e.get("do") == "pose" and "tracks" in e) for e in entries)


def _from_1(steps: Any) -> Any:
    """Steps of the first version: other names, and one step that cut and resampled."""
    from poise.project.migration import renamed_options

    found: list[Any] = []
    for entry in steps if isinstance(steps, list) else ():
        word = entry.get("do") if isinstance(entry, dict) else None
        if word == "convert":
            first, last = entry.get("range") or (None, None)
            if first is not None or last is not None:
                found.append({"do": "trim", "start": first, "end": last, "fit": True})
            if entry.get("fps") is not None:
                found.append({"do": "resample", "fps": entry["fps"]})
            if found == [] and len(steps) == 1:
                found.append({"do": "trim"})  # all of it
        elif isinstance(entry, dict) and isinstance(word, str):
            do = "key" if word == "pose" else word
            found.append({"do": do, **renamed_options(do, {k: v for k, v in entry.items() if k != "do"})})
        else:
            found.append(entry)
    return found if isinstance(steps, list) else steps
