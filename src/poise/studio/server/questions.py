"""What can be asked about a document without changing it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from poise.errors import InputError, UnknownNameError
from poise.motion import Clip
from poise.project.document import Document
from poise.project.evaluation import Cancel, Evaluator, Progress, Step
from poise.project.layer import Layer
from poise.studio.server import answers, retiming

Any_layer = TypeVar("Any_layer", bound=Layer)
BAKED = ("layer", "rate", "span")
"""Options of an export."""


@dataclass(frozen=True, eq=False)
class Inquiry:
    """A question's surroundings."""

    evaluator: Evaluator
    document: Document
    about: dict[str, Any]
    progress: Progress
    cancel: Cancel

    def layer(self, kind: type[Any_layer]) -> Any_layer:
        """The layer asked about, which has to be of a kind."""
        found = self.document.layer(str(self.about.get("layer", "")))
        if not isinstance(found, kind):
            wanted = kind.__struct_config__.tag
            raise InputError(
                f"layer {found.name!r} is of kind {found.kind!r}; this is asked about {wanted!r}"
            )
        return found

    def made(self, layer: str | None = None) -> Clip:
        """The motion of a layer, or of the document."""
        return self.evaluator.made(self.document, layer, progress=self.progress, cancel=self.cancel).clip

    def given(self, layer: Layer) -> Clip:
        """The motion that a layer works on."""
        below = self._step(layer).below
        if below is None:
            raise InputError(f"layer {layer.name!r} starts a motion: there is none below it")
        return self.made(below.layer.name)

    def _step(self, layer: Layer) -> Step:
        steps = self.evaluator.plan(self.document, layer.name)
        if steps[-1].layer.name != layer.name:
            raise InputError(f"layer {layer.name!r} is muted")
        return steps[-1]


def vocabulary(asked: Inquiry) -> answers.Vocabulary:
    """Every name that the document may use."""
    from poise.studio.server.vocabulary import vocabulary

    if not asked.document.layers:
        return vocabulary(None)
    first = asked.evaluator.plan(asked.document)[0].layer.name
    return vocabulary(asked.made(first).character)


def physics(asked: Inquiry) -> answers.Ground:
    """What the motion, or a layer's, stands on and pushes against."""
    from poise.studio.server.ground import ground

    return ground(asked.made(asked.about.get("layer")))


def plants(asked: Inquiry) -> answers.Plants:
    """Feet that stand, as handles."""
    from poise.project.kinds.adaptation import AdaptationLayer
    from poise.studio.server.plant_handles import plant_handles

    layer = asked.layer(AdaptationLayer)
    return plant_handles(layer, asked.given(layer))


def segments(asked: Inquiry) -> answers.Segments:
    """The path of a tracks layer, with hints in words."""
    from poise.methods.key.path.path import VERSION
    from poise.methods.key.path.path import Path as CentrePath
    from poise.project.kinds.tracks import TracksLayer

    layer = asked.layer(TracksLayer)
    data = layer.plain("tracks").get("path")
    if not data:
        return answers.Segments(layer=layer.name, segments=[], fine=True, command=None)
    path = CentrePath.from_dict({"version": VERSION, **data})
    hints = () if layer.fix else path.hints
    played = path.resolved().keys
    found = []
    for here, after in pairwise(played):
        # A hint belongs to the segment that ends at its key; at the first key, to the one that starts.
        own = [h for h in hints if h.key == after.index or h.key == here.index == played[0].index]
        found.append(
            answers.Segment(
                key=here.index,
                start=here.time,
                end=after.time,
                template=path.keys[here.index].template.kind,
                fine=not own,
                words=[h.words for h in own],
                fixable=any(h.fixable for h in own),
            )
        )
    command = None
    if any(h.fixable for h in hints):
        # Where the layer starts the motion its keys are moved; else the motion below must be timed anew too.
        timed = layer.starts
        value: Any = retiming.fixed(layer.plain("tracks"), path) if timed else True
        command = {"do": "set", "layer": layer.name, "path": "tracks" if timed else "fix", "value": value}
    return answers.Segments(layer=layer.name, segments=found, fine=not hints, command=command)


def pose(asked: Inquiry) -> answers.Entry:
    """The whole pose at a time [s], of the motion or of a layer's, as a constraint."""
    from poise import constraints

    clip = asked.made(asked.about.get("layer"))
    time = float(asked.about.get("time", 0.0))
    made = constraints.pose(clip.character, clip.at(time), time, name=f"pose at {time:.2f} s")
    return answers.Entry(constraint=made.to_dict())


def key(asked: Inquiry) -> answers.PoseKey:
    """The pose of a tracks layer at a time [s] as it is on the stage, to be one of its keys."""
    from poise.project.kinds.tracks import TracksLayer

    layer, time = asked.layer(TracksLayer), float(asked.about.get("time", 0.0))
    if not layer.starts:
        raise InputError(f"layer {layer.name!r} has no poses of its own: the motion below it is its pose")
    return answers.PoseKey(time=time, q=asked.made(layer.name).at(time).tolist())


def scene(asked: Inquiry) -> dict[str, Any]:
    """A bundled scene written out, so that it can be changed."""
    from poise.methods.plan.scene import bundled as scenes

    found: dict[str, Any] = scenes.get(str(asked.about.get("name", ""))).to_dict()
    return found


def beats(asked: Inquiry) -> answers.Music:
    """Beats and sound of a beat layer."""
    from poise.project.kinds.beat import BeatLayer
    from poise.reading import trusting
    from poise.studio.server.music import music

    assets = asked.evaluator.assets
    with trusting(*assets.within):
        return music(asked.layer(BeatLayer), assets.folder)


def script(asked: Inquiry) -> dict[str, Any]:
    """A bundled script written out, so that it can be changed."""
    from poise.methods.perform.script import file as script_file

    found: dict[str, Any] = script_file.read_data(script_file.bundled(str(asked.about.get("name", ""))))
    return found


def snap(asked: Inquiry) -> answers.Mend:
    """The command that puts the keys of a beat layer on beats."""
    from poise.project.kinds.beat import BeatLayer
    from poise.reading import trusting
    from poise.studio.server.music import snapped

    layer = asked.layer(BeatLayer)
    assets = asked.evaluator.assets
    with trusting(*assets.within):
        keys = snapped(layer, assets.folder)
    put = {"do": "set", "layer": layer.name, "path": "script/keys", "value": keys}
    free = {"do": "remove", "layer": layer.name, "path": "script/quantise"}
    told = [put, free] if "quantise" in layer.plain("script") else [put]
    command = {"do": "group", "label": "keys on beats", "commands": told}
    return answers.Mend(words=f"{len(keys)} keys on beats", command=command)


def report(asked: Inquiry) -> answers.Text:
    """What a layer achieved, as text."""
    results = asked.evaluator.results(asked.document)
    name = str(asked.about.get("layer", ""))
    asked.document.layer(name)
    made = results.get(name)
    if made is None or made.report is None:
        return answers.Text(text="")
    return answers.Text(text=str(made.report))


def check(asked: Inquiry) -> dict[str, Any]:
    """The plausibility report of the result, or of a layer."""
    from poise import plausibility

    found: dict[str, Any] = plausibility.check(asked.made(asked.about.get("layer"))).to_dict()
    return found


def window(asked: Inquiry) -> float | None:
    """The time window that would be chosen for a kinodynamics layer [s]."""
    from poise.project.kinds.kinodynamics import KinodynamicsLayer

    layer = asked.layer(KinodynamicsLayer)
    auto = msgspec.structs.replace(layer, window="auto")
    return float(np.max(auto._simulator(asked.given(layer))[1]))


def export(asked: Inquiry) -> str:
    """Bake into a file, whole or not at all; its name."""
    from poise.project import Project

    options = dict(asked.about)
    path = Path(options.pop("path"))
    for name in options:
        if name not in BAKED:
            raise UnknownNameError("option", name, BAKED, where="an export")
    project = Project(asked.document)
    project.evaluator = asked.evaluator
    project.bake(path, progress=asked.progress, cancel=asked.cancel, **options)
    return path.name


def read(asked: Inquiry) -> answers.Read:
    """Whether a file can be used; external parts only where ``beside`` says so."""
    from poise.studio.server.reading import checked_file

    return checked_file(Path(asked.about["path"]), beside=bool(asked.about.get("beside", False)))


def fix(asked: Inquiry) -> answers.Mend:
    """What a repair of the motion would do, and the layer that does it."""
    from poise import repair

    layers = asked.document.layers
    place = next((k for k, layer in enumerate(layers) if layer.LAST), len(layers))
    result = repair.fix(asked.made(layers[place - 1].name if place < len(layers) else None))
    if not result.changed:
        return answers.Mend(words=result.verdict, command=None)
    taken = {layer.name for layer in layers}
    name = next(n for n in ("fix", *(f"fix {k}" for k in range(2, len(taken) + 3))) if n not in taken)
    command = {"do": "add-layer", "layer": {"kind": "fix", "name": name}, "at": place}
    return answers.Mend(words=result.verdict, command=command)


QUESTIONS: dict[str, Callable[[Inquiry], Any]] = {
    f.__name__: f
    for f in (
        vocabulary,
        physics,
        plants,
        segments,
        fix,
        pose,
        key,
        scene,
        beats,
        script,
        snap,
        report,
        check,
        window,
        export,
        read,
    )
}
