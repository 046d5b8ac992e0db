"""The project of the demo: every layer does what the gallery says of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from poise import clips
from poise.constraints import Always, FootPlant
from poise.kinematics import Kinematics
from poise.project.drunken_boxer import FRONT, POINT, REAR, TARGET, TIME

sys.path.append(str(Path(__file__).parents[1] / "papers"))
from scenes import example


@pytest.fixture(scope="module")
def boxer():
    return example("60_drunken_boxer").scene()


def test_the_drunk_stands_but_misses_and_is_put_right(boxer):
    assert boxer.miss("punch") > 0.1
    assert boxer.miss("aim") < 1e-4
    assert boxer.slip("aim") < 2e-3
    assert boxer.miss("drunk") > 0.5
    assert boxer.slip("drunk") < 2e-3, "planted feet stay planted"
    assert boxer.miss("hit") < 1e-6
    assert boxer.slip("hit") < 2e-3
    assert boxer.miss("stand") < 1e-4
    assert boxer.slip("stand") < 1e-3
    assert all(made.met for made in boxer.project.evaluator.results(boxer.project.document).values())


def test_what_is_written_down_fits_the_clip():
    punch = clips.get("punch")
    fist = Kinematics(punch.character, punch.at(TIME)).point(POINT)[0]
    assert 0.1 < TARGET[2] - fist[2] < 0.15
    assert 0.08 < TARGET[1] - fist[1] < 0.12
    for points, written in ((("LeftHeel", "LeftBall"), FRONT), (("RightBall",), REAR)):
        seen = FootPlant(dict.fromkeys(points, Always())).estimate(punch)
        assert (seen.x, seen.y, seen.yaw) == pytest.approx(written, abs=1e-8)


def test_it_survives_its_file(boxer, tmp_path):
    from poise import project as projects

    again = projects.open(boxer.project.save(tmp_path / "boxer.poise"))
    assert again.document == boxer.project.document
    assert (tmp_path / "boxer.poise").stat().st_size < 20_000
