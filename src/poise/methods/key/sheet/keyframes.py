"""A document of key-frames: pose, pins, path of the centre of mass, inertia, spins. Edits return a new one.

At a time t, from the softest to the strictest:

1. the **pose** track gives the desired pose, spline through its keys;
2. where the **path** acts (from its first key to its last) that pose is carried along, moved as a whole so
   that its centre of mass is on the path: pose keys say how the body is held, not where it is;
3. **pins** pull points and bodies to their targets, by their gains;
4. **inertia** and the **centre of mass** hold strictly, the latter before the former;
5. in the air, a **spin** turns the result about its centre of mass as angular momentum wants it. Pins there
   act before the body is turned: let them fade out by its start and in from its end, where they hold as ever.

Before its first and after its last key the path, and likewise the inertia, lets go within ``fade`` seconds. A
track of linear momentum would say nothing new: momentum is total mass times the velocity of the path.

Every time is solved for itself, from the carried pose and nothing else: the result at t, to the last bit,
depends neither on where evaluation starts nor on which other times are asked for. Where tracks disagree two
poses may serve as well, and ``at`` takes one at one time and the other a moment later. ``bake`` goes over
such folds (``transition``): also a function of the document alone, to the last bit, and elsewhere the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, pairwise
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from poise.character import Character
from poise.errors import InputError, UnknownNameError
from poise.handles import Handle, On
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.path import Path
from poise.methods.key.sheet.inertia import InertiaTrack
from poise.methods.key.sheet.key import TICK
from poise.methods.key.sheet.pin import Pin, hold
from poise.methods.key.sheet.track import Track
from poise.methods.key.spin.spin import Spin, Turning

if TYPE_CHECKING:
    from poise.methods.key.frames.evaluate import Evaluated, Evaluation, Progress
    from poise.motion import Clip

FADE = 0.2
"""Time that path, inertia and spins take to let go, where nobody says otherwise [s]."""


@dataclass(frozen=True, eq=False)
class Keyframes:
    """A character and everything keyed about it.

    Examples:
        >>> hop = poise.Keyframes.load("hop.json")
        >>> clip = poise.key(hop).clip
    """

    character: Character
    """Who moves."""
    poses: Track | Mapping[float, ArrayLike] | ArrayLike
    """Configurations (nq,): a track, ``{time: q}``, or one pose that is always meant."""
    pins: tuple[Pin, ...] = ()
    """Points held at places, or what other handles should be, over intervals."""
    path: Path | None = None
    """Of the centre of mass."""
    path_muted: bool = False
    """Whether the path is left out."""
    inertia: InertiaTrack | None = None
    """How far the mass is spread, over time."""
    spins: tuple[Spin, ...] = ()
    """Intervals of flight; kept in order of time."""
    fade: float = FADE
    """How long path and inertia take to let go beyond their ends, spins to come and go [s]."""
    name: str = ""
    """Of the motion."""
    file: str = ""
    """Where the character was read from, if from a file."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not isinstance(self.poses, Track):
            put(self, "poses", Track.of(self.character.manifold, self.poses))
        if self.pose_track.manifold != self.character.manifold or not self.pose_track.live:
            raise InputError(
                f"the pose track of {self.character.name!r} needs at least one key, a whole pose"
            )
        if any(key.value is None for key in self.pose_track.keys):
            raise InputError("every key of the pose track needs a pose")
        put(self, "pins", tuple(self.pins))
        names = [pin.name for pin in self.pins]
        for pin in self.pins:
            pin.check(self.character)
            if names.count(pin.name) > 1:
                raise InputError(f"two pins are named {pin.name!r}: each needs a name of its own")
        if self.inertia is not None:
            self.inertia.handle.check(self.character)
        put(self, "spins", tuple(sorted(self.spins, key=lambda spin: spin.start)))
        for before, after in pairwise(self.spins):
            if after.start < before.end - TICK:
                raise InputError(f"a spin starts at {after.start:g} s, before one ends at {before.end:g} s")
        if not isinstance(self.fade, int | float) or not 0.0 <= self.fade < np.inf:
            raise InputError(f"fade must be a time of zero or more seconds, not {self.fade!r}")

    def __repr__(self) -> str:
        start, end = self.span
        path, inertia = (
            0 if track is None else len(track.keys)
            for track in (self.path, None if self.inertia is None else self.inertia.values)
        )
        return (
            f"Keyframes({self.character.name!r}, {start:g}–{end:g} s, pose keys {len(self.pose_track.keys)}, "
            f"path keys {path}, inertia keys {inertia}, pins {len(self.pins)}, spins {len(self.spins)})"
        )

    @property
    def pose_track(self) -> Track:
        """The pose track as the track it was made."""
        track: Track = self.poses  # type: ignore[assignment]
        return track

    @property
    def acting_path(self) -> Path | None:
        """The path, unless it or every key of it is muted."""
        return self.path if self.path is not None and self.path.live and not self.path_muted else None

    # Edits -----------------------------------------------------------------------------------

    def replaced(self, **changes: object) -> Keyframes:
        """A copy with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]  # each is checked

    def pin(
        self,
        what: str | On | Handle,
        *,
        at: tuple[float, float] | None = None,
        to: Mapping[float, Any] | ArrayLike | None = None,
        gain: float = 1.0,
        fade: float | tuple[float, float] = 0.1,
        name: str = "",
    ) -> Keyframes:
        """With a point (or any handle) held over an interval [s]; see ``pin.hold``."""
        if isinstance(what, Handle):
            what = what.bind(self.character)  # only then do all handles know their size
        made = hold(what, at=at, to=to, gain=gain, fade=fade, name=name)
        taken = {pin.name for pin in self.pins}
        if not name and made.name in taken:  # the same point held again, later
            later = (f"{made.name} {k}" for k in count(2))
            made = made.replaced(name=next(n for n in later if n not in taken))
        return self.replaced(pins=(*self.pins, made))

    def pin_named(self, name: str) -> Pin:
        """The pin called ``name``."""
        found = next((pin for pin in self.pins if pin.name == name), None)
        if found is None:
            raise UnknownNameError("pin", name, [pin.name for pin in self.pins])
        return found

    def with_pin(self, name: str, **changes: object) -> Keyframes:
        """With some fields of a pin changed: ``muted=True``, ``targets=…``, ``gains=…``."""
        old = self.pin_named(name)
        return self.replaced(pins=tuple(p.replaced(**changes) if p is old else p for p in self.pins))

    def without_pin(self, name: str) -> Keyframes:
        """Without a pin."""
        old = self.pin_named(name)
        return self.replaced(pins=tuple(p for p in self.pins if p is not old))

    def with_path(self, path: Path | Sequence[PathKey] | None) -> Keyframes:
        """With a path of the centre of mass, or none."""
        return self.replaced(path=path if path is None or isinstance(path, Path) else Path(tuple(path)))

    def with_inertia(self, values: Any, *, measure: str = "gyration") -> Keyframes:
        """With inertia keyed, ``{time: value}`` in the unit of the measure, or None."""
        if values is not None and not isinstance(values, InertiaTrack):
            values = InertiaTrack.of(values, measure=measure)
        return self.replaced(inertia=values)

    def with_spin(self, start: float, end: float, **what: Unpack[Turning]) -> Keyframes:
        """With an interval of flight [s]: ``turns=1``, ``momentum=H`` …, see ``Spin``."""
        return self.replaced(spins=(*self.spins, Spin(start, end, **what)))

    def retimed(self, clock: Callable[[float], float]) -> Keyframes:
        """With every key of every track moved from t to ``clock(t)``."""
        path = None if self.path is None else self.path.retimed(clock)
        inertia = self.inertia
        if inertia is not None:
            inertia = inertia.replaced(values=inertia.values.retimed(clock))
        pins = tuple(
            p.replaced(targets=p.targets.retimed(clock), gains=p.gains.retimed(clock)) for p in self.pins
        )
        spins = tuple(replace(spin, start=clock(spin.start), end=clock(spin.end)) for spin in self.spins)
        poses = self.pose_track.retimed(clock)
        return self.replaced(poses=poses, pins=pins, path=path, inertia=inertia, spins=spins)

    def fixed(self) -> Keyframes:
        """With the timing that the path's hints ask for; all other keys move along with the path's."""
        if self.path is None:
            return self
        path = self.path.fixed()
        old, new = ([key.time for key in p.keys] for p in (self.path, path))
        if old == new:
            return self

        def clock(t: float) -> float:
            if t >= old[-1]:
                return t + new[-1] - old[-1]
            return float(np.interp(t, old, new)) if t > old[0] else t + new[0] - old[0]

        return self.retimed(clock).replaced(path=path)

    # Evaluation ------------------------------------------------------------------------------

    @property
    def span(self) -> tuple[float, float]:
        """From the first key of any track to the last [s]; muted ones and gains do not count."""
        spans = [self.pose_track.span, *(pin.targets.span for pin in self.pins if pin.acts)]
        if self.acting_path is not None:
            spans.append(self.acting_path.span)
        if self.inertia is not None and self.inertia.acts:
            spans.append(self.inertia.values.span)
        spans += [(spin.start, spin.end) for spin in self.spins]
        return min(start for start, _ in spans), max(end for _, end in spans)

    @property
    def key_times(self) -> tuple[float, ...]:
        """Times of all keys that are heeded, and where path and inertia let go [s]: the motion's corners."""
        keyed: list[Track | Path] = [self.pose_track]
        keyed += [track for pin in self.pins if pin.acts for track in (pin.targets, pin.gains)]
        strict: list[Track | Path] = [] if self.acting_path is None else [self.acting_path]
        if self.inertia is not None and self.inertia.acts:
            strict.append(self.inertia.values)
        found = {key.time for track in (*keyed, *strict) for key in track.live}
        found |= {t for track in strict for t in (track.span[0] - self.fade, track.span[1] + self.fade)}
        return tuple(sorted(found))

    @cached_property
    def evaluation(self) -> Evaluation:
        """What evaluates the document; solvers are made once."""
        from poise.methods.key.frames.evaluate import Evaluation

        return Evaluation(self)

    def at(self, times: ArrayLike, *, progress: Progress | None = None) -> Evaluated:
        """Solved poses at one time or many [s], (T, nq), and a report; each by itself, folds and all."""
        return self.evaluation.at(times, progress=progress)

    # Files -----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """As plain data that JSON can hold."""
        from poise.methods.key.sheet.file import to_dict

        return to_dict(self)

    @staticmethod
    def from_dict(data: Any, *, read: Callable[[str], Clip] | None = None) -> Keyframes:
        """The inverse of ``to_dict``; ``read`` opens the clips and characters that the data name."""
        from poise.methods.key.sheet.file import from_dict

        return from_dict(data, read=read)

    def save(self, path: str | FilePath) -> FilePath:
        """Write a JSON file, whole or not at all."""
        from poise.methods.key.sheet.file import save

        return save(self, path)

    @staticmethod
    def load(path: str | FilePath, *, read: Callable[[str], Clip] | None = None) -> Keyframes:
        """Read a JSON file; files that it names stand beside it, ``read`` (``poise.load``) opens them."""
        from poise.methods.key.sheet.file import load

        return load(path, read=read)
