"""Repair what a check finds, by the smallest change, and never make it worse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, frozen
from poise.contacts.ends import begins_late
from poise.contacts.given import ClipContacts
from poise.errors import CancelledError, PoiseError
from poise.kinematics import Kinematics
from poise.motion import Clip, operators
from poise.operations.fix import Fix
from poise.operations.situation import Situation
from poise.operations.values.world import world_around
from poise.plausibility.finding import Finding
from poise.plausibility.judge import judge
from poise.plausibility.report import PlausibilityReport
from poise.repair import balance, depth, flight_path, skate, spin, time_scale
from poise.repair.accept import excused, impossible, worse
from poise.repair.proposal import Change, Unmendable
from poise.repair.result import FixResult, RepairOutcome
from poise.watching import Progress
from poise.world import World

ROUNDS = 3
"""Cycles that a loop is repaired over: what is changed in the middle one has neighbours on both sides."""

Proposals = Callable[[PlausibilityReport, Sequence[Finding]], Iterator[Change]]


@dataclass(frozen=True)
class Repair:
    """One kind of repair."""

    kinds: tuple[str, ...]
    """Findings that it is about."""
    propose: Proposals
    """Changes, the likeliest first."""
    retimes: bool = False


REPAIRS: Mapping[str, Repair] = {
    "time": Repair(time_scale.KINDS, time_scale.retime, retimes=True),
    "floor": Repair(depth.KINDS, depth.onto_floor),
    "skate": Repair(skate.KINDS, skate.stand),
    "path": Repair(flight_path.KINDS, flight_path.onto_parabola),
    "spin": Repair(spin.KINDS, spin.keep_momentum),
    "balance": Repair(balance.KINDS, balance.over_feet),
}
"""In the order in which they are made: at the wrong speed nothing else can be judged, a foot's height comes
before its slide, and the body follows its feet."""
PASSES = 4
"""How often a repair is made again while it finds something and gains."""


def fix(asked: Fix, at: Situation) -> FixResult:
    """The motion with what a check finds repaired."""
    world = asked.surfaces(at.folder, at.motion)
    if world is None and at.world is not None:
        world = world_around(at.world, at.folder, at.motion, at.clip)
    return mend(at.motion, asked, world, at.progress, at.contacts)


def mend(
    clip: Clip,
    asked: Fix,
    world: World | None = None,
    progress: Progress = lambda part: None,
    contacts: ClipContacts | None = None,
) -> FixResult:
    """Repair what ``check`` finds in a clip.

    Each repair changes the frames that are at fault and a short blend around them. One that would make any
    phase less plausible is not made, and the result says so.
    """
    names = list(REPAIRS) if asked.only is None else list(asked.only)
    before = judge(clip, asked, world, contacts=contacts)
    progress(0.0)
    bench = _Bench(
        before, asked, progress, clip=clip, contacts=contacts
    )  # all is judged in one world, however the feet move
    lead = int(begins_late(clip))
    # A rest pose before the motion is no part of it: it is put back in the end.
    work = (
        clip.with_frames(clip.q[lead:], None if clip.morphs is None else clip.morphs[lead:]) if lead else clip
    )
    first = _State(work, before if not lead else bench.check(work), np.arange(work.frames, dtype=np.float64))
    state, outcomes = bench.all(first, names, lead)
    retimed = next((o for o in outcomes if o.repair == "time" and o.done), None)
    why = worse(first.report, state.report, state.sources) if retimed is not None else ""
    if retimed is not None and why:
        # What the right speed uncovered could not be mended: all that can be done at the speed it has.
        state, outcomes = bench.all(first, [n for n in names if n != "time"], lead)
        left = tuple(f for f in state.report.findings if f.kind in time_scale.KINDS)
        words = f"{retimed.words}: taken back, {why}"
        outcomes.insert(0, RepairOutcome("time", retimed.findings, False, words, _moved(left, lead)))
    if not any(o.done for o in outcomes):
        return FixResult(
            clip, before, before, tuple(outcomes), frozen(np.arange(clip.frames, dtype=np.float64))
        )
    out, sources = state.clip, state.sources
    if lead:
        morphs = (
            None
            if clip.morphs is None or out.morphs is None
            else np.concatenate([clip.morphs[:1], out.morphs])
        )
        out = out.with_frames(np.concatenate([clip.q[:1], out.q]), morphs)
        sources = np.concatenate([[0.0], sources + 1])
    if out.frames == clip.frames:
        out = out.replaced(source=clip.source)
    return FixResult(out, before, bench.check(out), tuple(outcomes), frozen(sources))


@dataclass(frozen=True, eq=False)
class _State:
    """A clip on its way, its report, and the first clip's frame that each of its frames shows."""

    clip: Clip
    report: PlausibilityReport
    sources: Array


@dataclass(frozen=True)
class _Bench:
    """What all checks of one fix have in common."""

    by: PlausibilityReport
    asked: Fix
    tell: Progress
    """Told the part of all repairs that is done, before every look at a clip."""
    part: float = 0.0
    exacting: bool = False
    """Whether the clip was retimed: flights that gravity is still wrong in are then laid onto parabolas."""
    given: PlausibilityReport | None = None
    """What was found in the clip at first …"""
    later: frozenset[str] = frozenset()
    """… and the kinds of it whose repair is still to come."""
    clip: Clip | None = None
    """As it was given …"""
    contacts: ClipContacts | None = None
    """… and what carries it in its own frames, where the user says so."""

    def check(self, clip: Clip) -> PlausibilityReport:
        self.tell(self.part)
        same = self.clip is not None and (clip.frames, clip.rate) == (self.clip.frames, self.clip.rate)
        return judge(clip, self.asked, by=self.by, contacts=self.contacts if same else None)

    def all(self, state: _State, names: Sequence[str], lead: int) -> tuple[_State, list[RepairOutcome]]:
        """The clip after the repairs that are named, in their order, and what came of each."""
        bench, outcomes = replace(self, given=state.report), list[RepairOutcome]()
        order = [n for n in REPAIRS if n in names]
        for k, name in enumerate(order):
            later = frozenset(kind for n in order[k + 1 :] for kind in REPAIRS[n].kinds)
            bench = replace(bench, later=later, part=k / len(order))
            state, found = bench.repaired(state, name, lead)
            outcomes += found
            if name == "time" and found:
                bench = replace(bench, exacting=found[0].done)
        return state, outcomes

    def repaired(self, state: _State, name: str, lead: int) -> tuple[_State, list[RepairOutcome]]:
        """The clip after one repair, as often as it gains; what came of it, if there was anything to do."""
        repair, found = REPAIRS[name], self._wrong(state.report, name)
        if not found:
            return state, []
        said: list[str] = []
        first = state
        refused = ""
        for _ in range(PASSES):
            findings = self._wrong(state.report, name)
            if not findings:
                break
            step, why = self._step(state, repair, findings)
            refused = refused or why
            if step is None:
                break
            state, words = step
            said.append(words)
        left = tuple(f for f in self._wrong(state.report, name) if f.score < 1)
        words = "; then ".join(dict.fromkeys(said)) or refused
        if said and left and refused:
            words += f"; not all of it: {refused}"
        frames, far = (0, 0.0) if repair.retimes else _difference(first.clip, state.clip)
        return state, [
            RepairOutcome(name, _moved(found, lead), bool(said), words, _moved(left, lead), frames, far)
        ]

    def _wrong(self, report: PlausibilityReport, name: str) -> tuple[Finding, ...]:
        """What a repair is about."""
        found = [f for f in report.findings if f.kind in REPAIRS[name].kinds]
        if name == "path" and self.exacting:
            known = {f.start for f in found}
            found += [f for f in flight_path.remaining(report) if f.start not in known]
        return tuple(found)

    def _step(
        self, state: _State, repair: Repair, findings: Sequence[Finding]
    ) -> tuple[tuple[_State, str] | None, str]:
        """All findings at once, or one after the other where that would make something worse."""
        best, refused = self._best(state, repair, findings)
        if best is not None or len(findings) == 1:
            return best, refused
        said = []
        for finding in findings:
            again = self._alike(state.report, finding) if finding.score < 1 else [finding]
            if not again:
                continue
            step, why = self._best(state, repair, again)
            refused = refused or why
            if step is not None:
                state, words = step
                said.append(words)
        return ((state, "; ".join(dict.fromkeys(said))) if said else None), refused

    @staticmethod
    def _alike(report: PlausibilityReport, finding: Finding) -> list[Finding]:
        """The finding as it is now that others were mended."""
        same = (f for f in report.findings if (f.kind, f.where) == (finding.kind, finding.where))
        return [f for f in same if f.start <= finding.end and f.end >= finding.start][:1]

    def _best(
        self, state: _State, repair: Repair, findings: Sequence[Finding]
    ) -> tuple[tuple[_State, str] | None, str]:
        """The first proposal that mends all, else the one that mends most; and why others were refused."""
        best: tuple[_State, str] | None = None
        refused, exacting = "", all(f.score == 1 for f in findings)
        try:
            for change in self._proposals(state, repair, findings):
                report = self.check(change.clip)
                old = np.interp(change.sources, np.arange(len(state.sources)), state.sources)
                why = (
                    self._worse(state, change, report, old)
                    if not repair.retimes
                    else (impossible(state.report, report))
                )
                if why or not (exacting or _burden(report, repair) < _burden(state.report, repair) - 1e-3):
                    refused = refused or f"{change.words}: taken back, {why or 'nothing would be gained'}"
                    continue
                if best is None or _burden(report, repair) < _burden(best[0].report, repair):
                    best = _State(change.clip, report, old), change.words
                if not _burden(report, repair):
                    break
        except CancelledError:
            raise
        except (Unmendable, PoiseError) as problem:
            refused = refused or str(problem)
        return best, refused

    def _worse(self, state: _State, change: Change, report: PlausibilityReport, sources: Array) -> str:
        """What a change would make worse; ``sources``: frames of the clip as it was given."""
        new = excused(self.given or state.report, report, sources, self.later)
        return worse(state.report, new, change.sources)

    def _proposals(self, state: _State, repair: Repair, findings: Sequence[Finding]) -> Iterator[Change]:
        """Loops are repaired in the middle of three rounds."""
        if repair.retimes or not state.clip.loop:
            yield from repair.propose(state.report, findings)
            return
        long = self.check(unrolled(state.clip))
        frames = state.clip.frames
        kinds = {f.kind for f in findings}
        inner = [f for f in long.findings if f.kind in kinds and f.start < 2 * frames and f.end >= frames]
        # One that begins before is one of the round before, unless it goes through.
        inner = [f for f in inner if f.start >= frames or f.end >= 2 * frames - 1]
        if not inner:
            raise Unmendable("it is found in the loop, but not in its rounds one by one")
        for change in repair.propose(long, inner):
            yield Change(folded(state.clip, change.clip), np.arange(frames, dtype=np.float64), change.words)


def _burden(report: PlausibilityReport, repair: Repair) -> float:
    """How much there is to mend for a repair."""
    return sum(1 - f.score for f in report.findings if f.kind in repair.kinds)


def _moved(findings: Sequence[Finding], lead: int) -> tuple[Finding, ...]:
    """Findings in frames of the clip that was given."""
    return (
        tuple(replace(f, start=f.start + lead, end=f.end + lead) for f in findings)
        if lead
        else tuple(findings)
    )


def _difference(before: Clip, after: Clip) -> tuple[int, float]:
    """Frames that differ, and the furthest that a body moved [m]."""
    changed = (before.q != after.q).any(axis=1)
    if not changed.any():
        return 0, 0.0
    was, now = (Kinematics(c.character, c.q[changed]).positions for c in (before, after))
    return int(changed.sum()), float(np.linalg.norm(now - was, axis=2).max())


def unrolled(clip: Clip) -> Clip:
    """Three rounds of a loop as a plain clip; the second is the loop itself."""
    long = operators.unroll(clip, ROUNDS)
    return long.with_q(clip.travel.apply(clip.character, long.q, -1))


def folded(clip: Clip, long: Clip) -> Clip:
    """The loop with what was changed in its three rounds."""
    manifold, frames = clip.character.manifold, clip.frames
    added = manifold.minus(long.q, unrolled(clip).q)  # (3 F …, nv)
    total = np.zeros((frames, manifold.nv))
    # What goes on at both ends was added to every round alike.
    endless = np.abs(added[[0, -1]]).max(axis=1).min() > 1e-9
    for k in (1,) if endless else range(ROUNDS):
        own = added[k * frames : (k + 1) * frames]
        total[: len(own)] += clip.travel.turn(clip.character, own, np.full(len(own), 1.0 - k))
    changed = np.abs(total).max(axis=1) > 1e-12
    return clip.with_q(np.where(changed[:, None], manifold.plus(clip.q, total), clip.q))
