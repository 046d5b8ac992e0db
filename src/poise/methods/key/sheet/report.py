"""How well solved poses keep what was keyed: the worst time of each track, and what the animator should know.

A pin counts where its gain is 1. While it fades, and in the air, where the body is turned as a whole, it is
not meant to be exact. One that pulls in the air, before the body is turned, is remarked on, unless it only
fades where the body is turned by next to nothing, as feet do when they feel for the floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array, IntArray
from poise.constraints import Outcome, Report
from poise.constraints.constraint import TOLERANCES
from poise.handles import CentreOfMass, Handle, RotationalInertia
from poise.kinematics import Kinematics

if TYPE_CHECKING:
    from poise.methods.key.frames.evaluate import Evaluation, Pull, Solving
    from poise.methods.key.sheet.keyframes import Keyframes

STRICT = 1e-6
"""What counts as met on strict levels, in metres or relative to the value."""
FIRM = 1.0 - 1e-9
"""A pin of this gain and more is meant to be exact."""
OVER = 1e-3
"""How far a key may be beyond a limit [rad or m] without a word."""
TURNED = 5.0
"""A pin that fades where the body is turned by less than this [°] is as good as in place."""
SOFT = 2
"""Priority of pins in a report: after centre of mass, 0, and inertia, 1."""


def report_on(
    evaluation: Evaluation, times: Array, pulls: Sequence[Pull], found: Solving, seconds: float
) -> Report:
    """The fate of every track at solved times."""
    turning = evaluation.inside(times)
    warnings = [] if evaluation.path is None else [f"path, {hint}" for hint in evaluation.path.hints]
    warnings += _beyond_limits(evaluation.keyframes)
    outcomes = []
    kin = Kinematics(evaluation.keyframes.character, found.q) if len(times) else None
    for pull in pulls:
        meant = pull.gains >= FIRM
        if not _turns_along(pull.handle):
            warnings += _pulls_in_spins(evaluation, pull, times)
            meant &= ~turning
        if kin is not None and meant.any() and not pull.fading:
            outcomes.append(_outcome(pull, kin, times, np.flatnonzero(meant)))
            across = float(pull.across[meant].max(initial=0.0))
            if across > TOLERANCES["m"]:
                warnings.append(
                    f"{pull.name}: its target lies {across:.3g} m off the plane that {kin.character.name} "
                    "moves in; that part is left out"
                )
    for k in np.unique(evaluation.epochs(times)):
        if k < len(evaluation.spins) and turning.any():
            warnings += evaluation.flight(int(k)).warnings
    restless = times[~found.settled]
    if len(restless):
        warnings.append(
            f"{len(restless)} of {len(times)} poses did not come to rest, first at {restless[0]:.3f} s"
        )
    kept = all(outcome.met for outcome in outcomes if outcome.priority < SOFT)
    return Report(
        tuple(outcomes),
        iterations=int(found.iterations.sum()),
        seconds=seconds,
        message="physics kept" if kept else "physics missed",
        warnings=tuple(warnings),
        details={
            "times": len(times),
            "most iterations": int(found.iterations.max(initial=0)),
            "unsettled": restless.tolist(),
        },
    )


def physics_kept(report: Report) -> bool:
    """Whether the strict levels, centre of mass and inertia, are met."""
    return all(outcome.met for outcome in report.outcomes if outcome.priority < SOFT)


def _beyond_limits(keyframes: Keyframes) -> list[str]:
    """A warning for each pose key that no joint limit allows: played as keyed until something pulls."""
    character, found = keyframes.character, []
    for key in keyframes.pose_track.live:
        x = character.manifold.minus(np.asarray(key.value), character.manifold.neutral())
        over = np.maximum(character.lower - x, x - character.upper)
        worst = int(np.argmax(over)) if len(over) else -1
        if worst >= 0 and over[worst] > OVER:
            found.append(
                f"the pose key at {key.time:g} s has {character.dof_names[worst]} {over[worst]:.2g} beyond "
                "its limit: where pins or a path act it is held within"
            )
    return found


def _pulls_in_spins(evaluation: Evaluation, pull: Pull, times: Array) -> list[str]:
    """A warning for each spin in which a pin has any gain: when, and how far the body is turned there."""
    found = []
    asked = (pull.gains > 0.0) & evaluation.inside(times)
    epochs = evaluation.epochs(times)
    for k in np.unique(epochs[asked]):
        which = asked & (epochs == k)
        when = np.sort(times[which])
        turned = np.degrees(evaluation.flight(int(k)).angle(when).max())
        if turned > TURNED or (pull.gains[which] >= FIRM).any():
            found.append(
                f"{pull.name} pulls in a spin, {when[0]:.3f}–{when[-1]:.3f} s: there it acts before the body "
                f"is turned, by up to {turned:.3g}°"
            )
    return found


def _turns_along(handle: Handle) -> bool:
    """Whether turning the body about its centre of mass leaves the handle as it is."""
    if isinstance(handle, RotationalInertia):
        return handle.measure != "tensor"
    return isinstance(handle, CentreOfMass)


def _outcome(pull: Pull, kin: Kinematics, times: Array, where: IntArray) -> Outcome:
    """The worst of the times at which the track is meant to be exact."""
    handle = pull.handle.bind(kin.character)
    values = handle.value(kin)[where]
    off = np.linalg.norm(handle.error(values, pull.targets[where]), axis=1)
    worst = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
    k = int(where[worst])
    if pull.level is None:
        tolerance, stronger = TOLERANCES.get(handle.unit, 1e-3), "joints, centre of mass and inertia"
    else:
        size = 1.0 if handle.unit == "m" else float(np.linalg.norm(pull.targets[k]))
        tolerance, stronger = STRICT * size, "joints and what is stricter"
    met = bool(off[worst] <= tolerance)
    return Outcome(
        name=pull.name,
        when=f"{times[where].min():g}–{times[where].max():g} s",
        wanted=tuple(pull.targets[k].tolist()),
        got=tuple(values[worst].tolist()),
        error=float(off[worst]),
        unit=handle.unit,
        tolerance=tolerance,
        met=met,
        worst_time=float(times[k]),
        priority=SOFT if pull.level is None else pull.level,
        reason="" if met else f"as near as {stronger} allow",
    )
