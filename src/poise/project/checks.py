"""Whether what layers were asked for holds on the motion that is handed out, and who broke what does not.

A layer's report is about its own motion. Layers above it go on from there: a repair may lift the foot that a
constraint had put down. So everything that was asked for is measured again on the last motion that has the
same frames, and where it is missed there, on the motions before, until the layer is found that lost it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from poise.constraints.report import Outcome, Report, measure

if TYPE_CHECKING:
    from poise.motion import Clip
    from poise.operations.result import Result
    from poise.project.evaluation import Step


@dataclass(frozen=True)
class Check:
    """One thing that a layer was asked for, as it is in the end."""

    layer: str
    outcome: Outcome
    broken_by: str = ""
    """The layer after which it was missed; empty where it is met, or its own layer missed it."""
    until: str = ""
    """The layer before which it was last measured: one of other frames, or after which nobody can say."""


def checks(steps: Sequence[Step], results: Mapping[str, Result], further: Clip | None = None) -> list[Check]:
    """Everything that the layers of a chain were asked for, measured on the final motion; or on a ``further``
    one, that something else made of it."""
    names = [step.layer.name for step in steps]
    clips = [results[name].clip for name in names]
    if further is not None:
        names, clips = [*names, "what comes after"], [*clips, further]
    return [
        check
        for k, step in enumerate(steps)
        for check in _of_layer(results[step.layer.name], names[k:], clips[k:])
    ]


def reports(found: Sequence[Check], results: Mapping[str, Result]) -> dict[str, Report]:
    """What layers report, with outcomes as they are in the end."""
    told: dict[str, Report] = {}
    for name, made in results.items():
        if isinstance(made.report, Report):
            now = tuple(check.outcome for check in found if check.layer == name)
            told[name] = replace(made.report, outcomes=now)
        elif made.report is not None:
            told[name] = made.report
    return told


def _of_layer(made: Result, names: Sequence[str], clips: Sequence[Clip]) -> list[Check]:
    """``names`` and ``clips`` begin with the layer's own."""
    name, own = names[0], getattr(made.report, "outcomes", ())
    last = next((k for k in range(1, len(clips)) if not alike(clips[0], clips[k])), len(clips)) - 1
    until = names[last + 1] if last + 1 < len(names) else ""
    if _same(clips[last], clips[0]) and made.judged:
        return [Check(name, outcome, until=until) for outcome in own]
    if not made.measurable:  # nobody can say any more: what its report says is about its own motion
        after = next((k for k in range(1, last + 1) if not _same(clips[k], clips[0])), 0)
        return [Check(name, outcome, until=names[after] if after else until) for outcome in own]
    if not made.demands:
        return _remeasured(made, names, clips[: last + 1], until)
    reasons = {outcome.name: outcome.reason for outcome in own}
    found = []
    for demand in made.demands:
        now = measure(demand, clips[last], reason=reasons.get(demand.name, ""))
        if now.met:
            found.append(Check(name, replace(now, reason=""), until=until))
            continue
        lost = next((k for k in range(last + 1) if not measure(demand, clips[k]).met), last)
        found.append(_lost(name, now, names, lost, until))
    return found


def _remeasured(made: Result, names: Sequence[str], clips: Sequence[Clip], until: str) -> list[Check]:
    """Outcomes that only the result itself can measure: all of them at once, on one motion after another."""
    final = made.measured_on(clips[-1]).outcomes
    earlier = [] if all(now.met for now in final) else [made.measured_on(clip).outcomes for clip in clips]
    found = []
    for number, now in enumerate(final):
        if now.met:
            found.append(Check(names[0], replace(now, reason=""), until=until))
            continue
        lost = next((k for k, all_of in enumerate(earlier) if not all_of[number].met), len(clips) - 1)
        found.append(_lost(names[0], now, names, lost, until))
    return found


def _lost(layer: str, now: Outcome, names: Sequence[str], lost: int, until: str) -> Check:
    """Something missed, with the layer that lost it: the one of that number, 0 being its own."""
    reason = f"broken by {names[lost]!r}" if lost else now.reason
    return Check(layer, replace(now, reason=reason), names[lost] if lost else "", until)


def alike(one: Clip, other: Clip) -> bool:
    """Whether a time and a joint mean the same in both."""
    same = one.frames == other.frames and one.rate == other.rate and one.loop == other.loop
    return same and one.character is other.character


def _same(one: Clip, other: Clip) -> bool:
    return one is other or (one.q is other.q) or bool(np.array_equal(one.q, other.q))
