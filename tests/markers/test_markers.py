"""Markers and force plates as data, and markers as something to look at."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from poise.arrays import FARTHEST
from poise.errors import InputError
from poise.markers import ForcePlates, Markers
from poise.markers.mesh import marker_mesh

LOST = np.nan


def capture(**more) -> Markers:
    """Two markers over four frames; the second is seen in two of them."""
    a = [[0.1 * k, 0.0, 1.0] for k in range(4)]
    b = [[LOST] * 3, [2.0, 0.0, 0.5], [2.0, 0.3, LOST], [2.0, 0.6, 0.5]]
    return Markers(("a", "b"), np.stack([a, b], axis=1), 120, **more)


def test_times_are_on_the_clock_of_the_recording():
    markers = capture()
    assert (markers.frames, markers.fps, markers.rate) == (4, 120.0, Fraction(120))
    assert markers.duration == pytest.approx(3 / 120)
    assert markers.times == pytest.approx(np.arange(4) / 120)
    assert capture(start=2.5).times == pytest.approx(2.5 + np.arange(4) / 120)
    assert repr(capture(name="take")) == "Markers('take', 2 markers, 4 frames at 120 fps)"


def test_what_is_seen_in_part_is_lost():
    markers = capture()
    assert markers.seen.tolist() == [[True, False], [True, True], [True, False], [True, True]]
    assert np.isnan(markers.positions[2, 1]).all()
    assert not markers.positions.flags.writeable


def test_some_markers_in_the_order_that_is_asked_for():
    markers = capture(start=1.0)
    turned = markers.only(["b", "a"])
    assert turned.names == ("b", "a")
    assert np.array_equal(turned.positions, markers.positions[:, ::-1], equal_nan=True)
    assert turned.start == 1.0
    assert markers.only(["b"]).positions.shape == (4, 1, 3)


@pytest.mark.parametrize("start", [1e9, -1e9, 0])
def test_recordings_begin_within_decades(start):
    assert capture(start=start).start == start


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"start": 1.1e9}, "cannot begin at"),
        ({"start": np.nan}, "cannot begin at"),
        ({"names": ("a", "a")}, "two markers are named 'a'"),
        ({"names": ("a",)}, r"positions of 1 markers must have shape \(…, 1, 3\), not \(4, 2, 3\)"),
        ({"positions": np.zeros((4, 2, 2))}, "must have shape"),
        ({"positions": np.zeros((2, 3))}, "must have shape"),
        ({"positions": np.zeros((0, 2, 3))}, "at least one marker and one frame"),
        ({"names": (), "positions": np.zeros((4, 0, 3))}, "at least one marker and one frame"),
        ({"positions": np.full((4, 2, 3), 2 * FARTHEST)}, "the unit must be wrong"),
        ({"rate": 0}, "rate"),
    ],
)
def test_what_cannot_be_a_capture(change, said):
    given = {"names": ("a", "b"), "positions": np.zeros((4, 2, 3)), "rate": 120}
    with pytest.raises(InputError, match=said):
        Markers(**{**given, **change})


def test_forces_are_measured_between_samples_and_nothing_outside():
    force = np.zeros((3, 2, 3))
    force[:, 0, 2], force[:, 1, 0] = (0.0, 800.0, 400.0), (10.0, 20.0, 40.0)
    point, moment = np.zeros((3, 2, 3)), np.zeros((3, 2, 3))
    early = ForcePlates(("left", "right"), force, point, moment, "100")
    times = np.array([-0.001, 0.0, 0.005, 0.01, 0.0125, 0.02, 0.021])
    found = early.at(times)
    assert found.shape == (7, 2, 3)
    assert found[:, 0, 2] == pytest.approx([0, 0, 400, 800, 700, 400, 0])
    assert found[:, 1, 0] == pytest.approx([0, 10, 15, 20, 25, 40, 0])
    assert not found[:, :, 1].any()
    late = ForcePlates(("left", "right"), force, point, moment, 100, start=3.0)
    assert late.at(3.0 + times) == pytest.approx(found)
    with pytest.raises(InputError, match="moment of the plates"):
        ForcePlates(("left", "right"), force, point, moment[:, :1], 100)
    assert not early.force.flags.writeable


def test_markers_are_balls_where_they_are_seen():
    mesh = marker_mesh(capture())
    assert (mesh.vertices.shape, mesh.faces.shape) == ((4, 2 * 66, 3), (2 * 128, 3))
    assert (mesh.rate, mesh.name, marker_mesh(capture(name="take")).name) == (120, "markers", "take")
    balls = mesh.vertices.reshape(4, 2, 66, 3)
    middle = balls.mean(axis=2)
    size = np.linalg.norm(balls - middle[:, :, None], axis=3)
    assert middle[:, 0] == pytest.approx(capture().positions[:, 0])
    assert size[:, 0] == pytest.approx(0.014)
    # Lost: a point where it will first be seen, or was last.
    assert middle[:, 1] == pytest.approx(np.array([[2, 0, 0.5], [2, 0, 0.5], [2, 0, 0.5], [2, 0.6, 0.5]]))
    assert size[:, 1].max(axis=1) == pytest.approx([0, 0.014, 0, 0.014])
    assert np.linalg.norm(marker_mesh(capture(), radius=0.1).vertices[0, :66] - [0, 0, 1], axis=1) == (
        pytest.approx(0.1)
    )
    red, green, blue = mesh.colours[0, :3]
    assert 0.8 < red <= 1
    assert max(green, 2 * blue) < 0.2, "a clear red"


def test_a_marker_that_is_never_seen_is_nothing_at_the_origin():
    mesh = marker_mesh(Markers(("gone", "b"), [[[LOST] * 3, [1.0, 2.0, 3.0]]], 30))
    assert not mesh.vertices[0, :66].any()
    assert mesh.vertices[0, 66:].mean(axis=0) == pytest.approx([1, 2, 3])


def test_balls_are_closed_and_their_outside_is_out():
    mesh = marker_mesh(capture())
    for k in range(2):
        own = mesh.faces[128 * k : 128 * (k + 1)]
        assert sorted(set(own.ravel())) == list(range(66 * k, 66 * (k + 1)))
        edges = Counter((a, b) for face in own.tolist() for a, b in zip(face, [*face[1:], face[0]]))
        assert set(edges.values()) == {1}
        assert all((b, a) in edges for a, b in edges)
    ball = mesh.vertices[0] - [0.0, 0.0, 1.0]
    a, b, c = np.moveaxis(ball[mesh.faces[:128]], 1, 0)
    volume = (np.cross(a, b) * c).sum(axis=1) / 6
    assert (volume > 0).all()
    assert volume.sum() == pytest.approx(4 / 3 * np.pi * 0.014**3, rel=0.1)
