"""The result of a frame does not depend on the batch around it, nor on threads: equal to the bit."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from poise import dynamics
from poise.arrays import Array
from poise.workers import for_groups, on_threads
from random_trees import random_character, random_state

FRAMES = 300
CHARACTER = random_character(np.random.default_rng(2), 9)
Q, V, A = random_state(np.random.default_rng(3), CHARACTER, FRAMES)
Compute = Callable[[Array, Array, Array], Array]
COMPUTATIONS: dict[str, Compute] = {
    "forward": lambda q, v, a: dynamics.forward_dynamics(CHARACTER, q, v, a),
    "inverse": lambda q, v, a: dynamics.inverse_dynamics(CHARACTER, q, v, a),
    "mass": lambda q, v, a: dynamics.mass_matrix(CHARACTER, q),
    "energy": lambda q, v, a: dynamics.kinetic_energy(CHARACTER, q, v),
    "simulate": lambda q, v, a: dynamics.simulate(CHARACTER, q, v, tau=a, step=0.01, steps=7)[0],
}


@pytest.fixture(params=list(COMPUTATIONS))
def compute(request: pytest.FixtureRequest) -> Compute:
    return COMPUTATIONS[request.param]


def test_any_split_and_order(compute: Compute) -> None:
    whole = compute(Q, V, A)
    for cut in (1, 7, 8, 13):
        parts = [compute(Q[i : i + cut], V[i : i + cut], A[i : i + cut]) for i in range(0, 40, cut)]
        assert_array_equal(np.concatenate(parts)[:40], whole[:40])
    order = np.random.default_rng(4).permutation(FRAMES)
    assert_array_equal(compute(Q[order], V[order], A[order]), whole[order])


def test_any_number_of_threads(compute: Compute) -> None:
    results = []
    for count in (1, 2, 3, 5):
        with on_threads(count):
            results.append(compute(Q, V, A))
    for other in results[1:]:
        assert_array_equal(other, results[0])


@pytest.mark.parametrize("grain", [1, 16])
@pytest.mark.parametrize("frames", [0, 1, 8, 63, 64, 65, 1000])
def test_every_group_once(frames: int, grain: int) -> None:
    seen: list[int] = []
    lock = threading.Lock()

    def kernel(first: int, last: int) -> None:
        with lock:
            seen.extend(range(first, last))

    for_groups(kernel, frames, grain=grain)
    assert sorted(seen) == list(range((frames + 7) // 8))


def test_inputs_are_left_alone() -> None:
    q, v = Q.copy(), V.copy()
    dynamics.simulate(CHARACTER, q, v, step=0.01, steps=3)
    dynamics.forward_dynamics(CHARACTER, q, v, v)
    assert_array_equal(q, Q)
    assert_array_equal(v, V)


def test_odd_memory_layouts_are_taken() -> None:
    wanted = dynamics.bias(CHARACTER, Q, V)
    frozen = Q.copy()
    frozen.flags.writeable = False
    assert_array_equal(dynamics.bias(CHARACTER, frozen, np.asfortranarray(V)), wanted)
    assert_array_equal(dynamics.bias(CHARACTER, Q[::-1], V[::-1]), wanted[::-1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_its_own_threads() -> None:
    wanted = dynamics.bias(CHARACTER, Q, V)  # the parent's threads exist now
    child = os.fork()
    if child == 0:
        same = np.array_equal(dynamics.bias(CHARACTER, Q, V), wanted)
        os._exit(0 if same else 1)
    deadline = threading.Timer(60, os.kill, (child, 9))
    deadline.start()
    _, status = os.waitpid(child, 0)
    deadline.cancel()
    assert status == 0
