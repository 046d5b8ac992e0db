"""What was performed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints.report import Report
from poise.methods.perform.report.arrival import Arrival
from poise.methods.perform.script import sound
from poise.methods.perform.script.timed_pose import TimedPose
from poise.methods.perform.simulate.contact_world import PropTouch
from poise.methods.perform.simulate.simulation import gain_scale
from poise.methods.perform.simulate.standing import Standing
from poise.methods.perform.simulate.steps import Trace
from poise.motion import Clip
from poise.operations.result import Result
from poise.world import Surface, World

RINGING = 0.5
"""How long a sound goes on after the last frame [s]."""
SHOWN = 8
"""Arrivals that fit into a picture."""


@dataclass(frozen=True, eq=False)
class JointSeries:
    """Numbers per degree of freedom over the steps of a simulation."""

    character: Character
    times: Array
    """Starts of the steps [s], (S,)."""
    values: Array
    """(S, nv)"""

    def of(self, joint: str) -> Array:
        """Of one joint, (S, its nv)."""
        return self.values[:, self.character.dofs(joint)]

    def peak(self, joint: str) -> float:
        """The largest length of a joint's vector."""
        return float(np.linalg.norm(self.of(joint), axis=1).max(initial=0.0))


class PerformResult(Result):
    """The performance, who arrived when, and every step of the simulation.

    Examples:
        >>> danced = poise.perform(script="ymca", beats=110)
        >>> print(danced.fell, len(danced.arrivals))
    """

    def __init__(
        self,
        clip: Clip,
        report: Report,
        trace: Trace,
        *,
        keys: Sequence[TimedPose],
        arrivals: Sequence[Arrival],
        scales: Sequence[tuple[int, Character | Array]],
        touches: Sequence[PropTouch],
        thrown: Sequence[Surface],
        weights: Sequence[Surface],
        world: World,
        standing: Standing | None = None,
    ) -> None:
        super().__init__(clip, report, props=(*thrown, *weights))
        self.fell = standing.fell if standing is not None else None
        """When it fell [s], where it stood on its own and did."""
        self.pushes = standing.pushes if standing is not None else None
        """What surfaces pushed with, step by step, where it stood on its own."""
        self.trace = trace
        """Every step."""
        self.keys = tuple(keys)
        """What was to be performed, given what happened."""
        self.arrivals = tuple(arrivals)
        """Every key, in order of time."""
        self.scales = tuple(scales)
        """What gains were multiplied by (a model, or numbers), and for how many steps."""
        self.touches = tuple(touches)
        """When thrown bodies met the performer."""
        self.thrown = tuple(thrown)
        """Thrown bodies, as surfaces on the tracks they took."""
        self.world = world.with_surfaces(self.props)
        """All there is around: what was stood on, what was thrown, what was carried."""

    def drawn(self) -> dict[str, Any]:
        """Figures where keys are met."""
        frames = [round(a.time * self.clip.fps) for a in self.arrivals][:SHOWN]
        return super().drawn() | {"frames": frames or None, "style": "solid"}

    def filmed(self) -> dict[str, Any]:
        """Films show what is around, too."""
        return super().filmed() | ({"world": self.world} if self.world.surfaces else {})

    def sound(self, path: str | Path) -> Path | None:
        """Write a note or a click for every key, each when it is due."""
        if not self.keys:
            return None
        return sound.write(path, sound.render(sound.of_keys(self.keys), self.clip.duration + RINGING))

    @cached_property
    def torques(self) -> JointSeries:
        """τ [N·m]."""
        return JointSeries(self.clip.character, self.trace.times[:-1], self.trace.torque)

    @cached_property
    def gains(self) -> JointSeries:
        """k_s [N·m/rad]."""
        return self._gains(self.trace.stiffness)

    @cached_property
    def damping(self) -> JointSeries:
        """k_d [N·m·s/rad]."""
        return self._gains(self.trace.damping)

    def _gains(self, per_inertia: Array) -> JointSeries:
        character, k, parts = self.clip.character, 0, []
        for steps, of in self.scales:
            parts.append(gain_scale(of, self.trace.q[k : k + steps]))
            k += steps
        scale = np.concatenate(parts)
        scale[:, character.dofs(0)] = 1.0
        return JointSeries(character, self.trace.times[:-1], scale * per_inertia)
