"""A longer horizon: stances on the same feet, solved all at once.

Segment by segment, a stance knows nothing of what comes after it. Stances that hold the same things, with
nothing between them that stops or slides, are one stance with keys along the way: solved together, the first
already prepares the last, accelerations are continuous where no velocity is told, and the effort of the
whole is least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.segment import Segment, Stance


def merged(segments: Sequence[Segment]) -> list[Segment]:
    """The same segments with rows of stances on the same feet put together."""
    out: list[Segment] = []
    for segment in segments:
        last = out[-1] if out else None
        if isinstance(segment, Stance) and isinstance(last, Stance) and _belong(last, segment):
            out[-1] = _together(last, segment)
        else:
            out.append(segment)
    return out


def _belong(first: Stance, second: Stance) -> bool:
    free = first.slide is None and second.slide is None and not second.stop and not first.rest
    return free and tuple(first.holds) == tuple(second.holds)


def _together(first: Stance, second: Stance) -> Stance:
    pushes = [p for p in (first.least_push, second.least_push) if p is not None]
    frictions = [p for p in (first.friction, second.friction) if p is not None]
    return replace(
        second,
        duration=first.duration + second.duration,
        keys=[
            *_later(first.keys, 0.0, first.duration),
            *_later(second.keys, first.duration, second.duration),
        ],
        stop=first.stop,
        nodes=first.nodes + second.nodes,
        least_push=min(pushes) if len(pushes) == 2 else None,
        friction=max(frictions) if len(frictions) == 2 and len(pushes) == 2 else None,
        above=[*dict.fromkeys([*first.above, *second.above])],
        limits=first.limits or second.limits,
        name=" + ".join(n for n in (first.name, second.name) if n),
    )


def _later(keys: Sequence[PartialKey], by: float, duration: float) -> list[PartialKey]:
    return [replace(k, at=by + (duration if k.at is None else k.at)) for k in keys]
