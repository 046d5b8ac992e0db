"""Constraints that are muted: kept in the document, without effect on the motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from boxing import boxer

from poise.errors import InputError
from poise.project import Project


def motion(project: Project, layer: str) -> Any:
    return project.evaluator.made(project.document, layer).clip.q


def test_muted_targets_leave_the_loose_motion() -> None:
    project = boxer().set("loose", joint_limits=False)  # which hits do without
    loose, hit = "loose", "hit"
    assert np.abs(motion(project, hit) - motion(project, loose)).max() > 0.01
    for number in range(len(project.document.layer(hit).constraints)):
        project.do({"do": "set", "layer": hit, "path": f"constraints/{number}/muted", "value": True})
    np.testing.assert_array_equal(motion(project, hit), motion(project, loose))
    project.undo()
    assert np.abs(motion(project, hit) - motion(project, loose)).max() > 0.01


def test_muted_is_true_or_false_and_what_is_muted_is_still_checked() -> None:
    project = boxer()
    hit = "hit"
    with pytest.raises(InputError, match="'muted' must be true or false"):
        project.do({"do": "set", "layer": hit, "path": "constraints/0/muted", "value": "yes"})
    project.do({"do": "set", "layer": hit, "path": "constraints/0/muted", "value": True})
    with pytest.raises(InputError, match="handle"):
        project.do({"do": "set", "layer": hit, "path": "constraints/0/handle", "value": {"kind": "nonsense"}})
