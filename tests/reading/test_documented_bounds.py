"""What the guide says a file may ask for is what the readers hold it to, number by number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from poise.errors import FileFormatError, InputError
from poise.formats.gltf import interpretation
from poise.formats.mjcf import gathered
from poise.methods.perform.script import beats
from poise.motion import frame_times
from poise.reading import archive, budget, plain_data, rational, regular_file

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "files.md"
MILLION = 2**20
"""A round power of two is told as millions: 4 million are 2²²."""
BOUNDS = {
    "bytes": (regular_file.LARGEST / 2**30, plain_data.LARGEST / 2**20),
    "numbers made from a file": (budget.FREE / MILLION, budget.PER_BYTE),
    "frames sampled between": (interpretation.LONG / MILLION, interpretation.PER_BYTE),
    "archives": (archive.FREE / 2**20, archive.PER_BYTE, archive.MEMBERS),
    "nesting": (plain_data.DEEPEST, gathered.DEEPEST),
    "rates": (frame_times.SLOWEST, frame_times.FASTEST, rational.LONGEST),
    "quarter notes": (beats.BEATS, budget.PER_BYTE),
    "samples of a WAV": (beats.SLOWEST, beats.FASTEST),
}


def told(row: str) -> list[float]:
    """The numbers of a row, as they are written: 4,096 and 10⁻⁶ too."""
    powers = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    row = re.sub(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: f"1e{m[1].translate(powers)}", row)
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:e-?\d+)?", row)]


@pytest.mark.parametrize("what", BOUNDS)
def test_the_guide_tells_the_bounds_that_are_kept(what):
    (row,) = [line for line in GUIDE.read_text().splitlines() if line.startswith(f"| {what}")]
    numbers = told(row.split("|")[2])
    assert numbers[: len(BOUNDS[what])] == pytest.approx(list(BOUNDS[what]), rel=1e-12)


@pytest.mark.parametrize("rate", [f"1e{n}" for n in (-6, 0, 9)] + ["30000/1001", "0" * 60 + "30.0"])
def test_rates_on_their_bounds_are_taken(rate):
    assert float(rational.bounded_fraction(rate, "the rate", 1e-6, 1e9)) > 0.0


@pytest.mark.parametrize("rate", ["9.99e-7", "1.0001e9", "0", "-30", "nan", "1/0", "0" * 63 + "30"])
def test_rates_beyond_their_bounds_are_refused(rate):
    with pytest.raises(InputError, match="from 1e-06 to 1e\\+09"):
        rational.bounded_fraction(rate, "the rate", 1e-6, 1e9)


def test_nesting_is_counted_exactly(tmp_path):
    def nested(deep: int) -> Path:
        path = tmp_path / "x.json"
        path.write_text("[" * deep + "]" * deep)
        return path

    deepest = plain_data.DEEPEST
    assert plain_data.read_json(nested(deepest)) is not None
    with pytest.raises(FileFormatError, match="nested"):
        plain_data.read_json(nested(deepest + 1))


def test_a_file_is_read_up_to_its_bound_and_no_further(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert regular_file.read_bytes(path, largest=5) == b"12345"
    assert regular_file.read_head(path, 3) == b"123"
    assert regular_file.read_head(path, 9) == b"12345"
    with pytest.raises(FileFormatError, match="bytes"):
        regular_file.read_bytes(path, largest=4)
