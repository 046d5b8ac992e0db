"""A slice of the random problems (``make problems`` runs ten thousand of each kind): no fault in any."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

COUNT = 60


def runner() -> ModuleType:
    """``tests/problems/__main__.py``: its workers are ended by the system where a problem never ends."""
    spec = importlib.util.spec_from_file_location("problems_main", Path(__file__).with_name("__main__.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", ["pose", "adapt", "hit"])
def test_what_is_handed_out_is_what_is_reported(kind: str) -> None:
    problems = runner()
    found = problems.run(kind, COUNT, seed=problems.SEED, processes=1)
    assert [v["number"] for v in found] == list(range(COUNT))
    assert not any(v["faults"] for v in found), problems.summary(kind, found)
    ended = {v["ended"] for v in found}
    assert {"met", "missed", "refused"} <= ended, problems.summary(kind, found)


@pytest.mark.parametrize("number", [913, 2015])
def test_wishes_that_say_the_same_are_no_trouble_to_the_published_method(number: int) -> None:
    """Their equations are singular once hardly any damping is left."""
    problems = runner()
    (found,) = problems.run("hit", 1, seed=problems.SEED, processes=1, first=number)
    assert (found["number"], found["faults"]) == (number, [])
    assert found["ended"] in ("met", "missed")


def test_the_search_for_what_is_nearest_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A motion that runs away, simulated in ever finer steps: counted in simulations, not by a clock."""
    from random_problems import MAKERS, generator

    from poise.methods.loosen.hit import solve

    asked: list[int] = []
    settle = solve.settle

    def counted(along, solution, *, bound, iterations):
        asked.append(iterations)
        return settle(along, solution, bound=bound, iterations=iterations)

    monkeypatch.setattr(solve, "settle", counted)
    monkeypatch.setattr(solve, "WORK", 2e7)
    assert not MAKERS["hit"](generator("hit", 6656)).solve().report.met
    assert asked == sorted(asked, reverse=True), "ever fewer are left"
    assert asked[-1] < 20


def test_so_is_the_search_itself_in_steps_that_nobody_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from random_problems import MAKERS, generator

    from poise.methods.loosen.hit import solve

    taken: list[int] = []
    least_norm = solve.least_norm

    def counted(residual, *others, **options):
        found = least_norm(residual, *others, **options)
        if residual.__self__.problem.simulator.h < solve.FINE:
            taken.append(found.iterations)
        return found

    monkeypatch.setattr(solve, "least_norm", counted)
    monkeypatch.setattr(solve, "WORK", 1e6)
    assert not MAKERS["hit"](generator("hit", 808, 77)).solve().report.met
    assert taken
    assert max(taken) <= 2
