"""Pops: frames in which a joint, or the whole body, is elsewhere, are made anew from their neighbours.

A pop may last a frame or a few, or a limb may be thrown aside and come back after a moment: the check then
finds two jumps. The fewest frames are made anew after which nothing jumps. A joint that jumps and stays is no
pop: nobody knows which side is right, and it is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array, IntArray
from poise.plausibility.finding import Finding
from poise.plausibility.jumps import AROUND, FEW, MORE, POPS, UNLIKE, main_joints
from poise.plausibility.report import PlausibilityReport
from poise.repair.infill import infilled
from poise.repair.stretch import Stretch

KINDS = ("pop",)
THROWN = 0.4
"""A limb that jumps comes back after so long at most [s]."""
CHAIN = 6
"""Most jumps that belong together."""
CULPRIT = 6.0
"""A joint takes part in a jump if its own second differences are so many times what they are around …"""
LEAST = np.radians(0.5), 0.002
"""… and this much more: turns [rad], ways [m]."""
FAR = 3
"""Frames beside a jump that are left out of what is usual."""
BACK = 0.5
"""A pop comes back: sound frames beside it are no further apart than the motion goes, by this share of it."""


def made_anew(report: PlausibilityReport, findings: Sequence[Finding]) -> list[Stretch]:
    """Stretches in which frames are made anew, each with what it mends."""
    clip, done = report.physics.clip, list[Stretch]()
    main = main_joints(report.physics)
    alone: list[Finding] = []
    for finding in sorted(findings, key=lambda f: f.start):
        found = _single(report, finding, main)
        if found is None:
            alone.append(finding)
        else:
            done.append(found)
    k = 0
    while k < len(alone) - 1:
        near = [f for f in alone[k : k + CHAIN] if (f.start - alone[k].end) * clip.dt <= THROWN]
        # Away and back; or one is thrown before another is back, and there are three jumps or more.
        tried = (_thrown(report, near[:n], main) for n in range(2, len(near) + 1))
        found = next((t for t in tried if t is not None), None)
        if found is not None:
            done.append(found)
        k += 1 if found is None else len(found.findings)
    return done


def _single(report: PlausibilityReport, finding: Finding, main: IntArray) -> Stretch | None:
    """The fewest frames within a finding that have to be made anew, with the fewest joints."""
    low, high = finding.start - 1, finding.end + 1
    culprits = _culprits(report, low, high)
    limb = _limb(report, finding, culprits)
    found = _fewest(report, finding, limb, main) if limb else None
    return _fewest(report, finding, culprits, main) if found is None else found


def _limb(report: PlausibilityReport, finding: Finding, culprits: list[int]) -> list[int]:
    """Those of the culprits that bring the joint that jumps where it is, without the root; none if all do."""
    character = report.physics.clip.character
    if finding.where not in character.names:
        return []
    at = character.index(finding.where)
    own = [b for b in culprits if b and (at in character.subtree(b) or b in character.subtree(at))]
    return own if len(own) < len(culprits) else []


def _fewest(
    report: PlausibilityReport, finding: Finding, bodies: list[int], main: IntArray
) -> Stretch | None:
    """The fewest frames in which some joints have to be made anew."""
    clip = report.physics.clip
    low, high = finding.start - 1, finding.end + 1
    for long in range(1, min(high - low + 1, FEW) + 1):
        tried = []
        for first in range(max(low, 1), high - long + 2):
            if first + long < clip.frames:
                q = infilled(clip.character, clip.q, bodies, first, first + long - 1, clip.dt)
                tried.append((_jump(report, q, low - 1, high + 1, main), first, q))
        if not tried:
            return None
        jump, first, q = min(tried, key=lambda t: t[0])
        if jump < _usual(report, low, high, main) and _comes_back(report, first, long, finding, main):
            words = f"{finding.where or 'the body'} made anew from the frames beside it"
            return Stretch(first, first + long - 1, q[first : first + long], (finding,), words)
    return None


def _comes_back(report: PlausibilityReport, first: int, long: int, finding: Finding, main: IntArray) -> bool:
    """Whether joints go on after a pop as they did before it."""
    clip = report.physics.clip
    a, b = max(first - 2, 0), min(first + long + 1, clip.frames - 1)
    x = clip.character.placement(clip.q[a : b + 1]).positions[:, main]
    p, r = first - 1 - a, first + long - a
    before, after = x[p] - x[0], x[-1] - x[r]
    off = np.linalg.norm(x[r] - x[p] - 0.5 * (r - p) * (before + after), axis=1)
    jump = np.linalg.norm(x[p + 1] - 0.5 * (x[p] + x[p + 2]), axis=1)
    # Of joints that jump; of the whole body what most of it does: a fist may be quick of its own.
    apart = float(np.median(off)) if not finding.where else float(off[jump >= 0.7 * jump.max()].min())
    return bool(apart < BACK * max(finding.amount, POPS[0] * report.physics.scale))


def _thrown(report: PlausibilityReport, jumps: Sequence[Finding], main: IntArray) -> Stretch | None:
    """What is thrown aside between the first jump and the last, with the fewest joints."""
    culprits = [_culprits(report, f.start - 1, f.end + 1) for f in jumps]
    limbs = [_limb(report, f, own) or own for f, own in zip(jumps, culprits)]
    every, few = (sorted({b for own in bodies for b in own}) for bodies in (culprits, limbs))
    found = _aside(report, jumps, few, main) if few != every else None
    return _aside(report, jumps, every, main) if found is None else found


def _aside(
    report: PlausibilityReport, jumps: Sequence[Finding], bodies: list[int], main: IntArray
) -> Stretch | None:
    """Some joints made anew between the first jump and the last."""
    clip, one, other = report.physics.clip, jumps[0], jumps[-1]
    least = max(_usual(report, f.start - 1, f.end + 1, main) for f in jumps)
    for first, last in ((one.end, other.end - 1), (one.end, other.start), (one.start, other.end)):
        if first < 1 or last + 1 >= clip.frames or last < first:
            continue
        q = infilled(clip.character, clip.q, bodies, first, last, clip.dt)
        if _jump(report, q, one.start - 2, other.end + 2, main) < least:
            words = (
                f"{one.where or 'the body'}, thrown aside for {(last - first + 1) * clip.dt:.2f} s, made anew"
            )
            return Stretch(first, last, q[first : last + 1], tuple(jumps), words)
    return None


def _culprits(report: PlausibilityReport, low: int, high: int) -> list[int]:
    """Bodies whose own coordinates jump in frames low … high; the root where none does."""
    clip = report.physics.clip
    character, around = clip.character, round(AROUND * clip.fps)
    a, b = max(low - around, 0), min(high + around, clip.frames - 1)
    steps = character.manifold.minus(clip.q[a + 1 : b + 1], clip.q[a:b])
    bend = np.abs(0.5 * np.diff(steps, axis=0))  # of frames a + 1 … b − 1
    frames = np.arange(a + 1, b)
    inside = (frames >= low) & (frames <= high)
    beside = (frames < low - FAR) | (frames > high + FAR)
    if not inside.any() or not beside.any():
        return [0]
    turns = np.isin(np.arange(character.nv), character.manifold.rotation_slots[1].ravel())
    least = np.where(turns, *LEAST)
    wild = bend[inside].max(axis=0) > CULPRIT * np.median(bend[beside], axis=0) + least
    found = sorted({int(b) for b in character.dof_body[wild]})
    return found or [0]


def _off(report: PlausibilityReport, q: Array, low: int, high: int, main: IntArray) -> Array:
    """How far frames low … high are from between their neighbours, by the joint that is farthest [m]."""
    clip = report.physics.clip
    a, b = max(low - 1, 0), min(high + 1, clip.frames - 1)
    x = clip.character.placement(q[a : b + 1]).positions[:, main]
    return np.asarray(np.linalg.norm(x[1:-1] - 0.5 * (x[:-2] + x[2:]), axis=2).max(axis=1))


def _jump(report: PlausibilityReport, q: Array, low: int, high: int, main: IntArray) -> float:
    return float(_off(report, q, low, high, main).max(initial=0.0))


def _usual(report: PlausibilityReport, low: int, high: int, main: IntArray) -> float:
    """Up to which a frame is no jump here, as the check says it [m]."""
    physics = report.physics
    around = round(AROUND * physics.clip.fps)
    off = _off(report, physics.clip.q, low - around, high + around, main)
    usual = UNLIKE * float(np.median(off)) + MORE * physics.scale
    return max(usual, POPS[0] * physics.scale)
