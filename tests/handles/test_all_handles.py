"""Every kind of handle, on every kind of character: derivatives, files, names."""

from __future__ import annotations

import json

import numpy as np
import pytest
from handle_examples import EXAMPLES, examples, random_target

from poise.character import Character, JointKind, presets
from poise.errors import UnknownNameError
from poise.handles import Handle, Pose, handle_from_dict, kinds
from poise.kinematics import Kinematics
from tipped_trees import ROOTS, random_character

STEP = 1e-5


def build(name: str) -> Character:
    """A preset, or a random tree on a root of the given kind."""
    if name in presets.names():
        return presets.get(name)
    root = JointKind.named(name.removeprefix("random on "))
    return random_character(np.random.default_rng(int(root)), 11, root)


CHARACTERS = [*(f"random on {root.name.lower()}" for root in ROOTS), *presets.names()]


@pytest.fixture(params=CHARACTERS)
def scene(request):
    character = build(request.param)
    rng = np.random.default_rng(7)
    q = character.manifold.plus(character.rest_pose(), 0.7 * rng.normal(size=character.nv))
    return character, q, rng.normal(size=character.nv), rng


def differences(character: Character, q, v, handle: Handle, target) -> np.ndarray:
    """Central differences of the error to a fixed target along ⊕, (dim, nv)."""
    steps, rates = STEP * np.eye(character.nv), np.tile(v, (character.nv, 1))
    ahead = Kinematics(character, character.manifold.plus(q, steps), rates)
    behind = Kinematics(character, character.manifold.plus(q, -steps), rates)
    change = handle.error(handle.value(ahead), target) - handle.error(handle.value(behind), target)
    return change.T / (2 * STEP)


def assert_derivative(exact, approximate, handle):
    scale = max(1.0, float(np.abs(approximate).max(initial=0.0)))
    worst = float(np.abs(exact - approximate).max(initial=0.0)) / scale
    assert worst <= 1e-6, f"{handle}: off by {worst:.1e}"


def test_every_kind_has_an_example():
    assert set(EXAMPLES) == set(kinds())


def test_jacobians_are_derivatives(scene):
    character, q, v, _ = scene
    kin = Kinematics(character, q, v)
    for handle in examples(character):
        value = handle.value(kin)
        assert value.shape == (1, handle.size), handle
        jacobian = handle.jacobian(kin)
        assert jacobian.shape == (1, handle.dim, character.nv), handle
        assert_derivative(jacobian[0], differences(character, q, v, handle, value[0]), handle)


def test_error_jacobians_are_derivatives(scene):
    character, q, v, rng = scene
    kin = Kinematics(character, q, v)
    for handle in examples(character):
        if isinstance(handle, Pose):
            target = handle.target(character, character.manifold.plus(q, 0.4 * rng.normal(size=character.nv)))
        else:
            target = random_target(rng, handle, handle.value(kin)[0])
        error = handle.error(handle.value(kin), target)
        assert error.shape == (1, handle.dim), handle
        jacobian = handle.error_jacobian(kin, target)
        assert_derivative(jacobian[0], differences(character, q, v, handle, target), handle)


def test_velocity_jacobians_are_derivatives(scene):
    character, q, v, rng = scene
    kin = Kinematics(character, q, v)
    for handle in examples(character):
        push = rng.normal(size=character.nv)
        other = Kinematics(character, q, v + push)
        change = handle.error(handle.value(other), handle.value(kin))[0]  # all are linear in v
        np.testing.assert_allclose(
            handle.velocity_jacobian(kin)[0] @ push, change, atol=1e-9, err_msg=str(handle)
        )
        assert handle.needs_velocity == bool(np.any(handle.velocity_jacobian(kin))), handle


def test_no_error_on_target(scene):
    character, q, v, _ = scene
    kin = Kinematics(character, q, v)
    for handle in examples(character):
        np.testing.assert_allclose(
            handle.error(handle.value(kin), handle.value(kin)), 0, atol=1e-7, err_msg=str(handle)
        )


def test_frames_are_independent(scene):
    character, q, v, rng = scene
    poses = character.manifold.plus(q, 0.3 * rng.normal(size=(3, character.nv)))
    rates = np.tile(v, (3, 1))
    whole = Kinematics(character, poses, rates)
    for handle in examples(character):
        target = handle.value(whole)[::-1].copy()
        parts = [Kinematics(character, poses[k], v) for k in range(3)]
        for ours, single in (
            (handle.value(whole), [handle.value(k) for k in parts]),
            (handle.jacobian(whole), [handle.jacobian(k) for k in parts]),
            (
                handle.error_jacobian(whole, target),
                [handle.error_jacobian(k, t) for k, t in zip(parts, target)],
            ),
        ):
            np.testing.assert_allclose(
                ours, np.concatenate(single), rtol=1e-9, atol=1e-9, err_msg=str(handle)
            )


def test_files_keep_every_handle(scene):
    character, *_ = scene
    for handle in examples(character):
        text = json.dumps(handle.to_dict())
        again = handle_from_dict(json.loads(text))
        assert again == handle
        assert hash(again) == hash(handle)
        assert again.bind(character).units == handle.units
        assert handle.unit
        assert str(handle) == handle.label


def test_unknown_names_are_named():
    character, named = build("humanoid"), 0
    strange = Character("strange", [character.bodies[0].replaced(name="x", points={})])
    for handle in examples(character):
        if any(isinstance(x, str) and x in character.points for x in _strings(handle.to_dict())):
            named += 1
            with pytest.raises(UnknownNameError, match="strange"):
                handle.bind(strange)
    assert named > 10


def _strings(data):
    if isinstance(data, dict):
        for value in data.values():
            yield from _strings(value)
    elif isinstance(data, list):
        for value in data:
            yield from _strings(value)
    else:
        yield data
