"""Retouch: poses of a motion changed by hand, key by key, over what lies below."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from poise.errors import InputError
from poise.operations.declare import PURE, Operation, Value, about, unit
from poise.operations.quantities import Duration, Place, Time

Number = Annotated[float, unit(PURE)]
Multiple = Annotated[float, unit(PURE, ge=-10, le=10)]

_EASES = {
    "spline": "smooth, without overshoot",
    "smooth": "ease in and out",
    "linear": "constant speed",
    "ease-in": "ease in",
    "ease-out": "ease out",
    "hold": "hold, then jump",
}
FADE = 0.25
"""How long a change takes to come and to go where nothing else is said [s]: about an anticipation."""

CAUGHT = 0.1
"""How long a point takes to be caught or let go where nothing else is said [s]: half a step's heel strike."""


class Retouch(Operation, tag="retouch", frozen=True, kw_only=True):
    """Change poses and faces of a motion by hand. Changes blend from key to key and fade beyond them."""

    edits: Annotated[
        tuple[PoseEdit, ...],
        about(
            "Keys: a time and joint values. Other joints do not change.",
            group="Keys",
            main=True,
            editor="edits",
            form="@FILE",
        ),
    ] = ()
    morphs: Annotated[
        tuple[MorphKey, ...],
        about(
            "Keys of a face: a time and morph target weights.",
            group="Keys",
            editor="morphs",
            form="@FILE",
        ),
    ] = ()
    mode: Annotated[
        Literal["add", "override"],
        about(
            "What happens between keys.",
            group="Keys",
            choices={
                "add": "the change is added to the motion below",
                "override": "the keys replace the motion below",
            },
        ),
    ] = "add"
    held: Annotated[
        tuple[HeldPoint, ...],
        about(
            "Points that stay in place for a while, such as a foot or a hand. The rest of the body follows "
            "them as little as it can; they are stronger than keys of joints.",
            group="Held points",
            editor="held",
            form="@FILE",
        ),
    ] = ()
    fade: Annotated[
        Duration,
        about("Fade-in before a joint's first key and fade-out after its last.",
              group="Keys", slider=(0.05, 2)),
    ] = FADE  # fmt: skip

    RUN = "poise.methods.key.operations:retouch"
    FRAMES = "poise.methods.key.operations:retouch_frames"
    RESULT = "poise.methods.key.edits.result:RetouchResult"
    EXAMPLES = (
        "retouch walk -o nod.glb --edits @nod.json",
        "retouch walk.bvh -o held.bvh --edits @held.json --mode override --fade 0.5",
    )
    IN_PYTHON = """\
import math

nod = {"time": 0.5, "joints": {"Head": [math.cos(0.2), 0.0, math.sin(0.2), 0.0]}}
nodding = poise.retouch(poise.clips.get("walk"), [nod]).clip
"""

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
        for k, pin in enumerate(self.held):
            if pin.at[1] < pin.at[0]:
                raise InputError(
                    f"field 'held': entry {k}: it ends ({pin.at[1]:g} s) before it starts ({pin.at[0]:g} s)"
                )
        for k, face in enumerate(self.morphs):
            for target in face.weights:
                if (face.time, target) in seen:
                    raise InputError(
                        f"field 'morphs': entry {k}: {target!r} has another key at {face.time:g} s already"
                    )
                seen.add((face.time, target))

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them: one key may stand alone."""
        given = dict(options)
        for name, kind in (("edits", PoseEdit), ("morphs", MorphKey), ("held", HeldPoint)):
            if isinstance(given.get(name), dict | kind):
                given[name] = [given[name]]
        return given


class PoseEdit(Value, frozen=True):
    """What joints are at a time."""

    time: Annotated[Time, about("Time.")]
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
            "Kind of key.",
            choices={
                "partial": "some joints",
                "pose": "the whole pose",
                "breakdown": "a share of the way between its neighbours, wherever they move",
            },
        ),
    ] = "partial"
    ease: Annotated[
        Literal["spline", "smooth", "linear", "ease-in", "ease-out", "hold"],
        about(
            "Easing after this key.",
            choices=_EASES,
        ),
    ] = "spline"
    arrive: Annotated[
        Multiple | None,
        about("Rate on arrival, relative to the segment's mean rate; 0 is flat. Default: set by the easing."),
    ] = None
    leave: Annotated[
        Multiple | None,
        about("Rate on leaving, relative to the segment's mean rate. Default: set by the easing."),
    ] = None
    share: Annotated[
        Annotated[float, unit(PURE, ge=-1, le=2)] | None,
        about("For a breakdown: its share of the way from the previous key to the next."),
    ] = None


class HeldPoint(Value, frozen=True):
    """A point that stays in place from one time to another."""

    point: Annotated[str, about("A point or body of the character.")]
    at: Annotated[tuple[Time, Time], about("From when to when.")]
    to: Annotated[
        Place | None,
        about("Where it is held. Default: where the motion has it at the start."),
    ] = None
    fade: Annotated[
        Annotated[float, unit("s", ge=0)],
        about("How long it takes to be caught before the start and let go after the end."),
    ] = CAUGHT
    turn: Annotated[
        bool, about("Whether its body also keeps the direction it has at the start, as a planted foot does.")
    ] = False
    muted: Annotated[bool, about("Whether it is left out.")] = False


class MorphKey(Value, frozen=True):
    """Weights of morph targets at a time."""

    time: Annotated[Time, about("Time.")]
    weights: Annotated[
        dict[str, Number],
        about("Weights of morph targets by name, from 0 to 1. Others stay as they are."),
    ]
    ease: Annotated[
        Literal["spline", "smooth", "linear", "ease-in", "ease-out", "hold"],
        about("Easing after this key.", choices=_EASES),
    ] = "spline"
