"""How curves of FBX files go on beyond their keys."""

from __future__ import annotations

import numpy as np
import pytest
from fbx_made import MadeFbx

import poise
from poise.kinematics import Kinematics

KEYS = np.array([0.5, 0.75, 1.0]), np.array([0.0, 10.0, 4.0])
EXPECTED = {
    ("C", -1): [0, 0, 0, 0, 0, 5, 10, 7, 4, 4, 4, 4, 4, 4, 4],
    ("K", -1): [-20, -15, -10, -5, 0, 5, 10, 7, 4, 1, -2, -5, -8, -11, -14],
    ("R", -1): [4, 5, 10, 7, 0, 5, 10, 7, 4, 5, 10, 7, 0, 5, 10],
    ("R", 1): [0, 5, 10, 7, 0, 5, 10, 7, 4, 5, 10, 7, 4, 4, 4],
    ("R", 0): [0, 0, 0, 0, 0, 5, 10, 7, 4, 4, 4, 4, 4, 4, 4],
    ("M", -1): [4, 7, 10, 5, 0, 5, 10, 7, 4, 7, 10, 5, 0, 5, 10],
    ("A", -1): [-4, 1, 6, 3, 0, 5, 10, 7, 4, 9, 14, 11, 8, 13, 18],
    ("?", -1): [0, 0, 0, 0, 0, 5, 10, 7, 4, 4, 4, 4, 4, 4, 4],
}
"""Every eighth of a second from 0 to 1.75 [cm], by way and repetitions: lines between three keys."""


def across(path) -> np.ndarray:
    """Where the hips are across, every eighth of a second [cm]."""
    clip = poise.load(path)
    assert clip.fps == 24
    return 100 * Kinematics(clip.character, clip.q).positions[::3, 0, 1]


def written(path, **more):
    made = MadeFbx(TimeMode=11)
    root = made.model("Hips", Lcl_Translation=(0.0, 90.0, 0.0))
    made.model("Head", root, Lcl_Translation=(0.0, 50.0, 0.0))
    made.keys(made.take("Take", 1.75), root, "Lcl Translation", "d|X", *KEYS, **more)
    return made.write(path)


@pytest.mark.parametrize(("way", "often"), EXPECTED)
def test_a_curve_goes_on_as_its_file_says(way, often, tmp_path):
    found = across(written(tmp_path / "goes on.fbx", beyond=[(way, often)] * 2))
    np.testing.assert_allclose(found, EXPECTED[way, often], atol=1e-4)


def test_ends_have_ways_of_their_own_and_none_means_hold(tmp_path):
    found = across(written(tmp_path / "two.fbx", beyond=[("K", -1), ("M", -1)]))
    np.testing.assert_allclose(found, [*EXPECTED["K", -1][:4], *EXPECTED["M", -1][4:]], atol=1e-4)
    np.testing.assert_allclose(across(written(tmp_path / "hold.fbx")), EXPECTED["C", -1], atol=1e-4)


def test_a_cubic_goes_straight_on_along_its_last_slope(tmp_path):
    stated = np.array([[30.0, 8.0, 0.0, 0.0]] * 3)
    more = {"flags": [0x408] * 3, "data": stated, "shares": [1] * 3, "beyond": [("K", -1)] * 2}
    found = across(written(tmp_path / "cubic.fbx", **more))
    np.testing.assert_allclose(found[:5], 30.0 * np.arange(-4, 1) / 8, atol=1e-4)
    np.testing.assert_allclose(found[8:], 4.0 + 8.0 * np.arange(7) / 8, atol=1e-4)


def test_a_single_key_holds_whatever_is_said(tmp_path):
    made = MadeFbx(TimeMode=11)
    root = made.model("Hips", Lcl_Translation=(0.0, 90.0, 0.0))
    made.model("Head", root, Lcl_Translation=(0.0, 50.0, 0.0))
    take = made.take("Take", 1.0)
    made.keys(take, root, "Lcl Translation", "d|X", [0.5], [7.0], beyond=[("R", -1), ("A", -1)])
    made.keys(take, root, "Lcl Translation", "d|Y", [0.0, 1.0], [90.0, 91.0])
    np.testing.assert_allclose(across(made.write(tmp_path / "one.fbx")), 7.0, atol=1e-4)


def test_an_edit_of_a_curve_that_comes_again_is_read_back(tmp_path):
    path = written(tmp_path / "goes on.fbx", beyond=[("R", -1)] * 2)
    clip = poise.load(path)
    q = np.array(clip.q)
    q[:, 1] += 0.05
    clip.with_q(q).save(tmp_path / "edited.fbx")
    np.testing.assert_allclose(across(tmp_path / "edited.fbx"), across(path) + 5.0, atol=1e-4)
