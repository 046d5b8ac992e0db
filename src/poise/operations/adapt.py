"""Adapt: the smallest change of a whole motion that meets constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from poise.errors import InputError, UnknownNameError
from poise.operations.declare import PURE, Operation, Value, about, unit
from poise.operations.frozen_data import thaw
from poise.operations.quantities import Degrees, Factor, Metres, Ratio, Span, Time
from poise.operations.values.displacement import (
    SMOOTHNESS,
    SPACING,
    Basis,
    Displacement,
    Ends,
    Joints,
    KeySpacing,
    Locked,
    Smoothness,
)
from poise.operations.values.look import Look
from poise.operations.values.wishes import Wish

Coordinate = Annotated[float, unit(PURE)]
Iterations = Annotated[
    Annotated[int, unit(PURE, ge=1)], about("Most steps of the search.", group="Search", expert=True)
]


class Change(Operation, tag="change", frozen=True, kw_only=True):
    """How a motion is changed; what all that adapt whole motions share."""

    plants: Annotated[bool, about("Find where feet stand, and keep them there.", group="Feet")] = True
    floor: Annotated[
        bool | Metres | dict[str, Metres] | None,
        about(
            "Keep feet above a height, each of their points above its own, or above where the motion stands "
            "(on); left out: on where feet are kept.",
            group="Feet",
            editor="floor",
            form="on|off|<m>|POINT=<m>,…",
        ),
    ] = None
    exact: Annotated[
        bool,
        about(
            "Hold points to a fifth of a millimetre; knees may then show the noise of a capture.",
            group="Feet",
        ),
    ] = False
    joints: Joints = None
    key_spacing: KeySpacing = SPACING
    basis: Basis = "bspline"
    ends: Ends = "auto"
    locked: Locked = ()
    smoothness: Smoothness = SMOOTHNESS
    displacements: Annotated[
        tuple[Displacement, ...] | None,
        about(
            "Curves to solve for one after the other; left out: one, and where points are held a finer one.",
            group="Change",
            expert=True,
            editor="displacements",
        ),
    ] = None
    objective: Annotated[
        Literal["length", "mass", "joints"],
        about(
            "What a change is measured by.",
            group="Change",
            expert=True,
            choices={
                "length": "how far bones are seen to move",
                "mass": "how much mass moves how far",
                "joints": "how far joints turn",
            },
        ),
    ] = "length"
    prices: Annotated[
        dict[str, Factor],
        about(
            "How much dearer it is to move joints or limbs.",
            group="Change",
            expert=True,
            editor="prices",
            form="LIMB=<number>,…",
        ),
    ] = {}  # noqa: RUF012  msgspec copies it
    joint_limits: Annotated[bool, about("Whether joints keep to their limits.", group="Change")] = True
    iterations: Iterations = 20

    RESULT = "poise.methods.adapt.result:AdaptResult"
    FREE: ClassVar[Sequence[str]] = ("floor", "joints", "key_spacing", "locked", "prices")

    def check(self) -> None:
        if self.displacements is not None and not self.displacements:
            raise InputError("field 'displacements': at least one is needed")


class Adapt(Change, tag="adapt", frozen=True, kw_only=True):
    """Change a whole motion as little as possible so that constraints hold and feet stand."""

    constraints: Annotated[
        tuple[Wish, ...],
        about(
            "What to meet, and when: places, paths, poses, foot plants.",
            group="Constraints",
            main=True,
            editor="constraints",
            form="POINT@TIME[=X,Y,Z][~VX,VY,VZ]|@FILE",
            flag="reach",
        ),
    ] = ()
    look: Annotated[
        tuple[Look, ...],
        about(
            "Where the head looks, at a time or over an interval.",
            group="Constraints",
            editor="looks",
            form="X,Y,Z@TIME|X,Y,Z@FROM-TO",
        ),
    ] = ()
    known: Annotated[
        dict[str, Time],
        about(
            "When the character learns of constraints, by their names; before, nothing foretells them.",
            group="Constraints",
            expert=True,
            editor="known",
            form="NAME=<s>,…",
        ),
    ] = {}  # noqa: RUF012
    move: Annotated[
        tuple[PlantMove, ...],
        about(
            "Foot plants to move and turn, counted from 1 in the order of time.",
            group="Feet",
            editor="plant_moves",
            form="NUMBER=DX,DY[,DEGREES]",
            when={"plants": True},
        ),
    ] = ()
    within: Annotated[
        Span | None,
        about("Change and look at this stretch only.", group="Change", editor="interval", form="FROM,TO"),
    ] = None
    prior: Annotated[
        str | tuple[Coordinate, ...] | None,
        about(
            "A clip of as many frames, or a pose by its coordinates, that the motion is drawn towards.",
            group="Change",
            expert=True,
            editor="clip",
            form="CLIP",
            takes="poise.motion:Clip",
        ),
    ] = None
    prior_weight: Annotated[
        Ratio,
        about(
            "How much: at 1 leaving it costs as much as leaving the motion.",
            group="Change",
            expert=True,
            slider=(0.01, 2),
            when={"prior": True},
        ),
    ] = 0.1

    RUN = "poise.methods.adapt.operations:adapt"
    FREE = (*Change.FREE, "constraints", "known", "prior")
    EXAMPLES = (
        'adapt walk -o reach.glb --reach "right hand@0.5=0.6,-0.2,1.4"',
        "adapt walk.bvh -o moved.bvh --move 2=0.1,0.05,15 --look 2,1,1.5@0.5-1.0",
    )

    def check(self) -> None:
        from poise.constraints.entries import checked_entries

        super().check()
        entries = thaw(self.constraints)
        names = [item.name for item in checked_entries(entries, "constraints")]
        names += [str(entry.get("name", "")) for entry in entries]  # also of those that are muted
        for name in self.known:
            if name not in names:
                raise InputError(
                    f"field 'known': {UnknownNameError('constraint', name, dict.fromkeys(names))}"
                )
        if self.move and not self.plants:
            raise InputError("field 'move': plants are not looked for; leave 'plants' on to move one")

    def uses(self) -> tuple[str, ...]:
        return (self.prior,) if isinstance(self.prior, str) else ()

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them: one constraint, look or move may stand alone."""
        given = dict(options)
        for name in ("constraints", "look", "move"):
            value = given.get(name)
            if isinstance(value, dict | Look | PlantMove) or hasattr(value, "to_dict"):
                given[name] = [value]
        return given


class PlantMove(Value, frozen=True):
    """One of the places where feet stand, moved."""

    plant: Annotated[
        Annotated[int, unit(PURE, ge=1)] | str,
        about("Which: its number from 1, in order of time, or name."),
    ]
    by: Annotated[tuple[Metres, Metres], about("How far along x and y.")] = (0.0, 0.0)
    turn: Annotated[Degrees, about("By how much it is turned to the left.")] = 0.0
    lift: Annotated[Metres, about("How far up.")] = 0.0
