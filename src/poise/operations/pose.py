"""Pose: one pose of a motion, changed by its handles or made to meet constraints."""

from __future__ import annotations

from typing import Annotated, Any

from poise.errors import InputError
from poise.operations.declare import PURE, Operation, Value, about, unit
from poise.operations.frozen_data import thaw
from poise.operations.quantities import Count, Length, Place, Time
from poise.operations.values.wishes import Wish, checked_wishes

ITERATIONS, ACCURACY = 3000, 1e-10
"""Most evaluations of a pose, and how near it comes to what is strict [m, rad]."""


class Pose(Operation, tag="pose", frozen=True, kw_only=True):
    """Change one pose of a motion by pins, centre of mass and inertia, or constraints."""

    constraints: Annotated[
        tuple[Wish, ...],
        about(
            "Constraints on the pose, by priority.",
            group="Constraints",
            main=True,
            editor="constraints",
            form="@FILE",
        ),
    ] = ()
    at: Annotated[Time, about("Time of the pose.", group="Pose")] = 0.0
    pins: Annotated[
        tuple[PosePin, ...],
        about(
            "Points to hold in place or move to a position.",
            group="Handles",
            editor="pose_pins",
            form="POINT|POINT=X,Y,Z",
            flag="pin",
        ),
    ] = ()
    com: Annotated[
        Place | None,
        about("Offset of the centre of mass.", group="Handles", editor="place", form="DX,DY,DZ"),
    ] = None
    gyration: Annotated[
        Length | None, about("Radius of gyration; smaller tucks the body.", group="Handles", slider=(0.1, 1))
    ] = None
    strict: Annotated[
        Annotated[int, unit(PURE, ge=0)],
        about(
            (
                "Constraints with a priority below this are met exactly, in order. Others are met as "
                "far as possible."
            ),
            group="Constraints",
            expert=True,
            when={"constraints": True},
        ),
    ] = 1
    joint_limits: Annotated[
        bool,
        about("Respect joint limits.", group="Constraints", when={"constraints": True}),
    ] = True
    iterations: Annotated[
        Count,
        about("Maximum number of iterations.", group="Search", expert=True, when={"constraints": True}),
    ] = ITERATIONS
    accuracy: Annotated[
        Annotated[float, unit("m", gt=0, lt=1)],
        about(
            "Tolerance (rad for angles).",
            group="Search",
            expert=True,
            when={"constraints": True},
        ),
    ] = ACCURACY

    RUN = "poise.methods.key.operations:pose"
    RESULT = "poise.methods.key.pose.result:PoseResult"
    FREE = ("constraints",)
    LAYER = False
    EXAMPLES = (
        "pose jump -o tuck.glb --at 0.9 --gyration 0.25",
        "pose walk.bvh -o reach.glb --at 0.5 --pin LeftFoot --pin RightHand=0.4,-0.2,1.2 --com 0.05,0,0",
    )
    IN_PYTHON = """\
tuck = poise.pose(poise.clips.get("jump"), at=0.9, gyration=0.25)
"""

    def check(self) -> None:
        checked_wishes(thaw(self.constraints))
        if self.constraints and (self.pins or self.com is not None or self.gyration is not None):
            raise InputError(
                "field 'constraints': they are met on their own; leave out 'pins', 'com' and 'gyration'"
            )

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them: one constraint may stand alone, pins may be names."""
        given = dict(options)
        if isinstance(given.get("constraints"), dict) or hasattr(given.get("constraints"), "to_dict"):
            given["constraints"] = [given["constraints"]]
        pins = given.get("pins")
        if isinstance(pins, str | PosePin):
            pins = [pins]
        if isinstance(pins, dict):
            given["pins"] = [{"point": point, "place": place} for point, place in pins.items()]
        elif pins is not None:
            given["pins"] = [{"point": pin} if isinstance(pin, str) else pin for pin in pins]
        return given


class PosePin(Value, frozen=True):
    """A point held by a pose."""

    point: Annotated[str, about("The point.", editor="joint")]
    place: Annotated[Place | None, about("Position. Default: where it is.", editor="place")] = None
