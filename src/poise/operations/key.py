"""Key: key-frames with weight, on their own or on a motion."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any

from poise.errors import InputError
from poise.operations.declare import Operation, about
from poise.operations.quantities import Rate, Time
from poise.operations.values.grounded import Grounded

FPS = 30
"""Frames per second of a motion that key-frames start, where nothing else is said."""


class Key(Operation, tag="key", frozen=True, kw_only=True):
    """Turn key-frames into motion: poses, pins, centre-of-mass path, inertia, spins."""

    keyframes: Annotated[
        dict[str, Any] | str,
        about(
            ("The key-frames: a JSON file or its contents. Without poses, they modify the motion below."),
            group="Key-frames",
            editor="keyframes",
            form="FILE|@FILE",
            takes="poise.methods.key.sheet.keyframes:Keyframes",
        ),
    ]
    retime: Annotated[
        bool,
        about("First retime the keys as the path's hints suggest.", group="Key-frames"),
    ] = False
    fps: Annotated[
        Rate | str | None,
        about(
            "Frame rate of a motion that starts here. Default: 30.",
            group="Frames",
            form="<fps>|N/D",
            slider=(12, 120),
        ),
    ] = None
    start: Annotated[
        Time | None,
        about("Time of the first frame. Default: the first key.", group="Frames", flag="from"),
    ] = None
    end: Annotated[
        Time | None, about("Time of the last frame. Default: the last key.", group="Frames", flag="to")
    ] = None
    grounded: Grounded = False

    RUN = "poise.methods.key.operations:key"
    FRAMES = "poise.methods.key.operations:key_frames"
    RESULT = "poise.methods.key.result:KeyResult"
    INPUT = "maybe"
    ARGUMENT = "keyframes"
    ARGUMENT_HELP = "Key-frames (a JSON file); or a clip that --keyframes are put on."
    DOCUMENT = "poise.methods.key.operations:keyframes_of"
    FREE = ("keyframes",)
    EXAMPLES = (
        "key hop.json -o hop.glb --fps 60",
        "key hop.json -o hop.bvh --retime --from 0.5 --to 2",
    )
    IN_PYTHON = """\
hop = poise.key("hop.json", fps=60).clip
"""

    @property
    def starts(self) -> bool:
        return not isinstance(self.keyframes, Mapping) or "poses" in self.keyframes

    def check(self) -> None:
        for name in ("fps", "start", "end") if not self.starts else ():
            if getattr(self, name) is not None:
                raise InputError(f"field {name!r}: key-frames on a motion have its frames")

    def uses(self) -> tuple[str, ...]:
        if not isinstance(self.keyframes, Mapping):
            return ()
        poses = self.keyframes.get("poses")
        listed = poses if isinstance(poses, tuple | list) else ()
        named = [pose["clip"] for pose in listed if isinstance(pose, Mapping) and "clip" in pose]
        named = [name for name in named if isinstance(name, str)]
        who = self.keyframes.get("character")
        if isinstance(who, str) and ("." in who or "/" in who):
            named.append(who)
        return tuple(dict.fromkeys(named))

    def files(self) -> tuple[str, ...]:
        return (self.keyframes,) if isinstance(self.keyframes, str) else ()

    @classmethod
    def from_argument(cls, text: str) -> dict[str, Any] | None:
        return {"keyframes": text} if text.lower().endswith(".json") else None

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them: rates may be fractions, files paths."""
        given = dict(options)
        if isinstance(given.get("fps"), Fraction):
            given["fps"] = str(given["fps"])
        if hasattr(given.get("keyframes"), "__fspath__"):
            given["keyframes"] = str(given["keyframes"])
        return given
