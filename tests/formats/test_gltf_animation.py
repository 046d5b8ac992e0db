"""Animations of glTF made to order: interpolation, exact rates, uneven keys, choice."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from gltf_made import about_x, angles, chain, load
from gltf_oracle import Oracle

from poise.character import JointKind
from poise.errors import UnknownNameError


def test_linear_step_and_spline_as_defined(tmp_path):
    maker = chain({}, {"translation": [0, 1, 0]}, {"translation": [0, 1, 0]}, {"translation": [0, 1, 0]})
    keys = np.array([0.0, 0.5, 1.0])
    turns = np.array([0.0, 0.8, -0.4])
    # A spline of positions through 0, 2, 1 with given tangents: in-tangent, value, out-tangent.
    spline = np.zeros((3, 3, 3))
    spline[:, 1, 0] = [0.0, 2.0, 1.0]
    spline[:, 0, 0], spline[:, 2, 0] = [0.0, 1.5, -1.0], [3.0, -0.5, 0.0]
    maker.animate(
        "all",
        (1, "rotation", keys, about_x(turns), "LINEAR"),
        (2, "rotation", keys, about_x(turns), "STEP"),
        (3, "translation", keys, spline.reshape(-1, 3), "CUBICSPLINE"),
    )
    clip = load(maker, tmp_path, fps=40)
    t = clip.times
    assert clip.frames == 41
    assert np.allclose(angles(clip, 1, [0, 1, 0]), np.interp(t, keys, turns), atol=1e-6)
    held = np.where(t < 0.5, 0.0, np.where(t < 1.0, 0.8, -0.4))
    assert np.allclose(angles(clip, 2, [0, 1, 0]), held, atol=1e-6)
    from scipy.interpolate import CubicHermiteSpline

    # glTF's x is our y; the two halves have their own tangents at the middle key.
    first = CubicHermiteSpline([0, 0.5], [0, 2], [3.0, 1.5])(t)
    second = CubicHermiteSpline([0.5, 1], [2, 1], [-0.5, -1.0])(t)
    wanted = np.where(t < 0.5, first, second)
    assert np.allclose(clip.q[:, clip.character.coordinates("n3")][:, 1], wanted, atol=1e-6)
    kinds = [b.joint.kind for b in clip.character.bodies]  # n0 is static, n1 the root
    assert kinds == [JointKind.FREE, JointKind.BALL, JointKind.FREE]


def test_slerp_takes_the_shorter_way(tmp_path):
    maker = chain({}, {})
    keys = about_x([0.2, 0.6])
    keys[1] *= -1  # the same rotation
    maker.animate("a", (1, "rotation", [0, 1], keys, "LINEAR"))
    clip = load(maker, tmp_path, fps=10)
    assert np.allclose(angles(clip, 1, [0, 1, 0]), np.linspace(0.2, 0.6, 11), atol=1e-6)


def test_spline_rotation_is_normalised_componentwise(tmp_path):
    maker = chain({}, {})
    a, b = about_x([0.0, 1.0])
    out = np.zeros((2, 3, 4))
    out[:, 1] = a, b
    out[0, 2], out[1, 0] = [0.3, 0, 0, 0], [0, 0.2, 0, 0]
    maker.animate("a", (1, "rotation", [0, 2], out.reshape(-1, 4), "CUBICSPLINE"))
    clip = load(maker, tmp_path, fps=10)
    s = 0.25
    p = (2 * s**3 - 3 * s**2 + 1) * a + (s**3 - 2 * s**2 + s) * 2 * out[0, 2]
    p = p + (3 * s**2 - 2 * s**3) * b + (s**3 - s**2) * 2 * out[1, 0]
    x, y, z, w = p / np.linalg.norm(p)
    assert np.allclose(clip.q[5, clip.character.coordinates("n1")][-4:], [w, z, x, y], atol=1e-6)


def test_normalised_integers_animate(tmp_path):
    maker = chain({}, {})
    maker.animate("a", (1, "rotation", [0, 1 / 30], about_x([0, 0.5]), "LINEAR"))
    values = np.round(about_x([0.0, 0.5]) * 32767).astype(int)
    output = maker.accessor(values, "VEC4", 5122, normalized=True)
    maker.content["animations"][0]["samplers"][0]["output"] = output
    assert np.allclose(angles(load(maker, tmp_path), 1, [0, 1, 0]), [0, 0.5], atol=1e-4)


@pytest.mark.parametrize("rate", [Fraction(24), Fraction(30000, 1001), Fraction(120), Fraction(25, 2)])
def test_exact_rate_comes_back_from_single_precision(tmp_path, rate):
    times = np.array([3 + float(k / rate) for k in range(200)])
    maker = chain({}, {})
    maker.animate("a", (1, "rotation", times, about_x(np.sin(times)), "LINEAR"))
    clip = load(maker, tmp_path)
    assert clip.rate == rate
    assert clip.frames == 200
    assert np.allclose(angles(clip, 1, [0, 1, 0]), np.sin(times), atol=1e-6)
    edited = clip.with_q(clip.q[::-1]).save(tmp_path / "edited.glb")
    assert Oracle(edited).times(Oracle(edited).animation("a"))[0] == 3  # where the file's own keys begin


def test_rare_keys_are_sampled_and_still_met(tmp_path):
    maker = chain({}, {})
    maker.animate("a", (1, "rotation", [0, 1, 2], about_x([0.0, 1.0, 0.5]), "LINEAR"))
    clip = load(maker, tmp_path)
    assert (clip.rate, clip.frames) == (60, 121)
    assert np.allclose(angles(clip, 1, [0, 1, 0])[[0, 60, 120]], [0, 1, 0.5], atol=1e-7)


def test_uneven_keys_are_sampled(tmp_path):
    times = [0, 0.1234, 0.5678, 1.0]
    maker = chain({}, {})
    maker.animate("a", (1, "rotation", times, about_x(times), "LINEAR"))
    clip = load(maker, tmp_path)
    assert clip.rate == 60
    assert any("uneven" in n for n in clip.source.notes)
    assert np.allclose(angles(clip, 1, [0, 1, 0]), clip.times, atol=1e-6)
    assert load(maker, tmp_path, fps="24000/1001").rate == Fraction(24000, 1001)


def test_animations_are_chosen_by_name_or_number(tmp_path):
    maker = chain({}, {})
    for name, angle in (("calm", 0.1), ("wild", 0.9)):
        maker.animate(name, (1, "rotation", [0, 1 / 30], about_x([0, angle]), "LINEAR"))
    assert load(maker, tmp_path).name == "calm"
    assert angles(load(maker, tmp_path, animation="wild"), 1, [0, 1, 0])[1] == pytest.approx(0.9, abs=1e-6)
    assert load(maker, tmp_path, animation=1).name == "wild"
    with pytest.raises(UnknownNameError, match="calm, wild"):
        load(maker, tmp_path, animation="wlid")
    with pytest.raises(UnknownNameError):
        load(maker, tmp_path, animation=2)


def test_no_animation_is_one_frame_at_rest(tmp_path):
    maker = chain({"translation": [1, 2, 3]}, {"rotation": about_x(0.3).tolist(), "translation": [0, 1, 0]})
    clip = load(maker, tmp_path)
    assert clip.frames == 1
    assert np.array_equal(clip.q[0], clip.character.rest_pose())
    assert np.allclose(clip.q[0, :3], [3, 1, 2])
