"""Plan: motion from a few partial key-frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec

from poise.errors import InputError, UnknownNameError
from poise.operations.declare import PURE, Operation, about, unit
from poise.operations.decoding import converted, reading
from poise.operations.described import described
from poise.operations.frozen_data import freeze, thaw
from poise.operations.quantities import Count, Degrees, Duration, Factor, FrameRate, Length, Metres, Place
from poise.operations.values.grounded import GROUP, MEANS
from poise.operations.values.template import EVERY, OPTIONS, TEMPLATES
from poise.operations.values.world import FORM, plain_world, world_file, world_of

TEMPLATE = "Template"
"""Where options of templates are shown."""
SEARCH = ("modes", "springs", "stiffer", "rayleigh", "key_weight", "refine", "together")
"""Options that only a scene can have."""

USUAL: Mapping[str, Any] = {
    "modes": 20,
    "rayleigh": (0.5, 0.005),
    "key_weight": 1e6,
    "refine": 6,
    "together": False,
    "fps": 60,
}
"""What neither the caller nor the scene says."""


def _taken(option: str) -> dict[str, tuple[str, ...]]:
    """Where an option of templates matters: in those that take it."""
    return {"scene": tuple(name for name, takes in TEMPLATES.items() if option in (*takes, *EVERY))}


class Planning(Operation, tag="planning", frozen=True, kw_only=True):
    """How motion is searched for. What is left out is the scene's own, else the usual."""

    modes: Annotated[
        Count | None,
        about("Number of vibration modes to control. Default: the scene's, or 20.", group="Search"),
    ] = None
    springs: Annotated[
        Literal["standing", "loose", "stiff"] | None,
        about(
            "Joint springs. Default: those of the scene or character.",
            group="Body",
            choices={
                "standing": "as stiff as a standing person",
                "loose": "swing at 0.7 times that frequency",
                "stiff": "swing at 1.4 times that frequency",
            },
        ),
    ] = None
    stiffer: Annotated[
        dict[str, Factor | tuple[Factor, ...]] | None,
        about(
            "Stiffness factors of joints, by name or pattern, for all axes or for each.",
            group="Body",
            editor="factors",
            form="LIMB=VALUE,…",
        ),
    ] = None
    rayleigh: Annotated[
        tuple[Annotated[float, unit("1/s", ge=0)], Annotated[float, unit("s", ge=0)]] | None,
        about(
            (
                "Rayleigh damping: proportional to mass and to stiffness. Default: the scene's, or "
                "0.5 1/s and 0.005 s."
            ),
            group="Body",
            expert=True,
            form="ALPHA,BETA",
        ),
    ] = None
    key_weight: Annotated[
        Factor | None,
        about("Weight of keys against effort. Default: the scene's, or 1e6.", group="Search", expert=True),
    ] = None
    refine: Annotated[
        Annotated[int, unit(PURE, ge=0)] | None,
        about(
            "Number of refinement passes towards missed keys. Default: the scene's, or 6.",
            group="Search",
            expert=True,
        ),
    ] = None
    together: Annotated[
        bool | None,
        about("Solve stances on the same feet together, for a longer horizon.", group="Search"),
    ] = None
    grounded: Annotated[
        bool | None,
        about(
            f"{MEANS[:-1]}; keys stay met; held points stay in place or come to rest nearby. Default: as "
            "the scene says, else tried if the motion starts on the ground, with a warning of what is left.",
            group=GROUP,
        ),
    ] = None
    judge: Annotated[
        bool,
        about(
            "Report how plausible the motion is under full dynamics.",
            group="Result",
            expert=True,
        ),
    ] = True
    fps: Annotated[
        FrameRate | None,
        about(
            "Frame rate of the result. Default: the scene's, or 60.",
            group="Result",
            form="<fps>|24000/1001",
        ),
    ] = None

    FREE: ClassVar[Sequence[str]] = ("stiffer",)

    def filled(self, scene: Mapping[str, Any]) -> Self:
        """With what a scene says, or is usual, where nothing was asked for."""
        said = {**USUAL, **scene}
        missing = {name: value for name, value in said.items() if getattr(self, name) is None}
        return msgspec.structs.replace(self, **missing)


SCENE_OPTIONS = tuple(name for name in Planning.__struct_fields__ if name != "judge")
"""What a scene may say."""


def checked_options(said: Mapping[str, Any], where: str) -> dict[str, Any]:
    """What a scene says, as declared; what it cannot say is refused."""
    for name in said:
        if name not in SCENE_OPTIONS:
            raise UnknownNameError("option of a scene", name, SCENE_OPTIONS)
    plain = described(dict(said))
    freeze(plain, where)  # refuses numbers that are not finite
    made = converted(plain, Planning, where)
    return {name: getattr(made, name) for name in said}


class Plan(Planning, tag="plan", frozen=True, kw_only=True):
    """Plan a motion from a template for any body, or of least effort through a few partial key-frames."""

    scene: Annotated[
        str | dict[str, Any],
        about(
            (
                "A template for any body (walk, jump, turn, reach, sit down …), a bundled scene (four"
                " punches, lamp jump …), a JSON file, or its contents."
            ),
            group="Scene",
            main=True,
            editor="scene",
            form="TEMPLATE|NAME|FILE",
            takes="poise.methods.plan.scene.scene:Scene",
        ),
    ]
    character: Annotated[
        str | None,
        about(
            "The character: a preset or a file. A scene needs one whose names fit.",
            group="Scene",
            editor="character",
            form="PRESET|FILE",
            takes="poise.character:Character",
        ),
    ] = None
    over: Annotated[
        Length | None,
        about(
            "Distance to travel. Default: depends on leg length.",
            group=TEMPLATE,
            when=_taken("over"),
            slider=(0.2, 5),
        ),
    ] = None
    high: Annotated[
        Length | None,
        about(
            ("Height of a jump, hop, step or seat, or depth of a crouch. Default: depends on body size."),
            group=TEMPLATE,
            when=_taken("high"),
            slider=(0.05, 1),
        ),
    ] = None
    spin: Annotated[
        Degrees | None,
        about(
            ("Turn to the left, in the air or step by step. Default: 90° for the template turn, else 0."),
            group=TEMPLATE,
            when=_taken("spin"),
            slider=(-180, 180),
        ),
    ] = None
    route: Annotated[
        tuple[tuple[Metres, Metres], ...] | None,
        about(
            "Points on the ground to pass through, starting at 0,0 and facing along x.",
            group=TEMPLATE,
            when=_taken("route"),
            editor="route",
            form="X,Y;X,Y;…",
        ),
    ] = None
    footsteps: Annotated[
        tuple[tuple[Metres, Metres], ...] | None,
        about(
            "Footsteps, left and right in turn, instead of a route.",
            group=TEMPLATE,
            when=_taken("footsteps"),
            editor="route",
            form="X,Y;X,Y;…",
        ),
    ] = None
    steps: Annotated[
        Count | None,
        about(
            "Number of steps, strides or hops. Default: as many as fit.", group=TEMPLATE, when=_taken("steps")
        ),
    ] = None
    speed: Annotated[
        Annotated[float, unit("m/s", gt=0)] | None,
        about(
            "Speed. Default: depends on leg length.", group=TEMPLATE, when=_taken("speed"), slider=(0.3, 4)
        ),
    ] = None
    to: Annotated[
        Place | None,
        about(
            "Target of a reaching hand (or head, without hands). Default: in front of the shoulder.",
            group=TEMPLATE,
            when=_taken("to"),
            editor="place",
            form="X,Y,Z",
        ),
    ] = None
    side: Annotated[
        Literal["left", "right"] | None,
        about(
            "Hand that reaches, or foot that goes first. Default: right.",
            group=TEMPLATE,
            when=_taken("side"),
            choices={"left": "left hand or foot", "right": "right hand or foot"},
        ),
    ] = None
    seconds: Annotated[
        Duration | None,
        about(
            "Duration. Default: depends on body size.", group=TEMPLATE, when=_taken("seconds"), slider=(1, 10)
        ),
    ] = None
    tempo: Annotated[
        Annotated[float, unit(PURE, ge=0.5, le=1.5)],
        about(
            "Speed factor. Flights keep their duration.",
            group=TEMPLATE,
            when=_taken("tempo"),
            slider=(0.6, 1.4),
        ),
    ] = 1.0
    world: Annotated[
        str | dict[str, Any] | None,
        about(
            (
                "Surfaces for a template: a file (JSON, glTF, MJCF, USD) or a list. Default: level "
                "ground and what the template needs (a step, a seat)."
            ),
            group=TEMPLATE,
            when=_taken("world"),
            form=FORM,
            takes="poise.world:World",
        ),
    ] = None

    RUN = "poise.methods.plan.operations:plan"
    RESULT = "poise.methods.plan.result:PlanResult"
    INPUT = "never"
    ARGUMENT = "scene"
    DOCUMENT = "poise.methods.plan.operations:scene_asked"
    ARGUMENT_HELP = (
        "A template (stand, walk, run, trot, turn, jump, hop, reach, crouch, bow, sit down, step up), a "
        "bundled scene (four punches, lamp jump …) or a file (JSON)."
    )
    FREE = ("scene", "stiffer", "world", "route", "footsteps")
    EXAMPLES = (
        "plan jump --character knight.glb --over 0.5 -o jump.glb",
        'plan walk --route "2,0;3,1" -o walk.bvh --fps 30',
    )
    IN_PYTHON = """\
jump = poise.plan("lamp jump").clip
"""

    @property
    def starts(self) -> bool:
        return True

    @classmethod
    def from_argument(cls, text: str) -> dict[str, Any] | None:
        return {"scene": text}

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        given = plain_world(dict(options))
        if isinstance(given.get("fps"), Fraction):
            given["fps"] = str(given["fps"])
        if hasattr(given.get("scene"), "__fspath__"):
            given["scene"] = str(given["scene"])
        return given

    @property
    def in_a_file(self) -> bool:
        """Whether the scene is named by its file."""
        return isinstance(self.scene, str) and self.scene.lower().endswith(".json")

    @property
    def template(self) -> str:
        """The template that is meant; empty: a scene."""
        return self.scene if isinstance(self.scene, str) and self.scene in TEMPLATES else ""

    def check(self) -> None:
        self._check_options()
        if self.template or (isinstance(self.scene, str) and (self.in_a_file or self.scene.startswith("<"))):
            return  # known when it is read
        from poise.methods.plan.scene.bundled import scene_of

        with reading("scene"):
            scene_of(thaw(self.scene)).figure()

    def _check_options(self) -> None:
        """A template takes its own options, a scene takes those of the search."""
        name = self.template
        if not name:
            said = [o for o in (*OPTIONS, "world") if getattr(self, o) is not None]
            said += ["tempo"] if self.tempo != 1.0 else []
            if said:
                listed = ", ".join(TEMPLATES)
                raise InputError(
                    f"field {said[0]!r}: a scene says that itself; it is an option of templates ({listed})"
                )
            return
        takes = (*TEMPLATES[name], *EVERY)
        for option in OPTIONS:
            if option not in takes and getattr(self, option) is not None:
                raise InputError(f"field {option!r}: {name!r} does not take it; it takes {', '.join(takes)}")
        for option in SEARCH:
            if getattr(self, option) is not None:
                raise InputError(
                    f"field {option!r}: it is about how a scene is searched for, and {name!r} is a template"
                )
        several = [o for o in ("route", "footsteps", "over") if getattr(self, o) is not None]
        if len(several) > 1:
            raise InputError(f"field {several[0]!r}: it says where to go; leave {several[1]!r} out")
        if self.world is not None and not world_file(self.world):
            world_of(self.world)

    def uses(self) -> tuple[str, ...]:
        return () if self.character is None else (self.character,)

    def files(self) -> tuple[str, ...]:
        return (*((str(self.scene),) if self.in_a_file else ()), *world_file(self.world))
