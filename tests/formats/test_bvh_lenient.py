"""BVH files whose frames do not add up: refused with advice, and read on request with a note."""

from __future__ import annotations

import numpy as np
import pytest
from bvh_cases import PERSON, bvh, person, person_values

from poise.errors import FileFormatError
from poise.formats import load, save


@pytest.fixture
def at(tmp_path):
    def put(text: str):
        path = tmp_path / "clip.bvh"
        path.write_bytes(text.encode())
        return path

    return put


def announced(text: str, frames: int) -> str:
    return text.replace("Frames: 8", f"Frames: {frames}")


def wrapped(values: np.ndarray) -> str:
    """Every frame on three lines."""
    rows = bvh(PERSON, values).split("\n")
    head, frames = rows[: -len(values) - 1], rows[-len(values) - 1 : -1]
    out = [" ".join(w[a:b]) for w in (r.split() for r in frames) for a, b in ((0, 9), (9, 18), (18, None))]
    return "\n".join([*head, *out, ""])


def rows_of(text: str) -> list[str]:
    return text.split("\n")


def test_a_sound_file_loses_nothing(at, tmp_path):
    """One frame on two lines, the others on one each: nothing is wrong with that."""
    rows = rows_of(person())
    words = rows[-5].split()
    rows[-5] = " ".join(words[:6]) + "\n" + " ".join(words[6:])
    path = at("\n".join(rows))
    clip, strict = load(path, lenient=True), load(path)
    np.testing.assert_array_equal(clip.q, strict.q)
    assert clip.source.notes == strict.source.notes
    assert save(clip, tmp_path / "out.bvh").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("said", [0, 1, 7, 9, 5000])
def test_another_number_of_frames_than_announced(at, tmp_path, said):
    path = at(announced(person(), said))
    if said:
        with pytest.raises(
            FileFormatError, match=rf"Frames says {said}, but 8 frames.*lenient=True or --lenient"
        ):
            load(path)
    clip, good = load(path, lenient=True), load(at(person()))
    np.testing.assert_array_equal(clip.q, good.q)
    assert f"Frames says {said}, but 8 whole frames follow: these were read" in clip.source.notes
    assert save(clip, tmp_path / "out.bvh").read_text() == person(), "what is written adds up"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_with_other_than_the_right_number_of_values_are_left_out(at, tmp_path, end):
    rows = rows_of(person())
    first = len(rows) - 9
    rows[first + 2] = " ".join(rows[first + 2].split()[:-1])
    rows[first + 5] += " 1.0"
    rows[first + 7] = rows[first + 7][:40]
    path = at(end.join(rows))
    with pytest.raises(FileFormatError, match=r"frame 2 has 23 values, 24 are needed.*--lenient"):
        load(path)
    clip = load(path, lenient=True)
    kept = [0, 1, 3, 4, 6]
    np.testing.assert_allclose(clip.q, load(at(person())).q[kept], atol=1e-15)
    assert (
        f"3 rows without 24 values left out (lines {first + 3}, {first + 6}, {first + 8})"
        in clip.source.notes
    )
    assert "Frames says 8, but 5 whole frames follow: these were read" in clip.source.notes
    out = save(clip, tmp_path / "out.bvh")
    np.testing.assert_array_equal(load(out).q, clip.q)
    want = [r for n, r in enumerate(rows_of(person())) if n - first not in (2, 5, 7)]
    assert out.read_bytes().decode() == end.join(want).replace("Frames: 8", "Frames: 5")


def test_a_last_frame_over_several_lines_that_is_cut_short(at):
    values = person_values(8)
    whole = wrapped(values)
    assert load(at(whole)).frames == load(at(whole), lenient=True).frames == 8
    path = at("\n".join(rows_of(whole)[:-2]) + "\n")
    with pytest.raises(FileFormatError, match="--lenient"):
        load(path)
    clip = load(path, lenient=True)
    assert clip.frames == 7
    assert "the last frame has only 18 of 24 values and was left out" in clip.source.notes
    np.testing.assert_array_equal(clip.q, load(at(bvh(PERSON, values))).q[:7])


def test_frames_over_several_lines_that_have_lost_a_value_are_refused(at):
    rows = rows_of(wrapped(person_values(8)))
    rows[-20] = " ".join(rows[-20].split()[1:])
    with pytest.raises(FileFormatError):
        load(at("\n".join(rows)), lenient=True)


@pytest.mark.parametrize("word", ["nan", "one", "1,5"])
def test_words_are_refused_all_the_same_at_their_own_line(at, word):
    rows = rows_of(announced(person(), 9))
    rows[-3] = " ".join([word, *rows[-3].split()[1:]])
    with pytest.raises(FileFormatError, match=rf":{len(rows) - 2}: frame 6.*{word!r} is not a finite number"):
        load(at("\n".join(rows)), lenient=True)


def test_nothing_whole_is_nothing(at):
    text = person()
    empty = text[: text.index("\n", text.index("Frame Time")) + 1]
    with pytest.raises(FileFormatError, match=r"but 0 frames of motion follow$"):
        load(at(empty), lenient=True)
    with pytest.raises(FileFormatError):
        load(at(empty + "1 2 3\n"), lenient=True)


def test_what_adds_up_is_read_as_ever(at, tmp_path):
    path = at(person())
    clip = load(path, lenient=True)
    assert clip.source.notes == load(path).source.notes
    assert save(clip, tmp_path / "out.bvh").read_bytes() == path.read_bytes()


def test_other_formats_have_nothing_to_forgive(tmp_path):
    from poise import clips

    path = clips.get("wave").save(tmp_path / "x.glb")
    np.testing.assert_array_equal(load(path, lenient=True).q, load(path).q)
