"""One graphics card against its processor: ``python -m benchmarks.gpu [states|bundle|hit|every …]``

States per second of windows of 0.3 s (46 and 180 degrees of freedom), a clip of 1000 frames, the kinematics
bundle against two cores, and a search for eight coupled targets; with largest differences from the processor.
Data lie on the card already, as between the steps of a search; what that leaves out is said in its own rows.

``every`` is an experiment, also on a machine without a card: the search for eight targets with all
derivatives measured at every step. That takes seven launches instead of thirteen, and finds another
correction, which is why the product does not do it: a card would show another motion.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Literal
from unittest import mock

import numpy as np

from poise.character import Character, Point
from poise.character.presets import biped180
from poise.dynamics.window_arrays import Scheme, States, Windows
from poise.dynamics.window_batch import run_batch, run_on_card
from poise.errors import PoiseError
from poise.kernels.graphics_card import card, serves
from poise.kinematics.bundle import Bundle
from poise.speed.hitting import HitWork
from poise.speed.humanoid46 import humanoid46
from poise.speed.loosening import STEP, WindowsWork
from poise.workers import on_threads

FRAMES = 1000
ROUNDS = 5


def waited(job: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The median time of a job [s], its work on the card ended."""
    from poise.kernels import graphics_card

    job()
    graphics_card.cuda.synchronize()
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        job()
        graphics_card.cuda.synchronize()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def states(character: Character, order: int, counts: tuple[int, ...], label: str) -> None:
    work = WindowsWork(character, FRAMES)
    mechanism, springs = work.mechanism, work.springs
    scheme = Scheme(STEP, 0.0, order)
    there = card()
    followed = there.put_all(f"bench {label}", springs, order="F")
    few = work.windows(FRAMES)
    truth = run_batch(mechanism, springs, few, scheme, "cpu")
    began = time.perf_counter()
    run_batch(mechanism, springs, few, scheme, "cpu")
    processor = time.perf_counter() - began
    print(f"{label}: processor {FRAMES / processor:,.0f} states/s")
    for count in counts:
        begun = there.put_all("bench windows", work.windows(count))
        found: list[States] = []

        def job(begun: Windows = begun, found: list[States] = found) -> None:
            found[:] = [run_on_card(there, mechanism, followed, begun, scheme)]

        took = waited(job)
        some = there.fetch(found[0].q[:FRAMES])
        off = float(np.abs(some - truth.q).max())
        print(
            f"{label}: {count:>9,} windows {1e3 * took:9.2f} ms {count / took:>12,.0f} states/s, "
            f"largest difference {off:.1e}",
            flush=True,
        )
    whole = waited(lambda: run_batch(mechanism, springs, few, scheme, "cuda"))
    print(
        f"{label}: {FRAMES:>9,} windows {1e3 * whole:9.2f} ms with tables sent and states fetched", flush=True
    )


def bundle(frames: int = 100_000) -> None:
    character = humanoid46()
    rng = np.random.default_rng(1)
    q = character.manifold.random(rng, frames, spread=0.5)
    v = rng.normal(size=(frames, character.nv))
    points = tuple(Point(i, np.array([0.1, 0.0, -0.05])) for i in range(2, 18, 4))
    ours, theirs = (
        Bundle(character, frames, points, device="cpu"),
        Bundle(character, frames, points, device="cuda"),
    )
    with on_threads(2):
        ours.update(q, v)
        took = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            ours.update(q, v)
            took.append(time.perf_counter() - began)
    processor = statistics.median(took)
    there = card()
    q_there, v_there = there.put("bench q", q), there.put("bench v", v)
    on_card = waited(lambda: theirs.update(q_there, v_there))
    names = ("positions", "rotations", "points", "point_jacobians", "com", "com_jacobian", "momentum")
    off = max(float(np.abs(getattr(ours, n) - getattr(theirs, n)).max()) for n in names)
    print(
        f"kinematics bundle, {frames:,} frames: two cores {1e3 * processor:.2f} ms, "
        f"card {1e3 * on_card:.2f} ms, "
        f"{processor / on_card:.1f}×, largest difference {off:.1e}",
        flush=True,
    )


@contextmanager
def every_step() -> Iterator[None]:
    """Within it searches measure all derivatives at every step."""
    from poise.methods.loosen.hit.problem import Problem

    first = Problem.guess.func

    def guess(problem: Problem) -> Any:
        return first(problem)._replace(jacobian=None, everywhere=True)

    with mock.patch.object(Problem, "cheap", True), mock.patch.object(Problem, "guess", property(guess)):
        yield


def search(*, every: bool = False) -> None:
    work, task = HitWork(), "8 coupled positions and velocities"
    found = {}
    try:
        serves("cuda", 1, 1)
        devices: tuple[Literal["cpu", "cuda"], ...] = ("cpu", "cuda")
    except PoiseError as problem:
        print(f"hit on the processor alone: {problem}")
        devices = ("cpu",)
    for device in devices:
        with every_step() if every else nullcontext():
            results = [work.solved(task, device) for _ in range(8)][1:]
        report, x = results[-1].report, results[-1].solution.x
        seconds = statistics.median(r.report.seconds for r in results)
        worst = max(o.error for o in report.outcomes)
        found[device] = x
        launches = results[-1].solution.evaluations + results[-1].solution.jacobians * (not every)
        print(
            f"hit, eight coupled targets{', all derivatives at every step' if every else ''}, {device}: "
            f"{1e3 * seconds:.1f} ms, {report.iterations} iterations, {launches} launches, {worst:.0e}, "
            f"norm {np.linalg.norm(x):.4f}",
            flush=True,
        )
    if len(found) == 2:
        print(f"hit: largest difference of coefficients {np.abs(found['cpu'] - found['cuda']).max():.1e}")


def all_states() -> None:
    serves("cuda", 1, 1)
    counts = (1_000, 10_000, 100_000, 1_000_000)
    states(humanoid46(), 1, counts, "46 dof, order 1")
    states(humanoid46(), 2, counts[:3], "46 dof, order 2")
    states(biped180(), 1, counts[:3], "180 dof, order 1")


PARTS: dict[str, Callable[[], None]] = {
    "states": all_states,
    "bundle": bundle,
    "hit": search,
    "every": lambda: search(every=True),
}


def main() -> None:
    for name in sys.argv[1:] or ("states", "bundle", "hit"):
        PARTS[name]()


if __name__ == "__main__":
    main()
