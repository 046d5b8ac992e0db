"""Limbs that are thrown where they cannot go: an elbow or a knee bent backwards, an arm inside the trunk.

What is impossible for a moment is an error of the recording: the joints of the limb are made anew between
the frames where it left its way and where it came back (``infill``). Flanks are those in which the limb goes
faster than it does around. What lasts longer, or is only told, is left alone: which way a joint bends and how
thick a trunk is are guesses.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.labels import roles
from poise.plausibility.finding import Finding
from poise.plausibility.report import PlausibilityReport
from poise.repair.infill import infilled
from poise.repair.stretch import Stretch

KINDS = ("bend", "overlap")
LIMBS = {"elbow": ("forearm",), "knee": ("shin",), "arm": ("upper_arm", "forearm")}
"""Joints that bring a part where it is."""
LONGEST = 1.0
"""Stretches that last longer are no glitch [s]."""
FLANK = 0.19
"""How far beyond what is impossible a limb is on its way there or back [s]."""
QUICK = 0.15
"""It is, while it turns faster than this share of its fastest there."""
QUIET = 0.04
"""For so long it must be slower, to have arrived [s]."""


def made_anew(report: PlausibilityReport, findings: Sequence[Finding]) -> tuple[list[Stretch], str]:
    """Stretches in which limbs are made anew, and why others are left alone."""
    clip, done, left = report.physics.clip, list[Stretch](), ""
    own = roles(clip.character)
    q = np.asarray(clip.q)
    for f in findings:
        side, _, joint = f.where.partition(" ")
        bodies = [own[f"{side} {part}"] for part in LIMBS.get(joint, ()) if f"{side} {part}" in own]
        if not f.serious or not bodies:
            left = left or f"{f.words}: within what a guessed body leaves in doubt, left alone"
            continue
        if (f.end - f.start) * clip.dt > LONGEST:
            left = (
                left
                or f"{f.words} for {(f.end - f.start) * clip.dt:.1f} s: too long for a glitch, left alone"
            )
            continue
        first, last = _flanks(
            clip.character.manifold.minus(q[1:], q[:-1]), clip.character, bodies, f, clip.dt
        )
        if first < 1 or last + 1 >= clip.frames:
            left = left or f"{f.words} at the end of the clip: nothing to make it anew from"
            continue
        q = infilled(clip.character, q, bodies, first, last, clip.dt)
        words = f"the {f.where} made anew in {(last - first + 1) * clip.dt:.2f} s"
        done.append(Stretch(first, last, q[first : last + 1], (f,), words))
    return done, left


def _flanks(steps: Array, character: Character, bodies: list[int], f: Finding, dt: float) -> tuple[int, int]:
    """First and last frame in which a limb is off its way."""
    dofs = np.flatnonzero(np.isin(character.dof_body, bodies))
    speed = np.linalg.norm(steps[:, dofs], axis=1)  # from frame k to k + 1
    reach, quiet = round(FLANK / dt), max(1, round(QUIET / dt))
    low, high = max(f.start - reach, 0), min(f.end + reach, len(speed))
    usual = float(np.median(speed))
    most = float(speed[low:high].max(initial=0.0))
    quick = speed > max(QUICK * most, 1.5 * usual)
    first, last = f.start, f.end
    for k in range(f.start - 1, low - 1, -1):
        if quick[k]:
            first = k + 1
        elif first - k > quiet:
            break
    for k in range(f.end, high):
        if quick[k]:
            last = k
        elif k - last > quiet:
            break
    return first, last
