"""Curves that are added to a motion: which joints may move, with keys where, on which kind of curve."""

from __future__ import annotations

from typing import Annotated, Literal

from poise.errors import InputError, UnknownNameError
from poise.operations.declare import Value, about
from poise.operations.quantities import Duration, Factor, Ratio, Span, Time

BASES = ("bspline", "cubic", "linear")
ENDS = ("auto", "free", "zero", "periodic")
SPACING, SMOOTHNESS = 0.1, 1e-2
"""Distance of keys [s] and price of bending, where nothing else is said."""

BasisName = Literal["bspline", "cubic", "linear"]
_BASES = {
    "bspline": "smooth, keys pull",
    "cubic": "the same curves, keys are values",
    "linear": "straight between keys",
}


class CurveKeys(Value, frozen=True):
    """Keys of a curve of their own kind."""

    times: Annotated[tuple[Time, ...], about("Time.", editor="times")]
    basis: Annotated[BasisName, about("Kind of curve.", choices=_BASES)] = "bspline"
    ends: Annotated[
        Literal["free", "zero", "periodic"],
        about(
            "Boundary condition at the first and last key.",
            choices={"free": "anything", "zero": "no change", "periodic": "the end continues at the start"},
        ),
    ] = "free"


KeySpacing = Annotated[
    Duration | tuple[Time, ...] | dict[str, Duration | tuple[Time, ...] | CurveKeys],
    about(
        (
            "Spacing of the change's keys, or their times; also by joint or limb (the first match "
            "counts; others do not change)."
        ),
        group="Change",
        editor="key_spacing",
        form="<s>|<s>,<s>,…|LIMB=<s>,…",
        slider=(0.03, 1),
    ),
]
Basis = Annotated[BasisName, about("Kind of curve.", group="Change", expert=True, choices=_BASES)]
Joints = Annotated[
    tuple[str, ...] | None,
    about(
        "Joints or limbs that may change. Default: all that the motion uses.",
        group="Change",
        editor="limbs",
        form="LIMB",
    ),
]
Ends = Annotated[
    Literal["auto", "free", "zero", "periodic"],
    about(
        "Boundary condition at the first and last key.",
        group="Change",
        expert=True,
        choices={
            "auto": "periodic for loops, else free",
            "free": "anything",
            "zero": "no change",
            "periodic": "the end continues at the start",
        },
    ),
]
Lock = Time | Span
Locked = Annotated[
    tuple[Lock, ...] | dict[str, tuple[Lock, ...]],
    about(
        "Times or intervals whose keys do not change, overall or by joint or limb.",
        group="Change",
        expert=True,
        editor="locks",
        form="<s>,<s>-<s>,…",
    ),
]
Smoothness = Annotated[
    Ratio,
    about(
        "Cost of bending the change within 0.1 s, relative to moving the body.",
        group="Change",
        slider=(1e-3, 10),
    ),
]


class Displacement(Value, frozen=True):
    """One curve that is added; several are solved one after the other, each on top of those before."""

    key_spacing: KeySpacing = SPACING
    basis: Basis = "bspline"
    joints: Joints = None
    ends: Ends = "auto"
    locked: Locked = ()
    pull: Annotated[Factor, about("Pull of constraints on this curve, as a factor.")] = 1.0
    smoothness: Smoothness = SMOOTHNESS
    knees: Annotated[
        Ratio,
        about("Extra bending cost for knees, which turn a lot when a leg is nearly straight."),
    ] = 300.0

    def __post_init__(self) -> None:
        for value, valid, what in ((self.basis, BASES, "basis"), (self.ends, ENDS, "ends")):
            if value not in valid:
                raise UnknownNameError(what, value, valid)
        for name in ("pull", "smoothness", "knees"):
            value = getattr(self, name)
            if not (0 <= value < float("inf") and (value > 0 or name != "pull")):
                raise InputError(f"a displacement's {name} must be positive, not {value}")
