"""Unknowns of a layer: the curves they stand for, their order in time, keys that stay."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.curves import BSpline, InterpolatingCubic, Linear
from poise.errors import InputError, UnknownNameError
from poise.methods.adapt.problem.displacement import bodies_of
from poise.methods.adapt.problem.unknowns import Space
from poise.operations.values.displacement import CurveKeys, Displacement

KINDS = {"bspline": BSpline, "cubic": InterpolatingCubic, "linear": Linear}


def space_of(layer: Displacement, clip: str = "jump") -> Space:
    motion = clips.get(clip)
    return Space(motion, layer, range(len(motion.character.bodies)))


def random_coefficients(space: Space, seed: int = 0) -> np.ndarray:
    """Random where a coefficient is free."""
    values = np.random.default_rng(seed).normal(size=(space.keys, space.size))
    return np.where(space.slot.T >= 0, values, 0.0)


@pytest.mark.parametrize("clip", ["jump", "walk"])
@pytest.mark.parametrize("basis", KINDS)
@pytest.mark.parametrize("keys", [0.1, 0.37, {"*leg*": 0.1, "*": 0.25}], ids=["even", "wide", "by joint"])
def test_what_is_solved_for_is_what_the_curves_say(clip, basis, keys):
    space = space_of(Displacement(keys, basis), clip)
    values = random_coefficients(space)
    curves = space.curves(values)
    assert all(isinstance(c.basis, KINDS[basis]) for c in curves)
    times = np.linspace(0, space.clip.duration, 91)[:-1]
    for order in range(3):
        told = sum(c.evaluate(times, order) for c in curves)
        ours = space.evaluate(values, space.stencil_at(times), order)
        np.testing.assert_allclose(ours, told, atol=1e-9 * max(1.0, np.abs(told).max()))
    if isinstance(keys, dict):
        assert len(curves) == 2
        assert not np.any(curves[0].mask & curves[1].mask)


def test_free_ends_are_not_bent():
    space = space_of(Displacement())
    curve = space.curves(random_coefficients(space))[0]
    ends = np.array([0.0, space.clip.duration])
    scale = np.abs(curve.evaluate(space.clip.times, 2)).max()
    assert np.abs(curve.evaluate(ends, 2)).max() < 1e-9 * scale


@pytest.mark.parametrize("basis", KINDS)
def test_zero_ends_do_not_move(basis):
    space = space_of(Displacement(basis=basis, ends="zero"))
    curve = space.curves(random_coefficients(space))[0]
    ends = np.array([0.0, space.clip.duration])
    assert np.abs(curve.evaluate(ends)).max() < 1e-12
    if basis != "linear":
        assert np.abs(curve.evaluate(ends, 1)).max() < 1e-9


def test_loops_close():
    space = space_of(Displacement(), "walk")
    curve = space.curves(random_coefficients(space))[0]
    period = space.clip.duration
    for order in range(3):
        before, after = curve.evaluate([0.1, 0.1 + period], order)
        np.testing.assert_allclose(before, after, atol=1e-9)


def test_unknowns_stand_in_the_order_of_time_and_make_a_band():
    space = space_of(Displacement())
    when = space.groups[0].centres
    order = np.argsort(space.slot, axis=None)
    assert (np.diff(when[order % space.keys]) >= 0).all()
    assert space.bandwidth == 4 * space.size - 1
    assert space_of(Displacement(basis="linear")).bandwidth == 2 * space.size - 1
    assert space_of(Displacement(0.05), "walk").bandwidth <= 8 * space.size  # folded: first and last together


def test_locked_keys_and_joints_that_may_not_move_stay():
    layer = Displacement(0.1, locked={"*arm*": [(0.5, 1.0)]}, joints=["*arm*", "Hips"])
    space = space_of(layer)
    character = space.clip.character
    curve = space.curves(random_coefficients(space))[0]
    moved = curve.evaluate(np.linspace(0.7, 0.8, 5))  # all four keys alive there are locked
    arms = np.isin(character.dof_body, character.select("*arm*"))
    assert np.abs(moved[:, arms]).max() == 0.0
    assert np.abs(moved[:, character.dofs("Hips")]).min() > 0.0
    assert np.abs(curve.evaluate(space.clip.times)[:, character.dofs("Chest")]).max() == 0.0
    whole = np.abs(curve.evaluate(space.clip.times)[:, arms])
    assert whole.max() > 0.1


def test_keys_that_do_not_span_the_clip_fade():
    space = space_of(Displacement(np.linspace(0.5, 1.2, 8)))
    curve = space.curves(random_coefficients(space))[0]
    assert curve.support is not None
    assert curve.support[0] >= 0.5 - 1e-12
    assert curve.support[1] <= 1.2 + 1e-12


def test_errors_name_the_culprit():
    with pytest.raises(UnknownNameError, match="bspline"):
        Displacement(basis="sine")
    with pytest.raises(InputError, match="positive"):
        space_of(Displacement(-0.1))
    with pytest.raises(InputError, match="is not a loop"):
        space_of(Displacement(ends="periodic"))
    with pytest.raises(UnknownNameError, match="Wing"):
        space_of(Displacement(joints=["Wing"]))
    with pytest.raises(InputError, match="pull"):
        Displacement(pull=0.0)


def test_single_degrees_of_freedom_have_keys_locks_and_prices_of_their_own():
    """By name, as in ``Hips.x``; the first pattern that fits counts, and what none fits does not move."""
    motion = clips.get("planar_jump")
    names = motion.character.dof_names
    straight = CurveKeys((1.1, 1.65, 1e3), "linear", "zero")
    layer = Displacement(
        {"Hips.x": straight, "Hips": 0.5, "arm": 0.2}, "cubic", locked={"Hips.z": [(0.0, 3.0)]}
    )
    space = Space(motion, layer, range(len(motion.character.bodies)))
    assert [[names[i] for i in g.dofs] for g in space.groups] == [
        ["Hips.x"],
        ["Hips.z", "Hips.ry"],
        ["LeftArm", "LeftForeArm", "RightArm", "RightForeArm"],
    ]
    assert isinstance(space.groups[0].curve, Linear)
    assert space.groups[0].size == 1
    assert bodies_of(layer, motion.character, [0]) == [0]
    moved = sum(c.evaluate(motion.times) for c in space.curves(np.ones((space.keys, space.size))))
    ahead = moved[:, names.index("Hips.x")]
    assert ahead[: 66 + 1].max() == 0.0  # zero up to its first key, and at its last value from then on
    np.testing.assert_allclose(ahead[99:], 1.0, atol=2e-3)
    assert not moved[:, names.index("Hips.z")].any()
    with pytest.raises(UnknownNameError, match=r"Hips\.q"):
        Space(motion, Displacement({"Hips.q": 0.1}), [0])
