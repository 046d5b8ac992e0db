"""Perform: a simulated character that is on time, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal

from poise.errors import InputError
from poise.operations.declare import PURE, Operation, about, unit
from poise.operations.decoding import reading
from poise.operations.quantities import Duration, FrameRate
from poise.operations.values.disturbance import FORM, Disturbance
from poise.operations.values.world import FORM as WORLD_FORM
from poise.operations.values.world import plain_world, world_file, world_of

Tempo = Annotated[float, unit("bpm", gt=0, le=10_000)]
Power = Annotated[float, unit(PURE, gt=1, lt=100)]
Strength = Annotated[float, unit("N·m", gt=0)]
POWERS = 2
"""Of a style. Its type is silent: msgspec 0.22 breaks on words, bounded numbers and pairs in one union."""
FILES = (".json", ".toml")
"""Endings of scripts."""


class Perform(Operation, tag="perform", frozen=True, kw_only=True):
    """Simulate a character that moves from key to key, or follows a motion, and stays on time."""

    script: Annotated[
        str | dict[str, Any] | None,
        about(
            "What to perform: a bundled script (conducting, ymca), or a JSON or TOML file.",
            group="Script",
            main=True,
            editor="script",
            form="NAME|FILE",
            takes="poise.methods.perform.script.script:Script,"
            "poise.methods.perform.script.state_machine:Machine,"
            "poise.methods.perform.script.timed_pose:TimedPoses",
        ),
    ] = None
    follow: Annotated[
        bool,
        about("Follow the given motion between keys.", group="Script"),
    ] = False
    character: Annotated[
        str | None,
        about(
            "The performer, if neither the script nor a motion names one: a preset or a file.",
            group="Script",
            editor="character",
            form="PRESET|FILE",
            takes="poise.character:Character",
        ),
    ] = None
    beats: Annotated[
        Tempo | str | None,
        about(
            "Beats to align keys with: a tempo, a MIDI file or a WAV file.",
            group="Script",
            editor="beats",
            form="<bpm>|FILE",
            takes="poise.methods.perform.script.beats:Beats",
        ),
    ] = None
    from_pose: Annotated[
        str | dict[str, Any] | tuple[Annotated[float, unit(PURE)], ...] | None,
        about(
            (
                "Starting pose: a pose of the script by name, joint angles in degrees, or a "
                "configuration. Default: the script's own, or rest."
            ),
            group="Script",
            expert=True,
            editor="pose",
            form="NAME",
            takes="poise.methods.perform.script.pose:JointPose,poise.arrays:Array",
        ),
    ] = None
    duration: Annotated[
        Duration | None,
        about(
            "Duration. Default: that of the motion, or until 0.5 s after the last key.",
            group="Script",
        ),
    ] = None
    style: Annotated[
        Literal["snappy", "lively", "smooth", "settled"]
        | Annotated[float, unit(PURE, gt=2, lt=100)]
        | tuple[Power, ...],
        about(
            ("How keys are approached: from late and snappy to early and settled, or a number above 2."),
            group="Manner",
            form="<number>|snappy|lively|smooth|settled",
            slider=(2.5, 12),
            choices={
                "snappy": "halfway after 41 % of the time",
                "lively": "halfway after 31 % of the time",
                "smooth": "halfway after 25 % of the time",
                "settled": "halfway after 17 % of the time",
            },
        ),
    ] = "smooth"
    hold: Annotated[
        Duration,
        about("Time a holding joint takes to return.", group="Manner", expert=True, slider=(0.05, 1)),
    ] = 0.25
    look_ahead: Annotated[
        Duration,
        about(
            "Time a following joint takes to return to the motion.",
            group="Manner",
            expert=True,
            slider=(0.02, 0.5),
            when={"follow": True},
        ),
    ] = 0.1
    recovery: Annotated[
        Duration,
        about(
            "Time to get back to the motion after a disturbance.",
            group="Manner",
            slider=(0.1, 1),
            when={"follow": True},
        ),
    ] = 0.3
    strength: Annotated[
        Strength | dict[str, Strength] | None,
        about(
            ("Maximum joint torque, overall or by joint or limb (N for sliding joints). Default: unlimited."),
            group="Body",
            editor="strength",
            form="<N·m>|LIMB=VALUE,…",
            slider=(5, 500),
        ),
    ] = None
    root: Annotated[
        Literal["fixed", "prescribed", "free"] | None,
        about(
            "How the root moves. Default: as in the followed motion, else fixed.",
            group="Body",
            choices={
                "fixed": "it does not move",
                "prescribed": "as in the followed motion",
                "free": "it is held up by contact forces alone",
            },
        ),
    ] = None
    ground: Annotated[
        bool | None,
        about(
            (
                "Put a floor at height 0, or where the followed motion has it. Default: on if the "
                "root is free."
            ),
            group="World",
        ),
    ] = None
    world: Annotated[
        str | dict[str, Any] | None,
        about(
            (
                "Surfaces to stand on and collide with: a file (JSON, glTF, MJCF, USD) or a list. "
                "Default: the project's, else the ground."
            ),
            group="World",
            editor="surfaces",
            form=WORLD_FORM,
            takes="poise.world:World",
        ),
    ] = None
    disturbances: Annotated[
        tuple[Disturbance, ...],
        about(
            "Disturbances: blows, pushes, loads, thrown balls.",
            group="Disturbances",
            editor="disturbances",
            form=FORM,
            flag="disturb",
        ),
    ] = ()
    control: Annotated[
        Literal["full", "composite", "local", "manual"],
        about(
            "How much the controller knows of the body's dynamics.",
            group="Physics",
            expert=True,
            choices={
                "full": "everything; exact",
                "composite": "inertia, but not coupling between limbs",
                "local": "each joint knows only its own limb",
                "manual": "nothing; gains tuned by hand for the first key",
            },
        ),
    ] = "full"
    joint_limits: Annotated[
        bool,
        about(
            (
                "Respect joint limits. A character without limits gets human ones. Requested poses "
                "are still reached."
            ),
            group="Body",
        ),
    ] = True
    gravity: Annotated[
        Literal["on", "off"],
        about(
            "Gravity on limbs.",
            group="Physics",
            choices={"on": "limbs have weight", "off": "limbs are weightless"},
        ),
    ] = "on"
    step: Annotated[
        Annotated[float, unit("s", gt=0, le=0.05)],
        about("Longest time step of the simulation.", group="Physics", expert=True, slider=(0.0005, 0.01)),
    ] = 0.002
    fps: Annotated[
        FrameRate | None,
        about(
            "Frame rate of the result. Default: that of the motion, else 60.",
            group="Result",
            form="<fps>|24000/1001",
        ),
    ] = None
    tolerance: Annotated[
        Annotated[float, unit("°", gt=0)],
        about("Largest joint error that counts as on time.", group="Result", slider=(0.01, 5)),
    ] = 0.1

    RUN = "poise.methods.perform.operations:perform"
    RESULT = "poise.methods.perform.result:PerformResult"
    INPUT = "maybe"
    DYNAMIC = True
    SOUNDS = True
    ARGUMENT = "script"
    ARGUMENT_HELP = "A script (conducting, ymca, or a JSON or TOML file), or a clip to follow."
    FREE = ("script", "from_pose", "strength", "world")
    EXAMPLES = (
        "perform ymca -o ymca.bvh --beats 110",
        'perform wave -o struck.glb --disturb "impulse RightHandCentre@0.5=3,0,0" --recovery 0.3',
    )
    IN_PYTHON = """\
ymca = poise.perform(script="ymca", beats=110).clip
"""

    @property
    def starts(self) -> bool:
        return not self.follow

    @classmethod
    def from_argument(cls, text: str) -> dict[str, Any] | None:
        from poise.methods.perform.script.file import bundled_names

        return {"script": text} if text in bundled_names() or text.lower().endswith(FILES) else None

    @classmethod
    def on_a_clip(cls) -> dict[str, Any]:
        return {"follow": True}

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        given = plain_world(dict(options))
        if isinstance(given.get("fps"), Fraction):
            given["fps"] = str(given["fps"])
        if isinstance(given.get("script"), list | tuple) and not given["script"]:
            del given["script"]
        for name in ("script", "beats"):
            if hasattr(given.get(name), "__fspath__"):
                given[name] = str(given[name])
        return given

    def check(self) -> None:
        if isinstance(self.style, tuple) and len(self.style) != POWERS:
            raise InputError(f"field 'style': a style has two powers, not {len(self.style)}")
        if self.script is None and not self.follow:
            raise InputError("field 'script': there is nothing to perform; give a script, or follow a motion")
        if self.root == "prescribed" and not self.follow:
            raise InputError("field 'root': a prescribed root needs a clip to move it; or: fixed, free")
        if self.world is not None and not world_file(self.world):
            with reading("world"):
                world_of(self.world)
        names_one = isinstance(self.script, str) and not self.script.startswith("<")
        if names_one and not self.in_a_file:
            from poise.methods.perform.script.file import bundled

            bundled(str(self.script))

    @property
    def in_a_file(self) -> bool:
        """Whether the script is named by its file."""
        return isinstance(self.script, str) and self.script.lower().endswith(FILES)

    def uses(self) -> tuple[str, ...]:
        return () if self.character is None else (self.character,)

    def files(self) -> tuple[str, ...]:
        found: list[Any] = [self.script] if self.in_a_file else []
        if isinstance(self.script, Mapping):
            beats = self.script.get("beats", {})
            found += [beats.get("midi"), beats.get("wav")] if isinstance(beats, Mapping) else []
            found.append(self.script.get("poses"))
        found.append(self.beats)
        return (*(name for name in found if isinstance(name, str)), *world_file(self.world))
