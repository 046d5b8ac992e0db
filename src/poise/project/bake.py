"""A project's motion as a file, and beside it a note of everything that went into it.

The clip is the preview, bit for bit; another rate, a part of it, or another character come after.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from poise.errors import InputError
from poise.files import write_text
from poise.operations.frozen_data import as_plain
from poise.project.bypass import Bypass
from poise.project.clip_digest import clip_digest
from poise.project.container import readable
from poise.project.document import VERSION
from poise.project.evaluation import Cancel, Progress
from poise.version import __version__

if TYPE_CHECKING:
    from poise.character import Character
    from poise.constraints import Report
    from poise.formats.options import WriteOptions
    from poise.methods.loosen.wear.worn import Worn
    from poise.motion import Clip
    from poise.project.project import Project

NOTED = ("numpy", "scipy", "numba", "mujoco")
"""Packages whose versions can move a last bit."""


@dataclass(frozen=True, eq=False)
class Baked:
    """A clip and how it came about."""

    clip: Clip
    reports: Mapping[str, Report]
    """By layer."""
    met: bool
    """Whether every layer achieved what it was asked for."""
    failures: Mapping[str, str]
    """Layers that failed and were passed by, and why."""
    notices: tuple[str, ...]
    note: dict[str, Any]
    written: tuple[Path, ...] = ()


class BakeOptions(TypedDict, total=False):
    """As the parameters of ``bake``."""

    layer: str | None
    rate: Fraction | float | str | None
    span: tuple[float | None, float | None] | None
    character: Character | None
    fresh: bool
    strict: bool
    progress: Progress | None
    cancel: Cancel | None


def bake(
    project: Project,
    output: str | Path | None = None,
    *,
    layer: str | None = None,
    rate: Fraction | float | str | None = None,
    span: tuple[float | None, float | None] | None = None,
    character: Character | None = None,
    fresh: bool = False,
    strict: bool = False,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Baked:
    """The motion of the project, or of one layer; written to ``output``, with a note beside it, if given.

    ``character`` gives the performance to somebody else; then ``span`` [s] cuts, and ``rate`` [frames/s]
    samples anew. A motion that came from a glTF file is written into a copy of that file, ``fresh`` into a
    new document. A layer that fails is passed by, and told in ``failures``; ``strict`` raises its complaint.
    """
    from poise.motion import operators
    from poise.motion.frame_times import exact_rate

    evaluator, bypass = project.evaluator, Bypass(project.evaluator, project.document, strict=strict)
    target = None if output is None else Path(output)
    if target is not None:
        from poise import formats

        formats.format_to_write(target)  # a mistake is told before the work
    wanted = None if rate is None else exact_rate(rate)
    name = project.document.result if layer is None else layer
    wears = target is not None and character is None and target.suffix.lower() in wearing()
    made, clip = bypass.made(name, wear=_put_on if wears else None, progress=progress, cancel=cancel)
    document = bypass.document
    results = evaluator.results(document, name)
    reports = {n: made.report for n, made in results.items() if made.report is not None}
    met = not bypass.failures and all(made.met for made in results.values())
    left_out: tuple[str, ...] = ()
    if character is not None:
        if made.attached:
            raise InputError(
                "worn things fit only their own wearer: bake the layer below for another character"
            )
        from poise.functions import retarget

        moved = retarget(clip, character, cancel=cancel)
        clip, reports, met = moved.clip, {**reports, "character": moved.report}, met and moved.report.met
    if target is not None and not wears:
        left_out = tuple(f"{w.attachment.name}: {target.suffix} files hold no meshes" for w in made.attached)
    if span is not None:
        clip = operators.trim(clip, *span)
    if wanted is not None:
        clip = operators.resample(clip, wanted)
    if clip.source is None or clip.source.animation is None:  # an animation of a file keeps its name there
        clip = clip.replaced(name=document.name or clip.name)
    notices = (*evaluator.notices(document, name), *left_out)
    options = {
        "layer": name,
        "rate": None if rate is None else str(rate),
        "range": None if span is None else list(span),
        "character": None if character is None else character.name,
    }
    note = _note(project, bypass, clip, options, reports, notices)
    written: tuple[Path, ...] = ()
    if target is not None:
        from poise import formats

        how: WriteOptions = {"fresh": True} if fresh else {}
        clip.save(target, **how)
        note["output"] |= {
            "file": target.name,
            "sha256": sha256(target.read_bytes()).hexdigest(),
            "left_out": list(formats.losses(clip, target, **how)),
        }
        beside = note_path(target)
        write_text(beside, f"{readable(note)}\n")
        written = (target, beside)
    return Baked(clip, reports, met, bypass.failures, notices, note, written)


def _put_on(clip: Clip, worn: Worn) -> Clip:
    from poise.formats.gltf.dressed import wearing

    return wearing(clip, worn)


def wearing() -> tuple[str, ...]:
    """Extensions of files that can hold meshes that sway."""
    from poise.formats.registry import every_format

    return tuple(extension for each in every_format() if each.meshes for extension in each.extensions)


def note_path(output: Path) -> Path:
    """Where the note of a bake is."""
    return output.with_name(f"{output.name}.bake.json")


def _note(
    project: Project,
    bypass: Bypass,
    clip: Clip,
    options: dict[str, Any],
    reports: Mapping[str, Report],
    notices: tuple[str, ...],
) -> dict[str, Any]:
    document, evaluator = project.document, project.evaluator
    acting = {step.layer.name: step.mixed for step in evaluator.plan(bypass.document, options["layer"])}
    used = {n for each in document.layers if each.name in acting for n in each.uses()}
    return {
        "poise": "bake",
        "version": 1,
        "made_with": {"poise": __version__, "python": platform.python_version(), **_versions()},
        "project": {
            "name": document.name,
            "file": project.path.name if project.path is not None else None,
            "version": VERSION,
            "digest": document.digest,
        },
        "options": options,
        "clips": {
            n: {**as_plain(document.clips[n]), "digest": evaluator.assets.load(n, document.clips[n]).digest}
            for n in document.clips
            if n in used
        },
        "layers": [
            {
                "name": each.name,
                "do": each.do,
                "acts": each.name in acting,
                "weight": each.weight,
                "digest": acting.get(each.name),
                "failed": bypass.failures.get(each.name),
            }
            for each in document.layers
        ],
        "reports": {n: json.loads(report.to_json()) for n, report in reports.items()},
        "notices": list(notices),
        "output": {
            "frames": clip.frames,
            "rate": str(clip.rate),
            "loop": clip.loop,
            "digest": clip_digest(clip),
        },
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in NOTED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
