"""What layers were asked for, measured on the motion that is handed out; judged by plain placement."""

from __future__ import annotations

import numpy as np
import pytest

from poise.constraints import pin
from poise.kinematics import Kinematics
from poise.project import Project
from poise.project.checks import checks, reports

AT, PLACE = 0.5, (0.35, -0.3, 1.25)


@pytest.fixture(scope="module")
def waving() -> Project:
    """A hand put somewhere by an adaptation."""
    project = Project().add_clip("walk", "walk").add("load", "walk", clip="walk")
    reach = pin("RightHand", PLACE, AT, name="hand")
    return project.add("adapt", "reach", plants=False, constraints=[reach])


def found(project: Project):
    document = project.document
    results = project.evaluator.results(document)
    return checks(project.evaluator.plan(document), results), results


def off(project: Project) -> float:
    """How far the hand really is from its place in the final motion [m]."""
    clip = project.made().clip
    return float(np.linalg.norm(Kinematics(clip.character, clip.at(AT)).point("RightHand")[0] - PLACE))


def test_what_its_layer_meets_and_nobody_changes_is_met(waving):
    (check,), _ = found(waving)
    assert (check.layer, check.outcome.name, check.outcome.met) == ("reach", "hand", True)
    assert check.broken_by == check.until == ""
    assert off(waving) <= check.outcome.tolerance


def test_the_layer_that_breaks_it_is_named_with_the_error_there_is(waving):
    project = Project(waving.document).add("loosen", "drunk", tension="drunk")
    (check,), results = found(project)
    assert not check.outcome.met
    assert check.broken_by == "drunk"
    assert check.outcome.reason == "broken by 'drunk'"
    assert check.outcome.error == pytest.approx(off(project), abs=1e-9)
    assert not reports([check], results)["reach"].met  # every panel says so, not the status line alone


def test_a_weight_is_measured_too(waving):
    project = Project(waving.document).set("reach", weight=0.5)
    (check,), _ = found(project)
    assert not check.outcome.met
    assert check.broken_by == ""
    assert check.outcome.error == pytest.approx(off(project), abs=1e-9)


def test_what_comes_after_other_frames_is_not_known_and_said_to_be(waving):
    project = Project(waving.document).add("trim", "part", start=0.1, end=0.9)
    (check,), _ = found(project)
    assert check.outcome.met
    assert check.until == "part"


def test_a_motion_that_is_only_tried_is_measured_as_well(waving):
    document = waving.document
    results = waving.evaluator.results(document)
    clip = results["reach"].clip
    moved = clip.with_q(np.array(clip.q) + np.eye(1, clip.q.shape[1])[0] * 0.1)  # 10 cm along x
    (check,) = checks(waving.evaluator.plan(document), results, moved)
    assert check.outcome.error == pytest.approx(0.1, abs=check.outcome.tolerance)


HELD = (0.3, -0.25, 1.2)


@pytest.fixture(scope="module")
def pinned() -> Project:
    """The same by a pin of key-frames over the motion."""
    project = Project().add_clip("walk", "walk").add("load", "walk", clip="walk")
    pins = [{"point": "RightHand", "at": [AT, AT], "to": list(HELD), "fade": 0.1}]
    return project.add("key", "keys", keyframes={"pins": pins})


def far(project: Project) -> float:
    clip = project.made().clip
    return float(np.linalg.norm(Kinematics(clip.character, clip.at(AT)).point("RightHand")[0] - HELD))


def test_pins_of_key_frames_are_measured_after_later_layers(pinned):
    (check,), _ = found(pinned)
    assert check.outcome.met
    assert check.broken_by == check.until == ""
    assert far(pinned) <= check.outcome.tolerance
    project = Project(pinned.document).add("loosen", "drunk", tension="drunk")
    (check,), _ = found(project)
    assert not check.outcome.met
    assert check.broken_by == "drunk"
    assert far(project) > 1e-2
    assert check.outcome.error == pytest.approx(far(project), abs=1e-9)


def test_half_of_what_key_frames_ask_for_is_not_met(pinned):
    project = Project(pinned.document).set("keys", weight=0.5)
    (check,), _ = found(project)
    assert not check.outcome.met
    assert check.broken_by == ""
    assert check.outcome.error == pytest.approx(far(project), abs=1e-9)
