"""Targets that the loosened motion meets at exact times."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np

from poise.errors import InputError
from poise.project.kinds.kinodynamics import KinodynamicsLayer
from poise.project.kinds.obstacle import told
from poise.project.layer import Layer, Made, Plain, Situation

if TYPE_CHECKING:
    from poise.constraints import Constraint
    from poise.methods.loosen import Result
    from poise.watching import Progress


class Bell(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a correction looks over time; see ``poise.kinodynamics.Bell``."""

    width: float = 1.0
    """[s]"""
    kind: str = "gaussian"
    fall: float | None = None
    lead: float | None = None


class TargetsLayer(Layer, tag="targets", frozen=True, kw_only=True):
    """Follows a kinodynamics layer and does its work anew, so that the loose motion hits."""

    constraints: Annotated[
        tuple[Plain, ...], msgspec.Meta(description="Constraints, as files for `poise hit` have them")
    ] = ()
    shape: float | Bell = 1.0
    """Width of the correction in time [s], or its whole shape."""
    shapes: dict[str, Bell] | None = None
    """Of single constraints, by their names."""
    joints: tuple[str, ...] | None = None
    method: str = "newton"
    iterations: int = 30
    accuracy: float = 5e-9

    FREE = ("constraints", "joints", "shapes")
    REPLACES = "kinodynamics"

    def check(self) -> None:
        from poise.constraints.entries import checked_entries

        names = {c.name for c in hits(checked_entries(self.plain("constraints"), "constraints"))}
        names |= {str(entry.get("name", "")) for entry in self.constraints}  # also of those that are muted
        if not self.constraints:
            raise InputError("field 'constraints': there is nothing to hit")
        for name in self.shapes or ():
            if name not in names:
                raise InputError(f"field 'shapes': no constraint is named {name!r} ({', '.join(names)})")

    def make(self, at: Situation) -> Made:
        from poise.constraints.entries import items
        from poise.methods import loosen as kinodynamics

        if at.before is None or not isinstance(at.before[0], KinodynamicsLayer):
            raise InputError("targets need a kinodynamics layer before them")
        loose, clip = at.before[0], at.before[1].clip
        asked = hits(items(self.plain("constraints"), clip, "constraints"))
        if not asked:  # all are muted: the loose motion is what it is
            return loose.make(replace(at, input=at.before[1]))
        at.progress(0.0)
        result = kinodynamics.hit(
            clip,
            asked,
            loose.spec,
            loose.window,
            shape=self._shape(asked),
            joints=self.plain("joints"),
            method=self.method,
            iterations=self.iterations,
            accuracy=self.accuracy,
            progress=lambda part: at.progress(0.8 * part),
            **loose.options,
        )
        at.keep(result)
        at.progress(0.8)
        if loose.standing:
            return self._struck(loose, result, asked, lambda part: at.progress(0.8 + 0.2 * part))
        return Made(result.clip, result.report, result.report.met)

    def _struck(
        self, loose: KinodynamicsLayer, aimed: Result, asked: list[Constraint], tell: Progress
    ) -> Made:
        """Among obstacles: aimed as if there were none, and hindered by those that are in the way."""
        from poise.constraints.report import report_on

        found = loose.struck(aimed.kinematic, tell)
        clip, touched = aimed.clip, found.simulated
        q = np.array(clip.q)
        q[touched] = clip.character.manifold.plus(q[touched], found.effect[touched])
        hindered = clip.with_q(q)
        words = told(found)
        after = report_on(asked, hindered).outcomes
        # What no contact changes was judged where it is exact: between frames too.
        felt = [bool(touched[np.abs(clip.times - o.worst_time) < 1.5 * clip.dt].any()) for o in after]
        why = f"something is in the way: {words.message}"
        outcomes = tuple(
            was if not hit else now if now.met or not was.met else replace(now, reason=why)
            for was, now, hit in zip(aimed.report.outcomes, after, felt)
        )
        report = replace(
            aimed.report,
            outcomes=outcomes,
            message=words.message,
            warnings=(*aimed.report.warnings, *words.warnings),
            details={**aimed.report.details, **words.details},
        )
        return Made(hindered, report, report.met)

    def _shape(self, asked: list[Constraint]) -> Any:
        from poise.methods.loosen import Bell

        def made(bell: Bell | float) -> Any:
            return Bell(bell.width, bell.kind, bell.fall, bell.lead) if isinstance(bell, Bell) else bell

        if not self.shapes:
            return made(self.shape)
        usual = self.shape if isinstance(self.shape, Bell) else Bell(width=self.shape)
        return {c.name: made(self.shapes.get(c.name, usual)) for c in asked}


def hits(found: list[Any]) -> list[Constraint]:
    """What can be hit."""
    from poise.constraints import Constraint

    for number, item in enumerate(found):
        if not isinstance(item, Constraint):
            raise InputError(f"constraints: entry {number}: a foot plant is nothing to hit")
    return found
