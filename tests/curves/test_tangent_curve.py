"""The one kind of edit: arithmetic, masks, support, files."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from poise.curves import Basis, BSpline, CompactBells, Linear, TangentCurve
from poise.errors import InputError, UnknownNameError

BASIS = CompactBells([0.0, 1.0, 2.0], 0.8)
TIMES = np.linspace(-1, 3, 81)


@pytest.fixture
def curve(rng: np.random.Generator) -> TangentCurve:
    return TangentCurve(BASIS, rng.normal(size=(3, 4)))


def test_arithmetic_is_that_of_the_curves(curve: TangentCurve, rng: np.random.Generator) -> None:
    other = curve.with_coefficients(rng.normal(size=(3, 4)))
    for derivative in (0, 1):
        a, b = curve.evaluate(TIMES, derivative), other.evaluate(TIMES, derivative)
        np.testing.assert_allclose((curve + other).evaluate(TIMES, derivative), a + b, atol=1e-13)
        np.testing.assert_allclose((curve - 2 * other).evaluate(TIMES, derivative), a - 2 * b, atol=1e-13)
        np.testing.assert_allclose((-curve * np.float64(0.5)).evaluate(TIMES, derivative), -a / 2, atol=1e-13)


def test_zero_is_neutral(curve: TangentCurve) -> None:
    zero = TangentCurve.zero(BASIS, 4)
    assert curve + zero == curve
    assert zero.support is None
    assert not zero.evaluate(TIMES).any()


def test_support_is_that_of_the_functions_that_act(curve: TangentCurve) -> None:
    assert curve.support == (-0.4, 2.4)
    coefficients = np.array(curve.coefficients)
    coefficients[[0, 2]] = 0.0
    middle = curve.with_coefficients(coefficients)
    assert middle.support == (0.6, 1.4)
    acting = middle.evaluate(TIMES).any(axis=1)
    assert TIMES[acting].min() > 0.6
    assert TIMES[acting].max() < 1.4
    loop = TangentCurve(Linear([0.0, 1.0, 3.0], ends="periodic"), np.ones((2, 4)))
    assert loop.support == (0.0, 3.0)


def test_a_mask_holds_through_everything(curve: TangentCurve) -> None:
    left = TangentCurve(BASIS, curve.coefficients, np.array([True, True, False, False]))
    right = TangentCurve(BASIS, curve.coefficients, np.array([False, False, True, False]))
    assert not left.evaluate(TIMES)[:, 2:].any()
    assert not left.with_coefficients(np.ones((3, 4))).evaluate(TIMES)[:, 2:].any()
    both = left + right
    assert both.mask is not None
    assert both.mask.tolist() == [True, True, True, False]
    assert (left + curve).mask is None
    assert (2 * left).mask is not None
    np.testing.assert_array_equal(both.coefficients[:, :3], curve.coefficients[:, :3])


def test_curves_cannot_be_changed_from_outside() -> None:
    source = np.ones((3, 4))
    curve = TangentCurve(BASIS, source)
    source[:] = 7.0
    assert (curve.coefficients == 1.0).all()
    with pytest.raises(ValueError, match="read-only"):
        curve.coefficients[0, 0] = 2.0
    with pytest.raises(AttributeError):
        curve.basis = BASIS  # type: ignore[misc]


def test_round_trip_keeps_every_bit(rng: np.random.Generator) -> None:
    awkward = np.array([[1 / 3, 1e-300, -0.1], [np.pi, 5e-324, 1e308]])
    for mask in (None, np.array([True, False, True])):
        curve = TangentCurve(CompactBells([1 / 7, 0.2], 0.1), awkward, mask)
        again = TangentCurve.from_dict(json.loads(json.dumps(curve.to_dict())))
        assert again == curve
        assert hash(again) == hash(curve)
        assert again.coefficients.tobytes() == curve.coefficients.tobytes()
    assert curve != TangentCurve(curve.basis, awkward)


@pytest.mark.parametrize(
    "data, culprit",
    [
        ({}, "'basis'"),
        ({"basis": {"kind": "linear", "keys": [0, 1], "ends": "free"}}, "'coefficients'"),
        ({"basis": [], "coefficients": []}, "'kind'"),
        ({"basis": {"kind": "compact", "centres": [0.0]}, "coefficients": []}, "lacks its field 'widths'"),
        ({"basis": {"kind": "linear", "keys": [0, "x"], "ends": "free"}, "coefficients": []}, "keys"),
        (
            {"basis": {"kind": "linear", "keys": [0, 1], "ends": "free"}, "coefficients": [[1.0]]},
            "coefficients",
        ),
        (
            {"basis": {"kind": "linear", "keys": [0, 1], "ends": "free"}, "coefficients": [[1], [2, 3]]},
            "coeff",
        ),
        ({"basis": {"kind": "linear", "keys": [0, 1], "ends": 3}, "coefficients": [[1.0]]}, "ends"),
        ({"basis": {"kind": "combined", "bases": 3}, "coefficients": [[1.0]]}, "bases"),
        (
            {"basis": {"kind": "bspline", "knots": [0, 1, 2, 3, 4], "periodic": 1}, "coefficients": []},
            "periodic",
        ),
    ],
)
def test_broken_files_are_refused_by_name(data: dict[str, object], culprit: str) -> None:
    with pytest.raises(InputError, match=culprit):
        TangentCurve.from_dict(data)


def test_unknown_kinds_and_fields_list_the_known() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'gaussian'.*bspline"):
        Basis.from_dict({"kind": "gausian"})
    with pytest.raises(UnknownNameError, match="did you mean 'widths'"):
        Basis.from_dict({"kind": "compact", "centres": [0.0], "width": 1.0})


def test_curves_that_do_not_match_do_not_add(curve: TangentCurve) -> None:
    with pytest.raises(InputError, match="same basis"):
        curve + TangentCurve.zero(BSpline.uniform(0, 1, 0.1), 4)
    with pytest.raises(InputError, match="4 and 5"):
        curve + TangentCurve.zero(BASIS, 5)
    with pytest.raises(TypeError):
        curve + 1.0  # type: ignore[operator]
    with pytest.raises(InputError, match="mask"):
        TangentCurve(BASIS, np.zeros((3, 4)), np.array([1, 0, 0, 1]))
    with pytest.raises(InputError, match="mask"):
        TangentCurve.zero(BASIS, 4, mask=[True])


def test_importing_curves_does_not_import_scipy() -> None:
    code = "import sys, poise.curves; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
