"""Whatever stands in a file, reading and evaluating it ends in an explanation, never in a traceback."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from boxing import FIST

from poise.errors import InputError, PoiseError
from poise.project import Project
from poise.project.container import unpacked

JUNK: list[Any] = [None, True, -1, 0, 1e6, "", "x", [], {}, [1], [None], {"a": 1}, [[]], [{}], "right arm"]
WHOLE: dict[str, Any] = {
    "poise": "project",
    "version": 2,
    "name": "all kinds",
    "clips": {"punch": {"bundled": "punch"}, "file": {"file": "x.bvh", "sha256": "0" * 64, "read": {"up": "z"}}},
    "layers": [
        {"kind": "source", "name": "take", "clip": "punch"},
        {
            "kind": "tracks",
            "name": "keys",
            "tracks": {
                "version": 1,
                "character": "humanoid",
                "poses": [{"time": 0, "joints": {"LeftLeg": "10 deg"}}, {"time": 0.2, "clip": "punch", "at": 0.1}],
                "pins": [{"point": "LeftHandCentre", "at": [0, 0.1]}],
            },
        },
        {
            "kind": "beat",
            "name": "blow",
            "follow": True,
            "perturbations": [{"kind": "impulse", "time": 0.1, "point": "Head", "impulse": [0, 1, 0]}],
            "limits": {"*": 500.0},
        },
        {"kind": "beat", "name": "wave", "script": {"poses": {"Up": {"LeftArm": [0, 0, 9]}}, "keys": [["Up", 0.2]]}},
        {
            "kind": "synthesis",
            "name": "scene",
            "scene": {"character": "lamp", "segments": [{"kind": "stance", "duration": 0.1, "holds": ["Base"]}]},
        },
        {"kind": "source", "name": "again", "clip": "punch"},
        {"kind": "adaptation", "name": "feet", "constraints": [FIST], "prices": {"Head": 2.0}, "floor": True},
        {"kind": "kinodynamics", "name": "loose", "window": 0.1, "tension": [{"time": 0, "tension": {"*": 3.0}}]},
        {"kind": "targets", "name": "hit", "constraints": [FIST], "shapes": {"fist": {"width": 0.5}}},
    ],
}  # fmt: skip


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in plain data."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(p for key, value in items for p in places(value, (*path, key)))]


def spoilt(rng: random.Random) -> Any:
    """The whole with something at one place replaced, left out or added."""
    data = copy.deepcopy(WHOLE)
    path = rng.choice([p for p in places(data) if p])
    holder = data
    for key in path[:-1]:
        holder = holder[key]
    what = rng.random()
    if what < 0.7:
        holder[path[-1]] = copy.deepcopy(rng.choice(JUNK))
    elif what < 0.9:
        del holder[path[-1]]
    elif isinstance(holder, dict):
        holder[rng.choice(["weight", "input", "kind", "surprise", "name"])] = copy.deepcopy(rng.choice(JUNK))
    return data


def test_the_whole_is_read():
    document = unpacked(json.dumps(WHOLE).encode(), Path("x")).document
    assert len(document.layers) == 9


@pytest.mark.parametrize("seed", range(4))
def test_spoilt_files_are_explained(seed):
    rng = random.Random(seed)
    refused = 0
    for _ in range(250):
        data = spoilt(rng)
        try:
            unpacked(json.dumps(data).encode(), Path("x.poise"))
        except InputError as problem:
            refused += 1
            assert str(problem).startswith("x.poise:")
            assert "\n" not in str(problem)
    assert refused > 80


def test_what_passes_as_a_file_but_means_nothing_is_explained_when_evaluated():
    rng = random.Random(9)
    evaluated = 0
    for _ in range(120):
        data = spoilt(rng)
        data_layers = data.get("layers") if isinstance(data, dict) else None
        try:
            document = unpacked(json.dumps(data).encode(), Path("x.poise")).document
        except InputError:
            continue
        if data_layers == WHOLE["layers"]:
            continue
        project = Project(document)
        was = {layer["name"]: layer for layer in WHOLE["layers"]}
        for layer in json.loads(json.dumps(document.to_dict())).get("layers", ()):
            if layer != was.get(layer["name"]):  # only what was spoilt: the rest is tested elsewhere
                try:
                    project.clip(layer["name"])
                except PoiseError as problem:
                    evaluated += 1
                    assert str(problem).startswith(("layer ", "no layer", "clip "))
    assert evaluated > 3
