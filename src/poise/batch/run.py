"""A recipe over a folder: clips are found, done by processes or a cluster, and written down at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from poise.batch.job import BESIDE, perform, result_path
from poise.batch.ledger import NAME, Ledger
from poise.batch.local import Lost
from poise.batch.outcome import Deserted, Outcome, Summary
from poise.batch.recipe import Recipe, read_recipe, recipe_from
from poise.errors import InputError
from poise.files import forget_remains
from poise.kernels.graphics_card import serves
from poise.project.lock import Lock, LockedError

Progress = Callable[[int, int, Outcome], None]
"""Told how many clips are done, of how many, and the last one."""
NO_CLIPS = (".png", ".jpg", ".jpeg", ".webp", ".ktx2", ".txt", ".md", ".html", ".json", ".poise")
"""Files that nobody takes for clips."""
CHARACTERS = (".asf", ".xml", ".mjcf")
"""Files that hold who moves, and no motion."""


class Stopped(KeyboardInterrupt):
    """The user stopped a batch (Ctrl+C); what was done is written down, and the same call goes on."""

    def __init__(self, summary: Summary) -> None:
        self.summary = summary
        super().__init__(str(summary))


def run(
    recipe: str | Path | dict[str, Any],
    folder: str | Path,
    target: str | Path,
    *,
    workers: int | None = None,
    scheduler: str = "",
    again: bool = False,
    limit: float | None = None,
    device: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Take every clip of a folder (and those below) through a recipe, into a folder of the same shape.

    A recipe with a ``motion`` gives that clip to every character of the folder instead.

    What an earlier run has done is kept unless it was of another recipe, the clip has changed, or ``again``.
    ``workers`` processes of this machine do the work (one per processor), or those of a Dask cluster whose
    ``scheduler`` has that address; ``Deserted`` tells where it stands when all of these have gone. No result
    depends on who made it. A clip that takes longer than ``limit`` [s] has failed. ``device``
    says what simulates (cpu, cuda, auto) where a step does not.
    """
    if workers is not None and workers < 1:
        raise InputError(f"there must be at least one worker, not {workers}")
    if limit is not None and not limit > 0:
        raise InputError(f"the time limit must be more than 0 seconds, not {limit:g}")
    if device is not None and not scheduler:
        serves(device, 1, 1)  # a card that is not there is missed now, not by every clip
    root, out = Path(folder).resolve(), Path(target).resolve()
    if not root.is_dir():
        raise InputError(f"{folder} is not a folder")
    if out == root:
        raise InputError("results cannot go into the folder of their clips; choose another folder")
    asked = recipe_from(recipe) if isinstance(recipe, dict) else read_recipe(recipe)
    names = clips_in(root, out, characters=bool(asked.motion))
    if not names:
        what = "characters" if asked.motion else "clips"
        raise InputError(f"{folder} holds no {what} that Poise can read")
    _refuse_collisions(names, asked)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"cannot write to {target}: {problem.strerror or problem}") from None
    try:
        with Lock(out / NAME):
            results = partial(_results, workers=workers, scheduler=scheduler, limit=limit or math.inf)
            return _run(asked, root, out, names, again, device, results, progress)
    except LockedError as problem:
        raise InputError(f"another batch is running in {target} ({problem.holder})") from None


def _run(
    recipe: Recipe,
    root: Path,
    out: Path,
    names: list[str],
    again: bool,
    device: str | None,
    performed: Callable[[list[Any]], Generator[tuple[int, Any], None, None]],
    progress: Progress | None,
) -> Summary:
    ledger, digest, left_out = Ledger(out), recipe.digest, tuple(strangers_in(root, out))
    found: dict[str, Outcome] = {}
    for name in names if not again else ():
        known = ledger.done(name, root, digest)
        if known is not None:
            found[name] = known
    kept = len(found)
    waiting = [name for name in names if name not in found]
    outputs = [out / result_path(name, recipe) for name in waiting if recipe.output]
    forget_remains(*outputs)

    def summary() -> Summary:
        known = tuple(found[name] for name in names if name in found)
        return Summary(outcomes=known, kept=kept, waiting=len(names) - len(known), left_out=left_out)

    jobs = [(recipe.data, recipe.folder, str(root), name, str(out), device) for name in waiting]
    results = performed(jobs)
    try:
        for number, told in results:
            name = waiting[number]
            if isinstance(told, Lost):
                outcome = Outcome(clip=name, state=told.state, problem=told.reason)
            else:
                outcome = msgspec.convert({**told, "recipe": digest}, Outcome)
            ledger.add(outcome)
            found[name] = outcome
            if progress is not None:
                progress(len(found), len(names), outcome)
    except KeyboardInterrupt:
        raise Stopped(summary()) from None
    except Deserted as problem:
        problem.summary = summary()
        raise
    finally:
        results.close()  # ends the processes, also where this one is interrupted
        forget_remains(*outputs)  # of processes that died in the middle of a file
    return summary()


def clips_in(root: Path, out: Path, *, characters: bool = False) -> list[str]:
    """Paths of all clips below a folder, with files of mere ``characters`` where those are asked for.

    What is hidden, and results within the folder, are left out.
    """
    from poise import formats

    kinds = [extension for extension in formats.extensions() if characters or extension not in CHARACTERS]
    return [name for name in _files_in(root, out) if Path(name).suffix.lower() in kinds]


def strangers_in(root: Path, out: Path) -> list[str]:
    """Paths of all other files there that no clip needs: what may be meant as clips, and cannot be read."""
    from poise import formats

    known = {*formats.extensions(), *BESIDE.values(), *NO_CLIPS}
    return [name for name in _files_in(root, out) if Path(name).suffix.lower() not in known]


def _files_in(root: Path, out: Path) -> list[str]:
    results = out if out.is_relative_to(root) else None
    found = []
    for path in root.rglob("*"):
        within = path.relative_to(root)
        hidden = any(part.startswith(".") for part in within.parts)
        mine = results is not None and path.is_relative_to(results)
        if not hidden and not mine and path.is_file():
            found.append(within.as_posix())
    return sorted(found)


def _refuse_collisions(names: list[str], recipe: Recipe) -> None:
    """Two clips that would be written to one file."""
    taken: dict[str, str] = {}
    for name in names if recipe.output else ():
        result = result_path(name, recipe)
        first = taken.setdefault(result.casefold(), name)  # some disks do not tell A from a
        if first != name:
            raise InputError(f"{first} and {name} would both become {result}: rename one of them")


def _results(
    jobs: list[Any], workers: int | None, scheduler: str, limit: float
) -> Generator[tuple[int, Any], None, None]:
    if not jobs:
        return
    if scheduler:
        from poise.batch import cluster

        yield from cluster.performed(perform, jobs, scheduler, limit)
    else:
        from poise.batch import local
        from poise.workers import thread_count

        yield from local.performed(perform, jobs, workers or thread_count(), limit)
