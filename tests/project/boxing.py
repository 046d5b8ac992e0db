"""A small project that tests share: a punch, feet kept, loosened, made to hit."""

from __future__ import annotations

from typing import Any

from poise.project import Project

FIST: dict[str, Any] = {
    "name": "fist",
    "handle": {"kind": "point_position", "point": "RightHandCentre"},
    "target": {"value": [0.7, -0.05, 1.35]},
    "when": {"at": 0.85},
}


def boxer(*, hits: bool = True) -> Project:
    project = Project()
    project.add_clip("punch", "punch")
    project.add("load", "take", clip="punch")
    project.add("adapt", "feet")
    project.add("loosen", "loose", tension="loose", window=0.3)
    if hits:
        project.add("hit", "hit", constraints=[FIST], tension="loose", window=0.3, input="feet")
    return project
