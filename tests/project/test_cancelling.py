"""Layers that take their time say how far they are, can be stopped on the way, and then leave no trace."""

from __future__ import annotations

import time

import numpy as np
import pytest
from boxing import boxer

from poise import clips
from poise.constraints import pin
from poise.errors import CancelledError
from poise.project import Project

FRACTION, MOMENT = 0.5, 0.5
"""The longest that anybody waits who has had enough: over the time of the whole work, or so many seconds."""


def hitting() -> Project:
    return boxer()


def adapting() -> Project:
    return boxer(hits=False).set("loose", muted=True)


def performing() -> Project:
    return Project().add("perform", "baton", script="conducting", duration=8.0)


def synthesising() -> Project:
    return Project().add("plan", "jump", scene="side jump")


def mending() -> Project:
    jump = clips.get("jump")
    q = np.array(jump.q)
    q[20:40, 2] -= 0.06
    project = Project().add_clip("jump", jump.with_q(q)).add("load", clip="jump")
    return project.add("fix", "mended")


def wearing() -> Project:
    project = boxer(hits=False).set("loose", muted=True)
    project.add("wear", "hat", modes=6, cells=60)
    worn = project.made().attached[0]
    tip, points = worn.attachment.point("tip"), worn.attachment.surface.points
    vertex = int(np.argmin(np.linalg.norm(points - tip.place, axis=1)))
    there = worn.mesh.vertices[30, vertex] + (0.02, 0.03, -0.02)
    asked = pin("Head", there.tolist(), float(worn.clip.times[30]), name="tip").replaced(handle=tip)
    return project.set("hat", constraints=[asked], width=1.2)


def _rests_on(project: Project) -> str:
    """The layer below the work; "" where it starts from nothing."""
    last = project.evaluator.plan(project.document)[-1]
    return last.below.layer.name if last.below is not None else ""


@pytest.mark.parametrize("make", [hitting, adapting, performing, synthesising, mending, wearing])
def test_work_can_be_stopped_at_any_look_and_done_again(make):
    project = make()
    document, digest, below = project.document, project.document.digest, _rests_on(project)
    made = project.made()

    def forget() -> None:
        """All but what the work rests on."""
        project.evaluator.cache.clear()
        if below:
            project.made(below)

    forget()
    looks, parts = [time.process_time()], []

    def look() -> bool:
        looks.append(time.process_time())
        return False

    project.made(cancel=look, progress=lambda layer, part: parts.append(part))
    looks.append(time.process_time())
    gaps = np.diff(looks)
    assert gaps.max() <= max(FRACTION * gaps.sum(), MOMENT), (
        f"{gaps.max():.3f} of {gaps.sum():.3f} s without a look"
    )
    assert parts == sorted(parts)
    assert parts[-1] == 1.0
    asked = len(looks) - 2
    for stop in (1, asked // 2, asked):
        forget()
        left = stop

        def enough() -> bool:
            nonlocal left
            left -= 1
            return left <= 0

        with pytest.raises(CancelledError):
            project.made(cancel=enough)
        assert (project.document is document, project.document.digest) == (True, digest)
    assert np.array_equal(project.made().clip.q, made.clip.q), "nothing half done was kept"
