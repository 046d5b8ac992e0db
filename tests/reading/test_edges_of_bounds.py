"""What lies exactly on a bound is taken, what lies one beyond it is not; and complaints say what there is."""

from __future__ import annotations

import io
import os
import re
import socket
from fractions import Fraction

import numpy as np
import pytest
from hostile import npy, zipped

from poise.errors import FileFormatError, InputError
from poise.reading import (
    Archive,
    Budget,
    blaming,
    bounded_fraction,
    is_regular,
    json_from,
    nesting,
    read_array,
    read_arrays,
    read_bytes,
    read_text,
    read_toml,
)
from poise.reading.archive import FREE, MEMBERS
from poise.reading.plain_data import DEEPEST


def test_an_archive_of_as_many_members_as_may_be():
    members = {f"{k}": b"" for k in range(MEMBERS)}
    assert len(Archive(zipped(members), "x.npz").names) == MEMBERS
    with pytest.raises(FileFormatError, match=f"{MEMBERS + 1} members, more than {MEMBERS}"):
        Archive(zipped({**members, "one more": b""}), "x.npz")


def test_an_archive_unpacks_to_so_many_times_its_size(monkeypatch):
    monkeypatch.setattr("poise.reading.archive.FREE", 0)
    data = zipped({"a": bytes(1000), "b": bytes(500)})
    monkeypatch.setattr("poise.reading.archive.PER_BYTE", 1500 / len(data))
    assert Archive(data, "x.npz").read("a") == bytes(1000)
    monkeypatch.setattr("poise.reading.archive.PER_BYTE", 1499 / len(data))
    with pytest.raises(FileFormatError, match=rf"unpacks to 1,500 bytes; {len(data):,} bytes may hold 1,499"):
        Archive(data, "x.npz")
    assert FREE > 1500


def test_members_that_are_not_there_are_said():
    with pytest.raises(FileFormatError, match=r"x\.npz: a damaged or incomplete archive: .*nobody"):
        Archive(zipped({"a": b"1"}), "x.npz").read("nobody")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_arrays_are_what_numpy_wrote(order, version):
    array = np.asarray(np.arange(24, dtype="<i4").reshape(2, 3, 4), order=order)
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    assert np.array_equal(read_array(out.getvalue(), "x.npy"), array)
    with pytest.raises(FileFormatError, match="claims 24 values of 4 bytes, 95 bytes follow"):
        read_array(out.getvalue()[:-1], "x.npy")


def test_one_value_and_none():
    assert read_array(npy(np.float64(2.5)), "x.npy") == 2.5
    assert read_array(npy(np.zeros((0, 3))), "x.npy").shape == (0, 3)


def test_only_arrays_that_are_wanted_are_looked_at():
    data = zipped({"a.npy": npy(np.arange(3)), "b.npy": b"no array", "note.txt": b"words"})
    assert list(read_arrays(data, "x.npz", only=("a", "note.txt"))) == ["a"]
    with pytest.raises(FileFormatError, match=r"b\.npy does not begin"):
        read_arrays(data, "x.npz")


def test_a_budget_is_spent_to_its_end_and_grows():
    budget = Budget("x.glb", 10)
    assert budget.left == (1 << 22) + 8 * 10
    budget.grow(5)
    budget.spend(budget.left, "all of it")
    with pytest.raises(FileFormatError, match="more: 1 numbers are announced, but a file of 15 bytes may"):
        budget.spend(1, "more")


@pytest.mark.parametrize(("text", "deep"), [("1", 0), ("[]", 1), ("[[], {}]", 2), ('{"a": [{"b": 1}]}', 3)])
def test_nesting_counts_levels(text, deep):
    assert nesting(json_from(text.encode(), "x")) == deep


def test_tables_are_as_deep_as_may_be(tmp_path):
    path = tmp_path / "x.toml"
    for deep, fine in ((DEEPEST - 1, True), (DEEPEST, False)):
        path.write_text("a = " + "[" * deep + "]" * deep)
        if fine:
            assert nesting(read_toml(path)) == DEEPEST
        else:
            with pytest.raises(FileFormatError, match="nested deeper than 64"):
                read_toml(path)


def test_brackets_one_after_the_other_are_not_deep():
    assert len(json_from(b"[" + b"[],{}," * 500 + b"[]]", "x")) == 1001


def test_whole_numbers_of_three_hundred_digits():
    assert json_from(b"9" * 300, "x") == 10**300 - 1
    with pytest.raises(FileFormatError, match=r"the number 9{20}… \(301 digits\) is too large"):
        json_from(b"9" * 301, "x")
    with pytest.raises(FileFormatError, match="the number 1e999 is too large"):
        json_from(b"1e999", "x")


def test_the_line_of_what_is_no_number_is_told_also_behind_words():
    text = b'{"note": "NaN\nNaN",\n\n "x": NaN}'.replace(b"NaN\nNaN", b"NaN")
    with pytest.raises(FileFormatError) as caught:
        json_from(text, "x.json")
    assert caught.value.line == 3
    with pytest.raises(FileFormatError) as caught:
        json_from(b'{\n"a": 1\n"b": 2}', "x.json")
    assert caught.value.line == 3


@pytest.mark.parametrize("text", [b'"\\ud83d\\ude00"', '"😀"'.encode(), b'"\\\\ud800"'])
def test_whole_letters_are_no_lone_halves(text):
    assert isinstance(json_from(text, "x"), str)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("3000000000/1001", Fraction(3 * 10**9, 1001)),
        ("24", 24),
        ("23.976", Fraction(23976, 1000)),
        (0.5, 0.5),
    ],
)
def test_rates_are_exact(written, value):
    assert bounded_fraction(written, "the rate", 1e-6, 1e9) == value


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (10**400, "a whole number of 400 digits"),
        (
            Fraction(10**5000 + 1, 10**4000),
            "a whole number of 5000 digits over a whole number of 4000 digits",
        ),
        (-3, "-3"),
        (Fraction(-3, 2), "-3 over 2"),
        ("x" * 64, repr("x" * 64)),
        ("x" * 65, f"'{'x' * 63}…"),
    ],
)
def test_what_is_refused_is_shown_in_short(given, shown):
    with pytest.raises(InputError, match=re.escape(f"not {shown}") + "$"):
        bounded_fraction(given, "the rate", 1e-6, 1e9)


def test_what_is_no_file_is_named(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfwords")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "s"))
        kinds = {"folder": "this is a folder", "pipe": "this is a pipe", "s": "this is a socket"}
        for name, words in {**kinds, "/dev/zero": "this is a device", "nobody": "no such file"}.items():
            assert not is_regular(tmp_path / name)
            with pytest.raises(FileFormatError, match=words):
                read_bytes(tmp_path / name)
    assert not is_regular("a\0b")
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_bytes("a\0b")
    assert is_regular(tmp_path / "file")
    assert read_text(tmp_path / "file") == "words", "without the mark of its encoding"
    (tmp_path / "file").write_bytes(b"caf\xe9!")
    with pytest.raises(FileFormatError, match="not a text file in UTF-8: byte 3 is"):
        read_text(tmp_path / "file")


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (KeyError("joints"), "x.json: not a script, or damaged (KeyError: 'joints')"),
        (ZeroDivisionError("by zero"), "x.json: not a script, or damaged (ZeroDivisionError: by zero)"),
        (RecursionError(), "x.json: not a script: it is nested too deeply"),
        (InputError("two joints"), "x.json: two joints"),
        (InputError("x.json has two joints"), "x.json has two joints"),
        (FileFormatError("y.json", "the other"), "y.json: the other"),
    ],
)
def test_what_is_wrong_with_content_names_the_file(raised, said):
    with pytest.raises(InputError) as caught, blaming("x.json", "a script"):
        raise raised
    assert str(caught.value) == said
