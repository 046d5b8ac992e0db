"""One clip through a recipe, in a process of its own; whatever goes wrong becomes part of its outcome."""

from __future__ import annotations

import traceback
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from poise.batch.recipe import Check, Convert, Fix, recipe_from
from poise.errors import PoiseError

if TYPE_CHECKING:
    from poise.motion import Clip


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a clip."""

    clip: str
    """Path within the folder."""
    state: str
    """done · missed (done, but something asked for was not met or is implausible) · failed · crashed"""
    problem: str = ""
    plausible: bool | None = None
    findings: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    """What steps could not achieve, in words."""
    frames: int = 0
    seconds: float = 0.0
    output: str = ""
    sha256: str = ""
    source: str = ""
    """SHA-256 of the clip's file: a changed clip is done anew."""
    recipe: str = ""


def perform(recipe: dict[str, Any], root: str, clip: str, target: str) -> dict[str, Any]:
    """Take a clip of the folder ``root`` through a recipe; its outcome as plain data."""
    from poise.workers import on_threads

    started = perf_counter()
    asked = recipe_from(recipe)
    path = Path(root) / clip
    source = ""
    try:
        source = sha256(path.read_bytes()).hexdigest()
        with on_threads(1):  # every processor has a clip of its own
            told = _performed(asked, path, Path(target) / clip)
        outcome = Outcome(clip=clip, **told)
    except PoiseError as problem:
        outcome = Outcome(clip=clip, state="failed", problem=str(problem))
    except OSError as problem:
        outcome = Outcome(clip=clip, state="failed", problem=f"{clip}: {problem.strerror or problem}")
    except Exception as problem:  # a mistake of ours with one clip must not end the others
        where = traceback.extract_tb(problem.__traceback__)[-1]
        said = f"a mistake in Poise itself: {problem!r} ({Path(where.filename).name}:{where.lineno})"
        outcome = Outcome(clip=clip, state="failed", problem=said)
    told = msgspec.to_builtins(outcome)
    return {**told, "seconds": perf_counter() - started, "source": source, "recipe": asked.digest}


def _performed(recipe: Any, path: Path, target: Path) -> dict[str, Any]:
    import poise

    clip = poise.load(path)
    told: dict[str, Any] = {"state": "done", "missed": (), "repaired": (), "findings": ()}
    for step in recipe.steps:
        clip = _stepped(step, clip, told)
    told["frames"] = clip.frames
    if recipe.output:
        target.parent.mkdir(parents=True, exist_ok=True)
        output = clip.save(target.with_suffix(recipe.output))
        told |= {"output": output.name, "sha256": sha256(output.read_bytes()).hexdigest()}
    if told["missed"] or told.get("plausible") is False:
        told["state"] = "missed"
    return told


def _stepped(step: Any, clip: Clip, told: dict[str, Any]) -> Clip:
    from poise.motion import operators

    match step:
        case Check():
            from poise import plausibility

            report = plausibility.check(clip, floor=step.floor, cutoff=step.filter)
            found = tuple(str(finding) for finding in report.findings)
            told |= {"plausible": report.plausible, "findings": found}
            return clip
        case Fix():
            import poise

            result = poise.fix(clip, step.only, floor=step.floor, cutoff=step.filter)
            told["repaired"] += tuple(f"{o.repair}: {o.words}" for o in result.outcomes if o.done)
            told["missed"] += tuple(f"fix {o.repair}: {o.words}" for o in result.outcomes if not o.mended)
            return result.clip
        case Convert():
            if step.range is not None:
                clip = operators.trim(clip, *step.range)
            return clip if step.fps is None else operators.resample(clip, step.fps)
    made = _layer_made(step, clip)
    if not made.met:
        reasons = [o for o in made.report.outcomes if not o.met] if made.report is not None else []
        told["missed"] += tuple(f"{step.name}: {o.name}: {o.reason or 'missed'}" for o in reasons[:5])
        told["missed"] = told["missed"] or (f"{step.name}: not all was met",)
    return made.clip


def _layer_made(layer: Any, clip: Clip) -> Any:
    from poise.project import Project

    project = Project().add_clip("clip", clip).add("source", "clip", clip="clip")
    if layer.kind == "retarget" and layer.onto not in project.document.clips:
        project.add_clip(layer.onto, layer.onto)
    from poise.project.commands import AddLayer

    project.do(AddLayer(layer=layer))
    return project.made()
