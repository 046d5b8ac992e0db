"""Hit: loosen, and still be on target at exact times."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from poise.errors import InputError
from poise.operations.declare import PURE, about, unit
from poise.operations.frozen_data import thaw
from poise.operations.loosen import Loosen
from poise.operations.quantities import Duration
from poise.operations.values.bell import Bell
from poise.operations.values.face_target import face_targets, is_for_face
from poise.operations.values.wishes import Wish, checked_wishes


class Hit(Loosen, tag="hit", frozen=True, kw_only=True):
    """Loosen a motion and still hit its targets at exact times."""

    constraints: Annotated[
        tuple[Wish, ...],
        about(
            (
                "Targets with their times: positions (at a time or held), velocities, poses; for "
                "faces, shapes of regions."
            ),
            group="Targets",
            main=True,
            editor="constraints",
            form="POINT@TIME[=X,Y,Z][~VX,VY,VZ]|POINT@FROM-TO[=X,Y,Z]|REGION@TIME[=NAME:WEIGHT,…][~0]|"
            "pose@TIME|@FILE",
            flag="at",
        ),
    ]
    width: Annotated[
        Duration | Bell | None,
        about(
            "How long corrections last. Default: 1 s; for faces 0.6 s or less.",
            group="Targets",
            editor="bell",
            form="<s>",
            slider=(0.1, 3),
        ),
    ] = None
    widths: Annotated[
        dict[str, Duration | Bell],
        about(
            "The same for single constraints, by name.",
            group="Targets",
            expert=True,
            editor="bells",
            form="NAME=<s>,…",
        ),
    ] = {}  # noqa: RUF012  msgspec copies it
    joints: Annotated[
        tuple[str, ...] | None,
        about(
            "Joints or limbs that may change. Default: those that can reach the targets.",
            group="Targets",
            editor="limbs",
            form="LIMB",
        ),
    ] = None
    joint_limits: Annotated[
        bool,
        about(
            (
                "Stop swings at joint limits too. Targets near a limit take longer to solve, or are "
                "missed. Corrections keep to the limits in any case, as far as targets allow."
            ),
            group="Physics",
        ),
    ] = False
    method: Annotated[
        Literal["newton", "paper"],
        about(
            "Solver.",
            group="Search",
            expert=True,
            choices={"newton": "all at once", "paper": "one by one, as published"},
        ),
    ] = "newton"
    iterations: Annotated[
        Annotated[int, unit(PURE, ge=0)], about("Maximum number of iterations.", group="Search", expert=True)
    ] = 30
    accuracy: Annotated[
        Annotated[float, unit("m", gt=0)],
        about("Tolerance (rad for angles).", group="Search", expert=True),
    ] = 5e-9
    scale: Annotated[
        Annotated[float, unit(PURE, gt=0, le=1)],
        about(
            "Damping of the published method.",
            group="Search",
            expert=True,
            when={"method": "paper"},
        ),
    ] = 1.0

    RUN = "poise.methods.loosen.operations:hit"
    RESULT = "poise.methods.loosen.hit.hit:HitResult"
    FRAMES = ""
    FREE = ("tension", "amplitude", "world", "constraints", "joints", "widths")
    EXAMPLES = (
        'hit punch -o hit.glb --at "RightHandCentre@0.85=0.9,0,1.35~0,0,0"',
        "hit punch -o hit.bvh --at pose@0.85 --tension drunk --width 0.5",
    )
    IN_PYTHON = """\
mark = poise.constraints.pin("RightHandCentre", (0.9, 0.0, 1.36), 0.85)
result = poise.hit(poise.clips.get("punch"), [mark], "loose")
print(result.met)
"""

    def check(self) -> None:
        super().check()
        if not self.constraints:
            raise InputError("field 'constraints': there is nothing to hit: give at least one constraint")
        entries = thaw(self.constraints)
        if any(map(is_for_face, entries)):
            names = {target.label for target in face_targets(entries)}
        else:
            names = {c.name for c in checked_wishes(entries)}
            names |= {str(entry.get("name", "")) for entry in entries}  # also of those that are muted
        for name in self.widths:
            if name not in names:
                raise InputError(f"field 'widths': no constraint is named {name!r} ({', '.join(names)})")

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        given = super().accepting(options)
        if isinstance(given.get("constraints"), dict) or hasattr(given.get("constraints"), "to_dict"):
            given["constraints"] = [given["constraints"]]
        return given
