"""How well a clip was followed: while nothing disturbs, and again in time after a disturbance."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.constraints.report import Outcome
from poise.methods.perform.control.schedule import Schedule
from poise.methods.perform.report.arrival import reason, shortfalls, sizes
from poise.methods.perform.simulate.steps import Trace
from poise.motion import Clip


def tracked(
    schedule: Schedule, trace: Trace, shown: Clip, strength: Array, tolerance: float
) -> list[Outcome]:
    """What a report says of a clip: on it, and back on it after each disturbance; ``tolerance`` [°].

    Both are those of the clip that is ``shown``, at its frames.
    """
    if schedule.clip is None:
        return []
    found = [_on_it(schedule, trace, shown, strength, tolerance)]
    return [o for o in (*found, *_back_on_it(schedule, shown, tolerance)) if o is not None]


def _errors(schedule: Schedule, shown: Clip, times: Array) -> dict[int, Array]:
    """How far each joint is off the clip at times [s], (T,) each [°]."""
    character = schedule.character
    assert schedule.clip is not None
    off = character.manifold.minus(schedule.clip.at(times), shown.at(times))  # (T, nv)
    return {i: sizes(character, i, off[:, character.dofs(i)]) for i in schedule.joints}


def unfinished(schedule: Schedule, end: float) -> list[float]:
    """Disturbances of a clip, by their starts [s], too late to be made good before the end."""
    if schedule.clip is None:
        return []
    return [d.start for d in schedule.disturbances if d.start < end < d.end + schedule.asked.recovery - 1e-6]


def _on_it(
    schedule: Schedule, trace: Trace, shown: Clip, strength: Array, tolerance: float
) -> Outcome | None:
    """The farthest that any joint was off while it should have been on the clip."""
    worst, joint, when, times = -1.0, 0, 0.0, np.asarray(shown.times)
    for i, error in _errors(schedule, shown, times).items():
        for start, end in schedule.on_clip(i):
            inside = (times > start + 1e-9) & (times <= end + 1e-9)
            if inside.any() and error[inside].max() > worst:
                k = int(np.flatnonzero(inside)[np.argmax(error[inside])])
                worst, joint, when = float(error[k]), i, float(times[k])
    if worst < 0:
        return None
    short = shortfalls(schedule.character, trace, strength, 0, len(trace.times) - 1)
    return _outcome("on the clip", worst, when, tolerance, reason(schedule.character.names[joint], short))


def _back_on_it(schedule: Schedule, shown: Clip, tolerance: float) -> list[Outcome]:
    """Per disturbance how far the worst joint is off when it should be made good."""
    found = []
    for d in schedule.disturbances:
        when = d.end + schedule.asked.recovery
        errors = _errors(schedule, shown, np.array([when]))
        own = {i: float(e[0]) for i, e in errors.items() if schedule.back_at(i, when)}
        if not own or when > shown.duration + 1e-6:  # disturbed again before, or the clip ends
            continue
        joint = max(own, key=lambda i: own[i])
        name, why = f"back on the clip after {d.start:.3f} s", f"{schedule.character.names[joint]} is off"
        found.append(_outcome(name, own[joint], when, tolerance, why))
    return found


def _outcome(name: str, error: float, when: float, tolerance: float, why: str) -> Outcome:
    met = error <= tolerance
    return Outcome(
        name=name, when=f"at {when:.3f} s", wanted=(0.0,), got=(error,), error=error, unit="°",
        tolerance=tolerance, met=met, worst_time=when, reason="" if met else why,
    )  # fmt: skip
