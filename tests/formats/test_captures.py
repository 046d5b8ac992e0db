"""Captures: axes, units and gaps of every kind of file; a second reader of C3D; damaged files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import poise
from captures_made import MOT, TRC, c3d_bytes
from example_files import captured
from poise.cli.captures import forces, words_of_forces
from poise.errors import FileFormatError, InputError
from poise.formats.captures import save_markers
from poise.formats.captures.files import is_capture
from poise.formats.captures.fitted import as_markers
from poise.formats.captures.mot import load_forces
from poise.markers import Markers


def some_points(rng, frames=6, count=3):
    points = np.ones((frames, count, 4))
    points[:, :, :3] = rng.normal(0, 400, (frames, count, 3))
    points[2:4, 1] = (0, 0, 0, -1)
    return points


def test_trc_axes_units_and_gaps(tmp_path):
    (tmp_path / "made.trc").write_text(TRC)
    markers = poise.load_markers(tmp_path / "made.trc")
    assert markers.names == ("LASI", "RASI")
    assert markers.rate == 100
    assert np.allclose(markers.positions[0], [[0.1, 0.05, 0.9], [0.101, -0.05, 0.901]]), "x ahead, y up"
    assert markers.seen.tolist() == [[True, True], [True, False], [True, False]]


def test_other_units_and_axes_can_be_said(tmp_path):
    (tmp_path / "made.trc").write_text(TRC)
    markers = poise.load_markers(tmp_path / "made.trc", up="z", scale=0.01)
    assert np.allclose(markers.positions[0, 0], [1.0, 9.0, -0.5])


@pytest.mark.parametrize("suffix", [".trc", ".npz", ".json"])
def test_markers_come_back(tmp_path, rng, suffix):
    places = rng.normal(0, 1, (7, 4, 3))
    places[3, 2] = np.nan
    markers = Markers(("a", "b b", "c:d", "e"), places, "120000/1001")
    again = poise.load_markers(poise.save_markers(markers, tmp_path / f"x{suffix}"))
    assert again.names == markers.names
    assert float(again.rate) == pytest.approx(markers.fps, rel=1e-11)
    assert np.array_equal(again.seen, markers.seen)
    assert np.allclose(again.positions, places, rtol=0, atol=1e-8, equal_nan=True)


@pytest.mark.parametrize("kind", [84, 85, 86])
@pytest.mark.parametrize("scale", [-1.0, 0.05])
def test_c3d_of_every_processor_and_storage(tmp_path, rng, kind, scale):
    points = some_points(rng)
    (tmp_path / "x.c3d").write_bytes(
        c3d_bytes(points, kind=kind, scale=scale, analog=2, names=["A", "A", ""])
    )
    markers = poise.load_markers(tmp_path / "x.c3d")
    x, y, z = np.moveaxis(points[:, :, :3] * 1e-3, 2, 0)
    wanted = np.stack([-y, x, z], axis=2)
    wanted[2:4, 1] = np.nan
    off = 3e-8 * 1e3 if scale < 0 else 0.5e-3 * scale
    assert np.allclose(markers.positions, wanted, rtol=0, atol=1.01 * off, equal_nan=True)
    assert markers.names == ("A", "A (2)", "marker 3")
    assert markers.rate == 100


def test_c3d_against_a_second_reader(tmp_path, rng):
    ezc3d = pytest.importorskip("ezc3d")
    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [250]
    file["parameters"]["POINT"]["LABELS"]["value"] = ("one", "two")
    file["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    points = np.ones((4, 2, 20))
    points[:3] = rng.normal(0, 700, (3, 2, 20))
    points[:3, 1, 4:9] = np.nan
    file["data"]["points"] = points
    file.write(str(tmp_path / "x.c3d"))
    markers = poise.load_markers(tmp_path / "x.c3d", up="y")
    x, y, z = points[:3].transpose(0, 2, 1) * 1e-3
    assert np.allclose(markers.positions, np.stack([z, x, y], axis=2), rtol=0, atol=1e-7, equal_nan=True)
    assert (markers.names, markers.rate) == (("one", "two"), 250)


def test_a_real_c3d_equals_the_second_reader(shared_data):
    ezc3d = pytest.importorskip("ezc3d")
    path = shared_data / "c3d_momentum" / "02_01.c3d"
    x, y, z = ezc3d.c3d(str(path))["data"]["points"][:3].transpose(0, 2, 1) * 1e-3
    assert np.array_equal(poise.load_markers(path).positions, np.stack([-y, x, z], axis=2))


def test_the_tallest_axis_is_up_where_none_is_said(tmp_path, rng):
    points = some_points(rng)
    points[:, :, 1] *= 30
    (tmp_path / "x.c3d").write_bytes(c3d_bytes(points, screen=""))
    markers = poise.load_markers(tmp_path / "x.c3d")
    assert markers.source.up == "y"
    assert any("up axis" in note for note in markers.source.notes)


def test_forces_of_plates(tmp_path):
    (tmp_path / "f.mot").write_text(MOT)
    plates = load_forces(tmp_path / "f.mot")
    assert plates.names == ("ground",)
    assert np.allclose(plates.force[0, 0], [1, -3, 700]), "x ahead, z up"
    assert np.allclose(plates.point[0, 0], [0.1, -0.2, 0.0])
    assert np.allclose(plates.at(np.array([0.005, 9.0]))[:, 0, 2], [705, 0])


def test_tables_of_forces_are_described_and_are_no_motion(tmp_path):
    (tmp_path / "f.mot").write_text(MOT)
    facts = forces(str(tmp_path / "f.mot"))
    assert facts["plates"] == ["ground"]
    assert facts["strongest_N"] == pytest.approx([float(np.linalg.norm([1, -3, 700]))], rel=0.05)
    assert "ground (at most 7" in words_of_forces(facts)
    (tmp_path / "angles.mot").write_text("a\nendheader\ntime hip knee\n0 1 2\n0.1 2 3\n")
    facts = forces(str(tmp_path / "angles.mot"))
    assert "plates" not in facts
    assert "no force plate" in words_of_forces(facts)
    assert forces("walk") is None
    for name in ("f.mot", "angles.mot"):
        with pytest.raises(FileFormatError, match="poise info lists"):
            poise.load(tmp_path / name)


def test_joints_of_a_clip_are_written_as_markers(tmp_path):
    clip = poise.clips.get("walk")
    markers = poise.load_markers(clip.save(tmp_path / "walk.trc"))
    where = clip.character.placement(clip.q).positions
    at = markers.names.index("LeftHand")
    assert np.allclose(markers.positions[:, at], where[:, clip.character.index("LeftHand")], atol=1e-8)


BROKEN = {
    "empty.trc": "PathFileType 4\n",
    "no rate.trc": TRC.replace("DataRate\tCameraRate", "A\tB"),
    "word.trc": TRC.replace("905", "nine"),
    "wide.trc": TRC.replace("-50\t101", "-50\t7\t7\t101"),
    "unit.trc": TRC.replace("\tmm\t", "\tcubits\t"),
    "twice.trc": TRC.replace("RASI", "LASI"),
    "no frames.trc": TRC.split("\n1\t")[0] + "\n\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_damaged_tables_are_refused_in_words(tmp_path, name):
    (tmp_path / name).write_text(BROKEN[name])
    with pytest.raises(FileFormatError, match=name.split(".")[0]):
        poise.load_markers(tmp_path / name)


def test_damaged_c3d_is_refused_in_words(tmp_path, rng):
    whole = c3d_bytes(some_points(rng))
    for cut in (3, 400, 700, 1000, len(whole) - 10):
        (tmp_path / "x.c3d").write_bytes(whole[:cut])
        with pytest.raises(FileFormatError, match=r"x\.c3d"):
            poise.load_markers(tmp_path / "x.c3d")


def test_forces_without_plates_are_refused(tmp_path):
    (tmp_path / "f.mot").write_text(MOT.replace("_v", "_w"))
    with pytest.raises(FileFormatError, match="no force plate"):
        load_forces(tmp_path / "f.mot")


def test_markers_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="two markers"):
        Markers(("a", "a"), np.zeros((2, 2, 3)), 30)
    with pytest.raises(InputError, match="shape"):
        Markers(("a",), np.zeros((2, 2, 3)), 30)


@pytest.mark.parametrize("suffix", [".trc", ".npz", ".json"])
def test_the_time_of_the_first_frame_is_kept(tmp_path, suffix):
    late = TRC.replace("0.000", "2.350").replace("0.010", "2.360").replace("0.020", "2.370")
    (tmp_path / "late.trc").write_text(late)
    markers = poise.load_markers(tmp_path / "late.trc")
    again = poise.load_markers(poise.save_markers(markers, tmp_path / f"x{suffix}"))
    assert np.allclose(again.times, [2.35, 2.36, 2.37])
    assert poise.load_markers(save_plain(tmp_path / f"y{suffix}")).start == 0.0


def save_plain(path):
    return poise.save_markers(Markers(("a",), np.ones((2, 1, 3)), 30), path)


def test_c3d_counts_time_from_the_recording(tmp_path, rng):
    data = bytearray(c3d_bytes(some_points(rng)))
    data[6:10] = (51).to_bytes(2, "little") + (56).to_bytes(2, "little")
    (tmp_path / "x.c3d").write_bytes(data)
    assert poise.load_markers(tmp_path / "x.c3d").times[0] == pytest.approx(0.5)


def test_a_fitted_clip_says_when_it_began():
    fitted = poise.solve_markers(replace(captured(), start=2.35)).clip
    assert any("2.35 s into the recording" in note for note in fitted.source.notes)


@pytest.mark.parametrize(
    ("word", "unit"), [("metres", 1.0), ("meter", 1.0), ("Centimeters", 0.01), ("feet", 0.3048), ("", 0.001)]
)
def test_units_of_c3d_have_many_spellings(tmp_path, rng, word, unit):
    (tmp_path / "x.c3d").write_bytes(c3d_bytes(1e-3 * some_points(rng) + 1e-6, units=word or " "))
    assert poise.load_markers(tmp_path / "x.c3d").source.unit == unit


def test_unknown_units_of_c3d_are_refused(tmp_path, rng):
    (tmp_path / "x.c3d").write_bytes(c3d_bytes(some_points(rng), units="cubits"))
    with pytest.raises(FileFormatError, match="'cubits' are not known; give scale="):
        poise.load_markers(tmp_path / "x.c3d")
    assert poise.load_markers(tmp_path / "x.c3d", scale=0.001).source.unit == 0.001


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("option", [{"up": "y"}, {"scale": 0.01}])
def test_options_that_say_nothing_of_plain_markers_are_refused(tmp_path, suffix, option):
    path = save_plain(tmp_path / f"x{suffix}")
    with pytest.raises(InputError, match=f"{next(iter(option))} does not apply"):
        poise.load_markers(path, **option)


@pytest.mark.parametrize("option", [{"fps": 30}, {"up": "y"}, {"scale": 0.01}, {"names": "a,b"}])
def test_options_that_say_nothing_of_an_archive_are_refused(tmp_path, option):
    with pytest.raises(InputError, match=r"does not apply: x\.npz is an archive of markers.*only mass"):
        poise.load(save_plain(tmp_path / "x.npz"), **option)


def test_json_of_markers_is_known_however_it_is_spaced(tmp_path):
    path = save_plain(tmp_path / "x.json")
    told = json.loads(path.read_text())
    for how in ({"separators": (",", ":")}, {"indent": 2}):
        path.write_text(json.dumps(told, **how))
        assert is_capture(path), how
    path.write_text('{"kind": "clip"}')
    assert not is_capture(path)


def test_a_capture_is_known_by_what_it_holds(tmp_path):
    clip = poise.clips.get("reach")
    for suffix in (".trc", ".npz", ".json"):
        save_markers(as_markers(clip), tmp_path / f"m{suffix}")
        assert is_capture(tmp_path / f"m{suffix}")
    clip.save(tmp_path / "clip.npz")
    (tmp_path / "notes.json").write_text('{"kind": "recipe"}')
    for name in ("clip.npz", "notes.json", "nothing.npy"):
        assert not is_capture(tmp_path / name)
    assert is_capture(tmp_path / "to come.trc")
