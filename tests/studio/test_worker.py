"""The solver's process without the process: what a task is answered with."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pytest

from poise.operations.frozen_data import encoded
from poise.project import Project
from poise.studio.server import worker
from poise.studio.server.messages import Problem
from poise.studio.server.stage_data import StageData


def problem_of(project: Project, task: worker.Task) -> Problem:
    stage, told = StageData(), []
    stage.move(project.assets.folder, dict(project.assets.blobs), project.assets.within)

    def tell(message: Any) -> None:
        told.append(message)

    worker._perform(stage, task, tell, ctypes.c_long(0))
    (found,) = [message for message in told if isinstance(message, Problem)]
    return found


@pytest.mark.parametrize("name", ["take", "it's", "layer 1 ('other')"])
def test_a_problem_bears_the_layer_it_is_about_whatever_that_is_called(tmp_path: Path, name: str):
    (tmp_path / "walk.bvh").write_text("not a motion")
    project = Project().add_clip("walk", tmp_path / "walk.bvh").add("load", name, clip="walk")
    found = problem_of(project, worker.Solve(revision=1, document=encoded(project.document)))
    assert found.layer == name
    assert found.text.startswith(f"layer 0 ({name!r}): ")


def test_a_problem_about_no_layer_bears_none():
    project = Project().add_clip("walk", "walk").add("load", "take", clip="walk")
    asked = worker.Question(question="layer 0 ('take')", about={}, document=encoded(project.document))
    assert problem_of(project, asked).layer == ""
