"""Films of a project: as many frames as the motion has, drawn from the exact motion; or a reason why not."""

from __future__ import annotations

import pytest
from PIL import Image

from poise.errors import CancelledError, InputError, UnknownNameError
from poise.project import Project
from poise.studio.server.film import write_film


@pytest.fixture(scope="module")
def made():
    project = Project().add_clip("wave", "wave").add("load", "wave", clip="wave")
    project.add("trim", "part", start=0.0, end=0.2)
    return project.made()


def test_a_film_has_every_frame_and_tells_how_far_it_is(made, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("poise.studio.server.film", fromlist=["SIZES"]).SIZES, "540p", (96, 54))
    told: list[float] = []
    options = {"size": "540p", "fps": 10, "view": "side"}
    path = write_film(made, tmp_path / "a.gif", options, lambda what, part: told.append(part), lambda: False)
    with Image.open(path) as picture:
        assert (picture.n_frames, picture.size) == (3, (96, 54))
    assert told == pytest.approx([1 / 3, 2 / 3, 1.0])


@pytest.mark.parametrize("options", [{"size": "8k"}, {"fps": 0}, {"fps": "fast"}, {"fps": True}, {"zoom": 1}])
def test_what_a_film_cannot_be_is_refused(made, tmp_path, options):
    with pytest.raises((InputError, UnknownNameError)):
        write_film(made, tmp_path / "a.gif", options, lambda what, part: None, lambda: False)
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_is_stopped_leaves_nothing(made, tmp_path):
    with pytest.raises(CancelledError):
        write_film(made, tmp_path / "a.gif", {"fps": 5}, lambda what, part: None, lambda: True)
    assert list(tmp_path.iterdir()) == []
