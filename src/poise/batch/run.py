"""A recipe over a folder: clips are found, done by processes or a cluster, and written down at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from poise.batch.job import Outcome, perform
from poise.batch.ledger import Ledger
from poise.batch.recipe import Recipe, read_json, recipe_from
from poise.errors import InputError

Progress = Callable[[int, int, Outcome], None]
"""Told how many clips are done, of how many, and the last one."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All outcomes, in the order of the clips' names."""

    outcomes: tuple[Outcome, ...]
    kept: int = 0
    """How many had been done before."""

    def count(self, state: str) -> int:
        """How many clips ended in a state."""
        return sum(outcome.state == state for outcome in self.outcomes)

    @property
    def fine(self) -> bool:
        """Whether everything was done and met."""
        return all(outcome.state == "done" for outcome in self.outcomes)


def run(
    recipe: str | Path | dict[str, Any],
    folder: str | Path,
    target: str | Path,
    *,
    workers: int | None = None,
    scheduler: str = "",
    again: bool = False,
    progress: Progress | None = None,
) -> Summary:
    """Take every clip of a folder (and those below) through a recipe, into a folder of the same shape.

    What an earlier run has done is kept unless it was of another recipe, the clip has changed, or ``again``.
    """
    root, out = Path(folder).resolve(), Path(target).resolve()
    if not root.is_dir():
        raise InputError(f"{folder} is not a folder")
    if out == root:
        raise InputError("clips are not replaced by their results: give another folder")
    data = dict(recipe) if isinstance(recipe, dict) else read_json(Path(recipe))
    asked = recipe_from(data)
    names = clips_in(root, out)
    if not names:
        raise InputError(f"{folder} holds no clips that Poise can read")
    _refuse_collisions(names, asked)
    ledger = Ledger(out)
    found: dict[str, Outcome] = {}
    for name in names:
        told = None if again else ledger.done(name, root / name, out, asked.digest)
        if told is not None:
            found[name] = _outcome(told)
    kept = len(found)
    waiting = [name for name in names if name not in found]
    jobs = [(data, str(root), name, str(out)) for name in waiting]
    for number, told in _results(jobs, workers, scheduler):
        name = waiting[number]
        if told is None:
            said = "its process died twice: out of memory, or a mistake in Poise or a library"
            told = {"clip": name, "state": "crashed", "problem": said, "recipe": asked.digest}
        ledger.add(told)
        found[name] = _outcome(told)
        if progress is not None:
            progress(len(found), len(names), found[name])
    return Summary(outcomes=tuple(found[name] for name in names), kept=kept)


def clips_in(root: Path, out: Path) -> list[str]:
    """Paths of all clips below a folder, results left out."""
    from poise import formats

    kinds = formats.extensions()
    found = (p for p in root.rglob("*") if p.suffix.lower() in kinds and p.is_file())
    shown = (p for p in found if not any(part.startswith(".") for part in p.relative_to(root).parts))
    return sorted(p.relative_to(root).as_posix() for p in shown if not p.is_relative_to(out))


def _refuse_collisions(names: list[str], recipe: Recipe) -> None:
    """Two clips that would be written to one file."""
    if not recipe.output:
        return
    taken: dict[str, str] = {}
    for name in names:
        result = Path(name).with_suffix(recipe.output).as_posix()
        if result in taken:
            raise InputError(f"{taken[result]} and {name} would both become {result}: rename one of them")
        taken[result] = name


def _results(jobs: list[Any], workers: int | None, scheduler: str) -> Iterator[tuple[int, Any]]:
    if not jobs:
        return iter(())
    if scheduler:
        from poise.batch import cluster

        return cluster.performed(perform, jobs, scheduler)
    from poise.batch import local
    from poise.workers import thread_count

    if workers is not None and workers < 1:
        raise InputError(f"there must be at least one worker, not {workers}")
    return local.performed(perform, jobs, workers or thread_count())


def _outcome(told: dict[str, Any]) -> Outcome:
    return msgspec.convert(told, Outcome, strict=False)
