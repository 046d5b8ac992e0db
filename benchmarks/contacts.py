"""How well Poise finds what carries a motion, and how well ``check`` judges by it: ``python -m
benchmarks.contacts [PART …] [CLIP …] [--seed N]``.

Parts: ``wild`` (captures as they are), ``surfaces`` (heights of what was climbed and sat on), ``levitation``
(good clips lifted by half a metre), ``faults`` (put into good clips), ``flights``, ``frames`` (contacts at
other frame rates), ``masses``, ``belts``, ``manners``, ``bodies`` (robots, animals, missing toes,
loops), ``pieces`` (cut out of good clips anywhere), ``speed``. Clips are those of ``shared/data`` beside the
checkout; ``$CLIPS`` names another folder of captures.

Limits were set on every other capture, the first, third …; the rest is told apart as "aside". The last table
names every bar, what was measured, and whether it holds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import poise
from benchmarks.contact_faults import BLEND, FAULTS, LASTS, LIFT, found, levitated
from benchmarks.contact_labels import RATES, SURFACES, TORN, WRONG_RATE
from poise.motion import Clip
from poise.operations.check import Check
from poise.plausibility.judge import judge
from poise.plausibility.report import PlausibilityReport

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
CLIPS = Path(os.environ.get("CLIPS", DATA / "cmu_wild"))
JUMPS = ("75_12", "75_13", "87_04")
"""Of those recorded at another rate, those that are good clips at their own."""
SEED = 20261118
LEVITATED, LONG = 14, 400
"""Clips that are lifted, of so many frames at least."""


@dataclass
class Bars:
    """Rows of the last table: what is asked, what was measured, whether it holds."""

    rows: list[tuple[str, str, str, bool]] = field(default_factory=list)

    def add(self, what: str, asked: str, measured: str, holds: bool) -> None:
        self.rows.append((what, asked, measured, holds))

    def share(self, what: str, asked: float, hit: int, count: int) -> None:
        """At least so much of a count; nothing counted, nothing said."""
        if count:
            self.add(what, f"≥ {100 * asked:.0f} %", f"{hit} of {count}", hit >= asked * count - 1e-9)

    def show(self) -> None:
        if not self.rows:
            return
        wide = [max(len(r[k]) for r in self.rows) for k in range(3)]
        print("\n" + "  ".join(f"{t:{w}s}" for t, w in zip(("bar", "asked", "measured"), wide)))
        for *cells, holds in self.rows:
            print("  ".join(f"{c:{w}s}" for c, w in zip(cells, wide)) + ("" if holds else "   MISSED"))


def names() -> list[str]:
    """All captures."""
    return sorted(p.stem for p in CLIPS.glob("*.bvh"))


def load(name: str) -> Clip:
    """A capture at the rate at which it was recorded."""
    clip = poise.load(CLIPS / f"{name}.bvh", drop_tpose="auto")
    return clip.replaced(rate=clip.rate / 2) if name in WRONG_RATE else clip


def half(name: str) -> bool:
    """Whether limits were set on it."""
    every = names()
    return every.index(name) % 2 == 0


def good(name: str, clip: Clip, report: PlausibilityReport) -> bool:
    """Whether faults can be put into it."""
    return name in JUMPS or (name not in WRONG_RATE and report.plausible)


def wild(chosen: list[str], bars: Bars, seed: int) -> None:
    """Captures as they are: who is condemned, and for what."""
    falsely: dict[bool, list[str]] = {True: [], False: []}
    missed = []
    for name in chosen:
        report = judge(poise.load(CLIPS / f"{name}.bvh"), Check())
        just = name in WRONG_RATE + TORN
        if not report.plausible and not just:
            falsely[half(name)].append(name)
        if just and report.plausible:
            missed.append(name)
        print(f"{name:8s} {'wrong' if just else '':6s}{report.verdict}", flush=True)
        for f in [f for f in report.findings if f.serious][:3]:
            print(f"         {f.words} (frames {f.start}–{f.end})")
    for tuned, said in ((True, "tuned on"), (False, "aside")):
        count = sum(half(n) == tuned for n in chosen)
        bad = falsely[tuned]
        bars.add(f"captures condemned falsely, {said}", "≤ 5 %", f"{len(bad)} of {count} {bad or ''}",
                 len(bad) <= 0.05 * count)  # fmt: skip
    known = [n for n in chosen if n in WRONG_RATE + TORN]
    bars.share("wrong recordings condemned", 1.0, len(known) - len(missed), len(known))


def surfaces(chosen: list[str], bars: Bars, seed: int) -> None:
    """Heights of steps and seats against those that are known."""
    from poise.contacts.find import find

    for name in [n for n in chosen if n in SURFACES]:
        support = find(load(name))
        floor = support.world.floor
        level = floor.shape.height if floor is not None else 0.0  # type: ignore[attr-defined]
        tops = sorted(
            round(100 * (s.place[2] + s.shape.half[2] - level), 1)  # type: ignore[attr-defined]
            for s in support.world.surfaces
            if s.shape.kind == "box"
        )
        want, give = SURFACES[name]
        holds = len(tops) == len(want) and all(abs(a - b) <= give for a, b in zip(tops, want))
        bars.add(f"{name} [cm]", f"{list(want)} ± {give:g}", str(tops), holds)


def levitation(chosen: list[str], bars: Bars, seed: int) -> None:
    """Good clips lifted by half a metre: condemned where the world is given, asked about where it is not."""
    given = clean = asked = count = 0
    for name in chosen:
        if count == LEVITATED:
            break
        clip = load(name)
        before = judge(clip, Check())
        if clip.frames < LONG or not good(name, clip, before) or name in JUMPS:
            continue
        count += 1
        world = before.world.confirmed()
        lifted, start = levitated(clip)
        span = (start - BLEND) * clip.fps, (start + LASTS + BLEND) * clip.fps
        told = judge(lifted, Check(), world)
        given += any(f.serious and f.start <= span[1] and f.end >= span[0] for f in told.findings)
        right = judge(clip, Check(), world)
        clean += not right.plausible
        free = judge(lifted, Check())
        known = {q.words for q in before.questions}
        new = [q for q in free.questions if q.kind == "surface" and q.words not in known
               and q.start <= span[1] and q.end >= span[0]]  # fmt: skip
        asked += bool(new)
        print(f"{name:8s} given: {told.verdict} | clean: {right.verdict} | inferred: {free.verdict} | asked: "
              f"{[q.words for q in new]}", flush=True)  # fmt: skip
    print(f"levitated by {LIFT} m: {count} clips")
    bars.share("levitated, world given: condemned", 1.0, given, count)
    bars.add("… the same clips clean: condemned", "0", f"{clean} of {count}", clean == 0)
    bars.share("… world inferred: the surface is asked about", 1.0, asked, count)


def faults(chosen: list[str], bars: Bars, seed: int) -> None:
    """Faults put into good clips, in the world of the clean ones."""
    tally = {kind: {h: [0, 0, 0] for h in (True, False)} for kind in FAULTS}
    missed: dict[str, list[str]] = {kind: [] for kind in FAULTS}
    clean = {True: [0, 0], False: [0, 0]}
    for name in chosen:
        clip = load(name)
        before = judge(clip, Check())
        if not good(name, clip, before):
            continue
        world = before.world.confirmed()
        own = judge(clip, Check(), world)
        clean[half(name)][0] += 1
        clean[half(name)][1] += not own.plausible
        if not own.plausible:
            worst = [f.words for f in own.findings if f.serious][:3]
            print(f"{name}: untouched, but {own.verdict}: {worst}", flush=True)
        for kind, (make, _) in FAULTS.items():
            rng = np.random.default_rng([seed, names().index(name), list(FAULTS).index(kind)])
            for fault in make(clip, before, rng):
                if fault is None:
                    continue
                hit, condemned = found(fault, judge(fault.clip, Check(), world), own)
                row = tally[kind][half(name)]
                row[0], row[1], row[2] = row[0] + 1, row[1] + hit, row[2] + condemned
                if not hit:
                    missed[kind].append(f"{name}@{fault.start:.2f}")
    for kind, halves in tally.items():
        print(f"{kind:18s} missed {missed[kind]}", flush=True)
        for tuned, said in ((True, "tuned on"), (False, "aside")):
            n, hit, condemned = halves[tuned]
            bars.share(f"{kind}: found, {said} (condemned {condemned})", FAULTS[kind][1], hit, n)
    for tuned, said in ((True, "tuned on"), (False, "aside")):
        count, wrong = clean[tuned]
        if count:
            bars.add(f"untouched: condemned, {said}", "≤ 2 %", f"{wrong} of {count}", wrong <= 0.02 * count)


def flights(chosen: list[str], bars: Bars, seed: int) -> None:
    """Gravity of flights whose part that falls lasts, and the rates they tell."""
    from poise.contacts.find import find

    worst, count = 0.0, 0
    for name in [n for n in chosen if n not in TORN]:
        clip = load(name)
        for flight in find(clip).flights:
            fit = flight.parabola
            lasting, g = (fit.end - fit.start) * clip.dt, fit.gravity
            if lasting > 0.2:
                count += 1
                worst = max(worst, abs(g - 9.81))
                print(f"{name:8s} {fit.start * clip.dt:6.2f} s  {lasting:.2f} s  g {g:.2f}", flush=True)
    if count:
        bars.add(f"gravity of {count} flights over 0.2 s", "± 0.6 m/s²", f"± {worst:.2f}", worst <= 0.6)
    for name, (pace, flown) in RATES.items():
        path = CLIPS / f"{name}.bvh"
        if name in chosen or (not path.exists() and name in poise.clips.names()):
            clip = poise.load(path) if path.exists() else poise.clips.get(name)
            support = find(clip)
            fast = [f for f in support.flights if abs(f.parabola.gravity - 9.81) > 2.5]
            said = f"{support.pace:g}, {len(support.flights)} flights, {len(fast)} of another gravity"
            holds = support.pace == pace and (flown is None or len(support.flights) == flown) and not fast
            bars.add(f"{name}: times too fast, flights at that pace", f"{pace:g}, {flown or 'any'}", said,
                     holds)  # fmt: skip


PARTS: dict[str, Callable[[list[str], Bars, int], None]] = {
    "wild": wild,
    "surfaces": surfaces,
    "levitation": levitation,
    "faults": faults,
    "flights": flights,
}


def main(asked: list[str]) -> None:
    """The parts that are named, or all; names of clips choose these."""
    from benchmarks.contact_robustness import PARTS as OTHERS

    parts = PARTS | OTHERS
    seed = int(asked[asked.index("--seed") + 1]) if "--seed" in asked else SEED
    unknown = [a for a in asked if a not in parts and a not in names() and a not in ("--seed", str(seed))]
    if unknown:
        raise SystemExit(f"no part and no capture is called {unknown[0]!r}; parts: {', '.join(parts)}")
    chosen = [n for n in names() if n in asked] or names()
    if not chosen:
        print(f"there are no captures in {CLIPS}")
        return
    bars = Bars()
    for part, run in parts.items():
        if part in asked or not any(a in parts for a in asked):
            print(f"— {part}", flush=True)
            run(chosen, bars, seed)
    bars.show()


if __name__ == "__main__":
    main(sys.argv[1:])
