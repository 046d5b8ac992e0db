"""Cameras of a project: where they stand between keys, whom they go along with, and which is seen when."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PIL import Image

import poise
from poise.character import Body, Character, Joint
from poise.errors import InputError, UnknownNameError
from poise.motion import Clip
from poise.operations.decoding import converted
from poise.operations.frozen_data import as_plain
from poise.operations.values.camera import CameraKey, Cut, FilmCamera
from poise.pictures.shots import Shots, joined, stood, way
from poise.pictures.video_file import video

TABLE = Path(poise.__file__).parent / "studio/web/tests/shots.json"
TARGET = (0.2, -0.1, 0.9)


def key(
    azimuth: float, time: float = 0.0, *, distance: float = 4.0, elevation: float = 10.0, **more
) -> CameraKey:
    a, e = np.radians(azimuth), np.radians(elevation)
    out = distance * np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    return CameraKey(time=time, eye=tuple(np.array(TARGET) + out), target=TARGET, **more)


def walker(path: np.ndarray, rate: float = 30.0, *, loop: bool = False) -> Clip:
    """Somebody with a free root that goes along a path (F, 3)."""
    who = Character("walker", [Body("Hips", None, Joint.free())])
    q = np.zeros((len(path), 7))
    q[:, :3], q[:, 3] = path, 1.0
    return Clip(who, q, rate, loop=loop)


STILL = walker(np.zeros((31, 3)))


def test_a_camera_swings_round_as_far_away_as_it_was_the_shorter_way_from_rest_to_rest():
    swing = FilmCamera(keys=(key(170.0), key(-170.0, 1.0, fov=20.0)))
    times = np.linspace(0, 1, 21)
    eyes, targets, fovs = (np.array(each) for each in zip(*stood(swing, STILL, times), strict=True))
    assert_allclose(targets, np.tile(TARGET, (21, 1)), atol=1e-12)
    assert_allclose(np.linalg.norm(eyes - TARGET, axis=1), 4.0, atol=1e-12)
    azimuth = np.degrees(np.unwrap(np.arctan2(*(eyes - TARGET)[:, 1::-1].T)))
    s = times**2 * (3 - 2 * times)
    assert_allclose(azimuth, 170.0 + 20.0 * s, atol=1e-9)
    assert_allclose(fovs, 35.0 * (20.0 / 35.0) ** s, atol=1e-9)
    # Beyond its keys it stands.
    before, after = stood(swing, STILL, np.array([-1.0, 9.0]))
    assert_allclose([before[0], after[0]], [eyes[0], eyes[-1]])


def test_keys_are_gone_through_without_a_stop_and_without_overshoot():
    at, values = np.array([0.0, 1.0, 3.0, 4.0]), np.array([[0.0], [1.0], [5.0], [5.0]])
    times = np.linspace(0, 4, 4001)
    curve = joined(at, values, times)[:, 0]
    assert_allclose(joined(at, values, at), values, atol=1e-12)
    assert np.diff(curve).min() >= -1e-12
    assert curve.max() <= 5.0 + 1e-12
    rates = np.gradient(curve, times)
    assert rates[0] == pytest.approx(0, abs=0.01)
    assert rates[1000] > 0.5  # through the second key it goes on
    assert np.abs(np.diff(rates)).max() < 0.02  # smoothly


def test_going_along_has_no_sway_and_goes_on_with_a_loop():
    t = np.arange(90) / 30.0
    path = np.stack([1.2 * t, 0.05 * np.sin(2 * np.pi * 2 * t), 0.9 + 0.03 * np.sin(9 * t)], axis=1)
    clip = walker(path)
    found = way(clip, "Hips", t)
    assert_allclose(found[:, 0], 1.2 * t, atol=1e-9)
    assert np.abs(found[8:-8, 1]).max() < 0.006
    assert_allclose(found[:, 2], 0.0)
    along = FilmCamera(keys=(key(0.0, 0.5),), follow="Hips")
    eyes = np.array([eye for eye, _, _ in stood(along, clip, t)])
    assert_allclose(eyes[:, 0] - eyes[15, 0], 1.2 * (t - 0.5), atol=1e-9)
    with pytest.raises(UnknownNameError, match="Tail"):
        way(clip, "Tail", t)
    walk = poise.clips.get("walk")
    assert walk.loop
    late = np.array([0.4, 0.4 + walk.duration, 0.4 + 3 * walk.duration])
    places = way(walk, "Hips", late)
    went = walk.character.placement(walk.at(late))[0][:, 0]
    assert_allclose(places[1:] - places[0], (went[1:] - went[0]) * (1, 1, 0), atol=1e-9)


def test_cuts_say_which_camera_is_seen():
    cameras = {"a": FilmCamera(keys=(key(0.0),)), "b": FilmCamera(keys=(key(90.0),))}
    shots = Shots(cameras, (Cut(time=1.0, camera="a"), Cut(time=0.5, camera="b")))
    assert [shots.on(t) for t in (0.0, 0.49, 0.5, 0.99, 1.0, 9.0)] == ["b", "b", "b", "b", "a", "a"]
    assert Shots(cameras).on(3.0) == "a"
    assert shots.only("cuts") is shots
    assert shots.only("b").on(2.0) == "b"
    with pytest.raises(UnknownNameError, match="cuts, a, b"):
        shots.only("c")
    with pytest.raises(InputError, match="no camera"):
        Shots({})
    seen = shots.seen(STILL, np.array([0.0, 1.0]), (320, 180), np.array([0.0, 0.0, 0.25]))
    assert_allclose(seen[0].eye, np.array(cameras["b"].keys[0].eye) + (0, 0, 0.25))
    assert_allclose(seen[1].eye, np.array(cameras["a"].keys[0].eye) + (0, 0, 0.25))
    pixel, _ = seen[0].project(np.array(TARGET) + (0, 0, 0.25))
    assert_allclose(pixel, (160, 90), atol=1e-9)


def test_a_small_field_of_view_is_drawn_without_perspective():
    plan = Shots({"plan": FilmCamera(keys=(key(0.0, elevation=0.0, distance=300.0, fov=0.5),))})
    (camera,) = plan.seen(STILL, np.zeros(1), (320, 180), np.zeros(3))
    assert camera.orthographic
    near, far = (camera.project(np.array(TARGET) + (x, 0.4, 0.0))[0] for x in (1.0, -1.0))
    assert_allclose(near, far, atol=1e-6)
    assert_allclose(near[0] - 160, 0.4 * 180 / (600 * np.tan(np.radians(0.25))), rtol=1e-9)


def test_the_studio_has_the_same_numbers():
    """``shots.json`` also holds the stage's TypeScript: numbers in it come from here (``written``)."""
    for case in json.loads(TABLE.read_text("utf-8"))["cases"]:
        clip = walker(np.array(case["path"]), case["fps"])
        camera = converted(case["camera"], FilmCamera, "a camera")
        found = [[*eye, *target, fov] for eye, target, fov in stood(camera, clip, np.array(case["times"]))]
        assert_allclose(found, case["stood"], atol=1e-6)


def written() -> str:
    """The table anew: ``from tests.pictures.test_shots import *; TABLE.write_text(written())``."""
    t = np.arange(40) / 20.0
    path = np.stack([0.8 * t, 0.3 * np.sin(3 * t), 0.9 + 0 * t], axis=1).round(4)
    cameras = [
        FilmCamera(keys=(key(-62.0, 0.5),)),
        FilmCamera(
            keys=(key(170.0), key(-150.0, 0.6, distance=2.0), key(-90.0, 1.7, elevation=40.0, fov=50.0))
        ),
        FilmCamera(keys=(key(20.0, 0.2), key(80.0, 1.5, fov=25.0)), follow="Hips"),
    ]
    times = [0.0, 0.2, 0.35, 0.6, 1.0, 1.234, 1.7, 1.95, 3.0]
    cases = []
    for camera in cameras:
        clip = walker(path, 20.0)
        found = [[*e.round(9), *t.round(9), round(f, 9)] for e, t, f in stood(camera, clip, np.array(times))]
        plain = as_plain(camera)
        cases.append({"path": path.tolist(), "fps": 20, "camera": plain, "times": times, "stood": found})
    return json.dumps({"cases": cases}) + "\n"


def test_a_film_is_seen_by_the_projects_cameras(tmp_path):
    project = poise.Project().add_clip("wave", "wave").add("load", "wave", clip="wave")
    project.do(
        {"do": "put-camera", "name": "left", "camera": {"keys": [{"eye": [0, 4, 1], "target": [0, 0, 1]}]}}
    )
    project.do(
        {"do": "put-camera", "name": "right", "camera": {"keys": [{"eye": [0, -4, 1], "target": [0, 0, 1]}]}}
    )
    project.do({"do": "set-cuts", "cuts": [{"camera": "left"}, {"time": 0.2, "camera": "right"}]})
    options = {"size": (96, 54), "fps": 10, "duration": 0.3}
    pictures = {}
    for name in ("cuts", "left", "right"):
        path = video(project.clip(), tmp_path / f"{name}.zip", view=project.shots(name), **options)
        with ZipFile(path) as archive:
            pictures[name] = [np.asarray(Image.open(archive.open(n))) for n in sorted(archive.namelist())]
    cut, left, right = pictures["cuts"], pictures["left"], pictures["right"]
    assert [np.array_equal(a, b) for a, b in zip(cut, left, strict=True)] == [True, True, False, False]
    # The light stays where it was when the film began: seen from the other camera, lit from over there.
    apart = [
        [float(np.abs(a - b.astype(float)).mean()) for b in (left[k], right[k])] for k, a in enumerate(cut)
    ]
    assert all(other < one for one, other in apart[2:])
