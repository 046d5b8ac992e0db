"""What can be asked about a document without changing it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from poise.project.document import Document
from poise.project.evaluation import Evaluator

Question = Callable[[Evaluator, Document, dict[str, Any]], Any]


def check(evaluator: Evaluator, document: Document, about: dict[str, Any]) -> Any:
    """The plausibility report of the result, or of a layer."""
    from poise import plausibility

    clip = evaluator.made(document, about.get("layer")).clip
    return plausibility.check(clip).to_dict()


def window(evaluator: Evaluator, document: Document, about: dict[str, Any]) -> Any:
    """The time window that would be chosen for a kinodynamics layer [s]."""
    import msgspec

    from poise.project.kinds.kinodynamics import KinodynamicsLayer

    layer = document.layer(about["layer"])
    assert isinstance(layer, KinodynamicsLayer)
    steps = evaluator.plan(document, layer.name)
    below = steps[-1].below
    if below is None:
        return None
    clip = evaluator.made(document, below.layer.name).clip
    auto = msgspec.structs.replace(layer, window="auto")
    return float(auto._simulator(clip)[1].max())


def export(evaluator: Evaluator, document: Document, about: dict[str, Any]) -> Any:
    """Bake into a file; its path."""
    from poise.project import Project

    options = dict(about)
    path = Path(options.pop("path"))
    project = Project(document)
    project.evaluator = evaluator
    project.bake(path, **options)
    return path.name


QUESTIONS: dict[str, Question] = {"check": check, "window": window, "export": export}
