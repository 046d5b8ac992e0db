"""Threads over ranges: every item once, nobody waited for in vain, the same bits; forks survive it."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time

import numpy as np
import pytest

from poise import dynamics, workers
from poise.character import Character
from poise.errors import InputError
from poise.kinematics import Bundle, Kinematics
from poise.pictures import Camera, Material, Quality, Scene, render
from poise.pictures.mesh import sphere
from poise.workers import (
    algebra_on_one_thread,
    for_frames,
    for_groups,
    for_ranges,
    on_threads,
    thread_count,
)
from random_trees import random_character, random_state

FRAMES = 700


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("grain", [1, 5, 16])
@pytest.mark.parametrize("count", [0, 1, 15, 16, 31, 32, 33, 1000])
def test_every_item_once_in_ranges_worth_a_call(count: int, grain: int, threads: int) -> None:
    ranges: list[tuple[int, int]] = []
    for_ranges(lambda first, last: ranges.append((first, last)), count, grain=grain, threads=threads)
    assert [i for first, last in sorted(ranges) for i in range(first, last)] == list(range(count))
    if len(ranges) > 1:
        assert count >= 2 * grain
        assert min(last - first for first, last in ranges) >= max(1, grain // 4)


def test_frames_and_groups_pass_arguments_on() -> None:
    for run, items in ((for_frames, 1001), (for_groups, 126)):
        got = np.zeros(items)

        def kernel(first: int, last: int, value: float, out: np.ndarray) -> None:
            out[first:last] += value

        run(kernel, 1001, 2.5, got)
        assert (got == 2.5).all()


def meet() -> bool:
    """Whether two threads work at once."""
    meeting = threading.Barrier(2)
    met = threading.Event()

    def kernel(first: int, last: int) -> None:
        if not met.is_set():
            meeting.wait(timeout=20)  # breaks unless another thread comes here too
            met.set()

    for_ranges(kernel, 100, threads=2)
    return met.is_set()


def test_two_threads_really_work_at_once() -> None:
    assert meet()


@pytest.mark.parametrize("count", [1, 16, 255])
def test_small_batches_stay_on_the_calling_thread(count: int) -> None:
    seen = []
    with on_threads(8):
        for_frames(lambda first, last: seen.append((first, last, threading.get_ident())), count)
    assert seen == [(0, count, threading.get_ident())]


def test_the_caller_does_not_wait_for_helpers_that_never_wake() -> None:
    """All helpers are held elsewhere: the caller does the work alone."""
    workers._forget_pool()  # no more helpers than are held here
    release, held = threading.Event(), threading.Semaphore(0)
    ours, ended = threading.get_ident(), []

    def hold(first: int, last: int) -> None:
        held.release()
        ended.append(release.wait(10))

    other = threading.Thread(target=for_ranges, args=(hold, 3), kwargs={"threads": 3})
    other.start()  # itself and the pool's two threads
    try:
        for _ in range(3):
            assert held.acquire(timeout=30)
        seen = []
        for_ranges(lambda first, last: seen.append(threading.get_ident()), 100, threads=3)
        assert set(seen) == {ours}
        assert not ended
    finally:
        release.set()
        other.join()


def test_ranges_inside_ranges() -> None:
    seen: list[tuple[int, int]] = []

    def inner(first: int, last: int, i: int) -> None:
        seen.extend((i, j) for j in range(first, last))

    def outer(first: int, last: int) -> None:
        for i in range(first, last):
            for_ranges(inner, 50, i, threads=3)

    for_ranges(outer, 6, threads=3)
    assert sorted(seen) == [(i, j) for i in range(6) for j in range(50)]


@pytest.mark.parametrize("culprit", [0, 99])
def test_errors_come_out(culprit: int) -> None:
    def kernel(first: int, last: int) -> None:
        if first <= culprit < last:
            raise IndexError("the kernel's own")

    with pytest.raises(IndexError, match="own"):
        for_ranges(kernel, 100, threads=4)
    for_ranges(lambda first, last: None, 100, threads=4)


def test_nothing_new_is_begun_after_an_error() -> None:
    ours, begun, done = threading.get_ident(), threading.Event(), []

    def kernel(first: int, last: int) -> None:
        if threading.get_ident() == ours:
            assert begun.wait(30)
            raise InputError("stop")
        begun.set()
        time.sleep(0.05)
        done.append(first)

    with pytest.raises(InputError, match="stop"):
        for_ranges(kernel, 100, threads=2)
    assert len(done) < 5


def test_thread_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POISE_THREADS", "3")
    assert thread_count() == 3
    with on_threads(5):
        assert thread_count() == 5
        with on_threads(1):
            assert thread_count() == 1
        assert thread_count() == 5
    assert thread_count() == 3
    for nonsense in ("", "0", "-2", "many"):
        monkeypatch.setenv("POISE_THREADS", nonsense)
        assert thread_count() >= 1
    with pytest.raises(InputError, match="at least one thread, not 0"), on_threads(0):
        pass


def results() -> list[bytes]:
    """Kinematics, dynamics and a picture, large enough for several threads."""
    character: Character = random_character(np.random.default_rng(2), 9)
    q, v, a = random_state(np.random.default_rng(3), character, FRAMES)
    kin = Kinematics(character, q, v)
    bundle = Bundle(character, FRAMES).update(q, v)
    scene = Scene()
    scene.solid.add(sphere(0.5), Material("#c86432"), position=(0, 0, 1))
    quick = Quality(key_samples=4, sky_samples=4, shadow_texel=3, sky_texel=8, detail=12)
    return [
        kin.momentum_jacobian.tobytes(),
        kin.inertia_jacobian.tobytes(),
        bundle.com_jacobian.tobytes(),
        dynamics.forward_dynamics(character, q, v, a).tobytes(),
        render(scene, Camera((5, 0, 1), (0, 0, 1), size=(96, 72)), quality=quick).tobytes(),
    ]


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_the_same_bits_on_any_number_of_threads(threads: int) -> None:
    with on_threads(1):
        alone = results()
    with on_threads(threads):
        assert results() == alone


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_children_compute_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POISE_THREADS", "3")
    ours = results()  # the parent's threads exist now
    with multiprocessing.get_context("fork").Pool(2) as pool:
        waiting = [pool.apply_async(results) for _ in range(2)]
        for child in waiting:
            assert child.get(timeout=120) == ours
        assert pool.apply_async(meet).get(timeout=60)
    assert results() == ours


def algebra_threads() -> set[int]:
    from threadpoolctl import threadpool_info

    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_algebra_stays_on_one_thread_inside_and_is_let_loose_after() -> None:
    import scipy.linalg  # noqa: F401  its library is told too
    from threadpoolctl import threadpool_limits

    @algebra_on_one_thread()
    def fails() -> None:
        assert algebra_threads() == {1}
        raise InputError("on purpose")

    with threadpool_limits(2, user_api="blas"):
        with algebra_on_one_thread():
            with pytest.raises(InputError, match="on purpose"):
                fails()
            assert algebra_threads() == {1}
        assert algebra_threads() == {2}


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_is_heard_between_pieces_of_a_long_batch(threads: int) -> None:
    begun: list[int] = []
    caller, heard = threading.get_ident(), threading.Event()

    def kernel(first: int, last: int) -> None:
        begun.append(last - first)
        if threading.get_ident() == caller:
            heard.set()
            signal.raise_signal(signal.SIGINT)  # as if somebody pressed it while the kernel runs
        else:
            heard.wait(timeout=20)  # a helper leaves the rest to the caller
            time.sleep(0.01)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs
    try:
        with pytest.raises(KeyboardInterrupt):
            for_ranges(kernel, 1_000_000, grain=4, threads=threads)
    finally:
        signal.signal(signal.SIGINT, before)
    assert max(begun) <= 64 * 4
    assert sum(begun) < 1_000_000
