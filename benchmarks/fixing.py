"""What ``fix`` does to real captures, and to faults put into good ones: ``python -m benchmarks.fixing
[harm|faults] [NAME …]``.

The judge shares nothing with the solver: joints by plain placement, contacts by the speed of ankles and toes
in the clip as given, jerk by third differences. A capture is *harmed* where, outside of what was mended, a
joint moves by more than 1 cm; where a foot was mended and moves by less than 1.5 cm, a knee, hip or elbow
moves by more than 3 cm; where the apex of a jump changes by more than 3 cm; where jerk is more than 1.2 times
what it was, of the clip or of the frames that changed, or more than 1.4 times of one joint where it changed;
where feet slide or sink more. Clips that play at another speed are compared frame by frame. Faults are those
of ``benchmarks.contact_faults``, put into captures that ``check`` finds plausible, in the world found there:
one is *removed* if ``check`` finds nothing of it any more and joints are back within 2 cm rms of the clip it
was put into. Clips are those of ``shared/data`` beside the checkout, or of ``$CLIPS``; ``every=3`` takes
every third.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from benchmarks.contact_faults import FAULTS, Fault, found
from benchmarks.contact_labels import WRONG_RATE
from benchmarks.contacts import JUMPS
from poise.arrays import Array
from poise.character.labels import roles
from poise.motion import Clip
from poise.operations.check import Check
from poise.plausibility.judge import judge
from poise.plausibility.report import PlausibilityReport
from poise.repair.result import FixResult

DATA = Path(os.environ.get("CLIPS", Path(__file__).resolve().parents[2] / "shared" / "data"))
FOLDERS = ("cmu_wild", "cmu_cgspeed_bvh")
AROUND = 0.25
"""How far beyond a fault its mending may reach [s]."""
OUTSIDE, POSTURE, STILL, APEX, JERK, LIMB = 0.01, 0.03, 0.015, 0.03, 1.2, 1.4
BESIDE = 0.1
"""How far beside frames that changed the jerk of one joint is looked at [s]."""
MARGIN = 12
"""Frames beside those that changed in which all joints' jerk is looked at."""
REST = 0.05, 10.0
"""The first frame is a rest pose where a joint is so far from the second [m], and so many times as far as
usual."""
SLIDE, SINK = 0.002, 0.002
"""How much more a foot may slide [m/s] and sink [m]: rounding of what is measured."""
BACK = 0.02
"""How near a mended clip is to the one that a fault was put into [m]."""


def clips() -> dict[str, Path]:
    """All captures, by name."""
    folders = [DATA / f for f in FOLDERS if (DATA / f).is_dir()] or [DATA]
    return {p.stem: p for folder in folders for p in sorted(folder.glob("*.bvh"))}


def places(clip: Clip) -> Array:
    """Of all joints (F, n, 3) [m]."""
    return np.asarray(clip.character.placement(clip.q).positions)


@dataclass(frozen=True)
class Harm:
    """What a repair did besides, [m] unless said otherwise."""

    outside: float
    """Furthest way of a joint outside of what was mended."""
    posture: float
    """Furthest way of a knee, hip or elbow in frames in which a foot was mended and feet hardly moved."""
    apex: float
    """Largest change of the height of a jump."""
    jerk: float
    """Over what it was: of the clip, or of the frames that changed."""
    limb: float
    """Over what it was, of the joint and the run of changed frames in which it grew most; of what was less
    than twice the median of the joint's own, or half of that of the body: over that."""
    slide: float
    """Speed that feet slide with in addition [m/s]."""
    sink: float
    """How much deeper the deepest foot is."""

    @property
    def words(self) -> str:
        """What is too much; empty: nothing."""
        limits = {
            "outside": OUTSIDE, "posture": POSTURE, "apex": APEX, "jerk": JERK, "limb": LIMB,
            "slide": SLIDE, "sink": SINK,
        }  # fmt: skip
        return " ".join(name for name, most in limits.items() if getattr(self, name) > most)


def harm(before: Clip, result: FixResult) -> Harm:
    """Measure one repair."""
    own = roles(before.character)
    at = np.clip(np.rint(result.sources).astype(int), 0, before.frames - 1)
    was, now = places(before), places(result.clip)
    way = np.linalg.norm(now - was[at], axis=2)  # (F', n)
    between = np.abs(result.sources - at) > 1e-6  # shows no one frame of the clip as it was
    mended, feet = np.zeros(before.frames, bool), np.zeros(before.frames, bool)
    reach = round(AROUND * before.fps)
    for outcome in result.outcomes:
        for f in outcome.findings if outcome.done and outcome.repair != "time" else ():
            span = np.arange(max(f.start - reach, 0), min(f.end + reach, before.frames - 1) + 1)
            mended[span] = True
            feet[span] |= "foot" in f.where
    for outcome in result.outcomes:  # a limb that jumped is put back: that moves knees and elbows
        for f in outcome.findings if outcome.done and outcome.repair in ("pops", "limits") else ():
            feet[max(f.start - 1, 0) : f.end + 2] = False
    outside = way[~mended[at] & ~between].max(initial=0.0)
    joints = [own[r] for r in own if r.endswith((" shin", " thigh", " forearm"))]
    soles = [own[r] for r in own if r.endswith((" foot", " toes"))]
    quiet = feet[at] & ~between & (way[:, soles].max(axis=1) < STILL) if soles else np.zeros(len(at), bool)
    posture = way[quiet][:, joints].max(initial=0.0) if joints else 0.0
    changed = between | (way.max(axis=1) > 1e-6)
    return Harm(
        float(outside), float(posture), _apex(before, result, was, now),
        *_jerk(before, result.clip, was, now, changed, at),
        *_feet(before, result.clip, was, now, at, soles),
    )  # fmt: skip


def _apex(before: Clip, result: FixResult, was: Array, now: Array) -> float:
    """Of hips over where they are at take-off and landing."""
    most = 0.0
    for phase in result.before.flights:
        if phase.seconds < 0.15:
            continue
        shown = np.flatnonzero((result.sources >= phase.start) & (result.sources <= phase.end))
        if len(shown) > 2:
            old, new = was[phase.start : phase.end + 1, 0, 2], now[shown, 0, 2]
            rise = [h.max() - 0.5 * (h[0] + h[-1]) for h in (old, new)]
            most = max(most, abs(rise[1] - rise[0]), abs(new.max() - old.max()))
    return float(most)


def _jerk(
    before: Clip, after: Clip, was: Array, now: Array, changed: Array, at: Array
) -> tuple[float, float]:
    """Largest of two ratios, over all frames and over those that changed and their neighbours; and of one
    joint. Frames that stand for one frame each of the clip as it was are compared with those."""
    if not changed.any():
        return 1.0, 1.0
    old, new = (np.diff(x, 3, axis=0) for x in (was[at], now))
    plain = np.convolve(np.diff(at) == 1, np.ones(3), "valid") > 2.5
    if not plain.all():  # a flight is stretched: as it was in time
        there = np.clip(at[:-3], 0, len(was) - 4)
        old[~plain] = (np.diff(was, 3, axis=0)[there] * (after.dt / before.dt) ** 3)[~plain]

    def size(x: Array) -> float:
        return float(np.sqrt((x**2).sum(axis=2).mean()))

    steps = np.linalg.norm(np.diff(was[: 2 * MARGIN], axis=0), axis=2).max(axis=1)
    if len(steps) and steps[0] > REST[0] and steps[0] > REST[1] * np.median(steps):
        old, new, changed = old[1:], new[1:], changed[1:]  # a rest pose before the motion belongs to nothing
    wide = np.convolve(changed, np.ones(2 * MARGIN + 1), "same")[: len(new)] > 0
    whole = max(size(new) / size(old), size(new[wide]) / max(size(old[wide]), 1e-9))
    usual, limb = 2 * np.median(np.linalg.norm(old, axis=2), axis=0), 1.0
    usual = np.maximum(usual, 0.5 * np.sqrt((usual**2).mean()))
    reach = max(3, round(BESIDE * after.fps))
    near = np.convolve(changed, np.ones(2 * reach + 1), "same") > 0.5
    edges = np.flatnonzero(np.diff(np.concatenate([[0], near[: len(new)].astype(int), [0]])))
    for a, b in zip(edges[::2], edges[1::2]):
        own, then = (np.sqrt((x[a:b] ** 2).sum(axis=2).mean(axis=0)) for x in (old, new))
        limb = max(limb, float((then / np.maximum(np.maximum(own, usual), 1e-6)).max()))
    return whole, limb


def _feet(
    before: Clip, after: Clip, was: Array, now: Array, at: Array, soles: list[int]
) -> tuple[float, float]:
    """Speed of slides and depth in addition, of ankles and toes that are slow in the clip given."""
    if not soles:
        return 0.0, 0.0
    slide, sink = 0.0, 0.0
    for j in soles:
        step = np.linalg.norm(np.diff(was[:, j], axis=0), axis=1) / before.dt
        still = np.append(step < 0.2, False)
        pairs = still[at[:-1]] & (np.diff(at) == 1)
        if pairs.sum() < 4:
            continue
        a = at[:-1][pairs]
        old = np.linalg.norm(was[a + 1, j, :2] - was[a, j, :2], axis=1).mean() / after.dt
        new = np.linalg.norm(np.diff(now[:, j, :2], axis=0)[pairs], axis=1).mean() / after.dt
        slide = max(slide, float(new - old))
        sink = max(sink, float(was[:, j, 2].min() - now[:, j, 2].min()))
    return slide, sink


def harms(chosen: dict[str, Path]) -> None:
    """The table of captures."""
    harmed = []
    print("name      outside posture  apex    jerk   limb  slide   sink   furthest  repairs")
    for name, path in chosen.items():
        clip = poise.load(path)
        began = time.process_time()
        result = poise.fix(clip)
        took = time.process_time() - began
        found = harm(clip, result)
        if found.words:
            harmed.append(name)
        far = max((o.furthest for o in result.outcomes if o.done), default=0.0)
        done = ", ".join(o.repair + ("" if o.mended else "*") for o in result.outcomes if o.done) or "–"
        numbers = f"{100 * found.outside:6.2f} {100 * found.posture:7.2f} {100 * found.apex:6.2f} "
        numbers += f"{found.jerk:6.2f} {found.limb:6.2f} {100 * found.slide:6.2f} {100 * found.sink:6.2f} "
        numbers += f"{100 * far:8.1f}"
        said = f"HARMED {found.words}" if found.words else ""
        print(f"{name:8s} {numbers}   {done}   {said} [{took:.1f} s]", flush=True)
    print(f"{len(chosen)} captures [cm, cm/s]: {len(harmed)} harmed {harmed}")


def apart(clean: Clip, clip: Clip, span: tuple[float, float]) -> tuple[float, float]:
    """How far joints are from the clip that a fault was put into, rms of all frames and around it [m].

    A clip of a few frames more or fewer is laid over it from both ends: flights are retimed by whole frames.
    """
    was, now = places(clean), places(clip)
    more = len(now) - len(was)
    frames = np.arange(len(was))
    middle = 0.5 * (span[0] + span[1]) * clean.fps
    room = max(4.0, 0.5 * (span[1] - span[0]) * clean.fps)
    late = np.clip((frames - middle + room) / (2 * room), 0.0, 1.0)
    other = np.clip(np.rint(frames + more * late).astype(int), 0, len(now) - 1)
    off = ((now[other] - was) ** 2).sum(axis=2).mean(axis=1)
    near = (frames * clean.dt >= span[0] - 0.3) & (frames * clean.dt <= span[1] + 0.3)
    return float(np.sqrt(off.mean())), float(np.sqrt(off[near].mean()))


def good(chosen: dict[str, Path]) -> Iterator[tuple[str, Clip, PlausibilityReport]]:
    """Captures that faults are put into, at the rate at which they were recorded."""
    for name, path in chosen.items():
        clip = poise.load(path, drop_tpose="auto")
        if name in WRONG_RATE:
            clip = clip.replaced(rate=clip.rate / 2)
        report = judge(clip, Check())
        if name in JUMPS or (name not in WRONG_RATE and report.plausible):
            yield name, clip, report


def faults(chosen: dict[str, Path], kinds: list[str]) -> None:
    """The table of faults."""
    tally = {kind: [0, 0, 0, 0] for kind in kinds}
    ways: dict[str, list[float]] = {kind: [] for kind in kinds}
    for i, (name, clip, report) in enumerate(good(chosen)):
        world = report.world.confirmed()
        own = judge(clip, Check(), world)
        for kind in kinds:
            for fault in FAULTS[kind][0](clip, report, np.random.default_rng(i)):
                if fault is not None:
                    row, words = _removed(clip, fault, world, own)
                    for k, value in enumerate(row[:4]):
                        tally[kind][k] += value
                    ways[kind].append(row[4])
                    print(f"{name:8s} {kind:18s} {words}", flush=True)
    for kind, (count, seen, gone, back) in tally.items():
        if count:
            far = f"median {100 * np.median(ways[kind]):.1f} cm"
            counts = f"{count:3d} put in, {seen:3d} found, {gone:3d} gone"
            print(
                f"{kind:18s} {counts}, {100 * back / count:3.0f} % gone and back within 2 cm; {far}",
                flush=True,
            )


def _removed(
    clip: Clip, fault: Fault, world: poise.World, own: PlausibilityReport
) -> tuple[tuple[int, int, int, int, float], str]:
    """One of the counts each: put in, found, gone, gone and back; and how far off it is [m]."""
    span = (fault.start, fault.end)
    result = poise.fix(fault.clip, world=world)
    seen = found(fault, result.before, own)[0]
    still = found(fault, judge(result.clip, Check(), world), own)[0]
    wrong, wrong_near = apart(clip, fault.clip, span)
    rms, near = apart(clip, result.clip, span)
    gone = not still and result.changed
    done = ", ".join(o.repair for o in result.outcomes if o.done) or "–"
    words = f"@{fault.start:5.2f}–{fault.end:5.2f}  {'found' if seen else 'NOT FOUND'}, "
    words += f"{'gone' if gone else 'STILL THERE'}; {100 * wrong:.1f} → {100 * rms:.1f} cm rms, "
    words += f"around it {100 * wrong_near:.1f} → {100 * near:.1f}   [{done}]"
    return (1, int(seen), int(gone), int(gone and rms < BACK), rms), words


def main(asked: list[str]) -> None:
    """Both tables, or the one that is named, of clips and faults that are named, or of all."""
    every = next((int(a[6:]) for a in asked if a.startswith("every=")), 1)
    known = clips()
    chosen = {n: p for n, p in known.items() if n in asked} or dict(list(known.items())[::every])
    if not chosen:
        print(f"there are no captures in {DATA}")
        return
    kinds = [k for k in FAULTS if any(k.startswith(a) for a in asked)] or list(FAULTS)
    if "faults" not in asked:
        harms(chosen)
    if "harm" not in asked:
        faults(chosen, kinds)


if __name__ == "__main__":
    main(sys.argv[1:])
