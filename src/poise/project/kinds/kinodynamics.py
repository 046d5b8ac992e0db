"""Secondary dynamics: every frame the end of a short simulation that follows the motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np

from poise.errors import UnknownNameError
from poise.operations.loosen import Simulation
from poise.operations.values.tension import PRESETS, Spring
from poise.operations.frozen_data import freeze
from poise.project.kinds.obstacle import ObstacleEntry, told
from poise.project.layer import Layer, Made, Situation, reading, unit

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.methods.loosen import ContactResult, Simulator
    from poise.motion import Clip
    from poise.watching import Progress

BATCH = 256
"""Frames simulated between two looks at whether anybody still wants them."""


class Spring(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A tension by frequency and damping ratio, or by stiffness and damping."""

    frequency: float | None = None
    """[Hz]"""
    ratio: float = 0.7
    stiffness: float | None = None
    """[N·m/rad]"""
    damping: float | None = None
    """[N·m·s/rad]"""


Tense = str | float | dict[str, str | float | Spring]
"""A preset, a frequency [Hz], or either by joint or limb, later entries winning ("*" is the whole body)."""


class TensionKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tension at a time."""

    time: float
    """[s]"""
    tension: Tense

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "tension", freeze(self.tension, "tension"))


class KinodynamicsLayer(Layer, tag="kinodynamics", frozen=True, kw_only=True):
    """Simulation are those of ``poise.kinodynamics.loosen``."""

    tension: Annotated[
        Tense | tuple[TensionKey, ...],
        msgspec.Meta(description="Preset, hertz, either by joint or limb, or keys over time"),
    ] = "relaxed"
    window: float | str = "auto"
    """Length of each frame's simulation [s], "auto" or "adaptive"."""
    gravity: str = "on"
    root: str = "prescribed"
    damping: str = "rest"
    step: float = 0.01
    order: int = 2
    obstacles: tuple[ObstacleEntry, ...] = ()
    """Solids that the loosened character runs into."""
    touching: str = "*"
    """Which bodies touch them, by name or limb ("* arm"); the others go through."""

    FREE = ("tension",)
    REFUSES = {"targets": "it would loosen what was made to hit; put it before them"}  # noqa: RUF012

    def check(self) -> None:
        _ = self.spec
        Simulation(**self.options)
        if self.obstacles:
            from poise.methods.loosen.contact.obstacle import distinct

            with reading("obstacles"):
                distinct([entry.made() for entry in self.obstacles])

    @property
    def options(self) -> dict[str, Any]:
        """How states are simulated."""
        return {n: getattr(self, n) for n in ("gravity", "root", "damping", "step", "order")}

    @property
    def spec(self) -> Any:
        """The tension as ``loosen`` takes it."""
        if isinstance(self.tension, tuple):
            return [(key.time, _spec(key.tension)) for key in self.tension]
        return _spec(self.tension)

    def _simulator(self, clip: Clip) -> tuple[Simulator, Array]:
        from poise.methods.loosen import Simulator
        from poise.methods.loosen.window.windows import windows_of

        simulator = Simulator(clip, self.spec, Simulation(**self.options))
        return simulator, windows_of(simulator, self.window)

    @property
    def standing(self) -> tuple[ObstacleEntry, ...]:
        """Obstacles that are not muted."""
        return tuple(entry for entry in self.obstacles if not entry.muted)

    def struck(self, clip: Clip, progress: Progress) -> ContactResult:
        """A motion loosened among the obstacles."""
        from poise.methods.loosen import loosen_with_obstacles
        from poise.methods.loosen.contact.run import ContactOptions

        return loosen_with_obstacles(
            clip,
            [entry.made() for entry in self.standing],
            self.spec,
            self.window,
            contact=ContactOptions(bodies=self.touching),
            progress=progress,
            **self.options,
        )

    def make(self, at: Situation) -> Made:
        clip = at.motion
        if self.standing:
            found = self.struck(clip, at.progress)
            at.keep(found.windows)
            return Made(found.clip, told(found))
        simulator, windows = self._simulator(clip)
        at.keep(windows)
        q = np.empty_like(clip.q)
        for first in range(0, clip.frames, BATCH):
            at.progress(first / clip.frames)
            part = slice(first, first + BATCH)
            q[part] = simulator.states(clip.times[part], windows[part])[0]
        return Made(clip.with_q(q))

    def frames(self, at: Situation, frames: Sequence[int]) -> Array | None:
        if self.standing:  # who is hit when is found in one run
            return None
        clip, chosen = at.motion, np.asarray(frames)
        simulator, windows = self._simulator(clip)
        return unit(clip, simulator.states(clip.times[chosen], windows[chosen])[0])


def _spec(tension: Tense) -> Any:
    def one(value: str | float | Spring) -> Any:
        if isinstance(value, str) and value not in PRESETS:
            raise UnknownNameError("tension", value, PRESETS)
        if isinstance(value, Spring):
            return Spring(value.frequency, value.ratio, value.stiffness, value.damping)
        return value

    return {k: one(v) for k, v in tension.items()} if isinstance(tension, Mapping) else one(tension)
