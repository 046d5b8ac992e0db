"""An adapted motion, from which small changes of what is asked can go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from poise.arrays import Array
from poise.constraints import Constraint, FootPlace, FootPlant, Report
from poise.contacts.given import ClipContacts
from poise.curves import TangentCurve
from poise.methods.adapt.exertion import Exertion, exertion
from poise.methods.adapt.problem.problem import Problem, Window
from poise.methods.adapt.problem.requirements import Item, Requirements
from poise.methods.adapt.report import report
from poise.methods.adapt.solve.gauss_newton import Descent
from poise.motion import Clip, edit
from poise.motion.hung_feet import Hanging
from poise.operations.adapt import Change
from poise.operations.result import Result
from poise.watching import Progress


@dataclass(frozen=True, eq=False)
class Setup:
    """Everything of a request but its constraints: what a later one must share to go on from its result."""

    problem: Problem
    requirements: Requirements
    asked: Change
    hanging: Hanging | None = None
    """Where feet hang beside the legs: the problem has them under the shins."""
    given: Clip | None = None
    """The motion as it was given, where the problem's is another one's."""
    contacts: ClipContacts | None = None
    """What carries the motion, where the user says so."""
    means: frozenset[str] = frozenset()
    """Names of constraints that nobody asked for, and no report tells of: how what was asked for is met."""

    def with_items(self, items: Sequence[Item]) -> Setup:
        """The same, asked for something else."""
        found = self.requirements.with_items(items)
        problem = self.problem.with_blocks(found.blocks, found.free_places())
        return replace(self, problem=problem, requirements=found)


class AdaptResult(Result):
    """An adapted motion.

    Examples:
        >>> mark = poise.constraints.pin("RightHandCentre", (0.5, -0.3, 1.2), 0.5)
        >>> adapted = poise.adapt(poise.clips.get("walk"), [mark])
        >>> print(adapted.displacement, len(adapted.plants))
    """

    def __init__(
        self,
        setup: Setup,
        coefficients: tuple[Array, ...],
        places: Array,
        descents: tuple[Descent, ...],
        seconds: float,
    ) -> None:
        super().__init__()
        self.setup = setup
        self.coefficients = coefficients
        """Of each displacement (K, m)."""
        self.places = places
        """Of free plants (P, 3)."""
        self.descents, self.seconds = descents, seconds

    @property
    def before(self) -> Clip:
        """The motion that was adapted."""
        return self.setup.given or self.setup.problem.clip

    @property
    def items(self) -> tuple[Item, ...]:
        """The constraints and foot plants that were asked for, and those by which motors are kept to what
        they can do."""
        return tuple(asked.item for asked in self.setup.requirements.asked)

    @property
    def demands(self) -> tuple[Constraint, ...]:
        return tuple(self.setup.requirements.constraints(self.places))

    @cached_property
    def displacement(self) -> tuple[TangentCurve, ...]:
        """What was added, one curve after the other: clip ⊕ d₁ ⊕ d₂ …"""
        stages = self.setup.problem.stages
        return tuple(
            c for stage, values in zip(stages, self.coefficients) for c in stage.space.curves(values)
        )

    @property
    def clip(self) -> Clip:
        """The adapted motion."""
        if self._clip is None:
            clip = self.setup.problem.clip
            for curve in self.displacement:
                clip = edit.apply(curve, clip)
            hanging = self.setup.hanging
            self._clip = clip if hanging is None else hanging.back(clip, self.setup.given)
        return self._clip

    def poses(self, first: int, last: int) -> Array:
        """Configurations of frames first … last − 1 alone, (last − first, nq): what a drag redraws."""
        q = self.setup.problem.poses(slice(first, last), self.coefficients)
        return q if self.setup.hanging is None else self.setup.hanging.own_poses(q)

    @cached_property
    def plants(self) -> tuple[FootPlant, ...]:
        """The foot plants that were kept, free ones where they were put."""
        found, free = [], 0
        for asked in self.setup.requirements.asked:
            if isinstance(asked.item, FootPlant):
                place = asked.item.place
                if asked.place is not None:
                    place = FootPlace(*(float(x) for x in self.places[free]))
                    free += 1
                found.append(replace(asked.item, place=place))
        return tuple(found)

    @property
    def report(self) -> Report:
        """How well every constraint is met, worst share of the cost first in ``details["shares"]``."""
        if self._report is None:
            self._report = self.measured_on(self.clip)
        found: Report = self._report
        return found

    def measured_on(self, clip: Clip) -> Report:
        """Constraints, shares and manner of any clip of these frames."""
        own = self.in_problem(clip)
        made = report(self.setup.requirements, own, self.places, self.plants, self.descents, self.seconds)
        if not self.setup.asked.joint_limits:
            return made
        found = self.exertion if clip is self.clip else exertion(clip, self.setup.contacts)
        if found is None:
            return made
        told = [o for o in made.outcomes if o.name not in self.setup.means]
        shares = [s for s in made.details["shares"] if s["name"] not in self.setup.means]
        return replace(
            made,
            outcomes=(*told, found.outcome()),
            warnings=(*made.warnings, *found.warnings()),
            details={**made.details, "shares": shares, "torques": found.details()},
        )

    @cached_property
    def exertion(self) -> Exertion | None:
        """What motors give for the motion that was made; None where no limits are known."""
        return exertion(self.clip, self.setup.contacts)

    def in_problem(self, clip: Clip) -> Clip:
        """A clip of the motion's own joints as the problem has them."""
        return clip if self.setup.hanging is None else self.setup.hanging.there(clip)

    def drawn(self) -> dict[str, Any]:
        """Places of constraints; feet show for themselves."""
        asked = {item.name for item in self.items if isinstance(item, Constraint)}
        places = [o.wanted for o in self.report.outcomes if o.unit == "m" and o.name in asked]
        found = [place for place in places if len(place) == 3]
        return {"targets": found} if found else {}

    def drag(self, items: Sequence[Item], within: Window, *, iterations: int = 1) -> AdaptResult:
        """One move of the pointer: see ``adapt.dragged``."""
        from poise.methods.adapt.adapt import dragged

        return dragged(self, items, within, iterations=iterations)

    def continued(
        self,
        items: Sequence[Item],
        *,
        within: Window | None = None,
        iterations: int | None = None,
        progress: Progress | None = None,
    ) -> AdaptResult:
        """On from here with other constraints: see ``adapt.continued``."""
        from poise.methods.adapt.adapt import continued

        return continued(self, items, within=within, iterations=iterations, progress=progress)
