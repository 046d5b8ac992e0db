"""A document as a clip: evaluated at every frame, all frames alike."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array
from poise.constraints import Report
from poise.errors import InputError
from poise.methods.keyframing.evaluation import Progress
from poise.methods.keyframing.key import TICK, as_time
from poise.methods.keyframing.track_report import physics_kept
from poise.motion import Clip
from poise.motion.frame_count import affordable
from poise.motion.frame_times import exact_rate
from poise.workers import algebra_on_one_thread

if TYPE_CHECKING:
    from poise.methods.keyframing.tracks import Tracks

_JUMP = 0.25  # [rad] the least that counts as a jump from one frame to the next
_AROUND = 4  # frames on either side that say what is usual
_SAID = 5


@dataclass(frozen=True, eq=False)
class Baked:
    """A clip, and how well it keeps what was keyed."""

    clip: Clip
    report: Report

    @property
    def physics_kept(self) -> bool:
        """Whether centre of mass and inertia are where they were keyed at every frame."""
        return physics_kept(self.report)


@algebra_on_one_thread()
def bake(
    tracks: Tracks,
    fps: Fraction | float | str = 30,
    *,
    start: float | None = None,
    end: float | None = None,
    progress: Progress | None = None,
) -> Baked:
    """Frame k is the document at start + k / fps; the last frame is at or just before the end."""
    rate = exact_rate(fps)
    first, last = tracks.span
    first = first if start is None else as_time(start)
    last = last if end is None else as_time(end)
    if last < first:
        raise InputError(f"nothing to bake: the end, {last:g} s, lies before the start, {first:g} s")
    count = affordable(math.floor((last - first + TICK) * float(rate)) + 1, "bake")
    times = np.array([first + float(k / rate) for k in range(count)])
    found = tracks.at(times, progress=progress)
    report = replace(found.report, warnings=(*found.report.warnings, *_jumps(tracks, times, found.q)))
    return Baked(Clip(tracks.character, found.q, rate, name=tracks.name), report)


def _jumps(tracks: Tracks, times: Array, q: Array) -> list[str]:
    """Where neighbouring frames found unlike solutions: a warning each, the first few."""
    if len(times) < 3:
        return []
    character = tracks.character
    inner = character.dof_body > 0
    steps = np.abs(character.manifold.minus(q[1:], q[:-1]))[:, inner]  # (F − 1, dofs)
    keyed = tracks.pose_track.at(times)
    own = np.abs(character.manifold.minus(keyed[1:], keyed[:-1]))[:, inner].max(axis=1, initial=0.0)
    size = steps.max(axis=1, initial=0.0)
    usual = np.array([np.median(size[max(k - _AROUND, 0) : k + _AROUND + 1]) for k in range(len(size))])
    found = np.flatnonzero((size > _JUMP) & (size > 4.0 * usual) & (size > 2.0 * own))
    names = np.array(character.dof_names)[inner]
    said = [
        f"the pose jumps between {times[k]:.3f} and {times[k + 1]:.3f} s ({names[steps[k].argmax()]} by "
        f"{size[k]:.2g} rad): there path, pins and poses disagree, and two poses serve them as well"
        for k in found[:_SAID]
    ]
    return said + ([f"and {len(found) - _SAID} more jumps"] if len(found) > _SAID else [])
