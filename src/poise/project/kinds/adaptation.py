"""The smallest change of the whole motion that meets constraints, feet standing."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from poise.project.layer import Layer, Made, Plain, Situation


class AdaptationLayer(Layer, tag="adaptation", frozen=True, kw_only=True):
    """Options are those of ``poise.adaptation.adapt``; what is left out has its default there."""

    constraints: Annotated[
        tuple[Plain, ...],
        msgspec.Meta(description="Constraints and foot plants, as files for `poise adapt` have them"),
    ] = ()
    plants: bool = True
    """Whether feet that stand are found and kept where they are, beside what ``constraints`` say."""
    keys: float | tuple[float, ...] | None = None
    basis: str | None = None
    joints: tuple[str, ...] | None = None
    ends: str | None = None
    objective: str | None = None
    prices: dict[str, float] | None = None
    smoothness: float | None = None
    limits: bool | None = None
    floor: bool | float | dict[str, float] | None = None
    """None: where the motion stands, if feet are kept."""
    exact: bool | None = None

    FREE = ("constraints", "prices", "floor", "keys", "joints")

    def check(self) -> None:
        from poise.constraints.entries import checked_entries

        checked_entries(self.plain("constraints"), "constraints")

    def make(self, at: Situation) -> Made:
        from poise.constraints.entries import items
        from poise.methods import adapt as adaptation
        from poise.methods.adapt.requests import feet_that_stand

        clip = at.motion
        asked = items(self.plain("constraints"), clip, "constraints")
        standing = feet_that_stand(clip) if self.plants else []
        names = ("keys", "basis", "joints", "ends", "objective", "prices", "smoothness", "limits", "floor")
        given: dict[str, Any] = {n: self.plain(n) for n in (*names, "exact") if getattr(self, n) is not None}
        if standing:
            given.setdefault("floor", True)
        result = adaptation.adapt(clip, [*standing, *asked], progress=at.progress, **given)
        at.keep(result)
        return Made(result.clip, result.report, result.report.met)
