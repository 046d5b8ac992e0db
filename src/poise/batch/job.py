"""One clip through a recipe, in a process of its own; whatever goes wrong becomes part of its outcome."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from poise.batch.outcome import Outcome
from poise.batch.recipe import EACH, Recipe, recipe_from
from poise.errors import PoiseError
from poise.files import replacing
from poise.kernels.compile_log import working_time
from poise.reading import read_bytes

if TYPE_CHECKING:
    from poise.formats.options import WriteOptions
    from poise.motion import Clip
    from poise.operations.declare import Operation
    from poise.plausibility.finding import Finding
    from poise.plausibility.report import PlausibilityReport

BESIDE = {".amc": ".asf", ".gltf": ".bin"}
"""Clips that need other files of their folder, and which."""
TOLD = 5
"""How many misses of one step are told."""


def perform(
    recipe: dict[str, Any], beside: str, root: str, clip: str, target: str, device: str | None = None
) -> dict[str, Any]:
    """Take a clip of the folder ``root`` through a recipe; its outcome as plain data.

    ``beside``: the folder of files that the recipe names; ``device``: what simulates.
    """
    from poise.kernels.graphics_card import on_device
    from poise.workers import on_threads

    started = working_time()
    source = ""
    try:
        source = source_digest(Path(root) / clip)
        with on_threads(1), on_device(device):  # every processor has a clip of its own
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
        said = f"a bug in Poise: {problem!r} ({Path(where.filename).name}:{where.lineno})"
        outcome = Outcome(clip=clip, state="failed", problem=said)
    told: dict[str, Any] = msgspec.to_builtins(outcome)
    return {**told, "seconds": working_time() - started, "source": source}


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

    first = formats.load(root / name, **recipe.read)
    output, digest = result_path(name, recipe), ""
    animations = _animations(first) if recipe.animations == "all" else []
    left_out = () if recipe.motion else _not_taken(first, animations)
    if not output:
        courses = [_taken(recipe, formats.load(root / name, **recipe.read, animation=k)) for k in animations]
        courses = courses or [_taken(recipe, first)]
    else:
        path = target / output
        path.parent.mkdir(parents=True, exist_ok=True)
        how: WriteOptions = {"fresh": True} if recipe.fresh else {}
        with replacing(path) as made:
            courses = [_taken(recipe, first)]
            courses[0].clip.save(made, **how)
            for number in animations[1:]:  # the others of a document, each in what the one before has left
                courses.append(_taken(recipe, formats.load(made, **recipe.read, animation=number)))
                courses[-1].clip.save(made)
        left_out += tuple(dict.fromkeys(x for c in courses for x in formats.losses(c.clip, path, **how)))
        digest = sha256(path.read_bytes()).hexdigest()
    judged = [c.report for c in courses if c.report is not None and not c.report.unjudged]
    plausible = all(report.plausible for report in judged) if judged else None
    missed = tuple(text for c in courses for text in c.told(c.missed, len(courses)))
    return Outcome(
        clip=name,
        state="missed" if missed or plausible is False else "done",
        plausible=plausible,
        findings=tuple(text for c in courses for text in c.told(c.found, len(courses))),
        kinds=tuple(finding.kind for report in judged for finding in report.findings),
        repaired=tuple(text for c in courses for text in c.told(c.repaired, len(courses))),
        missed=missed,
        left_out=left_out,
        frames=sum(c.clip.frames for c in courses),
        output=output,
        sha256=digest,
    )


def _taken(recipe: Recipe, clip: Clip) -> _Course:
    course = _Course(recipe, clip, clip, name=clip.name)
    if recipe.motion:
        course.clip = course.named(recipe.motion)
    elif clip.source is not None and clip.source.animation is not None:
        # Not the clip's own name: where an animation has none, that is the file's.
        course.name = clip.source.animations[clip.source.animation].name
    for step in recipe.steps:
        course.take(step)
    return course


def _animations(clip: Clip) -> list[int]:
    """Numbers of all animations of a clip's file that move the skeleton, the clip's own first."""
    source = clip.source
    if source is None or source.animation is None:
        return []
    moving = [k for k, each in enumerate(source.animations) if each.joints and k != source.animation]
    return [source.animation, *moving]


def _not_taken(clip: Clip, taken: list[int]) -> tuple[str, ...]:
    """Animations of the clip's file that the recipe is not applied to."""
    from poise.motion.source import listed

    source = clip.source
    if source is None or source.animation is None:
        return ()
    done = taken or [source.animation]
    rest = [each.name for k, each in enumerate(source.animations) if k not in done]
    if not rest:
        return ()
    if len(done) > 1:
        return (f"animations that move no joint were not taken: {listed(rest)}",)
    which = source.animations[source.animation].name
    return (f"only the animation {which} was taken, not {listed(rest)}",)


def _said(finding: Finding, report: PlausibilityReport) -> str:
    dt = report.physics.clip.dt
    return f"{finding.words}, {finding.start * dt:.2f} to {finding.end * dt:.2f} s"


@dataclass(eq=False)
class _Course:
    """A clip on its way through the steps, and what is to be told of it."""

    recipe: Recipe
    file: Clip
    """As the file has it."""
    clip: Clip
    report: PlausibilityReport | None = None
    repaired: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    name: str = ""
    """What it is called in its file."""

    @property
    def found(self) -> list[str]:
        """What the last check found."""
        report = self.report
        return [] if report is None else [_said(finding, report) for finding in report.findings]

    def told(self, texts: list[str], clips: int) -> list[str]:
        """What is to be said of this clip, under its name where there are several of one file."""
        return [f"{self.name}: {text}" for text in texts] if clips > 1 else texts

    def take(self, step: Operation) -> None:
        """Do a step to the clip; a judgement holds until the motion changes."""
        from poise.operations.result import Result
        from poise.operations.running import run
        from poise.operations.situation import Situation

        found = run(step, Situation(Result(self.clip), self.named))
        if step.MAKES == "motion":
            self.clip = found.clip
            self.report = self.report if step.KEEPS_VERDICT else None
        self.report = found.verdict or self.report
        self.repaired += found.repaired
        if step.MAKES == "motion":
            self.missed += [f"{step.do}: {text}" for text in found.missed[:TOLD]]

    def named(self, name: str) -> Clip:
        """A clip that a step names."""
        from poise import formats
        from poise.clips.named import bundled

        if self.recipe.motion and name == EACH:
            return self.file
        file = self.recipe.file(name)
        return bundled(name) if file is None else formats.load(file)
