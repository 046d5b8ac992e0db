"""The motion of a layer: only what changed is computed, everything else is remembered by what went into it.

A layer's result is known by a key: the digest of its own settings, of the keys of what it works on, and of
the clips and files it reads. Names, mutes, solos and the rest of the document do not enter: undo, a mute and
back, a layer moved and moved again find their results where they were. A layer's work and its weight are two
steps, so that a weight changes no solution. Whether all frames are asked for or one, for a preview or a bake,
the bits are the same.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from poise.errors import CancelledError, InputError, PoiseError
from poise.operations.frozen_data import encoded
from poise.operations.load import Load
from poise.operations.result import Result, Share
from poise.operations.situation import Situation
from poise.operations.values.world import is_alone, world_around, world_file
from poise.project.assets import Assets
from poise.project.bypass import LayerError, at
from poise.project.cache import MEMORY, Cache
from poise.project.clip_digest import character_digest
from poise.project.layer import Layer
from poise.project.layer_order import chain, inputs
from poise.reading import is_regular, read_bytes, trusting

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.character import Character
    from poise.contacts.given import ClipContacts
    from poise.dynamics.elastic import Surface
    from poise.motion import Clip
    from poise.project.document import Document
    from poise.world import World

Progress = Callable[[str, float], None]
"""Told which layer is at work and the part of all that is done."""
Cancel = Callable[[], bool]
SOLUTIONS = 6
"""So many solvers' results are kept: they are large, and only the latest are gone on from."""


@dataclass(frozen=True, eq=False)
class Step:
    """One layer that acts, ready to be evaluated."""

    layer: Layer
    index: int
    key: str
    """Of its work."""
    mixed: str
    """Of its work by its weight."""
    below: Step | None


class Evaluator:
    """Evaluates documents that share their clips; one at a time."""

    def __init__(self, assets: Assets, *, memory: int = MEMORY) -> None:
        self.assets = assets
        self.cache = Cache(memory)
        self.computed: Counter[str] = Counter()
        """How often each layer's work was done, by name (some frames alone do not count)."""
        self.solutions: OrderedDict[str, tuple[Layer, Any]] = OrderedDict()
        """The latest solvers' results, by the key of the work they gave; no result depends on them."""

    def made(
        self,
        document: Document,
        layer: str | None = None,
        *,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> Result:
        """The motion of a layer, or of the document, with its report."""
        steps = self.plan(document, layer)
        return self._mixed(document, steps[-1], _Watch(steps, progress, cancel))

    def frames(self, document: Document, frames: Sequence[int], layer: str | None = None) -> Array:
        """Some frames of a layer's motion, (k, nq); others are not made where the kind allows."""
        steps = self.plan(document, layer)
        last = steps[-1]
        known = self.cache.get(last.mixed)
        if known is None and last.below is not None:
            given = self._mixed(document, last.below, _Watch(steps, None, None))
            chosen = _checked_frames(frames, given.clip)
            with at(last.index, last.layer):
                found = last.layer.some_frames(self.situation(document, last, given), chosen)
            if found is not None:
                if last.layer.weight == 1.0:
                    return found
                return _blended(given.clip, given.clip.q[chosen], found, last.layer.weight)
        clip = (known or self.made(document, layer)).clip
        return np.asarray(clip.q[_checked_frames(frames, clip)])

    def results(self, document: Document, layer: str | None = None) -> dict[str, Result]:
        """What each layer gave that acts for a result, in order."""
        steps = self.plan(document, layer)
        watch = _Watch(steps, None, None)
        return {s.layer.name: self._mixed(document, s, watch) for s in steps}

    def notices(self, document: Document, layer: str | None = None) -> tuple[str, ...]:
        """What is to be said about clips that a result is made of (files that have changed)."""
        used = {name for step in self.plan(document, layer) for name in step.layer.uses()}
        used.add(document.character)
        found = (self.assets.load(n, document.clips[n]).notice for n in document.clips if n in used)
        return tuple(n for n in found if n)

    # What depends on what ------------------------------------------------------------------------

    def plan(self, document: Document, layer: str | None = None) -> list[Step]:
        """The layers that act for a result, from the first on, with their keys."""
        name = document.result if layer is None else layer
        document.index(name)
        feeds = inputs(document)
        names = chain(feeds, name)
        layers = [document.layer(n) for n in names]
        alone = any(each.solo and not each.starts for each in layers)
        steps: list[Step] = []
        for each in layers:
            if each.muted or (alone and not (each.solo or each.starts)):
                continue
            if not each.starts and not steps:
                raise InputError(f"layer {each.name!r} has no motion to work on: what it rests on is muted")
            steps.append(self._step(document, each, steps[-1] if steps else None))
        if not steps:
            raise InputError(f"layer {name!r} has no motion: it, or what it rests on, is muted")
        return steps

    def _step(self, document: Document, layer: Layer, below: Step | None) -> Step:
        bare = msgspec.structs.replace(layer, name="-", muted=False, solo=False, weight=1.0, input=None)
        parts = [encoded(bare)]
        if below is not None:
            parts += [below.mixed.encode()]
            if (said := document.contacts.get(_source(below))) is not None:
                parts += [encoded(said)]
                parts += self._surroundings(document) if _follows(layer) else []
        try:
            for name in layer.uses():
                parts.append(self.assets.load(name, document.clips[name]).digest.encode())
            for file in layer.files():
                path = self.assets.place(file, "a file that it names")
                parts.append(sha256(read_bytes(path)).digest() if is_regular(path) else b"missing")
        except PoiseError as problem:
            raise LayerError(document.index(layer.name), layer, problem) from None
        parts += self._world(document, layer)
        who = self._character(document)
        if layer.starts and who is not None:
            parts.append(character_digest(who).encode())
        key = _digest(parts)
        mixed = key
        if layer.weight != 1.0:
            under = below.mixed if below is not None else ""
            mixed = _digest([key.encode(), under.encode(), repr(layer.weight).encode()])
        return Step(layer, document.index(layer.name), key, mixed, below)

    def _world(self, document: Document, layer: Layer) -> list[bytes]:
        """What a layer that looks at a world knows of the project's."""
        if not hasattr(layer, "world") or is_alone(layer.world):
            return []
        return self._surroundings(document)

    def _surroundings(self, document: Document) -> list[bytes]:
        """What there is to know of the project's world."""
        world = document.world
        if world is None:
            return []
        found = [b"world", encoded(world)]
        for file in world_file(world):
            path = self.assets.place(file, "a world")
            found.append(sha256(read_bytes(path)).digest() if is_regular(path) else b"missing")
        return found

    def _character(self, document: Document) -> Character | None:
        name = document.character
        return self.assets.load(name, document.clips[name]).clip.character if name else None

    # Doing it -----------------------------------------------------------------------------------

    def _mixed(self, document: Document, step: Step, watch: _Watch) -> Result:
        """A layer's work by its weight, remembered."""
        known = self.cache.get(step.mixed)
        if known is not None:
            return known
        if step.layer.weight == 0.0 and step.below is not None:
            return self._mixed(document, step.below, watch)
        work = self._work(document, step, watch)
        if step.mixed == step.key:
            return work
        assert step.below is not None  # only what changes a motion has a weight
        given = self._mixed(document, step.below, watch)
        with at(step.index, step.layer):
            clip = _mix(given.clip, work.clip, step.layer.weight)
        made = Share(work, clip)
        self.cache.put(step.mixed, made)
        return made

    def _work(self, document: Document, step: Step, watch: _Watch) -> Result:
        known = self.cache.get(step.key)
        if known is not None:
            return known
        given = self._mixed(document, step.below, watch) if step.below is not None else None
        watch.enter(step)
        with at(step.index, step.layer), trusting(*self.assets.within):
            made = step.layer.make(self.situation(document, step, given, watch.told))
        while len(self.solutions) > SOLUTIONS:
            self.solutions.popitem(last=False)
        self.computed[step.layer.name] += 1
        self.cache.put(step.key, made)
        watch.told(1.0)
        return made

    def situation(
        self,
        document: Document,
        step: Step,
        given: Result | None,
        progress: Callable[[float], None] = lambda part: None,
    ) -> Situation:
        """What a layer finds when it acts on what it is given."""

        def keep(found: Any) -> None:
            self.solutions[step.key] = (step.layer, found)

        return Situation(
            given,
            lambda name: self._clip(document, name),
            self._surface,
            self._character(document),
            self.assets.folder,
            progress,
            keep,
            contacts=self._contacts(document, step, given),
            world=document.world,
        )

    def source_of(self, document: Document, clip: Clip) -> str:
        """The clip that a document's motion starts from, if it has its frames still; else empty."""
        name = _source(self.plan(document)[-1])
        return name if name and self._same_frames(document, name, clip) else ""

    def _same_frames(self, document: Document, name: str, made: Clip) -> bool:
        clip = self.assets.load(name, document.clips[name]).clip
        alike = clip.frames == made.frames and clip.rate == made.rate
        return alike and clip.character is made.character

    def _contacts(self, document: Document, step: Step, given: Result | None) -> ClipContacts | None:
        """What the user says carries the clip at the bottom, as long as its frames are the same."""
        name = _source(step.below)
        said = document.contacts.get(name)
        if said is None or given is None or not self._same_frames(document, name, given.clip):
            return None
        below = step.below
        while below is not None and not _follows(below.layer):
            below = below.below
        return said if below is None else self.contacts_moved(document, said, given.clip)

    def contacts_moved(self, document: Document, said: ClipContacts, clip: Clip) -> ClipContacts:
        """Contacts of a clip, gone along with what the project's world has elsewhere."""
        from poise.contacts.moved import moved

        world = self.world_of(document, clip)
        return said if world is None else moved(said, world)

    def world_of(self, document: Document, clip: Clip) -> World | None:
        """The project's world as it is around a motion of it; None where it has none."""
        if document.world is None:
            return None
        return world_around(document.world, self.assets.folder, clip, lambda name: self._clip(document, name))

    def followed(self, document: Document) -> bool:
        """Whether feet of the document's motion go along with surfaces that are moved."""
        return any(_follows(step.layer) for step in self.plan(document))

    def _surface(self, name: str) -> Surface:
        from poise.formats.surface_file import load_surface

        return load_surface(self.assets.place(name, "a mesh"))

    def _clip(self, document: Document, name: str) -> Clip:
        if name not in document.clips:
            raise InputError(f"no clip named {name!r} in the project (it has {', '.join(document.clips)})")
        return self.assets.load(name, document.clips[name]).clip


class _Watch:
    """Tells how far work has come, and stops it when nobody wants it any more."""

    def __init__(self, steps: Sequence[Step], progress: Progress | None, cancel: Cancel | None) -> None:
        self.steps, self.progress, self.cancel = steps, progress, cancel
        self.at: Step | None = None
        self.furthest = 0.0

    def enter(self, step: Step) -> None:
        self.at, self.furthest = step, 0.0
        self.told(0.0)

    def told(self, part: float) -> None:
        if self.cancel is not None and self.cancel():
            raise CancelledError("the evaluation was cancelled")
        self.furthest = part = max(self.furthest, min(part, 1.0))
        if self.progress is not None and self.at is not None:
            done = next(k for k, step in enumerate(self.steps) if step is self.at) + part
            self.progress(self.at.layer.name, done / len(self.steps))


def _mix(given: Clip, work: Clip, weight: float) -> Clip:
    if work.character is not given.character or work.frames != given.frames or work.rate != given.rate:
        raise InputError("field 'weight': it changes character, length or rate, so it acts in full (1)")
    q, faces = _blended(given, given.q, work.q, weight), work.morphs
    if faces is None or given.morphs is None or faces is given.morphs:
        return work.with_q(q)
    return work.with_q(q, morphs=given.morphs + weight * (faces - given.morphs))


def _blended(clip: Clip, before: Array, after: Array, weight: float) -> Array:
    manifold = clip.character.manifold
    return clip.held(manifold.plus(before, weight * manifold.minus(after, before)))


def _checked_frames(frames: Sequence[int], clip: Clip) -> list[int]:
    for k in frames:
        if not 0 <= k < clip.frames:
            raise InputError(f"no frame {k}: the motion has frames 0 to {clip.frames - 1}")
    return list(frames)


def _follows(layer: Layer) -> bool:
    """Whether it takes feet along with surfaces that the project's world has elsewhere than the take."""
    return layer.FOLLOWS and bool(getattr(layer, "plants", False))


def _source(step: Step | None) -> str:
    """The clip that a chain of layers starts from; empty where it starts from scratch."""
    while step is not None and step.below is not None:
        step = step.below
    return step.layer.clip if step is not None and isinstance(step.layer, Load) else ""


def _digest(parts: Sequence[bytes]) -> str:
    found = blake2b(digest_size=16)
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()
