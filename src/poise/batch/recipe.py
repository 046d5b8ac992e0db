"""A recipe: what is done to every clip, step by step.

    {"poise": "recipe", "version": 1, "output": ".glb",
     "steps": [{"do": "fix"},
               {"do": "retarget", "onto": "humanoid"},
               {"do": "adapt"},
               {"do": "loosen", "tension": "relaxed"},
               {"do": "check"},
               {"do": "convert", "fps": 30}]}

Steps that change a motion have the fields of a project's layers; ``check`` and ``fix`` those of their verbs.
Where ``output`` is left out, reports are all that is written.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Union

import msgspec

from poise.errors import FileFormatError, InputError, UnknownNameError
from poise.project.decoding import converted, layer_from
from poise.project.layer import Layer

VERSION = 1
LAYERS = {"loosen": "kinodynamics", "adapt": "adaptation", "retarget": "retarget", "pose": "tracks"}
"""Steps that are layers, by the word of their verb."""


class _Step(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", forbid_unknown_fields=True):
    """One step."""


class Check(_Step, tag="check", frozen=True, kw_only=True):
    """Judge the motion as it then is; the last check decides whether a clip counts as plausible."""

    floor: float | None = None
    filter: float | None = 10.0
    """Cut-off against capture noise [Hz]; null: none."""


class Fix(_Step, tag="fix", frozen=True, kw_only=True):
    """Repair what a check finds."""

    only: tuple[str, ...] | None = None
    floor: float | None = None
    filter: float | None = 10.0


class Convert(_Step, tag="convert", frozen=True, kw_only=True):
    """Another rate, or only a part of the clip."""

    fps: Annotated[float | str | None, msgspec.Meta(description="Frames per second")] = None
    range: tuple[float | None, float | None] | None = None
    """From and to [s]."""


STEPS: dict[str, type[_Step]] = {"check": Check, "fix": Fix, "convert": Convert}
Step = Union[Check, Fix, Convert, Layer]  # noqa: UP007  of a struct's subclasses


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """Steps and the kind of file they end in."""

    steps: tuple[Any, ...]
    output: str = ""
    digest: str = ""
    """Of what was asked: results of another recipe are made anew."""


def recipe_from(data: Any) -> Recipe:
    """A recipe from plain data; errors name the step and the field."""
    if not isinstance(data, dict):
        raise InputError(f"a recipe is a mapping with steps, not {type(data).__name__}")
    known = ("poise", "version", "name", "output", "steps")
    for field in data:
        if field not in known:
            raise UnknownNameError("field of a recipe", field, known)
    if data.get("poise", "recipe") != "recipe":
        raise InputError(f"field 'poise': this is a {data['poise']!r}, not a recipe")
    if data.get("version", VERSION) != VERSION:
        raise InputError(f"field 'version': {data['version']} is not known; this Poise reads {VERSION}")
    listed = data.get("steps")
    if not isinstance(listed, list) or not listed:
        raise InputError("field 'steps': a recipe needs a list of at least one step")
    steps = tuple(_step(entry, f"step {k}") for k, entry in enumerate(listed))
    output = data.get("output", "")
    if output:
        from poise import formats

        if output not in formats.extensions(writing=True):
            raise UnknownNameError("output", output, formats.extensions(writing=True))
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return Recipe(steps=steps, output=output, digest=sha256(text.encode()).hexdigest())


def read_recipe(path: str | Path) -> Recipe:
    """A recipe from a JSON file."""
    return recipe_from(read_json(Path(path)))


def read_json(path: Path) -> Any:
    """Plain data from a file; errors name the line."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as problem:
        raise FileFormatError(path, problem.msg, line=problem.lineno) from None
    except UnicodeDecodeError:
        raise FileFormatError(path, "not a text file in UTF-8") from None
    except OSError as problem:
        raise FileFormatError(path, problem.strerror or "cannot be read") from None


def _step(entry: Any, where: str) -> Any:
    if not isinstance(entry, dict) or not isinstance(entry.get("do"), str):
        raise InputError(f'{where}: a step is written {{"do": …}}, not {entry!r:.40}')
    word, fields = entry["do"], {k: v for k, v in entry.items() if k != "do"}
    words = sorted([*STEPS, *LAYERS])
    if word in STEPS:
        return converted(entry, STEPS[word], where)
    if word not in LAYERS:
        raise UnknownNameError("step", word, words, where=where)
    layer = layer_from({"kind": LAYERS[word], "name": word, **fields}, where)
    try:
        layer.check()
    except InputError as problem:
        raise InputError(f"{where}: {problem}") from None
    return layer
