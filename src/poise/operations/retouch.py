"""Retouch: poses of a motion changed by hand, key by key, over what lies below."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from poise.errors import InputError
from poise.operations.declare import PURE, Operation, Value, about, unit
from poise.operations.quantities import Duration, Time

Number = Annotated[float, unit(PURE)]
Multiple = Annotated[float, unit(PURE, ge=-10, le=10)]

FADE = 0.25
"""How long a change takes to come and to go where nothing else is said [s]: about an anticipation."""


class Retouch(Operation, tag="retouch", frozen=True, kw_only=True):
    """Change poses of a motion by hand: the change flows from key to key and fades beyond them."""

    edits: Annotated[
        tuple[PoseEdit, ...],
        about(
            "Keys: when, and what each joint is then; joints that none names are as they were.",
            group="Keys",
            main=True,
            editor="edits",
            form="@FILE",
        ),
    ] = ()
    mode: Annotated[
        Literal["add", "override"],
        about(
            "What happens between keys.",
            group="Keys",
            choices={
                "add": "the motion below goes on, and what the keys change is added to it",
                "override": "joints go from key to key, whatever the motion below does",
            },
        ),
    ] = "add"
    fade: Annotated[
        Duration,
        about("How long a change comes and goes before a joint's first key and after its last.",
              group="Keys", slider=(0.05, 2)),
    ] = FADE  # fmt: skip

    RUN = "poise.methods.key.operations:retouch"
    FRAMES = "poise.methods.key.operations:retouch_frames"
    RESULT = "poise.methods.key.edits.result:RetouchResult"
    EXAMPLES = (
        "retouch walk -o nod.glb --edits @nod.json",
        "retouch walk.bvh -o held.bvh --edits @held.json --mode override --fade 0.5",
    )

    def check(self) -> None:
        seen: set[tuple[float, str]] = set()
        for k, each in enumerate(self.edits):
            if each.kind == "breakdown" and each.share is None:
                raise InputError(f"field 'edits': entry {k}: a breakdown needs its 'share' of the way")
            for joint, value in each.joints.items():
                if each.kind != "breakdown" and not value:
                    raise InputError(f"field 'edits': entry {k}: {joint!r} has no value")
                if (each.time, joint) in seen:
                    raise InputError(
                        f"field 'edits': entry {k}: {joint!r} has another key at {each.time:g} s already"
                    )
                seen.add((each.time, joint))

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them: one key may stand alone."""
        given = dict(options)
        if isinstance(given.get("edits"), dict | PoseEdit):
            given["edits"] = [given["edits"]]
        return given


class PoseEdit(Value, frozen=True):
    """What joints are at a time."""

    time: Annotated[Time, about("When.")]
    joints: Annotated[
        dict[str, tuple[Number, ...]],
        about(
            "Joints by name with their coordinates: a hinge's angle in radians, a ball's quaternion w, x, y, "
            "z, a free root's place and quaternion; of a breakdown none."
        ),
    ]
    kind: Annotated[
        Literal["partial", "pose", "breakdown"],
        about(
            "What the key means.",
            choices={
                "partial": "some joints",
                "pose": "the whole pose",
                "breakdown": "a share of the way between the keys before and after, wherever those go",
            },
        ),
    ] = "partial"
    ease: Annotated[
        Literal["spline", "smooth", "linear", "ease-in", "ease-out", "hold"],
        about(
            "How joints go on from here.",
            choices={
                "spline": "flowing, never beyond keys",
                "smooth": "out of rest and into rest",
                "linear": "evenly",
                "ease-in": "out of rest",
                "ease-out": "into rest",
                "hold": "not at all, then at once",
            },
        ),
    ] = "spline"
    arrive: Annotated[
        Multiple | None,
        about("Rate on arrival, in mean rates of the way there; 0 is flat; left out: as the easing has it."),
    ] = None
    leave: Annotated[
        Multiple | None,
        about("Rate on leaving, in mean rates of the way from here; left out: as the easing has it."),
    ] = None
    share: Annotated[
        Annotated[float, unit(PURE, ge=-1, le=2)] | None,
        about("Of a breakdown: how far it is from the key before to the key after."),
    ] = None
