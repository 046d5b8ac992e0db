"""Wrenches against MuJoCo and differences, cones against SciPy: nothing that the solver only believes."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.optimize import nnls

import poise
from poise.dynamics.mujoco_model import model
from poise.kinematics import Kinematics
from poise.methods.ground.cone import Pushes, carried
from poise.methods.ground.wrench import Stride, wrenches

ARM = 0.3


def curve(character, dt: float, frames: int = 7):
    """A lively motion that is known between frames."""
    rng = np.random.default_rng(3)
    waves = rng.normal(size=(2, character.nv)) * 0.3
    times = dt * (np.arange(frames) - frames // 2)
    d = waves[0] * np.sin(3 * times)[:, None] + waves[1] * np.cos(4 * times)[:, None]
    return character.manifold.plus(np.broadcast_to(character.manifold.neutral(), (frames, character.nq)), d)


def stride_of(character, dt: float) -> Stride:
    return Stride(character, dt, False, np.zeros(3), np.arange(character.nv), ARM)


def by_mujoco(character, q, dt: float):
    made = model(character, contacts=False, limits=False, passive=False)
    data = mujoco.MjData(made)
    before, after = np.zeros(made.nv), np.zeros(made.nv)
    mujoco.mj_differentiatePos(made, before, dt, q[0], q[1])
    mujoco.mj_differentiatePos(made, after, dt, q[1], q[2])
    data.qpos[:], data.qvel[:], data.qacc[:] = q[1], 0.5 * (before + after), (after - before) / dt
    mujoco.mj_inverse(made, data)
    root = data.qfrc_inverse
    moment = data.xmat[1].reshape(3, 3) @ root[3:6] + np.cross(data.xpos[1], root[:3])
    weight = character.total_mass * 9.81
    return np.concatenate([root[:3], moment / ARM]) / weight


@pytest.fixture(scope="module")
def biped():
    return poise.clips.get("jump").character


def test_wrenches_are_those_of_mujoco_to_second_order(biped):
    errors = []
    for dt in (2e-3, 1e-3):
        q = curve(biped, dt, 3)
        found = wrenches(
            stride_of(biped, dt), q, np.zeros((3, biped.nv)), np.zeros((1, 3)), Kinematics(biped, q)
        )
        errors.append(np.abs(found.need[0] - by_mujoco(biped, q, dt)).max())
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)


def test_slopes_are_those_of_differences(biped):
    dt = 1 / 60
    base, rng = curve(biped, dt, 5), np.random.default_rng(1)
    d = 0.3 * rng.normal(size=(5, biped.nv))
    stride, about = stride_of(biped, dt), rng.normal(size=(3, 3))

    def need(d):
        q = biped.manifold.plus(base, d)
        return wrenches(stride, q, d, about, Kinematics(biped, q), slope=False).need

    q = biped.manifold.plus(base, d)
    slope = wrenches(stride, q, d, about, Kinematics(biped, q)).slope  # (S, 3, 6, m)
    size = np.abs(slope).max()
    for frame in range(5):
        for dof in range(0, biped.nv, 4):
            step = np.zeros_like(d)
            step[frame, dof] = 1e-5
            found = (need(d + step) - need(d - step)) / 2e-5
            told = np.array(
                [slope[s, frame - s, :, dof] if 0 <= frame - s < 3 else np.zeros(6) for s in range(3)]
            )
            np.testing.assert_allclose(told, found, atol=1e-6 * size)


def test_a_thrown_body_needs_no_wrench_of_the_air(biped):
    dt, frames = 1 / 60, 5
    q = np.repeat(biped.manifold.neutral()[None], frames, axis=0)
    t = dt * np.arange(frames)
    q[:, 0], q[:, 2] = 1.3 * t, 2.0 + 3.0 * t - 0.5 * 9.81 * t**2
    kin = Kinematics(biped, q)
    found = wrenches(stride_of(biped, dt), q, np.zeros((frames, biped.nv)), kin.com[1:-1], kin)
    np.testing.assert_allclose(found.need, 0.0, atol=1e-10)


def pushes(rng, samples: int, count: int) -> Pushes:
    place = rng.normal(size=(samples, count, 3)) * [0.2, 0.2, 0.0]
    normal = np.zeros((samples, count, 3))
    normal[..., 2] = 1.0
    return Pushes(place, normal, np.full((samples, count), 0.8), np.ones((samples, count), np.int64))


def generators(by: Pushes, s: int, reach: float):
    columns = []
    for at in by.place[s]:
        for i, j in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            corner = at + reach * np.sqrt(0.5) * np.array([i, j, 0.0])
            for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                f = np.array([0.8 * np.sqrt(0.5) * a, 0.8 * np.sqrt(0.5) * b, 1.0])
                columns.append(np.concatenate([f, np.cross(corner, f) / ARM]))
    return np.array(columns).T


def test_what_is_left_is_what_non_negative_least_squares_leave():
    rng = np.random.default_rng(5)
    by = pushes(rng, 40, 3)
    need = rng.normal(size=(40, 6)) * 0.4 + [0, 0, 1, 0, 0, 0]
    found = carried(need, by, 0.015, ARM, 1e-10)
    for s in range(40):
        push, _ = nnls(generators(by, s, 0.015), need[s])
        left = need[s] - generators(by, s, 0.015) @ push
        np.testing.assert_allclose(found.left[s], left, atol=3e-5)
    found = carried(need, by, 0.015, ARM, 3e-6)  # as the solver ends
    # Forces and what is left add up to what was needed, and no force pulls or slips.
    np.testing.assert_allclose(found.force.sum(axis=1) + found.left[:, :3], need[:, :3], atol=2e-3)
    sideways = np.linalg.norm(found.force[..., :2], axis=2)
    assert (sideways <= 0.8 * found.force[..., 2] + 1e-12).all()


def test_the_distance_falls_along_its_own_gradient_and_curvature():
    rng = np.random.default_rng(6)
    by = pushes(rng, 12, 2)
    need = rng.normal(size=(12, 6)) * 0.5 + [0, 0, 1, 0, 0, 0]
    at = carried(need, by, 0.015, ARM, 1e-3)
    way = rng.normal(size=(12, 6))
    step = 1e-4
    ahead, behind = (carried(need + e * way, by, 0.015, ARM, 1e-3) for e in (step, -step))
    np.testing.assert_allclose(
        (at.left * way).sum(axis=1), (ahead.value - behind.value) / (2 * step), rtol=1e-6, atol=1e-9
    )
    bent = np.einsum("sij,skj,sk->si", at.root, at.root, way)
    np.testing.assert_allclose(bent, (ahead.left - behind.left) / (2 * step), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(np.einsum("sij,sj->si", at.root, at.pull), at.left, atol=1e-10)


def test_nothing_pushes_in_flight():
    by = pushes(np.random.default_rng(7), 2, 2)._replace(on=np.zeros((2, 2), np.int64))
    need = np.array([[0.1, 0.2, 1.0, 0, 0, 0], [0.0, 0.0, 0.0, 0, 0, 0]])
    found = carried(need, by, 0.015, ARM, 1e-6)
    np.testing.assert_array_equal(found.left, need)
    assert not found.force.any()
