"""One clip through a recipe, in a process of its own; whatever goes wrong becomes part of its outcome."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from poise.batch.outcome import Outcome
from poise.batch.recipe import Check, Convert, Fix, Recipe, Step, recipe_from
from poise.errors import PoiseError
from poise.reading import read_bytes

if TYPE_CHECKING:
    from poise.motion import Clip
    from poise.plausibility import Finding, PlausibilityReport
    from poise.project.layer import Layer

BESIDE = {".amc": ".asf", ".gltf": ".bin"}
"""Clips that need other files of their folder, and which."""
TOLD = 5
"""How many misses of one step are told."""


def perform(recipe: dict[str, Any], beside: str, root: str, clip: str, target: str) -> dict[str, Any]:
    """Take a clip of the folder ``root`` through a recipe; its outcome as plain data.

    ``beside``: the folder of files that the recipe names.
    """
    from poise.workers import on_threads

    started = perf_counter()
    source = ""
    try:
        source = source_digest(Path(root) / clip)
        with on_threads(1):  # every processor has a clip of its own
            outcome = _performed(recipe_from(recipe, beside), Path(root), clip, Path(target))
    except PoiseError as problem:
        said = str(problem).replace(str(Path(root) / clip), clip)
        outcome = Outcome(clip=clip, state="failed", problem=said)
    except OSError as problem:
        outcome = Outcome(clip=clip, state="failed", problem=f"{clip}: {problem.strerror or problem}")
    except MemoryError:
        outcome = Outcome(clip=clip, state="failed", problem="there is not enough memory for it")
    except Exception as problem:  # a mistake of ours with one clip must not end the others
        where = traceback.extract_tb(problem.__traceback__)[-1]
        said = f"a mistake in Poise itself: {problem!r} ({Path(where.filename).name}:{where.lineno})"
        outcome = Outcome(clip=clip, state="failed", problem=said)
    told: dict[str, Any] = msgspec.to_builtins(outcome)
    return {**told, "seconds": perf_counter() - started, "source": source}


def source_digest(path: Path) -> str:
    """Of a clip's file, and of those beside it that it may need."""
    found = sha256(read_bytes(path))
    needed = BESIDE.get(path.suffix.lower())
    for other in sorted(path.parent.iterdir()) if needed else ():
        if other.suffix.lower() == needed:
            found.update(read_bytes(other))
    return found.hexdigest()


def result_path(clip: str, recipe: Recipe) -> str:
    """Where the result of a clip goes within the target folder; empty if only reports are wanted."""
    return Path(clip).with_suffix(recipe.output).as_posix() if recipe.output else ""


def _performed(recipe: Recipe, root: Path, name: str, target: Path) -> Outcome:
    from poise import formats

    course = _Course(recipe, formats.load(root / name, **recipe.read))
    for step in recipe.steps:
        course.take(step)
    output, digest = result_path(name, recipe), ""
    if output:
        path = target / output
        path.parent.mkdir(parents=True, exist_ok=True)
        course.clip.save(path)
        digest = sha256(path.read_bytes()).hexdigest()
    report = course.report
    plausible = None if report is None else report.plausible
    return Outcome(
        clip=name,
        state="missed" if course.missed or plausible is False else "done",
        plausible=plausible,
        findings=() if report is None else tuple(_said(finding, report) for finding in report.findings),
        kinds=() if report is None else tuple(finding.kind for finding in report.findings),
        repaired=tuple(course.repaired),
        missed=tuple(course.missed),
        frames=course.clip.frames,
        output=output,
        sha256=digest,
    )


def _said(finding: Finding, report: PlausibilityReport) -> str:
    dt = report.physics.clip.dt
    return f"{finding.words}, {finding.start * dt:.2f} to {finding.end * dt:.2f} s"


@dataclass(eq=False)
class _Course:
    """A clip on its way through the steps, and what is to be told of it."""

    recipe: Recipe
    clip: Clip
    report: PlausibilityReport | None = None
    repaired: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def take(self, step: Step | Layer) -> None:
        match step:
            case Check():
                from poise import plausibility

                self.report = plausibility.check(self.clip, floor=step.floor, cutoff=step.filter)
            case Fix():
                self._fix(step)
            case Convert():
                from poise.motion import operators

                if step.range is not None:
                    first, last = step.range
                    if last is not None and not self.clip.loop:
                        last = min(last, float(self.clip.times[-1]))
                    self.clip = operators.trim(self.clip, first, last)
                if step.fps is not None:
                    self.clip = operators.resample(self.clip, step.fps)
            case _:
                self._layer(step)

    def _fix(self, step: Fix) -> None:
        from poise import repair

        result = repair.fix(self.clip, step.only, floor=step.floor, cutoff=step.filter)
        self.clip, self.report = result.clip, result.after
        for outcome in result.outcomes:
            if outcome.done:
                self.repaired.append(f"{outcome.repair}: {outcome.words}")
            if not outcome.mended:
                self.missed.append(f"fix {outcome.repair}: {outcome.words}")

    def _layer(self, layer: Any) -> None:
        """By way of a project: what a step does to a clip is what its layer does there."""
        from poise.project import AddLayer, Project

        project = Project().add_clip("the clip", self.clip).add("source", "the clip", clip="the clip")
        for name in layer.uses():
            project.add_clip(name, self.recipe.file(name) or name)
        made = project.do(AddLayer(layer=layer)).made()
        self.clip, self.report = made.clip, None
        if not made.met:
            outcomes = made.report.outcomes if made.report is not None else ()
            said = [f"{o.name}: {o.reason or 'missed'}" for o in outcomes if not o.met]
            self.missed += [f"{layer.name}: {text}" for text in said[:TOLD] or ["not all was met"]]
