"""Measures of a clip on its contacts: what nothing carries, in body weights, and what slides.

The measure is wider than the solver's aim: friction a quarter higher, patches of 2 cm for 1.5, and a
tolerance. What is within it needs no change, so a result that is put in again stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.differentiated_clip import Mask, runs
from poise.methods.ground.cone import carried
from poise.methods.ground.problem import Look, Problem

FORCE, MOMENT = 0.05, 0.03
"""What may be missing [weights, weights · m]: as much as masses of a book leave in doubt."""
SLIDES, WHILE = 0.02, 0.15
"""A part whose stillest resting point moves with this speed (median over so long) slides, of a body of 1.75 m
[m/s, s]. Who stands in a capture slides by 5 to 15 cm/s, in a result by less than 1."""
BLURRED = 0.1
"""Seconds after touch-down and before lift-off in which nothing is called a slide: the detector's filter
blurs them, and finds them elsewhere in a result."""
DEEP = 0.02
"""Furthest of a patch from the height it is to keep [m]."""
WIDE, GRIPPY = 0.02, 1.25
"""Half the width of a patch [m], and friction over the solver's."""
DOUBT = 2
"""Frames of the grid by which contacts may begin earlier and end later than they were found: a result that is
put in again is found to touch a frame or two beside where it did."""
EXACT = 1e-9
"""Smoothing that is none [weights²]."""


@dataclass(frozen=True, eq=False)
class Measure:
    """S samples of a grid."""

    rows: IntArray
    """Frames of the grid (S,)."""
    force: Array
    """Missing [weights] (S,)."""
    moment: Array
    """Missing [weights · m] (S,)."""
    missing: Array
    """Wrench [weights, weights · m] about the middle of what touches (S, 6)."""
    slides: Mask
    """Frames of the grid in which a resting point slides, or a patch is off its height (G,)."""

    @property
    def bad(self) -> Mask:
        """Samples that are not carried (S,)."""
        return np.asarray((self.force > FORCE) | (self.moment > MOMENT))


def measured(problem: Problem, look: Look, scale: float, doubt: int = 0) -> Measure:
    """Of a displacement that was looked at; contacts last ``doubt`` frames longer to either side."""
    by = problem.pushes(look.kin, doubt)
    got = carried(look.need, by._replace(friction=GRIPPY * by.friction), WIDE, problem.stride.arm, EXACT)
    left = np.where(problem.asked[:, None], got.left, 0.0) * ([1.0] * 3 + [problem.stride.arm] * 3)
    return Measure(
        problem.rows,
        np.linalg.norm(left[:, :3], axis=1),
        np.linalg.norm(left[:, 3:], axis=1),
        left,
        _slides(problem, look, scale),
    )


def _slides(problem: Problem, look: Look, scale: float) -> Mask:
    footing, dt = problem.footing, problem.stride.dt
    speed = np.linalg.norm(problem.ways(look.kin), axis=2) / dt
    off = np.abs(np.where(footing.held, problem.off(look.kin), 0.0))
    cut, span = max(1, round(BLURRED / dt)), max(1, round(WHILE / dt))
    out = np.zeros(len(speed), bool)
    for part in dict.fromkeys(footing.part):
        ks = np.flatnonzero([p == part for p in footing.part])
        stillest = np.where(footing.rests[:, ks], speed[:, ks], np.inf).min(axis=1)
        for a, b in runs(footing.touches[:, ks].any(axis=1)):
            a, b = a + cut, b - cut
            if b - a + 1 < span:
                continue
            own = np.where(np.isfinite(stillest[a : b + 1]), stillest[a : b + 1], 0.0)
            windows = np.lib.stride_tricks.sliding_window_view(own, span)
            for f in np.flatnonzero(np.median(windows, axis=1) > SLIDES * np.sqrt(scale)):
                out[a + f : a + f + span] = True
            out[a : b + 1] |= (off[a : b + 1][:, ks] > DEEP * scale).any(axis=1)
    return out
