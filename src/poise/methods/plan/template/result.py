"""What comes of a template: the motion, and whether it does what was asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.constraints.report import Outcome, Report
from poise.kinematics import Kinematics
from poise.methods.plan.result import SHOWN, PlanResult
from poise.methods.plan.template.build import Build
from poise.methods.plan.template.posing import exponential
from poise.methods.plan.template.score import Plant, Score
from poise.motion import Clip
from poise.operations.values.pin_in_time import Pin
from poise.world import World

PLACE, SLIDE, REACH = 0.03, 0.02, 0.015
"""What feet may be off their place, may slide while they stand, hands be off theirs: over leg lengths."""
BEYOND = np.radians(1.0)
"""What joints may be beyond their limits [rad]."""
UNCARRIED = 0.05
"""Share of the time in which contacts need not carry all of it: masses and soles are guessed."""
RISE = 0.03
"""What a rise may be off, over leg lengths."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What a template promises of its motion."""

    build: Build
    score: Score
    reaches: tuple[tuple[str, int, Array, Array, float], ...] = ()
    """Name, body, point of it, place [m] and time [s] of what reaches."""
    rise: tuple[float, float, float] | None = None
    """From when to when the body flies [s], and how much higher than its take-off it goes [m]."""

    def outcomes(self, clip: Clip) -> tuple[Outcome, ...]:
        """Measured on a clip."""
        kin = Kinematics(clip.character, clip.q)
        found: list[Outcome] = []
        for k, leg in enumerate(self.build.legs):
            path = kin.positions[:, leg.foot]
            for n, plant in enumerate(self.score.plants[k], start=1):
                found += _stands(self.score, self.build, k, n, plant, path)
        found += [self._reached(kin, *each) for each in self.reaches]
        if self.rise is not None:
            found.append(self._rose(kin))
        found += _limits(clip)
        return tuple(found)

    def _reached(
        self, kin: Kinematics, name: str, body: int, point: Array, place: Array, at: float
    ) -> Outcome:
        f = int(round(at / self.score.dt))
        got = kin.positions[f, body] + kin.rotations[f, body] @ point
        off = float(np.linalg.norm(got - place))
        return _outcome(name, f"at {at:.2f} s", place, got, off, REACH * self.build.leg, at)

    def _rose(self, kin: Kinematics) -> Outcome:
        assert self.rise is not None
        begin, end, wanted = self.rise
        a, b = (int(round(t / self.score.dt)) for t in (begin, end))
        high = kin.com[a : b + 1, 2]
        got = float(high.max() - high[0])
        off, when = abs(got - wanted), f"{begin:.2f} to {end:.2f} s"
        return _outcome("rise", when, np.array([wanted]), np.array([got]), off, RISE * self.build.leg, begin)


def _stands(score: Score, build: Build, k: int, n: int, plant: Plant, path: Array) -> list[Outcome]:
    """One stand of a foot: at its place, and still."""
    leg, t = build.legs[k], score.times
    begin = max(plant.start + (plant.load if plant.land else 0.0), 0.0)
    end = min(plant.end - (plant.unload if plant.leave else 0.0), float(t[-1]))
    on = (t >= begin - 1e-9) & (t <= end + 1e-9)
    if on.sum() < 2:
        return []
    wanted = plant.place + plant.turn @ leg.origin
    own = path[on]
    got = own.mean(axis=0)
    when = f"{begin:.2f} to {end:.2f} s"
    name = f"{leg.name}, stand {n}"
    far = np.linalg.norm(own - got, axis=1)
    still = float(2 * far.max())
    at = float(t[on][int(np.argmax(far))])
    off = float(np.linalg.norm(got - wanted))
    return [
        _outcome(f"{name}: place", when, wanted, got, off, PLACE * build.leg, begin),
        _outcome(f"{name}: stays", when, got, own[int(np.argmax(far))], still, SLIDE * build.leg, at),
    ]


def _limits(clip: Clip) -> list[Outcome]:
    """The joint that is furthest beyond its limits, where there are any."""
    character = clip.character
    bounded = np.flatnonzero(np.isfinite(character.lower) | np.isfinite(character.upper))
    if not len(bounded):
        return []
    at = exponential(character, np.asarray(clip.q))[:, bounded]
    beyond = np.maximum(at - character.upper[bounded], character.lower[bounded] - at)
    f, d = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
    off = max(float(beyond[f, d]), 0.0)
    name = f"limits: {character.dof_names[bounded[d]]}"
    got = np.array([at[f, d]])
    wanted = np.clip(got, character.lower[bounded[d]], character.upper[bounded[d]])
    time = float(f * clip.dt)
    return [_outcome(name, "always", wanted, got, off, float(BEYOND), time, unit="rad")]


def _outcome(
    name: str,
    when: str,
    wanted: Array,
    got: Array,
    off: float,
    tolerance: float,
    time: float,
    *,
    unit: str = "m",
) -> Outcome:
    told = [tuple(float(x) for x in np.ravel(each)) for each in (wanted, got)]
    return Outcome(name, when, told[0], told[1], off, unit, tolerance, bool(off <= tolerance), time)


class TemplateResult(PlanResult):
    """A template's motion."""

    def __init__(self, clip: Clip, asked: Asked, seconds: float, message: str = "") -> None:
        said = Report(outcomes=asked.outcomes(clip), seconds=seconds, message=message)
        super().__init__(clip, said, ())
        self.asked = asked

    def warn(self, words: str) -> None:
        """Say something beside what was asked."""
        self._report = replace(self._report, warnings=(*self._report.warnings, words))

    def at(self, time: ArrayLike) -> Array:
        """The pose at any time [s] (nq,); of several, (T, nq)."""
        return np.asarray(self.clip.at(time))

    @property
    def stands_in(self) -> World:
        """What it goes over."""
        return self.asked.score.world

    def drawn(self) -> dict[str, Any]:
        """What is reached for, and the figure that reaches it as the hero; where feet stand can be seen, and
        so can what stands in the world (a seat), among figures in their places."""
        shown = super().drawn()
        shown.pop("targets", None)
        if not self.asked.reaches or "world" in shown:
            return shown
        frames = np.linspace(0, self.clip.frames - 1, SHOWN).round().astype(int)
        hero = int(round(self.asked.reaches[0][4] * self.clip.fps))
        frames[int(np.argmin(np.abs(frames - hero)))] = hero
        places = [place for _, _, _, place, _ in self.asked.reaches]
        own = {"frames": frames.tolist(), "hero": frames.tolist().index(hero), "targets": places}
        return shown | own

    def filmed(self) -> dict[str, object]:
        """With the surfaces that it goes over, where they are more than level ground."""
        world = self.stands_in
        return super().filmed() | ({"world": world} if len(world.surfaces) > 1 else {})

    @property
    def kept(self) -> tuple[Pin, ...]:
        """Feet in the middle of every stand, and what reaches."""
        names, clip = self.clip.character.names, self.clip
        score, end = self.asked.score, float(self.asked.score.times[-1])
        found = []
        for leg, plants in zip(self.asked.build.legs, score.plants):
            for p in plants:
                time = 0.5 * (max(p.start, 0.0) + min(p.end, end))
                found.append(Pin(time, names[leg.foot], clip.at(time)))
        found += [Pin(time, names[body], clip.at(time)) for _, body, _, _, time in self.asked.reaches]
        return tuple(found)

    def finished(self, clip: Clip) -> Clip:
        """As it is: a template's feet may give by what its report allows."""
        return clip

    def astray(self, clip: Clip) -> float:
        """Nothing is held to the last digit, so nothing is put elsewhere."""
        return 0.0

    def settled(self, ground: Any, told: Callable[[Any], Any]) -> None:
        """Become what came of the ground where all that was met is met there and more is carried; else stay.

        The ground also stills what slides, a hand that brushes the floor: not at the price of the weight.
        Either way the report says for how much of the time contacts do not carry what is handed out.
        """
        said: Report = self.report
        now = self.measured_on(ground.clip) if ground.changed else said
        lost = next((b for a, b in zip(said.outcomes, now.outcomes) if a.met and not b.met), None)
        better = ground.left.share < ground.before.share
        taken = ground.changed and lost is None and better
        left = ground.left if taken else ground.before
        if taken:
            self.ground, self._clip = ground, ground.clip
        report = now if taken else said
        carried = _outcome(
            f"carried: {left.words}",
            "always",
            np.zeros(1),
            np.array([left.share]),
            left.share,
            UNCARRIED,
            left.time,
            unit="of the time",
        )
        report = replace(report, outcomes=(*report.outcomes, carried))
        self._report = told(report) if taken else report
        self._met = None

    def measured_on(self, clip: Clip) -> Report:
        """Stands, reaches and limits of another clip of the same frames."""
        said: Report = self.report
        return replace(said, outcomes=self.asked.outcomes(clip))
