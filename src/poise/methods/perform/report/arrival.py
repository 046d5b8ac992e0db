"""How punctual a performance was: per key how far each joint was from its place and velocity at the time, and
what strength it lacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.constraints.report import Outcome
from poise.methods.perform.control.schedule import Due, Schedule
from poise.methods.perform.simulate.steps import Trace
from poise.motion import Clip

BINDS = 1.001
"""A joint is short of strength where it would need more than this part of it."""


@dataclass(frozen=True)
class Shortfall:
    """A joint that was not strong enough on the way to a key."""

    joint: str
    needed: float
    """Largest torque that being on time would have taken [N·m]."""
    has: float
    """Its limit [N·m]."""
    seconds: float
    """For how long the limit bound [s]."""
    sustained: float
    """Median of what would have been needed while it bound [N·m]: the peak may be a moment's."""

    def __str__(self) -> str:
        return (
            f"{self.joint} needs {self.sustained:.3g} N·m (peak {self.needed:.3g}) "
            f"and has {self.has:.3g} (for {self.seconds:.2f} s)"
        )


@dataclass(frozen=True)
class Arrival:
    """One key's fate."""

    key: str
    time: float
    """[s]"""
    error: float
    """Of the worst joint [°]."""
    joint: str
    speed_error: float
    """Largest difference of a joint's velocity from the wanted [rad/s]."""
    joints: dict[str, float]
    """Error of every joint [°]."""
    jump: float
    """Largest jump of an acceleration of its joints when the next phase begins [rad/s²]."""
    jump_elsewhere: float
    """The same of all other joints: feet on a floor, say."""
    shortfalls: tuple[Shortfall, ...] = ()
    """Worst first."""
    shown: float = 0.0
    """Of the worst joint on the clip's curve at that time [°]: at a frame the same as ``error``."""
    shown_joint: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def arrivals(schedule: Schedule, trace: Trace, clip: Clip, strength: Array) -> list[Arrival]:
    """All keys of a performance that were due within it, in order of time."""
    last = float(trace.times[-1])
    return [_arrival(clip, due, trace, strength) for due in schedule.dues if due.time <= last + 1e-6]


def off_the_curve(found: Sequence[Arrival], tolerance: float, rate: float) -> list[str]:
    """Keys met at their time, but not by the clip's own curve between two frames; ``tolerance`` [°]."""
    return [
        f"{a.key} at {a.time:g} s falls between two frames, where the clip's own curve has {a.shown_joint} "
        f"{a.shown:.2g}° off; more than {rate:g} frames/s come nearer"
        for a in found
        if a.error <= tolerance < a.shown
    ]


def outcomes(found: Sequence[Arrival], tolerance: float) -> list[Outcome]:
    """Arrivals as a report has them; ``tolerance`` [°]."""
    return [
        Outcome(
            name=a.key,
            when=f"at {a.time:g} s",
            wanted=(0.0,),
            got=(a.error,),
            error=a.error,
            unit="°",
            tolerance=tolerance,
            met=bool(a.error <= tolerance),
            worst_time=a.time,
            reason="" if a.error <= tolerance else reason(a.joint, a.shortfalls),
        )
        for a in found
    ]


def reason(joint: str, short: Sequence[Shortfall]) -> str:
    """Why a time was missed: who is off, and who was too weak."""
    return "; ".join([f"{joint} is off", *(str(s) for s in short[:3])])


def _arrival(clip: Clip, due: Due, trace: Trace, strength: Array) -> Arrival:
    character, k, shown = clip.character, step_at(trace, due.time), clip.at(due.time)
    joints: dict[str, float] = {}
    seen: dict[str, float] = {}
    speeds = [0.0]
    for i, (q, rate) in due.targets.items():
        span, dofs = character.coordinates(i), character.dofs(i)
        for errors, pose in ((joints, trace.q[k]), (seen, shown)):
            wanted = pose.copy()
            wanted[span] = q
            off = character.manifold.minus(wanted, pose)[dofs]
            errors[character.names[i]] = float(sizes(character, i, off))
        speeds.append(float(np.linalg.norm(trace.v[k, dofs] - rate)))
    worst = max(joints, key=lambda name: joints[name])
    since = step_at(trace, due.since)
    return Arrival(
        due.key.label, due.time, joints[worst], worst, max(speeds), joints, *_jumps(character, trace, k, due),
        shortfalls(character, trace, strength, since, k), max(seen.values()),
        max(seen, key=lambda name: seen[name]),
    )  # fmt: skip


def _jumps(character: Character, trace: Trace, k: int, due: Due) -> tuple[float, float]:
    """How much accelerations change from one phase to the next, of a key's joints and of others."""
    if not 0 < k < len(trace.times) - 1:
        return 0.0, 0.0
    h = np.diff(trace.times[k - 1 : k + 2])
    a = np.diff(trace.v[k - 1 : k + 2], axis=0) / h[:, None]
    change, own = np.abs(a[1] - a[0]), np.zeros(character.nv, dtype=bool)
    for i in due.targets:
        own[character.dofs(i)] = True
    other = ~own
    other[character.dofs(0)] = False
    return float(change[own].max(initial=0.0)), float(change[other].max(initial=0.0))


def shortfalls(
    character: Character, trace: Trace, strength: Array, first: int, last: int
) -> tuple[Shortfall, ...]:
    """Who lacked strength from one step to another, worst first."""
    found = []
    h = np.diff(trace.times)[first:last]
    for i, body in enumerate(character.bodies):
        dofs = character.dofs(i)
        if i == 0 or body.joint.nv == 0 or not np.isfinite(strength[dofs.start]):
            continue
        needed = np.linalg.norm(trace.demand[first:last, dofs], axis=1)
        has = float(strength[dofs.start])
        short = needed > BINDS * has
        if short.any():
            lasted, sustained = float(h[short].sum()), float(np.median(needed[short]))
            found.append(Shortfall(character.names[i], float(needed.max()), has, lasted, sustained))
    return tuple(sorted(found, key=lambda s: -s.needed / s.has))


def step_at(trace: Trace, time: float) -> int:
    """The start of a step nearest to a time."""
    return int(np.argmin(np.abs(trace.times - time)))


def sizes(character: Character, body: int, off: Array) -> Array:
    """Lengths of differences (…, nv of the joint) as errors [°], of slides [mm]."""
    scale = np.degrees(1.0) if character.bodies[body].joint.kind is not JointKind.SLIDE else 1e3
    return np.asarray(scale * np.linalg.norm(off, axis=-1))
