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
    Annotated[int, unit(PURE, ge=1)], about("Maximum number of iterations.", group="Search", expert=True)
]


class Change(Operation, tag="change", frozen=True, kw_only=True):
    """How a motion is changed; what all that adapt whole motions share."""

    plants: Annotated[bool, about("Detect planted feet and keep them planted.", group="Feet")] = True
    floor: Annotated[
        bool | Metres | dict[str, Metres] | None,
        about(
            (
                "Keep feet above this height, or above the floor of the motion (on); or one height per "
                "point. Default: on if feet are kept planted."
            ),
            group="Feet",
            editor="floor",
            form="on|off|<m>|POINT=<m>,…",
        ),
    ] = None
    exact: Annotated[
        bool,
        about(
            "Hold points to 0.2 mm. Knees may then show capture noise.",
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
            (
                "Curves to solve for, one after the other. Default: one, plus a finer one where "
                "points are held."
            ),
            group="Change",
            expert=True,
            editor="displacements",
        ),
    ] = None
    objective: Annotated[
        Literal["length", "mass", "joints"],
        about(
            "How the size of a change is measured.",
            group="Change",
            expert=True,
            choices={
                "length": "by how far bones visibly move",
                "mass": "by mass times distance",
                "joints": "by joint angles",
            },
        ),
    ] = "length"
    prices: Annotated[
        dict[str, Factor],
        about(
            "Extra cost of moving joints or limbs, as a factor.",
            group="Change",
            expert=True,
            editor="prices",
            form="LIMB=<number>,…",
        ),
    ] = {}  # noqa: RUF012  msgspec copies it
    joint_limits: Annotated[
        bool, about("Respect limits of joints, and of robots' motors.", group="Change")
    ] = True
    iterations: Iterations = 20

    RESULT = "poise.methods.adapt.result:AdaptResult"
    FREE: ClassVar[Sequence[str]] = ("floor", "joints", "key_spacing", "locked", "prices")

    def check(self) -> None:
        if self.displacements is not None and not self.displacements:
            raise InputError("field 'displacements': at least one is needed")


class Adapt(Change, tag="adapt", frozen=True, kw_only=True):
    """Change a whole motion as little as possible to meet constraints, with feet kept planted."""

    constraints: Annotated[
        tuple[Wish, ...],
        about(
            "Constraints with their times: positions, paths, poses, foot plants.",
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
            "Where the head looks, at a time or during an interval.",
            group="Constraints",
            editor="looks",
            form="X,Y,Z@TIME|X,Y,Z@FROM-TO",
        ),
    ] = ()
    known: Annotated[
        dict[str, Time],
        about(
            (
                "When the character becomes aware of a constraint, by constraint name. The motion "
                "does not anticipate it earlier."
            ),
            group="Constraints",
            expert=True,
            editor="known",
            form="NAME=<s>,…",
        ),
    ] = {}  # noqa: RUF012
    move: Annotated[
        tuple[PlantMove, ...],
        about(
            "Foot plants to move or turn, numbered from 1 in order of time.",
            group="Feet",
            editor="plant_moves",
            form="NUMBER=DX,DY[,DEGREES]",
            when={"plants": True},
        ),
    ] = ()
    within: Annotated[
        Span | None,
        about(
            "Change and check only this part of the clip.", group="Change", editor="interval", form="FROM,TO"
        ),
    ] = None
    prior: Annotated[
        str | tuple[Coordinate, ...] | None,
        about(
            "A clip of the same length, or a pose, that the result is drawn towards.",
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
            "Strength of the prior. At 1 it counts as much as the motion itself.",
            group="Change",
            expert=True,
            slider=(0.01, 2),
            when={"prior": True},
        ),
    ] = 0.1

    RUN = "poise.methods.adapt.operations:adapt"
    FOLLOWS = True
    FREE = (*Change.FREE, "constraints", "known", "prior")
    EXAMPLES = (
        'adapt walk -o reach.glb --reach "right hand@0.5=0.6,-0.2,1.4"',
        "adapt walk.bvh -o moved.bvh --move 2=0.1,0.05,15 --look 2,1,1.5@0.5-1.0",
    )
    IN_PYTHON = """\
walk = poise.clips.get("walk")
reach = poise.constraints.pin("RightHandCentre", (0.6, -0.2, 1.4), 0.5)
reached = poise.adapt(walk, [reach]).clip
"""

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
            raise InputError("field 'move': moving a foot plant needs 'plants' on")

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
        about("The plant: its number from 1 in order of time, or its name."),
    ]
    by: Annotated[tuple[Metres, Metres], about("Offset along x and y.")] = (0.0, 0.0)
    turn: Annotated[Degrees, about("Turn to the left.")] = 0.0
    lift: Annotated[Metres, about("Offset upwards.")] = 0.0
