"""Films of a project: as many frames as the motion has, drawn from the exact motion; or a reason why not."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

import numpy as np
import pytest
from PIL import Image

from poise.errors import CancelledError, InputError, UnknownNameError
from poise.project import Project
from poise.studio.server.film import write_film


@pytest.fixture(scope="module")
def made():
    project = Project().add_clip("wave", "wave").add("load", "wave", clip="wave")
    project.add("trim", "part", start=0.0, end=0.2)
    camera = {
        "keys": [
            {"eye": [3, 1, 1], "target": [0, 0, 0.9]},
            {"time": 0.2, "eye": [2, 2, 1], "target": [0, 0, 1]},
        ]
    }
    project.do({"do": "put-camera", "name": "hand", "camera": camera})
    return project.made(), project.document


def test_a_film_has_every_frame_and_tells_how_far_it_is(made, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("poise.studio.server.film", fromlist=["SIZES"]).SIZES, "540p", (96, 54))
    told: list[float] = []
    options = {"size": "540p", "fps": 10, "view": "side"}
    path = write_film(*made, tmp_path / "a.gif", options, lambda what, part: told.append(part), lambda: False)
    with Image.open(path) as picture:
        assert (picture.n_frames, picture.size) == (3, (96, 54))
    assert told == pytest.approx([1 / 3, 2 / 3, 1.0])


@pytest.mark.parametrize("options", [{"size": "8k"}, {"fps": 0}, {"fps": "fast"}, {"fps": True}, {"zoom": 1}])
def test_what_a_film_cannot_be_is_refused(made, tmp_path, options):
    with pytest.raises((InputError, UnknownNameError)):
        write_film(*made, tmp_path / "a.gif", options, lambda what, part: None, lambda: False)
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_is_stopped_leaves_nothing(made, tmp_path):
    with pytest.raises(CancelledError):
        write_film(*made, tmp_path / "a.gif", {"fps": 5}, lambda what, part: None, lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_every_kind_of_film_and_camera(made, tmp_path):
    cameras = (
        {"view": "orbit", "azimuth": 30, "elevation": 10},
        {"camera": "hand"},
        {"view": "top", "follow": "off", "background": "green"},
    )
    seen = set()
    for number, camera in enumerate(cameras):
        options = {"size": "180p", "fps": 10, **camera}
        path = write_film(*made, tmp_path / f"{number}.zip", options, lambda what, part: None, lambda: False)
        with ZipFile(path) as archive:
            names = archive.namelist()
            assert names == [f"{number}_{k:05d}.png" for k in range(3)]
            pictures = [Image.open(BytesIO(archive.read(n))).convert("RGB") for n in names]
        assert {p.size for p in pictures} == {(320, 180)}
        seen |= {p.tobytes() for p in pictures}
        if camera.get("background"):
            corners = [pictures[0].getpixel(at) for at in ((2, 2), (317, 2), (2, 177), (317, 177))]
            assert np.ptp(corners, axis=0).max() <= 2  # plain: no floor, no sky
            assert corners[0] == pytest.approx((0, 177, 64), abs=16)  # as the picture's tones have it
    assert len(seen) == 9  # every picture is another one
    again = write_film(*made, tmp_path / "0b.zip", {"size": "180p", "fps": 10, **cameras[0]}, *QUIET)
    with ZipFile(tmp_path / "0.zip") as one, ZipFile(again) as other:
        assert one.read("0_00001.png") == other.read("0b_00001.png")


def test_a_document_without_cameras_has_none_to_film_with(made, tmp_path):
    with pytest.raises(InputError, match="no camera"):
        write_film(made[0], Project().document, tmp_path / "a.gif", {"camera": "cuts"}, *QUIET)


QUIET = (lambda what, part: None, lambda: False)


@pytest.mark.parametrize(
    "options",
    [
        {"view": "orbit"},
        {"camera": "nobody's"},
        {"camera": 3},
        {"view": "nowhere"},
        {"follow": "perhaps"},
        {"background": "plaid"},
    ],
)
def test_cameras_that_cannot_be(made, tmp_path, options):
    with pytest.raises((InputError, UnknownNameError)):
        write_film(*made, tmp_path / "a.gif", {"fps": 10, "size": "180p", **options}, *QUIET)
    assert list(tmp_path.iterdir()) == []
