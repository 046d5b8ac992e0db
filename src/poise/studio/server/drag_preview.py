"""Quick answers while something is dragged: what changes goes on from where it was, the rest rides along.

The lowest layer that differs from the document that was last made in full is the one that is dragged:

* ``hit`` takes a few steps from the correction that it had, with its windows;
* ``adapt`` takes one step in a window around what moved;
* ``loosen`` keeps the windows it had chosen: only the springs change, and obstacles are felt again when the
  drag is over, unless they are what is dragged;
* everything else is made in full.

Above it, dynamics are simulated again where their windows see a change, with the corrections they had, or
with new ones where their targets are dragged as well; ``ground`` takes two steps in a window about what
moves, from the change that carried the motion before; everything else adds what it added before,
q ⊕ (after ⊖ before).

What is said of such a motion was measured on it: everything that layers ask for, where measuring takes no
time; of the rest nothing is said until the drag is over. Nothing of this enters a result: then the evaluator
makes the document as if there had been none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np

from poise.arrays import Array
from poise.constraints import Constraint, Report
from poise.constraints.entries import items
from poise.constraints.report import Outcome, measure
from poise.errors import InputError
from poise.methods.ground.result import GroundResult
from poise.methods.ground.window import followed
from poise.methods.loosen.hit.drag import drag, drag_along
from poise.methods.loosen.hit.hit import HitResult
from poise.motion import Clip
from poise.operations.adapt import Adapt
from poise.operations.frozen_data import thaw
from poise.operations.ground import Ground
from poise.operations.hit import Hit
from poise.operations.loosen import Loosen
from poise.operations.situation import Situation
from poise.operations.values.world import NOTHING, is_alone
from poise.operations.wear import Wear
from poise.project.bypass import LayerError
from poise.project.checks import alike
from poise.project.document import Document
from poise.project.evaluation import Cancel, Evaluator, Progress, Step
from poise.project.layer import Layer
from poise.studio.server import drag_step, local_adapt

MOST_POSES = 600
"""Requests are measured in a quick answer as long as that takes no more poses: some 3 ms of sixty joints."""


@dataclass(frozen=True, eq=False)
class Settled:
    """A layer as it was last made in full."""

    step: Step
    before: Clip | None
    """What it worked on; None where it starts a motion."""
    after: Clip
    asked: tuple[Constraint, ...]
    """What it was asked for, as any motion can be measured by."""


@dataclass(frozen=True, eq=False)
class Glimpse:
    """A motion that is good enough while something is dragged."""

    motions: dict[str, Clip]
    """After every layer that acts, in order."""
    reports: dict[str, Report]
    """What was measured on this motion, and nothing else."""
    carried: tuple[str, ...]
    """Layers that only ride along until the drag is over."""
    window: tuple[int, int] = (0, -1)
    """First and last frame that are of this document, where the rest is as it was."""
    unmoved: bool = False
    """Whether it is the motion that was last made in full: nothing that was edited moves anybody."""

    @property
    def clip(self) -> Clip:
        """The result."""
        return next(reversed(self.motions.values()))

    @property
    def met(self) -> bool:
        """Whether all that was measured is so."""
        return all(report.met for report in self.reports.values())


@dataclass(eq=False)
class Live:
    """What is known of the document last made in full, and how far a drag has come."""

    evaluator: Evaluator
    _settled: dict[str, Settled] = field(default_factory=dict)
    _held: dict[str, Any] = field(default_factory=dict)
    """Solvers' results of the drag, by layer."""
    _windows: dict[str, Array] = field(default_factory=dict)
    """Last chosen for each kinodynamics layer [s]."""
    _watch: tuple[Progress | None, Cancel | None] = (None, None)
    _look: int = -1
    _window: tuple[int, int] = (0, -1)

    def settle(self, document: Document) -> None:
        """The document has been made in full."""
        made = self.evaluator.results(document)
        found: dict[str, Settled] = {}
        below: Clip | None = None
        for step in self.evaluator.plan(document):
            one = made[step.layer.name]
            found[step.layer.name] = Settled(step, below, one.clip, tuple(one.demands))
            if step.key in self.evaluator.solutions:
                self.evaluator.solutions.move_to_end(step.key)
                if _loosens(step.layer):
                    self._windows[step.layer.name] = self._first(step.key)
            below = one.clip
        self._settled, self._held = found, {}

    def glimpse(
        self,
        document: Document,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
        look: int = -1,
    ) -> Glimpse | None:
        """The motion of a document a little changed; None where it has to be made in full.

        Of a long one only what is about the frame that is looked at may be new.
        What is made in full for want of a quicker way tells ``progress`` and may be stopped.
        """
        self._watch, self._look, self._window = (progress, cancel), look, (0, -1)
        steps = self.evaluator.plan(document)
        if [s.layer.name for s in steps] != list(self._settled):
            return self._begun(steps)
        motions: dict[str, Clip] = {}
        asked = {name: settled.asked for name, settled in self._settled.items()}
        carried: list[str] = []
        below: Clip | None = None
        dragged = False
        for step in steps:
            name, known = step.layer.name, self._settled[step.layer.name]
            if step.mixed == known.step.mixed:
                now = known.after
            elif not dragged:
                dragged = True
                try:
                    now = self._dragged(document, step, known, below, asked, carried)
                except LayerError:
                    raise
                except InputError as problem:
                    raise LayerError(step.index, step.layer, problem) from None
            else:
                if below is None or known.before is None or below.q.shape != known.before.q.shape:
                    return None
                now = self._riding(step, known, below, asked, carried)
            motions[name] = below = now
        if not dragged:
            return Glimpse(motions, {}, (), unmoved=True)
        return Glimpse(motions, _measured(asked, motions, carried), tuple(carried), self._window)

    def _begun(self, steps: list[Step]) -> Glimpse | None:
        """A long motion that an adaptation has just come upon; None where anything else is new."""
        *others, new = steps
        known = list(self._settled.values())
        if not known or [s.mixed for s in others] != [s.step.mixed for s in known]:
            return None
        below = known[-1].after
        work = local_adapt.adapted(new.layer, below) if isinstance(new.layer, Adapt) else None
        if work is None:
            return None
        motions = {name: settled.after for name, settled in self._settled.items()}
        motions[new.layer.name] = drag_step.mixed(below, work, new.layer.weight)
        asked = {name: settled.asked for name, settled in self._settled.items()}
        asked[new.layer.name] = _requests(new.layer, below)
        carried = (new.layer.name,)
        return Glimpse(motions, _measured(asked, motions, carried), carried)

    def _dragged(
        self,
        document: Document,
        step: Step,
        known: Settled,
        below: Clip | None,
        asked: dict[str, tuple[Constraint, ...]],
        carried: list[str],
    ) -> Clip:
        """The layer that is changed."""
        layer, name = step.layer, step.layer.name
        if below is not None and _bare(layer) != _bare(known.step.layer):
            asked[name] = _requests(layer, below)
        first = self._known(known.step, below)
        last = self._held.get(name, first)
        work: Clip | None = None
        if below is not None and last is not None and step.key != known.step.key:
            if isinstance(layer, Hit) and isinstance(last, HitResult):
                before = known.step.layer
                assert isinstance(before, Hit)
                wanted = drag_step.targets(layer, below)
                if not _same_world(layer, before):
                    pass  # in full: what is run into is what is looked at
                elif _bare(layer, constraints=()) == _bare(before, constraints=()):
                    if wanted:
                        found = self._held[name] = drag(first or last, wanted, last)
                        whole = self.evaluator.cache.get(known.step.key)
                        work = drag_step.corrected(found, layer, first, whole)
                        asked[name] = found.demands
                        if _hindered(layer, document):
                            carried.append(name)
                elif _sprung(layer) != _sprung(before) and _aimed(layer) == _aimed(before):
                    solved = last.problem
                    work = drag_step.loosened(
                        below, layer, solved.all_windows, last.correction, solved.simulator
                    )
                    carried.append(name)
            elif (
                isinstance(layer, Loosen)
                and _only_loose(layer, below)
                and _same_world(layer, known.step.layer)
            ):
                near = drag_step.about(below, self._look)
                if near.all():
                    work = drag_step.loosened(below, layer, last)
                else:
                    work = drag_step.loosened_near(below, known.after, layer, last, self._look)
                    where = np.flatnonzero(near)
                    self._window = int(where[0]), int(where[-1])
                if _hindered(layer, document):
                    carried.append(name)
            elif isinstance(layer, Adapt) and drag_step.same_options(layer, known.step.layer):
                pulled = drag_step.pulled(layer, self._around(document, step), first or last, last)
                if pulled is not None:
                    self._held[name] = pulled
                    work = below.with_q(pulled.poses(0, below.frames))
                    asked[name] = pulled.demands
        if work is None or below is None:
            told, stop = self._watch
            made = self.evaluator.made(document, name, progress=told, cancel=stop)
            asked[name] = tuple(made.demands)
            if last is None and self._first(step.key) is not None:
                self._held[name] = self._first(step.key)  # the next move can go on from this one
            return made.clip
        return drag_step.mixed(below, work, layer.weight)

    def _around(self, document: Document, step: Step) -> Situation:
        """What a layer finds when it is dragged: below it nothing has changed."""
        assert step.below is not None
        given = self.evaluator.made(document, step.below.layer.name)
        return self.evaluator.situation(document, step, given)

    def _first(self, key: str) -> Any:
        """The solver's result that the drag began with."""
        return self.evaluator.solutions[key][1] if key in self.evaluator.solutions else None

    def _known(self, step: Step, below: Clip | None) -> Any:
        """The same, or at least the windows that were chosen for such a motion."""
        windows = self._windows.get(step.layer.name)
        fits = below is not None and windows is not None and len(windows) == below.frames
        found = self._first(step.key)
        return windows if found is None and fits and _loosens(step.layer) else found

    def _riding(
        self,
        step: Step,
        known: Settled,
        below: Clip,
        asked: dict[str, tuple[Constraint, ...]],
        carried: list[str],
    ) -> Clip:
        """A layer above the one that is changed."""
        layer = step.layer
        if isinstance(layer, Wear):
            return below
        assert known.before is not None
        if _bare(layer) != _bare(known.step.layer):  # dragged with what is below
            asked[layer.name] = _requests(layer, below)
        last = self._known(known.step, below)
        if last is not None and layer.weight == 1.0:
            if isinstance(layer, Hit) and isinstance(last, HitResult):
                wanted = drag_step.targets(layer, below) if _retargeted(layer, known.step.layer) else []
                if wanted:
                    last = drag_along(self._held.get(layer.name, last), below, wanted)
                    self._held[layer.name] = last
                else:
                    carried.append(layer.name)
                windows, like = last.problem.all_windows, last.problem.simulator
                return drag_step.followed(
                    below, known.before, known.after, layer, windows, last.correction, like
                )
            if _loosens(layer):
                assert isinstance(layer, Loosen)
                if _hindered(layer):
                    carried.append(layer.name)
                return drag_step.followed(below, known.before, known.after, layer, last)
        carried.append(layer.name)
        manifold = below.character.manifold
        if isinstance(layer, Ground) and known.step.mixed == known.step.key:
            found = self.evaluator.cache.get(known.step.key)
            if isinstance(found, GroundResult) and found.clip is known.after:
                near = followed(layer, found, below)
                if near is not None:
                    return near
        added = manifold.minus(known.after.q, known.before.q)
        return below.with_q(manifold.plus(below.q, added))


def _measured(
    asked: Mapping[str, tuple[Constraint, ...]], motions: Mapping[str, Clip], carried: Collection[str]
) -> dict[str, Report]:
    """What layers were asked for, on the motion that is seen: what is at one time first, then what lasts,
    as far as there is time. Without what is about other frames or joints than those that are seen."""
    names = list(motions)
    seen = motions[names[-1]]
    all_of = [
        (len(each.when.times(seen)), name, number)
        for name in names
        if alike(motions[name], seen)
        for number, each in enumerate(asked.get(name, ()))
    ]
    found: dict[str, dict[int, Outcome]] = {}
    poses = 0
    for count, name, number in sorted(all_of, key=lambda one: one[0]):
        poses += count
        if poses > MOST_POSES:
            break
        now = measure(asked[name][number], seen)
        why = "it rides along until you let go" if name in carried and not now.met else ""
        found.setdefault(name, {})[number] = replace(now, reason=why)
    return {name: Report(tuple(own[k] for k in sorted(own))) for name, own in found.items()}


def _requests(layer: Layer, clip: Clip) -> tuple[Constraint, ...]:
    """What a layer asks for that has changed; nothing where only its result could tell."""
    if not isinstance(layer, Hit | Adapt):
        return ()
    return tuple(c for c in items(thaw(layer.constraints), clip, "constraints") if isinstance(c, Constraint))


def _loosens(layer: Layer) -> bool:
    """Whether it is a motion loosened, and nothing more."""
    return isinstance(layer, Loosen) and not isinstance(layer, Hit)


def _only_loose(layer: Loosen, clip: Clip) -> bool:
    """Whether it hits nothing, or nothing any more."""
    return not (isinstance(layer, Hit) and drag_step.targets(layer, clip))


def _hindered(layer: Loosen, document: Document | None = None) -> bool:
    """Whether anything may be in its way."""
    beside = None if document is None or is_alone(layer.world) else document.world
    return beside is not None or layer.world not in (None, NOTHING)


def _same_world(layer: Loosen, other: Layer) -> bool:
    """Whether what is in the way is as it was."""
    return isinstance(other, Loosen) and layer.world == other.world


def _sprung(layer: Loosen) -> tuple[Any, ...]:
    """How it hangs: all that it has of a loosened motion."""
    return tuple(getattr(layer, name) for name in Loosen.__struct_fields__)


def _aimed(layer: Hit) -> tuple[Any, ...]:
    """What it hits, and how."""
    own = set(Hit.__struct_fields__) - set(Loosen.__struct_fields__)
    return tuple(getattr(layer, name) for name in sorted(own))


def _retargeted(layer: Layer, other: Layer) -> bool:
    """Whether a layer asks for something else, and is otherwise as it was."""
    return _bare(layer) != _bare(other) and _bare(layer, constraints=()) == _bare(other, constraints=())


def _bare(layer: Layer, **fields: Any) -> Layer:
    """A layer but for what no work depends on, and with some fields made alike."""
    alike = {"name": "-", "muted": False, "solo": False, "weight": 1.0, "input": None, **fields}
    return msgspec.structs.replace(layer, **alike)
