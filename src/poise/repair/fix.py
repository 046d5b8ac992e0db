"""Repair what a check finds, by the smallest change, and never make it worse.

Time comes first: at the wrong speed nothing else can be judged. Then what the recording got plainly wrong is
made anew (frames that pop, limbs thrown where they cannot go), and the body is carried back where all of it
was carried wrongly (sunk, dragged, spun, pushed in the air). One solve puts what is left right: feet and
hands onto their surfaces, with posture priced by how far joints move in space. Every change is judged before
it is kept, by code that shares nothing with the solver (``harm``) and by the check itself (``accept``); what
harms is taken back, and the result says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from poise.arrays import Array, frozen
from poise.contacts.ends import FEW, begins_late
from poise.contacts.given import ClipContacts
from poise.motion import Clip
from poise.operations.fix import MAY, Fix
from poise.operations.situation import Situation
from poise.operations.values.world import world_around
from poise.plausibility.finding import Finding
from poise.plausibility.judge import judge
from poise.plausibility.report import PlausibilityReport
from poise.repair import carriage, flights, holds, limbs, pops, time_scale
from poise.repair.accept import condemned, impossible, worse
from poise.repair.changes import changes, difference
from poise.repair.harm import harms
from poise.repair.missing import without_support
from poise.repair.proposal import Change, Unmendable
from poise.repair.result import FixResult, RepairOutcome
from poise.repair.rounds import folded, unrolled
from poise.repair.stretch import Stretch, put
from poise.watching import Progress
from poise.world import World

ABOUT = {
    "time": time_scale.KINDS,
    "pops": pops.KINDS,
    "limits": limbs.KINDS,
    "body": ("penetration", "hover", "skate", "spin", "impact"),
    "flight": ("drift",),
    "spin": ("spin",),
    "feet": holds.KINDS,
}
"""Kinds of findings that each repair is about, in the order in which they are made."""
Carry = Callable[[PlausibilityReport, Sequence[Finding]], Iterator[carriage.Carried]]
TRIES = 6
"""How often a solve is made again without what would harm."""
LEFT = 0.6
"""Share of a fault, at most, that carrying the body leaves."""
BETTER = 0.02
"""Least gain of a finding's score, else its repair is not worth a change."""


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
    """Repair what ``check`` finds in a clip, as far as nothing gets worse."""
    may = [name for name in MAY if asked.may is None or name in asked.may]
    before = judge(clip, asked, world, contacts=contacts)
    progress(0.0)
    lead = int(begins_late(clip))
    # A rest pose before the motion is no part of it: it is put back in the end.
    work = (
        clip.with_frames(clip.q[lead:], None if clip.morphs is None else clip.morphs[lead:]) if lead else clip
    )
    bench = Bench(asked, before, contacts, clip, progress)
    own = np.arange(work.frames, dtype=np.float64)
    state = State(work, before if not lead else bench.check(work, own + lead), own)
    if "time" in may:
        state = bench.timed(state, lead)
    bench = replace(bench, sources=state.sources + lead)
    if clip.loop:
        state = bench.round_by_round(state, may)
    elif state.clip.frames > FEW:
        state = bench.mended(state, may)
    outcomes = [*state.outcomes, *without_support(state.report)]
    if not any(o.done for o in outcomes):
        same = frozen(np.arange(clip.frames, dtype=np.float64))
        return FixResult(clip, before, before, tuple(_moved(o, lead) for o in outcomes), same, ())
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
    moved = tuple(_moved(o, lead) for o in outcomes)
    table = changes(clip, out, sources)
    return FixResult(out, before, bench.check(out, sources), moved, frozen(sources), table)


@dataclass(frozen=True, eq=False)
class State:
    """A clip on its way, its report, and the first clip's frame that each of its frames shows."""

    clip: Clip
    report: PlausibilityReport
    sources: Array
    outcomes: tuple[RepairOutcome, ...] = ()

    def said(self, *outcomes: RepairOutcome) -> State:
        """With outcomes more."""
        return replace(self, outcomes=(*self.outcomes, *outcomes))


@dataclass(frozen=True)
class Bench:
    """What all checks of one fix have in common."""

    asked: Fix
    by: PlausibilityReport
    contacts: ClipContacts | None
    clip: Clip
    """As it was given."""
    tell: Progress = field(repr=False)
    sources: Array | None = None
    """The given clip's frame that each frame shows, now that time is decided."""

    def check(self, clip: Clip, sources: Array | None = None) -> PlausibilityReport:
        """All is judged in one world and by the contacts that were given, however the feet move; ``sources``:
        which frames of the given clip it shows, if they are not its own."""
        self.tell(0.5)
        sources = self.sources if sources is None else sources
        given = self.contacts
        if given is not None and sources is not None and len(sources) == clip.frames:
            given = given.retimed(sources.tolist())
        elif (clip.frames, clip.rate) != (self.clip.frames, self.clip.rate):
            given = None  # rounds of a loop
        return judge(clip, self.asked, by=self.by, contacts=given)

    def timed(self, state: State, lead: int = 0) -> State:
        """The clip at its right speed: where that is sure, or the world is given."""
        found = [f for f in state.report.findings if f.kind in ABOUT["time"]]
        sure = [f for f in found if f.serious or (state.report.physics.given and f.kind == "gravity")]
        if not sure:
            words = "the speed is in doubt, not sure enough to change it"
            return state.said(
                *[RepairOutcome("time", tuple(found), False, words, tuple(found))] * bool(found)
            )
        refused = ""
        try:
            for change in time_scale.retime(state.report, sure):
                report = self.check(change.clip, _traced(state, change) + lead)
                why = impossible(state.report, report)
                if why or not _burden(report, "time") < _burden(state.report, "time") - 1e-3:
                    refused = refused or f"{change.words}: taken back, {why or 'nothing would be gained'}"
                    continue
                left = tuple(f for f in report.findings if f.kind in ABOUT["time"])
                made = State(change.clip, report, _traced(state, change), state.outcomes)
                return made.said(RepairOutcome("time", tuple(found), True, change.words, left))
        except Unmendable as problem:
            refused = refused or str(problem)
        return state.said(RepairOutcome("time", tuple(found), False, refused, tuple(found)))

    def round_by_round(self, state: State, may: Sequence[str]) -> State:
        """Loops are repaired in the middle of three rounds."""
        wanted = {f.kind for f in state.report.findings} & {k for n in may if n != "time" for k in ABOUT[n]}
        if not wanted:
            return state
        frames = state.clip.frames
        long = unrolled(state.clip)
        first = State(long, self.check(long), np.arange(long.frames, dtype=np.float64))
        done = self.mended(first, may, (frames, 2 * frames))
        out = folded(state.clip, done.clip)
        report = self.check(out)
        why = worse(state.report, report, state.sources)
        kept = why is None and out.q is not state.clip.q
        refused = why.words if why else "nothing of it is left in one round"
        outcomes = [
            replace(
                _moved(o, -frames),
                done=o.done and kept,
                words=o.words if kept or not o.done else f"{o.words}: taken back, {refused}",
            )
            for o in done.outcomes
        ]
        made = replace(state, clip=out, report=report) if kept else state
        return made.said(*(replace(o, left=_left(made.report, o)) for o in outcomes))

    def mended(self, state: State, may: Sequence[str], span: tuple[int, int] | None = None) -> State:
        """All but time; ``span``: only what begins in these frames."""
        for name, repair in (
            ("pops", self._pops),
            ("limits", self._limits),
            ("body", self._body),
            ("flight", self._flight),
            ("spin", self._spin),
        ):
            if name in may:
                found = _of(state.report, ABOUT[name], span)
                state = repair(state, found) if found else state
        found = _of(state.report, ABOUT["feet"], span)
        return self._solved(state, found, span) if "feet" in may and found else state

    def _pops(self, state: State, found: list[Finding]) -> State:
        stretches = pops.made_anew(state.report, found)
        words = (
            _summed([s.words for s in stretches])
            or "what jumps stays where it is: nobody knows which side is right"
        )
        return self._kept(state, "pops", stretches, found, words)

    def _limits(self, state: State, found: list[Finding]) -> State:
        stretches, left = limbs.made_anew(state.report, found)
        words = _summed([s.words for s in stretches]) or left
        return self._kept(state, "limits", stretches, found, words)

    def _body(self, state: State, found: list[Finding]) -> State:
        """The whole body, where all of it is carried wrongly."""
        if not carriage.can_move(state.clip.character):
            return state
        ways: list[tuple[Sequence[str], Carry]] = [
            (("penetration", "hover"), carriage.as_a_whole),
            (("penetration", "hover"), carriage.lifted),
        ]
        if not self.clip.loop:  # what all that follows is moved by would tear a loop at its seam
            ways = [(("spin", "impact"), carriage.unspun), (("skate",), carriage.dragged_back), *ways]
        return self._carried(state, "body", ways, gated=False)

    def _flight(self, state: State, found: list[Finding]) -> State:
        """Onto parabolas."""
        if not carriage.can_move(state.clip.character):
            return state
        return self._carried(state, "flight", [(ABOUT["flight"], flights.onto_parabola)], gated=True)

    def _spin(self, state: State, found: list[Finding]) -> State:
        """With constant momentum."""
        return self._carried(state, "spin", [(ABOUT["spin"], flights.with_constant_spin)], gated=True)

    def _carried(
        self, state: State, name: str, ways: Sequence[tuple[Sequence[str], Carry]], *, gated: bool
    ) -> State:
        """Rigid moves of the body, each kept if it mends what it is about and condemns nothing else.

        Where the world is only found, its heights are questions: the body is moved for what is serious.
        ``gated``: nothing stays moved after it, so nothing else may be harmed.
        """
        said, refused, mends, first = list[str](), "", list[Finding](), state
        given = state.report.physics.given
        wanted: list[Finding] = []
        for kinds, carry in ways:
            own = [f for f in _of(state.report, kinds, None) if f.serious or given]
            wanted += own
            for done in carry(state.report, own) if own else ():
                clip = state.clip.with_q(done.move(state.clip.character, state.clip.q))
                harm = harms(state.report, clip, done.findings) if gated else []
                report = self.check(clip) if not harm else state.report
                was, now = (_weight(r, kinds, done.findings, clip.dt) for r in (state.report, report))
                got = condemned(state.report, report)
                if harm or now >= LEFT * was or got is not None:
                    why = (
                        harm[0].words if harm else got.words if got is not None else "nothing would be gained"
                    )
                    refused = refused or f"{done.words}: taken back, {why}"
                    continue
                state = replace(state, clip=clip, report=report)
                said.append(done.words)
                mends += done.findings
        if not said:
            if name == "body" or not wanted:
                return state
            words = refused or "no small turn or way mends it"
            left = tuple(f for f in state.report.findings if f.kind in ABOUT[name])
            return state.said(RepairOutcome(name, tuple(wanted), False, words, left))
        frames, far = difference(first.clip, state.clip)
        left = tuple(f for f in _of(state.report, {m.kind for m in mends}, None) if _meets(f, mends))
        return state.said(RepairOutcome(name, tuple(mends), True, "; ".join(said), left, frames, far))

    def _solved(self, state: State, found: list[Finding], span: tuple[int, int] | None) -> State:
        """One solve of all that stands, again without what would harm."""
        todo = [f for f in found if holds.can_hold(state.report, f)]
        why = dict.fromkeys(
            (f for f in found if f not in todo), "it is meant to slide, on the spot, or no limb can hold it"
        )
        made, report = state.clip, state.report
        for _ in range(TRIES):
            if not todo:
                made, report = state.clip, state.report
                break
            made = state.clip.with_q(holds.held(state.report, todo))
            report, bad = self._judged(state, made, todo)
            if not bad:
                break
            why |= bad
            todo = [f for f in todo if f not in bad]
        else:
            made, report, todo = state.clip, state.report, []
        frames, far = difference(state.clip, made)
        words = _deeds(todo) if frames else ""
        if why:
            kept = f"{len(why)} left alone: {next(iter(why.values()))}"
            words = f"{words}; {kept}" if words else kept
        left = tuple(_of(report, ABOUT["feet"], span))
        outcome = RepairOutcome(
            "feet", tuple(todo if frames else found), frames > 0, words, left, frames, far
        )
        return replace(state, clip=made, report=report).said(outcome)

    def _judged(
        self, state: State, made: Clip, todo: list[Finding]
    ) -> tuple[PlausibilityReport, dict[Finding, str]]:
        """The report of a solve, and findings that are not to be mended, with why."""
        bad: dict[Finding, str] = {}
        self.tell(0.5)
        for h in harms(state.report, made, todo):
            bad |= dict.fromkeys(_blamed(todo, h.at, h.first, h.last, state.clip), h.words)
        if bad:
            return state.report, bad
        report = self.check(made)
        for f in todo:
            now = [
                g.score for g in report.findings if g.kind == f.kind and g.where == f.where and _meets(g, [f])
            ]
            if min(now, default=1.0) < f.score + BETTER:
                bad[f] = "hardly anything would be gained"
        if not bad:
            got = worse(state.report, report, np.arange(made.frames, dtype=np.float64))
            if got is not None:
                bad = dict.fromkeys(_blamed(todo, got.frame, got.frame, got.frame, state.clip), got.words)
        return report, bad

    def _kept(
        self, state: State, name: str, stretches: list[Stretch], found: list[Finding], words: str
    ) -> State:
        """A change of single stretches, without those that would harm; all others stay as they are."""
        taken: list[str] = []
        mends = [f for s in stretches for f in s.findings]
        for h in harms(state.report, state.clip.with_q(put(state.clip.q, stretches)), mends):
            taken.append(h.words)
            stretches = [s for s in stretches if s.last < h.first or s.first > h.last]
        clip, report = state.clip, state.report
        for _ in range(TRIES):
            if not stretches:
                break
            clip = state.clip.with_q(put(state.clip.q, stretches))
            report = self.check(clip)
            got = condemned(state.report, report)
            if got is None:
                break
            own = [f for s in stretches for f in s.findings]
            blamed = _blamed(own, got.frame, got.frame, got.frame, clip) or own
            taken.append(got.words)
            stretches = [s for s in stretches if not any(f in blamed for f in s.findings)]
        else:
            stretches = []
        if taken:
            words = (
                f"{words}; {len(taken)} taken back: {taken[0]}" if stretches else f"taken back: {taken[0]}"
            )
        if not stretches:
            return state.said(RepairOutcome(name, tuple(found), False, words, tuple(found)))
        frames, far = difference(state.clip, clip)
        made = replace(state, clip=clip, report=report)
        left = tuple(f for f in _of(report, ABOUT[name], None))
        done = tuple(f for s in stretches for f in s.findings)
        return made.said(RepairOutcome(name, done, True, words, left, frames, far))


def _blamed(todo: Sequence[Finding], at: int, first: int, last: int, clip: Clip) -> list[Finding]:
    """Who is to blame for what got worse at a frame: who is near it, else in its run, else the nearest."""
    near = round((holds.ROOM + 0.1) / clip.dt)
    own = [f for f in todo if f.start - near <= at <= f.end + near]
    own = own or [f for f in todo if f.start - near <= last and f.end + near >= first]
    return own or sorted(todo, key=lambda f: min(abs(f.start - at), abs(f.end - at)))[:1]


def _deeds(mends: Sequence[Finding]) -> str:
    """What the solve did."""
    who = " and ".join(sorted({f.where for f in mends if f.where}))
    kinds = {f.kind for f in mends}
    verbs = [
        w
        for k, w in (("skate", "held in place"), ("penetration", "lifted"), ("hover", "lowered"))
        if k in kinds
    ]
    return f"{who} {' and '.join(verbs)}, {len(mends)} time{'s' * (len(mends) > 1)}"


def _summed(words: Sequence[str]) -> str:
    if len(words) <= 3:
        return "; ".join(words)
    return f"{'; '.join(words[:2])}; and {len(words) - 2} more"


def _of(
    report: PlausibilityReport, kinds: Sequence[str] | set[str], span: tuple[int, int] | None
) -> list[Finding]:
    """Findings of some kinds; of a span those that begin in it, or go through."""
    return [
        f
        for f in report.findings
        if f.kind in kinds
        and (span is None or span[0] <= f.start < span[1] or (f.start < span[0] and f.end >= span[1] - 1))
    ]


def _meets(finding: Finding, others: Sequence[Finding]) -> bool:
    return any(finding.start <= o.end and finding.end >= o.start for o in others)


def _left(report: PlausibilityReport, outcome: RepairOutcome) -> tuple[Finding, ...]:
    """What is still found of the kinds that a repair was about."""
    kinds = {f.kind for f in outcome.findings} if outcome.repair == "body" else set(ABOUT[outcome.repair])
    return tuple(f for f in report.findings if f.kind in kinds)


def _traced(state: State, change: Change) -> Array:
    return np.asarray(np.interp(change.sources, np.arange(len(state.sources)), state.sources))


def _weight(report: PlausibilityReport, kinds: Sequence[str], about: Sequence[Finding], dt: float) -> float:
    """How much of some kinds there is around findings, now that they are mended or not."""
    reach = round(0.3 / dt)
    near = [replace(f, start=f.start - reach, end=f.end + reach) for f in about]
    return sum(1 - f.score for f in report.findings if f.kind in kinds and _meets(f, near))


def _burden(report: PlausibilityReport, name: str) -> float:
    """How much there is to mend for a repair."""
    return sum(1 - f.score for f in report.findings if f.kind in ABOUT[name])


def _moved(outcome: RepairOutcome, lead: int) -> RepairOutcome:
    """An outcome in frames of the clip that was given."""
    if not lead:
        return outcome

    def later(findings: Sequence[Finding]) -> tuple[Finding, ...]:
        return tuple(replace(f, start=f.start + lead, end=f.end + lead) for f in findings)

    return replace(outcome, findings=later(outcome.findings), left=later(outcome.left))
