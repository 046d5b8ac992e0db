"""Lanes, elementary functions, and the one source compiled for floats and for lanes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from poise.arrays import Array
from poise.compilation import kernel
from poise.dynamics import GRAVITY
from poise.dynamics.aba import aba_step
from poise.dynamics.crba import crba_step
from poise.dynamics.elementary import quat_exp, quat_log, quat_unit, sine_cosine
from poise.dynamics.energy import energy_step
from poise.dynamics.integration import advance, difference
from poise.dynamics.lanes import (
    accumulate,
    floor,
    fused,
    get,
    load,
    put,
    round_even,
    spread,
    store,
    where_less,
    width,
)
from poise.dynamics.links import workspace_rows
from poise.dynamics.rnea import rnea_step
from poise.manifold import so3
from random_trees import random_character, random_state


@kernel(inline=True)
def arithmetic(x: Any, out: Any) -> None:
    a, b = load(x, 0), load(x, 1)
    store(out, 0, (a + b) * 2.0 - a / b)
    store(out, 1, 3.0 - -a)
    store(out, 2, math.sqrt(b) + 1.0 / b)
    store(out, 3, where_less(a, b, a, 7.0))
    store(out, 4, fused(a, b, -(a * b)))
    store(out, 5, round_even(a))
    store(out, 6, floor(a))
    store(out, 7, 0.25)
    accumulate(out, 7, a)
    store(out, 8, spread(out, 5.0))


def numpy_arithmetic(x: Array) -> Array:
    a, b = x
    ties = np.where(a < b, a, 7.0)
    rows = [(a + b) * 2 - a / b, 3 + a, np.sqrt(b) + 1 / b, ties, np.zeros_like(a)]
    return np.array([*rows, np.round(a), np.floor(a), 0.25 + a, np.full_like(a, 5.0)])


def test_arithmetic_of_lanes_and_floats(rng: np.random.Generator) -> None:
    x = np.stack([rng.normal(size=8) * 3, rng.uniform(0.5, 2, size=8)])
    x[0, :3] = [0.5, 1.5, -2.5]
    out = np.zeros((9, 8))
    arithmetic(x, out)
    wanted = numpy_arithmetic(x)
    assert_allclose(out, wanted, rtol=1e-15, atol=1e-15)
    for lane in range(8):
        alone = np.zeros(9)
        arithmetic(x[:, lane].copy(), alone)
        assert_allclose(alone, wanted[:, lane], rtol=1e-15, atol=1e-15)


def test_selection_of_bad_numbers() -> None:
    x = np.ones((2, 8))
    x[0, 3] = np.nan
    out = np.zeros((9, 8))
    arithmetic(x, out)
    assert_array_equal(out[3], [7.0] * 8)
    assert np.isnan(out[0, 3])
    assert np.isfinite(np.delete(out, 3, axis=1)).all()


@kernel(inline=True)
def elementary(x: Any, out: Any) -> None:
    s, c = sine_cosine(load(x, 0))
    store(out, 0, s)
    store(out, 1, c)
    q = quat_exp((load(x, 0), load(x, 1), load(x, 2)))
    for k in range(4):
        store(out, 2 + k, q[k])
    v = quat_log(quat_unit(q))
    for k in range(3):
        store(out, 6 + k, v[k])


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-5, 1e-3, 0.1, 1.0, 3.0, 50.0, 1e5])
def test_elementary_functions(size: float, rng: np.random.Generator) -> None:
    for _ in range(20):
        x = size * rng.normal(size=(3, 8))
        out = np.zeros((9, 8))
        elementary(x, out)
        assert_allclose(out[0], np.sin(x[0]), rtol=3e-16, atol=1.2e-16)
        assert_allclose(out[1], np.cos(x[0]), rtol=3e-16, atol=1.2e-16)
        rotation = so3.exp(x.T)
        slack = 4e-16 * max(1.0, size)  # of |v| itself, rounded before its sine is taken
        assert_allclose(out[2:6].T, rotation, atol=slack)
        assert_allclose(out[6:9].T, so3.log(out[2:6].T), rtol=2e-14, atol=4e-15 * min(1.0, size))


def test_sine_next_to_its_zeros() -> None:
    """Near k π/2 the argument must be reduced beyond double precision."""
    k = np.array([1, 2, 3, 4, 7, 100, 12345, 10**7], dtype=np.float64)
    x = np.zeros((3, 8))
    x[0] = k * np.pi / 2
    out = np.zeros((9, 8))
    elementary(x, out)
    assert_allclose(out[0], np.sin(x[0]), rtol=4e-16)
    assert_allclose(out[1], np.cos(x[0]), rtol=4e-16)


@pytest.fixture(scope="module")
def eight() -> dict[str, Any]:
    """Eight states of one tree, as lanes, with all that a step needs."""
    rng = np.random.default_rng(8)
    character = random_character(rng, 14)
    q, v, tau = random_state(rng, character, 8)
    links, n = len(character.tree.parent), len(character.bodies)
    return {
        "character": character,
        "q": np.ascontiguousarray(q.T),
        "v": np.ascontiguousarray(v.T),
        "tau": np.ascontiguousarray(tau.T),
        "given": rng.normal(size=(character.nv, 8)),
        "wrenches": rng.normal(size=(6 * n, 8)),
        "armature": np.array(character.tree.armature),
        "prescribed": rng.uniform(size=links) < 0.3,
        "gravity": np.array(GRAVITY),
        "rows": int(workspace_rows(links)),
    }


def run(name: str, s: dict[str, Any], lane: int | None) -> Array:
    """One step on all eight states, or on one of them as floats."""
    shape = (8,) if lane is None else ()

    def pick(key: str) -> Array:
        return np.array(s[key] if lane is None else s[key][:, lane], order="C")

    tree, nv = s["character"].tree, s["character"].nv
    work = np.full((s["rows"], *shape), np.nan)  # nothing may depend on what was there before
    q, v, tau = pick("q"), pick("v"), pick("tau")
    out = np.full(({"mass": nv * nv, "energy": 2}.get(name, nv), *shape), np.nan)
    pushes, armature, down = pick("wrenches"), s["armature"], s["gravity"]
    match name:
        case "forward":
            aba_step(tree, q, v, tau, armature, down, s["prescribed"], pick("given"), pushes, work, out)
        case "inverse":
            rnea_step(tree, q, v, tau, armature, down, pushes, work, out)
        case "mass":
            out[:] = 0
            crba_step(tree, q, np.zeros_like(v), armature, work, out)
        case "energy":
            energy_step(tree, q, v, armature, down, work, out)
        case "advance":
            advance(tree, q, v, tau, 0.01)
            return np.concatenate([q, v])
        case "difference":
            start = q.copy()
            advance(tree, q, v, tau, 0.1)
            difference(tree, q, start, out)
    return out


@pytest.mark.parametrize("name", ["forward", "inverse", "mass", "energy", "advance", "difference"])
def test_lanes_equal_scalars(name: str, eight: dict[str, Any]) -> None:
    together = run(name, eight, None)
    assert np.isfinite(together).all()
    for lane in range(8):
        alone = run(name, eight, lane)
        largest = max(1.0, float(np.abs(alone).max()))
        assert_allclose(together[:, lane], alone, rtol=0, atol=1e-12 * largest)


@kernel(inline=True)
def turned(lanes: Any, out: Any) -> None:
    """Each lane shifted by one place, by single lanes."""
    for k in range(width(lanes)):
        put(out, 0, (k + 1) % width(lanes), get(lanes, 1, k))


def test_single_lanes(rng: np.random.Generator) -> None:
    wide, narrow = rng.normal(size=(2, 8)), rng.normal(size=(2, 1, 4))
    for lanes in (wide, narrow):
        out = np.zeros_like(lanes[:1])
        turned(lanes, out)
        assert_array_equal(out.ravel(), np.roll(lanes[1].ravel(), 1))


@pytest.mark.parametrize("first", [0, 4])
def test_narrow_lanes_have_the_bits_of_wide_ones(first: int, eight: dict[str, Any]) -> None:
    wide = run("forward", eight, None)
    four = slice(first, first + 4)
    tree, shape = eight["character"].tree, (1, 4)
    names = ("q", "v", "tau", "given", "wrenches")
    q, v, tau, given, pushes = (eight[n][:, None, four].copy() for n in names)
    work, out = np.full((eight["rows"], *shape), np.nan), np.full((eight["character"].nv, *shape), np.nan)
    aba_step(
        tree, q, v, tau, eight["armature"], eight["gravity"], eight["prescribed"], given, pushes, work, out
    )
    assert_array_equal(out[:, 0], wide[:, four])


def test_advance_and_difference_are_the_manifold(eight: dict[str, Any]) -> None:
    manifold, h = eight["character"].manifold, 0.01
    q, v, a = eight["q"].T, eight["v"].T, eight["tau"].T
    after = run("advance", eight, None)
    assert_allclose(after[: q.shape[1]].T, manifold.plus(q, h * (v + h * a)), atol=1e-14)
    assert_allclose(after[q.shape[1] :].T, v + h * a, atol=1e-15)
    moved = run("difference", eight, None)
    assert_allclose(moved.T, 0.1 * (v + 0.1 * a), atol=1e-13)


def test_armature_may_differ_between_lanes(eight: dict[str, Any]) -> None:
    """Eight characters of different joint inertia in one vector."""
    rng = np.random.default_rng(1)
    each = dict(eight, armature=rng.uniform(0, 2, size=eight["v"].shape))
    together = run("forward", each, None)
    for lane in (0, 5):
        alone = run("forward", dict(each, armature=each["armature"][:, lane].copy()), lane)
        assert_allclose(together[:, lane], alone, atol=1e-11 * max(1.0, float(np.abs(alone).max())))
