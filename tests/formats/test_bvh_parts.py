"""Frame rates, numbers, lines and guesses, each alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from poise.errors import InputError, UnknownNameError
from poise.formats.bvh.lines import line_of, newline_of, without_comments
from poise.formats.bvh.numbers import read_compiled, read_plain
from poise.formats.bvh.rate import frame_time_text, rate_of
from poise.formats.bvh.text import number
from poise.formats.units import UNITS, Axes, guess_unit, guess_up
from poise.manifold import so3


@pytest.mark.parametrize(
    "text, rate",
    [
        ("0.0333333", 30),
        ("0.033333", 30),
        ("0.033", 30),
        (".0083333", 120),
        ("0.00833333", 120),
        ("0.0083", 120),
        ("0.041667", 24),
        ("0.0416667", 24),
        ("0.04", 25),
        ("0.016666", 60),  # cut off
        ("0.016667", 60),
        ("0.017", 60),
        ("0.01", 100),
        ("0.005", 200),
        ("0.0069444", 144),
        ("3.33333e-2", 30),
        ("1", 1),
        ("0.5", 2),
        ("0.08", Fraction(25, 2)),
        ("0.0571429", Fraction(35, 2)),
        ("0.041708333333333333", Fraction(24000, 1001)),
        ("0.0417083", Fraction(24000, 1001)),
        ("0.0333667", Fraction(30000, 1001)),
        ("0.016683", Fraction(60000, 1001)),
        ("0.0333333350718021", 30),  # single precision
        ("0.0416666679084301", 24),
        ("0.123456789", Fraction(10**9, 123456789)),
    ],
)
def test_the_rate_that_a_frame_time_stands_for(text, rate):
    assert rate_of(text) == rate


def test_frame_times_read_back_as_the_same_rate():
    rng = np.random.default_rng(0)
    rates = [Fraction(n) for n in range(1, 300)] + [Fraction(n * 1000, 1001) for n in (24, 30, 48, 60, 120)]
    rates += [Fraction(int(a), int(b)) for a, b in rng.integers(1, 900, size=(200, 2))]
    for rate in rates:
        assert rate_of(frame_time_text(rate)) == rate


@pytest.mark.parametrize("text", ["0", "0.0", "-0.01", "nan", "inf", "abc", "", "0,04"])
def test_frame_times_that_are_none(text):
    with pytest.raises(InputError, match="Frame Time"):
        rate_of(text)


TOKENS = [
    "0", "-0", "+1", "1.", ".5", "-.25", "1e5", "1E-5", "1.5e+3", "123456789.123456", "0.1", "-0.3",
    "9007199254740993", "0.1234567890123456789", "1e22", "1e23", "1e-22", "1e-23", "4.9e-324", "1.7e308",
    "179.99999999999997", "00012.500", "3.14159265358979323846", "6.02214076e23",
    "123456789012345678901234567890",
    "98765432109876543210.5", "9.27476e-16", "1e400",
]  # fmt: skip


@pytest.mark.parametrize("parse", [read_plain, read_compiled])
def test_numbers_are_read_as_python_reads_them(parse):
    rng = np.random.default_rng(1)
    many = rng.normal(size=2000) * 10.0 ** rng.integers(-30, 30, size=2000)
    tokens = TOKENS + [repr(x) for x in many.tolist()]
    tokens += [f"{x:.6f}" for x in rng.normal(scale=90, size=2000)]
    text = ("  " + " \t\r\n".join(tokens)).encode()
    want = np.array([float(t) for t in tokens])
    found = parse(text)
    assert found.bad == -1
    assert np.array_equal(found.values, want)
    assert np.array_equal(np.signbit(found.values), np.signbit(want))
    assert [text[a:b].decode() for a, b in zip(found.starts, found.ends)] == tokens


WORDS = ["abc", "1,5", "1e", "1e+", "--1", "1.2.3", "0x10", "1_000", "-", ".", "e5", "1.#IND"]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("parse", [read_plain, read_compiled])
def test_words_are_found(word, parse):
    assert parse(f"1 2 3 {word} nan 4 zzz".encode()).bad == 3
    assert parse(word.encode()).bad == 0
    assert np.isnan(parse(b"1 nan 2").values[1])
    assert parse(b"").values.shape == parse(b"  \n ").values.shape == (0,)


def test_lines_are_counted_for_every_kind_of_line_end():
    for end in ("\n", "\r\n", "\r"):
        data = end.join(["a", "b", "", "d"]).encode()
        assert line_of(data, data.index(b"a")) == 1
        assert line_of(data, data.index(b"b")) == 2
        assert line_of(data, data.index(b"d")) == 4
        assert newline_of(data) == end.encode()
    assert line_of(b"a\r\nb", 2) == 1
    assert without_comments(b"a # b\nc#d //e\n#f") == b"a    \nc#d    \n  "


def test_numbers_are_written_so_that_they_read_back():
    rng = np.random.default_rng(2)
    for x in rng.normal(size=500) * 10.0 ** rng.integers(-3, 12, size=500):
        assert float(number(x)) == x
    for x in (1e-5, -3.3e-7, 1e-17, 0.0, -0.0, 1e17, 12345678901234567890.0):
        assert "e" not in number(x)
        assert float(number(x)) == pytest.approx(x, abs=1e-15)
    assert number(1 / 3, 4) == "0.3333"


def test_axes_are_rotations_there_and_back():
    rng = np.random.default_rng(3)
    v, q = rng.normal(size=(5, 3)), so3.normalise(rng.normal(size=(5, 4)))
    for up in ("y", "z"):
        axes = Axes(up)
        assert np.array_equal(axes.vector(np.eye(3)["xyz".index(up)]), [0, 0, 1])
        assert np.linalg.det(np.array([axes.vector(e) for e in np.eye(3)])) == 1.0
        turned = axes.vector(so3.rotate(q, v))
        np.testing.assert_allclose(so3.rotate(axes.quaternion(q), axes.vector(v)), turned, atol=1e-15)
        assert np.array_equal(axes.vector_to_file(axes.vector(v)), v)
        assert np.array_equal(axes.quaternion_to_file(axes.quaternion(q)), q)
    with pytest.raises(UnknownNameError, match="up axis"):
        Axes("x")


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("stature", [1.55, 1.7, 1.9])
def test_units_of_standing_people_are_recognised(name, stature):
    assert guess_unit(stature / UNITS[name], ["a"])[0] == name


def test_the_cmu_skeleton_is_known_by_name():
    names = ["LHipJoint", "RHipJoint", "LeftFingerBase", "LThumb"]
    assert guess_unit(22.0, names)[0] == "CMU unit"
    assert guess_unit(170.0, names)[0] == "centimetre"


def test_up_prefers_y_unless_the_figure_says_z():
    stand = np.array([[0, 0, 0], [0.2, 0, 0], [0, 1.0, 0], [0, 1.7, 0.1]])
    names = ["LeftFoot", "RightFoot", "Hips", "Head"]
    z_up = stand[:, [0, 2, 1]]
    lying = stand[:, [0, 2, 1]]
    assert guess_up(stand, stand[None], names) == "y"
    assert guess_up(z_up, z_up[None], names) == "z"
    assert guess_up(stand, lying[None], names) == "y"  # lies down in the clip, stands at rest
    assert guess_up(lying, stand[None], names) == "y"  # a rest pose that is no standing pose
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1.1)])
    assert guess_up(cube, cube[None], ["a"] * 8) == "y"
