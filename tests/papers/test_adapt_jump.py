"""Fig. 4 and 5: a jump touches a point, with each kind of displacement curve."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

import poise


@pytest.fixture(scope="module")
def module():
    return example("41_adapt_jump")


@pytest.fixture(scope="module")
def jump(module):
    return module.scene()


def test_all_seven_touch_the_point(jump):
    for version in jump.versions.values():
        assert jump.miss(version.clip) < 1e-4, version.name
        if version.result is not None:
            assert version.result.report.met, version.name
    assert jump.miss(jump.before) > 0.4


def test_one_frame_alone_changes_by_inverse_kinematics(module, jump):
    """(a) is one frame, and shakes fifteen times more than the worst of the others."""
    assert jump.changed(jump.versions["a"].clip).tolist() == [module.TOUCH]
    others = [jump.shake(v.clip) for v in jump.versions.values() if v.name != "a"]
    assert jump.shake(jump.versions["a"].clip) > 15 * max(others)


def test_keys_bound_what_changes(module, jump):
    spans = {name: jump.changed(v.clip)[[0, -1]].tolist() for name, v in jump.versions.items()}
    assert spans["b"] == [module.TOUCH - module.NEAR + 1, module.TOUCH + module.NEAR - 1]
    for name in "ce":
        assert spans[name] == [module.TAKE_OFF + 1, module.LANDING - 1], name
    assert spans["d"] == [0, jump.before.frames - 1]
    assert spans["f"][0] == spans["g"][0] == module.TAKE_OFF + 1


def test_wider_keys_change_more_gently(jump):
    shake = {name: jump.shake(v.clip) for name, v in jump.versions.items()}
    assert shake["d"] < 0.6 * shake["c"] < 0.4 * shake["b"]


def test_most_fly_back_as_if_on_a_rubber_band(module, jump):
    for name in "bce":
        ahead = jump.forward(jump.versions[name].clip)
        assert ahead[module.TOUCH] > 0.07
        assert abs(ahead[module.LANDING]) < 1e-9


def test_one_key_of_the_way_forward_keeps_going(module, jump):
    """(f, g): evenly forward over the flight, and ahead for good; a cheaper key makes a longer jump."""
    for name in "fg":
        ahead = jump.forward(jump.versions[name].clip)
        flight = ahead[module.TAKE_OFF : module.LANDING + 1]
        np.testing.assert_allclose(flight, np.linspace(0.0, flight[-1], len(flight)), atol=1e-9)
        np.testing.assert_allclose(ahead[module.LANDING :], flight[-1], rtol=2e-3)
    far = {name: jump.forward(jump.versions[name].clip)[-1] for name in "fg"}
    assert 0.0 < far["f"] < 0.02
    assert far["g"] > 0.12


def test_splines_of_one_space_give_one_motion(module, jump):
    """Interpolating cubics and B-splines on the same keys span the same curves."""
    wanted, keys = [module.touch(jump.before)], np.linspace(0.0, jump.before.duration, 5)
    both = [
        poise.adapt(jump.before, wanted, key_spacing=keys, basis=b, plants=False).clip.q
        for b in ("cubic", "bspline")
    ]
    np.testing.assert_allclose(*both, atol=1e-6)
    straight = poise.adapt(jump.before, wanted, key_spacing=keys, basis="linear", plants=False)
    assert straight.report.met
    assert np.abs(straight.clip.q - both[0]).max() > 0.01


def test_locked_keys_stay(module, jump):
    """Five keys, of which the outer two may not change: the ends of the clip are as they were."""
    keys = np.linspace(0.0, jump.before.duration, 5)
    wanted = [module.touch(jump.before)]
    held = poise.adapt(
        jump.before, wanted, key_spacing=keys, basis="cubic", locked=[keys[0], keys[-1]], plants=False
    )
    assert held.report.met
    np.testing.assert_allclose(held.clip.q[[0, -1]], jump.before.q[[0, -1]], atol=1e-12)
    assert np.abs(jump.versions["d"].clip.q[0] - jump.before.q[0]).max() > 1e-3
