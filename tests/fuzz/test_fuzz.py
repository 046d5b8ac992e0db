"""A minute of fuzzing in every run of the tests: so many inputs for each reader, always the same ones.

``make fuzz`` goes on for longer, and from other seeds.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from fuzzing import CORPUS, Inputs, fuzz
from readers import BESIDE, READERS
from seeds import make

from poise.errors import InputError

COUNT = 2000
"""Inputs for each reader: by number, not by the clock."""
OPTIONAL = {"xml": "mujoco", "midi": "mido"}


@pytest.mark.parametrize("name", READERS)
def test_changed_files_are_read_or_refused_in_words(name, tmp_path):
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    (figures,) = fuzz([name], COUNT, keep=tmp_path / "failed")
    assert not figures.failures, "\n\n".join(f"{f.number}:\n{f.what}" for f in figures.failures[:5])
    assert figures.inputs == figures.accepted + figures.refused == COUNT
    assert figures.accepted, "a fuzzer whose files are all refused looks no further than the door"
    assert figures.refused or name == "journal"


@pytest.mark.parametrize("name", READERS)
def test_the_seeds_are_sound(name, tmp_path):
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    reader, sound = READERS[name], make(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    for other in reader.beside:
        (home / BESIDE[other]).write_bytes(sound[other][1 if other == "poise" else 0])
    for data in sound[name]:
        (home / reader.file).write_bytes(data)
        reader.read(home / reader.file)


def test_an_input_is_made_again_from_its_number(tmp_path):
    sound = make(tmp_path)
    for name in ("glb", "npz", "script"):
        one, other = (Inputs(READERS[name], sound[name], seed=3) for _ in range(2))
        assert [one[k] for k in range(50)] == [other[k] for k in range(50)]
        assert len({one[k] for k in range(50)}) > 40


def test_the_corpus_is_of_known_readers_and_small():
    for path in CORPUS.rglob("*"):
        if path.is_file():
            assert path.parent.name in READERS
            assert path.stat().st_size < 8192


class _Bad:
    """A reader that fails in a given way."""

    def __init__(self, read):
        self.name, self.file, self.read, self.mutations, self.beside = "bad", "x", read, (lambda d, r: d,), ()


def _raises(path: Path) -> None:
    raise ValueError("raw")


def _spins(path: Path) -> None:
    while True:
        pass


def _spins_and_catches(path: Path) -> None:
    while True:
        with suppress(Exception):
            _spins(path)


def _swells(path: Path) -> None:
    bytearray(1 << 31)


def _crashes(path: Path) -> None:
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


def _silent(path: Path) -> None:
    raise InputError("")


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (_raises, "ValueError: raw"),
        (_spins, "more than 0.2 s"),
        (_spins_and_catches, "more than 0.2 s"),
        (_swells, "more than 1,024 MB"),
        (_crashes, "the process ended with -11"),
        (_silent, "without a word"),
    ],
)
def test_every_kind_of_failure_is_found_and_the_rest_goes_on(read, said, tmp_path, monkeypatch):
    import fuzzing

    calls = tmp_path / "calls"

    def third(path: Path) -> None:
        with calls.open("a") as file:
            file.write("x")
        if calls.stat().st_size == 3:
            read(path)

    monkeypatch.setattr(fuzzing, "SECONDS", 0.2)
    figures = fuzzing.Figures("bad")
    inputs = Inputs(_Bad(third), [b"a"], 1)
    found = list(fuzzing._supervised(inputs, tmp_path / "x", 0, 6, figures))
    assert [(f.number, f.data) for f in found] == [(2, b"a")]
    assert said in found[0].what
    assert figures.inputs == 6
    assert figures.accepted + figures.refused - (read is _silent) == 5
