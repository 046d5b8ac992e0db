"""Whatever stands in a file, reading and evaluating it ends in an explanation, never in a traceback."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from boxing import FIST

from poise.errors import PoiseError
from poise.project import VERSION, Document, Project
from poise.project.container import unpacked

JUNK: list[Any] = [None, True, -1, 0, 1e6, "", "x", [], {}, [1], [None], {"a": 1}, [[]], [{}], "right arm"]
WHOLE: dict[str, Any] = {
    "poise": "project",
    "version": VERSION,
    "name": "all kinds",
    "clips": {
        "punch": {"bundled": "punch"},
        "file": {"file": "x.bvh", "sha256": "0" * 64, "read": {"up": "z"}},
    },
    "layers": [
        {"do": "load", "name": "take", "clip": "punch"},
        {
            "do": "key",
            "name": "keys",
            "keyframes": {
                "version": 1,
                "character": "humanoid",
                "poses": [
                    {"time": 0, "joints": {"LeftLeg": "10 deg"}},
                    {"time": 0.2, "clip": "punch", "at": 0.1},
                ],
                "pins": [{"point": "LeftHandCentre", "at": [0, 0.1]}],
            },
        },
        {
            "do": "perform",
            "name": "blow",
            "follow": True,
            "disturbances": [{"kind": "impulse", "time": 0.1, "point": "Head", "impulse": [0, 1, 0]}],
            "strength": {"*": 500.0},
        },
        {
            "do": "perform",
            "name": "wave",
            "script": {"poses": {"Up": {"LeftArm": [0, 0, 9]}}, "keys": [["Up", 0.2]]},
        },
        {
            "do": "plan",
            "name": "scene",
            "scene": {
                "character": "lamp",
                "segments": [{"kind": "stance", "duration": 0.1, "holds": ["Base"]}],
            },
        },
        {"do": "load", "name": "again", "clip": "punch"},
        {"do": "adapt", "name": "feet", "constraints": [FIST], "prices": {"Head": 2.0}, "floor": True},
        {
            "do": "loosen",
            "name": "loose",
            "window": 0.1,
            "tension": [{"time": 0, "tension": {"*": 3.0}}],
        },
        {"do": "hit", "name": "hit", "constraints": [FIST], "widths": {"fist": {"width": 0.5}}},
    ],
}


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


def complaint(job: Callable[[], Any]) -> str:
    """What a job says is wrong; empty if nothing is."""
    try:
        job()
    except PoiseError as problem:
        return str(problem)
    return ""


def read(data: Any) -> Document:
    return unpacked(json.dumps(data).encode(), Path("x.poise")).document


def test_the_whole_is_read():
    assert len(read(WHOLE).layers) == 9


@pytest.mark.parametrize("seed", range(4))
def test_spoilt_files_are_explained(seed):
    rng = random.Random(seed)
    said = [complaint(lambda: read(spoilt(rng))) for _ in range(250)]
    refused = [text for text in said if text]
    assert len(refused) > 80
    assert all(text.startswith("x.poise:") and "\n" not in text for text in refused)


def test_what_passes_as_a_file_but_means_nothing_is_explained_when_evaluated():
    rng = random.Random(9)
    was = {layer["name"]: layer for layer in WHOLE["layers"]}
    said = []
    for _ in range(120):
        data = spoilt(rng)
        if complaint(lambda data=data: read(data)):
            continue
        project = Project(read(data))
        for layer in json.loads(json.dumps(project.document.to_dict())).get("layers", ()):
            if layer != was.get(layer["name"]):  # only what was spoilt: the rest is tested elsewhere
                said.append(complaint(lambda p=project, n=layer["name"]: p.clip(n)))
    wrong = [text for text in said if text]
    assert len(wrong) > 3
    assert all(text.startswith(("layer ", "clip ")) for text in wrong)
