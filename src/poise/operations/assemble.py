"""Assemble: clips as strips on a track, trimmed, retimed, looped, mirrored and blended into one motion."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from poise.errors import InputError
from poise.operations.declare import PURE, Operation, Value, about, unit
from poise.operations.quantities import Count, Rate, Span, Time

Speed = Annotated[float, unit(PURE, ge=0.05, le=20)]
Blend = Annotated[float, unit("s", ge=0, le=60)]

BLEND = 0.25
"""How long a strip takes to come in where it only touches the one before [s]: about one step of a walk."""


class Assemble(Operation, tag="assemble", frozen=True, kw_only=True):
    """Play clips one after another: trimmed, retimed, looped, mirrored, blended, with feet kept planted."""

    strips: Annotated[
        tuple[Strip, ...],
        about(
            "Strips with their times. Overlapping strips blend.",
            group="Strips",
            main=True,
            editor="strips",
            form="CLIP[@TIME][:FROM-TO][*SPEED]|@FILE",
        ),
    ]
    feet: Annotated[bool, about("Keep planted feet in place while strips blend.", group="Strips")] = True
    onto: Annotated[
        str | None,
        about(
            (
                "The character: a clip of it. Clips of other characters are retargeted. Default: that"
                " of the first strip."
            ),
            group="Strips",
            editor="clip",
            form="NAME|FILE",
        ),
    ] = None
    fps: Annotated[
        Rate | str | None,
        about(
            "Frame rate. Default: that of the first strip.",
            group="Frames",
            form="<fps>|N/D",
            slider=(12, 120),
        ),
    ] = None

    RUN = "poise.methods.adapt.operations:assemble"
    RESULT = "poise.methods.adapt.assembly.assemble:AssembleResult"
    INPUT = "never"
    ARGUMENT = "strips"
    ARGUMENT_HELP = "Strips: CLIP[@TIME][:FROM-TO][*SPEED] with commas between, or @FILE."
    EXAMPLES = (
        "assemble walk@0:0-2.4,run@2.2,jump@2.8:0.2-2.1*0.92 -o course.glb",
        "assemble walk@0:0-2.4,run@2.2 -o off.bvh --fps 60",
    )
    IN_PYTHON = """\
strips = [{"clip": "walk", "loop": 2}, {"clip": "run", "at": 2.0, "loop": 2}]
moving = poise.assemble(strips).clip
"""

    @property
    def starts(self) -> bool:
        return True

    def check(self) -> None:
        if not self.strips:
            raise InputError("field 'strips': there must be at least one strip")
        starts: dict[float, int] = {}
        for k, strip in enumerate(self.strips):
            where = f"field 'strips': strip {k} ({strip.clip!r})"
            if strip.at is not None and strip.at < 0:
                raise InputError(f"{where}: it starts at {strip.at:g} s, before the track does")
            if strip.trim is not None and strip.trim[1] <= strip.trim[0]:
                low, high = strip.trim
                raise InputError(f"{where}: 'trim' ends at {high:g} s, not after its start at {low:g} s")
            if strip.at is None:
                continue
            if strip.at in starts:
                raise InputError(f"{where}: strip {starts[strip.at]} starts at {strip.at:g} s as well")
            starts[strip.at] = k

    def uses(self) -> tuple[str, ...]:
        named = [strip.clip for strip in self.strips]
        return tuple(dict.fromkeys([*named, *([self.onto] if self.onto else [])]))

    @classmethod
    def from_argument(cls, text: str) -> dict[str, Any] | None:
        return {"strips": strips_typed(text)}

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them: a strip may be the name of a clip, or stand alone."""
        given = dict(options)
        strips = given.get("strips")
        if isinstance(strips, dict | Strip):
            strips = [strips]
        if isinstance(strips, list | tuple):
            given["strips"] = [{"clip": each} if isinstance(each, str) else each for each in strips]
        return given


class Strip(Value, frozen=True, kw_only=True):
    """A clip on the track."""

    clip: Annotated[str, about("The clip: one of the project's clips, a file, or a bundled clip.")]
    at: Annotated[Time | None, about("Start time on the track. Default: the end of the previous strip.")] = (
        None
    )
    trim: Annotated[
        Span | None,
        about("Start and end within the clip; for a loop any stretch. Default: all of it."),
    ] = None
    speed: Annotated[Speed, about("Speed factor.", slider=(0.25, 4))] = 1.0
    loop: Annotated[
        Count, about("Number of cycles. A clip that is not a loop is first closed into one.", slider=(1, 12))
    ] = 1
    mirror: Annotated[bool, about("Swap left and right.")] = False
    blend: Annotated[
        Blend | None,
        about(
            "Duration of the blend from the previous strip. Default: the overlap of the two, or "
            f"{BLEND} s if they only touch.",
            slider=(0, 1),
        ),
    ] = None
    place: Annotated[
        Literal["goes on", "as filmed"],
        about(
            "Where the strip starts in space.",
            choices={
                "goes on": "continue from the previous strip",
                "as filmed": "as in the clip",
            },
        ),
    ] = "goes on"


_NUMBER = r"\d+(?:\.\d*)?|\.\d+"
_TYPED = re.compile(
    rf"(?P<clip>.+?)(?:@(?P<at>{_NUMBER}))?(?::(?P<low>{_NUMBER})-(?P<high>{_NUMBER}))?(?:\*(?P<speed>{_NUMBER}))?"
)


def strips_typed(text: str) -> list[dict[str, Any]]:
    """Strips as they are typed: ``walk:0-2.4,run@2.2,jump@2.8*0.92``."""
    found = []
    for each in text.split(","):
        told = _TYPED.fullmatch(each.strip())
        if told is None:
            raise InputError(f"a strip is written CLIP[@TIME][:FROM-TO][*SPEED], not {each!r}")
        strip: dict[str, Any] = {"clip": told["clip"]}
        if told["at"]:
            strip["at"] = float(told["at"])
        if told["low"]:
            strip["trim"] = [float(told["low"]), float(told["high"])]
        if told["speed"]:
            strip["speed"] = float(told["speed"])
        found.append(strip)
    return found
