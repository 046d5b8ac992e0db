"""What is done when a motion is loosened or made to hit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.constraints import Constraint, Report
from poise.contacts.given import ClipContacts
from poise.methods.loosen.contact.surfaces import Around, surroundings
from poise.methods.loosen.contact.windows import ContactResult, loosened_among
from poise.methods.loosen.face.operations import hit_face, is_face, loosen_face
from poise.methods.loosen.glitches import cleaned, spins, warnings_of
from poise.methods.loosen.hit.hit import HitResult
from poise.methods.loosen.hit.hit import hit as search
from poise.methods.loosen.hit.seen import measured
from poise.methods.loosen.simulate.plants import Plant, plants_of
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.standing import Stood, stood
from poise.methods.loosen.swings import Swing, swings
from poise.methods.loosen.window.windows import windows_of
from poise.motion import Clip
from poise.operations.frozen_data import thaw
from poise.operations.hit import Hit
from poise.operations.loosen import Loosen
from poise.operations.result import Result
from poise.operations.situation import Situation
from poise.operations.values.wishes import wishes_on
from poise.watching import Progress

BATCH = 256
"""Frames simulated between two looks at whether anybody still wants them."""


class LoosenResult(Result):
    """The loose motion, how far back each frame looked, and how far bodies went from the animation.

    Examples:
        >>> loose = poise.loosen(poise.clips.get("walk"), "loose")
        >>> print(loose.deviation.max(), loose.swings)
    """

    def __init__(
        self,
        clip: Clip,
        before: Clip,
        windows: Array,
        report: Report | None = None,
        plants: tuple[Plant, ...] = (),
        simulator: Simulator | None = None,
    ) -> None:
        super().__init__(clip, report)
        self.before = before
        """The motion as it was given."""
        self.windows = windows
        """How far back each frame looked [s], (F,)."""
        self.plants = plants
        """What stands, leans or lies, and is held."""
        self._simulator = simulator
        self.footing = before

    @cached_property
    def standing(self) -> tuple[Stood, ...]:
        """Parts that touch in the animation: how far they are off, slide and sink, measured on the clip."""
        return stood(self.before, self.clip, self.plants)

    @cached_property
    def swings(self) -> tuple[Swing, ...]:
        """How fast limbs swing on their springs; none among obstacles, which change it."""
        return swings(self._simulator) if self._simulator is not None else ()

    @property
    def deviation(self) -> Array:
        """How far each body is from where it was animated [m], (F, n)."""
        from poise.kinematics import Kinematics

        before, after = (Kinematics(c.character, c.q).positions for c in (self.before, self.clip))
        return np.asarray(np.linalg.norm(after - before, axis=2))

    def facts(self) -> dict[str, object]:
        distance = self.deviation
        worst, body = np.unravel_index(int(np.argmax(distance)), distance.shape)
        return super().facts() | {
            "largest_deviation_m": float(distance.max()),
            "largest_at": {"body": self.clip.character.names[int(body)], "frame": int(worst)},
            "mean_deviation_m": float(distance.mean()),
            "standing": [
                {"part": s.part, "off_m": s.off, "slide_m_s": s.slide, "sink_m": s.sink}
                for s in self.standing
            ],
            "swings": [
                {"limb": s.limb, "slowest_hz": s.slowest, "fastest_hz": s.fastest, "ratio": s.ratio}
                for s in self.swings
            ],
        }

    def __str__(self) -> str:
        words = f"{self.report}\n" if self.report is not None else ""
        distance, names = self.deviation, self.clip.character.names
        frame, body = np.unravel_index(int(np.argmax(distance)), distance.shape)
        moved = (
            f"{words}bodies moved by {100 * distance.mean():.1f} cm on average, at most "
            f"{100 * distance.max():.1f} cm ({names[int(body)]} at frame {int(frame)})"
        )
        loose = [str(each) for each in self.standing if not each.fine]
        kept = [each.part for each in self.standing if each.fine]
        stays = [f"planted as animated: {', '.join(kept)}"] if kept else []
        pace = [f"swings: {', '.join(map(str, self.swings))}"] if self.swings else []
        return "\n".join([moved, *stays, *loose, *pace])


def loosen(asked: Loosen, at: Situation) -> Result:
    """The motion with secondary dynamics; a loosened loop is a loop."""
    if is_face(asked, at):
        return loosen_face(asked, at)
    clip = animation(asked, at)
    around, spun = surroundings(asked, clip, at), _told_spins(asked, clip)
    if around.surfaces:
        found = loosened_among(
            clip, asked, around, progress=at.progress, plants=given_plants(at.contacts, clip)
        )
        at.keep(found.windows)
        words = touches(found)
        words = replace(words, warnings=(*words.warnings, *spun))
        return LoosenResult(found.clip, clip, found.windows, words, found.plants)
    simulator = Simulator(clip, asked.spec, asked, plants=given_plants(at.contacts, clip))
    windows = windows_of(simulator, asked.window)
    at.keep(windows)
    q = np.empty_like(clip.q)
    for first in range(0, clip.frames, BATCH):
        at.progress(first / clip.frames)
        part = slice(first, first + BATCH)
        q[part] = simulator.states(clip.times[part], windows[part])[0]
    notes = (*around.notes, *spun)
    passed = Report(warnings=notes) if notes else None
    return LoosenResult(clip.with_q(q), clip, windows, passed, simulator.plants, simulator)


def given_plants(said: ClipContacts | None, clip: Clip) -> tuple[Plant, ...] | None:
    """Parts that touch, where the user says so; None: they are found."""
    if said is None:
        return None
    return plants_of(clip, tuple((c.part, c.start, c.end) for c in said.contacts))


def animation(asked: Loosen, at: Situation) -> Clip:
    """What is loosened: the motion, without spins that no body has where that is asked."""
    return cleaned(at.motion) if asked.clean else at.motion


def _told_spins(asked: Loosen, clip: Clip) -> tuple[str, ...]:
    return warnings_of(spins(clip), cleaned=asked.clean)


def loosen_frames(asked: Loosen, at: Situation, frames: Sequence[int]) -> Array | None:
    """Some frames alone, (k, nq), to the bits that all of them give."""
    if asked.grounded or is_face(asked, at):
        return None
    clip, chosen = animation(asked, at), np.asarray(frames)
    if surroundings(asked, clip, at).surfaces:
        return None
    simulator = Simulator(clip, asked.spec, asked, plants=given_plants(at.contacts, clip))
    windows = windows_of(simulator, asked.window)
    return clip.held(simulator.states(clip.times[chosen], windows[chosen])[0])


def touches(found: ContactResult) -> Report:
    """What touched what, in words and numbers."""
    events = [e for e in found.events if e.end >= 0]
    return Report(
        message="; ".join(str(e) for e in events) or "nothing is touched",
        warnings=found.notes,
        details={
            "contacts": [
                {"start": e.start, "end": e.end, "body": e.body, "surface": e.surface} for e in events
            ]
        },
    )


def hit(asked: Hit, at: Situation) -> Result:
    """The loose motion that meets its targets."""
    if is_face(asked, at):
        return hit_face(asked, at)
    clip = animation(asked, at)
    wanted = wishes_on(thaw(asked.constraints), clip)
    if not wanted:  # all are muted: the loose motion is what it is
        return loosen(asked, at)
    at.progress(0.0)
    standing = given_plants(at.contacts, clip)
    result = search(clip, wanted, asked, plants=standing, progress=lambda part: at.progress(0.8 * part))
    spun = _told_spins(asked, clip)
    if spun:
        told = replace(result.report, warnings=(*result.report.warnings, *spun))
        result = HitResult(result.problem, result.solution, told, asked)
    at.keep(result)
    at.progress(0.8)
    around = surroundings(asked, clip, at)
    if around.surfaces:
        plants = given_plants(at.contacts, result.kinematic)
        return _struck(result, asked, wanted, around, plants, lambda part: at.progress(0.8 + 0.2 * part))
    return result


def _struck(
    aimed: HitResult,
    asked: Hit,
    wanted: list[Constraint],
    around: Around,
    plants: tuple[Plant, ...] | None,
    tell: Progress,
) -> HitResult:
    """Among obstacles: aimed as if there were none, and hindered by those that are in the way."""
    found = loosened_among(aimed.kinematic, asked, around, progress=tell, plants=plants)
    clip, touched = aimed.clip, found.simulated
    q = np.array(clip.q)
    q[touched] = clip.character.manifold.plus(q[touched], found.effect[touched])
    hindered = clip.with_q(q)
    words = touches(found)
    after = [measured(c, hindered) for c in wanted]
    # What no contact changes was judged where it is exact: between frames too.
    felt = [bool(touched[np.abs(clip.times - o.worst_time) < 1.5 * clip.dt].any()) for o in after]
    why = f"something is in the way: {words.message}"
    outcomes = tuple(
        was if not struck else now if now.met or not was.met else replace(now, reason=why)
        for was, now, struck in zip(aimed.report.outcomes, after, felt)
    )
    report = replace(
        aimed.report,
        outcomes=outcomes,
        message=words.message,
        warnings=(*aimed.report.warnings, *words.warnings),
        details={**aimed.report.details, **words.details},
    )
    return HitResult(aimed.problem, aimed.solution, report, asked, hindered)
