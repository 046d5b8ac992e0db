"""Perform keys on a simulated character: it arrives on time, and answers to what happens to it on the way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import Character
from poise.constraints.report import Report
from poise.dynamics import GRAVITY
from poise.errors import InputError
from poise.methods.perform.control.balance import Balance
from poise.methods.perform.control.schedule import Manner
from poise.methods.perform.control.strength import Limits, strengths
from poise.methods.perform.report.arrival import Arrival, arrivals, off_the_curve, outcomes
from poise.methods.perform.report.tracking import tracked
from poise.methods.perform.script.key import Key
from poise.methods.perform.script.pose import Pose
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.state_machine import Machine
from poise.methods.perform.script.style import Style
from poise.methods.perform.simulate.contact_world import Flight, Touch
from poise.methods.perform.simulate.perturbation import Perturbation
from poise.methods.perform.simulate.replanning import Performance
from poise.methods.perform.simulate.setup import Stage
from poise.methods.perform.simulate.simulation import Rules, Simulation, gain_scale
from poise.methods.perform.simulate.steps import Trace
from poise.motion import Clip
from poise.motion.frame_times import exact_rate
from poise.watching import Cancel, Progress, watcher
from poise.workers import algebra_on_one_thread


@dataclass(frozen=True, eq=False)
class Track:
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


@dataclass(frozen=True, eq=False)
class Result:
    """What was performed."""

    clip: Clip
    report: Report
    torques: Track
    """τ [N·m]."""
    arrivals: tuple[Arrival, ...]
    """Every key, in order of time."""
    trace: Trace
    """Every step."""
    scales: tuple[tuple[int, Character | Array], ...]
    """What gains were multiplied by (a model, or numbers), and for how many steps."""
    touches: tuple[Touch, ...] = ()
    """When thrown bodies met the performer."""
    flights: tuple[Flight, ...] = field(default_factory=tuple)
    """Where thrown bodies were at the frames of the clip."""

    @cached_property
    def gains(self) -> Track:
        """k_s [N·m/rad]."""
        return self._gains(self.trace.stiffness)

    @cached_property
    def damping(self) -> Track:
        """k_d [N·m·s/rad]."""
        return self._gains(self.trace.damping)

    def _gains(self, per_inertia: Array) -> Track:
        character, k, parts = self.clip.character, 0, []
        for steps, of in self.scales:
            parts.append(gain_scale(of, self.trace.q[k : k + steps]))
            k += steps
        scale = np.concatenate(parts)
        scale[:, character.dofs(0)] = 1.0
        return Track(character, self.trace.times[:-1], scale * per_inertia)


@algebra_on_one_thread()
def play(
    performer: Character | Clip,
    keys: Sequence[Key] | Script | Machine = (),
    *,
    control: str = "full",
    style: Style = "smooth",
    root: str | None = None,
    gravity: ArrayLike = GRAVITY,
    limits: Limits = None,
    perturbations: Sequence[Perturbation] = (),
    step: float = 0.002,
    fps: Fraction | float | str | None = None,
    start: Pose | ArrayLike | None = None,
    duration: float | None = None,
    hold: float = 0.25,
    look_ahead: float = 0.1,
    recovery: float = 0.3,
    floor: bool | None = None,
    balance: Balance | None = None,
    tolerance: float = 0.1,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Result:
    """Simulate a character that goes through keys, or follows a clip, and say how punctual it was.

    A *character* goes from key to key and holds what it reached; a *clip* is followed wherever no key is
    near. ``keys`` may be a script or a state machine. ``control``: full, composite, local or manual.
    ``root``: "fixed", "prescribed" (as the clip moves it) or "free" (on balance springs, standing on a
    floor). ``limits`` are torques; ``style`` shapes approaches. ``hold``, ``look_ahead`` and ``recovery`` are
    tensions in seconds: how soon a joint that holds, or follows the clip, would be back; how long after a
    disturbance it must be. ``tolerance`` [°] is what counts as on time in the report. ``progress`` is told
    the part done, ``cancel`` may end the call with ``CancelledError``.
    """
    began = time.perf_counter()
    stage = Stage(performer, keys, start, root, floor, perturbations)
    character = stage.character
    manner = Manner(style, hold, look_ahead, recovery, fixed_gains=control == "manual")
    rules = Rules(control, step, _vector(gravity), told=stage.root != "free")
    end = stage.end(duration, step)
    if not 0 < tolerance < np.inf:
        raise InputError(f"the tolerance must be some degrees, more than 0, not {tolerance!r}")
    rate = exact_rate(fps) if fps is not None else (stage.clip.rate if stage.clip else Fraction(60))
    frames = [float(k / rate) for k in range(int(end * rate + 1e-6) + 1)]
    strength = strengths(character, limits)
    simulation = Simulation(character, stage.q, stage.v, rules, strength)
    tell = watcher("the performance", progress, cancel)
    simulation.told = lambda time: tell(time / max(end, 1e-9))
    springs = None if rules.told else (balance or Balance()).springs(character, stage.q)
    run = Performance(stage, simulation, manner, springs, frames, end)
    trace = run.all()
    at = np.array([int(np.argmin(np.abs(trace.times - t))) for t in frames])
    name = getattr(keys, "name", "") or (stage.clip.name if stage.clip else "") or "performance"
    morphs = stage.clip.morphs_at(frames) if stage.clip is not None else None
    source = stage.clip.source if stage.clip is not None else None
    clip = Clip(
        character,
        trace.q[at],
        rate,
        name=name,
        morphs=morphs,
        source=source.without_frames() if source is not None else None,
    )
    found = arrivals(run.schedule, trace, clip, strength)
    results = outcomes(found, tolerance) + tracked(run.schedule, trace, clip, strength, tolerance)
    seconds = time.perf_counter() - began
    report = Report(
        outcomes=tuple(results),
        simulations=1,
        seconds=seconds,
        message=f"{control}, {len(trace.times) - 1} steps, {end / run.seconds:.0f} × real time",
        warnings=(*run.warnings(trace, strength), *off_the_curve(found, tolerance, float(rate))),
        details={"arrivals": [a.to_dict() for a in found], "steps": len(trace.times) - 1, **run.facts(trace)},
    )
    torques = Track(character, trace.times[:-1], trace.torque)
    flights = tuple(Flight(f.name, f.shape, f.positions[at], f.rotations[at]) for f in run.flights)
    return Result(clip, report, torques, tuple(found), trace, tuple(run.scales), tuple(run.touches), flights)


def _vector(gravity: ArrayLike) -> tuple[float, float, float]:
    x, y, z = (float(g) for g in checked(gravity, "gravity", (3,)))
    return x, y, z
