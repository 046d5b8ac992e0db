"""The solver's process without the process: what a task is answered with."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise.operations.frozen_data import encoded
from poise.project import Project
from poise.studio.server import session, worker
from poise.studio.server.messages import Answer, Problem
from poise.studio.server.questions import QUESTIONS
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


class Pipe:
    """Two ends in one: what is asked, and what came back."""

    def __init__(self, *asked: bytes) -> None:
        self.asked, self.said = [*asked, worker.END], []

    def recv_bytes(self) -> bytes:
        return self.asked.pop(0)

    def send_bytes(self, said: bytes) -> None:
        self.said.append(said)


def test_numbers_of_numpy_are_told_as_numbers(monkeypatch):
    """What methods measure is theirs: nobody makes plain numbers of it first."""
    monkeypatch.setitem(QUESTIONS, "animations", lambda asked: {"off": np.float64(0.25), "met": np.True_})
    monkeypatch.setattr(worker.signal, "signal", lambda *rest: None)
    asked = worker.Question(question="animations", about={}, document=encoded(Project().document), number=3)
    pipe = Pipe(worker.encode(asked))
    worker.main(pipe, ctypes.c_long(0), ctypes.c_long(0))
    texts = [json.loads(said[1:]) for said in pipe.said if said.startswith(worker.TEXT)]
    assert [t["value"] for t in texts if t["told"] == "answer"] == [{"off": 0.25, "met": True}], texts
    told = Answer(question="x", value={"off": np.float64(0.5)}, number=1)
    assert json.loads(session._text(told))["value"] == {"off": 0.5}
