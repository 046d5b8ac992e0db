"""How a correction swells and fades around its target."""

from __future__ import annotations

from typing import Annotated, Literal

from poise.errors import InputError, UnknownNameError
from poise.operations.declare import Value, about
from poise.operations.quantities import Duration, Time

SHAPES = ("gaussian", "compact", "ease")
NARROWEST, WIDEST = 1e-3, 1e4
"""Of a bell [s]: narrower, it falls between frames."""


class Bell(Value, frozen=True):
    """A correction over time.

    Examples:
        >>> mark = poise.constraints.pin("RightHandCentre", (0.9, 0.0, 1.36), 0.85)
        >>> hit = poise.hit(poise.clips.get("punch"), [mark], width=poise.Bell(width=0.5))
    """

    width: Annotated[
        Duration, about("Full width (six standard deviations for a Gaussian).", slider=(0.1, 3))
    ] = 1.0
    kind: Annotated[
        Literal["gaussian", "compact", "ease"],
        about(
            "Shape.",
            choices={
                "gaussian": "fades out on both sides",
                "compact": "zero outside its width",
                "ease": "different on each side",
            },
        ),
    ] = "gaussian"
    fall: Annotated[
        Duration | None, about("Width after the peak, if the sides differ.", when={"kind": "ease"})
    ] = None
    lead: Annotated[
        Time | None, about("How early it peaks before the target. Default: the limb's own lag.")
    ] = None

    def __post_init__(self) -> None:
        if self.kind not in SHAPES:
            raise UnknownNameError("shape of correction", self.kind, SHAPES)
        if self.lead is not None and not abs(self.lead) <= WIDEST:
            raise InputError(f"the correction's lead must be finite, within {WIDEST:g} s, not {self.lead} s")
        for name in ("width", "fall"):
            value = getattr(self, name)
            if value is not None and not NARROWEST <= value <= WIDEST:
                raise InputError(
                    f"the correction's {name} must be positive, from {NARROWEST:g} to {WIDEST:g} s, "
                    f"not {value} s"
                )
