"""A recipe: what is done to every clip, step by step.

    {"poise": "recipe", "version": 1, "output": ".glb",
     "steps": [{"do": "fix"},
               {"do": "retarget", "onto": "humanoid"},
               {"do": "adapt"},
               {"do": "loosen", "tension": "relaxed"},
               {"do": "check"},
               {"do": "convert", "fps": 30}]}

Steps that change a motion have the fields of a project's layers; ``check`` and ``fix`` those of their verbs.
Where ``output`` is left out, reports are all that is written. ``read`` says how files are read, where a guess
is wrong (and which ``animation`` of files that have several: the first that moves the skeleton; with
``"animations": "all"`` each of them). Clips that came from GLB or glTF are written into copies of their
files; ``"fresh": true`` writes new documents. Clips that steps name (``onto``) are bundled ones, presets, or
files beside the recipe.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from poise.errors import InputError, UnknownNameError
from poise.project.decoding import converted, layer_from
from poise.project.layer import Layer
from poise.reading import beside, blaming, is_regular, read_bytes, read_json
from poise.version import __version__

VERSION = 1
FIELDS = ("poise", "version", "name", "read", "output", "fresh", "animations", "steps")
DOCUMENTS = (".glb", ".gltf")
"""Files that hold several animations, and much else."""
LAYERS = {"loosen": "kinodynamics", "adapt": "adaptation", "retarget": "retarget", "pose": "tracks"}
"""Steps that are layers, by the word of their verb."""


class Step(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", forbid_unknown_fields=True):
    """A step that is no layer."""

    def check(self) -> None:
        """Whatever can be said without a motion."""


class Judging(Step, frozen=True, kw_only=True):
    """What checks and fixes go by."""

    floor: float | None = None
    """Height of the floor [m]; null: estimated."""
    filter: float | None = 10.0
    """Cut-off against capture noise [Hz]; null: none."""


class Check(Judging, tag="check", frozen=True, kw_only=True):
    """Judge the motion as it then is."""


class Fix(Judging, tag="fix", frozen=True, kw_only=True):
    """Repair what a check finds, and judge what came of it."""

    only: tuple[str, ...] | None = None

    def check(self) -> None:
        from poise.repair.fix import REPAIRS

        for name in self.only or ():
            if name not in REPAIRS:
                raise UnknownNameError("repair", name, REPAIRS)


class Convert(Step, tag="convert", frozen=True, kw_only=True):
    """Another rate, or only a part of the clip."""

    fps: float | str | None = None
    range: tuple[float | None, float | None] | None = None
    """From and to [s]."""

    def check(self) -> None:
        from poise.motion.frame_times import exact_rate

        if self.fps is not None:
            exact_rate(self.fps)


STEPS: dict[str, type[Step]] = {"check": Check, "fix": Fix, "convert": Convert}


@dataclass(frozen=True, kw_only=True, eq=False)
class Recipe:
    """Steps and the kind of file they end in."""

    steps: tuple[Step | Layer, ...]
    output: str = ""
    """Extension of the files to write; none: reports only."""
    fresh: bool = False
    """Whether clips from documents are written as new documents."""
    animations: str = "first"
    """Of files that have several: "first" (or the one that ``read`` names), or "all"."""
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
        """Clips that steps name, beside the one they are given."""
        used = (name for step in self.steps if isinstance(step, Layer) for name in step.uses())
        return sorted(set(used))

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
    if data.get("version", VERSION) != VERSION:
        raise InputError(f"field 'version': {data['version']} is not known; this Poise reads {VERSION}")
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
    if fresh and output not in DOCUMENTS:
        raise InputError(f"field 'fresh': only documents ({', '.join(DOCUMENTS)}) can be written anew")
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
        read=read,
        data=dict(data),
        folder=str(Path(folder).resolve()),
    )
    for name in made.named():
        made.file(name)
    return made


def _animations(data: Mapping[str, Any], steps: tuple[Step | Layer, ...], read: Mapping[str, Any]) -> str:
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
        retargets = any(isinstance(step, Layer) and step.kind == "retarget" for step in steps)
        clash = "read.animation" if "animation" in read else "fresh" if data.get("fresh") else ""
        if clash or retargets:
            raise InputError(f"field 'animations': all does not go with {clash or 'retarget'}")
    return str(wanted)


def read_recipe(path: str | Path) -> Recipe:
    """A recipe from a JSON file."""
    path = Path(path)
    data = read_json(path)
    with blaming(path, "a recipe"):
        return recipe_from(data, path.parent)


def _step(entry: Any, where: str) -> Step | Layer:
    if not isinstance(entry, dict) or not isinstance(entry.get("do"), str):
        raise InputError(f'{where}: a step is written {{"do": …}}, not {entry!r:.40}')
    word, fields = entry["do"], {k: v for k, v in entry.items() if k != "do"}
    made: Step | Layer
    if word in STEPS:
        made = converted(entry, STEPS[word], where)
    elif word in LAYERS:
        made = layer_from({"kind": LAYERS[word], "name": word, **fields}, where)
        if made.starts:
            raise InputError(f"{where}: a step works on the clip; these tracks have poses of their own")
    else:
        raise UnknownNameError("step", word, sorted([*STEPS, *LAYERS]), where=where)
    try:
        made.check()
    except InputError as problem:
        raise InputError(f"{where} ({word}): {problem}") from None
    return made
