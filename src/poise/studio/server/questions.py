"""What can be asked about a document without changing it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from poise.errors import InputError, UnknownNameError
from poise.motion import Clip
from poise.operations.declare import Operation, name_of
from poise.operations.frozen_data import thaw
from poise.operations.result import Result
from poise.operations.situation import Situation
from poise.project.document import Document
from poise.project.evaluation import Cancel, Evaluator, Progress
from poise.studio.carried import Carried
from poise.studio.server import answers, retiming
from poise.studio.server.asset_bin import clips, inspect, pairing, preview
from poise.studio.server.film import is_film, write_film

Any_operation = TypeVar("Any_operation", bound=Operation)
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

    @property
    def name(self) -> str:
        """The layer that is asked about."""
        return str(self.about.get("layer", ""))

    def layer(self, operation: type[Any_operation]) -> Any_operation:
        """That layer, which has to do an operation."""
        found = self.document.layer(self.name)
        if not isinstance(found, operation):
            raise InputError(
                f"layer {found.name!r} is a {found.do!r} layer; this works on {name_of(operation)!r} layers"
            )
        return found

    def made(self, layer: str | None = None) -> Clip:
        """The motion of a layer, or of the document."""
        return self.evaluator.made(self.document, layer, progress=self.progress, cancel=self.cancel).clip

    def situation(self) -> Situation:
        """What the layer asked about finds when it acts."""
        last = self.evaluator.plan(self.document, self.name)[-1]
        self.given()  # which says what is wrong where there is nothing
        assert last.below is not None
        given = self.evaluator.made(self.document, last.below.layer.name)
        return self.evaluator.situation(self.document, last, given)

    def given(self) -> Clip:
        """The motion that the layer asked about works on."""
        last = self.evaluator.plan(self.document, self.name)[-1]
        if last.layer.name != self.name:
            raise InputError(f"layer {self.name!r} is muted")
        if last.below is None:
            raise InputError(f"layer {self.name!r} starts a motion: there is none below it")
        return self.made(last.below.layer.name)


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


def contacts(asked: Inquiry) -> Carried:
    """What carries the motion: surfaces, contacts, forces; as the document has them where it does."""
    from poise.studio.server.ground import carrying

    return carrying(asked.evaluator, asked.document, asked.made())


def plants(asked: Inquiry) -> answers.Plants:
    """Feet that stand, as handles."""
    from poise.operations.adapt import Adapt
    from poise.studio.server.plant_handles import plant_handles

    layer = asked.layer(Adapt)
    return plant_handles(asked.name, layer, asked.situation())


def segments(asked: Inquiry) -> answers.Segments:
    """The path of key-frames, with hints in words."""
    from poise.methods.key.path.path import VERSION
    from poise.methods.key.path.path import Path as CentrePath
    from poise.operations.key import Key

    layer = asked.layer(Key)
    data = thaw(layer.keyframes).get("path")
    if not data:
        return answers.Segments(layer=asked.name, segments=[], fine=True, command=None)
    path = CentrePath.from_dict({"version": VERSION, **data})
    hints = () if layer.retime else path.hints
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
        value: Any = retiming.fixed(thaw(layer.keyframes), path) if timed else True
        where = "keyframes" if timed else "retime"
        command = {"do": "set", "layer": asked.name, "path": where, "value": value}
    return answers.Segments(layer=asked.name, segments=found, fine=not hints, command=command)


def pose(asked: Inquiry) -> answers.Entry:
    """The whole pose at a time [s], of the motion or of a layer's, as a constraint."""
    from poise import constraints

    clip = asked.made(asked.about.get("layer"))
    time = float(asked.about.get("time", 0.0))
    made = constraints.pose(clip.character, clip.at(time), time, name=f"pose at {time:.2f} s")
    return answers.Entry(constraint=made.to_dict())


def key(asked: Inquiry) -> answers.PoseKey:
    """The pose of key-frames at a time [s] as it is on the stage, to be one of its keys."""
    from poise.operations.key import Key

    layer, time = asked.layer(Key), float(asked.about.get("time", 0.0))
    if not layer.starts:
        raise InputError(f"layer {asked.name!r} has no poses of its own: the motion below it is its pose")
    return answers.PoseKey(time=time, q=asked.made(asked.name).at(time).tolist())


def posed(asked: Inquiry) -> answers.Posed:
    """The pose of the motion, or of a layer's, at a time [s]; ``mirrored``: its mirror image."""
    clip = asked.made(asked.about.get("layer") or None)
    q = np.array(clip.at(float(asked.about.get("time", 0.0))))
    if asked.about.get("mirrored") is True:
        from poise.motion.operators import mirror

        q = np.array(mirror(Clip(clip.character, [q], clip.rate)).q[0])
    who = clip.character
    joints = {name: q[who.coordinates(name)].tolist() for name in who.names}
    return answers.Posed(joints={name: value for name, value in joints.items() if value})


def animations(asked: Inquiry) -> answers.Animations:
    """What a clip's file holds, to be chosen from."""
    name = str(asked.about.get("clip", ""))
    if name not in asked.document.clips:
        raise UnknownNameError("clip", name, asked.document.clips)
    source = asked.evaluator.assets.load(name, asked.document.clips[name]).clip.source
    found = source.animations if source is not None else ()
    told = [answers.Animation(name=a.name, seconds=a.duration, joints=a.joints) for a in found]
    number = source.animation if source is not None else None
    return answers.Animations(clip=name, animations=told, chosen=-1 if number is None else number)


def scene(asked: Inquiry) -> dict[str, Any]:
    """A bundled scene written out, so that it can be changed."""
    from poise.methods.plan.scene import bundled as scenes

    found: dict[str, Any] = scenes.get(str(asked.about.get("name", ""))).to_dict()
    return found


def beats(asked: Inquiry) -> answers.Music:
    """Beats and sound of a performance."""
    from poise.operations.perform import Perform
    from poise.reading import trusting
    from poise.studio.server.music import music

    assets = asked.evaluator.assets
    with trusting(*assets.within):
        return music(asked.layer(Perform), assets.folder)


def script(asked: Inquiry) -> dict[str, Any]:
    """A bundled script written out, so that it can be changed."""
    from poise.methods.perform.script import file as script_file

    found: dict[str, Any] = script_file.read_data(script_file.bundled(str(asked.about.get("name", ""))))
    return found


def snap(asked: Inquiry) -> answers.Mend:
    """The command that puts the keys of a performance on beats."""
    from poise.operations.perform import Perform
    from poise.reading import trusting
    from poise.studio.server.music import snapped

    layer = asked.layer(Perform)
    assets = asked.evaluator.assets
    with trusting(*assets.within):
        keys = snapped(asked.name, layer, assets.folder)
    put = {"do": "set", "layer": asked.name, "path": "script/keys", "value": keys}
    free = {"do": "remove", "layer": asked.name, "path": "script/quantise"}
    told = [put, free] if "quantise" in thaw(layer.script) else [put]
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
    import poise

    found: dict[str, Any] = poise.check(asked.made(asked.about.get("layer"))).report.to_dict()
    return found


def window(asked: Inquiry) -> float | None:
    """The time window that would be chosen for a loosened motion [s]."""
    from poise.methods.loosen.simulate.simulator import Simulator
    from poise.methods.loosen.window.windows import windows_of
    from poise.operations.loosen import Loosen

    layer = asked.layer(Loosen)
    return float(np.max(windows_of(Simulator(asked.given(), layer.spec, layer), "auto")))


def export(asked: Inquiry) -> str:
    """Bake into a file, whole or not at all; its name."""
    from poise.project import Project

    options = dict(asked.about)
    path = Path(options.pop("path"))
    if is_film(path):
        made = asked.evaluator.made(asked.document, progress=asked.progress, cancel=asked.cancel)
        return write_film(made, asked.document, path, options, asked.progress, asked.cancel).name
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
    """What a repair of the motion would do, in the project's world, and the layer that does it."""
    return _mend(asked, "fix")


def ground(asked: Inquiry) -> answers.Mend:
    """What it would take that contact forces carry the motion, and the layer that does it."""
    return _mend(asked, "ground")


def _mend(asked: Inquiry, operation: str) -> answers.Mend:
    from poise.project.commands import command_from

    layers = asked.document.layers
    place = next((k for k, layer in enumerate(layers) if layer.LAST), len(layers))
    last = layers[place - 1].name if place < len(layers) else None
    taken = {layer.name for layer in layers}
    names = (operation, *(f"{operation} {k}" for k in range(2, len(taken) + 3)))
    name = next(n for n in names if n not in taken)
    command = {"do": "add-layer", "layer": {"do": operation, "name": name}, "at": place}
    tried = command_from(command).apply(asked.document)
    result: Any = asked.evaluator.made(tried, name, progress=asked.progress, cancel=asked.cancel)
    if not result.changed:
        return answers.Mend(words=result.summary, command=None)
    return answers.Mend(words=result.summary + _broken(asked, last, result), command=command)


def _broken(asked: Inquiry, last: str | None, result: Result) -> str:
    """What layers were asked for and a repair would lose, in words."""
    from poise.project.checks import checks

    steps, made = asked.evaluator.plan(asked.document, last), asked.evaluator.results(asked.document, last)
    before = {(c.layer, c.outcome.name) for c in checks(steps, made) if c.outcome.met}
    after = checks(steps, made, result.clip)
    lost = [c for c in after if not c.outcome.met and (c.layer, c.outcome.name) in before]
    told = dict.fromkeys(f"{c.outcome.name} off by {_size(c.outcome.error, c.outcome.unit)}" for c in lost)
    return f"; it would break: {', '.join(told)}" if lost else ""


def _size(error: float, unit: str) -> str:
    return f"{100 * error:.2g} cm" if unit == "m" else f"{error:.3g} {unit}"


def beside(asked: Inquiry) -> answers.Beside:
    """The motion of another layer with who performs it, to be drawn beside what is on the stage."""
    from poise.studio.page import encoded

    clip = asked.made(asked.name)
    last = asked.evaluator.plan(asked.document, asked.name)[-1]
    mark = str(last.mixed)
    packed = "" if asked.about.get("mark") == mark else encoded(clip)
    return answers.Beside(layer=asked.name, mark=mark, packed=packed)


QUESTIONS: dict[str, Callable[[Inquiry], Any]] = {
    f.__name__: f
    for f in (
        vocabulary,
        physics,
        contacts,
        plants,
        segments,
        fix,
        ground,
        pose,
        key,
        posed,
        animations,
        inspect,
        clips,
        preview,
        beside,
        pairing,
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
