"""Perform keys on a simulated character: it arrives on time, and answers to what happens to it on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Character
from poise.constraints.report import Report
from poise.kernels.compile_log import working_time
from poise.methods.perform.report.arrival import arrivals, off_the_curve, outcomes
from poise.methods.perform.report.footing import on_its_feet, strayed
from poise.methods.perform.report.tracking import tracked
from poise.methods.perform.result import PerformResult
from poise.methods.perform.script.pose import JointPose
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.state_machine import Machine
from poise.methods.perform.script.timed_pose import TimedPose
from poise.methods.perform.simulate.props import weights
from poise.methods.perform.simulate.replanning import Performance
from poise.methods.perform.simulate.setup import Stage
from poise.methods.perform.simulate.simulation import Simulation
from poise.motion import Clip
from poise.motion.frame_times import exact_rate
from poise.operations.perform import Perform
from poise.watching import Progress
from poise.workers import algebra_on_one_thread
from poise.world import World

USUAL_RATE = Fraction(60)
"""Of performances that follow no motion [frames/s]."""


@algebra_on_one_thread()
def simulate(
    performer: Character | Clip,
    keys: Sequence[TimedPose] | Script | Machine,
    asked: Perform,
    *,
    start: JointPose | ArrayLike | None = None,
    progress: Progress = lambda part: None,
    world: World | None = None,
) -> PerformResult:
    """Simulate a character that goes through keys, or follows a clip, and say how punctual it was.

    A *character* goes from key to key and holds what it reached; a *clip* is followed wherever no key is
    near. ``start`` is the pose to begin in. ``progress`` is told the part done.
    """
    began = working_time()
    stage = Stage(performer, keys, start, asked, world)
    character, end = stage.character, stage.end(asked)
    rate = exact_rate(asked.fps) if asked.fps is not None else stage.clip.rate if stage.clip else USUAL_RATE
    frames = [float(k / rate) for k in range(int(end * rate + 1e-6) + 1)]
    strength = strengths(character, asked.strength)
    simulation = Simulation(character, stage.q, stage.v, asked, strength, as_told=stage.root != "free")
    simulation.told = lambda time: progress(time / max(end, 1e-9))
    run = Performance(stage, simulation, frames, end)
    trace = run.all()
    at = np.array([int(np.argmin(np.abs(trace.times - t))) for t in frames])
    name = getattr(keys, "name", "") or (stage.clip.name if stage.clip else "") or "performance"
    source = stage.clip.source if stage.clip is not None else None
    clip = Clip(
        character,
        trace.q[at],
        rate,
        name=name,
        morphs=stage.clip.morphs_at(frames) if stage.clip is not None else None,
        source=source.without_frames() if source is not None else None,
    )
    tolerance = asked.tolerance
    found = arrivals(run.schedule, trace, clip, strength)
    results = outcomes(found, tolerance) + tracked(run.schedule, trace, clip, strength, tolerance)
    warnings = [*run.warnings(trace, strength), *off_the_curve(found, tolerance, float(rate))]
    if stage.standing is not None:
        results.append(on_its_feet(stage.standing, clip))
        if not (found or asked.disturbances):
            warnings += strayed(stage.standing, clip)
    seconds = working_time() - began
    pace = end / max(run.seconds, 1e-9)  # the clock of work stands still where another thread compiles
    report = Report(
        outcomes=tuple(results),
        simulations=1,
        seconds=seconds,
        message=f"{asked.control}, {len(trace.times) - 1} steps, {pace:.0f} × real time",
        warnings=tuple(warnings),
        details={"arrivals": [a.to_dict() for a in found], "steps": len(trace.times) - 1, **run.facts(trace)},
    )
    return PerformResult(
        clip,
        report,
        trace,
        keys=stage.keys(run.cues, end),
        arrivals=found,
        scales=run.scales,
        touches=run.touches,
        thrown=[f.surface(np.asarray(clip.times), at) for f in run.flights],
        weights=weights(stage.loads, clip),
        world=stage.world,
        standing=stage.standing,
    )


def strengths(character: Character, strength: float | Mapping[str, float] | None) -> Array:
    """What the joint of each degree of freedom can do, inf where unlimited, (nv,).

    One number [N·m] for all joints (slides: [N]), or by name, limb or pattern, later entries winning.
    """
    out = np.full(character.nv, np.inf)
    if strength is None:
        return out
    entries = strength if isinstance(strength, Mapping) else {"*": strength}
    for pattern, value in entries.items():
        for i in character.select(pattern):
            out[character.dofs(i)] = float(value)
    return out
